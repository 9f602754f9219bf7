// Written by `cargo xtask codegen` from spec/cuda; change that.

// NVIDIA's documents describe each function.
#![allow(missing_docs)]
#![allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)]
// Some of the functions that they call take no pointers.
#![allow(unused_unsafe)]

use crate::api;
use crate::api::{arguments, code, copies, devices, graphs, memory, streams};
use crate::driver::answer_cache::{call_cached, call_cached_of};
use crate::driver::memory::ranges;
use crate::driver::other_node::{call_on_its_node, call_on_node_of_memory};
use crate::driver::submit::submit_here;
use crate::driver::{contexts, handles};
use crate::entry::legacy_abi;
use crate::entry::{enter, unsupported};
use crate::marshal;
use crate::objects::context_stack::{call, post};
use crate::objects::copy_shape::Mode;
use outhaul_abi::legacy_32bit;
use outhaul_abi::types::*;
use outhaul_wire::messages as wire;
use std::ffi::{c_char, c_void};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDriverGetVersion(driverVersion: *mut i32) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(0, || unsafe { api::cuDriverGetVersion(driverVersion) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(error: CUresult, pStr: *mut *const c_char) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(1, || unsafe { api::cuGetErrorName(error, pStr) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(error: CUresult, pStr: *mut *const c_char) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(2, || unsafe { api::cuGetErrorString(error, pStr) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetExportTable(
    ppExportTable: *mut *const c_void,
    pExportTableId: *const CUuuid,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(3, || unsafe { api::cuGetExportTable(ppExportTable, pExportTableId) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetProcAddress(
    symbol: *const c_char,
    pfn: *mut *mut c_void,
    driverVersion: i32,
    flags: u64,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(4, || unsafe { api::cuGetProcAddress(symbol, pfn, driverVersion, flags) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetProcAddress_v2(
    symbol: *const c_char,
    pfn: *mut *mut c_void,
    driverVersion: i32,
    flags: u64,
    symbolFound: *mut CUdriverProcAddressQueryResult,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(5, || unsafe { api::cuGetProcAddress_v2(symbol, pfn, driverVersion, flags, symbolFound) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuInit(Flags: u32) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(6, || unsafe { devices::driver::init(Flags) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuProfilerInitialize(
    configFile: *const c_char,
    outputFile: *const c_char,
    outputMode: CUoutput_mode,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(7, || unsafe { api::cuProfilerInitialize(configFile, outputFile, outputMode) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuProfilerStart() -> CUresult {
    enter(8, || {
        graphs::capture::check_thread()?;
        {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuProfilerStart() }
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuProfilerStop() -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(9, || unsafe { api::cuProfilerStop() })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceCanAccessPeer(
    canAccessPeer: *mut i32,
    dev: CUdevice,
    peerDev: CUdevice,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(10, || unsafe { arguments::put(canAccessPeer, copies::peer::can_access(dev, peerDev)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceComputeCapability(
    major: *mut i32,
    minor: *mut i32,
    dev: CUdevice,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(11, || unsafe { api::cuDeviceComputeCapability(major, minor, dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGet(device: *mut CUdevice, ordinal: i32) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(12, || unsafe { api::cuDeviceGet(device, ordinal) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetAttribute(
    pi: *mut i32,
    attrib: CUdevice_attribute,
    dev: CUdevice,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(13, || unsafe { api::cuDeviceGetAttribute(pi, attrib, dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetByPCIBusId(
    dev: *mut CUdevice,
    pciBusId: *const c_char,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(14, || unsafe { api::cuDeviceGetByPCIBusId(dev, pciBusId) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount(count: *mut i32) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(15, || unsafe { api::cuDeviceGetCount(count) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetDefaultMemPool(
    pool_out: *mut CUmemoryPool,
    dev: CUdevice,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(16, || unsafe { api::cuDeviceGetDefaultMemPool(pool_out, dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetDevResource(
    device: CUdevice,
    resource: *mut CUdevResource,
    type_: CUdevResourceType,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(17, || unsafe { devices::green::resource(device, 0, resource, type_) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetExecAffinitySupport(
    pi: *mut i32,
    type_: CUexecAffinityType,
    dev: CUdevice,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(18, || unsafe { api::cuDeviceGetExecAffinitySupport(pi, type_, dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetGraphMemAttribute(
    device: CUdevice,
    attr: CUgraphMem_attribute,
    value: *mut c_void,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(19, || unsafe { api::cuDeviceGetGraphMemAttribute(device, attr, value) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetHostAtomicCapabilities(
    capabilities: *mut u32,
    operations: *const CUatomicOperation,
    count: u32,
    dev: CUdevice,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(20, || unsafe {
        api::cuDeviceGetHostAtomicCapabilities(capabilities, operations, count, dev)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetLuid() -> CUresult {
    unsupported(21)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetMemPool(pool: *mut CUmemoryPool, dev: CUdevice) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(22, || unsafe { api::cuDeviceGetMemPool(pool, dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, len: i32, dev: CUdevice) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(23, || unsafe { api::cuDeviceGetName(name, len, dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetNvSciSyncAttributes() -> CUresult {
    unsupported(24)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetP2PAtomicCapabilities(
    capabilities: *mut u32,
    operations: *const CUatomicOperation,
    count: u32,
    srcDevice: CUdevice,
    dstDevice: CUdevice,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(25, || unsafe {
        api::cuDeviceGetP2PAtomicCapabilities(capabilities, operations, count, srcDevice, dstDevice)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetP2PAttribute(
    value: *mut i32,
    attrib: CUdevice_P2PAttribute,
    srcDevice: CUdevice,
    dstDevice: CUdevice,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(26, || unsafe {
        arguments::put(value, copies::peer::attribute(attrib, srcDevice, dstDevice)?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetPCIBusId(
    pciBusId: *mut c_char,
    len: i32,
    dev: CUdevice,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(27, || unsafe { api::cuDeviceGetPCIBusId(pciBusId, len, dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetProperties(prop: *mut CUdevprop, dev: CUdevice) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(28, || unsafe { api::cuDeviceGetProperties(prop, dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetTexture1DLinearMaxWidth(
    maxWidthInElements: *mut usize,
    format: CUarray_format,
    numChannels: u32,
    dev: CUdevice,
) -> CUresult {
    enter(29, || {
        marshal::not_null(maxWidthInElements)?;
        call_cached(
            &wire::DeviceGetTexture1DLinearMaxWidth {
                format,
                num_channels: numChannels,
                dev: marshal::device(dev)?,
            },
            |reply| {
                marshal::output(maxWidthInElements, reply.max_width_in_elements as usize);
                Ok(())
            },
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetUuid(uuid: *mut CUuuid, dev: CUdevice) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(30, || unsafe { api::cuDeviceGetUuid(uuid, dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetUuid_v2(uuid: *mut CUuuid, dev: CUdevice) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(31, || unsafe { api::cuDeviceGetUuid_v2(uuid, dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGraphMemTrim(device: CUdevice) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(32, || unsafe { api::cuDeviceGraphMemTrim(device) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceRegisterAsyncNotification(
    device: CUdevice,
    callbackFunc: CUasyncCallback,
    userData: *mut c_void,
    callback: *mut CUasyncCallbackHandle,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(33, || unsafe {
        api::cuDeviceRegisterAsyncNotification(device, callbackFunc, userData, callback)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceSetGraphMemAttribute(
    device: CUdevice,
    attr: CUgraphMem_attribute,
    value: *mut c_void,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(34, || unsafe { api::cuDeviceSetGraphMemAttribute(device, attr, value) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceSetMemPool(dev: CUdevice, pool: CUmemoryPool) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(35, || unsafe { api::cuDeviceSetMemPool(dev, pool) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceTotalMem(bytes: *mut u32, dev: CUdevice) -> CUresult {
    legacy_abi::carry_out(36, false, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let mut bytes_later = legacy_32bit::room(bytes);
            cuDeviceTotalMem_v2(legacy_32bit::place(&mut bytes_later), dev).ok()?;
            legacy_32bit::give(bytes, bytes_later)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, dev: CUdevice) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(37, || unsafe { api::cuDeviceTotalMem_v2(bytes, dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceUnregisterAsyncNotification(
    device: CUdevice,
    callback: CUasyncCallbackHandle,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(38, || unsafe { api::cuDeviceUnregisterAsyncNotification(device, callback) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxAttach(pctx: *mut CUcontext, flags: u32) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(39, || unsafe { arguments::put(pctx, devices::contexts::attach(flags)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate(pctx: *mut CUcontext, flags: u32, dev: CUdevice) -> CUresult {
    enter(40, || {
        marshal::not_null(pctx)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { arguments::put(pctx, devices::contexts::create_narrow(flags, dev)?) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v2(
    pctx: *mut CUcontext,
    flags: u32,
    dev: CUdevice,
) -> CUresult {
    enter(41, || {
        marshal::not_null(pctx)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { arguments::put(pctx, devices::contexts::create(flags, dev)?) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v3(
    pctx: *mut CUcontext,
    paramsArray: *mut CUexecAffinityParam,
    numParams: i32,
    flags: u32,
    dev: CUdevice,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(42, || unsafe { api::cuCtxCreate_v3(pctx, paramsArray, numParams, flags, dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v4(
    pctx: *mut CUcontext,
    ctxCreateParams: *mut CUctxCreateParams,
    flags: u32,
    dev: CUdevice,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(43, || unsafe { api::cuCtxCreate_v4(pctx, ctxCreateParams, flags, dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxDestroy(ctx: CUcontext) -> CUresult {
    legacy_abi::carry_out(44, false, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuCtxDestroy_v2(ctx).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxDestroy_v2(ctx: CUcontext) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(45, || unsafe { devices::contexts::destroy(ctx) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxDetach(ctx: CUcontext) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(46, || unsafe { devices::contexts::destroy(ctx) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxDisablePeerAccess(peerContext: CUcontext) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(47, || unsafe { copies::peer::disable(peerContext) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxEnablePeerAccess(peerContext: CUcontext, Flags: u32) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(48, || unsafe { copies::peer::enable(peerContext, Flags) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxFromGreenCtx(pContext: *mut CUcontext, hCtx: CUgreenCtx) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(49, || unsafe { api::cuCtxFromGreenCtx(pContext, hCtx) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetApiVersion(ctx: CUcontext, version: *mut u32) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(50, || unsafe { api::cuCtxGetApiVersion(ctx, version) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetCacheConfig(pconfig: *mut i32) -> CUresult {
    enter(51, || {
        marshal::not_null(pconfig)?;
        call(&wire::CtxGetCacheConfig {})?.read(|reply| {
            marshal::output(pconfig, reply.pconfig);
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetCurrent(pctx: *mut CUcontext) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(52, || unsafe { api::cuCtxGetCurrent(pctx) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetDevResource(
    hCtx: CUcontext,
    resource: *mut CUdevResource,
    type_: CUdevResourceType,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(53, || unsafe {
        devices::green::resource_of(contexts::resolve_or_current(hCtx)?, resource, type_)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetDevice(device: *mut CUdevice) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(54, || unsafe { api::cuCtxGetDevice(device) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetDevice_v2(device: *mut CUdevice, ctx: CUcontext) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(55, || unsafe { api::cuCtxGetDevice_v2(device, ctx) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetExecAffinity(
    pExecAffinity: *mut CUexecAffinityParam,
    type_: CUexecAffinityType,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(56, || unsafe { api::cuCtxGetExecAffinity(pExecAffinity, type_) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetFlags(flags: *mut u32) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(57, || unsafe { api::cuCtxGetFlags(flags) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetId(ctx: CUcontext, ctxId: *mut u64) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(58, || unsafe { api::cuCtxGetId(ctx, ctxId) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetLimit(pvalue: *mut usize, limit: CUlimit) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(59, || unsafe { arguments::put(pvalue, devices::contexts::limit(limit)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetSharedMemConfig(pConfig: *mut CUsharedconfig) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(60, || unsafe { api::cuCtxGetSharedMemConfig(pConfig) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetStreamPriorityRange(
    leastPriority: *mut i32,
    greatestPriority: *mut i32,
) -> CUresult {
    enter(61, || {
        call_cached(&wire::CtxGetStreamPriorityRange {}, |reply| {
            marshal::output(leastPriority, reply.least_priority);
            marshal::output(greatestPriority, reply.greatest_priority);
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPopCurrent(pctx: *mut CUcontext) -> CUresult {
    legacy_abi::carry_out(62, false, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuCtxPopCurrent_v2(pctx).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPopCurrent_v2(pctx: *mut CUcontext) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(63, || unsafe { api::cuCtxPopCurrent_v2(pctx) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPushCurrent(ctx: CUcontext) -> CUresult {
    legacy_abi::carry_out(64, false, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuCtxPushCurrent_v2(ctx).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPushCurrent_v2(ctx: CUcontext) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(65, || unsafe { api::cuCtxPushCurrent_v2(ctx) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxRecordEvent(hCtx: CUcontext, hEvent: CUevent) -> CUresult {
    enter(66, || {
        call_on_its_node(hEvent.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { devices::green::record(contexts::resolve(hCtx)?, hEvent) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxResetPersistingL2Cache() -> CUresult {
    enter(67, || post(&wire::CtxResetPersistingL2Cache {}))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetCacheConfig(config: CUfunc_cache) -> CUresult {
    enter(68, || {
        arguments::require_in_context(matches!(config, 0..=3))?;
        post(&wire::CtxSetCacheConfig { config })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetCurrent(ctx: CUcontext) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(69, || unsafe { api::cuCtxSetCurrent(ctx) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetFlags(flags: u32) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(70, || unsafe { devices::contexts::set_flags(flags) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetLimit(limit: CUlimit, value: usize) -> CUresult {
    enter(71, || {
        graphs::capture::check_thread()?;
        {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { devices::contexts::set_limit(limit, value) }
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetSharedMemConfig(config: CUsharedconfig) -> CUresult {
    enter(72, || {
        arguments::require_in_context(matches!(config, 0..=2))?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { api::cuCtxSetSharedMemConfig(config) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSynchronize() -> CUresult {
    enter(73, || {
        graphs::capture::check_thread()?;
        {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { devices::contexts::synchronize() }
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSynchronize_v2(ctx: CUcontext) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(74, || unsafe { devices::contexts::synchronize_one(contexts::resolve_or_current(ctx)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxWaitEvent(hCtx: CUcontext, hEvent: CUevent) -> CUresult {
    enter(75, || {
        call_on_its_node(hEvent.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { devices::green::wait(contexts::resolve(hCtx)?, hEvent) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxGetState(
    dev: CUdevice,
    flags: *mut u32,
    active: *mut i32,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(76, || unsafe { api::cuDevicePrimaryCtxGetState(dev, flags, active) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRelease(dev: CUdevice) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(77, || unsafe { devices::contexts::release(dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRelease_v2(dev: CUdevice) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(78, || unsafe { devices::contexts::release(dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxReset(dev: CUdevice) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(79, || unsafe { devices::contexts::reset(dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxReset_v2(dev: CUdevice) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(80, || unsafe { devices::contexts::reset(dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRetain(pctx: *mut CUcontext, dev: CUdevice) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(81, || unsafe { arguments::put(pctx, devices::contexts::retain(dev)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxSetFlags(dev: CUdevice, flags: u32) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(82, || unsafe { api::cuDevicePrimaryCtxSetFlags(dev, flags) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxSetFlags_v2(dev: CUdevice, flags: u32) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(83, || unsafe { api::cuDevicePrimaryCtxSetFlags_v2(dev, flags) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkAddData(
    state: CUlinkState,
    type_: CUjitInputType,
    data: *mut c_void,
    size: usize,
    name: *const c_char,
    numOptions: u32,
    options: *mut CUjit_option,
    optionValues: *mut *mut c_void,
) -> CUresult {
    legacy_abi::carry_out(84, false, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuLinkAddData_v2(state, type_, data, size, name, numOptions, options, optionValues)
                .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkAddData_v2(
    state: CUlinkState,
    type_: CUjitInputType,
    data: *mut c_void,
    size: usize,
    name: *const c_char,
    numOptions: u32,
    options: *mut CUjit_option,
    optionValues: *mut *mut c_void,
) -> CUresult {
    enter(85, || {
        arguments::require_in_context(numOptions <= 1024)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            api::cuLinkAddData_v2(state, type_, data, size, name, numOptions, options, optionValues)
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkAddFile(
    state: CUlinkState,
    type_: CUjitInputType,
    path: *const c_char,
    numOptions: u32,
    options: *mut CUjit_option,
    optionValues: *mut *mut c_void,
) -> CUresult {
    legacy_abi::carry_out(86, false, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuLinkAddFile_v2(state, type_, path, numOptions, options, optionValues).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkAddFile_v2(
    state: CUlinkState,
    type_: CUjitInputType,
    path: *const c_char,
    numOptions: u32,
    options: *mut CUjit_option,
    optionValues: *mut *mut c_void,
) -> CUresult {
    enter(87, || {
        arguments::require_in_context(numOptions <= 1024)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { api::cuLinkAddFile_v2(state, type_, path, numOptions, options, optionValues) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkComplete(
    state: CUlinkState,
    cubinOut: *mut *mut c_void,
    sizeOut: *mut usize,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(88, || unsafe {
        let found = code::jit_link::complete(state)?;
        arguments::put(cubinOut, found.0)?;
        marshal::output(sizeOut, found.1);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkCreate(
    numOptions: u32,
    options: *mut CUjit_option,
    optionValues: *mut *mut c_void,
    stateOut: *mut CUlinkState,
) -> CUresult {
    legacy_abi::carry_out(89, false, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuLinkCreate_v2(numOptions, options, optionValues, stateOut).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkCreate_v2(
    numOptions: u32,
    options: *mut CUjit_option,
    optionValues: *mut *mut c_void,
    stateOut: *mut CUlinkState,
) -> CUresult {
    enter(90, || {
        arguments::require_in_context(numOptions <= 1024)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { api::cuLinkCreate_v2(numOptions, options, optionValues, stateOut) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkDestroy(state: CUlinkState) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(91, || unsafe { code::jit_link::destroy(state) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleEnumerateFunctions(
    functions: *mut CUfunction,
    numFunctions: u32,
    module: CUmodule,
) -> CUresult {
    enter(92, || {
        call_on_its_node(module.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { code::module::enumerate(handles::module(module)?, functions, numFunctions) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetFunction(
    hfunc: *mut CUfunction,
    hmod: CUmodule,
    name: *const c_char,
) -> CUresult {
    enter(93, || {
        call_on_its_node(hmod.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    hfunc,
                    code::functions::function_in(handles::module(hmod)?, arguments::name(name)?)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetFunctionCount(count: *mut u32, hmod: CUmodule) -> CUresult {
    enter(94, || {
        call_on_its_node(hmod.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { arguments::put(count, code::module::function_count(handles::module(hmod)?)?) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetGlobal(
    dptr: *mut CUdeviceptr_v1,
    bytes: *mut u32,
    hmod: CUmodule,
    name: *const c_char,
) -> CUresult {
    legacy_abi::carry_out(95, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let mut dptr_later = legacy_32bit::room(dptr);
            let mut bytes_later = legacy_32bit::room(bytes);
            cuModuleGetGlobal_v2(
                legacy_32bit::place(&mut dptr_later),
                legacy_32bit::place(&mut bytes_later),
                hmod,
                name,
            )
            .ok()?;
            legacy_32bit::give(dptr, dptr_later)?;
            legacy_32bit::give(bytes, bytes_later)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetGlobal_v2(
    dptr: *mut CUdeviceptr,
    bytes: *mut usize,
    hmod: CUmodule,
    name: *const c_char,
) -> CUresult {
    enter(96, || {
        legacy_abi::later(|| {
            call_on_its_node(hmod.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    let found =
                        code::module::global(handles::module(hmod)?, arguments::name(name)?)?;
                    marshal::output(dptr, found.0);
                    marshal::output(bytes, found.1);
                    Ok(())
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetLoadingMode(mode: *mut CUmoduleLoadingMode) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(97, || unsafe { api::cuModuleGetLoadingMode(mode) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetSurfRef(
    pSurfRef: *mut CUsurfref,
    hmod: CUmodule,
    name: *const c_char,
) -> CUresult {
    enter(98, || {
        call_on_its_node(hmod.0, || {
            marshal::not_null(pSurfRef)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    pSurfRef,
                    code::references::surface_in(handles::module(hmod)?, arguments::name(name)?)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetTexRef(
    pTexRef: *mut CUtexref,
    hmod: CUmodule,
    name: *const c_char,
) -> CUresult {
    enter(99, || {
        call_on_its_node(hmod.0, || {
            marshal::not_null(pTexRef)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    pTexRef,
                    code::references::texture_in(handles::module(hmod)?, arguments::name(name)?)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoad(module: *mut CUmodule, fname: *const c_char) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(100, || unsafe { api::cuModuleLoad(module, fname) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadData(module: *mut CUmodule, image: *const c_void) -> CUresult {
    enter(101, || {
        let (numOptions, options, optionValues): (u32, *mut CUjit_option, *mut *mut c_void) =
            (0, std::ptr::null_mut(), std::ptr::null_mut());
        arguments::require_in_context(numOptions <= 1024)?;
        marshal::not_null(module)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            arguments::put(module, code::module::load(image, numOptions, options, optionValues)?)
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadDataEx(
    module: *mut CUmodule,
    image: *const c_void,
    numOptions: u32,
    options: *mut CUjit_option,
    optionValues: *mut *mut c_void,
) -> CUresult {
    enter(102, || {
        arguments::require_in_context(numOptions <= 1024)?;
        marshal::not_null(module)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            arguments::put(module, code::module::load(image, numOptions, options, optionValues)?)
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadFatBinary(
    module: *mut CUmodule,
    fatCubin: *const c_void,
) -> CUresult {
    enter(103, || {
        let image: *const c_void = fatCubin;
        let (numOptions, options, optionValues): (u32, *mut CUjit_option, *mut *mut c_void) =
            (0, std::ptr::null_mut(), std::ptr::null_mut());
        arguments::require_in_context(numOptions <= 1024)?;
        marshal::not_null(module)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            arguments::put(module, code::module::load(image, numOptions, options, optionValues)?)
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleUnload(hmod: CUmodule) -> CUresult {
    enter(104, || {
        graphs::capture::check_thread()?;
        call_on_its_node(hmod.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { code::module::unload(handles::module(hmod)?) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetAttribute(
    pi: *mut i32,
    attrib: CUfunction_attribute,
    hfunc: CUfunction,
) -> CUresult {
    enter(105, || {
        call_on_its_node(hfunc.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuFuncGetAttribute(pi, attrib, hfunc) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetModule(hmod: *mut CUmodule, hfunc: CUfunction) -> CUresult {
    enter(106, || {
        call_on_its_node(hfunc.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuFuncGetModule(hmod, hfunc) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetName(name: *mut *const c_char, hfunc: CUfunction) -> CUresult {
    enter(107, || {
        call_on_its_node(hfunc.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuFuncGetName(name, hfunc) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetParamInfo(
    func: CUfunction,
    paramIndex: usize,
    paramOffset: *mut usize,
    paramSize: *mut usize,
) -> CUresult {
    enter(108, || {
        call_on_its_node(func.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuFuncGetParamInfo(func, paramIndex, paramOffset, paramSize) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncIsLoaded(
    state: *mut CUfunctionLoadingState,
    hfunc: CUfunction,
) -> CUresult {
    enter(109, || {
        call_on_its_node(hfunc.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuFuncIsLoaded(state, hfunc) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncLoad(hfunc: CUfunction) -> CUresult {
    enter(110, || {
        call_on_its_node(hfunc.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuFuncLoad(hfunc) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncSetAttribute(
    hfunc: CUfunction,
    attrib: CUfunction_attribute,
    value: i32,
) -> CUresult {
    enter(111, || {
        call_on_its_node(hfunc.0, || {
            arguments::require_in_context(matches!(attrib, 8 | 9 | 11..=15))?;
            arguments::require_in_context(attrib == 9 || value >= 0)?;
            arguments::require_in_context(attrib != 9 || matches!(value, -1..=100))?;
            arguments::require_in_context(attrib != 14 || value <= 1)?;
            arguments::require_in_context(attrib != 15 || value <= 2)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                code::functions::set_attribute(
                    code::functions::function(hfunc)?,
                    attrib,
                    value,
                    code::functions::current_device()?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncSetBlockShape(
    hfunc: CUfunction,
    x: i32,
    y: i32,
    z: i32,
) -> CUresult {
    enter(112, || {
        call_on_its_node(hfunc.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuFuncSetBlockShape(hfunc, x, y, z) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncSetCacheConfig(hfunc: CUfunction, config: CUfunc_cache) -> CUresult {
    enter(113, || {
        call_on_its_node(hfunc.0, || {
            arguments::require_in_context(matches!(config, 0..=3))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                code::functions::set_cache_config(
                    code::functions::function(hfunc)?,
                    config,
                    code::functions::current_device()?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncSetSharedMemConfig(
    hfunc: CUfunction,
    config: CUsharedconfig,
) -> CUresult {
    enter(114, || {
        call_on_its_node(hfunc.0, || {
            arguments::require_in_context(matches!(config, 0..=2))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuFuncSetSharedMemConfig(hfunc, config) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncSetSharedSize(hfunc: CUfunction, bytes: u32) -> CUresult {
    enter(115, || {
        call_on_its_node(hfunc.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuFuncSetSharedSize(hfunc, bytes) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelGetAttribute(
    pi: *mut i32,
    attrib: CUfunction_attribute,
    kernel: CUkernel,
    dev: CUdevice,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(116, || unsafe { api::cuKernelGetAttribute(pi, attrib, kernel, dev) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelGetFunction(pFunc: *mut CUfunction, kernel: CUkernel) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(117, || unsafe { arguments::put(pFunc, code::functions::function_of(kernel)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelGetLibrary(pLib: *mut CUlibrary, kernel: CUkernel) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(118, || unsafe { api::cuKernelGetLibrary(pLib, kernel) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelGetName(name: *mut *const c_char, hfunc: CUkernel) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(119, || unsafe { api::cuKernelGetName(name, hfunc) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelGetParamInfo(
    kernel: CUkernel,
    paramIndex: usize,
    paramOffset: *mut usize,
    paramSize: *mut usize,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(120, || unsafe { api::cuKernelGetParamInfo(kernel, paramIndex, paramOffset, paramSize) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelSetAttribute(
    attrib: CUfunction_attribute,
    val: i32,
    kernel: CUkernel,
    dev: CUdevice,
) -> CUresult {
    enter(121, || {
        arguments::require(matches!(attrib, 8 | 9 | 11..=15))?;
        arguments::require(attrib == 9 || val >= 0)?;
        arguments::require(attrib != 9 || matches!(val, -1..=100))?;
        arguments::require(attrib != 14 || val <= 1)?;
        arguments::require(attrib != 15 || val <= 2)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            code::functions::set_attribute(code::functions::kernel(kernel)?, attrib, val, dev)
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelSetCacheConfig(
    kernel: CUkernel,
    config: CUfunc_cache,
    dev: CUdevice,
) -> CUresult {
    enter(122, || {
        arguments::require(matches!(config, 0..=3))?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { code::functions::set_cache_config(code::functions::kernel(kernel)?, config, dev) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryEnumerateKernels(
    kernels: *mut CUkernel,
    numKernels: u32,
    lib: CUlibrary,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(123, || unsafe { code::module::enumerate(handles::library(lib)?, kernels, numKernels) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryGetGlobal(
    dptr: *mut CUdeviceptr,
    bytes: *mut usize,
    library: CUlibrary,
    name: *const c_char,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(124, || unsafe {
        let found = code::module::global(handles::library(library)?, arguments::name(name)?)?;
        marshal::output(dptr, found.0);
        marshal::output(bytes, found.1);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryGetKernel(
    pKernel: *mut CUkernel,
    library: CUlibrary,
    name: *const c_char,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(125, || unsafe {
        arguments::put(
            pKernel,
            code::functions::kernel_in(handles::library(library)?, arguments::name(name)?)?,
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryGetKernelCount(count: *mut u32, lib: CUlibrary) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(126, || unsafe {
        arguments::put(count, code::module::function_count(handles::library(lib)?)?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryGetManaged(
    dptr: *mut CUdeviceptr,
    bytes: *mut usize,
    library: CUlibrary,
    name: *const c_char,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(127, || unsafe {
        let found = memory::managed::variable(library, name)?;
        marshal::output(dptr, found.0);
        marshal::output(bytes, found.1);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryGetModule(pMod: *mut CUmodule, library: CUlibrary) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(128, || unsafe { arguments::put(pMod, code::module::of_library(library)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryGetUnifiedFunction(
    fptr: *mut *mut c_void,
    library: CUlibrary,
    symbol: *const c_char,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(129, || unsafe { api::cuLibraryGetUnifiedFunction(fptr, library, symbol) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryLoadData(
    library: *mut CUlibrary,
    code: *const c_void,
    jitOptions: *mut CUjit_option,
    jitOptionsValues: *mut *mut c_void,
    numJitOptions: u32,
    libraryOptions: *mut CUlibraryOption,
    libraryOptionValues: *mut *mut c_void,
    numLibraryOptions: u32,
) -> CUresult {
    enter(130, || {
        arguments::require(numJitOptions <= 1024)?;
        arguments::require(numLibraryOptions <= 1024)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            api::cuLibraryLoadData(
                library,
                code,
                jitOptions,
                jitOptionsValues,
                numJitOptions,
                libraryOptions,
                libraryOptionValues,
                numLibraryOptions,
            )
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryLoadFromFile(
    library: *mut CUlibrary,
    fileName: *const c_char,
    jitOptions: *mut CUjit_option,
    jitOptionsValues: *mut *mut c_void,
    numJitOptions: u32,
    libraryOptions: *mut CUlibraryOption,
    libraryOptionValues: *mut *mut c_void,
    numLibraryOptions: u32,
) -> CUresult {
    enter(131, || {
        arguments::require(numJitOptions <= 1024)?;
        arguments::require(numLibraryOptions <= 1024)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            api::cuLibraryLoadFromFile(
                library,
                fileName,
                jitOptions,
                jitOptionsValues,
                numJitOptions,
                libraryOptions,
                libraryOptionValues,
                numLibraryOptions,
            )
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryUnload(library: CUlibrary) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(132, || unsafe { code::module::unload(code::module::loaded_library(library)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunch(f: CUfunction) -> CUresult {
    enter(133, || {
        call_on_its_node(f.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { code::legacy_launch::launch(f, 1, 1, CUstream::NULL) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchCooperativeKernel(
    f: CUfunction,
    gridDimX: u32,
    gridDimY: u32,
    gridDimZ: u32,
    blockDimX: u32,
    blockDimY: u32,
    blockDimZ: u32,
    sharedMemBytes: u32,
    hStream: CUstream,
    kernelParams: *mut *mut c_void,
) -> CUresult {
    enter(134, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                code::launch::launch_cooperative(
                    f,
                    [gridDimX, gridDimY, gridDimZ],
                    [blockDimX, blockDimY, blockDimZ],
                    sharedMemBytes,
                    hStream,
                    kernelParams,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchCooperativeKernel_ptsz(
    f: CUfunction,
    gridDimX: u32,
    gridDimY: u32,
    gridDimZ: u32,
    blockDimX: u32,
    blockDimY: u32,
    blockDimZ: u32,
    sharedMemBytes: u32,
    hStream: CUstream,
    kernelParams: *mut *mut c_void,
) -> CUresult {
    enter(135, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                code::launch::launch_cooperative(
                    f,
                    [gridDimX, gridDimY, gridDimZ],
                    [blockDimX, blockDimY, blockDimZ],
                    sharedMemBytes,
                    hStream.or_per_thread(),
                    kernelParams,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchCooperativeKernelMultiDevice(
    launchParamsList: *mut CUDA_LAUNCH_PARAMS,
    numDevices: u32,
    flags: u32,
) -> CUresult {
    enter(136, || {
        arguments::require_in_context(flags & !(3) == 0)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { api::cuLaunchCooperativeKernelMultiDevice(launchParamsList, numDevices, flags) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchGrid(
    f: CUfunction,
    grid_width: i32,
    grid_height: i32,
) -> CUresult {
    enter(137, || {
        call_on_its_node(f.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { code::legacy_launch::launch(f, grid_width, grid_height, CUstream::NULL) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchGridAsync(
    f: CUfunction,
    grid_width: i32,
    grid_height: i32,
    hStream: CUstream,
) -> CUresult {
    enter(138, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { code::legacy_launch::launch(f, grid_width, grid_height, hStream) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchHostFunc(
    hStream: CUstream,
    fn_: CUhostFn,
    userData: *mut c_void,
) -> CUresult {
    enter(139, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::callback::launch(hStream, fn_, userData) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchHostFunc_ptsz(
    hStream: CUstream,
    fn_: CUhostFn,
    userData: *mut c_void,
) -> CUresult {
    enter(140, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::callback::launch(hStream.or_per_thread(), fn_, userData) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernel(
    f: CUfunction,
    gridDimX: u32,
    gridDimY: u32,
    gridDimZ: u32,
    blockDimX: u32,
    blockDimY: u32,
    blockDimZ: u32,
    sharedMemBytes: u32,
    hStream: CUstream,
    kernelParams: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUresult {
    enter(141, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                code::launch::launch(
                    f,
                    [gridDimX, gridDimY, gridDimZ],
                    [blockDimX, blockDimY, blockDimZ],
                    sharedMemBytes,
                    hStream,
                    kernelParams,
                    extra,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernel_ptsz(
    f: CUfunction,
    gridDimX: u32,
    gridDimY: u32,
    gridDimZ: u32,
    blockDimX: u32,
    blockDimY: u32,
    blockDimZ: u32,
    sharedMemBytes: u32,
    hStream: CUstream,
    kernelParams: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUresult {
    enter(142, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                code::launch::launch(
                    f,
                    [gridDimX, gridDimY, gridDimZ],
                    [blockDimX, blockDimY, blockDimZ],
                    sharedMemBytes,
                    hStream.or_per_thread(),
                    kernelParams,
                    extra,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernelEx(
    config: *const CUlaunchConfig,
    f: CUfunction,
    kernelParams: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUresult {
    enter(143, || {
        call_on_its_node(f.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                code::launch::launch_configured(
                    arguments::reference(config)?,
                    f,
                    kernelParams,
                    extra,
                    CUstream::LEGACY,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernelEx_ptsz(
    config: *const CUlaunchConfig,
    f: CUfunction,
    kernelParams: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUresult {
    enter(144, || {
        call_on_its_node(f.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                code::launch::launch_configured(
                    arguments::reference(config)?,
                    f,
                    kernelParams,
                    extra,
                    CUstream::PER_THREAD,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyAvailableDynamicSMemPerBlock(
    dynamicSmemSize: *mut usize,
    func: CUfunction,
    numBlocks: i32,
    blockSize: i32,
) -> CUresult {
    enter(145, || {
        call_on_its_node(func.0, || {
            marshal::not_null(dynamicSmemSize)?;
            call_cached_of(
                func,
                &wire::OccupancyAvailableDynamicSMemPerBlock {
                    func: marshal::function(func)?,
                    num_blocks: numBlocks,
                    block_size: blockSize,
                },
                |reply| {
                    marshal::output(dynamicSmemSize, reply.dynamic_smem_size as usize);
                    Ok(())
                },
            )
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    numBlocks: *mut i32,
    func: CUfunction,
    blockSize: i32,
    dynamicSMemSize: usize,
) -> CUresult {
    enter(146, || {
        call_on_its_node(func.0, || {
            marshal::not_null(numBlocks)?;
            call_cached_of(
                func,
                &wire::OccupancyMaxActiveBlocksPerMultiprocessor {
                    func: marshal::function(func)?,
                    block_size: blockSize,
                    dynamic_smem_size: dynamicSMemSize as u64,
                },
                |reply| {
                    marshal::output(numBlocks, reply.num_blocks);
                    Ok(())
                },
            )
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    numBlocks: *mut i32,
    func: CUfunction,
    blockSize: i32,
    dynamicSMemSize: usize,
    flags: u32,
) -> CUresult {
    enter(147, || {
        call_on_its_node(func.0, || {
            arguments::require_in_context(flags & !(1) == 0)?;
            marshal::not_null(numBlocks)?;
            call_cached_of(
                func,
                &wire::OccupancyMaxActiveBlocksPerMultiprocessorWithFlags {
                    func: marshal::function(func)?,
                    block_size: blockSize,
                    dynamic_smem_size: dynamicSMemSize as u64,
                    flags,
                },
                |reply| {
                    marshal::output(numBlocks, reply.num_blocks);
                    Ok(())
                },
            )
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxActiveClusters(
    numClusters: *mut i32,
    func: CUfunction,
    config: *const CUlaunchConfig,
) -> CUresult {
    enter(148, || {
        call_on_its_node(func.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    numClusters,
                    code::occupancy::clusters(func, arguments::reference(config)?, true)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxPotentialBlockSize(
    minGridSize: *mut i32,
    blockSize: *mut i32,
    func: CUfunction,
    blockSizeToDynamicSMemSize: CUoccupancyB2DSize,
    dynamicSMemSize: usize,
    blockSizeLimit: i32,
) -> CUresult {
    enter(149, || {
        call_on_its_node(func.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuOccupancyMaxPotentialBlockSize(
                    minGridSize,
                    blockSize,
                    func,
                    blockSizeToDynamicSMemSize,
                    dynamicSMemSize,
                    blockSizeLimit,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxPotentialBlockSizeWithFlags(
    minGridSize: *mut i32,
    blockSize: *mut i32,
    func: CUfunction,
    blockSizeToDynamicSMemSize: CUoccupancyB2DSize,
    dynamicSMemSize: usize,
    blockSizeLimit: i32,
    flags: u32,
) -> CUresult {
    enter(150, || {
        call_on_its_node(func.0, || {
            arguments::require_in_context(flags & !(1) == 0)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuOccupancyMaxPotentialBlockSizeWithFlags(
                    minGridSize,
                    blockSize,
                    func,
                    blockSizeToDynamicSMemSize,
                    dynamicSMemSize,
                    blockSizeLimit,
                    flags,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxPotentialClusterSize(
    clusterSize: *mut i32,
    func: CUfunction,
    config: *const CUlaunchConfig,
) -> CUresult {
    enter(151, || {
        call_on_its_node(func.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    clusterSize,
                    code::occupancy::clusters(func, arguments::reference(config)?, false)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuParamSetSize(hfunc: CUfunction, numbytes: u32) -> CUresult {
    enter(152, || {
        call_on_its_node(hfunc.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuParamSetSize(hfunc, numbytes) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuParamSetTexRef(
    hfunc: CUfunction,
    texunit: i32,
    hTexRef: CUtexref,
) -> CUresult {
    enter(153, || {
        call_on_its_node(hfunc.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuParamSetTexRef(hfunc, texunit, hTexRef) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuParamSetf(hfunc: CUfunction, offset: i32, value: f32) -> CUresult {
    enter(154, || {
        call_on_its_node(hfunc.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuParamSetf(hfunc, offset, value) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuParamSeti(hfunc: CUfunction, offset: i32, value: u32) -> CUresult {
    enter(155, || {
        call_on_its_node(hfunc.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuParamSeti(hfunc, offset, value) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuParamSetv(
    hfunc: CUfunction,
    offset: i32,
    ptr: *mut c_void,
    numbytes: u32,
) -> CUresult {
    enter(156, || {
        call_on_its_node(hfunc.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuParamSetv(hfunc, offset, ptr, numbytes) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamAddCallback(
    hStream: CUstream,
    callback: CUstreamCallback,
    userData: *mut c_void,
    flags: u32,
) -> CUresult {
    enter(157, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(matches!(flags, 0))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::callback::add(hStream, callback, userData, flags) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamAddCallback_ptsz(
    hStream: CUstream,
    callback: CUstreamCallback,
    userData: *mut c_void,
    flags: u32,
) -> CUresult {
    enter(158, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(matches!(flags, 0))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::callback::add(hStream.or_per_thread(), callback, userData, flags) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamAttachMemAsync(
    hStream: CUstream,
    dptr: CUdeviceptr,
    length: usize,
    flags: u32,
) -> CUresult {
    enter(159, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(length <= 0x8000_0000_0000)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuStreamAttachMemAsync(hStream, dptr, length, flags) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamAttachMemAsync_ptsz(
    hStream: CUstream,
    dptr: CUdeviceptr,
    length: usize,
    flags: u32,
) -> CUresult {
    enter(160, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(length <= 0x8000_0000_0000)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuStreamAttachMemAsync(hStream.or_per_thread(), dptr, length, flags) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBatchMemOp() -> CUresult {
    unsupported(161)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBatchMemOp_ptsz() -> CUresult {
    unsupported(162)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBatchMemOp_v2(
    stream: CUstream,
    count: u32,
    paramArray: *const CUstreamBatchMemOpParams,
    flags: u32,
) -> CUresult {
    enter(163, || {
        call_on_its_node(stream.0, || {
            arguments::require_in_context(matches!(flags, 0))?;
            ranges::check_operations(marshal::input_array(&paramArray, (count) as usize, 255)?)?;
            let work_stream;
            let message = wire::StreamBatchMemOp {
                stream: {
                    work_stream = marshal::stream(stream)?;
                    work_stream.handle
                },
                count,
                param_array: marshal::input_array(&paramArray, (count) as usize, 255)?,
                flags,
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBatchMemOp_v2_ptsz(
    stream: CUstream,
    count: u32,
    paramArray: *const CUstreamBatchMemOpParams,
    flags: u32,
) -> CUresult {
    enter(164, || {
        call_on_its_node(stream.0, || {
            arguments::require_in_context(matches!(flags, 0))?;
            ranges::check_operations(marshal::input_array(&paramArray, (count) as usize, 255)?)?;
            let work_stream;
            let message = wire::StreamBatchMemOp {
                stream: {
                    work_stream = marshal::stream(stream.or_per_thread())?;
                    work_stream.handle
                },
                count,
                param_array: marshal::input_array(&paramArray, (count) as usize, 255)?,
                flags,
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCapture(hStream: CUstream) -> CUresult {
    enter(165, || {
        call_on_its_node(hStream.0, || {
            let mode: CUstreamCaptureMode = values::STREAM_CAPTURE_MODE_GLOBAL;
            arguments::require_in_context(matches!(mode, 0..=2))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { graphs::capture::begin(hStream, mode) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCapture_ptsz(hStream: CUstream) -> CUresult {
    enter(166, || {
        call_on_its_node(hStream.0, || {
            let (hStream, mode): (CUstream, CUstreamCaptureMode) =
                (hStream.or_per_thread(), values::STREAM_CAPTURE_MODE_GLOBAL);
            arguments::require_in_context(matches!(mode, 0..=2))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { graphs::capture::begin(hStream, mode) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCapture_v2(
    hStream: CUstream,
    mode: CUstreamCaptureMode,
) -> CUresult {
    enter(167, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(matches!(mode, 0..=2))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { graphs::capture::begin(hStream, mode) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCapture_v2_ptsz(
    hStream: CUstream,
    mode: CUstreamCaptureMode,
) -> CUresult {
    enter(168, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(matches!(mode, 0..=2))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { graphs::capture::begin(hStream.or_per_thread(), mode) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCaptureToGraph(
    hStream: CUstream,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    dependencyData: *const CUgraphEdgeData,
    numDependencies: usize,
    mode: CUstreamCaptureMode,
) -> CUresult {
    enter(169, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(matches!(mode, 0..=2))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::capture::begin_in(
                    hStream,
                    hGraph,
                    graphs::capture::after(dependencies, dependencyData, numDependencies)?,
                    mode,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCaptureToGraph_ptsz(
    hStream: CUstream,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    dependencyData: *const CUgraphEdgeData,
    numDependencies: usize,
    mode: CUstreamCaptureMode,
) -> CUresult {
    enter(170, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(matches!(mode, 0..=2))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::capture::begin_in(
                    hStream.or_per_thread(),
                    hGraph,
                    graphs::capture::after(dependencies, dependencyData, numDependencies)?,
                    mode,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCopyAttributes(dst: CUstream, src: CUstream) -> CUresult {
    enter(171, || {
        call_on_its_node(dst.0, || {
            let work_stream;
            call(&wire::StreamCopyAttributes {
                dst: {
                    work_stream = marshal::stream(dst)?;
                    work_stream.handle
                },
                src: marshal::stream(src)?.handle,
            })?
            .ok()
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCopyAttributes_ptsz(dst: CUstream, src: CUstream) -> CUresult {
    enter(172, || {
        call_on_its_node(dst.0, || {
            let work_stream;
            call(&wire::StreamCopyAttributes {
                dst: {
                    work_stream = marshal::stream(dst.or_per_thread())?;
                    work_stream.handle
                },
                src: marshal::stream(src)?.handle,
            })?
            .ok()
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreate(phStream: *mut CUstream, Flags: u32) -> CUresult {
    enter(173, || {
        let (flags, priority): (u32, i32) = (Flags, 0);
        marshal::not_null(phStream)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { arguments::put(phStream, streams::stream::create(flags, priority)?) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreateWithPriority(
    phStream: *mut CUstream,
    flags: u32,
    priority: i32,
) -> CUresult {
    enter(174, || {
        marshal::not_null(phStream)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { arguments::put(phStream, streams::stream::create(flags, priority)?) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamDestroy(hStream: CUstream) -> CUresult {
    legacy_abi::carry_out(175, false, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuStreamDestroy_v2(hStream).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamDestroy_v2(hStream: CUstream) -> CUresult {
    enter(176, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::stream::destroy(hStream) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamEndCapture(hStream: CUstream, phGraph: *mut CUgraph) -> CUresult {
    enter(177, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuStreamEndCapture(hStream, phGraph) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamEndCapture_ptsz(
    hStream: CUstream,
    phGraph: *mut CUgraph,
) -> CUresult {
    enter(178, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuStreamEndCapture(hStream.or_per_thread(), phGraph) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetAttribute(
    hStream: CUstream,
    attr: CUstreamAttrID,
    value_out: *mut CUstreamAttrValue,
) -> CUresult {
    enter(179, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(matches!(attr, 1 | 3 | 8..=10))?;
            marshal::not_null(value_out)?;
            let work_stream;
            call(&wire::StreamGetAttribute {
                stream: {
                    work_stream = marshal::stream(hStream)?;
                    work_stream.handle
                },
                attr,
            })?
            .read(|reply| {
                marshal::output_struct(value_out, reply.value_out)?;
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetAttribute_ptsz(
    hStream: CUstream,
    attr: CUstreamAttrID,
    value_out: *mut CUstreamAttrValue,
) -> CUresult {
    enter(180, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(matches!(attr, 1 | 3 | 8..=10))?;
            marshal::not_null(value_out)?;
            let work_stream;
            call(&wire::StreamGetAttribute {
                stream: {
                    work_stream = marshal::stream(hStream.or_per_thread())?;
                    work_stream.handle
                },
                attr,
            })?
            .read(|reply| {
                marshal::output_struct(value_out, reply.value_out)?;
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCaptureInfo(
    hStream: CUstream,
    captureStatus_out: *mut CUstreamCaptureStatus,
    id_out: *mut u64,
) -> CUresult {
    enter(181, || {
        call_on_its_node(hStream.0, || {
            let (graph_out, dependencies_out, edgeData_out, numDependencies_out): (
                *mut CUgraph,
                *mut *const CUgraphNode,
                *mut *const CUgraphEdgeData,
                *mut usize,
            ) = (
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            );
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuStreamGetCaptureInfo_v3(
                    hStream,
                    captureStatus_out,
                    id_out,
                    graph_out,
                    dependencies_out,
                    edgeData_out,
                    numDependencies_out,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCaptureInfo_ptsz(
    hStream: CUstream,
    captureStatus_out: *mut CUstreamCaptureStatus,
    id_out: *mut u64,
) -> CUresult {
    enter(182, || {
        call_on_its_node(hStream.0, || {
            let (hStream, graph_out, dependencies_out, edgeData_out, numDependencies_out): (
                CUstream,
                *mut CUgraph,
                *mut *const CUgraphNode,
                *mut *const CUgraphEdgeData,
                *mut usize,
            ) = (
                hStream.or_per_thread(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            );
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuStreamGetCaptureInfo_v3(
                    hStream,
                    captureStatus_out,
                    id_out,
                    graph_out,
                    dependencies_out,
                    edgeData_out,
                    numDependencies_out,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCaptureInfo_v2(
    hStream: CUstream,
    captureStatus_out: *mut CUstreamCaptureStatus,
    id_out: *mut u64,
    graph_out: *mut CUgraph,
    dependencies_out: *mut *const CUgraphNode,
    numDependencies_out: *mut usize,
) -> CUresult {
    enter(183, || {
        call_on_its_node(hStream.0, || {
            let edgeData_out: *mut *const CUgraphEdgeData = std::ptr::null_mut();
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuStreamGetCaptureInfo_v3(
                    hStream,
                    captureStatus_out,
                    id_out,
                    graph_out,
                    dependencies_out,
                    edgeData_out,
                    numDependencies_out,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCaptureInfo_v2_ptsz(
    hStream: CUstream,
    captureStatus_out: *mut CUstreamCaptureStatus,
    id_out: *mut u64,
    graph_out: *mut CUgraph,
    dependencies_out: *mut *const CUgraphNode,
    numDependencies_out: *mut usize,
) -> CUresult {
    enter(184, || {
        call_on_its_node(hStream.0, || {
            let (hStream, edgeData_out): (CUstream, *mut *const CUgraphEdgeData) =
                (hStream.or_per_thread(), std::ptr::null_mut());
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuStreamGetCaptureInfo_v3(
                    hStream,
                    captureStatus_out,
                    id_out,
                    graph_out,
                    dependencies_out,
                    edgeData_out,
                    numDependencies_out,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCaptureInfo_v3(
    hStream: CUstream,
    captureStatus_out: *mut CUstreamCaptureStatus,
    id_out: *mut u64,
    graph_out: *mut CUgraph,
    dependencies_out: *mut *const CUgraphNode,
    edgeData_out: *mut *const CUgraphEdgeData,
    numDependencies_out: *mut usize,
) -> CUresult {
    enter(185, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuStreamGetCaptureInfo_v3(
                    hStream,
                    captureStatus_out,
                    id_out,
                    graph_out,
                    dependencies_out,
                    edgeData_out,
                    numDependencies_out,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCaptureInfo_v3_ptsz(
    hStream: CUstream,
    captureStatus_out: *mut CUstreamCaptureStatus,
    id_out: *mut u64,
    graph_out: *mut CUgraph,
    dependencies_out: *mut *const CUgraphNode,
    edgeData_out: *mut *const CUgraphEdgeData,
    numDependencies_out: *mut usize,
) -> CUresult {
    enter(186, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuStreamGetCaptureInfo_v3(
                    hStream.or_per_thread(),
                    captureStatus_out,
                    id_out,
                    graph_out,
                    dependencies_out,
                    edgeData_out,
                    numDependencies_out,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCtx(hStream: CUstream, pctx: *mut CUcontext) -> CUresult {
    enter(187, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuStreamGetCtx(hStream, pctx) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCtx_ptsz(hStream: CUstream, pctx: *mut CUcontext) -> CUresult {
    enter(188, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuStreamGetCtx(hStream.or_per_thread(), pctx) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCtx_v2(
    hStream: CUstream,
    pctx: *mut CUcontext,
    pGreenCtx: *mut CUgreenCtx,
) -> CUresult {
    enter(189, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuStreamGetCtx_v2(hStream, pctx, pGreenCtx) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCtx_v2_ptsz(
    hStream: CUstream,
    pctx: *mut CUcontext,
    pGreenCtx: *mut CUgreenCtx,
) -> CUresult {
    enter(190, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuStreamGetCtx_v2(hStream.or_per_thread(), pctx, pGreenCtx) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetDevice(hStream: CUstream, device: *mut CUdevice) -> CUresult {
    enter(191, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuStreamGetDevice(hStream, device) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetDevice_ptsz(
    hStream: CUstream,
    device: *mut CUdevice,
) -> CUresult {
    enter(192, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuStreamGetDevice(hStream.or_per_thread(), device) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetFlags(hStream: CUstream, flags: *mut u32) -> CUresult {
    enter(193, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuStreamGetFlags(hStream, flags) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetFlags_ptsz(hStream: CUstream, flags: *mut u32) -> CUresult {
    enter(194, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuStreamGetFlags(hStream.or_per_thread(), flags) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetGreenCtx(
    hStream: CUstream,
    phCtx: *mut CUgreenCtx,
) -> CUresult {
    enter(195, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuStreamGetGreenCtx(hStream, phCtx) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetId(hStream: CUstream, streamId: *mut u64) -> CUresult {
    enter(196, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuStreamGetId(hStream, streamId) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetId_ptsz(hStream: CUstream, streamId: *mut u64) -> CUresult {
    enter(197, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuStreamGetId(hStream.or_per_thread(), streamId) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetPriority(hStream: CUstream, priority: *mut i32) -> CUresult {
    enter(198, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuStreamGetPriority(hStream, priority) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetPriority_ptsz(
    hStream: CUstream,
    priority: *mut i32,
) -> CUresult {
    enter(199, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuStreamGetPriority(hStream.or_per_thread(), priority) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamIsCapturing(
    hStream: CUstream,
    captureStatus: *mut CUstreamCaptureStatus,
) -> CUresult {
    enter(200, || {
        call_on_its_node(hStream.0, || {
            let (captureStatus_out, id_out): (*mut CUstreamCaptureStatus, *mut u64) =
                (captureStatus, std::ptr::null_mut());
            let (graph_out, dependencies_out, edgeData_out, numDependencies_out): (
                *mut CUgraph,
                *mut *const CUgraphNode,
                *mut *const CUgraphEdgeData,
                *mut usize,
            ) = (
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            );
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuStreamGetCaptureInfo_v3(
                    hStream,
                    captureStatus_out,
                    id_out,
                    graph_out,
                    dependencies_out,
                    edgeData_out,
                    numDependencies_out,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamIsCapturing_ptsz(
    hStream: CUstream,
    captureStatus: *mut CUstreamCaptureStatus,
) -> CUresult {
    enter(201, || {
        call_on_its_node(hStream.0, || {
            let (hStream, captureStatus_out, id_out): (
                CUstream,
                *mut CUstreamCaptureStatus,
                *mut u64,
            ) = (hStream.or_per_thread(), captureStatus, std::ptr::null_mut());
            let (graph_out, dependencies_out, edgeData_out, numDependencies_out): (
                *mut CUgraph,
                *mut *const CUgraphNode,
                *mut *const CUgraphEdgeData,
                *mut usize,
            ) = (
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            );
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuStreamGetCaptureInfo_v3(
                    hStream,
                    captureStatus_out,
                    id_out,
                    graph_out,
                    dependencies_out,
                    edgeData_out,
                    numDependencies_out,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamQuery(hStream: CUstream) -> CUresult {
    enter(202, || {
        graphs::capture::check_thread()?;
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::stream::query(hStream) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamQuery_ptsz(hStream: CUstream) -> CUresult {
    enter(203, || {
        graphs::capture::check_thread()?;
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::stream::query(hStream.or_per_thread()) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamSetAttribute(
    hStream: CUstream,
    attr: CUstreamAttrID,
    value: *const CUstreamAttrValue,
) -> CUresult {
    enter(204, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(matches!(attr, 1 | 3 | 8..=10))?;
            let work_stream;
            call(&wire::StreamSetAttribute {
                stream: {
                    work_stream = marshal::stream(hStream)?;
                    work_stream.handle
                },
                attr,
                value: marshal::input(&value)?,
            })?
            .ok()
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamSetAttribute_ptsz(
    hStream: CUstream,
    attr: CUstreamAttrID,
    value: *const CUstreamAttrValue,
) -> CUresult {
    enter(205, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(matches!(attr, 1 | 3 | 8..=10))?;
            let work_stream;
            call(&wire::StreamSetAttribute {
                stream: {
                    work_stream = marshal::stream(hStream.or_per_thread())?;
                    work_stream.handle
                },
                attr,
                value: marshal::input(&value)?,
            })?
            .ok()
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamSynchronize(hStream: CUstream) -> CUresult {
    enter(206, || {
        graphs::capture::check_thread()?;
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::stream::synchronize(hStream) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamSynchronize_ptsz(hStream: CUstream) -> CUresult {
    enter(207, || {
        graphs::capture::check_thread()?;
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::stream::synchronize(hStream.or_per_thread()) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamUpdateCaptureDependencies(
    hStream: CUstream,
    dependencies: *mut CUgraphNode,
    numDependencies: usize,
    flags: u32,
) -> CUresult {
    enter(208, || {
        call_on_its_node(hStream.0, || {
            let dependencyData: *const CUgraphEdgeData = std::ptr::null_mut();
            arguments::require_in_context(matches!(flags, 0 | 1))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::capture::depend(
                    hStream,
                    graphs::capture::after(dependencies, dependencyData, numDependencies)?,
                    flags,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamUpdateCaptureDependencies_ptsz(
    hStream: CUstream,
    dependencies: *mut CUgraphNode,
    numDependencies: usize,
    flags: u32,
) -> CUresult {
    enter(209, || {
        call_on_its_node(hStream.0, || {
            let (hStream, dependencyData): (CUstream, *const CUgraphEdgeData) =
                (hStream.or_per_thread(), std::ptr::null_mut());
            arguments::require_in_context(matches!(flags, 0 | 1))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::capture::depend(
                    hStream,
                    graphs::capture::after(dependencies, dependencyData, numDependencies)?,
                    flags,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamUpdateCaptureDependencies_v2(
    hStream: CUstream,
    dependencies: *mut CUgraphNode,
    dependencyData: *const CUgraphEdgeData,
    numDependencies: usize,
    flags: u32,
) -> CUresult {
    enter(210, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(matches!(flags, 0 | 1))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::capture::depend(
                    hStream,
                    graphs::capture::after(dependencies, dependencyData, numDependencies)?,
                    flags,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamUpdateCaptureDependencies_v2_ptsz(
    hStream: CUstream,
    dependencies: *mut CUgraphNode,
    dependencyData: *const CUgraphEdgeData,
    numDependencies: usize,
    flags: u32,
) -> CUresult {
    enter(211, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(matches!(flags, 0 | 1))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::capture::depend(
                    hStream.or_per_thread(),
                    graphs::capture::after(dependencies, dependencyData, numDependencies)?,
                    flags,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitEvent(
    hStream: CUstream,
    hEvent: CUevent,
    Flags: u32,
) -> CUresult {
    enter(212, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(matches!(Flags, 0 | 1))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::event::wait(hStream, hEvent, Flags) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitEvent_ptsz(
    hStream: CUstream,
    hEvent: CUevent,
    Flags: u32,
) -> CUresult {
    enter(213, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(matches!(Flags, 0 | 1))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::event::wait(hStream.or_per_thread(), hEvent, Flags) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitValue32() -> CUresult {
    unsupported(214)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitValue32_ptsz() -> CUresult {
    unsupported(215)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitValue32_v2(
    stream: CUstream,
    addr: CUdeviceptr,
    value: u32,
    flags: u32,
) -> CUresult {
    enter(216, || {
        call_on_its_node(stream.0, || {
            arguments::require_in_context(addr.is_multiple_of(4))?;
            arguments::require_in_context(flags & !(0x4000_0003) == 0)?;
            arguments::require_support(
                flags & 0x4000_0000 == 0 || arguments::can_flush_remote_writes(),
            )?;
            ranges::check_range(addr, 4)?;
            let work_stream;
            let message = wire::StreamWaitValue32 {
                stream: {
                    work_stream = marshal::stream(stream)?;
                    work_stream.handle
                },
                addr,
                value,
                flags,
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitValue32_v2_ptsz(
    stream: CUstream,
    addr: CUdeviceptr,
    value: u32,
    flags: u32,
) -> CUresult {
    enter(217, || {
        call_on_its_node(stream.0, || {
            arguments::require_in_context(addr.is_multiple_of(4))?;
            arguments::require_in_context(flags & !(0x4000_0003) == 0)?;
            arguments::require_support(
                flags & 0x4000_0000 == 0 || arguments::can_flush_remote_writes(),
            )?;
            ranges::check_range(addr, 4)?;
            let work_stream;
            let message = wire::StreamWaitValue32 {
                stream: {
                    work_stream = marshal::stream(stream.or_per_thread())?;
                    work_stream.handle
                },
                addr,
                value,
                flags,
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitValue64() -> CUresult {
    unsupported(218)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitValue64_ptsz() -> CUresult {
    unsupported(219)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitValue64_v2(
    stream: CUstream,
    addr: CUdeviceptr,
    value: u64,
    flags: u32,
) -> CUresult {
    enter(220, || {
        call_on_its_node(stream.0, || {
            arguments::require_in_context(addr.is_multiple_of(8))?;
            arguments::require_in_context(flags & !(0x4000_0003) == 0)?;
            arguments::require_support(
                flags & 0x4000_0000 == 0 || arguments::can_flush_remote_writes(),
            )?;
            ranges::check_range(addr, 8)?;
            let work_stream;
            let message = wire::StreamWaitValue64 {
                stream: {
                    work_stream = marshal::stream(stream)?;
                    work_stream.handle
                },
                addr,
                value,
                flags,
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitValue64_v2_ptsz(
    stream: CUstream,
    addr: CUdeviceptr,
    value: u64,
    flags: u32,
) -> CUresult {
    enter(221, || {
        call_on_its_node(stream.0, || {
            arguments::require_in_context(addr.is_multiple_of(8))?;
            arguments::require_in_context(flags & !(0x4000_0003) == 0)?;
            arguments::require_support(
                flags & 0x4000_0000 == 0 || arguments::can_flush_remote_writes(),
            )?;
            ranges::check_range(addr, 8)?;
            let work_stream;
            let message = wire::StreamWaitValue64 {
                stream: {
                    work_stream = marshal::stream(stream.or_per_thread())?;
                    work_stream.handle
                },
                addr,
                value,
                flags,
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWriteValue32() -> CUresult {
    unsupported(222)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWriteValue32_ptsz() -> CUresult {
    unsupported(223)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWriteValue32_v2(
    stream: CUstream,
    addr: CUdeviceptr,
    value: u32,
    flags: u32,
) -> CUresult {
    enter(224, || {
        call_on_its_node(stream.0, || {
            arguments::require_in_context(addr.is_multiple_of(4))?;
            arguments::require_in_context(matches!(flags, 0))?;
            ranges::check_range(addr, 4)?;
            let work_stream;
            let message = wire::StreamWriteValue32 {
                stream: {
                    work_stream = marshal::stream(stream)?;
                    work_stream.handle
                },
                addr,
                value,
                flags,
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWriteValue32_v2_ptsz(
    stream: CUstream,
    addr: CUdeviceptr,
    value: u32,
    flags: u32,
) -> CUresult {
    enter(225, || {
        call_on_its_node(stream.0, || {
            arguments::require_in_context(addr.is_multiple_of(4))?;
            arguments::require_in_context(matches!(flags, 0))?;
            ranges::check_range(addr, 4)?;
            let work_stream;
            let message = wire::StreamWriteValue32 {
                stream: {
                    work_stream = marshal::stream(stream.or_per_thread())?;
                    work_stream.handle
                },
                addr,
                value,
                flags,
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWriteValue64() -> CUresult {
    unsupported(226)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWriteValue64_ptsz() -> CUresult {
    unsupported(227)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWriteValue64_v2(
    stream: CUstream,
    addr: CUdeviceptr,
    value: u64,
    flags: u32,
) -> CUresult {
    enter(228, || {
        call_on_its_node(stream.0, || {
            arguments::require_in_context(addr.is_multiple_of(8))?;
            arguments::require_in_context(matches!(flags, 0))?;
            ranges::check_range(addr, 8)?;
            let work_stream;
            let message = wire::StreamWriteValue64 {
                stream: {
                    work_stream = marshal::stream(stream)?;
                    work_stream.handle
                },
                addr,
                value,
                flags,
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWriteValue64_v2_ptsz(
    stream: CUstream,
    addr: CUdeviceptr,
    value: u64,
    flags: u32,
) -> CUresult {
    enter(229, || {
        call_on_its_node(stream.0, || {
            arguments::require_in_context(addr.is_multiple_of(8))?;
            arguments::require_in_context(matches!(flags, 0))?;
            ranges::check_range(addr, 8)?;
            let work_stream;
            let message = wire::StreamWriteValue64 {
                stream: {
                    work_stream = marshal::stream(stream.or_per_thread())?;
                    work_stream.handle
                },
                addr,
                value,
                flags,
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuThreadExchangeStreamCaptureMode(
    mode: *mut CUstreamCaptureMode,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(230, || unsafe { api::cuThreadExchangeStreamCaptureMode(mode) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventCreate(phEvent: *mut CUevent, Flags: u32) -> CUresult {
    enter(231, || {
        marshal::not_null(phEvent)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { arguments::put(phEvent, streams::event::create(Flags)?) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventDestroy(hEvent: CUevent) -> CUresult {
    legacy_abi::carry_out(232, false, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuEventDestroy_v2(hEvent).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventDestroy_v2(hEvent: CUevent) -> CUresult {
    enter(233, || {
        call_on_its_node(hEvent.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::event::destroy(hEvent) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventElapsedTime(
    pMilliseconds: *mut f32,
    hStart: CUevent,
    hEnd: CUevent,
) -> CUresult {
    enter(234, || {
        call_on_its_node(hStart.0, || {
            marshal::not_null(pMilliseconds)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { arguments::put(pMilliseconds, streams::event::elapsed(hStart, hEnd)?) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventElapsedTime_v2(
    pMilliseconds: *mut f32,
    hStart: CUevent,
    hEnd: CUevent,
) -> CUresult {
    enter(235, || {
        call_on_its_node(hStart.0, || {
            marshal::not_null(pMilliseconds)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { arguments::put(pMilliseconds, streams::event::elapsed(hStart, hEnd)?) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventQuery(hEvent: CUevent) -> CUresult {
    enter(236, || {
        graphs::capture::check_thread()?;
        call_on_its_node(hEvent.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::event::query(hEvent) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecord(hEvent: CUevent, hStream: CUstream) -> CUresult {
    enter(237, || {
        call_on_its_node(hStream.0, || {
            let flags: u32 = 0;
            arguments::require_in_context(matches!(flags, 0 | 1))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::event::record(hEvent, hStream, flags) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecord_ptsz(hEvent: CUevent, hStream: CUstream) -> CUresult {
    enter(238, || {
        call_on_its_node(hStream.0, || {
            let (hStream, flags): (CUstream, u32) = (hStream.or_per_thread(), 0);
            arguments::require_in_context(matches!(flags, 0 | 1))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::event::record(hEvent, hStream, flags) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecordWithFlags(
    hEvent: CUevent,
    hStream: CUstream,
    flags: u32,
) -> CUresult {
    enter(239, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(matches!(flags, 0 | 1))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::event::record(hEvent, hStream, flags) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecordWithFlags_ptsz(
    hEvent: CUevent,
    hStream: CUstream,
    flags: u32,
) -> CUresult {
    enter(240, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(matches!(flags, 0 | 1))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::event::record(hEvent, hStream.or_per_thread(), flags) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventSynchronize(hEvent: CUevent) -> CUresult {
    enter(241, || {
        graphs::capture::check_thread()?;
        call_on_its_node(hEvent.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { streams::event::synchronize(hEvent) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy(
    dst: CUdeviceptr,
    src: CUdeviceptr,
    ByteCount: usize,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(242, || unsafe {
        copies::flat::unified(dst, src, ByteCount, CUstream::LEGACY, Mode::Synchronous)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy_ptds(
    dst: CUdeviceptr,
    src: CUdeviceptr,
    ByteCount: usize,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(243, || unsafe {
        copies::flat::unified(dst, src, ByteCount, CUstream::PER_THREAD, Mode::Synchronous)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2D(pCopy: *const CUDA_MEMCPY2D_v1) -> CUresult {
    legacy_abi::carry_out(244, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let pCopy = legacy_32bit::read(pCopy);
            cuMemcpy2D_v2(legacy_32bit::pointer(&pCopy)).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2D_v2(pCopy: *const CUDA_MEMCPY2D) -> CUresult {
    enter(245, || {
        legacy_abi::later(|| {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                copies::rows::copy_2d(
                    arguments::reference(pCopy)?,
                    CUstream::LEGACY,
                    Mode::Synchronous,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2D_v2_ptds(pCopy: *const CUDA_MEMCPY2D) -> CUresult {
    enter(246, || {
        legacy_abi::later(|| {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                copies::rows::copy_2d(
                    arguments::reference(pCopy)?,
                    CUstream::PER_THREAD,
                    Mode::Synchronous,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2DAsync(
    pCopy: *const CUDA_MEMCPY2D_v1,
    hStream: CUstream,
) -> CUresult {
    legacy_abi::carry_out(247, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let pCopy = legacy_32bit::read(pCopy);
            cuMemcpy2DAsync_v2(legacy_32bit::pointer(&pCopy), hStream).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2DAsync_v2(
    pCopy: *const CUDA_MEMCPY2D,
    hStream: CUstream,
) -> CUresult {
    enter(248, || {
        legacy_abi::later(|| {
            call_on_its_node(hStream.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::rows::copy_2d(arguments::reference(pCopy)?, hStream, Mode::Asynchronous)
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2DAsync_v2_ptsz(
    pCopy: *const CUDA_MEMCPY2D,
    hStream: CUstream,
) -> CUresult {
    enter(249, || {
        legacy_abi::later(|| {
            call_on_its_node(hStream.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::rows::copy_2d(
                        arguments::reference(pCopy)?,
                        hStream.or_per_thread(),
                        Mode::Asynchronous,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2DUnaligned(pCopy: *const CUDA_MEMCPY2D_v1) -> CUresult {
    legacy_abi::carry_out(250, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let pCopy = legacy_32bit::read(pCopy);
            cuMemcpy2DUnaligned_v2(legacy_32bit::pointer(&pCopy)).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2DUnaligned_v2(pCopy: *const CUDA_MEMCPY2D) -> CUresult {
    enter(251, || {
        legacy_abi::later(|| {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                copies::rows::copy_2d(
                    arguments::reference(pCopy)?,
                    CUstream::LEGACY,
                    Mode::Synchronous,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2DUnaligned_v2_ptds(pCopy: *const CUDA_MEMCPY2D) -> CUresult {
    enter(252, || {
        legacy_abi::later(|| {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                copies::rows::copy_2d(
                    arguments::reference(pCopy)?,
                    CUstream::PER_THREAD,
                    Mode::Synchronous,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3D(pCopy: *const CUDA_MEMCPY3D_v1) -> CUresult {
    legacy_abi::carry_out(253, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let pCopy = legacy_32bit::read(pCopy);
            cuMemcpy3D_v2(legacy_32bit::pointer(&pCopy)).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3D_v2(pCopy: *const CUDA_MEMCPY3D) -> CUresult {
    enter(254, || {
        legacy_abi::later(|| {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                copies::rows::copy_3d(
                    arguments::reference(pCopy)?,
                    CUstream::LEGACY,
                    Mode::Synchronous,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3D_v2_ptds(pCopy: *const CUDA_MEMCPY3D) -> CUresult {
    enter(255, || {
        legacy_abi::later(|| {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                copies::rows::copy_3d(
                    arguments::reference(pCopy)?,
                    CUstream::PER_THREAD,
                    Mode::Synchronous,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DAsync(
    pCopy: *const CUDA_MEMCPY3D_v1,
    hStream: CUstream,
) -> CUresult {
    legacy_abi::carry_out(256, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let pCopy = legacy_32bit::read(pCopy);
            cuMemcpy3DAsync_v2(legacy_32bit::pointer(&pCopy), hStream).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DAsync_v2(
    pCopy: *const CUDA_MEMCPY3D,
    hStream: CUstream,
) -> CUresult {
    enter(257, || {
        legacy_abi::later(|| {
            call_on_its_node(hStream.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::rows::copy_3d(arguments::reference(pCopy)?, hStream, Mode::Asynchronous)
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DAsync_v2_ptsz(
    pCopy: *const CUDA_MEMCPY3D,
    hStream: CUstream,
) -> CUresult {
    enter(258, || {
        legacy_abi::later(|| {
            call_on_its_node(hStream.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::rows::copy_3d(
                        arguments::reference(pCopy)?,
                        hStream.or_per_thread(),
                        Mode::Asynchronous,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DBatchAsync(
    numOps: usize,
    opList: *const CUDA_MEMCPY3D_BATCH_OP,
    failIdx: *mut usize,
    flags: u64,
    hStream: CUstream,
) -> CUresult {
    enter(259, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemcpy3DBatchAsync(numOps, opList, failIdx, flags, hStream) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DBatchAsync_ptsz(
    numOps: usize,
    opList: *const CUDA_MEMCPY3D_BATCH_OP,
    failIdx: *mut usize,
    flags: u64,
    hStream: CUstream,
) -> CUresult {
    enter(260, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuMemcpy3DBatchAsync(numOps, opList, failIdx, flags, hStream.or_per_thread())
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DBatchAsync_v2(
    numOps: usize,
    opList: *const CUDA_MEMCPY3D_BATCH_OP,
    flags: u64,
    hStream: CUstream,
) -> CUresult {
    enter(261, || {
        call_on_its_node(hStream.0, || {
            let failIdx: *mut usize = std::ptr::null_mut();
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemcpy3DBatchAsync(numOps, opList, failIdx, flags, hStream) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DBatchAsync_v2_ptsz(
    numOps: usize,
    opList: *const CUDA_MEMCPY3D_BATCH_OP,
    flags: u64,
    hStream: CUstream,
) -> CUresult {
    enter(262, || {
        call_on_its_node(hStream.0, || {
            let (failIdx, hStream): (*mut usize, CUstream) =
                (std::ptr::null_mut(), hStream.or_per_thread());
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemcpy3DBatchAsync(numOps, opList, failIdx, flags, hStream) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DPeer(pCopy: *const CUDA_MEMCPY3D_PEER) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(263, || unsafe {
        copies::peer::copy_3d(arguments::reference(pCopy)?, CUstream::LEGACY, Mode::Synchronous)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DPeer_ptds(pCopy: *const CUDA_MEMCPY3D_PEER) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(264, || unsafe {
        copies::peer::copy_3d(arguments::reference(pCopy)?, CUstream::PER_THREAD, Mode::Synchronous)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DPeerAsync(
    pCopy: *const CUDA_MEMCPY3D_PEER,
    hStream: CUstream,
) -> CUresult {
    enter(265, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                copies::peer::copy_3d(arguments::reference(pCopy)?, hStream, Mode::Asynchronous)
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DPeerAsync_ptsz(
    pCopy: *const CUDA_MEMCPY3D_PEER,
    hStream: CUstream,
) -> CUresult {
    enter(266, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                copies::peer::copy_3d(
                    arguments::reference(pCopy)?,
                    hStream.or_per_thread(),
                    Mode::Asynchronous,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAsync(
    dst: CUdeviceptr,
    src: CUdeviceptr,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult {
    enter(267, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { copies::flat::unified(dst, src, ByteCount, hStream, Mode::Asynchronous) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAsync_ptsz(
    dst: CUdeviceptr,
    src: CUdeviceptr,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult {
    enter(268, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                copies::flat::unified(
                    dst,
                    src,
                    ByteCount,
                    hStream.or_per_thread(),
                    Mode::Asynchronous,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoA(
    dstArray: CUarray,
    dstOffset: u32,
    srcArray: CUarray,
    srcOffset: u32,
    ByteCount: u32,
) -> CUresult {
    legacy_abi::carry_out(269, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemcpyAtoA_v2(
                dstArray,
                legacy_32bit::widen(dstOffset),
                srcArray,
                legacy_32bit::widen(srcOffset),
                legacy_32bit::widen(ByteCount),
            )
            .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoA_v2(
    dstArray: CUarray,
    dstOffset: usize,
    srcArray: CUarray,
    srcOffset: usize,
    ByteCount: usize,
) -> CUresult {
    enter(270, || {
        legacy_abi::later(|| {
            call_on_its_node(dstArray.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::array::between(
                        dstArray,
                        dstOffset,
                        srcArray,
                        srcOffset,
                        ByteCount,
                        CUstream::LEGACY,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoA_v2_ptds(
    dstArray: CUarray,
    dstOffset: usize,
    srcArray: CUarray,
    srcOffset: usize,
    ByteCount: usize,
) -> CUresult {
    enter(271, || {
        legacy_abi::later(|| {
            call_on_its_node(dstArray.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::array::between(
                        dstArray,
                        dstOffset,
                        srcArray,
                        srcOffset,
                        ByteCount,
                        CUstream::PER_THREAD,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoD(
    dstDevice: CUdeviceptr_v1,
    srcArray: CUarray,
    srcOffset: u32,
    ByteCount: u32,
) -> CUresult {
    legacy_abi::carry_out(272, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemcpyAtoD_v2(
                legacy_32bit::widen(dstDevice),
                srcArray,
                legacy_32bit::widen(srcOffset),
                legacy_32bit::widen(ByteCount),
            )
            .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoD_v2(
    dstDevice: CUdeviceptr,
    srcArray: CUarray,
    srcOffset: usize,
    ByteCount: usize,
) -> CUresult {
    enter(273, || {
        legacy_abi::later(|| {
            call_on_its_node(srcArray.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::array::to_device(
                        dstDevice,
                        srcArray,
                        srcOffset,
                        ByteCount,
                        CUstream::LEGACY,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoD_v2_ptds(
    dstDevice: CUdeviceptr,
    srcArray: CUarray,
    srcOffset: usize,
    ByteCount: usize,
) -> CUresult {
    enter(274, || {
        legacy_abi::later(|| {
            call_on_its_node(srcArray.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::array::to_device(
                        dstDevice,
                        srcArray,
                        srcOffset,
                        ByteCount,
                        CUstream::PER_THREAD,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoH(
    dstHost: *mut c_void,
    srcArray: CUarray,
    srcOffset: u32,
    ByteCount: u32,
) -> CUresult {
    legacy_abi::carry_out(275, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemcpyAtoH_v2(
                dstHost,
                srcArray,
                legacy_32bit::widen(srcOffset),
                legacy_32bit::widen(ByteCount),
            )
            .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoH_v2(
    dstHost: *mut c_void,
    srcArray: CUarray,
    srcOffset: usize,
    ByteCount: usize,
) -> CUresult {
    enter(276, || {
        legacy_abi::later(|| {
            call_on_its_node(srcArray.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::array::to_host(
                        dstHost,
                        srcArray,
                        srcOffset,
                        ByteCount,
                        CUstream::LEGACY,
                        Mode::Synchronous,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoH_v2_ptds(
    dstHost: *mut c_void,
    srcArray: CUarray,
    srcOffset: usize,
    ByteCount: usize,
) -> CUresult {
    enter(277, || {
        legacy_abi::later(|| {
            call_on_its_node(srcArray.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::array::to_host(
                        dstHost,
                        srcArray,
                        srcOffset,
                        ByteCount,
                        CUstream::PER_THREAD,
                        Mode::Synchronous,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoHAsync(
    dstHost: *mut c_void,
    srcArray: CUarray,
    srcOffset: u32,
    ByteCount: u32,
    hStream: CUstream,
) -> CUresult {
    legacy_abi::carry_out(278, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemcpyAtoHAsync_v2(
                dstHost,
                srcArray,
                legacy_32bit::widen(srcOffset),
                legacy_32bit::widen(ByteCount),
                hStream,
            )
            .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoHAsync_v2(
    dstHost: *mut c_void,
    srcArray: CUarray,
    srcOffset: usize,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult {
    enter(279, || {
        legacy_abi::later(|| {
            call_on_its_node(hStream.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::array::to_host(
                        dstHost,
                        srcArray,
                        srcOffset,
                        ByteCount,
                        hStream,
                        Mode::Asynchronous,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoHAsync_v2_ptsz(
    dstHost: *mut c_void,
    srcArray: CUarray,
    srcOffset: usize,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult {
    enter(280, || {
        legacy_abi::later(|| {
            call_on_its_node(hStream.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::array::to_host(
                        dstHost,
                        srcArray,
                        srcOffset,
                        ByteCount,
                        hStream.or_per_thread(),
                        Mode::Asynchronous,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyBatchAsync(
    dsts: *const CUdeviceptr,
    srcs: *const CUdeviceptr,
    sizes: *const usize,
    count: usize,
    attrs: *const CUmemcpyAttributes,
    attrsIdxs: *const usize,
    numAttrs: usize,
    failIdx: *mut usize,
    hStream: CUstream,
) -> CUresult {
    enter(281, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuMemcpyBatchAsync(
                    dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx, hStream,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyBatchAsync_ptsz(
    dsts: *const CUdeviceptr,
    srcs: *const CUdeviceptr,
    sizes: *const usize,
    count: usize,
    attrs: *const CUmemcpyAttributes,
    attrsIdxs: *const usize,
    numAttrs: usize,
    failIdx: *mut usize,
    hStream: CUstream,
) -> CUresult {
    enter(282, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuMemcpyBatchAsync(
                    dsts,
                    srcs,
                    sizes,
                    count,
                    attrs,
                    attrsIdxs,
                    numAttrs,
                    failIdx,
                    hStream.or_per_thread(),
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyBatchAsync_v2(
    dsts: *const CUdeviceptr,
    srcs: *const CUdeviceptr,
    sizes: *const usize,
    count: usize,
    attrs: *const CUmemcpyAttributes,
    attrsIdxs: *const usize,
    numAttrs: usize,
    hStream: CUstream,
) -> CUresult {
    enter(283, || {
        call_on_its_node(hStream.0, || {
            let failIdx: *mut usize = std::ptr::null_mut();
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuMemcpyBatchAsync(
                    dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx, hStream,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyBatchAsync_v2_ptsz(
    dsts: *const CUdeviceptr,
    srcs: *const CUdeviceptr,
    sizes: *const usize,
    count: usize,
    attrs: *const CUmemcpyAttributes,
    attrsIdxs: *const usize,
    numAttrs: usize,
    hStream: CUstream,
) -> CUresult {
    enter(284, || {
        call_on_its_node(hStream.0, || {
            let (failIdx, hStream): (*mut usize, CUstream) =
                (std::ptr::null_mut(), hStream.or_per_thread());
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuMemcpyBatchAsync(
                    dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx, hStream,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoA(
    dstArray: CUarray,
    dstOffset: u32,
    srcDevice: CUdeviceptr_v1,
    ByteCount: u32,
) -> CUresult {
    legacy_abi::carry_out(285, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemcpyDtoA_v2(
                dstArray,
                legacy_32bit::widen(dstOffset),
                legacy_32bit::widen(srcDevice),
                legacy_32bit::widen(ByteCount),
            )
            .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoA_v2(
    dstArray: CUarray,
    dstOffset: usize,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
) -> CUresult {
    enter(286, || {
        legacy_abi::later(|| {
            call_on_its_node(dstArray.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::array::from_device(
                        dstArray,
                        dstOffset,
                        srcDevice,
                        ByteCount,
                        CUstream::LEGACY,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoA_v2_ptds(
    dstArray: CUarray,
    dstOffset: usize,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
) -> CUresult {
    enter(287, || {
        legacy_abi::later(|| {
            call_on_its_node(dstArray.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::array::from_device(
                        dstArray,
                        dstOffset,
                        srcDevice,
                        ByteCount,
                        CUstream::PER_THREAD,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoD(
    dstDevice: CUdeviceptr_v1,
    srcDevice: CUdeviceptr_v1,
    ByteCount: u32,
) -> CUresult {
    legacy_abi::carry_out(288, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemcpyDtoD_v2(
                legacy_32bit::widen(dstDevice),
                legacy_32bit::widen(srcDevice),
                legacy_32bit::widen(ByteCount),
            )
            .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoD_v2(
    dstDevice: CUdeviceptr,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
) -> CUresult {
    enter(289, || {
        legacy_abi::later(|| {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                copies::flat::flat_on_device(
                    dstDevice,
                    srcDevice,
                    ByteCount,
                    CUstream::LEGACY,
                    Mode::Synchronous,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoD_v2_ptds(
    dstDevice: CUdeviceptr,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
) -> CUresult {
    enter(290, || {
        legacy_abi::later(|| {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                copies::flat::flat_on_device(
                    dstDevice,
                    srcDevice,
                    ByteCount,
                    CUstream::PER_THREAD,
                    Mode::Synchronous,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoDAsync(
    dstDevice: CUdeviceptr_v1,
    srcDevice: CUdeviceptr_v1,
    ByteCount: u32,
    hStream: CUstream,
) -> CUresult {
    legacy_abi::carry_out(291, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemcpyDtoDAsync_v2(
                legacy_32bit::widen(dstDevice),
                legacy_32bit::widen(srcDevice),
                legacy_32bit::widen(ByteCount),
                hStream,
            )
            .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoDAsync_v2(
    dstDevice: CUdeviceptr,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult {
    enter(292, || {
        legacy_abi::later(|| {
            call_on_its_node(hStream.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::flat::flat_on_device(
                        dstDevice,
                        srcDevice,
                        ByteCount,
                        hStream,
                        Mode::Asynchronous,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoDAsync_v2_ptsz(
    dstDevice: CUdeviceptr,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult {
    enter(293, || {
        legacy_abi::later(|| {
            call_on_its_node(hStream.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::flat::flat_on_device(
                        dstDevice,
                        srcDevice,
                        ByteCount,
                        hStream.or_per_thread(),
                        Mode::Asynchronous,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoH(
    dstHost: *mut c_void,
    srcDevice: CUdeviceptr_v1,
    ByteCount: u32,
) -> CUresult {
    legacy_abi::carry_out(294, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemcpyDtoH_v2(
                dstHost,
                legacy_32bit::widen(srcDevice),
                legacy_32bit::widen(ByteCount),
            )
            .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoH_v2(
    dstHost: *mut c_void,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
) -> CUresult {
    enter(295, || {
        legacy_abi::later(|| {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                copies::flat::flat_to_host(
                    dstHost,
                    srcDevice,
                    ByteCount,
                    CUstream::LEGACY,
                    Mode::Synchronous,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoH_v2_ptds(
    dstHost: *mut c_void,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
) -> CUresult {
    enter(296, || {
        legacy_abi::later(|| {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                copies::flat::flat_to_host(
                    dstHost,
                    srcDevice,
                    ByteCount,
                    CUstream::PER_THREAD,
                    Mode::Synchronous,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoHAsync(
    dstHost: *mut c_void,
    srcDevice: CUdeviceptr_v1,
    ByteCount: u32,
    hStream: CUstream,
) -> CUresult {
    legacy_abi::carry_out(297, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemcpyDtoHAsync_v2(
                dstHost,
                legacy_32bit::widen(srcDevice),
                legacy_32bit::widen(ByteCount),
                hStream,
            )
            .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoHAsync_v2(
    dstHost: *mut c_void,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult {
    enter(298, || {
        legacy_abi::later(|| {
            call_on_its_node(hStream.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::flat::flat_to_host(
                        dstHost,
                        srcDevice,
                        ByteCount,
                        hStream,
                        Mode::Asynchronous,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoHAsync_v2_ptsz(
    dstHost: *mut c_void,
    srcDevice: CUdeviceptr,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult {
    enter(299, || {
        legacy_abi::later(|| {
            call_on_its_node(hStream.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::flat::flat_to_host(
                        dstHost,
                        srcDevice,
                        ByteCount,
                        hStream.or_per_thread(),
                        Mode::Asynchronous,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoA(
    dstArray: CUarray,
    dstOffset: u32,
    srcHost: *const c_void,
    ByteCount: u32,
) -> CUresult {
    legacy_abi::carry_out(300, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemcpyHtoA_v2(
                dstArray,
                legacy_32bit::widen(dstOffset),
                srcHost,
                legacy_32bit::widen(ByteCount),
            )
            .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoA_v2(
    dstArray: CUarray,
    dstOffset: usize,
    srcHost: *const c_void,
    ByteCount: usize,
) -> CUresult {
    enter(301, || {
        legacy_abi::later(|| {
            call_on_its_node(dstArray.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::array::from_host(
                        dstArray,
                        dstOffset,
                        srcHost,
                        ByteCount,
                        CUstream::LEGACY,
                        Mode::Synchronous,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoA_v2_ptds(
    dstArray: CUarray,
    dstOffset: usize,
    srcHost: *const c_void,
    ByteCount: usize,
) -> CUresult {
    enter(302, || {
        legacy_abi::later(|| {
            call_on_its_node(dstArray.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::array::from_host(
                        dstArray,
                        dstOffset,
                        srcHost,
                        ByteCount,
                        CUstream::PER_THREAD,
                        Mode::Synchronous,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoAAsync(
    dstArray: CUarray,
    dstOffset: u32,
    srcHost: *const c_void,
    ByteCount: u32,
    hStream: CUstream,
) -> CUresult {
    legacy_abi::carry_out(303, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemcpyHtoAAsync_v2(
                dstArray,
                legacy_32bit::widen(dstOffset),
                srcHost,
                legacy_32bit::widen(ByteCount),
                hStream,
            )
            .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoAAsync_v2(
    dstArray: CUarray,
    dstOffset: usize,
    srcHost: *const c_void,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult {
    enter(304, || {
        legacy_abi::later(|| {
            call_on_its_node(hStream.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::array::from_host(
                        dstArray,
                        dstOffset,
                        srcHost,
                        ByteCount,
                        hStream,
                        Mode::Asynchronous,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoAAsync_v2_ptsz(
    dstArray: CUarray,
    dstOffset: usize,
    srcHost: *const c_void,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult {
    enter(305, || {
        legacy_abi::later(|| {
            call_on_its_node(hStream.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::array::from_host(
                        dstArray,
                        dstOffset,
                        srcHost,
                        ByteCount,
                        hStream.or_per_thread(),
                        Mode::Asynchronous,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoD(
    dstDevice: CUdeviceptr_v1,
    srcHost: *const c_void,
    ByteCount: u32,
) -> CUresult {
    legacy_abi::carry_out(306, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemcpyHtoD_v2(
                legacy_32bit::widen(dstDevice),
                srcHost,
                legacy_32bit::widen(ByteCount),
            )
            .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoD_v2(
    dstDevice: CUdeviceptr,
    srcHost: *const c_void,
    ByteCount: usize,
) -> CUresult {
    enter(307, || {
        legacy_abi::later(|| {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                copies::flat::flat_to_device(
                    dstDevice,
                    srcHost,
                    ByteCount,
                    CUstream::LEGACY,
                    Mode::Synchronous,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoD_v2_ptds(
    dstDevice: CUdeviceptr,
    srcHost: *const c_void,
    ByteCount: usize,
) -> CUresult {
    enter(308, || {
        legacy_abi::later(|| {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                copies::flat::flat_to_device(
                    dstDevice,
                    srcHost,
                    ByteCount,
                    CUstream::PER_THREAD,
                    Mode::Synchronous,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoDAsync(
    dstDevice: CUdeviceptr_v1,
    srcHost: *const c_void,
    ByteCount: u32,
    hStream: CUstream,
) -> CUresult {
    legacy_abi::carry_out(309, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemcpyHtoDAsync_v2(
                legacy_32bit::widen(dstDevice),
                srcHost,
                legacy_32bit::widen(ByteCount),
                hStream,
            )
            .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoDAsync_v2(
    dstDevice: CUdeviceptr,
    srcHost: *const c_void,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult {
    enter(310, || {
        legacy_abi::later(|| {
            call_on_its_node(hStream.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::flat::flat_to_device(
                        dstDevice,
                        srcHost,
                        ByteCount,
                        hStream,
                        Mode::Asynchronous,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoDAsync_v2_ptsz(
    dstDevice: CUdeviceptr,
    srcHost: *const c_void,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult {
    enter(311, || {
        legacy_abi::later(|| {
            call_on_its_node(hStream.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe {
                    copies::flat::flat_to_device(
                        dstDevice,
                        srcHost,
                        ByteCount,
                        hStream.or_per_thread(),
                        Mode::Asynchronous,
                    )
                }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyPeer(
    dstDevice: CUdeviceptr,
    dstContext: CUcontext,
    srcDevice: CUdeviceptr,
    srcContext: CUcontext,
    ByteCount: usize,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(312, || unsafe {
        copies::peer::copy(
            dstDevice,
            dstContext,
            srcDevice,
            srcContext,
            ByteCount,
            CUstream::LEGACY,
            Mode::Synchronous,
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyPeer_ptds(
    dstDevice: CUdeviceptr,
    dstContext: CUcontext,
    srcDevice: CUdeviceptr,
    srcContext: CUcontext,
    ByteCount: usize,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(313, || unsafe {
        copies::peer::copy(
            dstDevice,
            dstContext,
            srcDevice,
            srcContext,
            ByteCount,
            CUstream::PER_THREAD,
            Mode::Synchronous,
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyPeerAsync(
    dstDevice: CUdeviceptr,
    dstContext: CUcontext,
    srcDevice: CUdeviceptr,
    srcContext: CUcontext,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult {
    enter(314, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                copies::peer::copy(
                    dstDevice,
                    dstContext,
                    srcDevice,
                    srcContext,
                    ByteCount,
                    hStream,
                    Mode::Asynchronous,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyPeerAsync_ptsz(
    dstDevice: CUdeviceptr,
    dstContext: CUcontext,
    srcDevice: CUdeviceptr,
    srcContext: CUcontext,
    ByteCount: usize,
    hStream: CUstream,
) -> CUresult {
    enter(315, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                copies::peer::copy(
                    dstDevice,
                    dstContext,
                    srcDevice,
                    srcContext,
                    ByteCount,
                    hStream.or_per_thread(),
                    Mode::Asynchronous,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD16(dstDevice: CUdeviceptr_v1, us: u16, N: u32) -> CUresult {
    legacy_abi::carry_out(316, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemsetD16_v2(legacy_32bit::widen(dstDevice), us, legacy_32bit::widen(N)).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD16_v2(dstDevice: CUdeviceptr, us: u16, N: usize) -> CUresult {
    enter(317, || {
        legacy_abi::later(|| {
            call_on_node_of_memory(dstDevice, || {
                arguments::require_in_context(dstDevice.is_multiple_of(2))?;
                let hStream = CUstream::LEGACY;
                ranges::check_range(dstDevice, (N.saturating_mul(2)) as u64)?;
                let work_stream;
                let message = wire::MemsetD16Async {
                    dst_device: dstDevice,
                    us,
                    n: N as u64,
                    stream: {
                        work_stream = marshal::stream(hStream)?;
                        work_stream.handle
                    },
                };
                submit_here(&work_stream, &message)?;
                api::synchronize_if_shared(dstDevice, hStream)?;
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD16_v2_ptds(
    dstDevice: CUdeviceptr,
    us: u16,
    N: usize,
) -> CUresult {
    enter(318, || {
        legacy_abi::later(|| {
            call_on_node_of_memory(dstDevice, || {
                arguments::require_in_context(dstDevice.is_multiple_of(2))?;
                let hStream = CUstream::PER_THREAD;
                ranges::check_range(dstDevice, (N.saturating_mul(2)) as u64)?;
                let work_stream;
                let message = wire::MemsetD16Async {
                    dst_device: dstDevice,
                    us,
                    n: N as u64,
                    stream: {
                        work_stream = marshal::stream(hStream)?;
                        work_stream.handle
                    },
                };
                submit_here(&work_stream, &message)?;
                api::synchronize_if_shared(dstDevice, hStream)?;
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD16Async(
    dstDevice: CUdeviceptr,
    us: u16,
    N: usize,
    hStream: CUstream,
) -> CUresult {
    enter(319, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(dstDevice.is_multiple_of(2))?;
            ranges::check_range(dstDevice, (N.saturating_mul(2)) as u64)?;
            let work_stream;
            let message = wire::MemsetD16Async {
                dst_device: dstDevice,
                us,
                n: N as u64,
                stream: {
                    work_stream = marshal::stream(hStream)?;
                    work_stream.handle
                },
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD16Async_ptsz(
    dstDevice: CUdeviceptr,
    us: u16,
    N: usize,
    hStream: CUstream,
) -> CUresult {
    enter(320, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(dstDevice.is_multiple_of(2))?;
            ranges::check_range(dstDevice, (N.saturating_mul(2)) as u64)?;
            let work_stream;
            let message = wire::MemsetD16Async {
                dst_device: dstDevice,
                us,
                n: N as u64,
                stream: {
                    work_stream = marshal::stream(hStream.or_per_thread())?;
                    work_stream.handle
                },
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D16(
    dstDevice: CUdeviceptr_v1,
    dstPitch: u32,
    us: u16,
    Width: u32,
    Height: u32,
) -> CUresult {
    legacy_abi::carry_out(321, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemsetD2D16_v2(
                legacy_32bit::widen(dstDevice),
                legacy_32bit::widen(dstPitch),
                us,
                legacy_32bit::widen(Width),
                legacy_32bit::widen(Height),
            )
            .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D16_v2(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    us: u16,
    Width: usize,
    Height: usize,
) -> CUresult {
    enter(322, || {
        legacy_abi::later(|| {
            call_on_node_of_memory(dstDevice, || {
                arguments::require_in_context(dstDevice.is_multiple_of(2))?;
                arguments::require_in_context(
                    Height <= 1
                        || dstPitch.is_multiple_of(2) && dstPitch >= Width.saturating_mul(2),
                )?;
                let hStream = CUstream::LEGACY;
                ranges::check_range(
                    dstDevice,
                    (Height
                        .saturating_sub(1)
                        .saturating_mul(dstPitch)
                        .saturating_add(Width.saturating_mul(2))) as u64,
                )?;
                let work_stream;
                let message = wire::MemsetD2D16Async {
                    dst_device: dstDevice,
                    dst_pitch: dstPitch as u64,
                    us,
                    width: Width as u64,
                    height: Height as u64,
                    stream: {
                        work_stream = marshal::stream(hStream)?;
                        work_stream.handle
                    },
                };
                submit_here(&work_stream, &message)?;
                api::synchronize_if_shared(dstDevice, hStream)?;
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D16_v2_ptds(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    us: u16,
    Width: usize,
    Height: usize,
) -> CUresult {
    enter(323, || {
        legacy_abi::later(|| {
            call_on_node_of_memory(dstDevice, || {
                arguments::require_in_context(dstDevice.is_multiple_of(2))?;
                arguments::require_in_context(
                    Height <= 1
                        || dstPitch.is_multiple_of(2) && dstPitch >= Width.saturating_mul(2),
                )?;
                let hStream = CUstream::PER_THREAD;
                ranges::check_range(
                    dstDevice,
                    (Height
                        .saturating_sub(1)
                        .saturating_mul(dstPitch)
                        .saturating_add(Width.saturating_mul(2))) as u64,
                )?;
                let work_stream;
                let message = wire::MemsetD2D16Async {
                    dst_device: dstDevice,
                    dst_pitch: dstPitch as u64,
                    us,
                    width: Width as u64,
                    height: Height as u64,
                    stream: {
                        work_stream = marshal::stream(hStream)?;
                        work_stream.handle
                    },
                };
                submit_here(&work_stream, &message)?;
                api::synchronize_if_shared(dstDevice, hStream)?;
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D16Async(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    us: u16,
    Width: usize,
    Height: usize,
    hStream: CUstream,
) -> CUresult {
    enter(324, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(dstDevice.is_multiple_of(2))?;
            arguments::require_in_context(
                Height <= 1 || dstPitch.is_multiple_of(2) && dstPitch >= Width.saturating_mul(2),
            )?;
            ranges::check_range(
                dstDevice,
                (Height
                    .saturating_sub(1)
                    .saturating_mul(dstPitch)
                    .saturating_add(Width.saturating_mul(2))) as u64,
            )?;
            let work_stream;
            let message = wire::MemsetD2D16Async {
                dst_device: dstDevice,
                dst_pitch: dstPitch as u64,
                us,
                width: Width as u64,
                height: Height as u64,
                stream: {
                    work_stream = marshal::stream(hStream)?;
                    work_stream.handle
                },
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D16Async_ptsz(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    us: u16,
    Width: usize,
    Height: usize,
    hStream: CUstream,
) -> CUresult {
    enter(325, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(dstDevice.is_multiple_of(2))?;
            arguments::require_in_context(
                Height <= 1 || dstPitch.is_multiple_of(2) && dstPitch >= Width.saturating_mul(2),
            )?;
            ranges::check_range(
                dstDevice,
                (Height
                    .saturating_sub(1)
                    .saturating_mul(dstPitch)
                    .saturating_add(Width.saturating_mul(2))) as u64,
            )?;
            let work_stream;
            let message = wire::MemsetD2D16Async {
                dst_device: dstDevice,
                dst_pitch: dstPitch as u64,
                us,
                width: Width as u64,
                height: Height as u64,
                stream: {
                    work_stream = marshal::stream(hStream.or_per_thread())?;
                    work_stream.handle
                },
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D32(
    dstDevice: CUdeviceptr_v1,
    dstPitch: u32,
    ui: u32,
    Width: u32,
    Height: u32,
) -> CUresult {
    legacy_abi::carry_out(326, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemsetD2D32_v2(
                legacy_32bit::widen(dstDevice),
                legacy_32bit::widen(dstPitch),
                ui,
                legacy_32bit::widen(Width),
                legacy_32bit::widen(Height),
            )
            .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D32_v2(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    ui: u32,
    Width: usize,
    Height: usize,
) -> CUresult {
    enter(327, || {
        legacy_abi::later(|| {
            call_on_node_of_memory(dstDevice, || {
                arguments::require_in_context(dstDevice.is_multiple_of(4))?;
                arguments::require_in_context(
                    Height <= 1
                        || dstPitch.is_multiple_of(4) && dstPitch >= Width.saturating_mul(4),
                )?;
                let hStream = CUstream::LEGACY;
                ranges::check_range(
                    dstDevice,
                    (Height
                        .saturating_sub(1)
                        .saturating_mul(dstPitch)
                        .saturating_add(Width.saturating_mul(4))) as u64,
                )?;
                let work_stream;
                let message = wire::MemsetD2D32Async {
                    dst_device: dstDevice,
                    dst_pitch: dstPitch as u64,
                    ui,
                    width: Width as u64,
                    height: Height as u64,
                    stream: {
                        work_stream = marshal::stream(hStream)?;
                        work_stream.handle
                    },
                };
                submit_here(&work_stream, &message)?;
                api::synchronize_if_shared(dstDevice, hStream)?;
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D32_v2_ptds(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    ui: u32,
    Width: usize,
    Height: usize,
) -> CUresult {
    enter(328, || {
        legacy_abi::later(|| {
            call_on_node_of_memory(dstDevice, || {
                arguments::require_in_context(dstDevice.is_multiple_of(4))?;
                arguments::require_in_context(
                    Height <= 1
                        || dstPitch.is_multiple_of(4) && dstPitch >= Width.saturating_mul(4),
                )?;
                let hStream = CUstream::PER_THREAD;
                ranges::check_range(
                    dstDevice,
                    (Height
                        .saturating_sub(1)
                        .saturating_mul(dstPitch)
                        .saturating_add(Width.saturating_mul(4))) as u64,
                )?;
                let work_stream;
                let message = wire::MemsetD2D32Async {
                    dst_device: dstDevice,
                    dst_pitch: dstPitch as u64,
                    ui,
                    width: Width as u64,
                    height: Height as u64,
                    stream: {
                        work_stream = marshal::stream(hStream)?;
                        work_stream.handle
                    },
                };
                submit_here(&work_stream, &message)?;
                api::synchronize_if_shared(dstDevice, hStream)?;
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D32Async(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    ui: u32,
    Width: usize,
    Height: usize,
    hStream: CUstream,
) -> CUresult {
    enter(329, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(dstDevice.is_multiple_of(4))?;
            arguments::require_in_context(
                Height <= 1 || dstPitch.is_multiple_of(4) && dstPitch >= Width.saturating_mul(4),
            )?;
            ranges::check_range(
                dstDevice,
                (Height
                    .saturating_sub(1)
                    .saturating_mul(dstPitch)
                    .saturating_add(Width.saturating_mul(4))) as u64,
            )?;
            let work_stream;
            let message = wire::MemsetD2D32Async {
                dst_device: dstDevice,
                dst_pitch: dstPitch as u64,
                ui,
                width: Width as u64,
                height: Height as u64,
                stream: {
                    work_stream = marshal::stream(hStream)?;
                    work_stream.handle
                },
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D32Async_ptsz(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    ui: u32,
    Width: usize,
    Height: usize,
    hStream: CUstream,
) -> CUresult {
    enter(330, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(dstDevice.is_multiple_of(4))?;
            arguments::require_in_context(
                Height <= 1 || dstPitch.is_multiple_of(4) && dstPitch >= Width.saturating_mul(4),
            )?;
            ranges::check_range(
                dstDevice,
                (Height
                    .saturating_sub(1)
                    .saturating_mul(dstPitch)
                    .saturating_add(Width.saturating_mul(4))) as u64,
            )?;
            let work_stream;
            let message = wire::MemsetD2D32Async {
                dst_device: dstDevice,
                dst_pitch: dstPitch as u64,
                ui,
                width: Width as u64,
                height: Height as u64,
                stream: {
                    work_stream = marshal::stream(hStream.or_per_thread())?;
                    work_stream.handle
                },
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D8(
    dstDevice: CUdeviceptr_v1,
    dstPitch: u32,
    uc: u8,
    Width: u32,
    Height: u32,
) -> CUresult {
    legacy_abi::carry_out(331, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemsetD2D8_v2(
                legacy_32bit::widen(dstDevice),
                legacy_32bit::widen(dstPitch),
                uc,
                legacy_32bit::widen(Width),
                legacy_32bit::widen(Height),
            )
            .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D8_v2(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    uc: u8,
    Width: usize,
    Height: usize,
) -> CUresult {
    enter(332, || {
        legacy_abi::later(|| {
            call_on_node_of_memory(dstDevice, || {
                arguments::require_in_context(Height <= 1 || dstPitch >= Width)?;
                let hStream = CUstream::LEGACY;
                ranges::check_range(
                    dstDevice,
                    (Height.saturating_sub(1).saturating_mul(dstPitch).saturating_add(Width))
                        as u64,
                )?;
                let work_stream;
                let message = wire::MemsetD2D8Async {
                    dst_device: dstDevice,
                    dst_pitch: dstPitch as u64,
                    uc,
                    width: Width as u64,
                    height: Height as u64,
                    stream: {
                        work_stream = marshal::stream(hStream)?;
                        work_stream.handle
                    },
                };
                submit_here(&work_stream, &message)?;
                api::synchronize_if_shared(dstDevice, hStream)?;
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D8_v2_ptds(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    uc: u8,
    Width: usize,
    Height: usize,
) -> CUresult {
    enter(333, || {
        legacy_abi::later(|| {
            call_on_node_of_memory(dstDevice, || {
                arguments::require_in_context(Height <= 1 || dstPitch >= Width)?;
                let hStream = CUstream::PER_THREAD;
                ranges::check_range(
                    dstDevice,
                    (Height.saturating_sub(1).saturating_mul(dstPitch).saturating_add(Width))
                        as u64,
                )?;
                let work_stream;
                let message = wire::MemsetD2D8Async {
                    dst_device: dstDevice,
                    dst_pitch: dstPitch as u64,
                    uc,
                    width: Width as u64,
                    height: Height as u64,
                    stream: {
                        work_stream = marshal::stream(hStream)?;
                        work_stream.handle
                    },
                };
                submit_here(&work_stream, &message)?;
                api::synchronize_if_shared(dstDevice, hStream)?;
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D8Async(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    uc: u8,
    Width: usize,
    Height: usize,
    hStream: CUstream,
) -> CUresult {
    enter(334, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(Height <= 1 || dstPitch >= Width)?;
            ranges::check_range(
                dstDevice,
                (Height.saturating_sub(1).saturating_mul(dstPitch).saturating_add(Width)) as u64,
            )?;
            let work_stream;
            let message = wire::MemsetD2D8Async {
                dst_device: dstDevice,
                dst_pitch: dstPitch as u64,
                uc,
                width: Width as u64,
                height: Height as u64,
                stream: {
                    work_stream = marshal::stream(hStream)?;
                    work_stream.handle
                },
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D8Async_ptsz(
    dstDevice: CUdeviceptr,
    dstPitch: usize,
    uc: u8,
    Width: usize,
    Height: usize,
    hStream: CUstream,
) -> CUresult {
    enter(335, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(Height <= 1 || dstPitch >= Width)?;
            ranges::check_range(
                dstDevice,
                (Height.saturating_sub(1).saturating_mul(dstPitch).saturating_add(Width)) as u64,
            )?;
            let work_stream;
            let message = wire::MemsetD2D8Async {
                dst_device: dstDevice,
                dst_pitch: dstPitch as u64,
                uc,
                width: Width as u64,
                height: Height as u64,
                stream: {
                    work_stream = marshal::stream(hStream.or_per_thread())?;
                    work_stream.handle
                },
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD32(dstDevice: CUdeviceptr_v1, ui: u32, N: u32) -> CUresult {
    legacy_abi::carry_out(336, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemsetD32_v2(legacy_32bit::widen(dstDevice), ui, legacy_32bit::widen(N)).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD32_v2(dstDevice: CUdeviceptr, ui: u32, N: usize) -> CUresult {
    enter(337, || {
        legacy_abi::later(|| {
            call_on_node_of_memory(dstDevice, || {
                arguments::require_in_context(dstDevice.is_multiple_of(4))?;
                let hStream = CUstream::LEGACY;
                ranges::check_range(dstDevice, (N.saturating_mul(4)) as u64)?;
                let work_stream;
                let message = wire::MemsetD32Async {
                    dst_device: dstDevice,
                    ui,
                    n: N as u64,
                    stream: {
                        work_stream = marshal::stream(hStream)?;
                        work_stream.handle
                    },
                };
                submit_here(&work_stream, &message)?;
                api::synchronize_if_shared(dstDevice, hStream)?;
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD32_v2_ptds(
    dstDevice: CUdeviceptr,
    ui: u32,
    N: usize,
) -> CUresult {
    enter(338, || {
        legacy_abi::later(|| {
            call_on_node_of_memory(dstDevice, || {
                arguments::require_in_context(dstDevice.is_multiple_of(4))?;
                let hStream = CUstream::PER_THREAD;
                ranges::check_range(dstDevice, (N.saturating_mul(4)) as u64)?;
                let work_stream;
                let message = wire::MemsetD32Async {
                    dst_device: dstDevice,
                    ui,
                    n: N as u64,
                    stream: {
                        work_stream = marshal::stream(hStream)?;
                        work_stream.handle
                    },
                };
                submit_here(&work_stream, &message)?;
                api::synchronize_if_shared(dstDevice, hStream)?;
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD32Async(
    dstDevice: CUdeviceptr,
    ui: u32,
    N: usize,
    hStream: CUstream,
) -> CUresult {
    enter(339, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(dstDevice.is_multiple_of(4))?;
            ranges::check_range(dstDevice, (N.saturating_mul(4)) as u64)?;
            let work_stream;
            let message = wire::MemsetD32Async {
                dst_device: dstDevice,
                ui,
                n: N as u64,
                stream: {
                    work_stream = marshal::stream(hStream)?;
                    work_stream.handle
                },
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD32Async_ptsz(
    dstDevice: CUdeviceptr,
    ui: u32,
    N: usize,
    hStream: CUstream,
) -> CUresult {
    enter(340, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(dstDevice.is_multiple_of(4))?;
            ranges::check_range(dstDevice, (N.saturating_mul(4)) as u64)?;
            let work_stream;
            let message = wire::MemsetD32Async {
                dst_device: dstDevice,
                ui,
                n: N as u64,
                stream: {
                    work_stream = marshal::stream(hStream.or_per_thread())?;
                    work_stream.handle
                },
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8(dstDevice: CUdeviceptr_v1, uc: u8, N: u32) -> CUresult {
    legacy_abi::carry_out(341, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemsetD8_v2(legacy_32bit::widen(dstDevice), uc, legacy_32bit::widen(N)).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8_v2(dstDevice: CUdeviceptr, uc: u8, N: usize) -> CUresult {
    enter(342, || {
        legacy_abi::later(|| {
            call_on_node_of_memory(dstDevice, || {
                let hStream = CUstream::LEGACY;
                ranges::check_range(dstDevice, (N) as u64)?;
                let work_stream;
                let message = wire::MemsetD8Async {
                    dst_device: dstDevice,
                    uc,
                    n: N as u64,
                    stream: {
                        work_stream = marshal::stream(hStream)?;
                        work_stream.handle
                    },
                };
                submit_here(&work_stream, &message)?;
                api::synchronize_if_shared(dstDevice, hStream)?;
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8_v2_ptds(dstDevice: CUdeviceptr, uc: u8, N: usize) -> CUresult {
    enter(343, || {
        legacy_abi::later(|| {
            call_on_node_of_memory(dstDevice, || {
                let hStream = CUstream::PER_THREAD;
                ranges::check_range(dstDevice, (N) as u64)?;
                let work_stream;
                let message = wire::MemsetD8Async {
                    dst_device: dstDevice,
                    uc,
                    n: N as u64,
                    stream: {
                        work_stream = marshal::stream(hStream)?;
                        work_stream.handle
                    },
                };
                submit_here(&work_stream, &message)?;
                api::synchronize_if_shared(dstDevice, hStream)?;
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8Async(
    dstDevice: CUdeviceptr,
    uc: u8,
    N: usize,
    hStream: CUstream,
) -> CUresult {
    enter(344, || {
        call_on_its_node(hStream.0, || {
            ranges::check_range(dstDevice, (N) as u64)?;
            let work_stream;
            let message = wire::MemsetD8Async {
                dst_device: dstDevice,
                uc,
                n: N as u64,
                stream: {
                    work_stream = marshal::stream(hStream)?;
                    work_stream.handle
                },
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8Async_ptsz(
    dstDevice: CUdeviceptr,
    uc: u8,
    N: usize,
    hStream: CUstream,
) -> CUresult {
    enter(345, || {
        call_on_its_node(hStream.0, || {
            ranges::check_range(dstDevice, (N) as u64)?;
            let work_stream;
            let message = wire::MemsetD8Async {
                dst_device: dstDevice,
                uc,
                n: N as u64,
                stream: {
                    work_stream = marshal::stream(hStream.or_per_thread())?;
                    work_stream.handle
                },
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocAsync(
    dptr: *mut CUdeviceptr,
    bytesize: usize,
    hStream: CUstream,
) -> CUresult {
    enter(346, || {
        call_on_its_node(hStream.0, || {
            arguments::require_room(bytesize <= 1 << 47)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemAllocAsync(dptr, bytesize, hStream) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocAsync_ptsz(
    dptr: *mut CUdeviceptr,
    bytesize: usize,
    hStream: CUstream,
) -> CUresult {
    enter(347, || {
        call_on_its_node(hStream.0, || {
            arguments::require_room(bytesize <= 1 << 47)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemAllocAsync(dptr, bytesize, hStream.or_per_thread()) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocFromPoolAsync(
    dptr: *mut CUdeviceptr,
    bytesize: usize,
    pool: CUmemoryPool,
    hStream: CUstream,
) -> CUresult {
    enter(348, || {
        call_on_its_node(hStream.0, || {
            arguments::require_room(bytesize <= 1 << 47)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemAllocFromPoolAsync(dptr, bytesize, pool, hStream) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocFromPoolAsync_ptsz(
    dptr: *mut CUdeviceptr,
    bytesize: usize,
    pool: CUmemoryPool,
    hStream: CUstream,
) -> CUresult {
    enter(349, || {
        call_on_its_node(hStream.0, || {
            arguments::require_room(bytesize <= 1 << 47)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemAllocFromPoolAsync(dptr, bytesize, pool, hStream.or_per_thread()) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFreeAsync(dptr: CUdeviceptr, hStream: CUstream) -> CUresult {
    enter(350, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { memory::pools::free_in_stream(dptr, hStream) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFreeAsync_ptsz(dptr: CUdeviceptr, hStream: CUstream) -> CUresult {
    enter(351, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { memory::pools::free_in_stream(dptr, hStream.or_per_thread()) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetDefaultMemPool(
    pool_out: *mut CUmemoryPool,
    location: *mut CUmemLocation,
    type_: CUmemAllocationType,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(352, || unsafe { api::cuMemGetDefaultMemPool(pool_out, location, type_) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetMemPool(
    pool_out: *mut CUmemoryPool,
    location: *mut CUmemLocation,
    type_: CUmemAllocationType,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(353, || unsafe { api::cuMemGetMemPool(pool_out, location, type_) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolCreate(
    pool: *mut CUmemoryPool,
    poolProps: *const CUmemPoolProps,
) -> CUresult {
    enter(354, || {
        graphs::capture::check_thread()?;
        {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemPoolCreate(pool, poolProps) }
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolDestroy(pool: CUmemoryPool) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(355, || unsafe { api::cuMemPoolDestroy(pool) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolExportPointer(
    shareData_out: *mut CUmemPoolPtrExportData,
    ptr: CUdeviceptr,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(356, || unsafe { api::cuMemPoolExportPointer(shareData_out, ptr) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolExportToShareableHandle(
    handle_out: *mut c_void,
    pool: CUmemoryPool,
    handleType: CUmemAllocationHandleType,
    flags: u64,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(357, || unsafe {
        api::cuMemPoolExportToShareableHandle(handle_out, pool, handleType, flags)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolGetAccess(
    flags: *mut CUmemAccess_flags,
    memPool: CUmemoryPool,
    location: *mut CUmemLocation,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(358, || unsafe { api::cuMemPoolGetAccess(flags, memPool, location) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolGetAttribute(
    pool: CUmemoryPool,
    attr: CUmemPool_attribute,
    value: *mut c_void,
) -> CUresult {
    enter(359, || {
        graphs::capture::check_thread()?;
        {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemPoolGetAttribute(pool, attr, value) }
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolImportFromShareableHandle(
    pool_out: *mut CUmemoryPool,
    handle: *mut c_void,
    handleType: CUmemAllocationHandleType,
    flags: u64,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(360, || unsafe {
        api::cuMemPoolImportFromShareableHandle(pool_out, handle, handleType, flags)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolImportPointer(
    ptr_out: *mut CUdeviceptr,
    pool: CUmemoryPool,
    shareData: *mut CUmemPoolPtrExportData,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(361, || unsafe { api::cuMemPoolImportPointer(ptr_out, pool, shareData) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolSetAccess(
    pool: CUmemoryPool,
    map: *const CUmemAccessDesc,
    count: usize,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(362, || unsafe { api::cuMemPoolSetAccess(pool, map, count) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolSetAttribute(
    pool: CUmemoryPool,
    attr: CUmemPool_attribute,
    value: *mut c_void,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(363, || unsafe { api::cuMemPoolSetAttribute(pool, attr, value) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolTrimTo(pool: CUmemoryPool, minBytesToKeep: usize) -> CUresult {
    enter(364, || {
        graphs::capture::check_thread()?;
        {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { memory::pools::trim_to(memory::pools::own_pool(pool)?, minBytesToKeep) }
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemSetMemPool(
    location: *mut CUmemLocation,
    type_: CUmemAllocationType,
    pool: CUmemoryPool,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(365, || unsafe { api::cuMemSetMemPool(location, type_, pool) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAddressFree(ptr: CUdeviceptr, size: usize) -> CUresult {
    enter(366, || {
        arguments::require(size <= 0x8000_0000_0000)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { api::cuMemAddressFree(ptr, size) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAddressReserve(
    ptr: *mut CUdeviceptr,
    size: usize,
    alignment: usize,
    addr: CUdeviceptr,
    flags: u64,
) -> CUresult {
    enter(367, || {
        arguments::require_room(size <= 1 << 47)?;
        arguments::require(matches!(flags, 0))?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { api::cuMemAddressReserve(ptr, size, alignment, addr, flags) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemCreate(
    handle: *mut CUmemGenericAllocationHandle,
    size: usize,
    prop: *const CUmemAllocationProp,
    flags: u64,
) -> CUresult {
    enter(368, || {
        arguments::require_room(size <= 1 << 47)?;
        arguments::require(matches!(flags, 0))?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { api::cuMemCreate(handle, size, prop, flags) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemExportToShareableHandle(
    shareableHandle: *mut c_void,
    handle: CUmemGenericAllocationHandle,
    handleType: CUmemAllocationHandleType,
    flags: u64,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(369, || unsafe {
        api::cuMemExportToShareableHandle(shareableHandle, handle, handleType, flags)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAccess(
    flags: *mut u64,
    location: *const CUmemLocation,
    ptr: CUdeviceptr,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(370, || unsafe { api::cuMemGetAccess(flags, location, ptr) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAllocationGranularity(
    granularity: *mut usize,
    prop: *const CUmemAllocationProp,
    option: CUmemAllocationGranularity_flags,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(371, || unsafe { api::cuMemGetAllocationGranularity(granularity, prop, option) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAllocationPropertiesFromHandle(
    prop: *mut CUmemAllocationProp,
    handle: CUmemGenericAllocationHandle,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(372, || unsafe { api::cuMemGetAllocationPropertiesFromHandle(prop, handle) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemImportFromShareableHandle(
    handle: *mut CUmemGenericAllocationHandle,
    osHandle: *mut c_void,
    shHandleType: CUmemAllocationHandleType,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(373, || unsafe { api::cuMemImportFromShareableHandle(handle, osHandle, shHandleType) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemMap(
    ptr: CUdeviceptr,
    size: usize,
    offset: usize,
    handle: CUmemGenericAllocationHandle,
    flags: u64,
) -> CUresult {
    enter(374, || {
        arguments::require(size <= 0x8000_0000_0000)?;
        arguments::require(offset <= 0x8000_0000_0000)?;
        arguments::require(matches!(flags, 0))?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { memory::virtual_memory::map(ptr, size, offset, handle, flags) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemMapArrayAsync() -> CUresult {
    unsupported(375)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemMapArrayAsync_ptsz() -> CUresult {
    unsupported(376)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemRelease(handle: CUmemGenericAllocationHandle) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(377, || unsafe { memory::virtual_memory::release(handle) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemRetainAllocationHandle(
    handle: *mut CUmemGenericAllocationHandle,
    addr: *mut c_void,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(378, || unsafe { api::cuMemRetainAllocationHandle(handle, addr) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemSetAccess(
    ptr: CUdeviceptr,
    size: usize,
    desc: *const CUmemAccessDesc,
    count: usize,
) -> CUresult {
    enter(379, || {
        arguments::require_in_context(size <= 0x8000_0000_0000)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { api::cuMemSetAccess(ptr, size, desc, count) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemUnmap(ptr: CUdeviceptr, size: usize) -> CUresult {
    enter(380, || {
        arguments::require_in_context(size <= 0x8000_0000_0000)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { memory::virtual_memory::unmap(ptr, size) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMulticastAddDevice() -> CUresult {
    unsupported(381)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMulticastBindAddr() -> CUresult {
    unsupported(382)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMulticastBindMem() -> CUresult {
    unsupported(383)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMulticastCreate() -> CUresult {
    unsupported(384)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMulticastGetGranularity() -> CUresult {
    unsupported(385)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMulticastUnbind() -> CUresult {
    unsupported(386)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuIpcCloseMemHandle(dptr: CUdeviceptr) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(387, || unsafe { memory::sharing::close_opened(dptr) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuIpcGetEventHandle(
    pHandle: *mut CUipcEventHandle,
    event: CUevent,
) -> CUresult {
    enter(388, || {
        call_on_its_node(event.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuIpcGetEventHandle(pHandle, event) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuIpcGetMemHandle(
    pHandle: *mut CUipcMemHandle,
    dptr: CUdeviceptr,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(389, || unsafe { api::cuIpcGetMemHandle(pHandle, dptr) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuIpcOpenEventHandle(
    phEvent: *mut CUevent,
    handle: CUipcEventHandle,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(390, || unsafe { api::cuIpcOpenEventHandle(phEvent, handle) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuIpcOpenMemHandle(
    pdptr: *mut CUdeviceptr,
    handle: CUipcMemHandle,
    Flags: u32,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(391, || unsafe { api::cuIpcOpenMemHandle_v2(pdptr, handle, Flags) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuIpcOpenMemHandle_v2(
    pdptr: *mut CUdeviceptr,
    handle: CUipcMemHandle,
    Flags: u32,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(392, || unsafe { api::cuIpcOpenMemHandle_v2(pdptr, handle, Flags) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAdvise(
    devPtr: CUdeviceptr,
    count: usize,
    advice: CUmem_advise,
    device: CUdevice,
) -> CUresult {
    enter(393, || {
        arguments::require_in_context(count <= 0x8000_0000_0000)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { api::cuMemAdvise(devPtr, count, advice, device) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAdvise_v2(
    devPtr: CUdeviceptr,
    count: usize,
    advice: CUmem_advise,
    location: CUmemLocation,
) -> CUresult {
    enter(394, || {
        arguments::require_in_context(count <= 0x8000_0000_0000)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { api::cuMemAdvise_v2(devPtr, count, advice, location) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAlloc(dptr: *mut CUdeviceptr_v1, bytesize: u32) -> CUresult {
    legacy_abi::carry_out(395, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let mut dptr_later = legacy_32bit::room(dptr);
            cuMemAlloc_v2(legacy_32bit::place(&mut dptr_later), legacy_32bit::widen(bytesize))
                .ok()?;
            legacy_32bit::give(dptr, dptr_later)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: usize) -> CUresult {
    enter(396, || {
        graphs::capture::check_thread()?;
        legacy_abi::later(|| {
            arguments::require_room(bytesize <= 1 << 47)?;
            marshal::not_null(dptr)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { arguments::put(dptr, memory::allocate_on_device(bytesize)?) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocHost(pp: *mut *mut c_void, bytesize: u32) -> CUresult {
    legacy_abi::carry_out(397, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemAllocHost_v2(pp, legacy_32bit::widen(bytesize)).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocHost_v2(pp: *mut *mut c_void, bytesize: usize) -> CUresult {
    enter(398, || {
        graphs::capture::check_thread()?;
        legacy_abi::later(|| {
            arguments::require_room(bytesize <= 1 << 47)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemAllocHost_v2(pp, bytesize) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocManaged(
    dptr: *mut CUdeviceptr,
    bytesize: usize,
    flags: u32,
) -> CUresult {
    enter(399, || {
        graphs::capture::check_thread()?;
        {
            arguments::require_room(bytesize <= 1 << 47)?;
            marshal::not_null(dptr)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { arguments::put(dptr, memory::managed::allocate_managed(bytesize, flags)?) }
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocPitch(
    dptr: *mut CUdeviceptr_v1,
    pPitch: *mut u32,
    WidthInBytes: u32,
    Height: u32,
    ElementSizeBytes: u32,
) -> CUresult {
    legacy_abi::carry_out(400, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let mut dptr_later = legacy_32bit::room(dptr);
            let mut pPitch_later = legacy_32bit::room(pPitch);
            cuMemAllocPitch_v2(
                legacy_32bit::place(&mut dptr_later),
                legacy_32bit::place(&mut pPitch_later),
                legacy_32bit::widen(WidthInBytes),
                legacy_32bit::widen(Height),
                ElementSizeBytes,
            )
            .ok()?;
            legacy_32bit::give(dptr, dptr_later)?;
            legacy_32bit::give(pPitch, pPitch_later)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocPitch_v2(
    dptr: *mut CUdeviceptr,
    pPitch: *mut usize,
    WidthInBytes: usize,
    Height: usize,
    ElementSizeBytes: u32,
) -> CUresult {
    enter(401, || {
        graphs::capture::check_thread()?;
        legacy_abi::later(|| {
            arguments::require_room(WidthInBytes <= 1 << 47)?;
            arguments::require_room(Height <= 1 << 47)?;
            arguments::require_in_context(matches!(ElementSizeBytes, 4 | 8 | 16))?;
            marshal::not_null(dptr)?;
            marshal::not_null(pPitch)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                let found = memory::allocate_rows(WidthInBytes, Height, ElementSizeBytes)?;
                arguments::put(dptr, found.0)?;
                arguments::put(pPitch, found.1)?;
                Ok(())
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemBatchDecompressAsync() -> CUresult {
    unsupported(402)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemBatchDecompressAsync_ptsz() -> CUresult {
    unsupported(403)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemDiscardAndPrefetchBatchAsync(
    dptrs: *mut CUdeviceptr,
    sizes: *mut usize,
    count: usize,
    prefetchLocs: *mut CUmemLocation,
    prefetchLocIdxs: *mut usize,
    numPrefetchLocs: usize,
    flags: u64,
    hStream: CUstream,
) -> CUresult {
    enter(404, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuMemDiscardAndPrefetchBatchAsync(
                    dptrs,
                    sizes,
                    count,
                    prefetchLocs,
                    prefetchLocIdxs,
                    numPrefetchLocs,
                    flags,
                    hStream,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemDiscardAndPrefetchBatchAsync_ptsz(
    dptrs: *mut CUdeviceptr,
    sizes: *mut usize,
    count: usize,
    prefetchLocs: *mut CUmemLocation,
    prefetchLocIdxs: *mut usize,
    numPrefetchLocs: usize,
    flags: u64,
    hStream: CUstream,
) -> CUresult {
    enter(405, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuMemDiscardAndPrefetchBatchAsync(
                    dptrs,
                    sizes,
                    count,
                    prefetchLocs,
                    prefetchLocIdxs,
                    numPrefetchLocs,
                    flags,
                    hStream.or_per_thread(),
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemDiscardBatchAsync(
    dptrs: *mut CUdeviceptr,
    sizes: *mut usize,
    count: usize,
    flags: u64,
    hStream: CUstream,
) -> CUresult {
    enter(406, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemDiscardBatchAsync(dptrs, sizes, count, flags, hStream) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemDiscardBatchAsync_ptsz(
    dptrs: *mut CUdeviceptr,
    sizes: *mut usize,
    count: usize,
    flags: u64,
    hStream: CUstream,
) -> CUresult {
    enter(407, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuMemDiscardBatchAsync(dptrs, sizes, count, flags, hStream.or_per_thread())
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFree(dptr: CUdeviceptr_v1) -> CUresult {
    legacy_abi::carry_out(408, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemFree_v2(legacy_32bit::widen(dptr)).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFree_v2(dptr: CUdeviceptr) -> CUresult {
    enter(409, || {
        graphs::capture::check_thread()?;
        legacy_abi::later(|| {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { memory::free_on_device(dptr) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFreeHost(p: *mut c_void) -> CUresult {
    enter(410, || {
        graphs::capture::check_thread()?;
        {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { memory::host::free(p) }
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAddressRange(
    pbase: *mut CUdeviceptr_v1,
    psize: *mut u32,
    dptr: CUdeviceptr_v1,
) -> CUresult {
    legacy_abi::carry_out(411, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let mut pbase_later = legacy_32bit::room(pbase);
            let mut psize_later = legacy_32bit::room(psize);
            cuMemGetAddressRange_v2(
                legacy_32bit::place(&mut pbase_later),
                legacy_32bit::place(&mut psize_later),
                legacy_32bit::widen(dptr),
            )
            .ok()?;
            legacy_32bit::give(pbase, pbase_later)?;
            legacy_32bit::give(psize, psize_later)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAddressRange_v2(
    pbase: *mut CUdeviceptr,
    psize: *mut usize,
    dptr: CUdeviceptr,
) -> CUresult {
    enter(412, || {
        legacy_abi::later(|| {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemGetAddressRange_v2(pbase, psize, dptr) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAttribute() -> CUresult {
    unsupported(413)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAttribute_v2() -> CUresult {
    unsupported(414)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetHandleForAddressRange() -> CUresult {
    unsupported(415)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetInfo(free: *mut u32, total: *mut u32) -> CUresult {
    legacy_abi::carry_out(416, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let mut free_later = legacy_32bit::room(free);
            let mut total_later = legacy_32bit::room(total);
            cuMemGetInfo_v2(
                legacy_32bit::place(&mut free_later),
                legacy_32bit::place(&mut total_later),
            )
            .ok()?;
            legacy_32bit::give(free, free_later)?;
            legacy_32bit::give(total, total_later)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> CUresult {
    enter(417, || {
        legacy_abi::later(|| {
            marshal::not_null(free)?;
            marshal::not_null(total)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                let found = memory::free_and_total()?;
                arguments::put(free, found.0)?;
                arguments::put(total, found.1)?;
                Ok(())
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostAlloc(
    pp: *mut *mut c_void,
    bytesize: usize,
    Flags: u32,
) -> CUresult {
    enter(418, || {
        graphs::capture::check_thread()?;
        {
            arguments::require_room(bytesize <= 1 << 47)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemHostAlloc(pp, bytesize, Flags) }
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostGetDevicePointer(
    pdptr: *mut CUdeviceptr_v1,
    p: *mut c_void,
    Flags: u32,
) -> CUresult {
    legacy_abi::carry_out(419, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let mut pdptr_later = legacy_32bit::room(pdptr);
            cuMemHostGetDevicePointer_v2(legacy_32bit::place(&mut pdptr_later), p, Flags).ok()?;
            legacy_32bit::give(pdptr, pdptr_later)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostGetDevicePointer_v2(
    pdptr: *mut CUdeviceptr,
    p: *mut c_void,
    Flags: u32,
) -> CUresult {
    enter(420, || {
        legacy_abi::later(|| {
            arguments::require_in_context(matches!(Flags, 0))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemHostGetDevicePointer_v2(pdptr, p, Flags) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostGetFlags(pFlags: *mut u32, p: *mut c_void) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(421, || unsafe { api::cuMemHostGetFlags(pFlags, p) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostRegister(
    p: *mut c_void,
    bytesize: usize,
    Flags: u32,
) -> CUresult {
    legacy_abi::carry_out(422, false, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuMemHostRegister_v2(p, bytesize, Flags).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostRegister_v2(
    p: *mut c_void,
    bytesize: usize,
    Flags: u32,
) -> CUresult {
    enter(423, || {
        graphs::capture::check_thread()?;
        {
            arguments::require_in_context(bytesize <= 0x8000_0000_0000)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemHostRegister_v2(p, bytesize, Flags) }
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostUnregister(p: *mut c_void) -> CUresult {
    enter(424, || {
        graphs::capture::check_thread()?;
        {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { memory::host::unregister(p) }
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPrefetchAsync(
    devPtr: CUdeviceptr,
    count: usize,
    dstDevice: CUdevice,
    hStream: CUstream,
) -> CUresult {
    enter(425, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(count <= 0x8000_0000_0000)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemPrefetchAsync(devPtr, count, dstDevice, hStream) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPrefetchAsync_ptsz(
    devPtr: CUdeviceptr,
    count: usize,
    dstDevice: CUdevice,
    hStream: CUstream,
) -> CUresult {
    enter(426, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(count <= 0x8000_0000_0000)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemPrefetchAsync(devPtr, count, dstDevice, hStream.or_per_thread()) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPrefetchAsync_v2(
    devPtr: CUdeviceptr,
    count: usize,
    location: CUmemLocation,
    flags: u32,
    hStream: CUstream,
) -> CUresult {
    enter(427, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(count <= 0x8000_0000_0000)?;
            arguments::require_in_context(matches!(flags, 0))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMemPrefetchAsync_v2(devPtr, count, location, flags, hStream) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPrefetchAsync_v2_ptsz(
    devPtr: CUdeviceptr,
    count: usize,
    location: CUmemLocation,
    flags: u32,
    hStream: CUstream,
) -> CUresult {
    enter(428, || {
        call_on_its_node(hStream.0, || {
            arguments::require_in_context(count <= 0x8000_0000_0000)?;
            arguments::require_in_context(matches!(flags, 0))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuMemPrefetchAsync_v2(devPtr, count, location, flags, hStream.or_per_thread())
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPrefetchBatchAsync(
    dptrs: *mut CUdeviceptr,
    sizes: *mut usize,
    count: usize,
    prefetchLocs: *mut CUmemLocation,
    prefetchLocIdxs: *mut usize,
    numPrefetchLocs: usize,
    flags: u64,
    hStream: CUstream,
) -> CUresult {
    enter(429, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuMemPrefetchBatchAsync(
                    dptrs,
                    sizes,
                    count,
                    prefetchLocs,
                    prefetchLocIdxs,
                    numPrefetchLocs,
                    flags,
                    hStream,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPrefetchBatchAsync_ptsz(
    dptrs: *mut CUdeviceptr,
    sizes: *mut usize,
    count: usize,
    prefetchLocs: *mut CUmemLocation,
    prefetchLocIdxs: *mut usize,
    numPrefetchLocs: usize,
    flags: u64,
    hStream: CUstream,
) -> CUresult {
    enter(430, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuMemPrefetchBatchAsync(
                    dptrs,
                    sizes,
                    count,
                    prefetchLocs,
                    prefetchLocIdxs,
                    numPrefetchLocs,
                    flags,
                    hStream.or_per_thread(),
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemRangeGetAttribute(
    data: *mut c_void,
    dataSize: usize,
    attribute: CUmem_range_attribute,
    devPtr: CUdeviceptr,
    count: usize,
) -> CUresult {
    enter(431, || {
        arguments::require_in_context(count <= 0x8000_0000_0000)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { api::cuMemRangeGetAttribute(data, dataSize, attribute, devPtr, count) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemRangeGetAttributes(
    data: *mut *mut c_void,
    dataSizes: *mut usize,
    attributes: *mut CUmem_range_attribute,
    numAttributes: usize,
    devPtr: CUdeviceptr,
    count: usize,
) -> CUresult {
    enter(432, || {
        arguments::require_in_context(count <= 0x8000_0000_0000)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            api::cuMemRangeGetAttributes(data, dataSizes, attributes, numAttributes, devPtr, count)
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuPointerGetAttribute(
    data: *mut c_void,
    attribute: CUpointer_attribute,
    ptr: CUdeviceptr,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(433, || unsafe { api::cuPointerGetAttribute(data, attribute, ptr) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuPointerGetAttributes(
    numAttributes: u32,
    attributes: *mut CUpointer_attribute,
    data: *mut *mut c_void,
    ptr: CUdeviceptr,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(434, || unsafe { api::cuPointerGetAttributes(numAttributes, attributes, data, ptr) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuPointerSetAttribute(
    value: *const c_void,
    attribute: CUpointer_attribute,
    ptr: CUdeviceptr,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(435, || unsafe { api::cuPointerSetAttribute(value, attribute, ptr) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddBatchMemOpNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
) -> CUresult {
    enter(436, || {
        call_on_its_node(hGraph.0, || {
            marshal::not_null(phGraphNode)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    phGraphNode,
                    graphs::new_node::add(
                        graphs::new_node::new_node(
                            hGraph,
                            dependencies,
                            std::ptr::null_mut(),
                            numDependencies,
                        )?,
                        graphs::node::batch(arguments::reference(nodeParams)?)?,
                    )?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddChildGraphNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    childGraph: CUgraph,
) -> CUresult {
    enter(437, || {
        call_on_its_node(hGraph.0, || {
            marshal::not_null(phGraphNode)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    phGraphNode,
                    graphs::new_node::add(
                        graphs::new_node::new_node(
                            hGraph,
                            dependencies,
                            std::ptr::null_mut(),
                            numDependencies,
                        )?,
                        graphs::node::child(childGraph)?,
                    )?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddDependencies(
    hGraph: CUgraph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    numDependencies: usize,
) -> CUresult {
    enter(438, || {
        call_on_its_node(hGraph.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::graph::depend(
                    hGraph,
                    from,
                    to,
                    std::ptr::null_mut(),
                    numDependencies,
                    false,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddDependencies_v2(
    hGraph: CUgraph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    edgeData: *const CUgraphEdgeData,
    numDependencies: usize,
) -> CUresult {
    enter(439, || {
        call_on_its_node(hGraph.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { graphs::graph::depend(hGraph, from, to, edgeData, numDependencies, false) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddEmptyNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
) -> CUresult {
    enter(440, || {
        call_on_its_node(hGraph.0, || {
            marshal::not_null(phGraphNode)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    phGraphNode,
                    graphs::new_node::add_empty(graphs::new_node::new_node(
                        hGraph,
                        dependencies,
                        std::ptr::null_mut(),
                        numDependencies,
                    )?)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddEventRecordNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    event: CUevent,
) -> CUresult {
    enter(441, || {
        call_on_its_node(event.0, || {
            marshal::not_null(phGraphNode)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    phGraphNode,
                    graphs::new_node::add(
                        graphs::new_node::new_node(
                            hGraph,
                            dependencies,
                            std::ptr::null_mut(),
                            numDependencies,
                        )?,
                        graphs::node::about_event(values::GRAPH_NODE_TYPE_EVENT_RECORD, event)?,
                    )?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddEventWaitNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    event: CUevent,
) -> CUresult {
    enter(442, || {
        call_on_its_node(event.0, || {
            marshal::not_null(phGraphNode)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    phGraphNode,
                    graphs::new_node::add(
                        graphs::new_node::new_node(
                            hGraph,
                            dependencies,
                            std::ptr::null_mut(),
                            numDependencies,
                        )?,
                        graphs::node::about_event(values::GRAPH_NODE_TYPE_WAIT_EVENT, event)?,
                    )?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddExternalSemaphoresSignalNode() -> CUresult {
    unsupported(443)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddExternalSemaphoresWaitNode() -> CUresult {
    unsupported(444)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddHostNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    nodeParams: *const CUDA_HOST_NODE_PARAMS,
) -> CUresult {
    enter(445, || {
        call_on_its_node(hGraph.0, || {
            marshal::not_null(phGraphNode)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    phGraphNode,
                    graphs::new_node::add(
                        graphs::new_node::new_node(
                            hGraph,
                            dependencies,
                            std::ptr::null_mut(),
                            numDependencies,
                        )?,
                        graphs::node::host(arguments::reference(nodeParams)?)?,
                    )?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddKernelNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1,
) -> CUresult {
    enter(446, || {
        call_on_its_node(hGraph.0, || {
            marshal::not_null(phGraphNode)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    phGraphNode,
                    graphs::new_node::add(
                        graphs::new_node::new_node(
                            hGraph,
                            dependencies,
                            std::ptr::null_mut(),
                            numDependencies,
                        )?,
                        graphs::node::kernel_v1(arguments::reference(nodeParams)?)?,
                    )?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddKernelNode_v2(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
) -> CUresult {
    enter(447, || {
        call_on_its_node(hGraph.0, || {
            marshal::not_null(phGraphNode)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    phGraphNode,
                    graphs::new_node::add(
                        graphs::new_node::new_node(
                            hGraph,
                            dependencies,
                            std::ptr::null_mut(),
                            numDependencies,
                        )?,
                        graphs::node::kernel(arguments::reference(nodeParams)?)?,
                    )?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddMemAllocNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    nodeParams: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
) -> CUresult {
    enter(448, || {
        call_on_its_node(hGraph.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::memory::add_allocation(
                    phGraphNode,
                    hGraph,
                    dependencies,
                    std::ptr::null_mut(),
                    numDependencies,
                    nodeParams,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddMemFreeNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    dptr: CUdeviceptr,
) -> CUresult {
    enter(449, || {
        call_on_its_node(hGraph.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::memory::add_free(
                    phGraphNode,
                    hGraph,
                    dependencies,
                    std::ptr::null_mut(),
                    numDependencies,
                    dptr,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddMemcpyNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    copyParams: *const CUDA_MEMCPY3D,
    ctx: CUcontext,
) -> CUresult {
    enter(450, || {
        call_on_its_node(hGraph.0, || {
            marshal::not_null(phGraphNode)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    phGraphNode,
                    graphs::node::add_copy(
                        graphs::new_node::new_node(
                            hGraph,
                            dependencies,
                            std::ptr::null_mut(),
                            numDependencies,
                        )?,
                        arguments::reference(copyParams)?,
                        ctx,
                    )?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddMemsetNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    memsetParams: *const CUDA_MEMSET_NODE_PARAMS,
    ctx: CUcontext,
) -> CUresult {
    enter(451, || {
        call_on_its_node(hGraph.0, || {
            marshal::not_null(phGraphNode)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    phGraphNode,
                    graphs::new_node::add(
                        graphs::new_node::new_node(
                            hGraph,
                            dependencies,
                            std::ptr::null_mut(),
                            numDependencies,
                        )?,
                        graphs::node::fill(arguments::reference(memsetParams)?, ctx)?,
                    )?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    nodeParams: *mut CUgraphNodeParams,
) -> CUresult {
    enter(452, || {
        call_on_its_node(hGraph.0, || {
            let dependencyData: *const CUgraphEdgeData = std::ptr::null_mut();
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuGraphAddNode_v2(
                    phGraphNode,
                    hGraph,
                    dependencies,
                    dependencyData,
                    numDependencies,
                    nodeParams,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddNode_v2(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    dependencyData: *const CUgraphEdgeData,
    numDependencies: usize,
    nodeParams: *mut CUgraphNodeParams,
) -> CUresult {
    enter(453, || {
        call_on_its_node(hGraph.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuGraphAddNode_v2(
                    phGraphNode,
                    hGraph,
                    dependencies,
                    dependencyData,
                    numDependencies,
                    nodeParams,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphBatchMemOpNodeGetParams(
    hNode: CUgraphNode,
    nodeParams_out: *mut CUDA_BATCH_MEM_OP_NODE_PARAMS,
) -> CUresult {
    enter(454, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { arguments::put(nodeParams_out, graphs::params::batch(hNode)?) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphBatchMemOpNodeSetParams(
    hNode: CUgraphNode,
    nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
) -> CUresult {
    enter(455, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::node::set(0, hNode, graphs::node::batch(arguments::reference(nodeParams)?)?)
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphChildGraphNodeGetGraph(
    hNode: CUgraphNode,
    phGraph: *mut CUgraph,
) -> CUresult {
    enter(456, || {
        call_on_its_node(hNode.0, || {
            marshal::not_null(phGraph)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { arguments::put(phGraph, graphs::params::child(hNode)?) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphClone(
    phGraphClone: *mut CUgraph,
    originalGraph: CUgraph,
) -> CUresult {
    enter(457, || {
        call_on_its_node(originalGraph.0, || {
            marshal::not_null(phGraphClone)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { arguments::put(phGraphClone, graphs::graph::clone(originalGraph)?) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphConditionalHandleCreate(
    pHandle_out: *mut u64,
    hGraph: CUgraph,
    ctx: CUcontext,
    defaultLaunchValue: u32,
    flags: u32,
) -> CUresult {
    enter(458, || {
        call_on_its_node(hGraph.0, || {
            arguments::require(matches!(flags, 0 | 1))?;
            marshal::not_null(pHandle_out)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    pHandle_out,
                    graphs::node::condition(hGraph, ctx, defaultLaunchValue, flags)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphCreate(phGraph: *mut CUgraph, flags: u32) -> CUresult {
    enter(459, || {
        arguments::require(matches!(flags, 0))?;
        marshal::not_null(phGraph)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { arguments::put(phGraph, graphs::graph::create(flags)?) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphDebugDotPrint(
    hGraph: CUgraph,
    path: *const c_char,
    flags: u32,
) -> CUresult {
    enter(460, || {
        call_on_its_node(hGraph.0, || {
            arguments::require(flags & !(0x1_ffff) == 0)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { graphs::dot::print(marshal::graph(hGraph)?, arguments::name(path)?, flags) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphDestroy(hGraph: CUgraph) -> CUresult {
    enter(461, || {
        call_on_its_node(hGraph.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { graphs::graph::destroy(hGraph) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphDestroyNode(hNode: CUgraphNode) -> CUresult {
    enter(462, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { graphs::node::destroy(hNode) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphEventRecordNodeGetEvent(
    hNode: CUgraphNode,
    event_out: *mut CUevent,
) -> CUresult {
    enter(463, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    event_out,
                    graphs::params::event_of(hNode, values::GRAPH_NODE_TYPE_EVENT_RECORD)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphEventRecordNodeSetEvent(
    hNode: CUgraphNode,
    event: CUevent,
) -> CUresult {
    enter(464, || {
        call_on_its_node(event.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::node::set(
                    0,
                    hNode,
                    graphs::node::about_event(values::GRAPH_NODE_TYPE_EVENT_RECORD, event)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphEventWaitNodeGetEvent(
    hNode: CUgraphNode,
    event_out: *mut CUevent,
) -> CUresult {
    enter(465, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    event_out,
                    graphs::params::event_of(hNode, values::GRAPH_NODE_TYPE_WAIT_EVENT)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphEventWaitNodeSetEvent(
    hNode: CUgraphNode,
    event: CUevent,
) -> CUresult {
    enter(466, || {
        call_on_its_node(event.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::node::set(
                    0,
                    hNode,
                    graphs::node::about_event(values::GRAPH_NODE_TYPE_WAIT_EVENT, event)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecBatchMemOpNodeSetParams(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
) -> CUresult {
    enter(467, || {
        call_on_its_node(hGraphExec.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::node::set(
                    marshal::graph_exec(hGraphExec)?,
                    hNode,
                    graphs::node::batch(arguments::reference(nodeParams)?)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecChildGraphNodeSetParams(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    childGraph: CUgraph,
) -> CUresult {
    enter(468, || {
        call_on_its_node(hGraphExec.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { graphs::node::set_child(hGraphExec, hNode, childGraph) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecDestroy(hGraphExec: CUgraphExec) -> CUresult {
    enter(469, || {
        graphs::capture::check_thread()?;
        call_on_its_node(hGraphExec.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { graphs::graph::destroy_exec(hGraphExec) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecEventRecordNodeSetEvent(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    event: CUevent,
) -> CUresult {
    enter(470, || {
        call_on_its_node(event.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::node::set(
                    marshal::graph_exec(hGraphExec)?,
                    hNode,
                    graphs::node::about_event(values::GRAPH_NODE_TYPE_EVENT_RECORD, event)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecEventWaitNodeSetEvent(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    event: CUevent,
) -> CUresult {
    enter(471, || {
        call_on_its_node(event.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::node::set(
                    marshal::graph_exec(hGraphExec)?,
                    hNode,
                    graphs::node::about_event(values::GRAPH_NODE_TYPE_WAIT_EVENT, event)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecExternalSemaphoresSignalNodeSetParams() -> CUresult {
    unsupported(472)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecExternalSemaphoresWaitNodeSetParams() -> CUresult {
    unsupported(473)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecGetFlags(hGraphExec: CUgraphExec, flags: *mut u64) -> CUresult {
    enter(474, || {
        call_on_its_node(hGraphExec.0, || {
            marshal::not_null(flags)?;
            call(&wire::GraphExecGetFlags { h_graph_exec: marshal::graph_exec(hGraphExec)? })?.read(
                |reply| {
                    marshal::output(flags, reply.flags);
                    Ok(())
                },
            )
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecHostNodeSetParams(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    nodeParams: *const CUDA_HOST_NODE_PARAMS,
) -> CUresult {
    enter(475, || {
        call_on_its_node(hGraphExec.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::node::set(
                    marshal::graph_exec(hGraphExec)?,
                    hNode,
                    graphs::node::host(arguments::reference(nodeParams)?)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecKernelNodeSetParams(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1,
) -> CUresult {
    enter(476, || {
        call_on_its_node(hGraphExec.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::node::set(
                    marshal::graph_exec(hGraphExec)?,
                    hNode,
                    graphs::node::kernel_v1(arguments::reference(nodeParams)?)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecKernelNodeSetParams_v2(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
) -> CUresult {
    enter(477, || {
        call_on_its_node(hGraphExec.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::node::set(
                    marshal::graph_exec(hGraphExec)?,
                    hNode,
                    graphs::node::kernel(arguments::reference(nodeParams)?)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecMemcpyNodeSetParams(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    copyParams: *const CUDA_MEMCPY3D,
    ctx: CUcontext,
) -> CUresult {
    enter(478, || {
        call_on_its_node(hGraphExec.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::node::set_copy(
                    marshal::graph_exec(hGraphExec)?,
                    hNode,
                    arguments::reference(copyParams)?,
                    ctx,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecMemsetNodeSetParams(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    memsetParams: *const CUDA_MEMSET_NODE_PARAMS,
    ctx: CUcontext,
) -> CUresult {
    enter(479, || {
        call_on_its_node(hGraphExec.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::node::set(
                    marshal::graph_exec(hGraphExec)?,
                    hNode,
                    graphs::node::fill(arguments::reference(memsetParams)?, ctx)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecNodeSetParams(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    nodeParams: *mut CUgraphNodeParams,
) -> CUresult {
    enter(480, || {
        call_on_its_node(hGraphExec.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { graphs::node::set_any(marshal::graph_exec(hGraphExec)?, hNode, nodeParams) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecUpdate(
    hGraphExec: CUgraphExec,
    hGraph: CUgraph,
    hErrorNode_out: *mut CUgraphNode,
    updateResult_out: *mut CUgraphExecUpdateResult,
) -> CUresult {
    enter(481, || {
        call_on_its_node(hGraphExec.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuGraphExecUpdate(hGraphExec, hGraph, hErrorNode_out, updateResult_out) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecUpdate_v2(
    hGraphExec: CUgraphExec,
    hGraph: CUgraph,
    resultInfo: *mut CUgraphExecUpdateResultInfo,
) -> CUresult {
    enter(482, || {
        call_on_its_node(hGraphExec.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuGraphExecUpdate_v2(hGraphExec, hGraph, resultInfo) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExternalSemaphoresSignalNodeGetParams() -> CUresult {
    unsupported(483)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExternalSemaphoresSignalNodeSetParams() -> CUresult {
    unsupported(484)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExternalSemaphoresWaitNodeGetParams() -> CUresult {
    unsupported(485)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExternalSemaphoresWaitNodeSetParams() -> CUresult {
    unsupported(486)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphGetEdges(
    hGraph: CUgraph,
    from: *mut CUgraphNode,
    to: *mut CUgraphNode,
    numEdges: *mut usize,
) -> CUresult {
    enter(487, || {
        call_on_its_node(hGraph.0, || {
            let edgeData: *mut CUgraphEdgeData = std::ptr::null_mut();
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuGraphGetEdges_v2(hGraph, from, to, edgeData, numEdges) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphGetEdges_v2(
    hGraph: CUgraph,
    from: *mut CUgraphNode,
    to: *mut CUgraphNode,
    edgeData: *mut CUgraphEdgeData,
    numEdges: *mut usize,
) -> CUresult {
    enter(488, || {
        call_on_its_node(hGraph.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuGraphGetEdges_v2(hGraph, from, to, edgeData, numEdges) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphGetNodes(
    hGraph: CUgraph,
    nodes: *mut CUgraphNode,
    numNodes: *mut usize,
) -> CUresult {
    enter(489, || {
        call_on_its_node(hGraph.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::graph::nodes(
                    marshal::graph(hGraph)?,
                    graphs::graph::Which::Nodes,
                    nodes,
                    numNodes,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphGetRootNodes(
    hGraph: CUgraph,
    rootNodes: *mut CUgraphNode,
    numRootNodes: *mut usize,
) -> CUresult {
    enter(490, || {
        call_on_its_node(hGraph.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::graph::nodes(
                    marshal::graph(hGraph)?,
                    graphs::graph::Which::Roots,
                    rootNodes,
                    numRootNodes,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphHostNodeGetParams(
    hNode: CUgraphNode,
    nodeParams: *mut CUDA_HOST_NODE_PARAMS,
) -> CUresult {
    enter(491, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { arguments::put(nodeParams, graphs::params::host(hNode)?) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphHostNodeSetParams(
    hNode: CUgraphNode,
    nodeParams: *const CUDA_HOST_NODE_PARAMS,
) -> CUresult {
    enter(492, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::node::set(0, hNode, graphs::node::host(arguments::reference(nodeParams)?)?)
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiate(
    phGraphExec: *mut CUgraphExec,
    hGraph: CUgraph,
    phErrorNode: *mut CUgraphNode,
    logBuffer: *mut c_char,
    bufferSize: usize,
) -> CUresult {
    legacy_abi::carry_out(493, false, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuGraphInstantiate_v2(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiate_v2(
    phGraphExec: *mut CUgraphExec,
    hGraph: CUgraph,
    phErrorNode: *mut CUgraphNode,
    logBuffer: *mut c_char,
    bufferSize: usize,
) -> CUresult {
    enter(494, || {
        call_on_its_node(hGraph.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuGraphInstantiate_v2(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize)
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiateWithFlags(
    phGraphExec: *mut CUgraphExec,
    hGraph: CUgraph,
    flags: u64,
) -> CUresult {
    enter(495, || {
        graphs::capture::check_thread()?;
        call_on_its_node(hGraph.0, || {
            arguments::require(flags & !(0xf) == 0)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuGraphInstantiateWithFlags(phGraphExec, hGraph, flags) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiateWithParams(
    phGraphExec: *mut CUgraphExec,
    hGraph: CUgraph,
    instantiateParams: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
) -> CUresult {
    enter(496, || {
        graphs::capture::check_thread()?;
        call_on_its_node(hGraph.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuGraphInstantiateWithParams(
                    phGraphExec,
                    hGraph,
                    instantiateParams,
                    CUstream::LEGACY,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiateWithParams_ptsz(
    phGraphExec: *mut CUgraphExec,
    hGraph: CUgraph,
    instantiateParams: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
) -> CUresult {
    enter(497, || {
        graphs::capture::check_thread()?;
        call_on_its_node(hGraph.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                api::cuGraphInstantiateWithParams(
                    phGraphExec,
                    hGraph,
                    instantiateParams,
                    CUstream::PER_THREAD,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeCopyAttributes(
    dst: CUgraphNode,
    src: CUgraphNode,
) -> CUresult {
    enter(498, || {
        call_on_its_node(dst.0, || {
            call(&wire::GraphKernelNodeCopyAttributes {
                dst: marshal::graph_node(dst)?,
                src: marshal::graph_node(src)?,
            })?
            .ok()
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeGetAttribute(
    hNode: CUgraphNode,
    attr: CUstreamAttrID,
    value_out: *mut CUstreamAttrValue,
) -> CUresult {
    enter(499, || {
        call_on_its_node(hNode.0, || {
            arguments::require(matches!(attr, 1..=16))?;
            marshal::not_null(value_out)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { arguments::put(value_out, graphs::params::attribute(hNode, attr)?) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeGetParams(
    hNode: CUgraphNode,
    nodeParams: *mut CUDA_KERNEL_NODE_PARAMS_v1,
) -> CUresult {
    enter(500, || {
        call_on_its_node(hNode.0, || {
            marshal::not_null(nodeParams)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { arguments::put(nodeParams, graphs::params::kernel_v1(hNode)?) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeGetParams_v2(
    hNode: CUgraphNode,
    nodeParams: *mut CUDA_KERNEL_NODE_PARAMS,
) -> CUresult {
    enter(501, || {
        call_on_its_node(hNode.0, || {
            marshal::not_null(nodeParams)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { arguments::put(nodeParams, graphs::params::kernel(hNode)?) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeSetAttribute(
    hNode: CUgraphNode,
    attr: CUstreamAttrID,
    value: *const CUstreamAttrValue,
) -> CUresult {
    enter(502, || {
        call_on_its_node(hNode.0, || {
            arguments::require(matches!(attr, 1..=16))?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuGraphKernelNodeSetAttribute(hNode, attr, value) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeSetParams(
    hNode: CUgraphNode,
    nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1,
) -> CUresult {
    enter(503, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::node::set(
                    0,
                    hNode,
                    graphs::node::kernel_v1(arguments::reference(nodeParams)?)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeSetParams_v2(
    hNode: CUgraphNode,
    nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
) -> CUresult {
    enter(504, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::node::set(
                    0,
                    hNode,
                    graphs::node::kernel(arguments::reference(nodeParams)?)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphLaunch(hGraph: CUgraphExec, hStream: CUstream) -> CUresult {
    enter(505, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { graphs::graph::launch(hGraph, hStream) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphLaunch_ptsz(hGraph: CUgraphExec, hStream: CUstream) -> CUresult {
    enter(506, || {
        call_on_its_node(hStream.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { graphs::graph::launch(hGraph, hStream.or_per_thread()) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphMemAllocNodeGetParams(
    hNode: CUgraphNode,
    params_out: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
) -> CUresult {
    enter(507, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuGraphMemAllocNodeGetParams(hNode, params_out) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphMemFreeNodeGetParams(
    hNode: CUgraphNode,
    dptr_out: *mut CUdeviceptr,
) -> CUresult {
    enter(508, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuGraphMemFreeNodeGetParams(hNode, dptr_out) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphMemcpyNodeGetParams(
    hNode: CUgraphNode,
    nodeParams: *mut CUDA_MEMCPY3D,
) -> CUresult {
    enter(509, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { arguments::put(nodeParams, graphs::params::copy(hNode)?) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphMemcpyNodeSetParams(
    hNode: CUgraphNode,
    nodeParams: *const CUDA_MEMCPY3D,
) -> CUresult {
    enter(510, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::node::set(
                    0,
                    hNode,
                    graphs::node::copy_on_device(
                        arguments::reference(nodeParams)?,
                        CUcontext::NULL,
                    )?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphMemsetNodeGetParams(
    hNode: CUgraphNode,
    nodeParams: *mut CUDA_MEMSET_NODE_PARAMS,
) -> CUresult {
    enter(511, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { arguments::put(nodeParams, graphs::params::fill(hNode)?) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphMemsetNodeSetParams(
    hNode: CUgraphNode,
    nodeParams: *const CUDA_MEMSET_NODE_PARAMS,
) -> CUresult {
    enter(512, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::node::set(
                    0,
                    hNode,
                    graphs::node::fill(arguments::reference(nodeParams)?, CUcontext::NULL)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeFindInClone(
    phNode: *mut CUgraphNode,
    hOriginalNode: CUgraphNode,
    hClonedGraph: CUgraph,
) -> CUresult {
    enter(513, || {
        call_on_its_node(hClonedGraph.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(phNode, graphs::params::find_in_clone(hOriginalNode, hClonedGraph)?)
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeGetDependencies(
    hNode: CUgraphNode,
    dependencies: *mut CUgraphNode,
    numDependencies: *mut usize,
) -> CUresult {
    enter(514, || {
        call_on_its_node(hNode.0, || {
            let edgeData: *mut CUgraphEdgeData = std::ptr::null_mut();
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::graph::neighbours(
                    hNode,
                    graphs::graph::Which::Dependencies,
                    dependencies,
                    edgeData,
                    numDependencies,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeGetDependencies_v2(
    hNode: CUgraphNode,
    dependencies: *mut CUgraphNode,
    edgeData: *mut CUgraphEdgeData,
    numDependencies: *mut usize,
) -> CUresult {
    enter(515, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::graph::neighbours(
                    hNode,
                    graphs::graph::Which::Dependencies,
                    dependencies,
                    edgeData,
                    numDependencies,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeGetDependentNodes(
    hNode: CUgraphNode,
    dependentNodes: *mut CUgraphNode,
    numDependentNodes: *mut usize,
) -> CUresult {
    enter(516, || {
        call_on_its_node(hNode.0, || {
            let edgeData: *mut CUgraphEdgeData = std::ptr::null_mut();
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::graph::neighbours(
                    hNode,
                    graphs::graph::Which::Dependents,
                    dependentNodes,
                    edgeData,
                    numDependentNodes,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeGetDependentNodes_v2(
    hNode: CUgraphNode,
    dependentNodes: *mut CUgraphNode,
    edgeData: *mut CUgraphEdgeData,
    numDependentNodes: *mut usize,
) -> CUresult {
    enter(517, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::graph::neighbours(
                    hNode,
                    graphs::graph::Which::Dependents,
                    dependentNodes,
                    edgeData,
                    numDependentNodes,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeGetEnabled(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    isEnabled: *mut u32,
) -> CUresult {
    enter(518, || {
        call_on_its_node(hGraphExec.0, || {
            marshal::not_null(isEnabled)?;
            call(&wire::GraphNodeGetEnabled {
                h_graph_exec: marshal::graph_exec(hGraphExec)?,
                h_node: marshal::graph_node(hNode)?,
            })?
            .read(|reply| {
                marshal::output(isEnabled, reply.is_enabled);
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeGetType(
    hNode: CUgraphNode,
    type_: *mut CUgraphNodeType,
) -> CUresult {
    enter(519, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { arguments::put(type_, graphs::params::kind(hNode)?) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeSetEnabled(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    isEnabled: u32,
) -> CUresult {
    enter(520, || {
        call_on_its_node(hGraphExec.0, || {
            call(&wire::GraphNodeSetEnabled {
                h_graph_exec: marshal::graph_exec(hGraphExec)?,
                h_node: marshal::graph_node(hNode)?,
                is_enabled: isEnabled,
            })?
            .ok()
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeSetParams(
    hNode: CUgraphNode,
    nodeParams: *mut CUgraphNodeParams,
) -> CUresult {
    enter(521, || {
        call_on_its_node(hNode.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { graphs::node::set_any(0, hNode, nodeParams) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphReleaseUserObject(
    graph: CUgraph,
    object: CUuserObject,
    count: u32,
) -> CUresult {
    enter(522, || {
        call_on_its_node(graph.0, || {
            arguments::require(matches!(count, 1..=0x7fff_ffff))?;
            call(&wire::GraphReleaseUserObject {
                graph: marshal::graph(graph)?,
                object: marshal::user_object(object)?,
                count,
            })?
            .ok()
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphRemoveDependencies(
    hGraph: CUgraph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    numDependencies: usize,
) -> CUresult {
    enter(523, || {
        call_on_its_node(hGraph.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                graphs::graph::depend(hGraph, from, to, std::ptr::null_mut(), numDependencies, true)
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphRemoveDependencies_v2(
    hGraph: CUgraph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    edgeData: *const CUgraphEdgeData,
    numDependencies: usize,
) -> CUresult {
    enter(524, || {
        call_on_its_node(hGraph.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { graphs::graph::depend(hGraph, from, to, edgeData, numDependencies, true) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphRetainUserObject(
    graph: CUgraph,
    object: CUuserObject,
    count: u32,
    flags: u32,
) -> CUresult {
    enter(525, || {
        call_on_its_node(graph.0, || {
            arguments::require(matches!(count, 1..=0x7fff_ffff))?;
            arguments::require(flags & !(1) == 0)?;
            call(&wire::GraphRetainUserObject {
                graph: marshal::graph(graph)?,
                object: marshal::user_object(object)?,
                count,
                flags,
            })?
            .ok()
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphUpload(hGraph: CUgraphExec, hStream: CUstream) -> CUresult {
    enter(526, || {
        call_on_its_node(hStream.0, || {
            let work_stream;
            let message = wire::GraphUpload {
                h_graph: marshal::graph_exec(hGraph)?,
                stream: {
                    work_stream = marshal::stream(hStream)?;
                    work_stream.handle
                },
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphUpload_ptsz(hGraph: CUgraphExec, hStream: CUstream) -> CUresult {
    enter(527, || {
        call_on_its_node(hStream.0, || {
            let work_stream;
            let message = wire::GraphUpload {
                h_graph: marshal::graph_exec(hGraph)?,
                stream: {
                    work_stream = marshal::stream(hStream.or_per_thread())?;
                    work_stream.handle
                },
            };
            submit_here(&work_stream, &message).map(drop)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuUserObjectCreate(
    object_out: *mut CUuserObject,
    ptr: *mut c_void,
    destroy: CUhostFn,
    initialRefcount: u32,
    flags: u32,
) -> CUresult {
    enter(528, || {
        arguments::require(matches!(initialRefcount, 1..=0x7fff_ffff))?;
        arguments::require(matches!(flags, 1))?;
        marshal::not_null(object_out)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            arguments::put(
                object_out,
                graphs::graph::create_user_object(ptr, destroy, initialRefcount, flags)?,
            )
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuUserObjectRelease(object: CUuserObject, count: u32) -> CUresult {
    enter(529, || {
        call_on_its_node(object.0, || {
            arguments::require(matches!(count, 1..=0x7fff_ffff))?;
            call(&wire::UserObjectRelease { object: marshal::user_object(object)?, count })?.ok()
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuUserObjectRetain(object: CUuserObject, count: u32) -> CUresult {
    enter(530, || {
        call_on_its_node(object.0, || {
            arguments::require(matches!(count, 1..=0x7fff_ffff))?;
            call(&wire::UserObjectRetain { object: marshal::user_object(object)?, count })?.ok()
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArray3DCreate(
    pHandle: *mut CUarray,
    pAllocateArray: *const CUDA_ARRAY3D_DESCRIPTOR_v1,
) -> CUresult {
    legacy_abi::carry_out(531, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let pAllocateArray = legacy_32bit::read(pAllocateArray);
            cuArray3DCreate_v2(pHandle, legacy_32bit::pointer(&pAllocateArray)).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArray3DCreate_v2(
    pHandle: *mut CUarray,
    pAllocateArray: *const CUDA_ARRAY3D_DESCRIPTOR,
) -> CUresult {
    enter(532, || {
        graphs::capture::check_thread()?;
        legacy_abi::later(|| {
            marshal::not_null(pHandle)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    pHandle,
                    memory::array::create_3d(arguments::reference(pAllocateArray)?)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArray3DGetDescriptor(
    pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR_v1,
    hArray: CUarray,
) -> CUresult {
    legacy_abi::carry_out(533, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let mut pArrayDescriptor_later = legacy_32bit::room(pArrayDescriptor);
            cuArray3DGetDescriptor_v2(legacy_32bit::place(&mut pArrayDescriptor_later), hArray)
                .ok()?;
            legacy_32bit::give(pArrayDescriptor, pArrayDescriptor_later)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArray3DGetDescriptor_v2(
    pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR,
    hArray: CUarray,
) -> CUresult {
    enter(534, || {
        legacy_abi::later(|| {
            call_on_its_node(hArray.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe { api::cuArray3DGetDescriptor_v2(pArrayDescriptor, hArray) }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArrayCreate(
    pHandle: *mut CUarray,
    pAllocateArray: *const CUDA_ARRAY_DESCRIPTOR_v1,
) -> CUresult {
    legacy_abi::carry_out(535, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let pAllocateArray = legacy_32bit::read(pAllocateArray);
            cuArrayCreate_v2(pHandle, legacy_32bit::pointer(&pAllocateArray)).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArrayCreate_v2(
    pHandle: *mut CUarray,
    pAllocateArray: *const CUDA_ARRAY_DESCRIPTOR,
) -> CUresult {
    enter(536, || {
        graphs::capture::check_thread()?;
        legacy_abi::later(|| {
            marshal::not_null(pHandle)?;
            // SAFETY: the caller upholds the driver API's contract.
            unsafe {
                arguments::put(
                    pHandle,
                    memory::array::create(arguments::reference(pAllocateArray)?)?,
                )
            }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArrayDestroy(hArray: CUarray) -> CUresult {
    enter(537, || {
        graphs::capture::check_thread()?;
        call_on_its_node(hArray.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { memory::array::destroy(handles::array(hArray)?) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArrayGetDescriptor(
    pArrayDescriptor: *mut CUDA_ARRAY_DESCRIPTOR_v1,
    hArray: CUarray,
) -> CUresult {
    legacy_abi::carry_out(538, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let mut pArrayDescriptor_later = legacy_32bit::room(pArrayDescriptor);
            cuArrayGetDescriptor_v2(legacy_32bit::place(&mut pArrayDescriptor_later), hArray)
                .ok()?;
            legacy_32bit::give(pArrayDescriptor, pArrayDescriptor_later)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArrayGetDescriptor_v2(
    pArrayDescriptor: *mut CUDA_ARRAY_DESCRIPTOR,
    hArray: CUarray,
) -> CUresult {
    enter(539, || {
        legacy_abi::later(|| {
            call_on_its_node(hArray.0, || {
                // SAFETY: the caller upholds the driver API's contract.
                unsafe { api::cuArrayGetDescriptor_v2(pArrayDescriptor, hArray) }
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArrayGetMemoryRequirements(
    memoryRequirements: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS,
    array: CUarray,
    device: CUdevice,
) -> CUresult {
    enter(540, || {
        call_on_its_node(array.0, || {
            marshal::not_null(memoryRequirements)?;
            call(&wire::ArrayGetMemoryRequirements {
                array: marshal::array(array)?,
                device: marshal::device(device)?,
            })?
            .read(|reply| {
                marshal::output_struct(memoryRequirements, reply.memory_requirements)?;
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArrayGetPlane() -> CUresult {
    unsupported(541)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArrayGetSparseProperties() -> CUresult {
    unsupported(542)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMipmappedArrayCreate(
    pHandle: *mut CUmipmappedArray,
    pMipmappedArrayDesc: *const CUDA_ARRAY3D_DESCRIPTOR,
    numMipmapLevels: u32,
) -> CUresult {
    enter(543, || {
        marshal::not_null(pHandle)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            arguments::put(
                pHandle,
                memory::array::create_mipmapped(
                    arguments::reference(pMipmappedArrayDesc)?,
                    numMipmapLevels,
                )?,
            )
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMipmappedArrayDestroy(hMipmappedArray: CUmipmappedArray) -> CUresult {
    enter(544, || {
        call_on_its_node(hMipmappedArray.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { memory::array::destroy_mipmapped(hMipmappedArray) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMipmappedArrayGetLevel(
    pLevelArray: *mut CUarray,
    hMipmappedArray: CUmipmappedArray,
    level: u32,
) -> CUresult {
    enter(545, || {
        call_on_its_node(hMipmappedArray.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { api::cuMipmappedArrayGetLevel(pLevelArray, hMipmappedArray, level) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMipmappedArrayGetMemoryRequirements(
    memoryRequirements: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS,
    mipmap: CUmipmappedArray,
    device: CUdevice,
) -> CUresult {
    enter(546, || {
        call_on_its_node(mipmap.0, || {
            marshal::not_null(memoryRequirements)?;
            call(&wire::MipmappedArrayGetMemoryRequirements {
                mipmap: marshal::mipmapped_array(mipmap)?,
                device: marshal::device(device)?,
            })?
            .read(|reply| {
                marshal::output_struct(memoryRequirements, reply.memory_requirements)?;
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMipmappedArrayGetSparseProperties() -> CUresult {
    unsupported(547)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuSurfObjectCreate(
    pSurfObject: *mut CUsurfObject,
    pResDesc: *const CUDA_RESOURCE_DESC,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(548, || unsafe { api::cuSurfObjectCreate(pSurfObject, pResDesc) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuSurfObjectDestroy(surfObject: CUsurfObject) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(549, || unsafe { code::texture::destroy_surface(surfObject) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuSurfObjectGetResourceDesc(
    pResDesc: *mut CUDA_RESOURCE_DESC,
    surfObject: CUsurfObject,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(550, || unsafe { api::cuSurfObjectGetResourceDesc(pResDesc, surfObject) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuSurfRefGetArray(phArray: *mut CUarray, hSurfRef: CUsurfref) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(551, || unsafe {
        arguments::put(phArray, code::references::surface_array(marshal::surfref(hSurfRef)?)?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuSurfRefSetArray(
    hSurfRef: CUsurfref,
    hArray: CUarray,
    Flags: u32,
) -> CUresult {
    enter(552, || {
        call_on_its_node(hArray.0, || {
            call(&wire::SurfRefSetArray {
                h_surf_ref: marshal::surfref(hSurfRef)?,
                h_array: marshal::array(hArray)?,
                flags: Flags,
            })?
            .ok()
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTensorMapEncodeIm2col(
    tensorMap: *mut CUtensorMap,
    tensorDataType: CUtensorMapDataType,
    tensorRank: u32,
    globalAddress: CUdeviceptr,
    globalDim: *const u64,
    globalStrides: *const u64,
    pixelBoxLowerCorner: *const i32,
    pixelBoxUpperCorner: *const i32,
    channelsPerPixel: u32,
    pixelsPerColumn: u32,
    elementStrides: *const u32,
    interleave: CUtensorMapInterleave,
    swizzle: CUtensorMapSwizzle,
    l2Promotion: CUtensorMapL2promotion,
    oobFill: CUtensorMapFloatOOBfill,
) -> CUresult {
    enter(553, || {
        marshal::not_null(tensorMap)?;
        call_cached(
            &wire::TensorMapEncodeIm2col {
                tensor_data_type: tensorDataType,
                tensor_rank: tensorRank,
                global_address: globalAddress,
                global_dim: marshal::input_array(&globalDim, (tensorRank) as usize, 5)?,
                global_strides: marshal::input_array(
                    &globalStrides,
                    (tensorRank.saturating_sub(1)) as usize,
                    5,
                )?,
                pixel_box_lower_corner: marshal::input_array(
                    &pixelBoxLowerCorner,
                    (tensorRank.saturating_sub(2)) as usize,
                    5,
                )?,
                pixel_box_upper_corner: marshal::input_array(
                    &pixelBoxUpperCorner,
                    (tensorRank.saturating_sub(2)) as usize,
                    5,
                )?,
                channels_per_pixel: channelsPerPixel,
                pixels_per_column: pixelsPerColumn,
                element_strides: marshal::input_array(&elementStrides, (tensorRank) as usize, 5)?,
                interleave,
                swizzle,
                l2_promotion: l2Promotion,
                oob_fill: oobFill,
            },
            |reply| {
                marshal::output_struct(tensorMap, reply.tensor_map)?;
                Ok(())
            },
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTensorMapEncodeIm2colWide(
    tensorMap: *mut CUtensorMap,
    tensorDataType: CUtensorMapDataType,
    tensorRank: u32,
    globalAddress: CUdeviceptr,
    globalDim: *const u64,
    globalStrides: *const u64,
    pixelBoxLowerCornerWidth: i32,
    pixelBoxUpperCornerWidth: i32,
    channelsPerPixel: u32,
    pixelsPerColumn: u32,
    elementStrides: *const u32,
    interleave: CUtensorMapInterleave,
    mode: CUtensorMapIm2ColWideMode,
    swizzle: CUtensorMapSwizzle,
    l2Promotion: CUtensorMapL2promotion,
    oobFill: CUtensorMapFloatOOBfill,
) -> CUresult {
    enter(554, || {
        marshal::not_null(tensorMap)?;
        call_cached(
            &wire::TensorMapEncodeIm2colWide {
                tensor_data_type: tensorDataType,
                tensor_rank: tensorRank,
                global_address: globalAddress,
                global_dim: marshal::input_array(&globalDim, (tensorRank) as usize, 5)?,
                global_strides: marshal::input_array(
                    &globalStrides,
                    (tensorRank.saturating_sub(1)) as usize,
                    5,
                )?,
                pixel_box_lower_corner_width: pixelBoxLowerCornerWidth,
                pixel_box_upper_corner_width: pixelBoxUpperCornerWidth,
                channels_per_pixel: channelsPerPixel,
                pixels_per_column: pixelsPerColumn,
                element_strides: marshal::input_array(&elementStrides, (tensorRank) as usize, 5)?,
                interleave,
                mode,
                swizzle,
                l2_promotion: l2Promotion,
                oob_fill: oobFill,
            },
            |reply| {
                marshal::output_struct(tensorMap, reply.tensor_map)?;
                Ok(())
            },
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTensorMapEncodeTiled(
    tensorMap: *mut CUtensorMap,
    tensorDataType: CUtensorMapDataType,
    tensorRank: u32,
    globalAddress: CUdeviceptr,
    globalDim: *const u64,
    globalStrides: *const u64,
    boxDim: *const u32,
    elementStrides: *const u32,
    interleave: CUtensorMapInterleave,
    swizzle: CUtensorMapSwizzle,
    l2Promotion: CUtensorMapL2promotion,
    oobFill: CUtensorMapFloatOOBfill,
) -> CUresult {
    enter(555, || {
        marshal::not_null(tensorMap)?;
        call_cached(
            &wire::TensorMapEncodeTiled {
                tensor_data_type: tensorDataType,
                tensor_rank: tensorRank,
                global_address: globalAddress,
                global_dim: marshal::input_array(&globalDim, (tensorRank) as usize, 5)?,
                global_strides: marshal::input_array(
                    &globalStrides,
                    (tensorRank.saturating_sub(1)) as usize,
                    5,
                )?,
                box_dim: marshal::input_array(&boxDim, (tensorRank) as usize, 5)?,
                element_strides: marshal::input_array(&elementStrides, (tensorRank) as usize, 5)?,
                interleave,
                swizzle,
                l2_promotion: l2Promotion,
                oob_fill: oobFill,
            },
            |reply| {
                marshal::output_struct(tensorMap, reply.tensor_map)?;
                Ok(())
            },
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTensorMapReplaceAddress(
    tensorMap: *mut CUtensorMap,
    globalAddress: CUdeviceptr,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(556, || unsafe { api::cuTensorMapReplaceAddress(tensorMap, globalAddress) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexObjectCreate(
    pTexObject: *mut CUtexObject,
    pResDesc: *const CUDA_RESOURCE_DESC,
    pTexDesc: *const CUDA_TEXTURE_DESC,
    pResViewDesc: *const CUDA_RESOURCE_VIEW_DESC,
) -> CUresult {
    enter(557, || {
        marshal::not_null(pTexObject)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            arguments::put(pTexObject, code::texture::create(pResDesc, pTexDesc, pResViewDesc)?)
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexObjectDestroy(texObject: CUtexObject) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(558, || unsafe { code::texture::destroy(texObject) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexObjectGetResourceDesc(
    pResDesc: *mut CUDA_RESOURCE_DESC,
    texObject: CUtexObject,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(559, || unsafe { api::cuTexObjectGetResourceDesc(pResDesc, texObject) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexObjectGetResourceViewDesc(
    pResViewDesc: *mut CUDA_RESOURCE_VIEW_DESC,
    texObject: CUtexObject,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(560, || unsafe { api::cuTexObjectGetResourceViewDesc(pResViewDesc, texObject) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexObjectGetTextureDesc(
    pTexDesc: *mut CUDA_TEXTURE_DESC,
    texObject: CUtexObject,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(561, || unsafe { api::cuTexObjectGetTextureDesc(pTexDesc, texObject) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefCreate(pTexRef: *mut CUtexref) -> CUresult {
    enter(562, || {
        marshal::not_null(pTexRef)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe { arguments::put(pTexRef, code::references::create()?) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefDestroy(hTexRef: CUtexref) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(563, || unsafe { code::references::destroy(marshal::texref(hTexRef)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetAddress(
    pdptr: *mut CUdeviceptr_v1,
    hTexRef: CUtexref,
) -> CUresult {
    legacy_abi::carry_out(564, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let mut pdptr_later = legacy_32bit::room(pdptr);
            cuTexRefGetAddress_v2(legacy_32bit::place(&mut pdptr_later), hTexRef).ok()?;
            legacy_32bit::give(pdptr, pdptr_later)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetAddress_v2(
    pdptr: *mut CUdeviceptr,
    hTexRef: CUtexref,
) -> CUresult {
    enter(565, || {
        legacy_abi::later(|| {
            marshal::not_null(pdptr)?;
            call(&wire::TexRefGetAddress { h_tex_ref: marshal::texref(hTexRef)? })?.read(|reply| {
                marshal::output(pdptr, reply.pdptr);
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetAddressMode(
    pam: *mut i32,
    hTexRef: CUtexref,
    dim: i32,
) -> CUresult {
    enter(566, || {
        marshal::not_null(pam)?;
        call(&wire::TexRefGetAddressMode { h_tex_ref: marshal::texref(hTexRef)?, dim })?.read(
            |reply| {
                marshal::output(pam, reply.pam);
                Ok(())
            },
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetArray(phArray: *mut CUarray, hTexRef: CUtexref) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(567, || unsafe {
        arguments::put(phArray, code::references::texture_array(marshal::texref(hTexRef)?)?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetBorderColor(
    pBorderColor: *mut CUborderColor,
    hTexRef: CUtexref,
) -> CUresult {
    enter(568, || {
        marshal::not_null(pBorderColor)?;
        call(&wire::TexRefGetBorderColor { h_tex_ref: marshal::texref(hTexRef)? })?.read(|reply| {
            marshal::output_struct(pBorderColor, reply.p_border_color)?;
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetFilterMode(pfm: *mut i32, hTexRef: CUtexref) -> CUresult {
    enter(569, || {
        marshal::not_null(pfm)?;
        call(&wire::TexRefGetFilterMode { h_tex_ref: marshal::texref(hTexRef)? })?.read(|reply| {
            marshal::output(pfm, reply.pfm);
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetFlags(pFlags: *mut u32, hTexRef: CUtexref) -> CUresult {
    enter(570, || {
        marshal::not_null(pFlags)?;
        call(&wire::TexRefGetFlags { h_tex_ref: marshal::texref(hTexRef)? })?.read(|reply| {
            marshal::output(pFlags, reply.p_flags);
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetFormat(
    pFormat: *mut i32,
    pNumChannels: *mut i32,
    hTexRef: CUtexref,
) -> CUresult {
    enter(571, || {
        call(&wire::TexRefGetFormat { h_tex_ref: marshal::texref(hTexRef)? })?.read(|reply| {
            marshal::output(pFormat, reply.p_format);
            marshal::output(pNumChannels, reply.p_num_channels);
            Ok(())
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetMaxAnisotropy(
    pmaxAniso: *mut i32,
    hTexRef: CUtexref,
) -> CUresult {
    enter(572, || {
        marshal::not_null(pmaxAniso)?;
        call(&wire::TexRefGetMaxAnisotropy { h_tex_ref: marshal::texref(hTexRef)? })?.read(
            |reply| {
                marshal::output(pmaxAniso, reply.pmax_aniso);
                Ok(())
            },
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetMipmapFilterMode(pfm: *mut i32, hTexRef: CUtexref) -> CUresult {
    enter(573, || {
        marshal::not_null(pfm)?;
        call(&wire::TexRefGetMipmapFilterMode { h_tex_ref: marshal::texref(hTexRef)? })?.read(
            |reply| {
                marshal::output(pfm, reply.pfm);
                Ok(())
            },
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetMipmapLevelBias(
    pbias: *mut f32,
    hTexRef: CUtexref,
) -> CUresult {
    enter(574, || {
        marshal::not_null(pbias)?;
        call(&wire::TexRefGetMipmapLevelBias { h_tex_ref: marshal::texref(hTexRef)? })?.read(
            |reply| {
                marshal::output(pbias, reply.pbias);
                Ok(())
            },
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetMipmapLevelClamp(
    pminMipmapLevelClamp: *mut f32,
    pmaxMipmapLevelClamp: *mut f32,
    hTexRef: CUtexref,
) -> CUresult {
    enter(575, || {
        call(&wire::TexRefGetMipmapLevelClamp { h_tex_ref: marshal::texref(hTexRef)? })?.read(
            |reply| {
                marshal::output(pminMipmapLevelClamp, reply.pmin_mipmap_level_clamp);
                marshal::output(pmaxMipmapLevelClamp, reply.pmax_mipmap_level_clamp);
                Ok(())
            },
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetMipmappedArray(
    phMipmappedArray: *mut CUmipmappedArray,
    hTexRef: CUtexref,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(576, || unsafe {
        arguments::put(
            phMipmappedArray,
            code::references::mipmapped_array(marshal::texref(hTexRef)?)?,
        )
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetAddress(
    ByteOffset: *mut u32,
    hTexRef: CUtexref,
    dptr: CUdeviceptr_v1,
    bytes: u32,
) -> CUresult {
    legacy_abi::carry_out(577, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let mut ByteOffset_later = legacy_32bit::room(ByteOffset);
            cuTexRefSetAddress_v2(
                legacy_32bit::place(&mut ByteOffset_later),
                hTexRef,
                legacy_32bit::widen(dptr),
                legacy_32bit::widen(bytes),
            )
            .ok()?;
            legacy_32bit::give(ByteOffset, ByteOffset_later)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetAddress_v2(
    ByteOffset: *mut usize,
    hTexRef: CUtexref,
    dptr: CUdeviceptr,
    bytes: usize,
) -> CUresult {
    enter(578, || {
        legacy_abi::later(|| {
            call(&wire::TexRefSetAddress {
                h_tex_ref: marshal::texref(hTexRef)?,
                dptr,
                bytes: bytes as u64,
            })?
            .read(|reply| {
                marshal::output(ByteOffset, reply.byte_offset as usize);
                Ok(())
            })
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetAddress2D(
    hTexRef: CUtexref,
    desc: *const CUDA_ARRAY_DESCRIPTOR_v1,
    dptr: CUdeviceptr_v1,
    Pitch: u32,
) -> CUresult {
    legacy_abi::carry_out(579, true, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            let desc = legacy_32bit::read(desc);
            cuTexRefSetAddress2D_v3(
                hTexRef,
                legacy_32bit::pointer(&desc),
                legacy_32bit::widen(dptr),
                legacy_32bit::widen(Pitch),
            )
            .ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetAddress2D_v2(
    hTexRef: CUtexref,
    desc: *const CUDA_ARRAY_DESCRIPTOR,
    dptr: CUdeviceptr,
    Pitch: usize,
) -> CUresult {
    legacy_abi::carry_out(580, false, || {
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            cuTexRefSetAddress2D_v3(hTexRef, desc, dptr, Pitch).ok()?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetAddress2D_v3(
    hTexRef: CUtexref,
    desc: *const CUDA_ARRAY_DESCRIPTOR,
    dptr: CUdeviceptr,
    Pitch: usize,
) -> CUresult {
    enter(581, || {
        legacy_abi::later(|| {
            call(&wire::TexRefSetAddress2D {
                h_tex_ref: marshal::texref(hTexRef)?,
                desc: marshal::input(&desc)?,
                dptr,
                pitch: Pitch as u64,
            })?
            .ok()
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetAddressMode(
    hTexRef: CUtexref,
    dim: i32,
    am: CUaddress_mode,
) -> CUresult {
    enter(582, || {
        call(&wire::TexRefSetAddressMode { h_tex_ref: marshal::texref(hTexRef)?, dim, am })?.ok()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetArray(
    hTexRef: CUtexref,
    hArray: CUarray,
    Flags: u32,
) -> CUresult {
    enter(583, || {
        call_on_its_node(hArray.0, || {
            call(&wire::TexRefSetArray {
                h_tex_ref: marshal::texref(hTexRef)?,
                h_array: marshal::array(hArray)?,
                flags: Flags,
            })?
            .ok()
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetBorderColor(
    hTexRef: CUtexref,
    pBorderColor: *const CUborderColor,
) -> CUresult {
    enter(584, || {
        call(&wire::TexRefSetBorderColor {
            h_tex_ref: marshal::texref(hTexRef)?,
            p_border_color: marshal::input(&pBorderColor)?,
        })?
        .ok()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetFilterMode(hTexRef: CUtexref, fm: CUfilter_mode) -> CUresult {
    enter(585, || {
        call(&wire::TexRefSetFilterMode { h_tex_ref: marshal::texref(hTexRef)?, fm })?.ok()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetFlags(hTexRef: CUtexref, Flags: u32) -> CUresult {
    enter(586, || {
        call(&wire::TexRefSetFlags { h_tex_ref: marshal::texref(hTexRef)?, flags: Flags })?.ok()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetFormat(
    hTexRef: CUtexref,
    fmt: CUarray_format,
    NumPackedComponents: i32,
) -> CUresult {
    enter(587, || {
        call(&wire::TexRefSetFormat {
            h_tex_ref: marshal::texref(hTexRef)?,
            fmt,
            num_packed_components: NumPackedComponents,
        })?
        .ok()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetMaxAnisotropy(hTexRef: CUtexref, maxAniso: u32) -> CUresult {
    enter(588, || {
        call(&wire::TexRefSetMaxAnisotropy {
            h_tex_ref: marshal::texref(hTexRef)?,
            max_aniso: maxAniso,
        })?
        .ok()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetMipmapFilterMode(
    hTexRef: CUtexref,
    fm: CUfilter_mode,
) -> CUresult {
    enter(589, || {
        call(&wire::TexRefSetMipmapFilterMode { h_tex_ref: marshal::texref(hTexRef)?, fm })?.ok()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetMipmapLevelBias(hTexRef: CUtexref, bias: f32) -> CUresult {
    enter(590, || {
        call(&wire::TexRefSetMipmapLevelBias { h_tex_ref: marshal::texref(hTexRef)?, bias })?.ok()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetMipmapLevelClamp(
    hTexRef: CUtexref,
    minMipmapLevelClamp: f32,
    maxMipmapLevelClamp: f32,
) -> CUresult {
    enter(591, || {
        call(&wire::TexRefSetMipmapLevelClamp {
            h_tex_ref: marshal::texref(hTexRef)?,
            min_mipmap_level_clamp: minMipmapLevelClamp,
            max_mipmap_level_clamp: maxMipmapLevelClamp,
        })?
        .ok()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetMipmappedArray(
    hTexRef: CUtexref,
    hMipmappedArray: CUmipmappedArray,
    Flags: u32,
) -> CUresult {
    enter(592, || {
        call_on_its_node(hMipmappedArray.0, || {
            call(&wire::TexRefSetMipmappedArray {
                h_tex_ref: marshal::texref(hTexRef)?,
                h_mipmapped_array: marshal::mipmapped_array(hMipmappedArray)?,
                flags: Flags,
            })?
            .ok()
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCheckpointProcessCheckpoint() -> CUresult {
    unsupported(593)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCheckpointProcessGetRestoreThreadId() -> CUresult {
    unsupported(594)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCheckpointProcessGetState() -> CUresult {
    unsupported(595)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCheckpointProcessLock() -> CUresult {
    unsupported(596)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCheckpointProcessRestore() -> CUresult {
    unsupported(597)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCheckpointProcessUnlock() -> CUresult {
    unsupported(598)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCoredumpGetAttribute() -> CUresult {
    unsupported(599)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCoredumpGetAttributeGlobal() -> CUresult {
    unsupported(600)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCoredumpSetAttribute() -> CUresult {
    unsupported(601)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCoredumpSetAttributeGlobal() -> CUresult {
    unsupported(602)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDestroyExternalMemory() -> CUresult {
    unsupported(603)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDestroyExternalSemaphore() -> CUresult {
    unsupported(604)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevResourceGenerateDesc(
    phDesc: *mut CUdevResourceDesc,
    resources: *mut CUdevResource,
    nbResources: u32,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(605, || unsafe { api::cuDevResourceGenerateDesc(phDesc, resources, nbResources) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevSmResourceSplitByCount(
    result: *mut CUdevResource,
    nbGroups: *mut u32,
    input: *const CUdevResource,
    remaining: *mut CUdevResource,
    useFlags: u32,
    minCount: u32,
) -> CUresult {
    enter(606, || {
        arguments::require_in_context(useFlags & !(3) == 0)?;
        // SAFETY: the caller upholds the driver API's contract.
        unsafe {
            api::cuDevSmResourceSplitByCount(result, nbGroups, input, remaining, useFlags, minCount)
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEGLApiInit() -> CUresult {
    unsupported(607)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEGLStreamConsumerAcquireFrame() -> CUresult {
    unsupported(608)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEGLStreamConsumerConnect() -> CUresult {
    unsupported(609)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEGLStreamConsumerConnectWithFlags() -> CUresult {
    unsupported(610)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEGLStreamConsumerDisconnect() -> CUresult {
    unsupported(611)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEGLStreamConsumerReleaseFrame() -> CUresult {
    unsupported(612)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEGLStreamProducerConnect() -> CUresult {
    unsupported(613)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEGLStreamProducerDisconnect() -> CUresult {
    unsupported(614)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEGLStreamProducerPresentFrame() -> CUresult {
    unsupported(615)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEGLStreamProducerReturnFrame() -> CUresult {
    unsupported(616)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuExternalMemoryGetMappedBuffer() -> CUresult {
    unsupported(617)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuExternalMemoryGetMappedMipmappedArray() -> CUresult {
    unsupported(618)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFlushGPUDirectRDMAWrites(target: i32, scope: i32) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(619, || unsafe { api::cuFlushGPUDirectRDMAWrites(target, scope) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGLCtxCreate() -> CUresult {
    unsupported(620)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGLCtxCreate_v2() -> CUresult {
    unsupported(621)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGLGetDevices() -> CUresult {
    unsupported(622)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGLGetDevices_v2() -> CUresult {
    unsupported(623)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGLInit() -> CUresult {
    unsupported(624)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGLMapBufferObject() -> CUresult {
    unsupported(625)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGLMapBufferObject_v2() -> CUresult {
    unsupported(626)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGLMapBufferObject_v2_ptds() -> CUresult {
    unsupported(627)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGLMapBufferObjectAsync() -> CUresult {
    unsupported(628)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGLMapBufferObjectAsync_v2() -> CUresult {
    unsupported(629)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGLMapBufferObjectAsync_v2_ptsz() -> CUresult {
    unsupported(630)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGLRegisterBufferObject() -> CUresult {
    unsupported(631)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGLSetBufferObjectMapFlags() -> CUresult {
    unsupported(632)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGLUnmapBufferObject() -> CUresult {
    unsupported(633)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGLUnmapBufferObjectAsync() -> CUresult {
    unsupported(634)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGLUnregisterBufferObject() -> CUresult {
    unsupported(635)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphicsEGLRegisterImage() -> CUresult {
    unsupported(636)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphicsGLRegisterBuffer() -> CUresult {
    unsupported(637)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphicsGLRegisterImage() -> CUresult {
    unsupported(638)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphicsMapResources() -> CUresult {
    unsupported(639)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphicsMapResources_ptsz() -> CUresult {
    unsupported(640)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphicsResourceGetMappedEglFrame() -> CUresult {
    unsupported(641)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphicsResourceGetMappedMipmappedArray() -> CUresult {
    unsupported(642)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphicsResourceGetMappedPointer() -> CUresult {
    unsupported(643)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphicsResourceGetMappedPointer_v2() -> CUresult {
    unsupported(644)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphicsResourceSetMapFlags() -> CUresult {
    unsupported(645)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphicsResourceSetMapFlags_v2() -> CUresult {
    unsupported(646)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphicsSubResourceGetMappedArray() -> CUresult {
    unsupported(647)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphicsUnmapResources() -> CUresult {
    unsupported(648)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphicsUnmapResources_ptsz() -> CUresult {
    unsupported(649)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphicsUnregisterResource() -> CUresult {
    unsupported(650)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphicsVDPAURegisterOutputSurface() -> CUresult {
    unsupported(651)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphicsVDPAURegisterVideoSurface() -> CUresult {
    unsupported(652)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxCreate(
    phCtx: *mut CUgreenCtx,
    desc: CUdevResourceDesc,
    dev: CUdevice,
    flags: u32,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(653, || unsafe { api::cuGreenCtxCreate(phCtx, desc, dev, flags) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxDestroy(hCtx: CUgreenCtx) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(654, || unsafe { devices::green::destroy(devices::green::find(hCtx)?) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxGetDevResource(
    hCtx: CUgreenCtx,
    resource: *mut CUdevResource,
    type_: CUdevResourceType,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(655, || unsafe {
        devices::green::resource_of(devices::green::find(hCtx)?, resource, type_)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxGetId(greenCtx: CUgreenCtx, greenCtxId: *mut u64) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(656, || unsafe { api::cuGreenCtxGetId(greenCtx, greenCtxId) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxRecordEvent(hCtx: CUgreenCtx, hEvent: CUevent) -> CUresult {
    enter(657, || {
        call_on_its_node(hEvent.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { devices::green::record(devices::green::find(hCtx)?, hEvent) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxStreamCreate(
    phStream: *mut CUstream,
    greenCtx: CUgreenCtx,
    flags: u32,
    priority: i32,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(658, || unsafe { api::cuGreenCtxStreamCreate(phStream, greenCtx, flags, priority) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxWaitEvent(hCtx: CUgreenCtx, hEvent: CUevent) -> CUresult {
    enter(659, || {
        call_on_its_node(hEvent.0, || {
            // SAFETY: the caller upholds the driver API's contract.
            unsafe { devices::green::wait(devices::green::find(hCtx)?, hEvent) }
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuImportExternalMemory() -> CUresult {
    unsupported(660)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuImportExternalSemaphore() -> CUresult {
    unsupported(661)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLogsCurrent(iterator_out: *mut CUlogIterator, flags: u32) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(662, || unsafe { api::cuLogsCurrent(iterator_out, flags) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLogsDumpToFile(
    iterator: *mut CUlogIterator,
    pathToFile: *const c_char,
    flags: u32,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(663, || unsafe { api::cuLogsDumpToFile(iterator, pathToFile, flags) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLogsDumpToMemory(
    iterator: *mut CUlogIterator,
    buffer: *mut c_char,
    size: *mut usize,
    flags: u32,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(664, || unsafe { api::cuLogsDumpToMemory(iterator, buffer, size, flags) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLogsRegisterCallback(
    callbackFunc: CUlogsCallback,
    userData: *mut c_void,
    callback_out: *mut CUlogsCallbackHandle,
) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(665, || unsafe { api::cuLogsRegisterCallback(callbackFunc, userData, callback_out) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLogsUnregisterCallback(callback: CUlogsCallbackHandle) -> CUresult {
    // SAFETY: the caller upholds the driver API's contract.
    enter(666, || unsafe { api::cuLogsUnregisterCallback(callback) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuSignalExternalSemaphoresAsync() -> CUresult {
    unsupported(667)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuSignalExternalSemaphoresAsync_ptsz() -> CUresult {
    unsupported(668)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuVDPAUCtxCreate() -> CUresult {
    unsupported(669)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuVDPAUCtxCreate_v2() -> CUresult {
    unsupported(670)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuVDPAUGetDevice() -> CUresult {
    unsupported(671)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuWaitExternalSemaphoresAsync() -> CUresult {
    unsupported(672)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuWaitExternalSemaphoresAsync_ptsz() -> CUresult {
    unsupported(673)
}

/// The implemented symbols by name, sorted.
static ADDRESSES: [(&str, Address); 579] = [
    ("cuArray3DCreate", Address(cuArray3DCreate as *const c_void)),
    ("cuArray3DCreate_v2", Address(cuArray3DCreate_v2 as *const c_void)),
    ("cuArray3DGetDescriptor", Address(cuArray3DGetDescriptor as *const c_void)),
    ("cuArray3DGetDescriptor_v2", Address(cuArray3DGetDescriptor_v2 as *const c_void)),
    ("cuArrayCreate", Address(cuArrayCreate as *const c_void)),
    ("cuArrayCreate_v2", Address(cuArrayCreate_v2 as *const c_void)),
    ("cuArrayDestroy", Address(cuArrayDestroy as *const c_void)),
    ("cuArrayGetDescriptor", Address(cuArrayGetDescriptor as *const c_void)),
    ("cuArrayGetDescriptor_v2", Address(cuArrayGetDescriptor_v2 as *const c_void)),
    ("cuArrayGetMemoryRequirements", Address(cuArrayGetMemoryRequirements as *const c_void)),
    ("cuCtxAttach", Address(cuCtxAttach as *const c_void)),
    ("cuCtxCreate", Address(cuCtxCreate as *const c_void)),
    ("cuCtxCreate_v2", Address(cuCtxCreate_v2 as *const c_void)),
    ("cuCtxCreate_v3", Address(cuCtxCreate_v3 as *const c_void)),
    ("cuCtxCreate_v4", Address(cuCtxCreate_v4 as *const c_void)),
    ("cuCtxDestroy", Address(cuCtxDestroy as *const c_void)),
    ("cuCtxDestroy_v2", Address(cuCtxDestroy_v2 as *const c_void)),
    ("cuCtxDetach", Address(cuCtxDetach as *const c_void)),
    ("cuCtxDisablePeerAccess", Address(cuCtxDisablePeerAccess as *const c_void)),
    ("cuCtxEnablePeerAccess", Address(cuCtxEnablePeerAccess as *const c_void)),
    ("cuCtxFromGreenCtx", Address(cuCtxFromGreenCtx as *const c_void)),
    ("cuCtxGetApiVersion", Address(cuCtxGetApiVersion as *const c_void)),
    ("cuCtxGetCacheConfig", Address(cuCtxGetCacheConfig as *const c_void)),
    ("cuCtxGetCurrent", Address(cuCtxGetCurrent as *const c_void)),
    ("cuCtxGetDevResource", Address(cuCtxGetDevResource as *const c_void)),
    ("cuCtxGetDevice", Address(cuCtxGetDevice as *const c_void)),
    ("cuCtxGetDevice_v2", Address(cuCtxGetDevice_v2 as *const c_void)),
    ("cuCtxGetExecAffinity", Address(cuCtxGetExecAffinity as *const c_void)),
    ("cuCtxGetFlags", Address(cuCtxGetFlags as *const c_void)),
    ("cuCtxGetId", Address(cuCtxGetId as *const c_void)),
    ("cuCtxGetLimit", Address(cuCtxGetLimit as *const c_void)),
    ("cuCtxGetSharedMemConfig", Address(cuCtxGetSharedMemConfig as *const c_void)),
    ("cuCtxGetStreamPriorityRange", Address(cuCtxGetStreamPriorityRange as *const c_void)),
    ("cuCtxPopCurrent", Address(cuCtxPopCurrent as *const c_void)),
    ("cuCtxPopCurrent_v2", Address(cuCtxPopCurrent_v2 as *const c_void)),
    ("cuCtxPushCurrent", Address(cuCtxPushCurrent as *const c_void)),
    ("cuCtxPushCurrent_v2", Address(cuCtxPushCurrent_v2 as *const c_void)),
    ("cuCtxRecordEvent", Address(cuCtxRecordEvent as *const c_void)),
    ("cuCtxResetPersistingL2Cache", Address(cuCtxResetPersistingL2Cache as *const c_void)),
    ("cuCtxSetCacheConfig", Address(cuCtxSetCacheConfig as *const c_void)),
    ("cuCtxSetCurrent", Address(cuCtxSetCurrent as *const c_void)),
    ("cuCtxSetFlags", Address(cuCtxSetFlags as *const c_void)),
    ("cuCtxSetLimit", Address(cuCtxSetLimit as *const c_void)),
    ("cuCtxSetSharedMemConfig", Address(cuCtxSetSharedMemConfig as *const c_void)),
    ("cuCtxSynchronize", Address(cuCtxSynchronize as *const c_void)),
    ("cuCtxSynchronize_v2", Address(cuCtxSynchronize_v2 as *const c_void)),
    ("cuCtxWaitEvent", Address(cuCtxWaitEvent as *const c_void)),
    ("cuDevResourceGenerateDesc", Address(cuDevResourceGenerateDesc as *const c_void)),
    ("cuDevSmResourceSplitByCount", Address(cuDevSmResourceSplitByCount as *const c_void)),
    ("cuDeviceCanAccessPeer", Address(cuDeviceCanAccessPeer as *const c_void)),
    ("cuDeviceComputeCapability", Address(cuDeviceComputeCapability as *const c_void)),
    ("cuDeviceGet", Address(cuDeviceGet as *const c_void)),
    ("cuDeviceGetAttribute", Address(cuDeviceGetAttribute as *const c_void)),
    ("cuDeviceGetByPCIBusId", Address(cuDeviceGetByPCIBusId as *const c_void)),
    ("cuDeviceGetCount", Address(cuDeviceGetCount as *const c_void)),
    ("cuDeviceGetDefaultMemPool", Address(cuDeviceGetDefaultMemPool as *const c_void)),
    ("cuDeviceGetDevResource", Address(cuDeviceGetDevResource as *const c_void)),
    ("cuDeviceGetExecAffinitySupport", Address(cuDeviceGetExecAffinitySupport as *const c_void)),
    ("cuDeviceGetGraphMemAttribute", Address(cuDeviceGetGraphMemAttribute as *const c_void)),
    (
        "cuDeviceGetHostAtomicCapabilities",
        Address(cuDeviceGetHostAtomicCapabilities as *const c_void),
    ),
    ("cuDeviceGetMemPool", Address(cuDeviceGetMemPool as *const c_void)),
    ("cuDeviceGetName", Address(cuDeviceGetName as *const c_void)),
    (
        "cuDeviceGetP2PAtomicCapabilities",
        Address(cuDeviceGetP2PAtomicCapabilities as *const c_void),
    ),
    ("cuDeviceGetP2PAttribute", Address(cuDeviceGetP2PAttribute as *const c_void)),
    ("cuDeviceGetPCIBusId", Address(cuDeviceGetPCIBusId as *const c_void)),
    ("cuDeviceGetProperties", Address(cuDeviceGetProperties as *const c_void)),
    (
        "cuDeviceGetTexture1DLinearMaxWidth",
        Address(cuDeviceGetTexture1DLinearMaxWidth as *const c_void),
    ),
    ("cuDeviceGetUuid", Address(cuDeviceGetUuid as *const c_void)),
    ("cuDeviceGetUuid_v2", Address(cuDeviceGetUuid_v2 as *const c_void)),
    ("cuDeviceGraphMemTrim", Address(cuDeviceGraphMemTrim as *const c_void)),
    ("cuDevicePrimaryCtxGetState", Address(cuDevicePrimaryCtxGetState as *const c_void)),
    ("cuDevicePrimaryCtxRelease", Address(cuDevicePrimaryCtxRelease as *const c_void)),
    ("cuDevicePrimaryCtxRelease_v2", Address(cuDevicePrimaryCtxRelease_v2 as *const c_void)),
    ("cuDevicePrimaryCtxReset", Address(cuDevicePrimaryCtxReset as *const c_void)),
    ("cuDevicePrimaryCtxReset_v2", Address(cuDevicePrimaryCtxReset_v2 as *const c_void)),
    ("cuDevicePrimaryCtxRetain", Address(cuDevicePrimaryCtxRetain as *const c_void)),
    ("cuDevicePrimaryCtxSetFlags", Address(cuDevicePrimaryCtxSetFlags as *const c_void)),
    ("cuDevicePrimaryCtxSetFlags_v2", Address(cuDevicePrimaryCtxSetFlags_v2 as *const c_void)),
    (
        "cuDeviceRegisterAsyncNotification",
        Address(cuDeviceRegisterAsyncNotification as *const c_void),
    ),
    ("cuDeviceSetGraphMemAttribute", Address(cuDeviceSetGraphMemAttribute as *const c_void)),
    ("cuDeviceSetMemPool", Address(cuDeviceSetMemPool as *const c_void)),
    ("cuDeviceTotalMem", Address(cuDeviceTotalMem as *const c_void)),
    ("cuDeviceTotalMem_v2", Address(cuDeviceTotalMem_v2 as *const c_void)),
    (
        "cuDeviceUnregisterAsyncNotification",
        Address(cuDeviceUnregisterAsyncNotification as *const c_void),
    ),
    ("cuDriverGetVersion", Address(cuDriverGetVersion as *const c_void)),
    ("cuEventCreate", Address(cuEventCreate as *const c_void)),
    ("cuEventDestroy", Address(cuEventDestroy as *const c_void)),
    ("cuEventDestroy_v2", Address(cuEventDestroy_v2 as *const c_void)),
    ("cuEventElapsedTime", Address(cuEventElapsedTime as *const c_void)),
    ("cuEventElapsedTime_v2", Address(cuEventElapsedTime_v2 as *const c_void)),
    ("cuEventQuery", Address(cuEventQuery as *const c_void)),
    ("cuEventRecord", Address(cuEventRecord as *const c_void)),
    ("cuEventRecordWithFlags", Address(cuEventRecordWithFlags as *const c_void)),
    ("cuEventRecordWithFlags_ptsz", Address(cuEventRecordWithFlags_ptsz as *const c_void)),
    ("cuEventRecord_ptsz", Address(cuEventRecord_ptsz as *const c_void)),
    ("cuEventSynchronize", Address(cuEventSynchronize as *const c_void)),
    ("cuFlushGPUDirectRDMAWrites", Address(cuFlushGPUDirectRDMAWrites as *const c_void)),
    ("cuFuncGetAttribute", Address(cuFuncGetAttribute as *const c_void)),
    ("cuFuncGetModule", Address(cuFuncGetModule as *const c_void)),
    ("cuFuncGetName", Address(cuFuncGetName as *const c_void)),
    ("cuFuncGetParamInfo", Address(cuFuncGetParamInfo as *const c_void)),
    ("cuFuncIsLoaded", Address(cuFuncIsLoaded as *const c_void)),
    ("cuFuncLoad", Address(cuFuncLoad as *const c_void)),
    ("cuFuncSetAttribute", Address(cuFuncSetAttribute as *const c_void)),
    ("cuFuncSetBlockShape", Address(cuFuncSetBlockShape as *const c_void)),
    ("cuFuncSetCacheConfig", Address(cuFuncSetCacheConfig as *const c_void)),
    ("cuFuncSetSharedMemConfig", Address(cuFuncSetSharedMemConfig as *const c_void)),
    ("cuFuncSetSharedSize", Address(cuFuncSetSharedSize as *const c_void)),
    ("cuGetErrorName", Address(cuGetErrorName as *const c_void)),
    ("cuGetErrorString", Address(cuGetErrorString as *const c_void)),
    ("cuGetExportTable", Address(cuGetExportTable as *const c_void)),
    ("cuGetProcAddress", Address(cuGetProcAddress as *const c_void)),
    ("cuGetProcAddress_v2", Address(cuGetProcAddress_v2 as *const c_void)),
    ("cuGraphAddBatchMemOpNode", Address(cuGraphAddBatchMemOpNode as *const c_void)),
    ("cuGraphAddChildGraphNode", Address(cuGraphAddChildGraphNode as *const c_void)),
    ("cuGraphAddDependencies", Address(cuGraphAddDependencies as *const c_void)),
    ("cuGraphAddDependencies_v2", Address(cuGraphAddDependencies_v2 as *const c_void)),
    ("cuGraphAddEmptyNode", Address(cuGraphAddEmptyNode as *const c_void)),
    ("cuGraphAddEventRecordNode", Address(cuGraphAddEventRecordNode as *const c_void)),
    ("cuGraphAddEventWaitNode", Address(cuGraphAddEventWaitNode as *const c_void)),
    ("cuGraphAddHostNode", Address(cuGraphAddHostNode as *const c_void)),
    ("cuGraphAddKernelNode", Address(cuGraphAddKernelNode as *const c_void)),
    ("cuGraphAddKernelNode_v2", Address(cuGraphAddKernelNode_v2 as *const c_void)),
    ("cuGraphAddMemAllocNode", Address(cuGraphAddMemAllocNode as *const c_void)),
    ("cuGraphAddMemFreeNode", Address(cuGraphAddMemFreeNode as *const c_void)),
    ("cuGraphAddMemcpyNode", Address(cuGraphAddMemcpyNode as *const c_void)),
    ("cuGraphAddMemsetNode", Address(cuGraphAddMemsetNode as *const c_void)),
    ("cuGraphAddNode", Address(cuGraphAddNode as *const c_void)),
    ("cuGraphAddNode_v2", Address(cuGraphAddNode_v2 as *const c_void)),
    ("cuGraphBatchMemOpNodeGetParams", Address(cuGraphBatchMemOpNodeGetParams as *const c_void)),
    ("cuGraphBatchMemOpNodeSetParams", Address(cuGraphBatchMemOpNodeSetParams as *const c_void)),
    ("cuGraphChildGraphNodeGetGraph", Address(cuGraphChildGraphNodeGetGraph as *const c_void)),
    ("cuGraphClone", Address(cuGraphClone as *const c_void)),
    ("cuGraphConditionalHandleCreate", Address(cuGraphConditionalHandleCreate as *const c_void)),
    ("cuGraphCreate", Address(cuGraphCreate as *const c_void)),
    ("cuGraphDebugDotPrint", Address(cuGraphDebugDotPrint as *const c_void)),
    ("cuGraphDestroy", Address(cuGraphDestroy as *const c_void)),
    ("cuGraphDestroyNode", Address(cuGraphDestroyNode as *const c_void)),
    ("cuGraphEventRecordNodeGetEvent", Address(cuGraphEventRecordNodeGetEvent as *const c_void)),
    ("cuGraphEventRecordNodeSetEvent", Address(cuGraphEventRecordNodeSetEvent as *const c_void)),
    ("cuGraphEventWaitNodeGetEvent", Address(cuGraphEventWaitNodeGetEvent as *const c_void)),
    ("cuGraphEventWaitNodeSetEvent", Address(cuGraphEventWaitNodeSetEvent as *const c_void)),
    (
        "cuGraphExecBatchMemOpNodeSetParams",
        Address(cuGraphExecBatchMemOpNodeSetParams as *const c_void),
    ),
    (
        "cuGraphExecChildGraphNodeSetParams",
        Address(cuGraphExecChildGraphNodeSetParams as *const c_void),
    ),
    ("cuGraphExecDestroy", Address(cuGraphExecDestroy as *const c_void)),
    (
        "cuGraphExecEventRecordNodeSetEvent",
        Address(cuGraphExecEventRecordNodeSetEvent as *const c_void),
    ),
    (
        "cuGraphExecEventWaitNodeSetEvent",
        Address(cuGraphExecEventWaitNodeSetEvent as *const c_void),
    ),
    ("cuGraphExecGetFlags", Address(cuGraphExecGetFlags as *const c_void)),
    ("cuGraphExecHostNodeSetParams", Address(cuGraphExecHostNodeSetParams as *const c_void)),
    ("cuGraphExecKernelNodeSetParams", Address(cuGraphExecKernelNodeSetParams as *const c_void)),
    (
        "cuGraphExecKernelNodeSetParams_v2",
        Address(cuGraphExecKernelNodeSetParams_v2 as *const c_void),
    ),
    ("cuGraphExecMemcpyNodeSetParams", Address(cuGraphExecMemcpyNodeSetParams as *const c_void)),
    ("cuGraphExecMemsetNodeSetParams", Address(cuGraphExecMemsetNodeSetParams as *const c_void)),
    ("cuGraphExecNodeSetParams", Address(cuGraphExecNodeSetParams as *const c_void)),
    ("cuGraphExecUpdate", Address(cuGraphExecUpdate as *const c_void)),
    ("cuGraphExecUpdate_v2", Address(cuGraphExecUpdate_v2 as *const c_void)),
    ("cuGraphGetEdges", Address(cuGraphGetEdges as *const c_void)),
    ("cuGraphGetEdges_v2", Address(cuGraphGetEdges_v2 as *const c_void)),
    ("cuGraphGetNodes", Address(cuGraphGetNodes as *const c_void)),
    ("cuGraphGetRootNodes", Address(cuGraphGetRootNodes as *const c_void)),
    ("cuGraphHostNodeGetParams", Address(cuGraphHostNodeGetParams as *const c_void)),
    ("cuGraphHostNodeSetParams", Address(cuGraphHostNodeSetParams as *const c_void)),
    ("cuGraphInstantiate", Address(cuGraphInstantiate as *const c_void)),
    ("cuGraphInstantiateWithFlags", Address(cuGraphInstantiateWithFlags as *const c_void)),
    ("cuGraphInstantiateWithParams", Address(cuGraphInstantiateWithParams as *const c_void)),
    (
        "cuGraphInstantiateWithParams_ptsz",
        Address(cuGraphInstantiateWithParams_ptsz as *const c_void),
    ),
    ("cuGraphInstantiate_v2", Address(cuGraphInstantiate_v2 as *const c_void)),
    ("cuGraphKernelNodeCopyAttributes", Address(cuGraphKernelNodeCopyAttributes as *const c_void)),
    ("cuGraphKernelNodeGetAttribute", Address(cuGraphKernelNodeGetAttribute as *const c_void)),
    ("cuGraphKernelNodeGetParams", Address(cuGraphKernelNodeGetParams as *const c_void)),
    ("cuGraphKernelNodeGetParams_v2", Address(cuGraphKernelNodeGetParams_v2 as *const c_void)),
    ("cuGraphKernelNodeSetAttribute", Address(cuGraphKernelNodeSetAttribute as *const c_void)),
    ("cuGraphKernelNodeSetParams", Address(cuGraphKernelNodeSetParams as *const c_void)),
    ("cuGraphKernelNodeSetParams_v2", Address(cuGraphKernelNodeSetParams_v2 as *const c_void)),
    ("cuGraphLaunch", Address(cuGraphLaunch as *const c_void)),
    ("cuGraphLaunch_ptsz", Address(cuGraphLaunch_ptsz as *const c_void)),
    ("cuGraphMemAllocNodeGetParams", Address(cuGraphMemAllocNodeGetParams as *const c_void)),
    ("cuGraphMemFreeNodeGetParams", Address(cuGraphMemFreeNodeGetParams as *const c_void)),
    ("cuGraphMemcpyNodeGetParams", Address(cuGraphMemcpyNodeGetParams as *const c_void)),
    ("cuGraphMemcpyNodeSetParams", Address(cuGraphMemcpyNodeSetParams as *const c_void)),
    ("cuGraphMemsetNodeGetParams", Address(cuGraphMemsetNodeGetParams as *const c_void)),
    ("cuGraphMemsetNodeSetParams", Address(cuGraphMemsetNodeSetParams as *const c_void)),
    ("cuGraphNodeFindInClone", Address(cuGraphNodeFindInClone as *const c_void)),
    ("cuGraphNodeGetDependencies", Address(cuGraphNodeGetDependencies as *const c_void)),
    ("cuGraphNodeGetDependencies_v2", Address(cuGraphNodeGetDependencies_v2 as *const c_void)),
    ("cuGraphNodeGetDependentNodes", Address(cuGraphNodeGetDependentNodes as *const c_void)),
    ("cuGraphNodeGetDependentNodes_v2", Address(cuGraphNodeGetDependentNodes_v2 as *const c_void)),
    ("cuGraphNodeGetEnabled", Address(cuGraphNodeGetEnabled as *const c_void)),
    ("cuGraphNodeGetType", Address(cuGraphNodeGetType as *const c_void)),
    ("cuGraphNodeSetEnabled", Address(cuGraphNodeSetEnabled as *const c_void)),
    ("cuGraphNodeSetParams", Address(cuGraphNodeSetParams as *const c_void)),
    ("cuGraphReleaseUserObject", Address(cuGraphReleaseUserObject as *const c_void)),
    ("cuGraphRemoveDependencies", Address(cuGraphRemoveDependencies as *const c_void)),
    ("cuGraphRemoveDependencies_v2", Address(cuGraphRemoveDependencies_v2 as *const c_void)),
    ("cuGraphRetainUserObject", Address(cuGraphRetainUserObject as *const c_void)),
    ("cuGraphUpload", Address(cuGraphUpload as *const c_void)),
    ("cuGraphUpload_ptsz", Address(cuGraphUpload_ptsz as *const c_void)),
    ("cuGreenCtxCreate", Address(cuGreenCtxCreate as *const c_void)),
    ("cuGreenCtxDestroy", Address(cuGreenCtxDestroy as *const c_void)),
    ("cuGreenCtxGetDevResource", Address(cuGreenCtxGetDevResource as *const c_void)),
    ("cuGreenCtxGetId", Address(cuGreenCtxGetId as *const c_void)),
    ("cuGreenCtxRecordEvent", Address(cuGreenCtxRecordEvent as *const c_void)),
    ("cuGreenCtxStreamCreate", Address(cuGreenCtxStreamCreate as *const c_void)),
    ("cuGreenCtxWaitEvent", Address(cuGreenCtxWaitEvent as *const c_void)),
    ("cuInit", Address(cuInit as *const c_void)),
    ("cuIpcCloseMemHandle", Address(cuIpcCloseMemHandle as *const c_void)),
    ("cuIpcGetEventHandle", Address(cuIpcGetEventHandle as *const c_void)),
    ("cuIpcGetMemHandle", Address(cuIpcGetMemHandle as *const c_void)),
    ("cuIpcOpenEventHandle", Address(cuIpcOpenEventHandle as *const c_void)),
    ("cuIpcOpenMemHandle", Address(cuIpcOpenMemHandle as *const c_void)),
    ("cuIpcOpenMemHandle_v2", Address(cuIpcOpenMemHandle_v2 as *const c_void)),
    ("cuKernelGetAttribute", Address(cuKernelGetAttribute as *const c_void)),
    ("cuKernelGetFunction", Address(cuKernelGetFunction as *const c_void)),
    ("cuKernelGetLibrary", Address(cuKernelGetLibrary as *const c_void)),
    ("cuKernelGetName", Address(cuKernelGetName as *const c_void)),
    ("cuKernelGetParamInfo", Address(cuKernelGetParamInfo as *const c_void)),
    ("cuKernelSetAttribute", Address(cuKernelSetAttribute as *const c_void)),
    ("cuKernelSetCacheConfig", Address(cuKernelSetCacheConfig as *const c_void)),
    ("cuLaunch", Address(cuLaunch as *const c_void)),
    ("cuLaunchCooperativeKernel", Address(cuLaunchCooperativeKernel as *const c_void)),
    (
        "cuLaunchCooperativeKernelMultiDevice",
        Address(cuLaunchCooperativeKernelMultiDevice as *const c_void),
    ),
    ("cuLaunchCooperativeKernel_ptsz", Address(cuLaunchCooperativeKernel_ptsz as *const c_void)),
    ("cuLaunchGrid", Address(cuLaunchGrid as *const c_void)),
    ("cuLaunchGridAsync", Address(cuLaunchGridAsync as *const c_void)),
    ("cuLaunchHostFunc", Address(cuLaunchHostFunc as *const c_void)),
    ("cuLaunchHostFunc_ptsz", Address(cuLaunchHostFunc_ptsz as *const c_void)),
    ("cuLaunchKernel", Address(cuLaunchKernel as *const c_void)),
    ("cuLaunchKernelEx", Address(cuLaunchKernelEx as *const c_void)),
    ("cuLaunchKernelEx_ptsz", Address(cuLaunchKernelEx_ptsz as *const c_void)),
    ("cuLaunchKernel_ptsz", Address(cuLaunchKernel_ptsz as *const c_void)),
    ("cuLibraryEnumerateKernels", Address(cuLibraryEnumerateKernels as *const c_void)),
    ("cuLibraryGetGlobal", Address(cuLibraryGetGlobal as *const c_void)),
    ("cuLibraryGetKernel", Address(cuLibraryGetKernel as *const c_void)),
    ("cuLibraryGetKernelCount", Address(cuLibraryGetKernelCount as *const c_void)),
    ("cuLibraryGetManaged", Address(cuLibraryGetManaged as *const c_void)),
    ("cuLibraryGetModule", Address(cuLibraryGetModule as *const c_void)),
    ("cuLibraryGetUnifiedFunction", Address(cuLibraryGetUnifiedFunction as *const c_void)),
    ("cuLibraryLoadData", Address(cuLibraryLoadData as *const c_void)),
    ("cuLibraryLoadFromFile", Address(cuLibraryLoadFromFile as *const c_void)),
    ("cuLibraryUnload", Address(cuLibraryUnload as *const c_void)),
    ("cuLinkAddData", Address(cuLinkAddData as *const c_void)),
    ("cuLinkAddData_v2", Address(cuLinkAddData_v2 as *const c_void)),
    ("cuLinkAddFile", Address(cuLinkAddFile as *const c_void)),
    ("cuLinkAddFile_v2", Address(cuLinkAddFile_v2 as *const c_void)),
    ("cuLinkComplete", Address(cuLinkComplete as *const c_void)),
    ("cuLinkCreate", Address(cuLinkCreate as *const c_void)),
    ("cuLinkCreate_v2", Address(cuLinkCreate_v2 as *const c_void)),
    ("cuLinkDestroy", Address(cuLinkDestroy as *const c_void)),
    ("cuLogsCurrent", Address(cuLogsCurrent as *const c_void)),
    ("cuLogsDumpToFile", Address(cuLogsDumpToFile as *const c_void)),
    ("cuLogsDumpToMemory", Address(cuLogsDumpToMemory as *const c_void)),
    ("cuLogsRegisterCallback", Address(cuLogsRegisterCallback as *const c_void)),
    ("cuLogsUnregisterCallback", Address(cuLogsUnregisterCallback as *const c_void)),
    ("cuMemAddressFree", Address(cuMemAddressFree as *const c_void)),
    ("cuMemAddressReserve", Address(cuMemAddressReserve as *const c_void)),
    ("cuMemAdvise", Address(cuMemAdvise as *const c_void)),
    ("cuMemAdvise_v2", Address(cuMemAdvise_v2 as *const c_void)),
    ("cuMemAlloc", Address(cuMemAlloc as *const c_void)),
    ("cuMemAllocAsync", Address(cuMemAllocAsync as *const c_void)),
    ("cuMemAllocAsync_ptsz", Address(cuMemAllocAsync_ptsz as *const c_void)),
    ("cuMemAllocFromPoolAsync", Address(cuMemAllocFromPoolAsync as *const c_void)),
    ("cuMemAllocFromPoolAsync_ptsz", Address(cuMemAllocFromPoolAsync_ptsz as *const c_void)),
    ("cuMemAllocHost", Address(cuMemAllocHost as *const c_void)),
    ("cuMemAllocHost_v2", Address(cuMemAllocHost_v2 as *const c_void)),
    ("cuMemAllocManaged", Address(cuMemAllocManaged as *const c_void)),
    ("cuMemAllocPitch", Address(cuMemAllocPitch as *const c_void)),
    ("cuMemAllocPitch_v2", Address(cuMemAllocPitch_v2 as *const c_void)),
    ("cuMemAlloc_v2", Address(cuMemAlloc_v2 as *const c_void)),
    ("cuMemCreate", Address(cuMemCreate as *const c_void)),
    (
        "cuMemDiscardAndPrefetchBatchAsync",
        Address(cuMemDiscardAndPrefetchBatchAsync as *const c_void),
    ),
    (
        "cuMemDiscardAndPrefetchBatchAsync_ptsz",
        Address(cuMemDiscardAndPrefetchBatchAsync_ptsz as *const c_void),
    ),
    ("cuMemDiscardBatchAsync", Address(cuMemDiscardBatchAsync as *const c_void)),
    ("cuMemDiscardBatchAsync_ptsz", Address(cuMemDiscardBatchAsync_ptsz as *const c_void)),
    ("cuMemExportToShareableHandle", Address(cuMemExportToShareableHandle as *const c_void)),
    ("cuMemFree", Address(cuMemFree as *const c_void)),
    ("cuMemFreeAsync", Address(cuMemFreeAsync as *const c_void)),
    ("cuMemFreeAsync_ptsz", Address(cuMemFreeAsync_ptsz as *const c_void)),
    ("cuMemFreeHost", Address(cuMemFreeHost as *const c_void)),
    ("cuMemFree_v2", Address(cuMemFree_v2 as *const c_void)),
    ("cuMemGetAccess", Address(cuMemGetAccess as *const c_void)),
    ("cuMemGetAddressRange", Address(cuMemGetAddressRange as *const c_void)),
    ("cuMemGetAddressRange_v2", Address(cuMemGetAddressRange_v2 as *const c_void)),
    ("cuMemGetAllocationGranularity", Address(cuMemGetAllocationGranularity as *const c_void)),
    (
        "cuMemGetAllocationPropertiesFromHandle",
        Address(cuMemGetAllocationPropertiesFromHandle as *const c_void),
    ),
    ("cuMemGetDefaultMemPool", Address(cuMemGetDefaultMemPool as *const c_void)),
    ("cuMemGetHandleForAddressRange", Address(cuMemGetHandleForAddressRange as *const c_void)),
    ("cuMemGetInfo", Address(cuMemGetInfo as *const c_void)),
    ("cuMemGetInfo_v2", Address(cuMemGetInfo_v2 as *const c_void)),
    ("cuMemGetMemPool", Address(cuMemGetMemPool as *const c_void)),
    ("cuMemHostAlloc", Address(cuMemHostAlloc as *const c_void)),
    ("cuMemHostGetDevicePointer", Address(cuMemHostGetDevicePointer as *const c_void)),
    ("cuMemHostGetDevicePointer_v2", Address(cuMemHostGetDevicePointer_v2 as *const c_void)),
    ("cuMemHostGetFlags", Address(cuMemHostGetFlags as *const c_void)),
    ("cuMemHostRegister", Address(cuMemHostRegister as *const c_void)),
    ("cuMemHostRegister_v2", Address(cuMemHostRegister_v2 as *const c_void)),
    ("cuMemHostUnregister", Address(cuMemHostUnregister as *const c_void)),
    ("cuMemImportFromShareableHandle", Address(cuMemImportFromShareableHandle as *const c_void)),
    ("cuMemMap", Address(cuMemMap as *const c_void)),
    ("cuMemPoolCreate", Address(cuMemPoolCreate as *const c_void)),
    ("cuMemPoolDestroy", Address(cuMemPoolDestroy as *const c_void)),
    ("cuMemPoolExportPointer", Address(cuMemPoolExportPointer as *const c_void)),
    (
        "cuMemPoolExportToShareableHandle",
        Address(cuMemPoolExportToShareableHandle as *const c_void),
    ),
    ("cuMemPoolGetAccess", Address(cuMemPoolGetAccess as *const c_void)),
    ("cuMemPoolGetAttribute", Address(cuMemPoolGetAttribute as *const c_void)),
    (
        "cuMemPoolImportFromShareableHandle",
        Address(cuMemPoolImportFromShareableHandle as *const c_void),
    ),
    ("cuMemPoolImportPointer", Address(cuMemPoolImportPointer as *const c_void)),
    ("cuMemPoolSetAccess", Address(cuMemPoolSetAccess as *const c_void)),
    ("cuMemPoolSetAttribute", Address(cuMemPoolSetAttribute as *const c_void)),
    ("cuMemPoolTrimTo", Address(cuMemPoolTrimTo as *const c_void)),
    ("cuMemPrefetchAsync", Address(cuMemPrefetchAsync as *const c_void)),
    ("cuMemPrefetchAsync_ptsz", Address(cuMemPrefetchAsync_ptsz as *const c_void)),
    ("cuMemPrefetchAsync_v2", Address(cuMemPrefetchAsync_v2 as *const c_void)),
    ("cuMemPrefetchAsync_v2_ptsz", Address(cuMemPrefetchAsync_v2_ptsz as *const c_void)),
    ("cuMemPrefetchBatchAsync", Address(cuMemPrefetchBatchAsync as *const c_void)),
    ("cuMemPrefetchBatchAsync_ptsz", Address(cuMemPrefetchBatchAsync_ptsz as *const c_void)),
    ("cuMemRangeGetAttribute", Address(cuMemRangeGetAttribute as *const c_void)),
    ("cuMemRangeGetAttributes", Address(cuMemRangeGetAttributes as *const c_void)),
    ("cuMemRelease", Address(cuMemRelease as *const c_void)),
    ("cuMemRetainAllocationHandle", Address(cuMemRetainAllocationHandle as *const c_void)),
    ("cuMemSetAccess", Address(cuMemSetAccess as *const c_void)),
    ("cuMemSetMemPool", Address(cuMemSetMemPool as *const c_void)),
    ("cuMemUnmap", Address(cuMemUnmap as *const c_void)),
    ("cuMemcpy", Address(cuMemcpy as *const c_void)),
    ("cuMemcpy2D", Address(cuMemcpy2D as *const c_void)),
    ("cuMemcpy2DAsync", Address(cuMemcpy2DAsync as *const c_void)),
    ("cuMemcpy2DAsync_v2", Address(cuMemcpy2DAsync_v2 as *const c_void)),
    ("cuMemcpy2DAsync_v2_ptsz", Address(cuMemcpy2DAsync_v2_ptsz as *const c_void)),
    ("cuMemcpy2DUnaligned", Address(cuMemcpy2DUnaligned as *const c_void)),
    ("cuMemcpy2DUnaligned_v2", Address(cuMemcpy2DUnaligned_v2 as *const c_void)),
    ("cuMemcpy2DUnaligned_v2_ptds", Address(cuMemcpy2DUnaligned_v2_ptds as *const c_void)),
    ("cuMemcpy2D_v2", Address(cuMemcpy2D_v2 as *const c_void)),
    ("cuMemcpy2D_v2_ptds", Address(cuMemcpy2D_v2_ptds as *const c_void)),
    ("cuMemcpy3D", Address(cuMemcpy3D as *const c_void)),
    ("cuMemcpy3DAsync", Address(cuMemcpy3DAsync as *const c_void)),
    ("cuMemcpy3DAsync_v2", Address(cuMemcpy3DAsync_v2 as *const c_void)),
    ("cuMemcpy3DAsync_v2_ptsz", Address(cuMemcpy3DAsync_v2_ptsz as *const c_void)),
    ("cuMemcpy3DBatchAsync", Address(cuMemcpy3DBatchAsync as *const c_void)),
    ("cuMemcpy3DBatchAsync_ptsz", Address(cuMemcpy3DBatchAsync_ptsz as *const c_void)),
    ("cuMemcpy3DBatchAsync_v2", Address(cuMemcpy3DBatchAsync_v2 as *const c_void)),
    ("cuMemcpy3DBatchAsync_v2_ptsz", Address(cuMemcpy3DBatchAsync_v2_ptsz as *const c_void)),
    ("cuMemcpy3DPeer", Address(cuMemcpy3DPeer as *const c_void)),
    ("cuMemcpy3DPeerAsync", Address(cuMemcpy3DPeerAsync as *const c_void)),
    ("cuMemcpy3DPeerAsync_ptsz", Address(cuMemcpy3DPeerAsync_ptsz as *const c_void)),
    ("cuMemcpy3DPeer_ptds", Address(cuMemcpy3DPeer_ptds as *const c_void)),
    ("cuMemcpy3D_v2", Address(cuMemcpy3D_v2 as *const c_void)),
    ("cuMemcpy3D_v2_ptds", Address(cuMemcpy3D_v2_ptds as *const c_void)),
    ("cuMemcpyAsync", Address(cuMemcpyAsync as *const c_void)),
    ("cuMemcpyAsync_ptsz", Address(cuMemcpyAsync_ptsz as *const c_void)),
    ("cuMemcpyAtoA", Address(cuMemcpyAtoA as *const c_void)),
    ("cuMemcpyAtoA_v2", Address(cuMemcpyAtoA_v2 as *const c_void)),
    ("cuMemcpyAtoA_v2_ptds", Address(cuMemcpyAtoA_v2_ptds as *const c_void)),
    ("cuMemcpyAtoD", Address(cuMemcpyAtoD as *const c_void)),
    ("cuMemcpyAtoD_v2", Address(cuMemcpyAtoD_v2 as *const c_void)),
    ("cuMemcpyAtoD_v2_ptds", Address(cuMemcpyAtoD_v2_ptds as *const c_void)),
    ("cuMemcpyAtoH", Address(cuMemcpyAtoH as *const c_void)),
    ("cuMemcpyAtoHAsync", Address(cuMemcpyAtoHAsync as *const c_void)),
    ("cuMemcpyAtoHAsync_v2", Address(cuMemcpyAtoHAsync_v2 as *const c_void)),
    ("cuMemcpyAtoHAsync_v2_ptsz", Address(cuMemcpyAtoHAsync_v2_ptsz as *const c_void)),
    ("cuMemcpyAtoH_v2", Address(cuMemcpyAtoH_v2 as *const c_void)),
    ("cuMemcpyAtoH_v2_ptds", Address(cuMemcpyAtoH_v2_ptds as *const c_void)),
    ("cuMemcpyBatchAsync", Address(cuMemcpyBatchAsync as *const c_void)),
    ("cuMemcpyBatchAsync_ptsz", Address(cuMemcpyBatchAsync_ptsz as *const c_void)),
    ("cuMemcpyBatchAsync_v2", Address(cuMemcpyBatchAsync_v2 as *const c_void)),
    ("cuMemcpyBatchAsync_v2_ptsz", Address(cuMemcpyBatchAsync_v2_ptsz as *const c_void)),
    ("cuMemcpyDtoA", Address(cuMemcpyDtoA as *const c_void)),
    ("cuMemcpyDtoA_v2", Address(cuMemcpyDtoA_v2 as *const c_void)),
    ("cuMemcpyDtoA_v2_ptds", Address(cuMemcpyDtoA_v2_ptds as *const c_void)),
    ("cuMemcpyDtoD", Address(cuMemcpyDtoD as *const c_void)),
    ("cuMemcpyDtoDAsync", Address(cuMemcpyDtoDAsync as *const c_void)),
    ("cuMemcpyDtoDAsync_v2", Address(cuMemcpyDtoDAsync_v2 as *const c_void)),
    ("cuMemcpyDtoDAsync_v2_ptsz", Address(cuMemcpyDtoDAsync_v2_ptsz as *const c_void)),
    ("cuMemcpyDtoD_v2", Address(cuMemcpyDtoD_v2 as *const c_void)),
    ("cuMemcpyDtoD_v2_ptds", Address(cuMemcpyDtoD_v2_ptds as *const c_void)),
    ("cuMemcpyDtoH", Address(cuMemcpyDtoH as *const c_void)),
    ("cuMemcpyDtoHAsync", Address(cuMemcpyDtoHAsync as *const c_void)),
    ("cuMemcpyDtoHAsync_v2", Address(cuMemcpyDtoHAsync_v2 as *const c_void)),
    ("cuMemcpyDtoHAsync_v2_ptsz", Address(cuMemcpyDtoHAsync_v2_ptsz as *const c_void)),
    ("cuMemcpyDtoH_v2", Address(cuMemcpyDtoH_v2 as *const c_void)),
    ("cuMemcpyDtoH_v2_ptds", Address(cuMemcpyDtoH_v2_ptds as *const c_void)),
    ("cuMemcpyHtoA", Address(cuMemcpyHtoA as *const c_void)),
    ("cuMemcpyHtoAAsync", Address(cuMemcpyHtoAAsync as *const c_void)),
    ("cuMemcpyHtoAAsync_v2", Address(cuMemcpyHtoAAsync_v2 as *const c_void)),
    ("cuMemcpyHtoAAsync_v2_ptsz", Address(cuMemcpyHtoAAsync_v2_ptsz as *const c_void)),
    ("cuMemcpyHtoA_v2", Address(cuMemcpyHtoA_v2 as *const c_void)),
    ("cuMemcpyHtoA_v2_ptds", Address(cuMemcpyHtoA_v2_ptds as *const c_void)),
    ("cuMemcpyHtoD", Address(cuMemcpyHtoD as *const c_void)),
    ("cuMemcpyHtoDAsync", Address(cuMemcpyHtoDAsync as *const c_void)),
    ("cuMemcpyHtoDAsync_v2", Address(cuMemcpyHtoDAsync_v2 as *const c_void)),
    ("cuMemcpyHtoDAsync_v2_ptsz", Address(cuMemcpyHtoDAsync_v2_ptsz as *const c_void)),
    ("cuMemcpyHtoD_v2", Address(cuMemcpyHtoD_v2 as *const c_void)),
    ("cuMemcpyHtoD_v2_ptds", Address(cuMemcpyHtoD_v2_ptds as *const c_void)),
    ("cuMemcpyPeer", Address(cuMemcpyPeer as *const c_void)),
    ("cuMemcpyPeerAsync", Address(cuMemcpyPeerAsync as *const c_void)),
    ("cuMemcpyPeerAsync_ptsz", Address(cuMemcpyPeerAsync_ptsz as *const c_void)),
    ("cuMemcpyPeer_ptds", Address(cuMemcpyPeer_ptds as *const c_void)),
    ("cuMemcpy_ptds", Address(cuMemcpy_ptds as *const c_void)),
    ("cuMemsetD16", Address(cuMemsetD16 as *const c_void)),
    ("cuMemsetD16Async", Address(cuMemsetD16Async as *const c_void)),
    ("cuMemsetD16Async_ptsz", Address(cuMemsetD16Async_ptsz as *const c_void)),
    ("cuMemsetD16_v2", Address(cuMemsetD16_v2 as *const c_void)),
    ("cuMemsetD16_v2_ptds", Address(cuMemsetD16_v2_ptds as *const c_void)),
    ("cuMemsetD2D16", Address(cuMemsetD2D16 as *const c_void)),
    ("cuMemsetD2D16Async", Address(cuMemsetD2D16Async as *const c_void)),
    ("cuMemsetD2D16Async_ptsz", Address(cuMemsetD2D16Async_ptsz as *const c_void)),
    ("cuMemsetD2D16_v2", Address(cuMemsetD2D16_v2 as *const c_void)),
    ("cuMemsetD2D16_v2_ptds", Address(cuMemsetD2D16_v2_ptds as *const c_void)),
    ("cuMemsetD2D32", Address(cuMemsetD2D32 as *const c_void)),
    ("cuMemsetD2D32Async", Address(cuMemsetD2D32Async as *const c_void)),
    ("cuMemsetD2D32Async_ptsz", Address(cuMemsetD2D32Async_ptsz as *const c_void)),
    ("cuMemsetD2D32_v2", Address(cuMemsetD2D32_v2 as *const c_void)),
    ("cuMemsetD2D32_v2_ptds", Address(cuMemsetD2D32_v2_ptds as *const c_void)),
    ("cuMemsetD2D8", Address(cuMemsetD2D8 as *const c_void)),
    ("cuMemsetD2D8Async", Address(cuMemsetD2D8Async as *const c_void)),
    ("cuMemsetD2D8Async_ptsz", Address(cuMemsetD2D8Async_ptsz as *const c_void)),
    ("cuMemsetD2D8_v2", Address(cuMemsetD2D8_v2 as *const c_void)),
    ("cuMemsetD2D8_v2_ptds", Address(cuMemsetD2D8_v2_ptds as *const c_void)),
    ("cuMemsetD32", Address(cuMemsetD32 as *const c_void)),
    ("cuMemsetD32Async", Address(cuMemsetD32Async as *const c_void)),
    ("cuMemsetD32Async_ptsz", Address(cuMemsetD32Async_ptsz as *const c_void)),
    ("cuMemsetD32_v2", Address(cuMemsetD32_v2 as *const c_void)),
    ("cuMemsetD32_v2_ptds", Address(cuMemsetD32_v2_ptds as *const c_void)),
    ("cuMemsetD8", Address(cuMemsetD8 as *const c_void)),
    ("cuMemsetD8Async", Address(cuMemsetD8Async as *const c_void)),
    ("cuMemsetD8Async_ptsz", Address(cuMemsetD8Async_ptsz as *const c_void)),
    ("cuMemsetD8_v2", Address(cuMemsetD8_v2 as *const c_void)),
    ("cuMemsetD8_v2_ptds", Address(cuMemsetD8_v2_ptds as *const c_void)),
    ("cuMipmappedArrayCreate", Address(cuMipmappedArrayCreate as *const c_void)),
    ("cuMipmappedArrayDestroy", Address(cuMipmappedArrayDestroy as *const c_void)),
    ("cuMipmappedArrayGetLevel", Address(cuMipmappedArrayGetLevel as *const c_void)),
    (
        "cuMipmappedArrayGetMemoryRequirements",
        Address(cuMipmappedArrayGetMemoryRequirements as *const c_void),
    ),
    ("cuModuleEnumerateFunctions", Address(cuModuleEnumerateFunctions as *const c_void)),
    ("cuModuleGetFunction", Address(cuModuleGetFunction as *const c_void)),
    ("cuModuleGetFunctionCount", Address(cuModuleGetFunctionCount as *const c_void)),
    ("cuModuleGetGlobal", Address(cuModuleGetGlobal as *const c_void)),
    ("cuModuleGetGlobal_v2", Address(cuModuleGetGlobal_v2 as *const c_void)),
    ("cuModuleGetLoadingMode", Address(cuModuleGetLoadingMode as *const c_void)),
    ("cuModuleGetSurfRef", Address(cuModuleGetSurfRef as *const c_void)),
    ("cuModuleGetTexRef", Address(cuModuleGetTexRef as *const c_void)),
    ("cuModuleLoad", Address(cuModuleLoad as *const c_void)),
    ("cuModuleLoadData", Address(cuModuleLoadData as *const c_void)),
    ("cuModuleLoadDataEx", Address(cuModuleLoadDataEx as *const c_void)),
    ("cuModuleLoadFatBinary", Address(cuModuleLoadFatBinary as *const c_void)),
    ("cuModuleUnload", Address(cuModuleUnload as *const c_void)),
    ("cuMulticastAddDevice", Address(cuMulticastAddDevice as *const c_void)),
    ("cuMulticastBindAddr", Address(cuMulticastBindAddr as *const c_void)),
    ("cuMulticastBindMem", Address(cuMulticastBindMem as *const c_void)),
    ("cuMulticastCreate", Address(cuMulticastCreate as *const c_void)),
    ("cuMulticastGetGranularity", Address(cuMulticastGetGranularity as *const c_void)),
    ("cuMulticastUnbind", Address(cuMulticastUnbind as *const c_void)),
    (
        "cuOccupancyAvailableDynamicSMemPerBlock",
        Address(cuOccupancyAvailableDynamicSMemPerBlock as *const c_void),
    ),
    (
        "cuOccupancyMaxActiveBlocksPerMultiprocessor",
        Address(cuOccupancyMaxActiveBlocksPerMultiprocessor as *const c_void),
    ),
    (
        "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
        Address(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags as *const c_void),
    ),
    ("cuOccupancyMaxActiveClusters", Address(cuOccupancyMaxActiveClusters as *const c_void)),
    (
        "cuOccupancyMaxPotentialBlockSize",
        Address(cuOccupancyMaxPotentialBlockSize as *const c_void),
    ),
    (
        "cuOccupancyMaxPotentialBlockSizeWithFlags",
        Address(cuOccupancyMaxPotentialBlockSizeWithFlags as *const c_void),
    ),
    (
        "cuOccupancyMaxPotentialClusterSize",
        Address(cuOccupancyMaxPotentialClusterSize as *const c_void),
    ),
    ("cuParamSetSize", Address(cuParamSetSize as *const c_void)),
    ("cuParamSetTexRef", Address(cuParamSetTexRef as *const c_void)),
    ("cuParamSetf", Address(cuParamSetf as *const c_void)),
    ("cuParamSeti", Address(cuParamSeti as *const c_void)),
    ("cuParamSetv", Address(cuParamSetv as *const c_void)),
    ("cuPointerGetAttribute", Address(cuPointerGetAttribute as *const c_void)),
    ("cuPointerGetAttributes", Address(cuPointerGetAttributes as *const c_void)),
    ("cuPointerSetAttribute", Address(cuPointerSetAttribute as *const c_void)),
    ("cuProfilerInitialize", Address(cuProfilerInitialize as *const c_void)),
    ("cuProfilerStart", Address(cuProfilerStart as *const c_void)),
    ("cuProfilerStop", Address(cuProfilerStop as *const c_void)),
    ("cuStreamAddCallback", Address(cuStreamAddCallback as *const c_void)),
    ("cuStreamAddCallback_ptsz", Address(cuStreamAddCallback_ptsz as *const c_void)),
    ("cuStreamAttachMemAsync", Address(cuStreamAttachMemAsync as *const c_void)),
    ("cuStreamAttachMemAsync_ptsz", Address(cuStreamAttachMemAsync_ptsz as *const c_void)),
    ("cuStreamBatchMemOp_v2", Address(cuStreamBatchMemOp_v2 as *const c_void)),
    ("cuStreamBatchMemOp_v2_ptsz", Address(cuStreamBatchMemOp_v2_ptsz as *const c_void)),
    ("cuStreamBeginCapture", Address(cuStreamBeginCapture as *const c_void)),
    ("cuStreamBeginCaptureToGraph", Address(cuStreamBeginCaptureToGraph as *const c_void)),
    (
        "cuStreamBeginCaptureToGraph_ptsz",
        Address(cuStreamBeginCaptureToGraph_ptsz as *const c_void),
    ),
    ("cuStreamBeginCapture_ptsz", Address(cuStreamBeginCapture_ptsz as *const c_void)),
    ("cuStreamBeginCapture_v2", Address(cuStreamBeginCapture_v2 as *const c_void)),
    ("cuStreamBeginCapture_v2_ptsz", Address(cuStreamBeginCapture_v2_ptsz as *const c_void)),
    ("cuStreamCopyAttributes", Address(cuStreamCopyAttributes as *const c_void)),
    ("cuStreamCopyAttributes_ptsz", Address(cuStreamCopyAttributes_ptsz as *const c_void)),
    ("cuStreamCreate", Address(cuStreamCreate as *const c_void)),
    ("cuStreamCreateWithPriority", Address(cuStreamCreateWithPriority as *const c_void)),
    ("cuStreamDestroy", Address(cuStreamDestroy as *const c_void)),
    ("cuStreamDestroy_v2", Address(cuStreamDestroy_v2 as *const c_void)),
    ("cuStreamEndCapture", Address(cuStreamEndCapture as *const c_void)),
    ("cuStreamEndCapture_ptsz", Address(cuStreamEndCapture_ptsz as *const c_void)),
    ("cuStreamGetAttribute", Address(cuStreamGetAttribute as *const c_void)),
    ("cuStreamGetAttribute_ptsz", Address(cuStreamGetAttribute_ptsz as *const c_void)),
    ("cuStreamGetCaptureInfo", Address(cuStreamGetCaptureInfo as *const c_void)),
    ("cuStreamGetCaptureInfo_ptsz", Address(cuStreamGetCaptureInfo_ptsz as *const c_void)),
    ("cuStreamGetCaptureInfo_v2", Address(cuStreamGetCaptureInfo_v2 as *const c_void)),
    ("cuStreamGetCaptureInfo_v2_ptsz", Address(cuStreamGetCaptureInfo_v2_ptsz as *const c_void)),
    ("cuStreamGetCaptureInfo_v3", Address(cuStreamGetCaptureInfo_v3 as *const c_void)),
    ("cuStreamGetCaptureInfo_v3_ptsz", Address(cuStreamGetCaptureInfo_v3_ptsz as *const c_void)),
    ("cuStreamGetCtx", Address(cuStreamGetCtx as *const c_void)),
    ("cuStreamGetCtx_ptsz", Address(cuStreamGetCtx_ptsz as *const c_void)),
    ("cuStreamGetCtx_v2", Address(cuStreamGetCtx_v2 as *const c_void)),
    ("cuStreamGetCtx_v2_ptsz", Address(cuStreamGetCtx_v2_ptsz as *const c_void)),
    ("cuStreamGetDevice", Address(cuStreamGetDevice as *const c_void)),
    ("cuStreamGetDevice_ptsz", Address(cuStreamGetDevice_ptsz as *const c_void)),
    ("cuStreamGetFlags", Address(cuStreamGetFlags as *const c_void)),
    ("cuStreamGetFlags_ptsz", Address(cuStreamGetFlags_ptsz as *const c_void)),
    ("cuStreamGetGreenCtx", Address(cuStreamGetGreenCtx as *const c_void)),
    ("cuStreamGetId", Address(cuStreamGetId as *const c_void)),
    ("cuStreamGetId_ptsz", Address(cuStreamGetId_ptsz as *const c_void)),
    ("cuStreamGetPriority", Address(cuStreamGetPriority as *const c_void)),
    ("cuStreamGetPriority_ptsz", Address(cuStreamGetPriority_ptsz as *const c_void)),
    ("cuStreamIsCapturing", Address(cuStreamIsCapturing as *const c_void)),
    ("cuStreamIsCapturing_ptsz", Address(cuStreamIsCapturing_ptsz as *const c_void)),
    ("cuStreamQuery", Address(cuStreamQuery as *const c_void)),
    ("cuStreamQuery_ptsz", Address(cuStreamQuery_ptsz as *const c_void)),
    ("cuStreamSetAttribute", Address(cuStreamSetAttribute as *const c_void)),
    ("cuStreamSetAttribute_ptsz", Address(cuStreamSetAttribute_ptsz as *const c_void)),
    ("cuStreamSynchronize", Address(cuStreamSynchronize as *const c_void)),
    ("cuStreamSynchronize_ptsz", Address(cuStreamSynchronize_ptsz as *const c_void)),
    (
        "cuStreamUpdateCaptureDependencies",
        Address(cuStreamUpdateCaptureDependencies as *const c_void),
    ),
    (
        "cuStreamUpdateCaptureDependencies_ptsz",
        Address(cuStreamUpdateCaptureDependencies_ptsz as *const c_void),
    ),
    (
        "cuStreamUpdateCaptureDependencies_v2",
        Address(cuStreamUpdateCaptureDependencies_v2 as *const c_void),
    ),
    (
        "cuStreamUpdateCaptureDependencies_v2_ptsz",
        Address(cuStreamUpdateCaptureDependencies_v2_ptsz as *const c_void),
    ),
    ("cuStreamWaitEvent", Address(cuStreamWaitEvent as *const c_void)),
    ("cuStreamWaitEvent_ptsz", Address(cuStreamWaitEvent_ptsz as *const c_void)),
    ("cuStreamWaitValue32_v2", Address(cuStreamWaitValue32_v2 as *const c_void)),
    ("cuStreamWaitValue32_v2_ptsz", Address(cuStreamWaitValue32_v2_ptsz as *const c_void)),
    ("cuStreamWaitValue64_v2", Address(cuStreamWaitValue64_v2 as *const c_void)),
    ("cuStreamWaitValue64_v2_ptsz", Address(cuStreamWaitValue64_v2_ptsz as *const c_void)),
    ("cuStreamWriteValue32_v2", Address(cuStreamWriteValue32_v2 as *const c_void)),
    ("cuStreamWriteValue32_v2_ptsz", Address(cuStreamWriteValue32_v2_ptsz as *const c_void)),
    ("cuStreamWriteValue64_v2", Address(cuStreamWriteValue64_v2 as *const c_void)),
    ("cuStreamWriteValue64_v2_ptsz", Address(cuStreamWriteValue64_v2_ptsz as *const c_void)),
    ("cuSurfObjectCreate", Address(cuSurfObjectCreate as *const c_void)),
    ("cuSurfObjectDestroy", Address(cuSurfObjectDestroy as *const c_void)),
    ("cuSurfObjectGetResourceDesc", Address(cuSurfObjectGetResourceDesc as *const c_void)),
    ("cuSurfRefGetArray", Address(cuSurfRefGetArray as *const c_void)),
    ("cuSurfRefSetArray", Address(cuSurfRefSetArray as *const c_void)),
    ("cuTensorMapEncodeIm2col", Address(cuTensorMapEncodeIm2col as *const c_void)),
    ("cuTensorMapEncodeIm2colWide", Address(cuTensorMapEncodeIm2colWide as *const c_void)),
    ("cuTensorMapEncodeTiled", Address(cuTensorMapEncodeTiled as *const c_void)),
    ("cuTensorMapReplaceAddress", Address(cuTensorMapReplaceAddress as *const c_void)),
    ("cuTexObjectCreate", Address(cuTexObjectCreate as *const c_void)),
    ("cuTexObjectDestroy", Address(cuTexObjectDestroy as *const c_void)),
    ("cuTexObjectGetResourceDesc", Address(cuTexObjectGetResourceDesc as *const c_void)),
    ("cuTexObjectGetResourceViewDesc", Address(cuTexObjectGetResourceViewDesc as *const c_void)),
    ("cuTexObjectGetTextureDesc", Address(cuTexObjectGetTextureDesc as *const c_void)),
    ("cuTexRefCreate", Address(cuTexRefCreate as *const c_void)),
    ("cuTexRefDestroy", Address(cuTexRefDestroy as *const c_void)),
    ("cuTexRefGetAddress", Address(cuTexRefGetAddress as *const c_void)),
    ("cuTexRefGetAddressMode", Address(cuTexRefGetAddressMode as *const c_void)),
    ("cuTexRefGetAddress_v2", Address(cuTexRefGetAddress_v2 as *const c_void)),
    ("cuTexRefGetArray", Address(cuTexRefGetArray as *const c_void)),
    ("cuTexRefGetBorderColor", Address(cuTexRefGetBorderColor as *const c_void)),
    ("cuTexRefGetFilterMode", Address(cuTexRefGetFilterMode as *const c_void)),
    ("cuTexRefGetFlags", Address(cuTexRefGetFlags as *const c_void)),
    ("cuTexRefGetFormat", Address(cuTexRefGetFormat as *const c_void)),
    ("cuTexRefGetMaxAnisotropy", Address(cuTexRefGetMaxAnisotropy as *const c_void)),
    ("cuTexRefGetMipmapFilterMode", Address(cuTexRefGetMipmapFilterMode as *const c_void)),
    ("cuTexRefGetMipmapLevelBias", Address(cuTexRefGetMipmapLevelBias as *const c_void)),
    ("cuTexRefGetMipmapLevelClamp", Address(cuTexRefGetMipmapLevelClamp as *const c_void)),
    ("cuTexRefGetMipmappedArray", Address(cuTexRefGetMipmappedArray as *const c_void)),
    ("cuTexRefSetAddress", Address(cuTexRefSetAddress as *const c_void)),
    ("cuTexRefSetAddress2D", Address(cuTexRefSetAddress2D as *const c_void)),
    ("cuTexRefSetAddress2D_v2", Address(cuTexRefSetAddress2D_v2 as *const c_void)),
    ("cuTexRefSetAddress2D_v3", Address(cuTexRefSetAddress2D_v3 as *const c_void)),
    ("cuTexRefSetAddressMode", Address(cuTexRefSetAddressMode as *const c_void)),
    ("cuTexRefSetAddress_v2", Address(cuTexRefSetAddress_v2 as *const c_void)),
    ("cuTexRefSetArray", Address(cuTexRefSetArray as *const c_void)),
    ("cuTexRefSetBorderColor", Address(cuTexRefSetBorderColor as *const c_void)),
    ("cuTexRefSetFilterMode", Address(cuTexRefSetFilterMode as *const c_void)),
    ("cuTexRefSetFlags", Address(cuTexRefSetFlags as *const c_void)),
    ("cuTexRefSetFormat", Address(cuTexRefSetFormat as *const c_void)),
    ("cuTexRefSetMaxAnisotropy", Address(cuTexRefSetMaxAnisotropy as *const c_void)),
    ("cuTexRefSetMipmapFilterMode", Address(cuTexRefSetMipmapFilterMode as *const c_void)),
    ("cuTexRefSetMipmapLevelBias", Address(cuTexRefSetMipmapLevelBias as *const c_void)),
    ("cuTexRefSetMipmapLevelClamp", Address(cuTexRefSetMipmapLevelClamp as *const c_void)),
    ("cuTexRefSetMipmappedArray", Address(cuTexRefSetMipmappedArray as *const c_void)),
    (
        "cuThreadExchangeStreamCaptureMode",
        Address(cuThreadExchangeStreamCaptureMode as *const c_void),
    ),
    ("cuUserObjectCreate", Address(cuUserObjectCreate as *const c_void)),
    ("cuUserObjectRelease", Address(cuUserObjectRelease as *const c_void)),
    ("cuUserObjectRetain", Address(cuUserObjectRetain as *const c_void)),
];

/// Returns the address of an implemented symbol.
pub fn address(symbol: &str) -> Option<*const c_void> {
    let found = ADDRESSES.binary_search_by(|(name, _)| (*name).cmp(symbol)).ok()?;
    Some(ADDRESSES[found].1.0)
}

/// A function's address, in a table that all threads read.
struct Address(*const c_void);

// SAFETY: the address of a function is never written through.
unsafe impl Sync for Address {}
