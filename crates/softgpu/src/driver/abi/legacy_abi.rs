//! Functions with 32-bit addresses, and the narrow contexts that belong to them. A context from
//! `cuCtxCreate`'s first version has its memory below 4 GiB and accepts only these functions. Other
//! contexts accept only the later versions, as in NVIDIA's driver.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use outhaul_abi::types::CUresult;

use crate::driver::abi::entry::enter;
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

/// Whether a narrow context was ever created.
static ANY: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether a later version of a function runs on behalf of an older one.
    static CARRIED_OUT: Cell<bool> = const { Cell::new(false) };
}

/// Records that a narrow context exists.
pub fn note_narrow() {
    ANY.store(true, Ordering::Relaxed);
}

fn is_narrow() -> bool {
    ANY.load(Ordering::Relaxed)
        && driver().and_then(|driver| driver.slot(0)).is_ok_and(|slot| slot.is_narrow)
}

/// Checks the current context at the beginning of a function that has an older version. Fails if
/// the context is narrow.
pub fn check_later() -> Result<()> {
    if is_narrow() && !CARRIED_OUT.get() { Err(Error::InvalidContext) } else { Ok(()) }
}

/// Implements a function's older version by calling the later one.
pub fn carry_out(
    symbol: usize,
    narrow: bool,
    body: impl FnOnce() -> std::result::Result<(), CUresult>,
) -> CUresult {
    if narrow && !is_narrow() {
        return enter(symbol, || driver().and(Err(Error::InvalidContext)));
    }
    let before = CARRIED_OUT.replace(narrow);
    // The later version reports errors under its own name.
    let done = body();
    CARRIED_OUT.set(before);
    done.into()
}
