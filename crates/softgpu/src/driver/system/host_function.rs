//! Tracks whether a thread runs a host function of the program, in which CUDA allows no calls.

use std::cell::Cell;

thread_local! {
    static IN_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

/// Runs a host function of the program, in which CUDA allows no calls.
pub fn in_host_function(function: impl FnOnce()) {
    IN_HOST_FUNCTION.set(true);
    function();
    IN_HOST_FUNCTION.set(false);
}

/// Returns whether the calling thread runs a host function.
pub fn is_running() -> bool {
    IN_HOST_FUNCTION.get()
}
