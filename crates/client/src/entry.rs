//! The boundary between the program and this library: every exported function passes through it,
//! and no panic leaves it.

pub mod legacy_abi;

use crate::base::{log, stats};
use crate::driver::state::driver;
use crate::objects::streams::sync_copy_policy;
use outhaul_abi::error_log::ERRORS;
use outhaul_abi::loading::symbols::SYMBOLS;
use outhaul_abi::types::CUresult;
use outhaul_lock::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Name of the table lookup function. Its failure means only that a table does not exist, which
/// CUDA runtimes expect.
const TABLE_LOOKUP: &str = "cuGetExportTable";

/// Runs `body`, the implementation of the exported function in row `symbol` of `SYMBOLS`. Counts
/// the call and its duration. Before `cuInit` the result is `NOT_INITIALIZED`, whatever else is
/// wrong with the call.
pub fn enter(symbol: usize, body: impl FnOnce() -> Result<(), CUresult>) -> CUresult {
    stats::entered(symbol);
    sync_copy_policy::note_thread();
    let name = SYMBOLS[symbol].name;
    stats::spending(symbol, || guard(name, || check_initialized(symbol).and_then(|()| body())))
}

/// Fails if a function is called before the `cuInit` that it needs. Its arguments may then be
/// anything.
fn check_initialized(symbol: usize) -> Result<(), CUresult> {
    if driver().is_ok() || SYMBOLS[symbol].works_before_init() {
        return Ok(());
    }
    Err(CUresult::NOT_INITIALIZED)
}

/// Runs `body`, the implementation of the exported function `name`. Logs an error that it returns,
/// and turns a panic into `UNKNOWN`.
pub fn guard(name: &str, body: impl FnOnce() -> Result<(), CUresult>) -> CUresult {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => {
            if let Err(code) = result
                && code != CUresult::NOT_READY
            {
                if name != TABLE_LOOKUP || log::names_all() {
                    log::note(|| format!("{name}: {code}"));
                }
                ERRORS.note(name, code);
            }
            result.into()
        }
        Err(_) => {
            log::warn(&format!("{name} failed inside the client library; please report this"));
            CUresult::UNKNOWN
        }
    }
}

/// Reports that the program called a function that is not implemented. Logs each function only
/// once, so that a program's failure can be traced to it.
pub fn unsupported(symbol: usize) -> CUresult {
    static REPORTED: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    stats::entered(symbol);
    let mut reported = REPORTED.lock();
    if !reported.contains(&symbol) {
        reported.push(symbol);
        log::note(|| {
            format!(
                "the program called {}, which is not supported remotely yet",
                SYMBOLS[symbol].name
            )
        });
    }
    check_initialized(symbol).err().unwrap_or(CUresult::NOT_SUPPORTED)
}
