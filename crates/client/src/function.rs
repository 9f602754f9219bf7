//! Modules, libraries, kernels and functions with the facts that came when they were looked up. A CUkernel serves wherever a CUfunction does.

use crate::context::Context;
use outhaul_abi::types::{CUresult, values};
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, Weak};

/// Stands for an attribute that the node's driver does not know.
const NO_ATTRIBUTE: i32 = i32::MIN;

/// A CUmodule or a CUlibrary. A library belongs to no context.
pub struct Module {
    pub handle: u64,
    pub context: Weak<Context>,
    pub library: bool,
    /// The CUmodule of a library, once asked for.
    pub inner: AtomicU64,
    /// Kernels and variables that were looked up, by name.
    pub functions: Mutex<HashMap<String, Arc<Function>>>,
    pub globals: Mutex<HashMap<String, (u64, u64)>>,
}

/// A CUfunction or a CUkernel.
pub struct Function {
    pub handle: u64,
    pub module: u64,
    pub name: CString,
    pub params: Arc<[(u32, u32)]>,
    attributes: Vec<AtomicI32>,
    /// The CUfunction of a CUkernel, once asked for.
    pub inner: AtomicU64,
}

impl Function {
    pub fn new(handle: u64, module: u64, name: CString, params: Arc<[(u32, u32)]>, attributes: Vec<i32>) -> Function {
        let attributes = attributes.into_iter().map(AtomicI32::new).collect();
        Function { handle, module, name, params, attributes, inner: AtomicU64::new(0) }
    }

    pub fn attribute(&self, id: i32) -> Result<i32, CUresult> {
        let value = usize::try_from(id).ok().and_then(|i| self.attributes.get(i)).map(|v| v.load(Relaxed));
        value.filter(|v| *v != NO_ATTRIBUTE).ok_or(CUresult::INVALID_VALUE)
    }

    pub fn attributes(&self) -> Vec<i32> {
        self.attributes.iter().map(|v| v.load(Relaxed)).collect()
    }

    /// True if the value changed.
    pub fn set_attribute(&self, id: i32, value: i32) -> Result<bool, CUresult> {
        let place = usize::try_from(id).ok().and_then(|i| self.attributes.get(i)).ok_or(CUresult::INVALID_VALUE)?;
        Ok(place.swap(value, Relaxed) != value)
    }

    pub fn param_bytes(&self) -> usize {
        self.params.iter().map(|(offset, size)| (offset + size) as usize).max().unwrap_or(0)
    }

    /// Shared memory that a launch may ask for beside what the kernel declares.
    pub fn dynamic_shared_bytes_max(&self) -> u32 {
        self.attribute(values::FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES).map_or(u32::MAX, |v| v as u32)
    }

    pub fn threads_per_block_max(&self) -> u32 {
        self.attribute(values::FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK).map_or(u32::MAX, |v| v as u32)
    }
}

impl Module {
    pub fn new(handle: u64, context: Weak<Context>, library: bool) -> Module {
        Module { handle, context, library, inner: AtomicU64::new(0), functions: Mutex::default(), globals: Mutex::default() }
    }
}
