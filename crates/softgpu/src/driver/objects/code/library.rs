//! Libraries: code that does not belong to a context.

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
    /// The library's handle.
    pub handle: u64,
    /// PTX texts.
    pub texts: Vec<String>,
    /// The parsed program.
    pub program: OnceLock<Result<Arc<Program>>>,
    /// Modules by context identifier. Each life of a context has a new identifier.
    pub modules: Mutex<HashMap<u64, Weak<Module>>>,
    /// Managed variables, once memory for them is allocated.
    pub managed: OnceLock<Result<Managed>>,
    /// The library's kernel handles, by name.
    pub kernels: Mutex<HashMap<String, u64>>,
}

/// A library's managed variables, which all contexts share: an instance with only these variables,
/// and their addresses.
#[derive(Clone)]
pub struct Managed {
    /// Instance with the managed variables only.
    pub instance: Arc<engine::Instance>,
    /// Addresses of the variables.
    pub addresses: Vec<u64>,
}

/// A `CUkernel`.
pub struct Kernel {
    /// The kernel's library.
    pub library: Arc<Library>,
    /// The compiled kernel.
    pub kernel: Arc<engine::Kernel>,
    /// Attributes that the program may set, one set per device.
    pub tuning: Vec<Arc<Tuning>>,
    /// The kernel's name.
    pub name: CString,
    /// The kernel's function handles, by module handle.
    pub functions: Mutex<HashMap<u64, u64>>,
}

impl Kernel {
    /// Returns the attributes for a device.
    pub fn tuning(&self, device: i32) -> Result<&Arc<Tuning>> {
        usize::try_from(device)
            .ok()
            .and_then(|index| self.tuning.get(index))
            .ok_or(Error::InvalidDevice)
    }
}
