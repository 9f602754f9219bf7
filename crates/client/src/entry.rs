//! The boundary between the program and this library: every exported function passes through it,
//! and no panic leaves it.

pub mod legacy_abi;

use crate::base::{log, stats};
use crate::objects::streams::sync_copy_policy;
use outhaul_abi::error_log::ERRORS;
use outhaul_abi::loading::symbols::SYMBOLS;
use outhaul_abi::types::CUresult;
use outhaul_lock::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Name of a function whose failure means only that a table does not exist. Runtimes expect that.
const TABLE_LOOKUP: &str = "cuGetExportTable";

/// Runs the body of the symbol at this row of the table.
pub fn enter(symbol: usize, body: impl FnOnce() -> Result<(), CUresult>) -> CUresult {
    stats::entered(symbol);
    sync_copy_policy::note_thread();
    stats::spending(symbol, || guard(SYMBOLS[symbol].name, body))
}

/// Runs the body of an exported function.
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

/// Reports a function that is not implemented. It is named once, so that a program's failure can be
/// traced to it.
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
    CUresult::NOT_SUPPORTED
}
