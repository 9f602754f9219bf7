//! The forms of functions that knew 32 bits, and the contexts that belong to them: a context of
//! cuCtxCreate's first form has its memory below 4 GiB and takes those forms alone, any other takes
//! the later ones alone, as on NVIDIA's driver.

use crate::context;
use crate::driver::driver;
use crate::entry::guard;
use outhaul_abi::loading::symbols::SYMBOLS;
use outhaul_abi::types::CUresult;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What cuCtxGetApiVersion says of a context.
pub const VERSION_NARROW: u32 = 3010;
pub const VERSION: u32 = 3020;

/// Whether there ever was such a context: a program without one pays this look and nothing else.
static ANY: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// A later form is called on behalf of an older one.
    static CARRIED_OUT: Cell<bool> = const { Cell::new(false) };
}

pub fn note_narrow() {
    ANY.store(true, Relaxed);
}

/// Whether the calling thread's context is one with memory below 4 GiB.
fn is_narrow() -> bool {
    ANY.load(Relaxed) && context::with_current(|context| Ok(context.is_narrow())).unwrap_or(false)
}

/// The body of a form that has a narrow one.
pub fn later(body: impl FnOnce() -> Result<(), CUresult>) -> Result<(), CUresult> {
    if is_narrow() && !CARRIED_OUT.get() { Err(CUresult::INVALID_CONTEXT) } else { body() }
}

/// The body of an older form, the symbol at this row of the table, which calls the later one.
pub fn carry_out(
    symbol: usize,
    narrow: bool,
    body: impl FnOnce() -> Result<(), CUresult>,
) -> CUresult {
    if narrow && !is_narrow() {
        let refuse = || context::current().and(Err(CUresult::INVALID_CONTEXT));
        return guard(SYMBOLS[symbol].name, || driver().and_then(|_| refuse()));
    }
    // What the later form says is said in its own name.
    let before = CARRIED_OUT.replace(narrow);
    let done = body();
    CARRIED_OUT.set(before);
    done.into()
}
