//! Random kernels. Every register is compared with the result according to the PTX manual. Every
//! instruction that computes with registers is also tested alone, with operands at the limits, and
//! after a wait.
//!
//! `OUTHAUL_FUZZ_SECONDS=3600 cargo test --release -p outhaul-softgpu --test random_kernels --
//! --nocapture` continues with new kernels for an hour. `OUTHAUL_FUZZ_SEED` is the first seed (the
//! time, unless given). A kernel that fails is made smaller and printed with its seed. Absent,
//! because `tests/ptx` covers them: other accesses to memory than a thread's own bytes and
//! exchanged words, atomics, textures and matrices.

mod evaluate;
mod generate;
mod kernel;
mod opcode;
mod shrink;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use generate::Chance;
use kernel::{CLASSES, Class, File, REGISTERS, Reg, Source, Statement, all_registers};
use opcode::{Op, Operand};
use outhaul_softgpu::engine::{Grouping, Launch, Output, Program, run};

/// Number of kernels if OUTHAUL_FUZZ_SECONDS is not set.
const KERNELS: u64 = 250;

struct Silent;

impl Output for Silent {
    fn stdout(&self, _: &[u8]) {}
    fn stderr(&self, _: &[u8]) {}
}

/// Runs a kernel on the engine, in blocks of one shape.
fn engine(
    text: &str,
    before: &[File],
    grouping: Grouping,
    block: [u32; 3],
) -> Result<Vec<File>, String> {
    let program =
        Arc::new(Program::parse_for(&[text], false, grouping).map_err(|error| error.to_string())?);
    let kernel = program.kernel("k").ok_or("no kernel")?;
    kernel.prepare().map_err(|error| error.to_string())?;
    let instance = program.instantiate(|_| None).map_err(|error| error.to_string())?;
    let mut after = vec![[0u64; REGISTERS]; before.len()];
    let (input, output) = (before.as_ptr() as u64, after.as_mut_ptr() as u64);
    let launched = run(&Launch {
        instance: &instance,
        kernel: &kernel,
        grid: [1; 3],
        block,
        cluster: None,
        dynamic_shared_bytes: 0,
        params: &[input.to_le_bytes(), output.to_le_bytes()].concat(),
        cooperative: false,
        output: &Silent,
        checker: None,
        heap_bytes_max: 8 << 20,
        time_limit: Some(Duration::from_secs(20)),
    });
    launched.map(|()| after).map_err(|fault| fault.to_string())
}

/// The ways to run a kernel: threads one by one, or in groups where possible, and blocks of one row
/// or of several.
const WAYS: [(Grouping, [u32; 3]); 3] = [
    (Grouping::WhereItPays, [64, 1, 1]),
    (Grouping::WherePossible, [64, 1, 1]),
    (Grouping::WherePossible, [8, 8, 1]),
];

/// Returns the first register in which the engine and the manual differ.
fn difference(body: &[Statement], before: &[File]) -> Option<String> {
    let text = kernel::text(body);
    let mut wanted = before.to_vec();
    kernel::run(body, &mut wanted)?;
    WAYS.into_iter().find_map(|(grouping, block)| {
        let found = match engine(&text, before, grouping, block) {
            Ok(found) => found,
            Err(error) => return Some(format!("{grouping:?}, {block:?}: {error}")),
        };
        unlike(&found, &wanted).map(|what| format!("{grouping:?}, {block:?}: {what}"))
    })
}

fn unlike(found: &[File], wanted: &[File]) -> Option<String> {
    all_registers().find_map(|reg| {
        let thread = (0..found.len())
            .find(|&thread| found[thread][reg.index()] != wanted[thread][reg.index()])?;
        let (here, there) = (found[thread][reg.index()], wanted[thread][reg.index()]);
        Some(format!("thread {thread}, {reg:?}: {here:#x}, should be {there:#x}"))
    })
}

fn seconds_asked_for() -> Option<Duration> {
    std::env::var("OUTHAUL_FUZZ_SECONDS").ok().map(|text| {
        Duration::from_secs(text.parse().expect("OUTHAUL_FUZZ_SECONDS is a number of seconds"))
    })
}

#[test]
fn random_kernels_compute_the_results_of_the_manual() {
    let operations = known_operations();
    let asked = seconds_asked_for();
    let now =
        || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs() << 20);
    let given = std::env::var("OUTHAUL_FUZZ_SEED")
        .ok()
        .map(|text| text.parse().expect("OUTHAUL_FUZZ_SEED is a number"));
    let first = given.unwrap_or_else(|| if asked.is_some() { now() } else { 0 });
    let (start, mut failed) = (Instant::now(), 0);
    let mut seed = first;
    while asked.map_or(seed < first + KERNELS, |asked| start.elapsed() < asked) {
        let mut chance = Chance::new(seed);
        let (body, before) =
            (generate::kernel(&mut chance, &operations), generate::files(&mut chance));
        if difference(&body, &before).is_some() {
            let small = shrink::smallest(body, &|body| difference(body, &before).is_some());
            println!(
                "seed {seed}: {}\n{}",
                difference(&small, &before).unwrap_or_default(),
                kernel::text(&small)
            );
            failed += 1;
        }
        seed += 1;
    }
    println!("{} random kernels, {failed} wrong", seed - first);
    assert_eq!(
        failed, 0,
        "the kernels above compute something else; OUTHAUL_FUZZ_SEED runs one again"
    );
}

/// Returns whether the manual does not define the bits of the result, or whether `tests/ptx` covers
/// it with measured values: approximations, and directed roundings of f32 and f64.
fn is_approximate(op: &Op) -> bool {
    let directed = op.word(&["rz", "rm", "rp"]).is_some() && op.name != "cvt";
    directed || op.has("approx") || op.has("full") || op.has("pack") || op.has("tf32")
}

fn known_operations() -> Vec<Op> {
    opcode::all().into_iter().filter(|op| !is_approximate(op) && op.name != "fns").collect()
}

/// Returns the number of registers of a class.
fn count_of(class: Class) -> usize {
    CLASSES.iter().find(|(known, ..)| *known == class).map_or(1, |(.., count)| *count)
}

/// Returns one use of an instruction. It writes a register of the upper half and reads registers of
/// the lower half, beginning with one of them.
fn use_of(op: &Op, to: usize, from: usize) -> Statement {
    let mut taken = from;
    let source = |operand: Operand| match operand {
        Operand::Number => Source::Number(0x6A),
        Operand::Value(ty) => {
            let class = generate::class_of(ty);
            taken += 1;
            Source::Reg(Reg(class, taken % (count_of(class) / 2)))
        }
    };
    let from = op.sources().into_iter().map(source).collect();
    let upper = |class: Class, index: usize| {
        Reg(class, count_of(class) / 2 + index % (count_of(class) / 2))
    };
    let beside = op.writes_two().then(|| upper(Class::P, to + 1));
    Statement::Op {
        op: op.clone(),
        to: upper(generate::class_of(op.result()), to),
        beside,
        from,
        guard: None,
    }
}

/// Returns kernels with as many uses as fit, each of which writes registers of its own.
fn together(operations: &[Op]) -> Vec<Vec<Statement>> {
    let mut kernels: Vec<(Vec<Statement>, BTreeMap<usize, usize>)> = Vec::new();
    for op in operations {
        let class = generate::class_of(op.result());
        let key = Reg(class, 0).index();
        let full = |used: &BTreeMap<usize, usize>| {
            used.get(&key)
                .is_some_and(|used| *used + usize::from(op.writes_two()) >= count_of(class) / 2)
        };
        if kernels.last().is_none_or(|(_, used)| full(used)) {
            kernels.push(Default::default());
        }
        let Some((uses, used)) = kernels.last_mut() else { continue };
        let next = used.entry(key).or_default();
        uses.push(use_of(op, *next, uses.len()));
        *next += 1 + usize::from(op.writes_two() && class == Class::P);
        if op.writes_two() && class != Class::P {
            used.insert(Reg(Class::P, 0).index(), 2);
        }
    }
    kernels.into_iter().map(|(uses, _)| uses).collect()
}

fn names(uses: &[Statement]) -> Vec<String> {
    uses.iter()
        .filter_map(|one| if let Statement::Op { op, .. } = one { Some(op.text()) } else { None })
        .collect()
}

#[test]
fn every_instruction_computes_the_results_of_the_manual_at_the_edges() {
    let mut chance = Chance::new(7);
    let mut wrong = Vec::new();
    for body in together(&known_operations()) {
        let before: Vec<File> = generate::files(&mut chance);
        let mut wanted = before.clone();
        let known = kernel::run(&body, &mut wanted).is_some();
        assert!(
            known,
            "one of {:?} is not known to evaluate.rs; write what it computes there",
            names(&body)
        );
        let (grouping, block) = WAYS[0];
        let what = match engine(&kernel::text(&body), &before, grouping, block) {
            Err(error) => Some(error),
            Ok(found) => unlike(&found, &wanted),
        };
        wrong.extend(what.map(|what| format!("{:?}: {what}", names(&body))));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Tests each instruction with a wait after it, twice around a loop. The registers must be the same
/// as without waits.
#[test]
fn every_result_is_the_same_after_a_wait() {
    let mut chance = Chance::new(11);
    let mut wrong = Vec::new();
    for (index, uses) in together(&opcode::all()).into_iter().enumerate() {
        let before = generate::files(&mut chance);
        let with = |waits: bool| {
            let wait = |all: bool| waits.then_some(Statement::Wait { all });
            let spaced = uses
                .iter()
                .flat_map(|one| [Some(one.clone()), wait(true), wait(false)].into_iter().flatten())
                .collect();
            kernel::text(&[Statement::Loop { times: 2, by: None, body: spaced }])
        };
        let (grouping, block) = WAYS[index % 2];
        let found = [false, true].map(|waits| engine(&with(waits), &before, grouping, block));
        let what = match found {
            [Ok(without), Ok(with)] => unlike(&with, &without),
            [Err(error), _] | [_, Err(error)] => Some(error),
        };
        wrong.extend(what.map(|what| format!("{:?}: {what}", names(&uses))));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
