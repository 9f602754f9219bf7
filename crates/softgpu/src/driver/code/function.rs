//! Finds functions by their handles.

use crate::driver::objects::code::function::Function;
use crate::driver::state::Driver;
use crate::driver::system::error::{Error, Result};
use std::sync::Arc;

impl Driver {
    /// Returns the function with the given handle. Runtimes pass library kernels in place of
    /// functions, so a kernel's handle means its function in the current context.
    pub fn function(&self, handle: u64) -> Result<Arc<Function>> {
        if let Some(function) = self.functions.get(handle) {
            return Ok(function);
        }
        let kernel = self.kernels.get(handle).ok_or(Error::InvalidHandle)?;
        let function = self.kernel_function(&kernel)?;
        self.functions.get(function).ok_or(Error::InvalidHandle)
    }
}
