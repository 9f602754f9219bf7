//! Kernels and functions. One lookup returns all facts about a function.

use crate::api::arguments::{CudaResult, put};
use crate::driver::contexts;
use crate::driver::state::driver;
use crate::objects::code::function::Function;
use crate::objects::code::kernel_facts::described;
use crate::objects::code::module::Module;
use crate::objects::context_stack;
use outhaul_abi::types::*;
use outhaul_wire::messages::{
    FunctionSetAttribute, FunctionSetCacheConfig, GetFunction, KernelGetFunction, NameFunction,
};
use std::ffi::{CStr, CString, c_char};
use std::sync::Arc;

const MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: i32 = 97;

/// Looks up a module's function or a library's kernel by name. Asks the node only if the module's
/// description lacks it.
pub fn lookup(module: &Module, name: &str) -> Result<Arc<Function>, CUresult> {
    if let Some(known) = module.functions.lock().get(name) {
        return Ok(known.clone());
    }
    let driver = driver()?;
    let c_name = CString::new(name).map_err(|_| CUresult::NOT_FOUND)?;
    let slab = if module.library { &driver.kernels } else { &driver.functions };
    // cudart looks up a library's kernels before it makes a context current.
    let target =
        if module.library { contexts::target_or_none()? } else { context_stack::target()? };
    let handle = slab.reserve_on(if module.library { 0 } else { target.session.number })?;
    let facts = match module.described.get(target, name) {
        Some(facts) => target
            .post(&NameFunction { module: module.handle, function: handle, name })
            .map(|()| Some(facts)),
        None => {
            let question = GetFunction { module: module.handle, function: handle, name };
            target.call(&question).and_then(|answer| answer.read(described))
        }
    };
    let devices = driver.facts.devices.len();
    let context = module.context.upgrade().map_or(0, |context| context.index);
    let function = facts
        .map(|facts| Function::new(handle, module.handle, context, c_name, target, facts, devices));
    let function = slab.fill(handle, function.inspect_err(|_| slab.release(handle))?);
    module.functions.lock().insert(name.to_owned(), function.clone());
    Ok(function)
}

/// Returns the function of a handle. First makes sure that the calling thread's node knows the
/// function.
pub fn function(handle: CUfunction) -> Result<Arc<Function>, CUresult> {
    driver()?.function(handle.0 as u64)
}

/// Returns the kernel of a handle. First makes sure that the calling thread's node knows the
/// kernel.
pub fn kernel(handle: CUkernel) -> Result<Arc<Function>, CUresult> {
    let kernel = driver()?.kernels.get(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)?;
    kernel.learn(contexts::target_or_none()?)?;
    Ok(kernel)
}

/// Returns the device of the current context.
pub fn current_device() -> Result<CUdevice, CUresult> {
    context_stack::with_current(|c| Ok(c.device))
}

/// Returns a module's function by name.
pub fn function_in(module: Arc<Module>, name: &CStr) -> Result<CUfunction, CUresult> {
    Ok(CUfunction(lookup(&module, &name.to_string_lossy())?.handle as usize))
}

/// Returns a library's kernel by name.
pub fn kernel_in(library: Arc<Module>, name: &CStr) -> Result<CUkernel, CUresult> {
    Ok(CUkernel(lookup(&library, &name.to_string_lossy())?.handle as usize))
}

/// Returns the current context's function of a kernel. Creates the function on the first call.
pub fn function_of(handle: CUkernel) -> Result<CUfunction, CUresult> {
    let driver = driver()?;
    let kernel = kernel(handle)?;
    let target = context_stack::target()?;
    let mut inner = kernel.inner.get(target);
    if driver.functions.get(inner).is_none() {
        let facts = kernel.facts()?.clone();
        inner = driver.functions.reserve_on(target.session.number)?;
        let (module, name) = (kernel.module, kernel.name.clone());
        let devices = driver.facts.devices.len();
        let context = target.context;
        let function = Function::new(inner, module, context, name, target, Some(facts), devices);
        driver.functions.fill(inner, function);
        target.post(&KernelGetFunction { kernel: kernel.handle, function: inner })?;
        kernel.inner.set(target, inner);
    }
    Ok(CUfunction(inner as usize))
}

pub unsafe fn cuFuncGetAttribute(
    value: *mut i32,
    what: CUfunction_attribute,
    handle: CUfunction,
) -> CudaResult {
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(value, function(handle)?.facts()?.attribute(what)?) }
}

pub unsafe fn cuKernelGetAttribute(
    value: *mut i32,
    what: CUfunction_attribute,
    handle: CUkernel,
    device: CUdevice,
) -> CudaResult {
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(value, kernel(handle)?.facts_on(device)?.attribute(what)?) }
}

/// Sets an attribute of a function on a device. Rejects values that the device does not support,
/// and posts only changes.
pub fn set_attribute(
    function: Arc<Function>,
    what: CUfunction_attribute,
    value: i32,
    device: CUdevice,
) -> CudaResult {
    let driver = driver()?;
    let limits = driver.facts.device(device)?;
    let facts = function.facts_on(device)?;
    if what == values::FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES {
        let fixed = facts.attribute(values::FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
        if value < 0
            || value.saturating_add(fixed) > limits.attribute(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?
        {
            return Err(CUresult::INVALID_VALUE);
        }
    }
    let width = values::FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
    if facts.cluster_is_compiled && (width..width + 3).contains(&what) {
        return Err(CUresult::INVALID_VALUE);
    }
    if !facts.set_attribute(what, value)? {
        return Ok(());
    }
    let message = FunctionSetAttribute {
        function: function.handle,
        attribute: what,
        value,
        device: limits.node_ordinal,
    };
    contexts::target_of_device(driver, device)?.post(&message)
}

/// Sets how a kernel prefers to divide a multiprocessor's memory between L1 cache and shared
/// memory.
pub fn set_cache_config(
    function: Arc<Function>,
    config: CUfunc_cache,
    device: CUdevice,
) -> CudaResult {
    let driver = driver()?;
    let message = FunctionSetCacheConfig {
        function: function.handle,
        config,
        device: driver.facts.device(device)?.node_ordinal,
    };
    let target = contexts::target_of_device(driver, device)?;
    function.learn(target)?;
    target.post(&message)
}

/// Ignores the configuration, because all current GPUs have memory banks of one width.
pub unsafe fn cuFuncSetSharedMemConfig(handle: CUfunction, _config: CUsharedconfig) -> CudaResult {
    function(handle).map(|_| ())
}

pub unsafe fn cuFuncGetName(out: *mut *const c_char, handle: CUfunction) -> CudaResult {
    // SAFETY: the program guarantees that `out` is null or valid for writes. The name lives as long
    // as the function.
    unsafe { put(out, function(handle)?.name.as_ptr()) }
}

pub unsafe fn cuKernelGetName(out: *mut *const c_char, handle: CUkernel) -> CudaResult {
    // SAFETY: the program guarantees that `out` is null or valid for writes. The name lives as long
    // as the kernel.
    unsafe { put(out, kernel(handle)?.name.as_ptr()) }
}

unsafe fn param_info(
    function: &Function,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> CudaResult {
    let (found_offset, found_size) =
        function.facts()?.params.get(index).ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: the program guarantees that both pointers are null or valid for writes.
    unsafe {
        put(offset, *found_offset as usize)?;
        if size.is_null() { Ok(()) } else { put(size, *found_size as usize) }
    }
}

pub unsafe fn cuFuncGetParamInfo(
    handle: CUfunction,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> CudaResult {
    // SAFETY: the program guarantees what `param_info` requires of `offset` and `size`.
    unsafe { param_info(&*function(handle)?, index, offset, size) }
}

pub unsafe fn cuKernelGetParamInfo(
    handle: CUkernel,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> CudaResult {
    // SAFETY: the program guarantees what `param_info` requires of `offset` and `size`.
    unsafe { param_info(&*kernel(handle)?, index, offset, size) }
}

pub unsafe fn cuKernelGetLibrary(out: *mut CUlibrary, handle: CUkernel) -> CudaResult {
    // SAFETY: the program's out-pointer for a handle.
    unsafe { put(out, CUlibrary(kernel(handle)?.module as usize)) }
}

/// Reports every function as loaded, because the worker loads a function when it is looked up.
pub unsafe fn cuFuncIsLoaded(state: *mut CUfunctionLoadingState, handle: CUfunction) -> CudaResult {
    const LOADED: i32 = 1;
    function(handle)?;
    // SAFETY: the program's out-pointer for a state.
    unsafe { put(state, LOADED) }
}

pub unsafe fn cuFuncLoad(handle: CUfunction) -> CudaResult {
    function(handle).map(|_| ())
}
