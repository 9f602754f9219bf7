//! Modules, libraries, kernels and functions with the facts that came when they were looked up. A CUkernel serves wherever a CUfunction does.

use crate::context::Context;
use crate::session::{Memo, call};
use outhaul_abi::types::{CUresult, values};
use outhaul_wire::messages::{DescribeFunction, ParamLayout};
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, Weak};

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
    /// Unknown while no context was current since it was looked up.
    facts: OnceLock<Facts>,
    /// The CUfunction of a CUkernel, once asked for.
    pub inner: AtomicU64,
    /// What was asked about it.
    pub memo: Memo,
}

pub struct Facts {
    /// Offset and size in bytes, by parameter.
    pub params: Arc<[(u32, u32)]>,
    attributes: Vec<AtomicI32>,
}

impl Facts {
    pub fn new(params: &[ParamLayout], attributes: Vec<i32>) -> Facts {
        let params = params.iter().map(|p| (p.offset_bytes, p.size_bytes)).collect();
        Facts { params, attributes: attributes.into_iter().map(AtomicI32::new).collect() }
    }

    pub fn attribute(&self, id: i32) -> Result<i32, CUresult> {
        let value = usize::try_from(id).ok().and_then(|i| self.attributes.get(i)).map(|v| v.load(Relaxed));
        value.filter(|v| *v != NO_ATTRIBUTE).ok_or(CUresult::INVALID_VALUE)
    }

    /// All values, as a part of questions whose answers depend on them.
    pub fn attribute_bytes(&self) -> Vec<u8> {
        self.attributes.iter().flat_map(|v| v.load(Relaxed).to_le_bytes()).collect()
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

impl Clone for Facts {
    fn clone(&self) -> Facts {
        Facts { params: self.params.clone(), attributes: self.attributes.iter().map(|v| v.load(Relaxed).into()).collect() }
    }
}

impl Function {
    pub fn new(handle: u64, module: u64, name: CString, facts: Option<Facts>) -> Function {
        Function {
            handle,
            module,
            name,
            facts: facts.map_or_else(OnceLock::new, OnceLock::from),
            inner: AtomicU64::new(0),
            memo: Memo::default(),
        }
    }

    /// Asked for once, in a context.
    pub fn facts(&self) -> Result<&Facts, CUresult> {
        if let Some(facts) = self.facts.get() {
            return Ok(facts);
        }
        let found = call(&DescribeFunction { function: self.handle }, |reply| Ok(Facts::new(&reply.params.0, reply.attributes.0)))?;
        Ok(self.facts.get_or_init(|| found))
    }
}

impl Module {
    pub fn new(handle: u64, context: Weak<Context>, library: bool) -> Module {
        Module { handle, context, library, inner: AtomicU64::new(0), functions: Mutex::default(), globals: Mutex::default() }
    }
}
