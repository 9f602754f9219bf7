//! Planning without the interpreter's lock, which other threads want meanwhile, and with an ear for
//! Ctrl-C.

use crate::error::refused;
use outhaul_dag::Error;
use pyo3::prelude::*;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

/// How long a signal may wait; asking more often would wait for other threads more often.
const SIGNALS_AFTER: Duration = Duration::from_millis(50);

/// Does `work`, which asks now and then whether to give up: it does once a signal's handler has
/// raised.
///
/// # Errors
/// What the handler raised (KeyboardInterrupt), else what `work` refused.
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
