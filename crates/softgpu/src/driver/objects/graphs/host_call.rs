//! A function of the program as a task.

use crate::driver::system::host_function;
use std::ffi::c_void;

/// A function of the program, with its argument.
#[derive(Clone, Copy)]
pub struct HostCall {
    /// Function.
    pub function: unsafe extern "C" fn(*mut c_void),
    /// Address of the argument, because a pointer is not `Send`.
    pub data: u64,
}

impl HostCall {
    /// Calls the function.
    pub fn run(&self) {
        // SAFETY: the program promises that the function takes its own data.
        host_function::in_host_function(|| unsafe {
            (self.function)(std::ptr::with_exposed_provenance_mut(self.data as usize))
        });
    }
}
