//! Modules: programs whose variables have memory in one context.

use crate::driver::system::error::{Error, Result};
use crate::engine::{self, Program};
use outhaul_lock::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// A `CUmodule`.
pub struct Module {
    /// The module's handle.
    pub handle: u64,
    /// Handle of the context into which the module is loaded.
    pub context: u64,
    /// Handle of the module's library, or 0 if the module was loaded directly.
    pub library: u64,
    /// The parsed program.
    pub program: Arc<Program>,
    /// The program with the addresses of its variables.
    pub instance: engine::Instance,
    /// Address and range identifier of each variable.
    pub variables: Vec<(u64, u64)>,
    /// Frees variables, each by address and range identifier.
    pub free: fn(&[(u64, u64)]),
    /// The module's function handles, by name.
    pub functions: Mutex<HashMap<String, u64>>,
}

impl Drop for Module {
    fn drop(&mut self) {
        (self.free)(&self.variables);
    }
}

impl Module {
    /// Returns a global variable's address and size.
    pub fn global(&self, name: &str) -> Result<(u64, u64)> {
        let (address, bytes) = self.instance.global(name).ok_or(Error::NotFound)?;
        Ok((address.expose_provenance() as u64, bytes))
    }
}
