//! The driver, its devices, and their contexts.

// ---- Driver ----

#[since(2020)] #[local] #[soft]
fn cuDriverGetVersion(driverVersion: *mut i32);
#[since(6000)] #[local] #[soft]
fn cuGetErrorName(error: CUresult, pStr: *mut *const c_char);
#[since(6000)] #[local] #[soft]
fn cuGetErrorString(error: CUresult, pStr: *mut *const c_char);
#[since(3000)] #[local] #[soft]
fn cuGetExportTable(ppExportTable: *mut *const c_void, pExportTableId: *const CUuuid);
#[since(11030)] #[local] #[soft]
fn cuGetProcAddress(symbol: *const c_char, pfn: *mut *mut c_void, driverVersion: i32, flags: u64);
#[since(12000)] #[local] #[soft]
fn cuGetProcAddress_v2(
    symbol: *const c_char, pfn: *mut *mut c_void, driverVersion: i32, flags: u64,
    symbolFound: *mut CUdriverProcAddressQueryResult,
);
#[since(2000)] #[soft] #[is(devices::driver::init(Flags))]
fn cuInit(Flags: u32);
#[since(4000)] #[local]
fn cuProfilerInitialize(
    configFile: *const c_char, outputFile: *const c_char, outputMode: CUoutput_mode,
);
#[since(4000)] #[local] #[unsafe_in_capture] #[soft]
fn cuProfilerStart();
#[since(4000)] #[local] #[soft]
fn cuProfilerStop();

// ---- Devices ----

#[since(4000)] #[soft] #[is(copies::peer::can_access(dev, peerDev) -> canAccessPeer)]
fn cuDeviceCanAccessPeer(canAccessPeer: *mut i32, dev: CUdevice, peerDev: CUdevice);
#[since(2000)] #[local] #[soft]
fn cuDeviceComputeCapability(major: *mut i32, minor: *mut i32, dev: CUdevice);
#[since(2000)] #[local] #[soft]
fn cuDeviceGet(device: *mut CUdevice, ordinal: i32);
#[since(2000)] #[local] #[soft]
fn cuDeviceGetAttribute(pi: *mut i32, attrib: CUdevice_attribute, dev: CUdevice);
#[since(4010)] #[local] #[soft]
fn cuDeviceGetByPCIBusId(dev: *mut CUdevice, pciBusId: *const c_char);
#[since(2000)] #[local] #[soft]
fn cuDeviceGetCount(count: *mut i32);
#[since(11020)] #[local] #[soft]
fn cuDeviceGetDefaultMemPool(pool_out: *mut CUmemoryPool, dev: CUdevice);
#[since(12040)] #[soft] #[is(devices::green::resource(device, 0, resource, type_))]
fn cuDeviceGetDevResource(device: CUdevice, resource: *mut CUdevResource, type_: CUdevResourceType);
#[since(11040)] #[local] #[soft]
fn cuDeviceGetExecAffinitySupport(pi: *mut i32, type_: CUexecAffinityType, dev: CUdevice);
#[since(11040)] #[local] #[soft]
fn cuDeviceGetGraphMemAttribute(device: CUdevice, attr: CUgraphMem_attribute, value: *mut c_void);
#[since(13000)] #[local] #[soft]
fn cuDeviceGetHostAtomicCapabilities(
    capabilities: *mut u32, operations: *const CUatomicOperation, count: u32, dev: CUdevice,
);
#[since(10000)] #[unsupported(windows)]
fn cuDeviceGetLuid(luid: *mut c_char, deviceNodeMask: *mut u32, dev: CUdevice);
#[since(11020)] #[local] #[soft]
fn cuDeviceGetMemPool(pool: *mut CUmemoryPool, dev: CUdevice);
#[since(2000)] #[local] #[soft]
fn cuDeviceGetName(name: *mut c_char, len: i32, dev: CUdevice);
#[since(10020)] #[unsupported(external)]
fn cuDeviceGetNvSciSyncAttributes(nvSciSyncAttrList: *mut c_void, dev: CUdevice, flags: i32);
#[since(13000)] #[soft] #[custom("one count for the list it reads and the one it writes")]
fn cuDeviceGetP2PAtomicCapabilities(
    capabilities: *mut u32, operations: *const CUatomicOperation, count: u32, srcDevice: CUdevice,
    dstDevice: CUdevice,
);
#[since(8000)] #[soft] #[is(copies::peer::attribute(attrib, srcDevice, dstDevice) -> value)]
fn cuDeviceGetP2PAttribute(
    value: *mut i32, attrib: CUdevice_P2PAttribute, srcDevice: CUdevice, dstDevice: CUdevice,
);
#[since(4010)] #[local] #[soft]
fn cuDeviceGetPCIBusId(pciBusId: *mut c_char, len: i32, dev: CUdevice);
#[since(2000)] #[local] #[soft]
fn cuDeviceGetProperties(prop: *mut CUdevprop, dev: CUdevice);
#[since(11010)] #[call(op = 104, memo)] #[does(nothing)] #[soft]
fn cuDeviceGetTexture1DLinearMaxWidth(
    maxWidthInElements: Out<usize>, format: CUarray_format, numChannels: u32, dev: CUdevice,
);
#[since(9020)] #[local] #[soft]
fn cuDeviceGetUuid(uuid: *mut CUuuid, dev: CUdevice);
#[since(11040)] #[local] #[soft]
fn cuDeviceGetUuid_v2(uuid: *mut CUuuid, dev: CUdevice);
#[since(11040)] #[local] #[soft]
fn cuDeviceGraphMemTrim(device: CUdevice);
#[since(12040)] #[local] #[soft]
fn cuDeviceRegisterAsyncNotification(
    device: CUdevice, callbackFunc: CUasyncCallback, userData: *mut c_void,
    callback: *mut CUasyncCallbackHandle,
);
#[since(11040)] #[local] #[soft]
fn cuDeviceSetGraphMemAttribute(device: CUdevice, attr: CUgraphMem_attribute, value: *mut c_void);
#[since(11020)] #[local] #[soft]
fn cuDeviceSetMemPool(dev: CUdevice, pool: CUmemoryPool);
#[since(2000)] #[form_of(cuDeviceTotalMem_v2)] #[soft]
fn cuDeviceTotalMem(bytes: *mut u32, dev: CUdevice);
#[since(3020)] #[local] #[soft]
fn cuDeviceTotalMem_v2(bytes: *mut usize, dev: CUdevice);
#[since(12040)] #[local] #[soft]
fn cuDeviceUnregisterAsyncNotification(device: CUdevice, callback: CUasyncCallbackHandle);

// ---- Contexts ----

#[since(2000)] #[is(devices::contexts::attach(flags) -> pctx)]
fn cuCtxAttach(pctx: *mut CUcontext, flags: u32);
#[since(2000)] #[soft] #[is(devices::contexts::create_narrow(flags, dev) -> pctx)]
fn cuCtxCreate(pctx: Out<CUcontext>, flags: u32, dev: CUdevice);
#[since(3020)] #[soft] #[is(devices::contexts::create(flags, dev) -> pctx)]
fn cuCtxCreate_v2(pctx: Out<CUcontext>, flags: u32, dev: CUdevice);
#[since(11040)] #[soft] #[custom("refuses execution affinity before it checks its place")]
fn cuCtxCreate_v3(
    pctx: *mut CUcontext, paramsArray: *mut CUexecAffinityParam, numParams: i32, flags: u32,
    dev: CUdevice,
);
#[since(12050)] #[soft] #[custom("refuses execution affinity before it checks its place")]
fn cuCtxCreate_v4(
    pctx: *mut CUcontext, ctxCreateParams: *mut CUctxCreateParams, flags: u32, dev: CUdevice,
);
#[since(2000)] #[form_of(cuCtxDestroy_v2)] #[soft]
fn cuCtxDestroy(ctx: CUcontext);
#[since(4000)] #[soft] #[is(devices::contexts::destroy(ctx))]
fn cuCtxDestroy_v2(ctx: CUcontext);
#[since(2000)] #[soft] #[is(cuCtxDestroy_v2(ctx))]
fn cuCtxDetach(ctx: CUcontext);
#[since(4000)] #[soft] #[is(copies::peer::disable(peerContext))]
fn cuCtxDisablePeerAccess(peerContext: CUcontext);
#[since(4000)] #[soft] #[is(copies::peer::enable(peerContext, Flags))]
fn cuCtxEnablePeerAccess(peerContext: CUcontext, Flags: u32);
#[since(12040)] #[local] #[soft]
fn cuCtxFromGreenCtx(pContext: *mut CUcontext, hCtx: CUgreenCtx);
#[since(3020)] #[local] #[soft]
fn cuCtxGetApiVersion(ctx: CUcontext, version: *mut u32);
#[since(3020)] #[call(op = 103)] #[does(nothing)] #[soft]
fn cuCtxGetCacheConfig(pconfig: Out<i32>);
#[since(4000)] #[local] #[soft]
fn cuCtxGetCurrent(pctx: *mut CUcontext);
#[since(12040)] #[soft]
#[is(devices::green::resource_of(contexts::resolve_or_current(hCtx), resource, type_))]
fn cuCtxGetDevResource(hCtx: CUcontext, resource: *mut CUdevResource, type_: CUdevResourceType);
#[since(2000)] #[local] #[soft]
fn cuCtxGetDevice(device: *mut CUdevice);
#[since(13000)] #[local] #[soft]
fn cuCtxGetDevice_v2(device: *mut CUdevice, ctx: CUcontext);
#[since(11040)] #[local] #[soft]
fn cuCtxGetExecAffinity(pExecAffinity: *mut CUexecAffinityParam, type_: CUexecAffinityType);
#[since(7000)] #[local] #[soft]
fn cuCtxGetFlags(flags: *mut u32);
#[since(12000)] #[local] #[soft]
fn cuCtxGetId(ctx: CUcontext, ctxId: *mut u64);
#[since(3010)] #[soft] #[is(devices::contexts::limit(limit) -> pvalue)]
fn cuCtxGetLimit(pvalue: *mut usize, limit: CUlimit);
#[since(4020)] #[local] #[soft]
fn cuCtxGetSharedMemConfig(pConfig: *mut CUsharedconfig);
#[since(5050)] #[call(op = 100, memo)] #[does(nothing)] #[soft]
fn cuCtxGetStreamPriorityRange(leastPriority: Option<Out<i32>>, greatestPriority: Option<Out<i32>>);
#[since(2000)] #[form_of(cuCtxPopCurrent_v2)] #[soft]
fn cuCtxPopCurrent(pctx: *mut CUcontext);
#[since(4000)] #[local] #[soft]
fn cuCtxPopCurrent_v2(pctx: *mut CUcontext);
#[since(2000)] #[form_of(cuCtxPushCurrent_v2)] #[soft]
fn cuCtxPushCurrent(ctx: CUcontext);
#[since(4000)] #[local] #[soft]
fn cuCtxPushCurrent_v2(ctx: CUcontext);
#[since(12050)] #[soft] #[is(devices::green::record(contexts::resolve(hCtx), hEvent))]
fn cuCtxRecordEvent(hCtx: CUcontext, hEvent: CUevent);
#[since(11000)] #[post(op = 101)] #[does(nothing)] #[soft]
fn cuCtxResetPersistingL2Cache();
#[since(3020)] #[post(op = 102)] #[does(nothing)] #[soft]
fn cuCtxSetCacheConfig(#[one_of(0..=3)] config: CUfunc_cache);
#[since(4000)] #[local] #[soft]
fn cuCtxSetCurrent(ctx: CUcontext);
#[since(12010)] #[soft] #[is(devices::contexts::set_flags(flags))]
fn cuCtxSetFlags(flags: u32);
#[since(3010)] #[unsafe_in_capture] #[soft] #[is(devices::contexts::set_limit(limit, value))]
fn cuCtxSetLimit(limit: CUlimit, value: usize);
#[since(4020)] #[local] #[soft]
fn cuCtxSetSharedMemConfig(#[one_of(0..=2)] config: CUsharedconfig);
#[since(2000)] #[unsafe_in_capture] #[soft] #[is(devices::contexts::synchronize())]
fn cuCtxSynchronize();
#[since(13000)] #[soft] #[is(devices::contexts::synchronize_one(contexts::resolve_or_current(ctx)))]
fn cuCtxSynchronize_v2(ctx: CUcontext);
#[since(12050)] #[soft] #[is(devices::green::wait(contexts::resolve(hCtx), hEvent))]
fn cuCtxWaitEvent(hCtx: CUcontext, hEvent: CUevent);
#[since(7000)] #[local] #[soft]
fn cuDevicePrimaryCtxGetState(dev: CUdevice, flags: *mut u32, active: *mut i32);
#[since(7000)] #[soft] #[is(cuDevicePrimaryCtxRelease_v2(dev))]
fn cuDevicePrimaryCtxRelease(dev: CUdevice);
#[since(11000)] #[soft] #[is(devices::contexts::release(dev))]
fn cuDevicePrimaryCtxRelease_v2(dev: CUdevice);
#[since(7000)] #[soft] #[is(cuDevicePrimaryCtxReset_v2(dev))]
fn cuDevicePrimaryCtxReset(dev: CUdevice);
#[since(11000)] #[soft] #[is(devices::contexts::reset(dev))]
fn cuDevicePrimaryCtxReset_v2(dev: CUdevice);
#[since(7000)] #[soft] #[is(devices::contexts::retain(dev) -> pctx)]
fn cuDevicePrimaryCtxRetain(pctx: *mut CUcontext, dev: CUdevice);
#[since(7000)] #[local] #[soft]
fn cuDevicePrimaryCtxSetFlags(dev: CUdevice, flags: u32);
#[since(11000)] #[local] #[soft]
fn cuDevicePrimaryCtxSetFlags_v2(dev: CUdevice, flags: u32);
