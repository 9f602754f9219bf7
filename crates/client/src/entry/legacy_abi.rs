//! Old forms of functions with 32-bit sizes, and their contexts. A context that the first form of
//! cuCtxCreate created has its memory below 4 GiB and accepts only the old forms. Other contexts
//! accept only the later forms. NVIDIA's driver applies the same rules.

use crate::driver::state::driver;
use crate::entry::guard;
use crate::objects::context_stack;
use outhaul_abi::loading::symbols::SYMBOLS;
use outhaul_abi::types::CUresult;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether a context below 4 GiB ever existed. A program without one pays only for this check.
static ANY: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether an older form is calling its later form.
    static CARRIED_OUT: Cell<bool> = const { Cell::new(false) };
}

/// Notes that a context below 4 GiB exists.
pub fn note_narrow() {
    ANY.store(true, Relaxed);
}

/// Returns whether the memory of the calling thread's context is below 4 GiB.
fn is_narrow() -> bool {
    ANY.load(Relaxed)
        && context_stack::with_current(|context| Ok(context.is_narrow())).unwrap_or(false)
}

/// Runs the body of a later form whose older form uses 32-bit sizes.
pub fn later(body: impl FnOnce() -> Result<(), CUresult>) -> Result<(), CUresult> {
    if is_narrow() && !CARRIED_OUT.get() { Err(CUresult::INVALID_CONTEXT) } else { body() }
}

/// Runs the body of an older form, which calls the later one. `symbol` is the older form's row in
/// the table of symbols.
pub fn carry_out(
    symbol: usize,
    narrow: bool,
    body: impl FnOnce() -> Result<(), CUresult>,
) -> CUresult {
    if narrow && !is_narrow() {
        let refuse = || context_stack::current().and(Err(CUresult::INVALID_CONTEXT));
        return guard(SYMBOLS[symbol].name, || driver().and_then(|_| refuse()));
    }
    // The later form logs its errors under its own name.
    let before = CARRIED_OUT.replace(narrow);
    let done = body();
    CARRIED_OUT.set(before);
    done.into()
}
