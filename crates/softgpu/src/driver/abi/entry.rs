//! The boundary between C and this crate. Every exported function enters here, and only this module
//! converts errors to CUDA's numbers. No panic leaves the module.

use std::panic::{AssertUnwindSafe, catch_unwind};

use outhaul_abi::error_log::ERRORS;
use outhaul_abi::loading::symbols::SYMBOLS;
use outhaul_abi::types::CUresult;

use crate::driver::state;
use crate::driver::system::error::Result;

/// Runs the body of an exported function and returns its CUDA result. Before `cuInit` that is
/// `NOT_INITIALIZED`, whatever else is wrong with the call.
pub fn enter(symbol: usize, body: impl FnOnce() -> Result<()>) -> CUresult {
    if is_too_early(symbol) {
        return note(symbol, CUresult::NOT_INITIALIZED);
    }
    if state::is_like_nvidias() && !CONTEXT_SWITCHES.contains(&SYMBOLS[symbol].name) {
        pass_current();
    }
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => CUresult::SUCCESS,
        Ok(Err(error)) => note(symbol, CUresult(error.code())),
        Err(_) => {
            log(symbol, "a defect of the software GPU");
            CUresult::UNKNOWN
        }
    }
}

/// Notes the error of a call, unless it is only `NOT_READY`, and returns it.
fn note(symbol: usize, code: CUresult) -> CUresult {
    if code != CUresult::NOT_READY {
        ERRORS.note(SYMBOLS[symbol].name, code);
    }
    code
}

/// Calls that do not use the current context, so that they never wait for its other calls.
const CONTEXT_SWITCHES: [&str; 2] = ["cuCtxSetCurrent", "cuCtxGetCurrent"];

fn pass_current() {
    let current = state::started().and_then(|driver| driver.slot(0).ok());
    if let Some(context) = current.and_then(|slot| slot.context().ok()) {
        context.pass();
    }
}

/// Returns `NOT_SUPPORTED` on behalf of every export that the software GPU does not support.
pub fn unsupported(symbol: usize) -> CUresult {
    if is_too_early(symbol) {
        return CUresult::NOT_INITIALIZED;
    }
    log(symbol, "not supported");
    CUresult::NOT_SUPPORTED
}

/// Returns whether a function is called before the `cuInit` that it needs. Its arguments may then
/// be anything.
fn is_too_early(symbol: usize) -> bool {
    !state::is_initialized() && !SYMBOLS[symbol].works_before_init()
}

fn log(symbol: usize, what: &str) {
    if let Some(driver) = state::started() {
        driver.log(&format!("{}: {what}", SYMBOLS[symbol].name));
    }
}
