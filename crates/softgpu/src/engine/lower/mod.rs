//! Translates parsed functions to machine code. Each PTX function becomes one Cranelift function,
//! and registers become SSA variables.

pub mod accesses;
pub mod analysis;
pub mod arithmetic;

mod cluster;
mod code_cache;
mod control;
mod dispatch;
mod function;
pub mod lowering;
mod opcode;
mod threads;
mod values;
mod warp;

use outhaul_lock::Mutex;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};

use super::CompileError;
use super::Grouping;
use super::exec::code::Code;
use super::link::Linked;
use analysis::{register_types, sinking, uniformity, waiting};
use code_cache::Stored;
use lowering::{Compiled, Entered, Lowered, Lowering};

pub use code_cache::keep_compiled;

/// Number of stack bytes for the functions that a kernel calls. Deeper recursion ends with
/// `Fault::StackOverflow`.
const CALL_STACK_BYTES: usize = 192 << 10;
/// Number of stack bytes for engine functions that compiled code calls without a PTX call.
const SLACK_BYTES: usize = 4 << 10;

/// Returns two code generators: one that optimises, and one that preserves instruction order.
fn isas() -> Lowered<[OwnedTargetIsa; 2]> {
    static ISAS: OnceLock<Result<[OwnedTargetIsa; 2], String>> = OnceLock::new();
    let build = |level: &str| {
        let mut flags = settings::builder();
        for (name, value) in
            [("opt_level", level), ("enable_verifier", "false"), ("unwind_info", "false")]
        {
            flags.set(name, value).map_err(|error| error.to_string())?;
        }
        let builder = cranelift_native::builder().map_err(str::to_string)?;
        builder.finish(settings::Flags::new(flags)).map_err(|error| error.to_string())
    };
    let built = ISAS.get_or_init(|| Ok([build("speed")?, build("none")?]));
    built.clone().map_err(CompileError::Internal)
}

/// Returns whether to generate code that runs the kernel's threads in groups.
pub fn runs_in_groups(linked: &Linked, kernel: u32) -> bool {
    let function = linked.function(kernel);
    let module = &linked.modules[linked.functions[kernel as usize].module];
    let Some(body) = &function.body else { return false };
    let classes = register_types::classes(module, body);
    let rounds = waiting::Rounds::new(module, body);
    let wanted = match linked.grouping {
        Grouping::WhereItPays => uniformity::pays(module, body, &classes, &rounds),
        Grouping::WherePossible => true,
    };
    wanted && uniformity::possible(linked, module, body, &classes)
}

/// Compiles a kernel and every function that it can reach. `in_groups` is the result of
/// [`runs_in_groups`].
pub fn compile(linked: &Linked, kernel: u32, in_groups: bool) -> Lowered<Compiled> {
    let by_block = !waiting::calls_wait(linked, kernel);
    let entered = match (by_block, in_groups) {
        (false, _) => Entered::Thread,
        (true, false) => Entered::Block,
        (true, true) => Entered::Groups,
    };
    compile_from(linked, kernel, entered)
}

/// Compiles a function whose address is needed before any call. Also compiles every function that
/// it can reach.
pub fn compile_callee(linked: &Linked, function: u32) -> Lowered<()> {
    compile_from(linked, function, Entered::Thread).map(|_| ())
}

fn compile_from(linked: &Linked, kernel: u32, entered: Entered) -> Lowered<Compiled> {
    // Only one compilation runs at a time, so that no function is compiled twice.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock();
    let by_block = entered != Entered::Thread;
    let mut wanted = vec![kernel];
    let mut seen = HashSet::from([kernel]);
    let mut compiled = Compiled { address: 0, stack_bytes: SLACK_BYTES, by_block, frame_bytes: 0 };
    while let Some(id) = wanted.pop() {
        // The code generator asserts properties that valid PTX guarantees. Invalid text must not
        // end the process.
        let attempt = catch_unwind(AssertUnwindSafe(|| {
            compile_one(linked, id, if id == kernel { entered } else { Entered::Thread })
        }));
        let (frame_bytes, lowering) = attempt.unwrap_or_else(|_| {
            Err(CompileError::Internal(format!("{} is not valid PTX", linked.function(id).name)))
        })?;
        if id == kernel {
            compiled.stack_bytes += frame_bytes + if lowering.calls { CALL_STACK_BYTES } else { 0 };
            compiled.frame_bytes = lowering.frame_bytes;
        }
        wanted.extend(lowering.referenced.into_iter().filter(|&id| seen.insert(id)));
    }
    compiled.address = linked.compiled(kernel).map_or(0, |address| address as usize);
    Ok(compiled)
}

fn compile_one(linked: &Linked, id: u32, entered: Entered) -> Lowered<(usize, Lowering)> {
    let [isa, generator] = isas()?;
    let stored = match Stored::load(linked, id, entered, &*isa) {
        Some(stored) => stored,
        None => {
            let mut context = Context::new();
            let lowering = function::lower(linked, id, entered, &*isa, &mut context.func)?;
            let optimised = context.optimize(&*isa, &mut ControlPlane::default());
            optimised.map_err(|error| {
                CompileError::Internal(format!("{}: {error:?}", linked.function(id).name))
            })?;
            sinking::sink_loads(&mut context.func);
            let result = context.compile(&*generator, &mut ControlPlane::default());
            result.map_err(|error| {
                CompileError::Internal(format!("{}: {:?}", linked.function(id).name, error.inner))
            })?;
            let code =
                context.compiled_code().ok_or_else(|| CompileError::Internal("no code".into()))?;
            let stored = Stored::new(&context.func, code, lowering)?;
            stored.keep(linked, id, entered, &*isa);
            stored
        }
    };
    let code = Code::new(&stored.placed(linked)?)
        .map_err(|error| CompileError::Internal(error.to_string()))?;
    linked.functions[id as usize].cell.store(linked.keep(code), Ordering::Release);
    Ok((stored.stack_bytes, stored.lowering))
}
