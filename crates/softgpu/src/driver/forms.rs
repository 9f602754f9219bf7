//! The forms of functions that knew 32 bits, and the contexts that belong to them: a context of
//! `cuCtxCreate`'s first form has its memory below 4 GiB and takes those forms alone, any other
//! takes the later ones alone, as on NVIDIA's driver.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use outhaul_abi::types::CUresult;

use super::entry::enter;
use super::error::{Error, Result};
use super::state::driver;

/// Whether there ever was such a context.
static ANY: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// A later form is called on behalf of an older one.
    static CARRIED_OUT: Cell<bool> = const { Cell::new(false) };
}

pub fn note_narrow() {
    ANY.store(true, Ordering::Relaxed);
}

fn is_narrow() -> bool {
    ANY.load(Ordering::Relaxed)
        && driver().and_then(|driver| driver.slot(0)).is_ok_and(|slot| slot.is_narrow)
}

/// At the beginning of a form that has a narrow one.
pub fn check_later() -> Result<()> {
    if is_narrow() && !CARRIED_OUT.get() { Err(Error::InvalidContext) } else { Ok(()) }
}

/// The body of an older form, which calls the later one.
pub fn carry_out(
    symbol: usize,
    narrow: bool,
    body: impl FnOnce() -> std::result::Result<(), CUresult>,
) -> CUresult {
    if narrow && !is_narrow() {
        return enter(symbol, || driver().and(Err(Error::InvalidContext)));
    }
    let before = CARRIED_OUT.replace(narrow);
    // What the later form says is said in its own name.
    let done = body();
    CARRIED_OUT.set(before);
    done.into()
}
