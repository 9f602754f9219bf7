//! The boundary between C and this crate. Every exported function enters here, and only this module
//! converts errors to CUDA's numbers. No panic leaves the module.

use std::panic::{AssertUnwindSafe, catch_unwind};

use outhaul_abi::error_log::ERRORS;
use outhaul_abi::loading::symbols::SYMBOLS;
use outhaul_abi::types::CUresult;

use crate::driver::state;
use crate::driver::system::error::Result;

/// Runs the body of an exported function and returns its CUDA result.
pub fn enter(symbol: usize, body: impl FnOnce() -> Result<()>) -> CUresult {
    if state::is_like_nvidias() && !CONTEXT_SWITCHES.contains(&SYMBOLS[symbol].name) {
        pass_current();
    }
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => CUresult::SUCCESS,
        Ok(Err(error)) => {
            let code = code_before_init(SYMBOLS[symbol].name, CUresult(error.code()));
            if code != CUresult::NOT_READY {
                ERRORS.note(SYMBOLS[symbol].name, code);
            }
            code
        }
        Err(_) => {
            log(symbol, "a defect of the software GPU");
            CUresult::UNKNOWN
        }
    }
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
    log(symbol, "not supported");
    code_before_init(SYMBOLS[symbol].name, CUresult::NOT_SUPPORTED)
}

/// Functions whose errors are the same before `cuInit` as after it.
const WORK_BEFORE_INIT: [&str; 7] = [
    "cuInit",
    "cuDriverGetVersion",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuGetExportTable",
    "cuGetProcAddress",
    "cuGetProcAddress_v2",
];

/// Returns the code of a failed call. Before `cuInit` that is `NOT_INITIALIZED`, whatever else is
/// wrong with the call.
fn code_before_init(name: &str, code: CUresult) -> CUresult {
    if state::started().is_some() || WORK_BEFORE_INIT.contains(&name) {
        return code;
    }
    CUresult::NOT_INITIALIZED
}

fn log(symbol: usize, what: &str) {
    if let Some(driver) = state::started() {
        driver.log(&format!("{}: {what}", SYMBOLS[symbol].name));
    }
}
