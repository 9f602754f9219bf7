//! Libraries: code that belongs to no context.

use crate::driver::objects::code::function::Tuning;
use crate::driver::objects::code::module::Module;
use crate::driver::system::error::{Error, Result};
use crate::engine::{self, Program};
use outhaul_lock::Mutex;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, OnceLock, Weak};

/// A `CUlibrary`.
pub struct Library {
    /// Handle.
    pub handle: u64,
    /// PTX texts.
    pub texts: Vec<String>,
    /// Parsed program.
    pub program: OnceLock<Result<Arc<Program>>>,
    /// Modules by context identifier, which is new for each life of a context.
    pub modules: Mutex<HashMap<u64, Weak<Module>>>,
    /// Managed variables, once they are placed.
    pub managed: OnceLock<Result<Managed>>,
    /// Handles of its kernels, by name.
    pub kernels: Mutex<HashMap<String, u64>>,
}

/// The managed variables of a library, which all contexts share: an instance with only these
/// variables, and their addresses.
#[derive(Clone)]
pub struct Managed {
    /// Instance with the managed variables.
    pub instance: Arc<engine::Instance>,
    /// Addresses of the variables.
    pub addresses: Vec<u64>,
}

/// A `CUkernel`.
pub struct Kernel {
    /// Library of the kernel.
    pub library: Arc<Library>,
    /// Compiled kernel.
    pub kernel: Arc<engine::Kernel>,
    /// Attributes that the program may set, by device.
    pub tuning: Vec<Arc<Tuning>>,
    /// Name.
    pub name: CString,
    /// Its functions by module handle.
    pub functions: Mutex<HashMap<u64, u64>>,
}

impl Kernel {
    /// Returns the attributes on a device.
    pub fn tuning(&self, device: i32) -> Result<&Arc<Tuning>> {
        usize::try_from(device)
            .ok()
            .and_then(|index| self.tuning.get(index))
            .ok_or(Error::InvalidDevice)
    }
}
