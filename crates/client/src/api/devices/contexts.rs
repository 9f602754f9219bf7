//! Contexts, including primary contexts.

use crate::api::arguments::{CudaResult, put};
use crate::driver::code::images;
use crate::driver::contexts;
use crate::driver::memory::context_synchronize;
use crate::driver::memory::free;
use crate::driver::state::{Driver, driver};
use crate::entry::legacy_abi;
use crate::marshal;
use crate::objects::context;
use crate::objects::context::{Context, Kinship, Primary};
use crate::objects::context_stack;
use crate::objects::context_stack::{call, post};
use crate::objects::device_facts::attribute;
use crate::objects::streams::sync_copy_policy;
use outhaul_abi::code::frameworks;
use outhaul_abi::export_tables::export_table;
use outhaul_abi::types::*;
use outhaul_lock::MutexGuard;
use outhaul_wire::messages::{ContextCreate, ContextDestroy, ContextGetLimit, ContextSetLimit};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

const FLAGS_KNOWN: u32 = 0x3FF;

fn primary(driver: &Driver, device: CUdevice) -> Result<MutexGuard<'_, Primary>, CUresult> {
    driver.facts.device(device)?;
    Ok(driver.primaries[device as usize].lock())
}

/// Locks a primary context as `primary` does, but first waits until no other thread is taking it
/// down. Taking a context down can call the program, which may retain the context again.
fn primary_after_teardown(
    driver: &Driver,
    device: CUdevice,
) -> Result<MutexGuard<'_, Primary>, CUresult> {
    let mut primary = primary(driver, device)?;
    while primary.going.is_some_and(|thread| thread != std::thread::current().id()) {
        let gone = primary.gone.clone();
        primary = gone.wait(primary);
    }
    Ok(primary)
}

fn deactivate(driver: &Driver, mut primary: MutexGuard<'_, Primary>) -> CudaResult {
    primary.active = false;
    // The context may still be current in threads. Their calls fail from now on.
    primary.context.destroyed.store(true, Relaxed);
    let before = primary.going.replace(std::thread::current().id());
    let context = primary.context.clone();
    drop(primary);
    let result = take_down(driver, &context);
    let mut primary = self::primary(driver, context.device)?;
    primary.going = before;
    primary.gone.notify_all();
    result
}

fn activate(primary: &mut Primary) -> CudaResult {
    if primary.active {
        return Ok(());
    }
    let context = &primary.context;
    let device = driver()?.facts.on_node(context.device)?;
    context.flags.store(primary.flags, Relaxed);
    context.target().post(&ContextCreate {
        context: context.handle,
        device,
        flags: primary.flags,
        primary: true,
    })?;
    sync_copy_policy::note_context();
    if images::has_software_gpu() {
        frameworks::warn_of_loaded();
    }
    primary.active = true;
    context.destroyed.store(false, Relaxed);
    Ok(())
}

/// Retains a device's primary context.
pub fn retain(device: CUdevice) -> Result<CUcontext, CUresult> {
    let mut primary = primary_after_teardown(driver()?, device)?;
    activate(&mut primary)?;
    primary.retained += 1;
    Ok(primary.context.abi())
}

/// Releases a device's primary context. The last release ends the context.
pub fn release(device: CUdevice) -> CudaResult {
    let driver = driver()?;
    let mut primary = primary_after_teardown(driver, device)?;
    if primary.retained == 0 {
        return Err(CUresult::INVALID_CONTEXT);
    }
    primary.retained -= 1;
    if primary.retained > 0 || !primary.active {
        return Ok(());
    }
    deactivate(driver, primary)
}

/// Ends a device's primary context. The program's references to the context remain.
pub fn reset(device: CUdevice) -> CudaResult {
    let driver = driver()?;
    let primary = primary_after_teardown(driver, device)?;
    if !primary.active {
        return Ok(());
    }
    deactivate(driver, primary)
}

/// Releases everything that belongs to a context. A fault stays with the process, as with a local
/// driver.
pub(in crate::api) fn take_down(driver: &Driver, context: &Arc<Context>) -> CudaResult {
    export_table::context_destroyed(context.abi());
    if context.session.deferred.is_lost() {
        return Ok(());
    }
    driver.internode_copies.wait_until_unused(0, u64::MAX);
    for address in free::of_context(driver, context) {
        let _ = crate::api::memory::managed::forget(driver, address);
    }
    crate::api::memory::host::forget_all(driver, context.handle);
    free::free_context(driver, context);
    context.limits.lock().clear();
    let weak = Arc::downgrade(context);
    for stream in driver.streams.all().into_iter().filter(|s| s.context.ptr_eq(&weak)) {
        driver.streams.remove(stream.handle);
        if let Some(capture) = driver.captures.end(stream.handle)
            && !capture.into
        {
            driver.graphs.remove(capture.graph);
        }
    }
    crate::api::streams::event::forget_all(driver, context.target());
    crate::driver::handles::forget_arrays(driver, &weak);
    driver.textures.forget_all(context.index);
    for module in driver.modules.all().into_iter().filter(|m| m.context.ptr_eq(&weak)) {
        crate::api::code::module::forget(driver, &module);
    }
    for library in driver.libraries.all().into_iter().filter(|m| m.context.ptr_eq(&weak)) {
        crate::api::code::module::forget(driver, &library);
    }
    context.target().post(&ContextDestroy { context: context.handle })?;
    free::context_gone(driver, context);
    Ok(())
}

pub unsafe fn cuDevicePrimaryCtxSetFlags_v2(device: CUdevice, flags: u32) -> CudaResult {
    if flags & !FLAGS_KNOWN != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let mut primary = primary(driver()?, device)?;
    primary.flags = flags;
    primary.context.flags.store(flags, Relaxed);
    Ok(())
}

pub unsafe fn cuDevicePrimaryCtxSetFlags(device: CUdevice, flags: u32) -> CudaResult {
    // SAFETY: takes no pointers.
    unsafe { cuDevicePrimaryCtxSetFlags_v2(device, flags) }
}

pub unsafe fn cuDevicePrimaryCtxGetState(
    device: CUdevice,
    flags: *mut u32,
    active: *mut i32,
) -> CudaResult {
    let primary = primary(driver()?, device)?;
    // SAFETY: the program's out-pointers for numbers.
    unsafe {
        put(flags, primary.flags)?;
        put(active, i32::from(primary.active))
    }
}

fn new(flags: u32, device: CUdevice) -> Result<Arc<Context>, CUresult> {
    let driver = driver()?;
    let on_node = driver.facts.on_node(device)?;
    if flags & !FLAGS_KNOWN != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let context = driver.new_context(device, Kinship::Own, flags)?;
    context.target().post(&ContextCreate {
        context: context.handle,
        device: on_node,
        flags,
        primary: false,
    })?;
    sync_copy_policy::note_context();
    context_stack::push(context.clone());
    Ok(context)
}

/// Creates a context and makes it current.
pub fn create(flags: u32, device: CUdevice) -> Result<CUcontext, CUresult> {
    Ok(new(flags, device)?.abi())
}

/// Creates a context for the API with 32-bit sizes, whose allocations have addresses below 4 GiB.
pub fn create_narrow(flags: u32, device: CUdevice) -> Result<CUcontext, CUresult> {
    let context = new(flags, device)?;
    context.api_version.store(context::API_VERSION_NARROW, Relaxed);
    legacy_abi::note_narrow();
    Ok(context.abi())
}

pub unsafe fn cuCtxCreate_v3(
    out: *mut CUcontext,
    _params: *mut CUexecAffinityParam,
    count: i32,
    flags: u32,
    device: CUdevice,
) -> CudaResult {
    if count != 0 {
        return Err(CUresult::UNSUPPORTED_EXEC_AFFINITY);
    }
    marshal::not_null(out)?;
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, create(flags, device)?) }
}

pub unsafe fn cuCtxCreate_v4(
    out: *mut CUcontext,
    params: *mut CUctxCreateParams,
    flags: u32,
    device: CUdevice,
) -> CudaResult {
    // SAFETY: the program guarantees that `params` is null or valid for reads.
    if let Some(params) = unsafe { params.as_ref() }
        && (params.numExecAffinityParams != 0 || !params.cigParams.is_null())
    {
        return Err(CUresult::UNSUPPORTED_EXEC_AFFINITY);
    }
    marshal::not_null(out)?;
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, create(flags, device)?) }
}

/// Destroys a context that the program created.
pub fn destroy(handle: CUcontext) -> CudaResult {
    let driver = driver()?;
    let context = contexts::resolve(handle)?;
    if context.primary || context.is_green {
        return Err(CUresult::INVALID_CONTEXT);
    }
    if context_stack::current_handle() == handle {
        context_stack::pop()?;
    }
    context.destroyed.store(true, Relaxed);
    let result = take_down(driver, &context);
    driver.contexts.remove(context.handle);
    result
}

/// Returns the current context. Rejects flags, because CUDA defines none.
pub fn attach(flags: u32) -> Result<CUcontext, CUresult> {
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok(context_stack::current()?.abi())
}

pub unsafe fn cuCtxPushCurrent_v2(handle: CUcontext) -> CudaResult {
    context_stack::push(contexts::resolve(handle)?);
    Ok(())
}

pub unsafe fn cuCtxPopCurrent_v2(out: *mut CUcontext) -> CudaResult {
    driver()?;
    let popped = context_stack::pop()?;
    if !out.is_null() {
        // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
        unsafe { out.write(popped.abi()) };
    }
    Ok(())
}

pub unsafe fn cuCtxSetCurrent(handle: CUcontext) -> CudaResult {
    driver()?;
    context_stack::set_current(if handle.is_null() {
        None
    } else {
        Some(contexts::resolve(handle)?)
    });
    Ok(())
}

pub unsafe fn cuCtxGetCurrent(out: *mut CUcontext) -> CudaResult {
    driver()?;
    // SAFETY: the program's out-pointer for a handle.
    unsafe { put(out, context_stack::current_handle()) }
}

pub unsafe fn cuCtxGetDevice(device: *mut CUdevice) -> CudaResult {
    driver()?;
    // SAFETY: the program's out-pointer for an ordinal.
    unsafe { put(device, context_stack::device()?) }
}

pub unsafe fn cuCtxGetDevice_v2(device: *mut CUdevice, handle: CUcontext) -> CudaResult {
    driver()?;
    let ordinal =
        if handle.is_null() { context_stack::device()? } else { contexts::resolve(handle)?.device };
    // SAFETY: the program's out-pointer for an ordinal.
    unsafe { put(device, ordinal) }
}

pub unsafe fn cuCtxGetFlags(flags: *mut u32) -> CudaResult {
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(flags, context_stack::current()?.flags.load(Relaxed)) }
}

/// Sets the flags of the current context.
pub fn set_flags(flags: u32) -> CudaResult {
    context_stack::current()?.flags.store(flags, Relaxed);
    Ok(())
}

pub unsafe fn cuCtxGetId(handle: CUcontext, id: *mut u64) -> CudaResult {
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(id, contexts::resolve_or_current(handle)?.id) }
}

pub unsafe fn cuCtxGetApiVersion(handle: CUcontext, version: *mut u32) -> CudaResult {
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(version, contexts::resolve_or_current(handle)?.api_version.load(Relaxed)) }
}

pub unsafe fn cuCtxGetSharedMemConfig(config: *mut CUsharedconfig) -> CudaResult {
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(config, context_stack::current()?.shared_config.load(Relaxed)) }
}

/// Only remembers the configuration, because all current GPUs have memory banks of one width.
pub unsafe fn cuCtxSetSharedMemConfig(config: CUsharedconfig) -> CudaResult {
    context_stack::current()?.shared_config.store(config, Relaxed);
    Ok(())
}

/// Reports all of the device's multiprocessors, because a context is never limited to some of them.
pub unsafe fn cuCtxGetExecAffinity(
    out: *mut CUexecAffinityParam,
    kind: CUexecAffinityType,
) -> CudaResult {
    if out.is_null() || kind != values::EXEC_AFFINITY_TYPE_SM_COUNT {
        return Err(CUresult::INVALID_VALUE);
    }
    let device = driver()?.facts.device(context_stack::with_current(|c| Ok(c.device))?)?;
    let smCount = device.attribute(attribute::MULTIPROCESSOR_COUNT)? as u32;
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, CUexecAffinityParam { type_: kind, smCount }) }
}

/// Only checks the arguments, because no device but the GPU writes GPU memory.
pub unsafe fn cuFlushGPUDirectRDMAWrites(target: i32, scope: i32) -> CudaResult {
    context_stack::current()?;
    let known =
        target == 0 && matches!(scope, values::FLUSH_TO_OWNER | values::FLUSH_TO_ALL_DEVICES);
    if known { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}

/// Waits for the current context's work.
pub fn synchronize() -> CudaResult {
    context_synchronize::synchronize(driver()?, &context_stack::current()?)
}

/// Waits for a context's work.
pub fn synchronize_one(context: Arc<Context>) -> CudaResult {
    let driver = driver()?;
    context_stack::within(context.clone(), || context_synchronize::synchronize(driver, &context))
}

/// Returns a limit of the current context. Asks the node's driver only once per limit.
pub fn limit(limit: CUlimit) -> Result<usize, CUresult> {
    let context = context_stack::current()?;
    let known = context.limits.lock().get(&limit).copied();
    let found = match known {
        Some(found) => found,
        None => {
            let found = call(&ContextGetLimit { limit })?.read(|reply| Ok(reply.value))?;
            context.limits.lock().insert(limit, found);
            found
        }
    };
    Ok(found as usize)
}

/// Sets a limit of the current context. The driver rounds the value, so the next query asks the
/// driver again.
pub fn set_limit(limit: CUlimit, value: usize) -> CudaResult {
    let context = context_stack::current()?;
    post(&ContextSetLimit { limit, value: value as u64 })?;
    context.limits.lock().remove(&limit);
    // The driver refuses some limits once a kernel has used what they limit.
    context.target().barrier()
}
