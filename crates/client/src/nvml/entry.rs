//! The boundary between the program and NVML. Every exported function passes through this module,
//! and no panic leaves it. Before nvmlInit, functions fail.

use crate::base::{log, stats};
use crate::driver::state::Driver;
use crate::session::pending_error::LOST;
use crate::sessions;
use outhaul_abi::nvml::nvmlReturn_t;
use outhaul_abi::types::CUresult;
use outhaul_lock::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// Result of an NVML function.
pub type CudaResult = Result<(), nvmlReturn_t>;

/// Number of nvmlInit calls without a matching nvmlShutdown.
static INITIALIZED: AtomicU32 = AtomicU32::new(0);

/// Runs `body`, the implementation of the exported function `name`. Logs an error that it returns,
/// and turns a panic into `UNKNOWN`.
pub fn enter(name: &str, body: impl FnOnce() -> CudaResult) -> nvmlReturn_t {
    stats::entered(stats::NVML);
    match stats::spending(stats::NVML, || catch_unwind(AssertUnwindSafe(body))) {
        Ok(result) => {
            if let Err(code) = result
                && code != nvmlReturn_t::INSUFFICIENT_SIZE
            {
                log::note(|| format!("{name}: {code:?}"));
            }
            result.into()
        }
        Err(_) => {
            log::warn(&format!("{name} failed inside the client library; please report this"));
            nvmlReturn_t::UNKNOWN
        }
    }
}

/// Reports that the program called a function that is not implemented. Logs each function only
/// once.
pub fn unsupported(name: &'static str) -> nvmlReturn_t {
    static REPORTED: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let mut reported = REPORTED.lock();
    if !reported.contains(&name) {
        reported.push(name);
        log::note(|| format!("the program called {name}, which is not supported remotely"));
    }
    drop(reported);
    enter_initialized().and(Err(nvmlReturn_t::NOT_SUPPORTED)).into()
}

fn enter_initialized() -> CudaResult {
    if INITIALIZED.load(SeqCst) == 0 { Err(nvmlReturn_t::UNINITIALIZED) } else { Ok(()) }
}

/// Returns the driver. Fails unless the program has called nvmlInit. In a forked child, opens the
/// child's own sessions.
pub fn driver() -> Result<&'static Driver, nvmlReturn_t> {
    enter_initialized()?;
    sessions::connect().map_err(|_| nvmlReturn_t::DRIVER_NOT_LOADED)
}

/// Implements nvmlInit.
pub fn initialize() -> CudaResult {
    sessions::connect().map_err(|_| nvmlReturn_t::DRIVER_NOT_LOADED)?;
    INITIALIZED.fetch_add(1, SeqCst);
    Ok(())
}

/// Implements nvmlShutdown. The sessions stay open, because CUDA may be using them.
pub fn shut_down() -> CudaResult {
    let taken = INITIALIZED.try_update(SeqCst, SeqCst, |count| count.checked_sub(1));
    taken.map(|_| ()).map_err(|_| nvmlReturn_t::UNINITIALIZED)
}

/// Returns NVML's code for an error of a call to the worker.
pub fn code_of(error: CUresult) -> nvmlReturn_t {
    match error {
        CUresult::NOT_SUPPORTED => nvmlReturn_t::NOT_SUPPORTED,
        LOST => nvmlReturn_t::GPU_IS_LOST,
        _ => nvmlReturn_t::UNKNOWN,
    }
}

/// Writes `value` through the program's pointer. Rejects a null pointer.
///
/// # Safety
/// `place` is null or valid for writes of a `T`.
pub unsafe fn put<T>(place: *mut T, value: T) -> CudaResult {
    if place.is_null() {
        return Err(nvmlReturn_t::INVALID_ARGUMENT);
    }
    // SAFETY: checked for null; the caller guarantees that `place` is valid for writes.
    unsafe { place.write(value) };
    Ok(())
}

/// Writes a text and a terminating NUL. Fails if `buffer` is null or too short.
///
/// # Safety
/// `buffer` is null or valid for writes of `length` bytes.
pub unsafe fn put_text(buffer: *mut std::ffi::c_char, length: u32, text: &str) -> CudaResult {
    if buffer.is_null() {
        return Err(nvmlReturn_t::INVALID_ARGUMENT);
    }
    if text.len() >= length as usize {
        return Err(nvmlReturn_t::INSUFFICIENT_SIZE);
    }
    // SAFETY: checked for null; the text and its NUL fit in `length` bytes, for which the caller
    // guarantees that `buffer` is valid.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), text.len());
        buffer.add(text.len()).write(0);
    }
    Ok(())
}
