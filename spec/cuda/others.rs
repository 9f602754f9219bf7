//! Functions for other processes, other APIs and debuggers.

// ---- Other processes and APIs ----

#[since(12080)] #[unsupported(checkpoint)] #[untyped] fn cuCheckpointProcessCheckpoint();
#[since(12080)] #[unsupported(checkpoint)]
fn cuCheckpointProcessGetRestoreThreadId(pid: i32, tid: *mut i32);
#[since(12080)] #[unsupported(checkpoint)] #[untyped] fn cuCheckpointProcessGetState();
#[since(12080)] #[unsupported(checkpoint)] #[untyped] fn cuCheckpointProcessLock();
#[since(12080)] #[unsupported(checkpoint)] #[untyped] fn cuCheckpointProcessRestore();
#[since(12080)] #[unsupported(checkpoint)] #[untyped] fn cuCheckpointProcessUnlock();
#[since(12010)] #[unsupported(coredump)] #[untyped] fn cuCoredumpGetAttribute();
#[since(12010)] #[unsupported(coredump)] #[untyped] fn cuCoredumpGetAttributeGlobal();
#[since(12010)] #[unsupported(coredump)] #[untyped] fn cuCoredumpSetAttribute();
#[since(12010)] #[unsupported(coredump)] #[untyped] fn cuCoredumpSetAttributeGlobal();
#[since(10000)] #[unsupported(external)]
fn cuDestroyExternalMemory(extMem: CUexternalMemory);
#[since(10000)] #[unsupported(external)]
fn cuDestroyExternalSemaphore(extSem: CUexternalSemaphore);
#[since(12040)] #[soft] #[custom("a list of structs with the client's own numbers")]
fn cuDevResourceGenerateDesc(
    phDesc: *mut CUdevResourceDesc, resources: *mut CUdevResource, nbResources: u32,
);
#[since(12040)] #[soft] #[custom("the count comes in as room and goes out as number")]
fn cuDevSmResourceSplitByCount(
    result: *mut CUdevResource, nbGroups: *mut u32, input: *const CUdevResource,
    remaining: *mut CUdevResource, #[flags(3)] useFlags: u32, minCount: u32,
);
#[unsupported(egl)] #[untyped] fn cuEGLApiInit();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamConsumerAcquireFrame();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamConsumerConnect();
#[since(8000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamConsumerConnectWithFlags();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamConsumerDisconnect();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamConsumerReleaseFrame();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamProducerConnect();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamProducerDisconnect();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamProducerPresentFrame();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuEGLStreamProducerReturnFrame();
#[since(10000)] #[unsupported(external)] #[untyped] fn cuExternalMemoryGetMappedBuffer();
#[since(10000)] #[unsupported(external)] #[untyped] fn cuExternalMemoryGetMappedMipmappedArray();
#[since(11030)] #[local] #[soft]
fn cuFlushGPUDirectRDMAWrites(target: i32, scope: i32);
#[since(2000)] #[unsupported(graphics)]
fn cuGLCtxCreate(pCtx: *mut CUcontext, Flags: u32, device: CUdevice);
#[since(3020)] #[unsupported(graphics)]
fn cuGLCtxCreate_v2(pCtx: *mut CUcontext, Flags: u32, device: CUdevice);
#[since(4010)] #[unsupported(graphics)] #[untyped] fn cuGLGetDevices();
#[since(6050)] #[unsupported(graphics)] #[untyped] fn cuGLGetDevices_v2();
#[since(2000)] #[unsupported(graphics)]
fn cuGLInit();
#[since(2000)] #[unsupported(graphics)] #[untyped] fn cuGLMapBufferObject();
#[since(3020)] #[ptds(7000)] #[unsupported(graphics)] #[untyped] fn cuGLMapBufferObject_v2();
#[since(2030)] #[unsupported(graphics)] #[untyped] fn cuGLMapBufferObjectAsync();
#[since(3020)] #[ptsz(7000)] #[unsupported(graphics)] #[untyped] fn cuGLMapBufferObjectAsync_v2();
#[since(2000)] #[unsupported(graphics)] #[untyped] fn cuGLRegisterBufferObject();
#[since(2030)] #[unsupported(graphics)] #[untyped] fn cuGLSetBufferObjectMapFlags();
#[since(2000)] #[unsupported(graphics)] #[untyped] fn cuGLUnmapBufferObject();
#[since(2030)] #[unsupported(graphics)] #[untyped] fn cuGLUnmapBufferObjectAsync();
#[since(2000)] #[unsupported(graphics)] #[untyped] fn cuGLUnregisterBufferObject();
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuGraphicsEGLRegisterImage();
#[since(3000)] #[unsupported(graphics)] #[untyped] fn cuGraphicsGLRegisterBuffer();
#[since(3000)] #[unsupported(graphics)] #[untyped] fn cuGraphicsGLRegisterImage();
#[since(3000)] #[ptsz(7000)] #[unsupported(graphics)]
fn cuGraphicsMapResources(count: u32, resources: *mut CUgraphicsResource, hStream: CUstream);
#[since(7000)] #[unsupported(egl)] #[untyped] fn cuGraphicsResourceGetMappedEglFrame();
#[since(5000)] #[unsupported(graphics)]
fn cuGraphicsResourceGetMappedMipmappedArray(
    pMipmappedArray: *mut CUmipmappedArray, resource: CUgraphicsResource,
);
#[since(3000)] #[unsupported(graphics)] #[untyped] fn cuGraphicsResourceGetMappedPointer();
#[since(3020)] #[unsupported(graphics)]
fn cuGraphicsResourceGetMappedPointer_v2(
    pDevPtr: *mut CUdeviceptr, pSize: *mut usize, resource: CUgraphicsResource,
);
#[since(3000)] #[unsupported(graphics)]
fn cuGraphicsResourceSetMapFlags(resource: CUgraphicsResource, flags: u32);
#[since(6050)] #[unsupported(graphics)]
fn cuGraphicsResourceSetMapFlags_v2(resource: CUgraphicsResource, flags: u32);
#[since(3000)] #[unsupported(graphics)]
fn cuGraphicsSubResourceGetMappedArray(
    pArray: *mut CUarray, resource: CUgraphicsResource, arrayIndex: u32, mipLevel: u32,
);
#[since(3000)] #[ptsz(7000)] #[unsupported(graphics)]
fn cuGraphicsUnmapResources(count: u32, resources: *mut CUgraphicsResource, hStream: CUstream);
#[since(3000)] #[unsupported(graphics)]
fn cuGraphicsUnregisterResource(resource: CUgraphicsResource);
#[since(3010)] #[unsupported(vdpau)] #[untyped] fn cuGraphicsVDPAURegisterOutputSurface();
#[since(3010)] #[unsupported(vdpau)] #[untyped] fn cuGraphicsVDPAURegisterVideoSurface();
#[since(12040)] #[soft] #[custom("checks its place after the device")]
fn cuGreenCtxCreate(phCtx: *mut CUgreenCtx, desc: CUdevResourceDesc, dev: CUdevice, flags: u32);
#[since(12040)] #[soft] #[is(devices::green::destroy(find(hCtx)))]
fn cuGreenCtxDestroy(hCtx: CUgreenCtx);
#[since(12040)] #[soft] #[is(devices::green::resource_of(find(hCtx), resource, type_))]
fn cuGreenCtxGetDevResource(
    hCtx: CUgreenCtx, resource: *mut CUdevResource, type_: CUdevResourceType,
);
#[since(12090)] #[local] #[soft]
fn cuGreenCtxGetId(greenCtx: CUgreenCtx, greenCtxId: *mut u64);
#[since(12040)] #[soft] #[is(devices::green::record(find(hCtx), hEvent))]
fn cuGreenCtxRecordEvent(hCtx: CUgreenCtx, hEvent: CUevent);
#[since(12050)] #[soft] #[custom("checks its place after the context")]
fn cuGreenCtxStreamCreate(phStream: *mut CUstream, greenCtx: CUgreenCtx, flags: u32, priority: i32);
#[since(12040)] #[soft] #[is(devices::green::wait(find(hCtx), hEvent))]
fn cuGreenCtxWaitEvent(hCtx: CUgreenCtx, hEvent: CUevent);
#[since(10000)] #[unsupported(external)] #[untyped] fn cuImportExternalMemory();
#[since(10000)] #[unsupported(external)] #[untyped] fn cuImportExternalSemaphore();
#[since(12090)] #[local] #[soft]
fn cuLogsCurrent(iterator_out: *mut CUlogIterator, flags: u32);
#[since(12090)] #[local] #[soft]
fn cuLogsDumpToFile(iterator: *mut CUlogIterator, pathToFile: *const c_char, flags: u32);
#[since(12090)] #[local] #[soft]
fn cuLogsDumpToMemory(
    iterator: *mut CUlogIterator, buffer: *mut c_char, size: *mut usize, flags: u32,
);
#[since(12090)] #[local] #[soft]
fn cuLogsRegisterCallback(
    callbackFunc: CUlogsCallback, userData: *mut c_void, callback_out: *mut CUlogsCallbackHandle,
);
#[since(12090)] #[local] #[soft]
fn cuLogsUnregisterCallback(callback: CUlogsCallbackHandle);
#[since(10000)] #[ptsz(10000)] #[unsupported(external)] #[untyped]
fn cuSignalExternalSemaphoresAsync();
#[since(3010)] #[unsupported(vdpau)] #[untyped] fn cuVDPAUCtxCreate();
#[since(3020)] #[unsupported(vdpau)] #[untyped] fn cuVDPAUCtxCreate_v2();
#[since(3010)] #[unsupported(vdpau)] #[untyped] fn cuVDPAUGetDevice();
#[since(10000)] #[ptsz(10000)] #[unsupported(external)] #[untyped]
fn cuWaitExternalSemaphoresAsync();

// ---- Debugger: data and entry points that only cuda-gdb uses ----

#[unsupported(debugger)] #[untyped] #[data] fn cudbgApiAttach();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgApiClientPid();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgApiClientRevision();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgApiDetach();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgApiInit();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgAttachHandlerAvailable();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgDebuggerCapabilities();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgDebuggerInitialized();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgDetachSuspendedDevicesMask();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgEnableIntegratedMemcheck();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgEnableLaunchBlocking();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgEnablePreemptionDebugging();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgGetAPI();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgGetAPIVersion();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgInjectionPath();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgIpcFlag();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgMain();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportDriverApiError();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportDriverApiErrorFlags();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportDriverInternalError();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverApiErrorCode();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverApiErrorFuncNameAddr();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverApiErrorFuncNameSize();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverApiErrorNameAddr();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverApiErrorNameSize();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverApiErrorSource();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverApiErrorStringAddr();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverApiErrorStringSize();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgReportedDriverInternalErrorCode();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgResumeForAttachDetach();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgRpcEnabled();
#[unsupported(debugger)] #[untyped] #[data] fn cudbgSessionId();
#[unsupported(external)] #[untyped] #[data] fn cudbgUseExternalDebugger();
