//! Planning that Ctrl-C can interrupt, without the interpreter's lock, so that other threads can
//! run.

use crate::error::refused;
use outhaul_dag::Error;
use pyo3::prelude::*;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// The interval between checks for signals. Each check waits for the interpreter's lock, so more
/// frequent checks would cost more.
const SIGNALS_AFTER: Duration = Duration::from_millis(50);

/// Runs `work` without the interpreter's lock. The function that `work` gets returns true once a
/// signal handler has raised an exception; `work` then stops.
///
/// # Errors
/// The exception that the handler raised (KeyboardInterrupt), or the error of `work`.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&dyn Fn() -> bool) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let (done, raised) = py.detach(|| {
        let raised = RefCell::new(None);
        let asked = Cell::new(Instant::now());
        let interrupted = || {
            if asked.get().elapsed() >= SIGNALS_AFTER {
                *raised.borrow_mut() = Python::attach(|py| py.check_signals()).err();
                asked.set(Instant::now());
            }
            raised.borrow().is_some()
        };
        let done = work(&interrupted);
        (done, raised.into_inner())
    });
    raised.map_or(done.map_err(refused), Err)
}
