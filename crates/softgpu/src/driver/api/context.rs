//! Contexts: primary and created contexts, each thread's stack, limits and settings.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use outhaul_abi::export_tables::export_table;
use outhaul_abi::types::*;

use crate::driver::abi::legacy_abi;
use crate::driver::api::arguments::{put, put_if};
use crate::driver::objects::memory::overhead::Owner;
use crate::driver::objects::streams::capture;
use crate::driver::objects::streams::context::{self, Context, ContextSlot, FLAGS_KNOWN};
use crate::driver::objects::streams::limits;
use crate::driver::objects::streams::stream::{PRIORITY_GREATEST, PRIORITY_LEAST};
use crate::driver::state::{Driver, driver};
use crate::driver::streams::output;
use crate::driver::system::error::{Error, Result};
use crate::driver::system::requirements::Need;

/// The version that `cuCtxGetApiVersion` reports. Contexts with 32-bit addresses report the narrow
/// version.
const API_VERSION: u32 = 3020;
const API_VERSION_NARROW: u32 = 3010;
/// The attribute `CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT`.
const MULTIPROCESSOR_COUNT: i32 = 16;
const BANK_SIZE_DEFAULT: i32 = 0;

fn handle(context: CUcontext) -> u64 {
    context.0 as u64
}

/// Ends a context's work, and then runs the destructors of data that libraries stored with the
/// context.
fn end(driver: &Driver, context: &Context) {
    driver.tear_down(context);
    output::flush();
    export_table::context_destroyed(CUcontext(context.handle as usize));
}

/// Takes the memory of a context.
fn charge(driver: &Driver, slot: &ContextSlot) -> Result<()> {
    let bytes = driver.overheads.context_bytes;
    driver.take_overhead(Owner::Context(slot.handle), &*slot.context()?, bytes)
}

pub unsafe fn cuDevicePrimaryCtxRetain(pctx: *mut CUcontext, dev: CUdevice) -> Result<()> {
    let driver = driver()?;
    let slot = driver.primary(dev)?;
    driver.settings.needs.iter().try_for_each(Need::is_met_by_context)?;
    put(pctx, CUcontext(slot.handle as usize))?;
    outhaul_abi::code::frameworks::warn_of_loaded();
    slot.retain();
    // The primary context may have existed already; then it has its memory.
    charge(driver, &slot).inspect_err(|_| {
        let _ = slot.release();
    })
}

pub unsafe fn cuDevicePrimaryCtxRelease_v2(dev: CUdevice) -> Result<()> {
    let driver = driver()?;
    if let Some(context) = driver.primary(dev)?.release()? {
        end(driver, &context);
    }
    Ok(())
}

pub unsafe fn cuDevicePrimaryCtxRelease(dev: CUdevice) -> Result<()> {
    // SAFETY: takes no pointers.
    unsafe { cuDevicePrimaryCtxRelease_v2(dev) }
}

pub unsafe fn cuDevicePrimaryCtxReset_v2(dev: CUdevice) -> Result<()> {
    let driver = driver()?;
    if let Some(context) = driver.primary(dev)?.end() {
        end(driver, &context);
    }
    Ok(())
}

pub unsafe fn cuDevicePrimaryCtxReset(dev: CUdevice) -> Result<()> {
    // SAFETY: takes no pointers.
    unsafe { cuDevicePrimaryCtxReset_v2(dev) }
}

pub unsafe fn cuDevicePrimaryCtxGetState(
    dev: CUdevice,
    flags: *mut u32,
    active: *mut i32,
) -> Result<()> {
    let slot = driver()?.primary(dev)?;
    put(flags, slot.flags())?;
    put(active, i32::from(slot.is_active()))
}

pub unsafe fn cuDevicePrimaryCtxSetFlags_v2(dev: CUdevice, flags: u32) -> Result<()> {
    if flags & !FLAGS_KNOWN != 0 {
        return Err(Error::InvalidValue);
    }
    driver()?.primary(dev)?.set_flags(flags);
    Ok(())
}

pub unsafe fn cuDevicePrimaryCtxSetFlags(dev: CUdevice, flags: u32) -> Result<()> {
    // SAFETY: takes no pointers.
    unsafe { cuDevicePrimaryCtxSetFlags_v2(dev, flags) }
}

pub unsafe fn cuCtxCreate_v2(pctx: *mut CUcontext, flags: u32, dev: CUdevice) -> Result<()> {
    create(pctx, flags, dev, false)
}

pub unsafe fn cuCtxCreate(pctx: *mut CUcontext, flags: u32, dev: CUdevice) -> Result<()> {
    legacy_abi::note_narrow();
    create(pctx, flags, dev, true)
}

fn create(pctx: *mut CUcontext, flags: u32, dev: CUdevice, is_narrow: bool) -> Result<()> {
    let driver = driver()?;
    let device = driver.device(dev)?.ordinal;
    if pctx.is_null() || flags & !FLAGS_KNOWN != 0 {
        return Err(Error::InvalidValue);
    }
    driver.settings.needs.iter().try_for_each(Need::is_met_by_context)?;
    let primary = driver.primary(device)?;
    let slot = driver
        .contexts
        .insert_with(|handle| ContextSlot::created(handle, device, flags, is_narrow, &primary));
    charge(driver, &slot).inspect_err(|_| {
        driver.contexts.remove(slot.handle);
    })?;
    context::push_current(slot.handle);
    put(pctx, CUcontext(slot.handle as usize))
}

pub unsafe fn cuCtxCreate_v3(
    pctx: *mut CUcontext,
    _paramsArray: *mut CUexecAffinityParam,
    numParams: i32,
    flags: u32,
    dev: CUdevice,
) -> Result<()> {
    if numParams != 0 {
        return Err(Error::NotSupported);
    }
    // SAFETY: the caller upholds the contract about pctx.
    unsafe { cuCtxCreate_v2(pctx, flags, dev) }
}

pub unsafe fn cuCtxCreate_v4(
    pctx: *mut CUcontext,
    ctxCreateParams: *mut CUctxCreateParams,
    flags: u32,
    dev: CUdevice,
) -> Result<()> {
    if !ctxCreateParams.is_null() {
        let params = crate::driver::api::arguments::take(ctxCreateParams.cast_const())?;
        if params.numExecAffinityParams != 0 || !params.cigParams.is_null() {
            return Err(Error::NotSupported);
        }
    }
    // SAFETY: the caller upholds the contract about pctx.
    unsafe { cuCtxCreate_v2(pctx, flags, dev) }
}

pub unsafe fn cuCtxDestroy_v2(ctx: CUcontext) -> Result<()> {
    let driver = driver()?;
    if ctx.is_null() {
        return Err(Error::InvalidContext);
    }
    let slot = driver.slot(handle(ctx))?;
    if slot.is_primary || slot.green.is_some() {
        return Err(Error::InvalidContext);
    }
    let context = slot.end().ok_or(Error::ContextIsDestroyed)?;
    end(driver, &context);
    driver.contexts.remove(slot.handle);
    if context::current_handle() == Some(slot.handle) {
        context::pop_current();
    }
    Ok(())
}

pub unsafe fn cuCtxDetach(ctx: CUcontext) -> Result<()> {
    // SAFETY: takes no pointers.
    unsafe { cuCtxDestroy_v2(ctx) }
}

pub unsafe fn cuCtxGetCurrent(pctx: *mut CUcontext) -> Result<()> {
    driver()?;
    put(pctx, CUcontext(context::current_handle().unwrap_or(0) as usize))
}

pub unsafe fn cuCtxSetCurrent(ctx: CUcontext) -> Result<()> {
    let driver = driver()?;
    if ctx.is_null() {
        context::set_current(None);
        return Ok(());
    }
    context::set_current(Some(driver.slot(handle(ctx))?.handle));
    Ok(())
}

pub unsafe fn cuCtxPushCurrent_v2(ctx: CUcontext) -> Result<()> {
    let driver = driver()?;
    if ctx.is_null() {
        return Err(Error::InvalidContext);
    }
    context::push_current(driver.slot(handle(ctx))?.handle);
    Ok(())
}

pub unsafe fn cuCtxPopCurrent_v2(pctx: *mut CUcontext) -> Result<()> {
    driver()?;
    let popped = context::pop_current().ok_or(Error::InvalidContext)?;
    put_if(pctx, CUcontext(popped as usize));
    Ok(())
}

fn device_of(device: *mut CUdevice, ctx: CUcontext) -> Result<()> {
    put(device, driver()?.slot(handle(ctx))?.device)
}

pub unsafe fn cuCtxGetDevice(device: *mut CUdevice) -> Result<()> {
    device_of(device, CUcontext::NULL)
}

pub unsafe fn cuCtxGetDevice_v2(device: *mut CUdevice, ctx: CUcontext) -> Result<()> {
    device_of(device, ctx)
}

pub unsafe fn cuCtxGetApiVersion(ctx: CUcontext, version: *mut u32) -> Result<()> {
    let slot = driver()?.slot(handle(ctx))?;
    slot.context()?;
    put(version, if slot.is_narrow { API_VERSION_NARROW } else { API_VERSION })
}

/// Reports the whole device, because a context always uses it all.
pub unsafe fn cuCtxGetExecAffinity(
    pExecAffinity: *mut CUexecAffinityParam,
    type_: CUexecAffinityType,
) -> Result<()> {
    let driver = driver()?;
    let device = driver.device(driver.current()?.device)?;
    if type_ != values::EXEC_AFFINITY_TYPE_SM_COUNT {
        return Err(Error::InvalidValue);
    }
    let smCount = device.attribute(MULTIPROCESSOR_COUNT).ok_or(Error::InvalidValue)? as u32;
    put(pExecAffinity, CUexecAffinityParam { type_, smCount })
}

/// Flushes nothing, because only this process writes the memory and no remote writes exist.
pub unsafe fn cuFlushGPUDirectRDMAWrites(target: i32, scope: i32) -> Result<()> {
    driver()?.current()?;
    let known =
        target == 0 && matches!(scope, values::FLUSH_TO_OWNER | values::FLUSH_TO_ALL_DEVICES);
    if known { Ok(()) } else { Err(Error::InvalidValue) }
}

pub unsafe fn cuCtxGetId(ctx: CUcontext, ctxId: *mut u64) -> Result<()> {
    put(ctxId, driver()?.slot(handle(ctx))?.id()?)
}

pub unsafe fn cuCtxGetFlags(flags: *mut u32) -> Result<()> {
    put(flags, driver()?.current()?.flags.load(Ordering::Relaxed))
}

pub unsafe fn cuCtxSetFlags(flags: u32) -> Result<()> {
    if flags & !FLAGS_KNOWN != 0 {
        return Err(Error::InvalidValue);
    }
    driver()?.current()?.flags.store(flags, Ordering::Relaxed);
    Ok(())
}

fn synchronize(context: &Arc<Context>) -> Result<()> {
    capture::check_context(context.handle)?;
    let outcome = context.synchronize();
    output::flush();
    outcome
}

pub unsafe fn cuCtxSynchronize() -> Result<()> {
    synchronize(&driver()?.slot(0)?.context()?)
}

pub unsafe fn cuCtxSynchronize_v2(ctx: CUcontext) -> Result<()> {
    synchronize(&driver()?.slot(handle(ctx))?.context()?)
}

/// Fails for a limit that the device does not have: from compute capability 9.0 on, kernels do not
/// wait for kernels that they launched.
fn check_limit(context: &Context, limit: CUlimit) -> Result<()> {
    const CAPABILITY_MAJOR: i32 = 75;
    let major = driver()?.device(context.device)?.attribute(CAPABILITY_MAJOR);
    if limit == limits::SYNC_DEPTH && major >= Some(9) {
        Err(Error::UnsupportedLimit)
    } else {
        Ok(())
    }
}

pub unsafe fn cuCtxGetLimit(pvalue: *mut usize, limit: CUlimit) -> Result<()> {
    let context = driver()?.current()?;
    check_limit(&context, limit)?;
    put(pvalue, context.limit(limit)?)
}

pub unsafe fn cuCtxSetLimit(limit: CUlimit, value: usize) -> Result<()> {
    let context = driver()?.current()?;
    check_limit(&context, limit)?;
    context.empty_as_nvidias();
    let before = context.limit(limit)?;
    context.set_limit(limit, value)?;
    if limit == limits::STACK {
        // All threads that the device can run at once have their stacks at once.
        let driver = driver()?;
        let device = driver.device(context.device)?;
        let threads = u64::from(device.multiprocessors()) * u64::from(device.limits().threads);
        let more_bytes = value.saturating_sub(limits::STACK_BYTES) as u64;
        driver
            .take_overhead(Owner::Stacks(context.handle), &context, threads * more_bytes)
            .inspect_err(|_| {
                let _ = context.set_limit(limit, before);
            })?;
    }
    Ok(())
}

pub unsafe fn cuCtxGetCacheConfig(pconfig: *mut CUfunc_cache) -> Result<()> {
    put(pconfig, driver()?.current()?.cache_config.load(Ordering::Relaxed) as i32)
}

pub unsafe fn cuCtxSetCacheConfig(config: CUfunc_cache) -> Result<()> {
    let config =
        u32::try_from(config).ok().filter(|config| *config <= 3).ok_or(Error::InvalidValue)?;
    driver()?.current()?.cache_config.store(config, Ordering::Relaxed);
    Ok(())
}

pub unsafe fn cuCtxGetSharedMemConfig(pConfig: *mut CUsharedconfig) -> Result<()> {
    driver()?.current()?;
    put(pConfig, BANK_SIZE_DEFAULT)
}

/// Ignores the setting, as GPUs since compute capability 5.0 do.
pub unsafe fn cuCtxSetSharedMemConfig(config: CUsharedconfig) -> Result<()> {
    driver()?.current()?;
    if (0..=values::SHARED_MEM_CONFIG_LAST).contains(&config) {
        Ok(())
    } else {
        Err(Error::InvalidValue)
    }
}

pub unsafe fn cuCtxGetStreamPriorityRange(
    leastPriority: *mut i32,
    greatestPriority: *mut i32,
) -> Result<()> {
    driver()?.current()?;
    put_if(leastPriority, PRIORITY_LEAST);
    put_if(greatestPriority, PRIORITY_GREATEST);
    Ok(())
}

pub unsafe fn cuCtxResetPersistingL2Cache() -> Result<()> {
    driver()?.current().map(drop)
}

pub unsafe fn cuCtxEnablePeerAccess(peerContext: CUcontext, flags: u32) -> Result<()> {
    let driver = driver()?;
    let (current, peer) = (driver.current()?, driver.slot(handle(peerContext))?);
    if flags != 0 {
        return Err(Error::InvalidValue);
    }
    if peerContext.is_null() {
        return Err(Error::InvalidContext);
    }
    if current.device == peer.device {
        return Err(Error::PeerAccessUnsupported);
    }
    if current.enable_peer(peer.device) { Ok(()) } else { Err(Error::PeerAccessAlreadyEnabled) }
}

pub unsafe fn cuCtxDisablePeerAccess(peerContext: CUcontext) -> Result<()> {
    let driver = driver()?;
    let (current, peer) = (driver.current()?, driver.slot(handle(peerContext))?);
    if current.disable_peer(peer.device) { Ok(()) } else { Err(Error::PeerAccessNotEnabled) }
}
