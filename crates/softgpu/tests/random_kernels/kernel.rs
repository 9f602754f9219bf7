//! A kernel as a tree of statements: its PTX, and its results for each thread. Threads wait for
//! each other only where all of them execute the statement.

use std::fmt::Write;

use outhaul_softgpu::engine::Ty;

use crate::evaluate::{NAN64, evaluate, mask};
use crate::opcode::Op;

/// Threads of the block.
pub const THREADS: usize = 64;
const WARP: usize = 32;

/// Registers by their declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    P,
    H,
    R,
    D,
    F,
    G,
}

/// Name, type, and number of registers of each class.
pub const CLASSES: [(Class, &str, &str, usize); 6] = [
    (Class::P, "p", "pred", 4),
    (Class::H, "h", "b16", 4),
    (Class::R, "r", "b32", 8),
    (Class::D, "d", "b64", 5),
    (Class::F, "f", "f32", 5),
    (Class::G, "g", "f64", 4),
];

/// Number of registers of all classes.
pub const REGISTERS: usize = 30;
/// Registers of functions: P and R.
const FUNCTION_P: usize = 2;
const FUNCTION_R: usize = 4;

/// A register: its class and index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reg(pub Class, pub usize);

/// An operand that is read.
#[derive(Debug, Clone, Copy)]
pub enum Source {
    Reg(Reg),
    /// Bits of a literal of a type.
    Literal(Ty, u64),
    Number(u8),
}

/// An operation of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warp {
    Up,
    Down,
    Bfly,
    Idx,
}

/// A statement.
#[derive(Debug, Clone)]
pub enum Statement {
    Op {
        op: Op,
        to: Reg,
        beside: Option<Reg>,
        from: Vec<Source>,
        guard: Option<(Reg, bool)>,
    },
    /// `bar.sync`, or `nanosleep` where not all threads execute it.
    Wait {
        all: bool,
    },
    Count {
        to: Reg,
        of: Reg,
    },
    /// `bar.red.and` or `bar.red.or`.
    Agree {
        to: Reg,
        of: Reg,
        all: bool,
    },
    Ballot {
        to: Reg,
        of: Reg,
    },
    Shuffle {
        to: Reg,
        inside: Option<Reg>,
        of: Reg,
        how: Warp,
        by: usize,
    },
    /// Reads the register of a later thread, through shared memory.
    Exchange {
        to: Reg,
        of: Reg,
        distance: usize,
    },
    /// Copies a register through the thread's own bytes of local memory.
    Spill {
        to: Reg,
        of: Reg,
    },
    Call {
        to: Reg,
        of: Reg,
        body: Vec<Statement>,
    },
    If {
        on: Reg,
        then: Vec<Statement>,
        other: Vec<Statement>,
    },
    /// Repeats so many times, the same for all threads, or as often as two bits of a register say.
    Loop {
        times: usize,
        by: Option<Reg>,
        body: Vec<Statement>,
    },
}

/// The registers of one thread.
pub type File = [u64; REGISTERS];

impl Reg {
    /// Returns the index among all registers.
    pub fn index(self) -> usize {
        let before = CLASSES
            .iter()
            .take_while(|(class, ..)| *class != self.0)
            .map(|(.., count)| count)
            .sum::<usize>();
        before + self.1
    }

    /// Returns the size in bits.
    pub fn bits(self) -> u32 {
        match self.0 {
            Class::P => 1,
            Class::H => 16,
            Class::R | Class::F => 32,
            Class::D | Class::G => 64,
        }
    }

    fn name(self) -> String {
        let class =
            CLASSES.iter().find(|(class, ..)| *class == self.0).map_or("", |(_, name, ..)| name);
        format!("%{class}{}", self.1)
    }
}

/// Returns all registers.
pub fn all_registers() -> impl Iterator<Item = Reg> {
    CLASSES
        .into_iter()
        .flat_map(|(class, _, _, count)| (0..count).map(move |index| Reg(class, index)))
}

fn source(source: &Source) -> String {
    match source {
        Source::Reg(reg) => reg.name(),
        Source::Number(number) => number.to_string(),
        Source::Literal(ty, bits) if *ty == Ty::F32 => format!("0f{bits:08X}"),
        Source::Literal(ty, bits) if *ty == Ty::F64 => format!("0d{bits:016X}"),
        Source::Literal(ty, bits) if ty.signed() => {
            ((*bits << (64 - ty.bits)) as i64 >> (64 - ty.bits)).to_string()
        }
        Source::Literal(ty, bits) => format!("{:#x}", bits & mask(ty.bits)),
    }
}

#[derive(Default)]
struct Text {
    lines: String,
    functions: String,
    labels: usize,
    calls: usize,
}

/// Returns the PTX of a kernel `k(in, out)`. It loads the registers from `in` and stores them in
/// `out`, eight bytes each, for each thread.
pub fn text(body: &[Statement]) -> String {
    let mut text = Text::default();
    for reg in all_registers() {
        let at = 8 * reg.index();
        match reg.0 {
            Class::P => text.push_line(&format!(
                "ld.global.b32 %t, [%in+{at}]; setp.ne.u32 {}, %t, 0",
                reg.name()
            )),
            class => {
                text.push_line(&format!("ld.global.{} {}, [%in+{at}]", access(class), reg.name()))
            }
        }
    }
    text.body(body);
    for reg in all_registers() {
        let at = 8 * reg.index();
        match reg.0 {
            Class::P => text.push_line(&format!(
                "selp.u32 %t, 1, 0, {}; st.global.b32 [%out+{at}], %t",
                reg.name()
            )),
            class => {
                text.push_line(&format!("st.global.{} [%out+{at}], {}", access(class), reg.name()))
            }
        }
    }
    let registers: String = CLASSES
        .iter()
        .map(|(_, name, ty, count)| format!("  .reg .{ty} %{name}<{count}>;\n"))
        .collect();
    format!(
        ".version 8.6\n.target sm_100\n.address_size 64\n.shared .align 8 .b8 \
        exchange[{}];\n\n{}.visible .entry k(.param .u64 in, .param .u64 out)\n{{\n{registers}  \
        .reg .b32 %t, %u, %n<8>;\n  \
         .reg .b64 %in, %out;\n  .reg .pred %q;\n{}  mov.u32 %t, %tid.y; mov.u32 %u, %ntid.x; \
         mad.lo.u32 %t, %t, %u, 0; mov.u32 %u, %tid.x; add.u32 %u, %u, %t;\n  \
         ld.param.u64 %in, [in]; mad.wide.u32 %in, %u, {size}, %in;\n  ld.param.u64 %out, [out]; \
         mad.wide.u32 %out, %u, {size}, %out;\n{}  ret;\n}}\n",
        8 * THREADS,
        text.functions,
        if text.lines.contains("[own]") { "  .local .align 8 .b8 own[8];\n" } else { "" },
        text.lines,
        size = 8 * REGISTERS,
    )
}

fn access(class: Class) -> &'static str {
    CLASSES.iter().find(|(known, ..)| *known == class).map_or("", |(_, _, ty, _)| ty)
}

impl Text {
    fn push_line(&mut self, line: &str) {
        let _ = writeln!(self.lines, "  {line};");
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    fn body(&mut self, body: &[Statement]) {
        body.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Op { op, to, beside, from, guard } => {
                let guard = guard.map_or(String::new(), |(reg, negated)| {
                    format!("@{}{} ", if negated { "!" } else { "" }, reg.name())
                });
                let beside = beside.map_or(String::new(), |reg| format!("|{}", reg.name()));
                let from: String = from.iter().map(|from| format!(", {}", source(from))).collect();
                self.push_line(&format!("{guard}{} {}{beside}{from}", op.text(), to.name()));
                if op.result() == Ty::F64 {
                    let to = to.name();
                    self.push_line(&format!(
                        "{guard}setp.nan.f64 %q, {to}, {to}; {guard}selp.f64 {to}, \
                    0d{NAN64:016X}, {to}, %q"
                    ));
                }
            }
            Statement::Wait { all: true } => self.push_line("bar.sync 0"),
            Statement::Wait { all: false } => self.push_line("nanosleep.u32 1"),
            Statement::Count { to, of } => {
                self.push_line(&format!("bar.red.popc.u32 {}, 0, {}", to.name(), of.name()))
            }
            Statement::Agree { to, of, all } => {
                self.push_line(&format!(
                    "bar.red.{}.pred {}, 0, {}",
                    if *all { "and" } else { "or" },
                    to.name(),
                    of.name()
                ));
            }
            Statement::Ballot { to, of } => {
                self.push_line(&format!("vote.sync.ballot.b32 {}, {}, -1", to.name(), of.name()))
            }
            Statement::Shuffle { to, inside, of, how, by } => {
                let (how, limit) = match how {
                    Warp::Up => ("up", 0),
                    Warp::Down => ("down", 31),
                    Warp::Bfly => ("bfly", 31),
                    Warp::Idx => ("idx", 31),
                };
                let inside = inside.map_or(String::new(), |reg| format!("|{}", reg.name()));
                self.push_line(&format!(
                    "shfl.sync.{how}.b32 {}{inside}, {}, {by}, {limit}, -1",
                    to.name(),
                    of.name()
                ));
            }
            Statement::Exchange { to, of, distance } => {
                self.push_line(&format!(
                    "shl.b32 %t, %u, 2; mov.u32 %n7, exchange; add.u32 %t, %t, %n7; \
                st.shared.b32 [%t], {}",
                    of.name()
                ));
                self.push_line(&format!(
                    "bar.sync 0; add.u32 %t, %u, {distance}; and.b32 %t, %t, {}; shl.b32 %t, %t, 2",
                    THREADS - 1
                ));
                self.push_line(&format!(
                    "add.u32 %t, %t, %n7; ld.shared.b32 {}, [%t]; bar.sync 0",
                    to.name()
                ));
            }
            Statement::Spill { to, of } => self.push_line(&format!(
                "st.local.b32 [own], {}; ld.local.b32 {}, [own]",
                of.name(),
                to.name()
            )),
            Statement::Call { to, of, body } => {
                self.function(body);
                self.push_line(&format!("call ({}), f{}, ({})", to.name(), self.calls, of.name()));
            }
            Statement::If { on, then, other } => {
                let (no, end) = (self.label(), self.label());
                self.push_line(&format!("@!{} bra {no}", on.name()));
                self.body(then);
                self.push_line(&format!("bra {end}"));
                let _ = writeln!(self.lines, "{no}:");
                self.body(other);
                let _ = writeln!(self.lines, "{end}:");
            }
            Statement::Loop { times, by, body } => {
                let (begin, counter) = (self.label(), format!("%n{}", self.labels % 7));
                let counter = format!("{counter}_{}", self.labels);
                let _ = writeln!(self.lines, "  {{\n  .reg .b32 {counter};");
                match by {
                    Some(reg) => self.push_line(&format!("and.b32 {counter}, {}, 3", reg.name())),
                    None => self.push_line(&format!("mov.u32 {counter}, {}", times - 1)),
                }
                let _ = writeln!(self.lines, "{begin}:");
                self.body(body);
                self.push_line(&format!(
                    "sub.s32 {counter}, {counter}, 1; setp.ge.s32 %q, {counter}, 0; @%q bra {begin}"
                ));
                self.lines.push_str("  }\n");
            }
        }
    }

    /// Generates a function of one word. The initial values of its registers are sums of the word
    /// and their number.
    fn function(&mut self, body: &[Statement]) {
        let outside = std::mem::take(&mut self.lines);
        self.body(body);
        let lines = std::mem::replace(&mut self.lines, outside);
        self.calls += 1;
        let begin: String =
            (0..FUNCTION_R).map(|i| format!("  add.u32 %r{i}, %a, {i};\n")).collect();
        let _ = write!(
            self.functions,
            ".func (.reg .b32 %o) f{}(.reg .b32 %a)\n{{\n  .reg .b32 %r<{FUNCTION_R}>;\n  .reg \
            .pred %p<{FUNCTION_P}>, %q;\n{begin}  setp.eq.u32 %p0, %a, 0; setp.lt.s32 %p1, %a, \
            0;\n{lines}  mov.b32 %o, %r0;\n  ret;\n}}\n\n",
            self.calls
        );
    }
}

/// Returns the final registers of all threads, or `None` if an instruction is unknown.
pub fn run(body: &[Statement], files: &mut [File]) -> Option<()> {
    let everyone: Vec<usize> = (0..files.len()).collect();
    run_body(body, files, &everyone)
}

fn run_body(body: &[Statement], files: &mut [File], active: &[usize]) -> Option<()> {
    body.iter().try_for_each(|statement| run_one(statement, files, active))
}

fn run_one(statement: &Statement, files: &mut [File], active: &[usize]) -> Option<()> {
    let column = |files: &[File], reg: Reg| -> Vec<u64> {
        files.iter().map(|file| file[reg.index()]).collect()
    };
    match statement {
        Statement::Op { op, to, beside, from, guard } => {
            for &thread in active {
                let file = &mut files[thread];
                if guard.is_none_or(|(reg, negated)| (file[reg.index()] != 0) != negated) {
                    run_op(op, *to, *beside, from, file)?;
                }
            }
        }
        Statement::Wait { .. } => {}
        Statement::Count { to, of } => {
            let count: u64 = column(files, *of).iter().sum();
            files.iter_mut().for_each(|file| file[to.index()] = count);
        }
        Statement::Agree { to, of, all } => {
            let bits = column(files, *of);
            let holds = if *all {
                bits.iter().all(|bit| *bit != 0)
            } else {
                bits.iter().any(|bit| *bit != 0)
            };
            files.iter_mut().for_each(|file| file[to.index()] = u64::from(holds));
        }
        Statement::Ballot { to, of } => {
            let ballots = column_by_warp(&column(files, *of));
            for (warp, bits) in files.chunks_mut(WARP).zip(ballots) {
                warp.iter_mut().for_each(|file| file[to.index()] = bits);
            }
        }
        Statement::Shuffle { to, inside, of, how, by } => {
            let values = column(files, *of);
            for (thread, file) in files.iter_mut().enumerate() {
                let (first, lane) = (thread / WARP * WARP, thread % WARP);
                let from = match how {
                    Warp::Up => lane.checked_sub(*by),
                    Warp::Down => Some(lane + by),
                    Warp::Bfly => Some(lane ^ by),
                    Warp::Idx => Some(*by),
                };
                let from = from.filter(|from| *from < WARP);
                file[to.index()] = values[first + from.unwrap_or(lane)];
                if let Some(inside) = inside {
                    file[inside.index()] = u64::from(from.is_some());
                }
            }
        }
        Statement::Exchange { to, of, distance } => {
            let values = column(files, *of);
            for (thread, file) in files.iter_mut().enumerate() {
                file[to.index()] = values[(thread + distance) % THREADS];
            }
        }
        Statement::Spill { to, of } => {
            active.iter().for_each(|&thread| files[thread][to.index()] = files[thread][of.index()])
        }
        Statement::Call { to, of, body } => {
            let mut inner = vec![[0; REGISTERS]; files.len()];
            for (file, outer) in inner.iter_mut().zip(files.iter()) {
                let given = outer[of.index()];
                (0..FUNCTION_R).for_each(|i| {
                    file[Reg(Class::R, i).index()] = given.wrapping_add(i as u64) & mask(32)
                });
                file[Reg(Class::P, 0).index()] = u64::from(given == 0);
                file[Reg(Class::P, 1).index()] = given >> 31 & 1;
            }
            run_body(body, &mut inner, active)?;
            active.iter().for_each(|&thread| {
                files[thread][to.index()] = inner[thread][Reg(Class::R, 0).index()]
            });
        }
        Statement::If { on, then, other } => {
            let (yes, no): (Vec<usize>, Vec<usize>) =
                active.iter().partition(|thread| files[**thread][on.index()] != 0);
            run_body(then, files, &yes)?;
            run_body(other, files, &no)?;
        }
        Statement::Loop { times, by, body } => {
            let often = |thread: &usize| {
                by.map_or(*times, |reg| (files[*thread][reg.index()] & 3) as usize + 1)
            };
            let often: Vec<usize> = active.iter().map(often).collect();
            for turn in 0..often.iter().copied().max().unwrap_or(0) {
                let left: Vec<usize> = active
                    .iter()
                    .zip(&often)
                    .filter(|(_, times)| **times > turn)
                    .map(|(thread, _)| *thread)
                    .collect();
                run_body(body, files, &left)?;
            }
        }
    }
    Some(())
}

fn column_by_warp(bits: &[u64]) -> Vec<u64> {
    bits.chunks(WARP)
        .map(|warp| warp.iter().enumerate().map(|(lane, bit)| bit << lane).sum())
        .collect()
}

fn run_op(op: &Op, to: Reg, beside: Option<Reg>, from: &[Source], file: &mut File) -> Option<()> {
    let value = |source: &Source| match source {
        Source::Reg(reg) => file[reg.index()],
        Source::Literal(ty, bits) => bits & mask(ty.bits),
        Source::Number(number) => u64::from(*number),
    };
    let values: Vec<u64> = from.iter().map(value).collect();
    let (mut result, second) = evaluate(op, &values)?;
    let ty = op.result();
    if ty == Ty::F64 && f64::from_bits(result).is_nan() {
        result = NAN64;
    }
    if ty.signed() && ty.bits < to.bits() && result >> (ty.bits - 1) & 1 != 0 {
        result |= !mask(ty.bits);
    }
    file[to.index()] = result & mask(to.bits());
    if let Some(beside) = beside {
        file[beside.index()] = u64::from(second);
    }
    Some(())
}
