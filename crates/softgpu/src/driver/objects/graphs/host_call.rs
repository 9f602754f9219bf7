//! Host functions of the program as tasks.

use crate::driver::system::host_function;
use std::ffi::c_void;

/// A host function of the program and its argument.
#[derive(Clone, Copy)]
pub struct HostCall {
    /// The function.
    pub function: unsafe extern "C" fn(*mut c_void),
    /// The argument's address. A number, because a pointer is not `Send`.
    pub data: u64,
}

impl HostCall {
    /// Calls the function.
    pub fn run(&self) {
        // SAFETY: the program guarantees that the function accepts its own data.
        host_function::in_host_function(|| unsafe {
            (self.function)(std::ptr::with_exposed_provenance_mut(self.data as usize))
        });
    }
}
