//! Modules: a program with its variables placed in the memory of one context.

use crate::driver::system::error::{Error, Result};
use crate::engine::{self, Program};
use outhaul_lock::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// A `CUmodule`.
pub struct Module {
    /// Handle.
    pub handle: u64,
    /// Handle of the context in which it is loaded.
    pub context: u64,
    /// Handle of its library, or 0 if it was loaded by itself.
    pub library: u64,
    /// Parsed program.
    pub program: Arc<Program>,
    /// Program with the addresses of its variables.
    pub instance: engine::Instance,
    /// Address and range identifier of each variable.
    pub variables: Vec<(u64, u64)>,
    /// Frees variables, each by address and range identifier.
    pub free: fn(&[(u64, u64)]),
    /// Handles of its functions, by name.
    pub functions: Mutex<HashMap<String, u64>>,
}

impl Drop for Module {
    fn drop(&mut self) {
        (self.free)(&self.variables);
    }
}

impl Module {
    /// Returns address and size of a global variable.
    pub fn global(&self, name: &str) -> Result<(u64, u64)> {
        let (address, bytes) = self.instance.global(name).ok_or(Error::NotFound)?;
        Ok((address.expose_provenance() as u64, bytes))
    }
}
