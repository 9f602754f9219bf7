// Written by `cargo xtask codegen` from spec/cuda; change that.

#![allow(non_snake_case, clippy::too_many_arguments, clippy::type_complexity)]

use crate::types::*;
use crate::{Library, OpenError};
use std::ffi::{c_char, c_void};

/// The functions of one libcuda.so.1, resolved by their exported names. A function that the library
/// lacks returns NOT_SUPPORTED.
pub struct Driver {
    functions: Functions,
    _library: Library,
}

struct Functions {
    cuDriverGetVersion: Option<unsafe extern "C" fn(*mut i32) -> CUresult>,
    cuGetErrorName: Option<unsafe extern "C" fn(CUresult, *mut *const c_char) -> CUresult>,
    cuGetErrorString: Option<unsafe extern "C" fn(CUresult, *mut *const c_char) -> CUresult>,
    cuGetExportTable: Option<unsafe extern "C" fn(*mut *const c_void, *const CUuuid) -> CUresult>,
    cuGetProcAddress:
        Option<unsafe extern "C" fn(*const c_char, *mut *mut c_void, i32, u64) -> CUresult>,
    cuGetProcAddress_v2: Option<
        unsafe extern "C" fn(
            *const c_char,
            *mut *mut c_void,
            i32,
            u64,
            *mut CUdriverProcAddressQueryResult,
        ) -> CUresult,
    >,
    cuInit: Option<unsafe extern "C" fn(u32) -> CUresult>,
    cuProfilerInitialize:
        Option<unsafe extern "C" fn(*const c_char, *const c_char, CUoutput_mode) -> CUresult>,
    cuProfilerStart: Option<unsafe extern "C" fn() -> CUresult>,
    cuProfilerStop: Option<unsafe extern "C" fn() -> CUresult>,
    cuDeviceCanAccessPeer: Option<unsafe extern "C" fn(*mut i32, CUdevice, CUdevice) -> CUresult>,
    cuDeviceComputeCapability:
        Option<unsafe extern "C" fn(*mut i32, *mut i32, CUdevice) -> CUresult>,
    cuDeviceGet: Option<unsafe extern "C" fn(*mut CUdevice, i32) -> CUresult>,
    cuDeviceGetAttribute:
        Option<unsafe extern "C" fn(*mut i32, CUdevice_attribute, CUdevice) -> CUresult>,
    cuDeviceGetByPCIBusId: Option<unsafe extern "C" fn(*mut CUdevice, *const c_char) -> CUresult>,
    cuDeviceGetCount: Option<unsafe extern "C" fn(*mut i32) -> CUresult>,
    cuDeviceGetDefaultMemPool:
        Option<unsafe extern "C" fn(*mut CUmemoryPool, CUdevice) -> CUresult>,
    cuDeviceGetDevResource:
        Option<unsafe extern "C" fn(CUdevice, *mut CUdevResource, CUdevResourceType) -> CUresult>,
    cuDeviceGetExecAffinitySupport:
        Option<unsafe extern "C" fn(*mut i32, CUexecAffinityType, CUdevice) -> CUresult>,
    cuDeviceGetGraphMemAttribute:
        Option<unsafe extern "C" fn(CUdevice, CUgraphMem_attribute, *mut c_void) -> CUresult>,
    cuDeviceGetHostAtomicCapabilities:
        Option<unsafe extern "C" fn(*mut u32, *const CUatomicOperation, u32, CUdevice) -> CUresult>,
    cuDeviceGetLuid: Option<unsafe extern "C" fn(*mut c_char, *mut u32, CUdevice) -> CUresult>,
    cuDeviceGetMemPool: Option<unsafe extern "C" fn(*mut CUmemoryPool, CUdevice) -> CUresult>,
    cuDeviceGetName: Option<unsafe extern "C" fn(*mut c_char, i32, CUdevice) -> CUresult>,
    cuDeviceGetNvSciSyncAttributes:
        Option<unsafe extern "C" fn(*mut c_void, CUdevice, i32) -> CUresult>,
    cuDeviceGetP2PAtomicCapabilities: Option<
        unsafe extern "C" fn(
            *mut u32,
            *const CUatomicOperation,
            u32,
            CUdevice,
            CUdevice,
        ) -> CUresult,
    >,
    cuDeviceGetP2PAttribute: Option<
        unsafe extern "C" fn(*mut i32, CUdevice_P2PAttribute, CUdevice, CUdevice) -> CUresult,
    >,
    cuDeviceGetPCIBusId: Option<unsafe extern "C" fn(*mut c_char, i32, CUdevice) -> CUresult>,
    cuDeviceGetProperties: Option<unsafe extern "C" fn(*mut CUdevprop, CUdevice) -> CUresult>,
    cuDeviceGetTexture1DLinearMaxWidth:
        Option<unsafe extern "C" fn(*mut usize, CUarray_format, u32, CUdevice) -> CUresult>,
    cuDeviceGetUuid: Option<unsafe extern "C" fn(*mut CUuuid, CUdevice) -> CUresult>,
    cuDeviceGetUuid_v2: Option<unsafe extern "C" fn(*mut CUuuid, CUdevice) -> CUresult>,
    cuDeviceGraphMemTrim: Option<unsafe extern "C" fn(CUdevice) -> CUresult>,
    cuDeviceRegisterAsyncNotification: Option<
        unsafe extern "C" fn(
            CUdevice,
            CUasyncCallback,
            *mut c_void,
            *mut CUasyncCallbackHandle,
        ) -> CUresult,
    >,
    cuDeviceSetGraphMemAttribute:
        Option<unsafe extern "C" fn(CUdevice, CUgraphMem_attribute, *mut c_void) -> CUresult>,
    cuDeviceSetMemPool: Option<unsafe extern "C" fn(CUdevice, CUmemoryPool) -> CUresult>,
    cuDeviceTotalMem: Option<unsafe extern "C" fn(*mut u32, CUdevice) -> CUresult>,
    cuDeviceTotalMem_v2: Option<unsafe extern "C" fn(*mut usize, CUdevice) -> CUresult>,
    cuDeviceUnregisterAsyncNotification:
        Option<unsafe extern "C" fn(CUdevice, CUasyncCallbackHandle) -> CUresult>,
    cuCtxAttach: Option<unsafe extern "C" fn(*mut CUcontext, u32) -> CUresult>,
    cuCtxCreate: Option<unsafe extern "C" fn(*mut CUcontext, u32, CUdevice) -> CUresult>,
    cuCtxCreate_v2: Option<unsafe extern "C" fn(*mut CUcontext, u32, CUdevice) -> CUresult>,
    cuCtxCreate_v3: Option<
        unsafe extern "C" fn(
            *mut CUcontext,
            *mut CUexecAffinityParam,
            i32,
            u32,
            CUdevice,
        ) -> CUresult,
    >,
    cuCtxCreate_v4: Option<
        unsafe extern "C" fn(*mut CUcontext, *mut CUctxCreateParams, u32, CUdevice) -> CUresult,
    >,
    cuCtxDestroy: Option<unsafe extern "C" fn(CUcontext) -> CUresult>,
    cuCtxDestroy_v2: Option<unsafe extern "C" fn(CUcontext) -> CUresult>,
    cuCtxDetach: Option<unsafe extern "C" fn(CUcontext) -> CUresult>,
    cuCtxDisablePeerAccess: Option<unsafe extern "C" fn(CUcontext) -> CUresult>,
    cuCtxEnablePeerAccess: Option<unsafe extern "C" fn(CUcontext, u32) -> CUresult>,
    cuCtxFromGreenCtx: Option<unsafe extern "C" fn(*mut CUcontext, CUgreenCtx) -> CUresult>,
    cuCtxGetApiVersion: Option<unsafe extern "C" fn(CUcontext, *mut u32) -> CUresult>,
    cuCtxGetCacheConfig: Option<unsafe extern "C" fn(*mut i32) -> CUresult>,
    cuCtxGetCurrent: Option<unsafe extern "C" fn(*mut CUcontext) -> CUresult>,
    cuCtxGetDevResource:
        Option<unsafe extern "C" fn(CUcontext, *mut CUdevResource, CUdevResourceType) -> CUresult>,
    cuCtxGetDevice: Option<unsafe extern "C" fn(*mut CUdevice) -> CUresult>,
    cuCtxGetDevice_v2: Option<unsafe extern "C" fn(*mut CUdevice, CUcontext) -> CUresult>,
    cuCtxGetExecAffinity:
        Option<unsafe extern "C" fn(*mut CUexecAffinityParam, CUexecAffinityType) -> CUresult>,
    cuCtxGetFlags: Option<unsafe extern "C" fn(*mut u32) -> CUresult>,
    cuCtxGetId: Option<unsafe extern "C" fn(CUcontext, *mut u64) -> CUresult>,
    cuCtxGetLimit: Option<unsafe extern "C" fn(*mut usize, CUlimit) -> CUresult>,
    cuCtxGetSharedMemConfig: Option<unsafe extern "C" fn(*mut CUsharedconfig) -> CUresult>,
    cuCtxGetStreamPriorityRange: Option<unsafe extern "C" fn(*mut i32, *mut i32) -> CUresult>,
    cuCtxPopCurrent: Option<unsafe extern "C" fn(*mut CUcontext) -> CUresult>,
    cuCtxPopCurrent_v2: Option<unsafe extern "C" fn(*mut CUcontext) -> CUresult>,
    cuCtxPushCurrent: Option<unsafe extern "C" fn(CUcontext) -> CUresult>,
    cuCtxPushCurrent_v2: Option<unsafe extern "C" fn(CUcontext) -> CUresult>,
    cuCtxRecordEvent: Option<unsafe extern "C" fn(CUcontext, CUevent) -> CUresult>,
    cuCtxResetPersistingL2Cache: Option<unsafe extern "C" fn() -> CUresult>,
    cuCtxSetCacheConfig: Option<unsafe extern "C" fn(CUfunc_cache) -> CUresult>,
    cuCtxSetCurrent: Option<unsafe extern "C" fn(CUcontext) -> CUresult>,
    cuCtxSetFlags: Option<unsafe extern "C" fn(u32) -> CUresult>,
    cuCtxSetLimit: Option<unsafe extern "C" fn(CUlimit, usize) -> CUresult>,
    cuCtxSetSharedMemConfig: Option<unsafe extern "C" fn(CUsharedconfig) -> CUresult>,
    cuCtxSynchronize: Option<unsafe extern "C" fn() -> CUresult>,
    cuCtxSynchronize_v2: Option<unsafe extern "C" fn(CUcontext) -> CUresult>,
    cuCtxWaitEvent: Option<unsafe extern "C" fn(CUcontext, CUevent) -> CUresult>,
    cuDevicePrimaryCtxGetState:
        Option<unsafe extern "C" fn(CUdevice, *mut u32, *mut i32) -> CUresult>,
    cuDevicePrimaryCtxRelease: Option<unsafe extern "C" fn(CUdevice) -> CUresult>,
    cuDevicePrimaryCtxRelease_v2: Option<unsafe extern "C" fn(CUdevice) -> CUresult>,
    cuDevicePrimaryCtxReset: Option<unsafe extern "C" fn(CUdevice) -> CUresult>,
    cuDevicePrimaryCtxReset_v2: Option<unsafe extern "C" fn(CUdevice) -> CUresult>,
    cuDevicePrimaryCtxRetain: Option<unsafe extern "C" fn(*mut CUcontext, CUdevice) -> CUresult>,
    cuDevicePrimaryCtxSetFlags: Option<unsafe extern "C" fn(CUdevice, u32) -> CUresult>,
    cuDevicePrimaryCtxSetFlags_v2: Option<unsafe extern "C" fn(CUdevice, u32) -> CUresult>,
    cuLinkAddData: Option<
        unsafe extern "C" fn(
            CUlinkState,
            CUjitInputType,
            *mut c_void,
            usize,
            *const c_char,
            u32,
            *mut CUjit_option,
            *mut *mut c_void,
        ) -> CUresult,
    >,
    cuLinkAddData_v2: Option<
        unsafe extern "C" fn(
            CUlinkState,
            CUjitInputType,
            *mut c_void,
            usize,
            *const c_char,
            u32,
            *mut CUjit_option,
            *mut *mut c_void,
        ) -> CUresult,
    >,
    cuLinkAddFile: Option<
        unsafe extern "C" fn(
            CUlinkState,
            CUjitInputType,
            *const c_char,
            u32,
            *mut CUjit_option,
            *mut *mut c_void,
        ) -> CUresult,
    >,
    cuLinkAddFile_v2: Option<
        unsafe extern "C" fn(
            CUlinkState,
            CUjitInputType,
            *const c_char,
            u32,
            *mut CUjit_option,
            *mut *mut c_void,
        ) -> CUresult,
    >,
    cuLinkComplete:
        Option<unsafe extern "C" fn(CUlinkState, *mut *mut c_void, *mut usize) -> CUresult>,
    cuLinkCreate: Option<
        unsafe extern "C" fn(
            u32,
            *mut CUjit_option,
            *mut *mut c_void,
            *mut CUlinkState,
        ) -> CUresult,
    >,
    cuLinkCreate_v2: Option<
        unsafe extern "C" fn(
            u32,
            *mut CUjit_option,
            *mut *mut c_void,
            *mut CUlinkState,
        ) -> CUresult,
    >,
    cuLinkDestroy: Option<unsafe extern "C" fn(CUlinkState) -> CUresult>,
    cuModuleEnumerateFunctions:
        Option<unsafe extern "C" fn(*mut CUfunction, u32, CUmodule) -> CUresult>,
    cuModuleGetFunction:
        Option<unsafe extern "C" fn(*mut CUfunction, CUmodule, *const c_char) -> CUresult>,
    cuModuleGetFunctionCount: Option<unsafe extern "C" fn(*mut u32, CUmodule) -> CUresult>,
    cuModuleGetGlobal: Option<
        unsafe extern "C" fn(*mut CUdeviceptr_v1, *mut u32, CUmodule, *const c_char) -> CUresult,
    >,
    cuModuleGetGlobal_v2: Option<
        unsafe extern "C" fn(*mut CUdeviceptr, *mut usize, CUmodule, *const c_char) -> CUresult,
    >,
    cuModuleGetLoadingMode: Option<unsafe extern "C" fn(*mut CUmoduleLoadingMode) -> CUresult>,
    cuModuleGetSurfRef:
        Option<unsafe extern "C" fn(*mut CUsurfref, CUmodule, *const c_char) -> CUresult>,
    cuModuleGetTexRef:
        Option<unsafe extern "C" fn(*mut CUtexref, CUmodule, *const c_char) -> CUresult>,
    cuModuleLoad: Option<unsafe extern "C" fn(*mut CUmodule, *const c_char) -> CUresult>,
    cuModuleLoadData: Option<unsafe extern "C" fn(*mut CUmodule, *const c_void) -> CUresult>,
    cuModuleLoadDataEx: Option<
        unsafe extern "C" fn(
            *mut CUmodule,
            *const c_void,
            u32,
            *mut CUjit_option,
            *mut *mut c_void,
        ) -> CUresult,
    >,
    cuModuleLoadFatBinary: Option<unsafe extern "C" fn(*mut CUmodule, *const c_void) -> CUresult>,
    cuModuleUnload: Option<unsafe extern "C" fn(CUmodule) -> CUresult>,
    cuFuncGetAttribute:
        Option<unsafe extern "C" fn(*mut i32, CUfunction_attribute, CUfunction) -> CUresult>,
    cuFuncGetModule: Option<unsafe extern "C" fn(*mut CUmodule, CUfunction) -> CUresult>,
    cuFuncGetName: Option<unsafe extern "C" fn(*mut *const c_char, CUfunction) -> CUresult>,
    cuFuncGetParamInfo:
        Option<unsafe extern "C" fn(CUfunction, usize, *mut usize, *mut usize) -> CUresult>,
    cuFuncIsLoaded:
        Option<unsafe extern "C" fn(*mut CUfunctionLoadingState, CUfunction) -> CUresult>,
    cuFuncLoad: Option<unsafe extern "C" fn(CUfunction) -> CUresult>,
    cuFuncSetAttribute:
        Option<unsafe extern "C" fn(CUfunction, CUfunction_attribute, i32) -> CUresult>,
    cuFuncSetBlockShape: Option<unsafe extern "C" fn(CUfunction, i32, i32, i32) -> CUresult>,
    cuFuncSetCacheConfig: Option<unsafe extern "C" fn(CUfunction, CUfunc_cache) -> CUresult>,
    cuFuncSetSharedMemConfig: Option<unsafe extern "C" fn(CUfunction, CUsharedconfig) -> CUresult>,
    cuFuncSetSharedSize: Option<unsafe extern "C" fn(CUfunction, u32) -> CUresult>,
    cuKernelGetAttribute: Option<
        unsafe extern "C" fn(*mut i32, CUfunction_attribute, CUkernel, CUdevice) -> CUresult,
    >,
    cuKernelGetFunction: Option<unsafe extern "C" fn(*mut CUfunction, CUkernel) -> CUresult>,
    cuKernelGetLibrary: Option<unsafe extern "C" fn(*mut CUlibrary, CUkernel) -> CUresult>,
    cuKernelGetName: Option<unsafe extern "C" fn(*mut *const c_char, CUkernel) -> CUresult>,
    cuKernelGetParamInfo:
        Option<unsafe extern "C" fn(CUkernel, usize, *mut usize, *mut usize) -> CUresult>,
    cuKernelSetAttribute:
        Option<unsafe extern "C" fn(CUfunction_attribute, i32, CUkernel, CUdevice) -> CUresult>,
    cuKernelSetCacheConfig:
        Option<unsafe extern "C" fn(CUkernel, CUfunc_cache, CUdevice) -> CUresult>,
    cuLibraryEnumerateKernels:
        Option<unsafe extern "C" fn(*mut CUkernel, u32, CUlibrary) -> CUresult>,
    cuLibraryGetGlobal: Option<
        unsafe extern "C" fn(*mut CUdeviceptr, *mut usize, CUlibrary, *const c_char) -> CUresult,
    >,
    cuLibraryGetKernel:
        Option<unsafe extern "C" fn(*mut CUkernel, CUlibrary, *const c_char) -> CUresult>,
    cuLibraryGetKernelCount: Option<unsafe extern "C" fn(*mut u32, CUlibrary) -> CUresult>,
    cuLibraryGetManaged: Option<
        unsafe extern "C" fn(*mut CUdeviceptr, *mut usize, CUlibrary, *const c_char) -> CUresult,
    >,
    cuLibraryGetModule: Option<unsafe extern "C" fn(*mut CUmodule, CUlibrary) -> CUresult>,
    cuLibraryGetUnifiedFunction:
        Option<unsafe extern "C" fn(*mut *mut c_void, CUlibrary, *const c_char) -> CUresult>,
    cuLibraryLoadData: Option<
        unsafe extern "C" fn(
            *mut CUlibrary,
            *const c_void,
            *mut CUjit_option,
            *mut *mut c_void,
            u32,
            *mut CUlibraryOption,
            *mut *mut c_void,
            u32,
        ) -> CUresult,
    >,
    cuLibraryLoadFromFile: Option<
        unsafe extern "C" fn(
            *mut CUlibrary,
            *const c_char,
            *mut CUjit_option,
            *mut *mut c_void,
            u32,
            *mut CUlibraryOption,
            *mut *mut c_void,
            u32,
        ) -> CUresult,
    >,
    cuLibraryUnload: Option<unsafe extern "C" fn(CUlibrary) -> CUresult>,
    cuLaunch: Option<unsafe extern "C" fn(CUfunction) -> CUresult>,
    cuLaunchCooperativeKernel: Option<
        unsafe extern "C" fn(
            CUfunction,
            u32,
            u32,
            u32,
            u32,
            u32,
            u32,
            u32,
            CUstream,
            *mut *mut c_void,
        ) -> CUresult,
    >,
    cuLaunchCooperativeKernelMultiDevice:
        Option<unsafe extern "C" fn(*mut CUDA_LAUNCH_PARAMS, u32, u32) -> CUresult>,
    cuLaunchGrid: Option<unsafe extern "C" fn(CUfunction, i32, i32) -> CUresult>,
    cuLaunchGridAsync: Option<unsafe extern "C" fn(CUfunction, i32, i32, CUstream) -> CUresult>,
    cuLaunchHostFunc: Option<unsafe extern "C" fn(CUstream, CUhostFn, *mut c_void) -> CUresult>,
    cuLaunchKernel: Option<
        unsafe extern "C" fn(
            CUfunction,
            u32,
            u32,
            u32,
            u32,
            u32,
            u32,
            u32,
            CUstream,
            *mut *mut c_void,
            *mut *mut c_void,
        ) -> CUresult,
    >,
    cuLaunchKernelEx: Option<
        unsafe extern "C" fn(
            *const CUlaunchConfig,
            CUfunction,
            *mut *mut c_void,
            *mut *mut c_void,
        ) -> CUresult,
    >,
    cuOccupancyAvailableDynamicSMemPerBlock:
        Option<unsafe extern "C" fn(*mut usize, CUfunction, i32, i32) -> CUresult>,
    cuOccupancyMaxActiveBlocksPerMultiprocessor:
        Option<unsafe extern "C" fn(*mut i32, CUfunction, i32, usize) -> CUresult>,
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags:
        Option<unsafe extern "C" fn(*mut i32, CUfunction, i32, usize, u32) -> CUresult>,
    cuOccupancyMaxActiveClusters:
        Option<unsafe extern "C" fn(*mut i32, CUfunction, *const CUlaunchConfig) -> CUresult>,
    cuOccupancyMaxPotentialBlockSize: Option<
        unsafe extern "C" fn(
            *mut i32,
            *mut i32,
            CUfunction,
            CUoccupancyB2DSize,
            usize,
            i32,
        ) -> CUresult,
    >,
    cuOccupancyMaxPotentialBlockSizeWithFlags: Option<
        unsafe extern "C" fn(
            *mut i32,
            *mut i32,
            CUfunction,
            CUoccupancyB2DSize,
            usize,
            i32,
            u32,
        ) -> CUresult,
    >,
    cuOccupancyMaxPotentialClusterSize:
        Option<unsafe extern "C" fn(*mut i32, CUfunction, *const CUlaunchConfig) -> CUresult>,
    cuParamSetSize: Option<unsafe extern "C" fn(CUfunction, u32) -> CUresult>,
    cuParamSetTexRef: Option<unsafe extern "C" fn(CUfunction, i32, CUtexref) -> CUresult>,
    cuParamSetf: Option<unsafe extern "C" fn(CUfunction, i32, f32) -> CUresult>,
    cuParamSeti: Option<unsafe extern "C" fn(CUfunction, i32, u32) -> CUresult>,
    cuParamSetv: Option<unsafe extern "C" fn(CUfunction, i32, *mut c_void, u32) -> CUresult>,
    cuStreamAddCallback:
        Option<unsafe extern "C" fn(CUstream, CUstreamCallback, *mut c_void, u32) -> CUresult>,
    cuStreamAttachMemAsync:
        Option<unsafe extern "C" fn(CUstream, CUdeviceptr, usize, u32) -> CUresult>,
    cuStreamBatchMemOp_v2: Option<
        unsafe extern "C" fn(CUstream, u32, *const CUstreamBatchMemOpParams, u32) -> CUresult,
    >,
    cuStreamBeginCapture: Option<unsafe extern "C" fn(CUstream) -> CUresult>,
    cuStreamBeginCapture_v2:
        Option<unsafe extern "C" fn(CUstream, CUstreamCaptureMode) -> CUresult>,
    cuStreamBeginCaptureToGraph: Option<
        unsafe extern "C" fn(
            CUstream,
            CUgraph,
            *const CUgraphNode,
            *const CUgraphEdgeData,
            usize,
            CUstreamCaptureMode,
        ) -> CUresult,
    >,
    cuStreamCopyAttributes: Option<unsafe extern "C" fn(CUstream, CUstream) -> CUresult>,
    cuStreamCreate: Option<unsafe extern "C" fn(*mut CUstream, u32) -> CUresult>,
    cuStreamCreateWithPriority: Option<unsafe extern "C" fn(*mut CUstream, u32, i32) -> CUresult>,
    cuStreamDestroy: Option<unsafe extern "C" fn(CUstream) -> CUresult>,
    cuStreamDestroy_v2: Option<unsafe extern "C" fn(CUstream) -> CUresult>,
    cuStreamEndCapture: Option<unsafe extern "C" fn(CUstream, *mut CUgraph) -> CUresult>,
    cuStreamGetAttribute:
        Option<unsafe extern "C" fn(CUstream, CUstreamAttrID, *mut CUstreamAttrValue) -> CUresult>,
    cuStreamGetCaptureInfo:
        Option<unsafe extern "C" fn(CUstream, *mut CUstreamCaptureStatus, *mut u64) -> CUresult>,
    cuStreamGetCaptureInfo_v2: Option<
        unsafe extern "C" fn(
            CUstream,
            *mut CUstreamCaptureStatus,
            *mut u64,
            *mut CUgraph,
            *mut *const CUgraphNode,
            *mut usize,
        ) -> CUresult,
    >,
    cuStreamGetCaptureInfo_v3: Option<
        unsafe extern "C" fn(
            CUstream,
            *mut CUstreamCaptureStatus,
            *mut u64,
            *mut CUgraph,
            *mut *const CUgraphNode,
            *mut *const CUgraphEdgeData,
            *mut usize,
        ) -> CUresult,
    >,
    cuStreamGetCtx: Option<unsafe extern "C" fn(CUstream, *mut CUcontext) -> CUresult>,
    cuStreamGetCtx_v2:
        Option<unsafe extern "C" fn(CUstream, *mut CUcontext, *mut CUgreenCtx) -> CUresult>,
    cuStreamGetDevice: Option<unsafe extern "C" fn(CUstream, *mut CUdevice) -> CUresult>,
    cuStreamGetFlags: Option<unsafe extern "C" fn(CUstream, *mut u32) -> CUresult>,
    cuStreamGetGreenCtx: Option<unsafe extern "C" fn(CUstream, *mut CUgreenCtx) -> CUresult>,
    cuStreamGetId: Option<unsafe extern "C" fn(CUstream, *mut u64) -> CUresult>,
    cuStreamGetPriority: Option<unsafe extern "C" fn(CUstream, *mut i32) -> CUresult>,
    cuStreamIsCapturing:
        Option<unsafe extern "C" fn(CUstream, *mut CUstreamCaptureStatus) -> CUresult>,
    cuStreamQuery: Option<unsafe extern "C" fn(CUstream) -> CUresult>,
    cuStreamSetAttribute: Option<
        unsafe extern "C" fn(CUstream, CUstreamAttrID, *const CUstreamAttrValue) -> CUresult,
    >,
    cuStreamSynchronize: Option<unsafe extern "C" fn(CUstream) -> CUresult>,
    cuStreamUpdateCaptureDependencies:
        Option<unsafe extern "C" fn(CUstream, *mut CUgraphNode, usize, u32) -> CUresult>,
    cuStreamUpdateCaptureDependencies_v2: Option<
        unsafe extern "C" fn(
            CUstream,
            *mut CUgraphNode,
            *const CUgraphEdgeData,
            usize,
            u32,
        ) -> CUresult,
    >,
    cuStreamWaitEvent: Option<unsafe extern "C" fn(CUstream, CUevent, u32) -> CUresult>,
    cuStreamWaitValue32: Option<unsafe extern "C" fn(CUstream, CUdeviceptr, u32, u32) -> CUresult>,
    cuStreamWaitValue32_v2:
        Option<unsafe extern "C" fn(CUstream, CUdeviceptr, u32, u32) -> CUresult>,
    cuStreamWaitValue64: Option<unsafe extern "C" fn(CUstream, CUdeviceptr, u64, u32) -> CUresult>,
    cuStreamWaitValue64_v2:
        Option<unsafe extern "C" fn(CUstream, CUdeviceptr, u64, u32) -> CUresult>,
    cuStreamWriteValue32: Option<unsafe extern "C" fn(CUstream, CUdeviceptr, u32, u32) -> CUresult>,
    cuStreamWriteValue32_v2:
        Option<unsafe extern "C" fn(CUstream, CUdeviceptr, u32, u32) -> CUresult>,
    cuStreamWriteValue64: Option<unsafe extern "C" fn(CUstream, CUdeviceptr, u64, u32) -> CUresult>,
    cuStreamWriteValue64_v2:
        Option<unsafe extern "C" fn(CUstream, CUdeviceptr, u64, u32) -> CUresult>,
    cuThreadExchangeStreamCaptureMode:
        Option<unsafe extern "C" fn(*mut CUstreamCaptureMode) -> CUresult>,
    cuEventCreate: Option<unsafe extern "C" fn(*mut CUevent, u32) -> CUresult>,
    cuEventDestroy: Option<unsafe extern "C" fn(CUevent) -> CUresult>,
    cuEventDestroy_v2: Option<unsafe extern "C" fn(CUevent) -> CUresult>,
    cuEventElapsedTime: Option<unsafe extern "C" fn(*mut f32, CUevent, CUevent) -> CUresult>,
    cuEventElapsedTime_v2: Option<unsafe extern "C" fn(*mut f32, CUevent, CUevent) -> CUresult>,
    cuEventQuery: Option<unsafe extern "C" fn(CUevent) -> CUresult>,
    cuEventRecord: Option<unsafe extern "C" fn(CUevent, CUstream) -> CUresult>,
    cuEventRecordWithFlags: Option<unsafe extern "C" fn(CUevent, CUstream, u32) -> CUresult>,
    cuEventSynchronize: Option<unsafe extern "C" fn(CUevent) -> CUresult>,
    cuMemcpy: Option<unsafe extern "C" fn(CUdeviceptr, CUdeviceptr, usize) -> CUresult>,
    cuMemcpy2D: Option<unsafe extern "C" fn(*const CUDA_MEMCPY2D_v1) -> CUresult>,
    cuMemcpy2D_v2: Option<unsafe extern "C" fn(*const CUDA_MEMCPY2D) -> CUresult>,
    cuMemcpy2DAsync: Option<unsafe extern "C" fn(*const CUDA_MEMCPY2D_v1, CUstream) -> CUresult>,
    cuMemcpy2DAsync_v2: Option<unsafe extern "C" fn(*const CUDA_MEMCPY2D, CUstream) -> CUresult>,
    cuMemcpy2DUnaligned: Option<unsafe extern "C" fn(*const CUDA_MEMCPY2D_v1) -> CUresult>,
    cuMemcpy2DUnaligned_v2: Option<unsafe extern "C" fn(*const CUDA_MEMCPY2D) -> CUresult>,
    cuMemcpy3D: Option<unsafe extern "C" fn(*const CUDA_MEMCPY3D_v1) -> CUresult>,
    cuMemcpy3D_v2: Option<unsafe extern "C" fn(*const CUDA_MEMCPY3D) -> CUresult>,
    cuMemcpy3DAsync: Option<unsafe extern "C" fn(*const CUDA_MEMCPY3D_v1, CUstream) -> CUresult>,
    cuMemcpy3DAsync_v2: Option<unsafe extern "C" fn(*const CUDA_MEMCPY3D, CUstream) -> CUresult>,
    cuMemcpy3DBatchAsync: Option<
        unsafe extern "C" fn(
            usize,
            *const CUDA_MEMCPY3D_BATCH_OP,
            *mut usize,
            u64,
            CUstream,
        ) -> CUresult,
    >,
    cuMemcpy3DBatchAsync_v2: Option<
        unsafe extern "C" fn(usize, *const CUDA_MEMCPY3D_BATCH_OP, u64, CUstream) -> CUresult,
    >,
    cuMemcpy3DPeer: Option<unsafe extern "C" fn(*const CUDA_MEMCPY3D_PEER) -> CUresult>,
    cuMemcpy3DPeerAsync:
        Option<unsafe extern "C" fn(*const CUDA_MEMCPY3D_PEER, CUstream) -> CUresult>,
    cuMemcpyAsync:
        Option<unsafe extern "C" fn(CUdeviceptr, CUdeviceptr, usize, CUstream) -> CUresult>,
    cuMemcpyAtoA: Option<unsafe extern "C" fn(CUarray, u32, CUarray, u32, u32) -> CUresult>,
    cuMemcpyAtoA_v2:
        Option<unsafe extern "C" fn(CUarray, usize, CUarray, usize, usize) -> CUresult>,
    cuMemcpyAtoD: Option<unsafe extern "C" fn(CUdeviceptr_v1, CUarray, u32, u32) -> CUresult>,
    cuMemcpyAtoD_v2: Option<unsafe extern "C" fn(CUdeviceptr, CUarray, usize, usize) -> CUresult>,
    cuMemcpyAtoH: Option<unsafe extern "C" fn(*mut c_void, CUarray, u32, u32) -> CUresult>,
    cuMemcpyAtoH_v2: Option<unsafe extern "C" fn(*mut c_void, CUarray, usize, usize) -> CUresult>,
    cuMemcpyAtoHAsync:
        Option<unsafe extern "C" fn(*mut c_void, CUarray, u32, u32, CUstream) -> CUresult>,
    cuMemcpyAtoHAsync_v2:
        Option<unsafe extern "C" fn(*mut c_void, CUarray, usize, usize, CUstream) -> CUresult>,
    cuMemcpyBatchAsync: Option<
        unsafe extern "C" fn(
            *const CUdeviceptr,
            *const CUdeviceptr,
            *const usize,
            usize,
            *const CUmemcpyAttributes,
            *const usize,
            usize,
            *mut usize,
            CUstream,
        ) -> CUresult,
    >,
    cuMemcpyBatchAsync_v2: Option<
        unsafe extern "C" fn(
            *const CUdeviceptr,
            *const CUdeviceptr,
            *const usize,
            usize,
            *const CUmemcpyAttributes,
            *const usize,
            usize,
            CUstream,
        ) -> CUresult,
    >,
    cuMemcpyDtoA: Option<unsafe extern "C" fn(CUarray, u32, CUdeviceptr_v1, u32) -> CUresult>,
    cuMemcpyDtoA_v2: Option<unsafe extern "C" fn(CUarray, usize, CUdeviceptr, usize) -> CUresult>,
    cuMemcpyDtoD: Option<unsafe extern "C" fn(CUdeviceptr_v1, CUdeviceptr_v1, u32) -> CUresult>,
    cuMemcpyDtoD_v2: Option<unsafe extern "C" fn(CUdeviceptr, CUdeviceptr, usize) -> CUresult>,
    cuMemcpyDtoDAsync:
        Option<unsafe extern "C" fn(CUdeviceptr_v1, CUdeviceptr_v1, u32, CUstream) -> CUresult>,
    cuMemcpyDtoDAsync_v2:
        Option<unsafe extern "C" fn(CUdeviceptr, CUdeviceptr, usize, CUstream) -> CUresult>,
    cuMemcpyDtoH: Option<unsafe extern "C" fn(*mut c_void, CUdeviceptr_v1, u32) -> CUresult>,
    cuMemcpyDtoH_v2: Option<unsafe extern "C" fn(*mut c_void, CUdeviceptr, usize) -> CUresult>,
    cuMemcpyDtoHAsync:
        Option<unsafe extern "C" fn(*mut c_void, CUdeviceptr_v1, u32, CUstream) -> CUresult>,
    cuMemcpyDtoHAsync_v2:
        Option<unsafe extern "C" fn(*mut c_void, CUdeviceptr, usize, CUstream) -> CUresult>,
    cuMemcpyHtoA: Option<unsafe extern "C" fn(CUarray, u32, *const c_void, u32) -> CUresult>,
    cuMemcpyHtoA_v2: Option<unsafe extern "C" fn(CUarray, usize, *const c_void, usize) -> CUresult>,
    cuMemcpyHtoAAsync:
        Option<unsafe extern "C" fn(CUarray, u32, *const c_void, u32, CUstream) -> CUresult>,
    cuMemcpyHtoAAsync_v2:
        Option<unsafe extern "C" fn(CUarray, usize, *const c_void, usize, CUstream) -> CUresult>,
    cuMemcpyHtoD: Option<unsafe extern "C" fn(CUdeviceptr_v1, *const c_void, u32) -> CUresult>,
    cuMemcpyHtoD_v2: Option<unsafe extern "C" fn(CUdeviceptr, *const c_void, usize) -> CUresult>,
    cuMemcpyHtoDAsync:
        Option<unsafe extern "C" fn(CUdeviceptr_v1, *const c_void, u32, CUstream) -> CUresult>,
    cuMemcpyHtoDAsync_v2:
        Option<unsafe extern "C" fn(CUdeviceptr, *const c_void, usize, CUstream) -> CUresult>,
    cuMemcpyPeer: Option<
        unsafe extern "C" fn(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, usize) -> CUresult,
    >,
    cuMemcpyPeerAsync: Option<
        unsafe extern "C" fn(
            CUdeviceptr,
            CUcontext,
            CUdeviceptr,
            CUcontext,
            usize,
            CUstream,
        ) -> CUresult,
    >,
    cuMemsetD16: Option<unsafe extern "C" fn(CUdeviceptr_v1, u16, u32) -> CUresult>,
    cuMemsetD16_v2: Option<unsafe extern "C" fn(CUdeviceptr, u16, usize) -> CUresult>,
    cuMemsetD16Async: Option<unsafe extern "C" fn(CUdeviceptr, u16, usize, CUstream) -> CUresult>,
    cuMemsetD2D16: Option<unsafe extern "C" fn(CUdeviceptr_v1, u32, u16, u32, u32) -> CUresult>,
    cuMemsetD2D16_v2:
        Option<unsafe extern "C" fn(CUdeviceptr, usize, u16, usize, usize) -> CUresult>,
    cuMemsetD2D16Async:
        Option<unsafe extern "C" fn(CUdeviceptr, usize, u16, usize, usize, CUstream) -> CUresult>,
    cuMemsetD2D32: Option<unsafe extern "C" fn(CUdeviceptr_v1, u32, u32, u32, u32) -> CUresult>,
    cuMemsetD2D32_v2:
        Option<unsafe extern "C" fn(CUdeviceptr, usize, u32, usize, usize) -> CUresult>,
    cuMemsetD2D32Async:
        Option<unsafe extern "C" fn(CUdeviceptr, usize, u32, usize, usize, CUstream) -> CUresult>,
    cuMemsetD2D8: Option<unsafe extern "C" fn(CUdeviceptr_v1, u32, u8, u32, u32) -> CUresult>,
    cuMemsetD2D8_v2: Option<unsafe extern "C" fn(CUdeviceptr, usize, u8, usize, usize) -> CUresult>,
    cuMemsetD2D8Async:
        Option<unsafe extern "C" fn(CUdeviceptr, usize, u8, usize, usize, CUstream) -> CUresult>,
    cuMemsetD32: Option<unsafe extern "C" fn(CUdeviceptr_v1, u32, u32) -> CUresult>,
    cuMemsetD32_v2: Option<unsafe extern "C" fn(CUdeviceptr, u32, usize) -> CUresult>,
    cuMemsetD32Async: Option<unsafe extern "C" fn(CUdeviceptr, u32, usize, CUstream) -> CUresult>,
    cuMemsetD8: Option<unsafe extern "C" fn(CUdeviceptr_v1, u8, u32) -> CUresult>,
    cuMemsetD8_v2: Option<unsafe extern "C" fn(CUdeviceptr, u8, usize) -> CUresult>,
    cuMemsetD8Async: Option<unsafe extern "C" fn(CUdeviceptr, u8, usize, CUstream) -> CUresult>,
    cuMemAllocAsync: Option<unsafe extern "C" fn(*mut CUdeviceptr, usize, CUstream) -> CUresult>,
    cuMemAllocFromPoolAsync:
        Option<unsafe extern "C" fn(*mut CUdeviceptr, usize, CUmemoryPool, CUstream) -> CUresult>,
    cuMemFreeAsync: Option<unsafe extern "C" fn(CUdeviceptr, CUstream) -> CUresult>,
    cuMemGetDefaultMemPool: Option<
        unsafe extern "C" fn(
            *mut CUmemoryPool,
            *mut CUmemLocation,
            CUmemAllocationType,
        ) -> CUresult,
    >,
    cuMemGetMemPool: Option<
        unsafe extern "C" fn(
            *mut CUmemoryPool,
            *mut CUmemLocation,
            CUmemAllocationType,
        ) -> CUresult,
    >,
    cuMemPoolCreate:
        Option<unsafe extern "C" fn(*mut CUmemoryPool, *const CUmemPoolProps) -> CUresult>,
    cuMemPoolDestroy: Option<unsafe extern "C" fn(CUmemoryPool) -> CUresult>,
    cuMemPoolExportPointer:
        Option<unsafe extern "C" fn(*mut CUmemPoolPtrExportData, CUdeviceptr) -> CUresult>,
    cuMemPoolExportToShareableHandle: Option<
        unsafe extern "C" fn(*mut c_void, CUmemoryPool, CUmemAllocationHandleType, u64) -> CUresult,
    >,
    cuMemPoolGetAccess: Option<
        unsafe extern "C" fn(*mut CUmemAccess_flags, CUmemoryPool, *mut CUmemLocation) -> CUresult,
    >,
    cuMemPoolGetAttribute:
        Option<unsafe extern "C" fn(CUmemoryPool, CUmemPool_attribute, *mut c_void) -> CUresult>,
    cuMemPoolImportFromShareableHandle: Option<
        unsafe extern "C" fn(
            *mut CUmemoryPool,
            *mut c_void,
            CUmemAllocationHandleType,
            u64,
        ) -> CUresult,
    >,
    cuMemPoolImportPointer: Option<
        unsafe extern "C" fn(
            *mut CUdeviceptr,
            CUmemoryPool,
            *mut CUmemPoolPtrExportData,
        ) -> CUresult,
    >,
    cuMemPoolSetAccess:
        Option<unsafe extern "C" fn(CUmemoryPool, *const CUmemAccessDesc, usize) -> CUresult>,
    cuMemPoolSetAttribute:
        Option<unsafe extern "C" fn(CUmemoryPool, CUmemPool_attribute, *mut c_void) -> CUresult>,
    cuMemPoolTrimTo: Option<unsafe extern "C" fn(CUmemoryPool, usize) -> CUresult>,
    cuMemSetMemPool: Option<
        unsafe extern "C" fn(*mut CUmemLocation, CUmemAllocationType, CUmemoryPool) -> CUresult,
    >,
    cuMemAddressFree: Option<unsafe extern "C" fn(CUdeviceptr, usize) -> CUresult>,
    cuMemAddressReserve:
        Option<unsafe extern "C" fn(*mut CUdeviceptr, usize, usize, CUdeviceptr, u64) -> CUresult>,
    cuMemCreate: Option<
        unsafe extern "C" fn(
            *mut CUmemGenericAllocationHandle,
            usize,
            *const CUmemAllocationProp,
            u64,
        ) -> CUresult,
    >,
    cuMemExportToShareableHandle: Option<
        unsafe extern "C" fn(
            *mut c_void,
            CUmemGenericAllocationHandle,
            CUmemAllocationHandleType,
            u64,
        ) -> CUresult,
    >,
    cuMemGetAccess:
        Option<unsafe extern "C" fn(*mut u64, *const CUmemLocation, CUdeviceptr) -> CUresult>,
    cuMemGetAllocationGranularity: Option<
        unsafe extern "C" fn(
            *mut usize,
            *const CUmemAllocationProp,
            CUmemAllocationGranularity_flags,
        ) -> CUresult,
    >,
    cuMemGetAllocationPropertiesFromHandle: Option<
        unsafe extern "C" fn(*mut CUmemAllocationProp, CUmemGenericAllocationHandle) -> CUresult,
    >,
    cuMemImportFromShareableHandle: Option<
        unsafe extern "C" fn(
            *mut CUmemGenericAllocationHandle,
            *mut c_void,
            CUmemAllocationHandleType,
        ) -> CUresult,
    >,
    cuMemMap: Option<
        unsafe extern "C" fn(
            CUdeviceptr,
            usize,
            usize,
            CUmemGenericAllocationHandle,
            u64,
        ) -> CUresult,
    >,
    cuMemRelease: Option<unsafe extern "C" fn(CUmemGenericAllocationHandle) -> CUresult>,
    cuMemRetainAllocationHandle:
        Option<unsafe extern "C" fn(*mut CUmemGenericAllocationHandle, *mut c_void) -> CUresult>,
    cuMemSetAccess:
        Option<unsafe extern "C" fn(CUdeviceptr, usize, *const CUmemAccessDesc, usize) -> CUresult>,
    cuMemUnmap: Option<unsafe extern "C" fn(CUdeviceptr, usize) -> CUresult>,
    cuMulticastAddDevice:
        Option<unsafe extern "C" fn(CUmemGenericAllocationHandle, CUdevice) -> CUresult>,
    cuMulticastBindAddr: Option<
        unsafe extern "C" fn(
            CUmemGenericAllocationHandle,
            usize,
            CUdeviceptr,
            usize,
            u64,
        ) -> CUresult,
    >,
    cuMulticastBindMem: Option<
        unsafe extern "C" fn(
            CUmemGenericAllocationHandle,
            usize,
            CUmemGenericAllocationHandle,
            usize,
            usize,
            u64,
        ) -> CUresult,
    >,
    cuMulticastUnbind: Option<
        unsafe extern "C" fn(CUmemGenericAllocationHandle, CUdevice, usize, usize) -> CUresult,
    >,
    cuIpcCloseMemHandle: Option<unsafe extern "C" fn(CUdeviceptr) -> CUresult>,
    cuIpcGetEventHandle: Option<unsafe extern "C" fn(*mut CUipcEventHandle, CUevent) -> CUresult>,
    cuIpcGetMemHandle: Option<unsafe extern "C" fn(*mut CUipcMemHandle, CUdeviceptr) -> CUresult>,
    cuIpcOpenEventHandle: Option<unsafe extern "C" fn(*mut CUevent, CUipcEventHandle) -> CUresult>,
    cuIpcOpenMemHandle:
        Option<unsafe extern "C" fn(*mut CUdeviceptr, CUipcMemHandle, u32) -> CUresult>,
    cuIpcOpenMemHandle_v2:
        Option<unsafe extern "C" fn(*mut CUdeviceptr, CUipcMemHandle, u32) -> CUresult>,
    cuMemAdvise:
        Option<unsafe extern "C" fn(CUdeviceptr, usize, CUmem_advise, CUdevice) -> CUresult>,
    cuMemAdvise_v2:
        Option<unsafe extern "C" fn(CUdeviceptr, usize, CUmem_advise, CUmemLocation) -> CUresult>,
    cuMemAlloc: Option<unsafe extern "C" fn(*mut CUdeviceptr_v1, u32) -> CUresult>,
    cuMemAlloc_v2: Option<unsafe extern "C" fn(*mut CUdeviceptr, usize) -> CUresult>,
    cuMemAllocHost: Option<unsafe extern "C" fn(*mut *mut c_void, u32) -> CUresult>,
    cuMemAllocHost_v2: Option<unsafe extern "C" fn(*mut *mut c_void, usize) -> CUresult>,
    cuMemAllocManaged: Option<unsafe extern "C" fn(*mut CUdeviceptr, usize, u32) -> CUresult>,
    cuMemAllocPitch:
        Option<unsafe extern "C" fn(*mut CUdeviceptr_v1, *mut u32, u32, u32, u32) -> CUresult>,
    cuMemAllocPitch_v2:
        Option<unsafe extern "C" fn(*mut CUdeviceptr, *mut usize, usize, usize, u32) -> CUresult>,
    cuMemDiscardAndPrefetchBatchAsync: Option<
        unsafe extern "C" fn(
            *mut CUdeviceptr,
            *mut usize,
            usize,
            *mut CUmemLocation,
            *mut usize,
            usize,
            u64,
            CUstream,
        ) -> CUresult,
    >,
    cuMemDiscardBatchAsync: Option<
        unsafe extern "C" fn(*mut CUdeviceptr, *mut usize, usize, u64, CUstream) -> CUresult,
    >,
    cuMemFree: Option<unsafe extern "C" fn(CUdeviceptr_v1) -> CUresult>,
    cuMemFree_v2: Option<unsafe extern "C" fn(CUdeviceptr) -> CUresult>,
    cuMemFreeHost: Option<unsafe extern "C" fn(*mut c_void) -> CUresult>,
    cuMemGetAddressRange:
        Option<unsafe extern "C" fn(*mut CUdeviceptr_v1, *mut u32, CUdeviceptr_v1) -> CUresult>,
    cuMemGetAddressRange_v2:
        Option<unsafe extern "C" fn(*mut CUdeviceptr, *mut usize, CUdeviceptr) -> CUresult>,
    cuMemGetInfo: Option<unsafe extern "C" fn(*mut u32, *mut u32) -> CUresult>,
    cuMemGetInfo_v2: Option<unsafe extern "C" fn(*mut usize, *mut usize) -> CUresult>,
    cuMemHostAlloc: Option<unsafe extern "C" fn(*mut *mut c_void, usize, u32) -> CUresult>,
    cuMemHostGetDevicePointer:
        Option<unsafe extern "C" fn(*mut CUdeviceptr_v1, *mut c_void, u32) -> CUresult>,
    cuMemHostGetDevicePointer_v2:
        Option<unsafe extern "C" fn(*mut CUdeviceptr, *mut c_void, u32) -> CUresult>,
    cuMemHostGetFlags: Option<unsafe extern "C" fn(*mut u32, *mut c_void) -> CUresult>,
    cuMemHostRegister: Option<unsafe extern "C" fn(*mut c_void, usize, u32) -> CUresult>,
    cuMemHostRegister_v2: Option<unsafe extern "C" fn(*mut c_void, usize, u32) -> CUresult>,
    cuMemHostUnregister: Option<unsafe extern "C" fn(*mut c_void) -> CUresult>,
    cuMemPrefetchAsync:
        Option<unsafe extern "C" fn(CUdeviceptr, usize, CUdevice, CUstream) -> CUresult>,
    cuMemPrefetchAsync_v2:
        Option<unsafe extern "C" fn(CUdeviceptr, usize, CUmemLocation, u32, CUstream) -> CUresult>,
    cuMemPrefetchBatchAsync: Option<
        unsafe extern "C" fn(
            *mut CUdeviceptr,
            *mut usize,
            usize,
            *mut CUmemLocation,
            *mut usize,
            usize,
            u64,
            CUstream,
        ) -> CUresult,
    >,
    cuMemRangeGetAttribute: Option<
        unsafe extern "C" fn(
            *mut c_void,
            usize,
            CUmem_range_attribute,
            CUdeviceptr,
            usize,
        ) -> CUresult,
    >,
    cuMemRangeGetAttributes: Option<
        unsafe extern "C" fn(
            *mut *mut c_void,
            *mut usize,
            *mut CUmem_range_attribute,
            usize,
            CUdeviceptr,
            usize,
        ) -> CUresult,
    >,
    cuPointerGetAttribute:
        Option<unsafe extern "C" fn(*mut c_void, CUpointer_attribute, CUdeviceptr) -> CUresult>,
    cuPointerGetAttributes: Option<
        unsafe extern "C" fn(
            u32,
            *mut CUpointer_attribute,
            *mut *mut c_void,
            CUdeviceptr,
        ) -> CUresult,
    >,
    cuPointerSetAttribute:
        Option<unsafe extern "C" fn(*const c_void, CUpointer_attribute, CUdeviceptr) -> CUresult>,
    cuGraphAddBatchMemOpNode: Option<
        unsafe extern "C" fn(
            *mut CUgraphNode,
            CUgraph,
            *const CUgraphNode,
            usize,
            *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
        ) -> CUresult,
    >,
    cuGraphAddChildGraphNode: Option<
        unsafe extern "C" fn(
            *mut CUgraphNode,
            CUgraph,
            *const CUgraphNode,
            usize,
            CUgraph,
        ) -> CUresult,
    >,
    cuGraphAddDependencies: Option<
        unsafe extern "C" fn(CUgraph, *const CUgraphNode, *const CUgraphNode, usize) -> CUresult,
    >,
    cuGraphAddDependencies_v2: Option<
        unsafe extern "C" fn(
            CUgraph,
            *const CUgraphNode,
            *const CUgraphNode,
            *const CUgraphEdgeData,
            usize,
        ) -> CUresult,
    >,
    cuGraphAddEmptyNode: Option<
        unsafe extern "C" fn(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize) -> CUresult,
    >,
    cuGraphAddEventRecordNode: Option<
        unsafe extern "C" fn(
            *mut CUgraphNode,
            CUgraph,
            *const CUgraphNode,
            usize,
            CUevent,
        ) -> CUresult,
    >,
    cuGraphAddEventWaitNode: Option<
        unsafe extern "C" fn(
            *mut CUgraphNode,
            CUgraph,
            *const CUgraphNode,
            usize,
            CUevent,
        ) -> CUresult,
    >,
    cuGraphAddHostNode: Option<
        unsafe extern "C" fn(
            *mut CUgraphNode,
            CUgraph,
            *const CUgraphNode,
            usize,
            *const CUDA_HOST_NODE_PARAMS,
        ) -> CUresult,
    >,
    cuGraphAddKernelNode: Option<
        unsafe extern "C" fn(
            *mut CUgraphNode,
            CUgraph,
            *const CUgraphNode,
            usize,
            *const CUDA_KERNEL_NODE_PARAMS_v1,
        ) -> CUresult,
    >,
    cuGraphAddKernelNode_v2: Option<
        unsafe extern "C" fn(
            *mut CUgraphNode,
            CUgraph,
            *const CUgraphNode,
            usize,
            *const CUDA_KERNEL_NODE_PARAMS,
        ) -> CUresult,
    >,
    cuGraphAddMemAllocNode: Option<
        unsafe extern "C" fn(
            *mut CUgraphNode,
            CUgraph,
            *const CUgraphNode,
            usize,
            *mut CUDA_MEM_ALLOC_NODE_PARAMS,
        ) -> CUresult,
    >,
    cuGraphAddMemFreeNode: Option<
        unsafe extern "C" fn(
            *mut CUgraphNode,
            CUgraph,
            *const CUgraphNode,
            usize,
            CUdeviceptr,
        ) -> CUresult,
    >,
    cuGraphAddMemcpyNode: Option<
        unsafe extern "C" fn(
            *mut CUgraphNode,
            CUgraph,
            *const CUgraphNode,
            usize,
            *const CUDA_MEMCPY3D,
            CUcontext,
        ) -> CUresult,
    >,
    cuGraphAddMemsetNode: Option<
        unsafe extern "C" fn(
            *mut CUgraphNode,
            CUgraph,
            *const CUgraphNode,
            usize,
            *const CUDA_MEMSET_NODE_PARAMS,
            CUcontext,
        ) -> CUresult,
    >,
    cuGraphAddNode: Option<
        unsafe extern "C" fn(
            *mut CUgraphNode,
            CUgraph,
            *const CUgraphNode,
            usize,
            *mut CUgraphNodeParams,
        ) -> CUresult,
    >,
    cuGraphAddNode_v2: Option<
        unsafe extern "C" fn(
            *mut CUgraphNode,
            CUgraph,
            *const CUgraphNode,
            *const CUgraphEdgeData,
            usize,
            *mut CUgraphNodeParams,
        ) -> CUresult,
    >,
    cuGraphBatchMemOpNodeGetParams:
        Option<unsafe extern "C" fn(CUgraphNode, *mut CUDA_BATCH_MEM_OP_NODE_PARAMS) -> CUresult>,
    cuGraphBatchMemOpNodeSetParams:
        Option<unsafe extern "C" fn(CUgraphNode, *const CUDA_BATCH_MEM_OP_NODE_PARAMS) -> CUresult>,
    cuGraphChildGraphNodeGetGraph:
        Option<unsafe extern "C" fn(CUgraphNode, *mut CUgraph) -> CUresult>,
    cuGraphClone: Option<unsafe extern "C" fn(*mut CUgraph, CUgraph) -> CUresult>,
    cuGraphConditionalHandleCreate:
        Option<unsafe extern "C" fn(*mut u64, CUgraph, CUcontext, u32, u32) -> CUresult>,
    cuGraphCreate: Option<unsafe extern "C" fn(*mut CUgraph, u32) -> CUresult>,
    cuGraphDebugDotPrint: Option<unsafe extern "C" fn(CUgraph, *const c_char, u32) -> CUresult>,
    cuGraphDestroy: Option<unsafe extern "C" fn(CUgraph) -> CUresult>,
    cuGraphDestroyNode: Option<unsafe extern "C" fn(CUgraphNode) -> CUresult>,
    cuGraphEventRecordNodeGetEvent:
        Option<unsafe extern "C" fn(CUgraphNode, *mut CUevent) -> CUresult>,
    cuGraphEventRecordNodeSetEvent: Option<unsafe extern "C" fn(CUgraphNode, CUevent) -> CUresult>,
    cuGraphEventWaitNodeGetEvent:
        Option<unsafe extern "C" fn(CUgraphNode, *mut CUevent) -> CUresult>,
    cuGraphEventWaitNodeSetEvent: Option<unsafe extern "C" fn(CUgraphNode, CUevent) -> CUresult>,
    cuGraphExecBatchMemOpNodeSetParams: Option<
        unsafe extern "C" fn(
            CUgraphExec,
            CUgraphNode,
            *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
        ) -> CUresult,
    >,
    cuGraphExecChildGraphNodeSetParams:
        Option<unsafe extern "C" fn(CUgraphExec, CUgraphNode, CUgraph) -> CUresult>,
    cuGraphExecDestroy: Option<unsafe extern "C" fn(CUgraphExec) -> CUresult>,
    cuGraphExecEventRecordNodeSetEvent:
        Option<unsafe extern "C" fn(CUgraphExec, CUgraphNode, CUevent) -> CUresult>,
    cuGraphExecEventWaitNodeSetEvent:
        Option<unsafe extern "C" fn(CUgraphExec, CUgraphNode, CUevent) -> CUresult>,
    cuGraphExecGetFlags: Option<unsafe extern "C" fn(CUgraphExec, *mut u64) -> CUresult>,
    cuGraphExecHostNodeSetParams: Option<
        unsafe extern "C" fn(CUgraphExec, CUgraphNode, *const CUDA_HOST_NODE_PARAMS) -> CUresult,
    >,
    cuGraphExecKernelNodeSetParams: Option<
        unsafe extern "C" fn(
            CUgraphExec,
            CUgraphNode,
            *const CUDA_KERNEL_NODE_PARAMS_v1,
        ) -> CUresult,
    >,
    cuGraphExecKernelNodeSetParams_v2: Option<
        unsafe extern "C" fn(CUgraphExec, CUgraphNode, *const CUDA_KERNEL_NODE_PARAMS) -> CUresult,
    >,
    cuGraphExecMemcpyNodeSetParams: Option<
        unsafe extern "C" fn(CUgraphExec, CUgraphNode, *const CUDA_MEMCPY3D, CUcontext) -> CUresult,
    >,
    cuGraphExecMemsetNodeSetParams: Option<
        unsafe extern "C" fn(
            CUgraphExec,
            CUgraphNode,
            *const CUDA_MEMSET_NODE_PARAMS,
            CUcontext,
        ) -> CUresult,
    >,
    cuGraphExecNodeSetParams:
        Option<unsafe extern "C" fn(CUgraphExec, CUgraphNode, *mut CUgraphNodeParams) -> CUresult>,
    cuGraphExecUpdate: Option<
        unsafe extern "C" fn(
            CUgraphExec,
            CUgraph,
            *mut CUgraphNode,
            *mut CUgraphExecUpdateResult,
        ) -> CUresult,
    >,
    cuGraphExecUpdate_v2: Option<
        unsafe extern "C" fn(CUgraphExec, CUgraph, *mut CUgraphExecUpdateResultInfo) -> CUresult,
    >,
    cuGraphGetEdges: Option<
        unsafe extern "C" fn(CUgraph, *mut CUgraphNode, *mut CUgraphNode, *mut usize) -> CUresult,
    >,
    cuGraphGetEdges_v2: Option<
        unsafe extern "C" fn(
            CUgraph,
            *mut CUgraphNode,
            *mut CUgraphNode,
            *mut CUgraphEdgeData,
            *mut usize,
        ) -> CUresult,
    >,
    cuGraphGetNodes:
        Option<unsafe extern "C" fn(CUgraph, *mut CUgraphNode, *mut usize) -> CUresult>,
    cuGraphGetRootNodes:
        Option<unsafe extern "C" fn(CUgraph, *mut CUgraphNode, *mut usize) -> CUresult>,
    cuGraphHostNodeGetParams:
        Option<unsafe extern "C" fn(CUgraphNode, *mut CUDA_HOST_NODE_PARAMS) -> CUresult>,
    cuGraphHostNodeSetParams:
        Option<unsafe extern "C" fn(CUgraphNode, *const CUDA_HOST_NODE_PARAMS) -> CUresult>,
    cuGraphInstantiate: Option<
        unsafe extern "C" fn(
            *mut CUgraphExec,
            CUgraph,
            *mut CUgraphNode,
            *mut c_char,
            usize,
        ) -> CUresult,
    >,
    cuGraphInstantiate_v2: Option<
        unsafe extern "C" fn(
            *mut CUgraphExec,
            CUgraph,
            *mut CUgraphNode,
            *mut c_char,
            usize,
        ) -> CUresult,
    >,
    cuGraphInstantiateWithFlags:
        Option<unsafe extern "C" fn(*mut CUgraphExec, CUgraph, u64) -> CUresult>,
    cuGraphInstantiateWithParams: Option<
        unsafe extern "C" fn(
            *mut CUgraphExec,
            CUgraph,
            *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
        ) -> CUresult,
    >,
    cuGraphKernelNodeCopyAttributes:
        Option<unsafe extern "C" fn(CUgraphNode, CUgraphNode) -> CUresult>,
    cuGraphKernelNodeGetAttribute: Option<
        unsafe extern "C" fn(CUgraphNode, CUstreamAttrID, *mut CUstreamAttrValue) -> CUresult,
    >,
    cuGraphKernelNodeGetParams:
        Option<unsafe extern "C" fn(CUgraphNode, *mut CUDA_KERNEL_NODE_PARAMS_v1) -> CUresult>,
    cuGraphKernelNodeGetParams_v2:
        Option<unsafe extern "C" fn(CUgraphNode, *mut CUDA_KERNEL_NODE_PARAMS) -> CUresult>,
    cuGraphKernelNodeSetAttribute: Option<
        unsafe extern "C" fn(CUgraphNode, CUstreamAttrID, *const CUstreamAttrValue) -> CUresult,
    >,
    cuGraphKernelNodeSetParams:
        Option<unsafe extern "C" fn(CUgraphNode, *const CUDA_KERNEL_NODE_PARAMS_v1) -> CUresult>,
    cuGraphKernelNodeSetParams_v2:
        Option<unsafe extern "C" fn(CUgraphNode, *const CUDA_KERNEL_NODE_PARAMS) -> CUresult>,
    cuGraphLaunch: Option<unsafe extern "C" fn(CUgraphExec, CUstream) -> CUresult>,
    cuGraphMemAllocNodeGetParams:
        Option<unsafe extern "C" fn(CUgraphNode, *mut CUDA_MEM_ALLOC_NODE_PARAMS) -> CUresult>,
    cuGraphMemFreeNodeGetParams:
        Option<unsafe extern "C" fn(CUgraphNode, *mut CUdeviceptr) -> CUresult>,
    cuGraphMemcpyNodeGetParams:
        Option<unsafe extern "C" fn(CUgraphNode, *mut CUDA_MEMCPY3D) -> CUresult>,
    cuGraphMemcpyNodeSetParams:
        Option<unsafe extern "C" fn(CUgraphNode, *const CUDA_MEMCPY3D) -> CUresult>,
    cuGraphMemsetNodeGetParams:
        Option<unsafe extern "C" fn(CUgraphNode, *mut CUDA_MEMSET_NODE_PARAMS) -> CUresult>,
    cuGraphMemsetNodeSetParams:
        Option<unsafe extern "C" fn(CUgraphNode, *const CUDA_MEMSET_NODE_PARAMS) -> CUresult>,
    cuGraphNodeFindInClone:
        Option<unsafe extern "C" fn(*mut CUgraphNode, CUgraphNode, CUgraph) -> CUresult>,
    cuGraphNodeGetDependencies:
        Option<unsafe extern "C" fn(CUgraphNode, *mut CUgraphNode, *mut usize) -> CUresult>,
    cuGraphNodeGetDependencies_v2: Option<
        unsafe extern "C" fn(
            CUgraphNode,
            *mut CUgraphNode,
            *mut CUgraphEdgeData,
            *mut usize,
        ) -> CUresult,
    >,
    cuGraphNodeGetDependentNodes:
        Option<unsafe extern "C" fn(CUgraphNode, *mut CUgraphNode, *mut usize) -> CUresult>,
    cuGraphNodeGetDependentNodes_v2: Option<
        unsafe extern "C" fn(
            CUgraphNode,
            *mut CUgraphNode,
            *mut CUgraphEdgeData,
            *mut usize,
        ) -> CUresult,
    >,
    cuGraphNodeGetEnabled:
        Option<unsafe extern "C" fn(CUgraphExec, CUgraphNode, *mut u32) -> CUresult>,
    cuGraphNodeGetType: Option<unsafe extern "C" fn(CUgraphNode, *mut CUgraphNodeType) -> CUresult>,
    cuGraphNodeSetEnabled: Option<unsafe extern "C" fn(CUgraphExec, CUgraphNode, u32) -> CUresult>,
    cuGraphNodeSetParams:
        Option<unsafe extern "C" fn(CUgraphNode, *mut CUgraphNodeParams) -> CUresult>,
    cuGraphReleaseUserObject: Option<unsafe extern "C" fn(CUgraph, CUuserObject, u32) -> CUresult>,
    cuGraphRemoveDependencies: Option<
        unsafe extern "C" fn(CUgraph, *const CUgraphNode, *const CUgraphNode, usize) -> CUresult,
    >,
    cuGraphRemoveDependencies_v2: Option<
        unsafe extern "C" fn(
            CUgraph,
            *const CUgraphNode,
            *const CUgraphNode,
            *const CUgraphEdgeData,
            usize,
        ) -> CUresult,
    >,
    cuGraphRetainUserObject:
        Option<unsafe extern "C" fn(CUgraph, CUuserObject, u32, u32) -> CUresult>,
    cuGraphUpload: Option<unsafe extern "C" fn(CUgraphExec, CUstream) -> CUresult>,
    cuUserObjectCreate: Option<
        unsafe extern "C" fn(*mut CUuserObject, *mut c_void, CUhostFn, u32, u32) -> CUresult,
    >,
    cuUserObjectRelease: Option<unsafe extern "C" fn(CUuserObject, u32) -> CUresult>,
    cuUserObjectRetain: Option<unsafe extern "C" fn(CUuserObject, u32) -> CUresult>,
    cuArray3DCreate:
        Option<unsafe extern "C" fn(*mut CUarray, *const CUDA_ARRAY3D_DESCRIPTOR_v1) -> CUresult>,
    cuArray3DCreate_v2:
        Option<unsafe extern "C" fn(*mut CUarray, *const CUDA_ARRAY3D_DESCRIPTOR) -> CUresult>,
    cuArray3DGetDescriptor:
        Option<unsafe extern "C" fn(*mut CUDA_ARRAY3D_DESCRIPTOR_v1, CUarray) -> CUresult>,
    cuArray3DGetDescriptor_v2:
        Option<unsafe extern "C" fn(*mut CUDA_ARRAY3D_DESCRIPTOR, CUarray) -> CUresult>,
    cuArrayCreate:
        Option<unsafe extern "C" fn(*mut CUarray, *const CUDA_ARRAY_DESCRIPTOR_v1) -> CUresult>,
    cuArrayCreate_v2:
        Option<unsafe extern "C" fn(*mut CUarray, *const CUDA_ARRAY_DESCRIPTOR) -> CUresult>,
    cuArrayDestroy: Option<unsafe extern "C" fn(CUarray) -> CUresult>,
    cuArrayGetDescriptor:
        Option<unsafe extern "C" fn(*mut CUDA_ARRAY_DESCRIPTOR_v1, CUarray) -> CUresult>,
    cuArrayGetDescriptor_v2:
        Option<unsafe extern "C" fn(*mut CUDA_ARRAY_DESCRIPTOR, CUarray) -> CUresult>,
    cuArrayGetMemoryRequirements: Option<
        unsafe extern "C" fn(*mut CUDA_ARRAY_MEMORY_REQUIREMENTS, CUarray, CUdevice) -> CUresult,
    >,
    cuArrayGetPlane: Option<unsafe extern "C" fn(*mut CUarray, CUarray, u32) -> CUresult>,
    cuMipmappedArrayCreate: Option<
        unsafe extern "C" fn(
            *mut CUmipmappedArray,
            *const CUDA_ARRAY3D_DESCRIPTOR,
            u32,
        ) -> CUresult,
    >,
    cuMipmappedArrayDestroy: Option<unsafe extern "C" fn(CUmipmappedArray) -> CUresult>,
    cuMipmappedArrayGetLevel:
        Option<unsafe extern "C" fn(*mut CUarray, CUmipmappedArray, u32) -> CUresult>,
    cuMipmappedArrayGetMemoryRequirements: Option<
        unsafe extern "C" fn(
            *mut CUDA_ARRAY_MEMORY_REQUIREMENTS,
            CUmipmappedArray,
            CUdevice,
        ) -> CUresult,
    >,
    cuSurfObjectCreate:
        Option<unsafe extern "C" fn(*mut CUsurfObject, *const CUDA_RESOURCE_DESC) -> CUresult>,
    cuSurfObjectDestroy: Option<unsafe extern "C" fn(CUsurfObject) -> CUresult>,
    cuSurfObjectGetResourceDesc:
        Option<unsafe extern "C" fn(*mut CUDA_RESOURCE_DESC, CUsurfObject) -> CUresult>,
    cuSurfRefGetArray: Option<unsafe extern "C" fn(*mut CUarray, CUsurfref) -> CUresult>,
    cuSurfRefSetArray: Option<unsafe extern "C" fn(CUsurfref, CUarray, u32) -> CUresult>,
    cuTensorMapEncodeIm2col: Option<
        unsafe extern "C" fn(
            *mut CUtensorMap,
            CUtensorMapDataType,
            u32,
            CUdeviceptr,
            *const u64,
            *const u64,
            *const i32,
            *const i32,
            u32,
            u32,
            *const u32,
            CUtensorMapInterleave,
            CUtensorMapSwizzle,
            CUtensorMapL2promotion,
            CUtensorMapFloatOOBfill,
        ) -> CUresult,
    >,
    cuTensorMapEncodeIm2colWide: Option<
        unsafe extern "C" fn(
            *mut CUtensorMap,
            CUtensorMapDataType,
            u32,
            CUdeviceptr,
            *const u64,
            *const u64,
            i32,
            i32,
            u32,
            u32,
            *const u32,
            CUtensorMapInterleave,
            CUtensorMapIm2ColWideMode,
            CUtensorMapSwizzle,
            CUtensorMapL2promotion,
            CUtensorMapFloatOOBfill,
        ) -> CUresult,
    >,
    cuTensorMapEncodeTiled: Option<
        unsafe extern "C" fn(
            *mut CUtensorMap,
            CUtensorMapDataType,
            u32,
            CUdeviceptr,
            *const u64,
            *const u64,
            *const u32,
            *const u32,
            CUtensorMapInterleave,
            CUtensorMapSwizzle,
            CUtensorMapL2promotion,
            CUtensorMapFloatOOBfill,
        ) -> CUresult,
    >,
    cuTensorMapReplaceAddress:
        Option<unsafe extern "C" fn(*mut CUtensorMap, CUdeviceptr) -> CUresult>,
    cuTexObjectCreate: Option<
        unsafe extern "C" fn(
            *mut CUtexObject,
            *const CUDA_RESOURCE_DESC,
            *const CUDA_TEXTURE_DESC,
            *const CUDA_RESOURCE_VIEW_DESC,
        ) -> CUresult,
    >,
    cuTexObjectDestroy: Option<unsafe extern "C" fn(CUtexObject) -> CUresult>,
    cuTexObjectGetResourceDesc:
        Option<unsafe extern "C" fn(*mut CUDA_RESOURCE_DESC, CUtexObject) -> CUresult>,
    cuTexObjectGetResourceViewDesc:
        Option<unsafe extern "C" fn(*mut CUDA_RESOURCE_VIEW_DESC, CUtexObject) -> CUresult>,
    cuTexObjectGetTextureDesc:
        Option<unsafe extern "C" fn(*mut CUDA_TEXTURE_DESC, CUtexObject) -> CUresult>,
    cuTexRefCreate: Option<unsafe extern "C" fn(*mut CUtexref) -> CUresult>,
    cuTexRefDestroy: Option<unsafe extern "C" fn(CUtexref) -> CUresult>,
    cuTexRefGetAddress: Option<unsafe extern "C" fn(*mut CUdeviceptr_v1, CUtexref) -> CUresult>,
    cuTexRefGetAddress_v2: Option<unsafe extern "C" fn(*mut CUdeviceptr, CUtexref) -> CUresult>,
    cuTexRefGetAddressMode: Option<unsafe extern "C" fn(*mut i32, CUtexref, i32) -> CUresult>,
    cuTexRefGetArray: Option<unsafe extern "C" fn(*mut CUarray, CUtexref) -> CUresult>,
    cuTexRefGetBorderColor: Option<unsafe extern "C" fn(*mut CUborderColor, CUtexref) -> CUresult>,
    cuTexRefGetFilterMode: Option<unsafe extern "C" fn(*mut i32, CUtexref) -> CUresult>,
    cuTexRefGetFlags: Option<unsafe extern "C" fn(*mut u32, CUtexref) -> CUresult>,
    cuTexRefGetFormat: Option<unsafe extern "C" fn(*mut i32, *mut i32, CUtexref) -> CUresult>,
    cuTexRefGetMaxAnisotropy: Option<unsafe extern "C" fn(*mut i32, CUtexref) -> CUresult>,
    cuTexRefGetMipmapFilterMode: Option<unsafe extern "C" fn(*mut i32, CUtexref) -> CUresult>,
    cuTexRefGetMipmapLevelBias: Option<unsafe extern "C" fn(*mut f32, CUtexref) -> CUresult>,
    cuTexRefGetMipmapLevelClamp:
        Option<unsafe extern "C" fn(*mut f32, *mut f32, CUtexref) -> CUresult>,
    cuTexRefGetMipmappedArray:
        Option<unsafe extern "C" fn(*mut CUmipmappedArray, CUtexref) -> CUresult>,
    cuTexRefSetAddress:
        Option<unsafe extern "C" fn(*mut u32, CUtexref, CUdeviceptr_v1, u32) -> CUresult>,
    cuTexRefSetAddress_v2:
        Option<unsafe extern "C" fn(*mut usize, CUtexref, CUdeviceptr, usize) -> CUresult>,
    cuTexRefSetAddress2D: Option<
        unsafe extern "C" fn(
            CUtexref,
            *const CUDA_ARRAY_DESCRIPTOR_v1,
            CUdeviceptr_v1,
            u32,
        ) -> CUresult,
    >,
    cuTexRefSetAddress2D_v2: Option<
        unsafe extern "C" fn(
            CUtexref,
            *const CUDA_ARRAY_DESCRIPTOR,
            CUdeviceptr,
            usize,
        ) -> CUresult,
    >,
    cuTexRefSetAddress2D_v3: Option<
        unsafe extern "C" fn(
            CUtexref,
            *const CUDA_ARRAY_DESCRIPTOR,
            CUdeviceptr,
            usize,
        ) -> CUresult,
    >,
    cuTexRefSetAddressMode: Option<unsafe extern "C" fn(CUtexref, i32, CUaddress_mode) -> CUresult>,
    cuTexRefSetArray: Option<unsafe extern "C" fn(CUtexref, CUarray, u32) -> CUresult>,
    cuTexRefSetBorderColor:
        Option<unsafe extern "C" fn(CUtexref, *const CUborderColor) -> CUresult>,
    cuTexRefSetFilterMode: Option<unsafe extern "C" fn(CUtexref, CUfilter_mode) -> CUresult>,
    cuTexRefSetFlags: Option<unsafe extern "C" fn(CUtexref, u32) -> CUresult>,
    cuTexRefSetFormat: Option<unsafe extern "C" fn(CUtexref, CUarray_format, i32) -> CUresult>,
    cuTexRefSetMaxAnisotropy: Option<unsafe extern "C" fn(CUtexref, u32) -> CUresult>,
    cuTexRefSetMipmapFilterMode: Option<unsafe extern "C" fn(CUtexref, CUfilter_mode) -> CUresult>,
    cuTexRefSetMipmapLevelBias: Option<unsafe extern "C" fn(CUtexref, f32) -> CUresult>,
    cuTexRefSetMipmapLevelClamp: Option<unsafe extern "C" fn(CUtexref, f32, f32) -> CUresult>,
    cuTexRefSetMipmappedArray:
        Option<unsafe extern "C" fn(CUtexref, CUmipmappedArray, u32) -> CUresult>,
    cuCheckpointProcessGetRestoreThreadId: Option<unsafe extern "C" fn(i32, *mut i32) -> CUresult>,
    cuDestroyExternalMemory: Option<unsafe extern "C" fn(CUexternalMemory) -> CUresult>,
    cuDestroyExternalSemaphore: Option<unsafe extern "C" fn(CUexternalSemaphore) -> CUresult>,
    cuDevResourceGenerateDesc:
        Option<unsafe extern "C" fn(*mut CUdevResourceDesc, *mut CUdevResource, u32) -> CUresult>,
    cuDevSmResourceSplitByCount: Option<
        unsafe extern "C" fn(
            *mut CUdevResource,
            *mut u32,
            *const CUdevResource,
            *mut CUdevResource,
            u32,
            u32,
        ) -> CUresult,
    >,
    cuFlushGPUDirectRDMAWrites: Option<unsafe extern "C" fn(i32, i32) -> CUresult>,
    cuGLCtxCreate: Option<unsafe extern "C" fn(*mut CUcontext, u32, CUdevice) -> CUresult>,
    cuGLCtxCreate_v2: Option<unsafe extern "C" fn(*mut CUcontext, u32, CUdevice) -> CUresult>,
    cuGLInit: Option<unsafe extern "C" fn() -> CUresult>,
    cuGraphicsMapResources:
        Option<unsafe extern "C" fn(u32, *mut CUgraphicsResource, CUstream) -> CUresult>,
    cuGraphicsResourceGetMappedMipmappedArray:
        Option<unsafe extern "C" fn(*mut CUmipmappedArray, CUgraphicsResource) -> CUresult>,
    cuGraphicsResourceGetMappedPointer_v2:
        Option<unsafe extern "C" fn(*mut CUdeviceptr, *mut usize, CUgraphicsResource) -> CUresult>,
    cuGraphicsResourceSetMapFlags:
        Option<unsafe extern "C" fn(CUgraphicsResource, u32) -> CUresult>,
    cuGraphicsResourceSetMapFlags_v2:
        Option<unsafe extern "C" fn(CUgraphicsResource, u32) -> CUresult>,
    cuGraphicsSubResourceGetMappedArray:
        Option<unsafe extern "C" fn(*mut CUarray, CUgraphicsResource, u32, u32) -> CUresult>,
    cuGraphicsUnmapResources:
        Option<unsafe extern "C" fn(u32, *mut CUgraphicsResource, CUstream) -> CUresult>,
    cuGraphicsUnregisterResource: Option<unsafe extern "C" fn(CUgraphicsResource) -> CUresult>,
    cuGreenCtxCreate:
        Option<unsafe extern "C" fn(*mut CUgreenCtx, CUdevResourceDesc, CUdevice, u32) -> CUresult>,
    cuGreenCtxDestroy: Option<unsafe extern "C" fn(CUgreenCtx) -> CUresult>,
    cuGreenCtxGetDevResource:
        Option<unsafe extern "C" fn(CUgreenCtx, *mut CUdevResource, CUdevResourceType) -> CUresult>,
    cuGreenCtxGetId: Option<unsafe extern "C" fn(CUgreenCtx, *mut u64) -> CUresult>,
    cuGreenCtxRecordEvent: Option<unsafe extern "C" fn(CUgreenCtx, CUevent) -> CUresult>,
    cuGreenCtxStreamCreate:
        Option<unsafe extern "C" fn(*mut CUstream, CUgreenCtx, u32, i32) -> CUresult>,
    cuGreenCtxWaitEvent: Option<unsafe extern "C" fn(CUgreenCtx, CUevent) -> CUresult>,
    cuLogsCurrent: Option<unsafe extern "C" fn(*mut CUlogIterator, u32) -> CUresult>,
    cuLogsDumpToFile:
        Option<unsafe extern "C" fn(*mut CUlogIterator, *const c_char, u32) -> CUresult>,
    cuLogsDumpToMemory:
        Option<unsafe extern "C" fn(*mut CUlogIterator, *mut c_char, *mut usize, u32) -> CUresult>,
    cuLogsRegisterCallback: Option<
        unsafe extern "C" fn(CUlogsCallback, *mut c_void, *mut CUlogsCallbackHandle) -> CUresult,
    >,
    cuLogsUnregisterCallback: Option<unsafe extern "C" fn(CUlogsCallbackHandle) -> CUresult>,
}

impl Driver {
    /// Opens the library at `path`. Does not initialise the driver.
    pub fn open(path: &std::path::Path) -> Result<Driver, OpenError> {
        let library = Library::open(path)?;
        // SAFETY: each symbol has the type that cuda.h gives it under that exported name.
        let functions = unsafe {
            Functions {
                cuDriverGetVersion: library.symbol(c"cuDriverGetVersion"),
                cuGetErrorName: library.symbol(c"cuGetErrorName"),
                cuGetErrorString: library.symbol(c"cuGetErrorString"),
                cuGetExportTable: library.symbol(c"cuGetExportTable"),
                cuGetProcAddress: library.symbol(c"cuGetProcAddress"),
                cuGetProcAddress_v2: library.symbol(c"cuGetProcAddress_v2"),
                cuInit: library.symbol(c"cuInit"),
                cuProfilerInitialize: library.symbol(c"cuProfilerInitialize"),
                cuProfilerStart: library.symbol(c"cuProfilerStart"),
                cuProfilerStop: library.symbol(c"cuProfilerStop"),
                cuDeviceCanAccessPeer: library.symbol(c"cuDeviceCanAccessPeer"),
                cuDeviceComputeCapability: library.symbol(c"cuDeviceComputeCapability"),
                cuDeviceGet: library.symbol(c"cuDeviceGet"),
                cuDeviceGetAttribute: library.symbol(c"cuDeviceGetAttribute"),
                cuDeviceGetByPCIBusId: library.symbol(c"cuDeviceGetByPCIBusId"),
                cuDeviceGetCount: library.symbol(c"cuDeviceGetCount"),
                cuDeviceGetDefaultMemPool: library.symbol(c"cuDeviceGetDefaultMemPool"),
                cuDeviceGetDevResource: library.symbol(c"cuDeviceGetDevResource"),
                cuDeviceGetExecAffinitySupport: library.symbol(c"cuDeviceGetExecAffinitySupport"),
                cuDeviceGetGraphMemAttribute: library.symbol(c"cuDeviceGetGraphMemAttribute"),
                cuDeviceGetHostAtomicCapabilities: library
                    .symbol(c"cuDeviceGetHostAtomicCapabilities"),
                cuDeviceGetLuid: library.symbol(c"cuDeviceGetLuid"),
                cuDeviceGetMemPool: library.symbol(c"cuDeviceGetMemPool"),
                cuDeviceGetName: library.symbol(c"cuDeviceGetName"),
                cuDeviceGetNvSciSyncAttributes: library.symbol(c"cuDeviceGetNvSciSyncAttributes"),
                cuDeviceGetP2PAtomicCapabilities: library
                    .symbol(c"cuDeviceGetP2PAtomicCapabilities"),
                cuDeviceGetP2PAttribute: library.symbol(c"cuDeviceGetP2PAttribute"),
                cuDeviceGetPCIBusId: library.symbol(c"cuDeviceGetPCIBusId"),
                cuDeviceGetProperties: library.symbol(c"cuDeviceGetProperties"),
                cuDeviceGetTexture1DLinearMaxWidth: library
                    .symbol(c"cuDeviceGetTexture1DLinearMaxWidth"),
                cuDeviceGetUuid: library.symbol(c"cuDeviceGetUuid"),
                cuDeviceGetUuid_v2: library.symbol(c"cuDeviceGetUuid_v2"),
                cuDeviceGraphMemTrim: library.symbol(c"cuDeviceGraphMemTrim"),
                cuDeviceRegisterAsyncNotification: library
                    .symbol(c"cuDeviceRegisterAsyncNotification"),
                cuDeviceSetGraphMemAttribute: library.symbol(c"cuDeviceSetGraphMemAttribute"),
                cuDeviceSetMemPool: library.symbol(c"cuDeviceSetMemPool"),
                cuDeviceTotalMem: library.symbol(c"cuDeviceTotalMem"),
                cuDeviceTotalMem_v2: library.symbol(c"cuDeviceTotalMem_v2"),
                cuDeviceUnregisterAsyncNotification: library
                    .symbol(c"cuDeviceUnregisterAsyncNotification"),
                cuCtxAttach: library.symbol(c"cuCtxAttach"),
                cuCtxCreate: library.symbol(c"cuCtxCreate"),
                cuCtxCreate_v2: library.symbol(c"cuCtxCreate_v2"),
                cuCtxCreate_v3: library.symbol(c"cuCtxCreate_v3"),
                cuCtxCreate_v4: library.symbol(c"cuCtxCreate_v4"),
                cuCtxDestroy: library.symbol(c"cuCtxDestroy"),
                cuCtxDestroy_v2: library.symbol(c"cuCtxDestroy_v2"),
                cuCtxDetach: library.symbol(c"cuCtxDetach"),
                cuCtxDisablePeerAccess: library.symbol(c"cuCtxDisablePeerAccess"),
                cuCtxEnablePeerAccess: library.symbol(c"cuCtxEnablePeerAccess"),
                cuCtxFromGreenCtx: library.symbol(c"cuCtxFromGreenCtx"),
                cuCtxGetApiVersion: library.symbol(c"cuCtxGetApiVersion"),
                cuCtxGetCacheConfig: library.symbol(c"cuCtxGetCacheConfig"),
                cuCtxGetCurrent: library.symbol(c"cuCtxGetCurrent"),
                cuCtxGetDevResource: library.symbol(c"cuCtxGetDevResource"),
                cuCtxGetDevice: library.symbol(c"cuCtxGetDevice"),
                cuCtxGetDevice_v2: library.symbol(c"cuCtxGetDevice_v2"),
                cuCtxGetExecAffinity: library.symbol(c"cuCtxGetExecAffinity"),
                cuCtxGetFlags: library.symbol(c"cuCtxGetFlags"),
                cuCtxGetId: library.symbol(c"cuCtxGetId"),
                cuCtxGetLimit: library.symbol(c"cuCtxGetLimit"),
                cuCtxGetSharedMemConfig: library.symbol(c"cuCtxGetSharedMemConfig"),
                cuCtxGetStreamPriorityRange: library.symbol(c"cuCtxGetStreamPriorityRange"),
                cuCtxPopCurrent: library.symbol(c"cuCtxPopCurrent"),
                cuCtxPopCurrent_v2: library.symbol(c"cuCtxPopCurrent_v2"),
                cuCtxPushCurrent: library.symbol(c"cuCtxPushCurrent"),
                cuCtxPushCurrent_v2: library.symbol(c"cuCtxPushCurrent_v2"),
                cuCtxRecordEvent: library.symbol(c"cuCtxRecordEvent"),
                cuCtxResetPersistingL2Cache: library.symbol(c"cuCtxResetPersistingL2Cache"),
                cuCtxSetCacheConfig: library.symbol(c"cuCtxSetCacheConfig"),
                cuCtxSetCurrent: library.symbol(c"cuCtxSetCurrent"),
                cuCtxSetFlags: library.symbol(c"cuCtxSetFlags"),
                cuCtxSetLimit: library.symbol(c"cuCtxSetLimit"),
                cuCtxSetSharedMemConfig: library.symbol(c"cuCtxSetSharedMemConfig"),
                cuCtxSynchronize: library.symbol(c"cuCtxSynchronize"),
                cuCtxSynchronize_v2: library.symbol(c"cuCtxSynchronize_v2"),
                cuCtxWaitEvent: library.symbol(c"cuCtxWaitEvent"),
                cuDevicePrimaryCtxGetState: library.symbol(c"cuDevicePrimaryCtxGetState"),
                cuDevicePrimaryCtxRelease: library.symbol(c"cuDevicePrimaryCtxRelease"),
                cuDevicePrimaryCtxRelease_v2: library.symbol(c"cuDevicePrimaryCtxRelease_v2"),
                cuDevicePrimaryCtxReset: library.symbol(c"cuDevicePrimaryCtxReset"),
                cuDevicePrimaryCtxReset_v2: library.symbol(c"cuDevicePrimaryCtxReset_v2"),
                cuDevicePrimaryCtxRetain: library.symbol(c"cuDevicePrimaryCtxRetain"),
                cuDevicePrimaryCtxSetFlags: library.symbol(c"cuDevicePrimaryCtxSetFlags"),
                cuDevicePrimaryCtxSetFlags_v2: library.symbol(c"cuDevicePrimaryCtxSetFlags_v2"),
                cuLinkAddData: library.symbol(c"cuLinkAddData"),
                cuLinkAddData_v2: library.symbol(c"cuLinkAddData_v2"),
                cuLinkAddFile: library.symbol(c"cuLinkAddFile"),
                cuLinkAddFile_v2: library.symbol(c"cuLinkAddFile_v2"),
                cuLinkComplete: library.symbol(c"cuLinkComplete"),
                cuLinkCreate: library.symbol(c"cuLinkCreate"),
                cuLinkCreate_v2: library.symbol(c"cuLinkCreate_v2"),
                cuLinkDestroy: library.symbol(c"cuLinkDestroy"),
                cuModuleEnumerateFunctions: library.symbol(c"cuModuleEnumerateFunctions"),
                cuModuleGetFunction: library.symbol(c"cuModuleGetFunction"),
                cuModuleGetFunctionCount: library.symbol(c"cuModuleGetFunctionCount"),
                cuModuleGetGlobal: library.symbol(c"cuModuleGetGlobal"),
                cuModuleGetGlobal_v2: library.symbol(c"cuModuleGetGlobal_v2"),
                cuModuleGetLoadingMode: library.symbol(c"cuModuleGetLoadingMode"),
                cuModuleGetSurfRef: library.symbol(c"cuModuleGetSurfRef"),
                cuModuleGetTexRef: library.symbol(c"cuModuleGetTexRef"),
                cuModuleLoad: library.symbol(c"cuModuleLoad"),
                cuModuleLoadData: library.symbol(c"cuModuleLoadData"),
                cuModuleLoadDataEx: library.symbol(c"cuModuleLoadDataEx"),
                cuModuleLoadFatBinary: library.symbol(c"cuModuleLoadFatBinary"),
                cuModuleUnload: library.symbol(c"cuModuleUnload"),
                cuFuncGetAttribute: library.symbol(c"cuFuncGetAttribute"),
                cuFuncGetModule: library.symbol(c"cuFuncGetModule"),
                cuFuncGetName: library.symbol(c"cuFuncGetName"),
                cuFuncGetParamInfo: library.symbol(c"cuFuncGetParamInfo"),
                cuFuncIsLoaded: library.symbol(c"cuFuncIsLoaded"),
                cuFuncLoad: library.symbol(c"cuFuncLoad"),
                cuFuncSetAttribute: library.symbol(c"cuFuncSetAttribute"),
                cuFuncSetBlockShape: library.symbol(c"cuFuncSetBlockShape"),
                cuFuncSetCacheConfig: library.symbol(c"cuFuncSetCacheConfig"),
                cuFuncSetSharedMemConfig: library.symbol(c"cuFuncSetSharedMemConfig"),
                cuFuncSetSharedSize: library.symbol(c"cuFuncSetSharedSize"),
                cuKernelGetAttribute: library.symbol(c"cuKernelGetAttribute"),
                cuKernelGetFunction: library.symbol(c"cuKernelGetFunction"),
                cuKernelGetLibrary: library.symbol(c"cuKernelGetLibrary"),
                cuKernelGetName: library.symbol(c"cuKernelGetName"),
                cuKernelGetParamInfo: library.symbol(c"cuKernelGetParamInfo"),
                cuKernelSetAttribute: library.symbol(c"cuKernelSetAttribute"),
                cuKernelSetCacheConfig: library.symbol(c"cuKernelSetCacheConfig"),
                cuLibraryEnumerateKernels: library.symbol(c"cuLibraryEnumerateKernels"),
                cuLibraryGetGlobal: library.symbol(c"cuLibraryGetGlobal"),
                cuLibraryGetKernel: library.symbol(c"cuLibraryGetKernel"),
                cuLibraryGetKernelCount: library.symbol(c"cuLibraryGetKernelCount"),
                cuLibraryGetManaged: library.symbol(c"cuLibraryGetManaged"),
                cuLibraryGetModule: library.symbol(c"cuLibraryGetModule"),
                cuLibraryGetUnifiedFunction: library.symbol(c"cuLibraryGetUnifiedFunction"),
                cuLibraryLoadData: library.symbol(c"cuLibraryLoadData"),
                cuLibraryLoadFromFile: library.symbol(c"cuLibraryLoadFromFile"),
                cuLibraryUnload: library.symbol(c"cuLibraryUnload"),
                cuLaunch: library.symbol(c"cuLaunch"),
                cuLaunchCooperativeKernel: library.symbol(c"cuLaunchCooperativeKernel"),
                cuLaunchCooperativeKernelMultiDevice: library
                    .symbol(c"cuLaunchCooperativeKernelMultiDevice"),
                cuLaunchGrid: library.symbol(c"cuLaunchGrid"),
                cuLaunchGridAsync: library.symbol(c"cuLaunchGridAsync"),
                cuLaunchHostFunc: library.symbol(c"cuLaunchHostFunc"),
                cuLaunchKernel: library.symbol(c"cuLaunchKernel"),
                cuLaunchKernelEx: library.symbol(c"cuLaunchKernelEx"),
                cuOccupancyAvailableDynamicSMemPerBlock: library
                    .symbol(c"cuOccupancyAvailableDynamicSMemPerBlock"),
                cuOccupancyMaxActiveBlocksPerMultiprocessor: library
                    .symbol(c"cuOccupancyMaxActiveBlocksPerMultiprocessor"),
                cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags: library
                    .symbol(c"cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"),
                cuOccupancyMaxActiveClusters: library.symbol(c"cuOccupancyMaxActiveClusters"),
                cuOccupancyMaxPotentialBlockSize: library
                    .symbol(c"cuOccupancyMaxPotentialBlockSize"),
                cuOccupancyMaxPotentialBlockSizeWithFlags: library
                    .symbol(c"cuOccupancyMaxPotentialBlockSizeWithFlags"),
                cuOccupancyMaxPotentialClusterSize: library
                    .symbol(c"cuOccupancyMaxPotentialClusterSize"),
                cuParamSetSize: library.symbol(c"cuParamSetSize"),
                cuParamSetTexRef: library.symbol(c"cuParamSetTexRef"),
                cuParamSetf: library.symbol(c"cuParamSetf"),
                cuParamSeti: library.symbol(c"cuParamSeti"),
                cuParamSetv: library.symbol(c"cuParamSetv"),
                cuStreamAddCallback: library.symbol(c"cuStreamAddCallback"),
                cuStreamAttachMemAsync: library.symbol(c"cuStreamAttachMemAsync"),
                cuStreamBatchMemOp_v2: library.symbol(c"cuStreamBatchMemOp_v2"),
                cuStreamBeginCapture: library.symbol(c"cuStreamBeginCapture"),
                cuStreamBeginCapture_v2: library.symbol(c"cuStreamBeginCapture_v2"),
                cuStreamBeginCaptureToGraph: library.symbol(c"cuStreamBeginCaptureToGraph"),
                cuStreamCopyAttributes: library.symbol(c"cuStreamCopyAttributes"),
                cuStreamCreate: library.symbol(c"cuStreamCreate"),
                cuStreamCreateWithPriority: library.symbol(c"cuStreamCreateWithPriority"),
                cuStreamDestroy: library.symbol(c"cuStreamDestroy"),
                cuStreamDestroy_v2: library.symbol(c"cuStreamDestroy_v2"),
                cuStreamEndCapture: library.symbol(c"cuStreamEndCapture"),
                cuStreamGetAttribute: library.symbol(c"cuStreamGetAttribute"),
                cuStreamGetCaptureInfo: library.symbol(c"cuStreamGetCaptureInfo"),
                cuStreamGetCaptureInfo_v2: library.symbol(c"cuStreamGetCaptureInfo_v2"),
                cuStreamGetCaptureInfo_v3: library.symbol(c"cuStreamGetCaptureInfo_v3"),
                cuStreamGetCtx: library.symbol(c"cuStreamGetCtx"),
                cuStreamGetCtx_v2: library.symbol(c"cuStreamGetCtx_v2"),
                cuStreamGetDevice: library.symbol(c"cuStreamGetDevice"),
                cuStreamGetFlags: library.symbol(c"cuStreamGetFlags"),
                cuStreamGetGreenCtx: library.symbol(c"cuStreamGetGreenCtx"),
                cuStreamGetId: library.symbol(c"cuStreamGetId"),
                cuStreamGetPriority: library.symbol(c"cuStreamGetPriority"),
                cuStreamIsCapturing: library.symbol(c"cuStreamIsCapturing"),
                cuStreamQuery: library.symbol(c"cuStreamQuery"),
                cuStreamSetAttribute: library.symbol(c"cuStreamSetAttribute"),
                cuStreamSynchronize: library.symbol(c"cuStreamSynchronize"),
                cuStreamUpdateCaptureDependencies: library
                    .symbol(c"cuStreamUpdateCaptureDependencies"),
                cuStreamUpdateCaptureDependencies_v2: library
                    .symbol(c"cuStreamUpdateCaptureDependencies_v2"),
                cuStreamWaitEvent: library.symbol(c"cuStreamWaitEvent"),
                cuStreamWaitValue32: library.symbol(c"cuStreamWaitValue32"),
                cuStreamWaitValue32_v2: library.symbol(c"cuStreamWaitValue32_v2"),
                cuStreamWaitValue64: library.symbol(c"cuStreamWaitValue64"),
                cuStreamWaitValue64_v2: library.symbol(c"cuStreamWaitValue64_v2"),
                cuStreamWriteValue32: library.symbol(c"cuStreamWriteValue32"),
                cuStreamWriteValue32_v2: library.symbol(c"cuStreamWriteValue32_v2"),
                cuStreamWriteValue64: library.symbol(c"cuStreamWriteValue64"),
                cuStreamWriteValue64_v2: library.symbol(c"cuStreamWriteValue64_v2"),
                cuThreadExchangeStreamCaptureMode: library
                    .symbol(c"cuThreadExchangeStreamCaptureMode"),
                cuEventCreate: library.symbol(c"cuEventCreate"),
                cuEventDestroy: library.symbol(c"cuEventDestroy"),
                cuEventDestroy_v2: library.symbol(c"cuEventDestroy_v2"),
                cuEventElapsedTime: library.symbol(c"cuEventElapsedTime"),
                cuEventElapsedTime_v2: library.symbol(c"cuEventElapsedTime_v2"),
                cuEventQuery: library.symbol(c"cuEventQuery"),
                cuEventRecord: library.symbol(c"cuEventRecord"),
                cuEventRecordWithFlags: library.symbol(c"cuEventRecordWithFlags"),
                cuEventSynchronize: library.symbol(c"cuEventSynchronize"),
                cuMemcpy: library.symbol(c"cuMemcpy"),
                cuMemcpy2D: library.symbol(c"cuMemcpy2D"),
                cuMemcpy2D_v2: library.symbol(c"cuMemcpy2D_v2"),
                cuMemcpy2DAsync: library.symbol(c"cuMemcpy2DAsync"),
                cuMemcpy2DAsync_v2: library.symbol(c"cuMemcpy2DAsync_v2"),
                cuMemcpy2DUnaligned: library.symbol(c"cuMemcpy2DUnaligned"),
                cuMemcpy2DUnaligned_v2: library.symbol(c"cuMemcpy2DUnaligned_v2"),
                cuMemcpy3D: library.symbol(c"cuMemcpy3D"),
                cuMemcpy3D_v2: library.symbol(c"cuMemcpy3D_v2"),
                cuMemcpy3DAsync: library.symbol(c"cuMemcpy3DAsync"),
                cuMemcpy3DAsync_v2: library.symbol(c"cuMemcpy3DAsync_v2"),
                cuMemcpy3DBatchAsync: library.symbol(c"cuMemcpy3DBatchAsync"),
                cuMemcpy3DBatchAsync_v2: library.symbol(c"cuMemcpy3DBatchAsync_v2"),
                cuMemcpy3DPeer: library.symbol(c"cuMemcpy3DPeer"),
                cuMemcpy3DPeerAsync: library.symbol(c"cuMemcpy3DPeerAsync"),
                cuMemcpyAsync: library.symbol(c"cuMemcpyAsync"),
                cuMemcpyAtoA: library.symbol(c"cuMemcpyAtoA"),
                cuMemcpyAtoA_v2: library.symbol(c"cuMemcpyAtoA_v2"),
                cuMemcpyAtoD: library.symbol(c"cuMemcpyAtoD"),
                cuMemcpyAtoD_v2: library.symbol(c"cuMemcpyAtoD_v2"),
                cuMemcpyAtoH: library.symbol(c"cuMemcpyAtoH"),
                cuMemcpyAtoH_v2: library.symbol(c"cuMemcpyAtoH_v2"),
                cuMemcpyAtoHAsync: library.symbol(c"cuMemcpyAtoHAsync"),
                cuMemcpyAtoHAsync_v2: library.symbol(c"cuMemcpyAtoHAsync_v2"),
                cuMemcpyBatchAsync: library.symbol(c"cuMemcpyBatchAsync"),
                cuMemcpyBatchAsync_v2: library.symbol(c"cuMemcpyBatchAsync_v2"),
                cuMemcpyDtoA: library.symbol(c"cuMemcpyDtoA"),
                cuMemcpyDtoA_v2: library.symbol(c"cuMemcpyDtoA_v2"),
                cuMemcpyDtoD: library.symbol(c"cuMemcpyDtoD"),
                cuMemcpyDtoD_v2: library.symbol(c"cuMemcpyDtoD_v2"),
                cuMemcpyDtoDAsync: library.symbol(c"cuMemcpyDtoDAsync"),
                cuMemcpyDtoDAsync_v2: library.symbol(c"cuMemcpyDtoDAsync_v2"),
                cuMemcpyDtoH: library.symbol(c"cuMemcpyDtoH"),
                cuMemcpyDtoH_v2: library.symbol(c"cuMemcpyDtoH_v2"),
                cuMemcpyDtoHAsync: library.symbol(c"cuMemcpyDtoHAsync"),
                cuMemcpyDtoHAsync_v2: library.symbol(c"cuMemcpyDtoHAsync_v2"),
                cuMemcpyHtoA: library.symbol(c"cuMemcpyHtoA"),
                cuMemcpyHtoA_v2: library.symbol(c"cuMemcpyHtoA_v2"),
                cuMemcpyHtoAAsync: library.symbol(c"cuMemcpyHtoAAsync"),
                cuMemcpyHtoAAsync_v2: library.symbol(c"cuMemcpyHtoAAsync_v2"),
                cuMemcpyHtoD: library.symbol(c"cuMemcpyHtoD"),
                cuMemcpyHtoD_v2: library.symbol(c"cuMemcpyHtoD_v2"),
                cuMemcpyHtoDAsync: library.symbol(c"cuMemcpyHtoDAsync"),
                cuMemcpyHtoDAsync_v2: library.symbol(c"cuMemcpyHtoDAsync_v2"),
                cuMemcpyPeer: library.symbol(c"cuMemcpyPeer"),
                cuMemcpyPeerAsync: library.symbol(c"cuMemcpyPeerAsync"),
                cuMemsetD16: library.symbol(c"cuMemsetD16"),
                cuMemsetD16_v2: library.symbol(c"cuMemsetD16_v2"),
                cuMemsetD16Async: library.symbol(c"cuMemsetD16Async"),
                cuMemsetD2D16: library.symbol(c"cuMemsetD2D16"),
                cuMemsetD2D16_v2: library.symbol(c"cuMemsetD2D16_v2"),
                cuMemsetD2D16Async: library.symbol(c"cuMemsetD2D16Async"),
                cuMemsetD2D32: library.symbol(c"cuMemsetD2D32"),
                cuMemsetD2D32_v2: library.symbol(c"cuMemsetD2D32_v2"),
                cuMemsetD2D32Async: library.symbol(c"cuMemsetD2D32Async"),
                cuMemsetD2D8: library.symbol(c"cuMemsetD2D8"),
                cuMemsetD2D8_v2: library.symbol(c"cuMemsetD2D8_v2"),
                cuMemsetD2D8Async: library.symbol(c"cuMemsetD2D8Async"),
                cuMemsetD32: library.symbol(c"cuMemsetD32"),
                cuMemsetD32_v2: library.symbol(c"cuMemsetD32_v2"),
                cuMemsetD32Async: library.symbol(c"cuMemsetD32Async"),
                cuMemsetD8: library.symbol(c"cuMemsetD8"),
                cuMemsetD8_v2: library.symbol(c"cuMemsetD8_v2"),
                cuMemsetD8Async: library.symbol(c"cuMemsetD8Async"),
                cuMemAllocAsync: library.symbol(c"cuMemAllocAsync"),
                cuMemAllocFromPoolAsync: library.symbol(c"cuMemAllocFromPoolAsync"),
                cuMemFreeAsync: library.symbol(c"cuMemFreeAsync"),
                cuMemGetDefaultMemPool: library.symbol(c"cuMemGetDefaultMemPool"),
                cuMemGetMemPool: library.symbol(c"cuMemGetMemPool"),
                cuMemPoolCreate: library.symbol(c"cuMemPoolCreate"),
                cuMemPoolDestroy: library.symbol(c"cuMemPoolDestroy"),
                cuMemPoolExportPointer: library.symbol(c"cuMemPoolExportPointer"),
                cuMemPoolExportToShareableHandle: library
                    .symbol(c"cuMemPoolExportToShareableHandle"),
                cuMemPoolGetAccess: library.symbol(c"cuMemPoolGetAccess"),
                cuMemPoolGetAttribute: library.symbol(c"cuMemPoolGetAttribute"),
                cuMemPoolImportFromShareableHandle: library
                    .symbol(c"cuMemPoolImportFromShareableHandle"),
                cuMemPoolImportPointer: library.symbol(c"cuMemPoolImportPointer"),
                cuMemPoolSetAccess: library.symbol(c"cuMemPoolSetAccess"),
                cuMemPoolSetAttribute: library.symbol(c"cuMemPoolSetAttribute"),
                cuMemPoolTrimTo: library.symbol(c"cuMemPoolTrimTo"),
                cuMemSetMemPool: library.symbol(c"cuMemSetMemPool"),
                cuMemAddressFree: library.symbol(c"cuMemAddressFree"),
                cuMemAddressReserve: library.symbol(c"cuMemAddressReserve"),
                cuMemCreate: library.symbol(c"cuMemCreate"),
                cuMemExportToShareableHandle: library.symbol(c"cuMemExportToShareableHandle"),
                cuMemGetAccess: library.symbol(c"cuMemGetAccess"),
                cuMemGetAllocationGranularity: library.symbol(c"cuMemGetAllocationGranularity"),
                cuMemGetAllocationPropertiesFromHandle: library
                    .symbol(c"cuMemGetAllocationPropertiesFromHandle"),
                cuMemImportFromShareableHandle: library.symbol(c"cuMemImportFromShareableHandle"),
                cuMemMap: library.symbol(c"cuMemMap"),
                cuMemRelease: library.symbol(c"cuMemRelease"),
                cuMemRetainAllocationHandle: library.symbol(c"cuMemRetainAllocationHandle"),
                cuMemSetAccess: library.symbol(c"cuMemSetAccess"),
                cuMemUnmap: library.symbol(c"cuMemUnmap"),
                cuMulticastAddDevice: library.symbol(c"cuMulticastAddDevice"),
                cuMulticastBindAddr: library.symbol(c"cuMulticastBindAddr"),
                cuMulticastBindMem: library.symbol(c"cuMulticastBindMem"),
                cuMulticastUnbind: library.symbol(c"cuMulticastUnbind"),
                cuIpcCloseMemHandle: library.symbol(c"cuIpcCloseMemHandle"),
                cuIpcGetEventHandle: library.symbol(c"cuIpcGetEventHandle"),
                cuIpcGetMemHandle: library.symbol(c"cuIpcGetMemHandle"),
                cuIpcOpenEventHandle: library.symbol(c"cuIpcOpenEventHandle"),
                cuIpcOpenMemHandle: library.symbol(c"cuIpcOpenMemHandle"),
                cuIpcOpenMemHandle_v2: library.symbol(c"cuIpcOpenMemHandle_v2"),
                cuMemAdvise: library.symbol(c"cuMemAdvise"),
                cuMemAdvise_v2: library.symbol(c"cuMemAdvise_v2"),
                cuMemAlloc: library.symbol(c"cuMemAlloc"),
                cuMemAlloc_v2: library.symbol(c"cuMemAlloc_v2"),
                cuMemAllocHost: library.symbol(c"cuMemAllocHost"),
                cuMemAllocHost_v2: library.symbol(c"cuMemAllocHost_v2"),
                cuMemAllocManaged: library.symbol(c"cuMemAllocManaged"),
                cuMemAllocPitch: library.symbol(c"cuMemAllocPitch"),
                cuMemAllocPitch_v2: library.symbol(c"cuMemAllocPitch_v2"),
                cuMemDiscardAndPrefetchBatchAsync: library
                    .symbol(c"cuMemDiscardAndPrefetchBatchAsync"),
                cuMemDiscardBatchAsync: library.symbol(c"cuMemDiscardBatchAsync"),
                cuMemFree: library.symbol(c"cuMemFree"),
                cuMemFree_v2: library.symbol(c"cuMemFree_v2"),
                cuMemFreeHost: library.symbol(c"cuMemFreeHost"),
                cuMemGetAddressRange: library.symbol(c"cuMemGetAddressRange"),
                cuMemGetAddressRange_v2: library.symbol(c"cuMemGetAddressRange_v2"),
                cuMemGetInfo: library.symbol(c"cuMemGetInfo"),
                cuMemGetInfo_v2: library.symbol(c"cuMemGetInfo_v2"),
                cuMemHostAlloc: library.symbol(c"cuMemHostAlloc"),
                cuMemHostGetDevicePointer: library.symbol(c"cuMemHostGetDevicePointer"),
                cuMemHostGetDevicePointer_v2: library.symbol(c"cuMemHostGetDevicePointer_v2"),
                cuMemHostGetFlags: library.symbol(c"cuMemHostGetFlags"),
                cuMemHostRegister: library.symbol(c"cuMemHostRegister"),
                cuMemHostRegister_v2: library.symbol(c"cuMemHostRegister_v2"),
                cuMemHostUnregister: library.symbol(c"cuMemHostUnregister"),
                cuMemPrefetchAsync: library.symbol(c"cuMemPrefetchAsync"),
                cuMemPrefetchAsync_v2: library.symbol(c"cuMemPrefetchAsync_v2"),
                cuMemPrefetchBatchAsync: library.symbol(c"cuMemPrefetchBatchAsync"),
                cuMemRangeGetAttribute: library.symbol(c"cuMemRangeGetAttribute"),
                cuMemRangeGetAttributes: library.symbol(c"cuMemRangeGetAttributes"),
                cuPointerGetAttribute: library.symbol(c"cuPointerGetAttribute"),
                cuPointerGetAttributes: library.symbol(c"cuPointerGetAttributes"),
                cuPointerSetAttribute: library.symbol(c"cuPointerSetAttribute"),
                cuGraphAddBatchMemOpNode: library.symbol(c"cuGraphAddBatchMemOpNode"),
                cuGraphAddChildGraphNode: library.symbol(c"cuGraphAddChildGraphNode"),
                cuGraphAddDependencies: library.symbol(c"cuGraphAddDependencies"),
                cuGraphAddDependencies_v2: library.symbol(c"cuGraphAddDependencies_v2"),
                cuGraphAddEmptyNode: library.symbol(c"cuGraphAddEmptyNode"),
                cuGraphAddEventRecordNode: library.symbol(c"cuGraphAddEventRecordNode"),
                cuGraphAddEventWaitNode: library.symbol(c"cuGraphAddEventWaitNode"),
                cuGraphAddHostNode: library.symbol(c"cuGraphAddHostNode"),
                cuGraphAddKernelNode: library.symbol(c"cuGraphAddKernelNode"),
                cuGraphAddKernelNode_v2: library.symbol(c"cuGraphAddKernelNode_v2"),
                cuGraphAddMemAllocNode: library.symbol(c"cuGraphAddMemAllocNode"),
                cuGraphAddMemFreeNode: library.symbol(c"cuGraphAddMemFreeNode"),
                cuGraphAddMemcpyNode: library.symbol(c"cuGraphAddMemcpyNode"),
                cuGraphAddMemsetNode: library.symbol(c"cuGraphAddMemsetNode"),
                cuGraphAddNode: library.symbol(c"cuGraphAddNode"),
                cuGraphAddNode_v2: library.symbol(c"cuGraphAddNode_v2"),
                cuGraphBatchMemOpNodeGetParams: library.symbol(c"cuGraphBatchMemOpNodeGetParams"),
                cuGraphBatchMemOpNodeSetParams: library.symbol(c"cuGraphBatchMemOpNodeSetParams"),
                cuGraphChildGraphNodeGetGraph: library.symbol(c"cuGraphChildGraphNodeGetGraph"),
                cuGraphClone: library.symbol(c"cuGraphClone"),
                cuGraphConditionalHandleCreate: library.symbol(c"cuGraphConditionalHandleCreate"),
                cuGraphCreate: library.symbol(c"cuGraphCreate"),
                cuGraphDebugDotPrint: library.symbol(c"cuGraphDebugDotPrint"),
                cuGraphDestroy: library.symbol(c"cuGraphDestroy"),
                cuGraphDestroyNode: library.symbol(c"cuGraphDestroyNode"),
                cuGraphEventRecordNodeGetEvent: library.symbol(c"cuGraphEventRecordNodeGetEvent"),
                cuGraphEventRecordNodeSetEvent: library.symbol(c"cuGraphEventRecordNodeSetEvent"),
                cuGraphEventWaitNodeGetEvent: library.symbol(c"cuGraphEventWaitNodeGetEvent"),
                cuGraphEventWaitNodeSetEvent: library.symbol(c"cuGraphEventWaitNodeSetEvent"),
                cuGraphExecBatchMemOpNodeSetParams: library
                    .symbol(c"cuGraphExecBatchMemOpNodeSetParams"),
                cuGraphExecChildGraphNodeSetParams: library
                    .symbol(c"cuGraphExecChildGraphNodeSetParams"),
                cuGraphExecDestroy: library.symbol(c"cuGraphExecDestroy"),
                cuGraphExecEventRecordNodeSetEvent: library
                    .symbol(c"cuGraphExecEventRecordNodeSetEvent"),
                cuGraphExecEventWaitNodeSetEvent: library
                    .symbol(c"cuGraphExecEventWaitNodeSetEvent"),
                cuGraphExecGetFlags: library.symbol(c"cuGraphExecGetFlags"),
                cuGraphExecHostNodeSetParams: library.symbol(c"cuGraphExecHostNodeSetParams"),
                cuGraphExecKernelNodeSetParams: library.symbol(c"cuGraphExecKernelNodeSetParams"),
                cuGraphExecKernelNodeSetParams_v2: library
                    .symbol(c"cuGraphExecKernelNodeSetParams_v2"),
                cuGraphExecMemcpyNodeSetParams: library.symbol(c"cuGraphExecMemcpyNodeSetParams"),
                cuGraphExecMemsetNodeSetParams: library.symbol(c"cuGraphExecMemsetNodeSetParams"),
                cuGraphExecNodeSetParams: library.symbol(c"cuGraphExecNodeSetParams"),
                cuGraphExecUpdate: library.symbol(c"cuGraphExecUpdate"),
                cuGraphExecUpdate_v2: library.symbol(c"cuGraphExecUpdate_v2"),
                cuGraphGetEdges: library.symbol(c"cuGraphGetEdges"),
                cuGraphGetEdges_v2: library.symbol(c"cuGraphGetEdges_v2"),
                cuGraphGetNodes: library.symbol(c"cuGraphGetNodes"),
                cuGraphGetRootNodes: library.symbol(c"cuGraphGetRootNodes"),
                cuGraphHostNodeGetParams: library.symbol(c"cuGraphHostNodeGetParams"),
                cuGraphHostNodeSetParams: library.symbol(c"cuGraphHostNodeSetParams"),
                cuGraphInstantiate: library.symbol(c"cuGraphInstantiate"),
                cuGraphInstantiate_v2: library.symbol(c"cuGraphInstantiate_v2"),
                cuGraphInstantiateWithFlags: library.symbol(c"cuGraphInstantiateWithFlags"),
                cuGraphInstantiateWithParams: library.symbol(c"cuGraphInstantiateWithParams"),
                cuGraphKernelNodeCopyAttributes: library.symbol(c"cuGraphKernelNodeCopyAttributes"),
                cuGraphKernelNodeGetAttribute: library.symbol(c"cuGraphKernelNodeGetAttribute"),
                cuGraphKernelNodeGetParams: library.symbol(c"cuGraphKernelNodeGetParams"),
                cuGraphKernelNodeGetParams_v2: library.symbol(c"cuGraphKernelNodeGetParams_v2"),
                cuGraphKernelNodeSetAttribute: library.symbol(c"cuGraphKernelNodeSetAttribute"),
                cuGraphKernelNodeSetParams: library.symbol(c"cuGraphKernelNodeSetParams"),
                cuGraphKernelNodeSetParams_v2: library.symbol(c"cuGraphKernelNodeSetParams_v2"),
                cuGraphLaunch: library.symbol(c"cuGraphLaunch"),
                cuGraphMemAllocNodeGetParams: library.symbol(c"cuGraphMemAllocNodeGetParams"),
                cuGraphMemFreeNodeGetParams: library.symbol(c"cuGraphMemFreeNodeGetParams"),
                cuGraphMemcpyNodeGetParams: library.symbol(c"cuGraphMemcpyNodeGetParams"),
                cuGraphMemcpyNodeSetParams: library.symbol(c"cuGraphMemcpyNodeSetParams"),
                cuGraphMemsetNodeGetParams: library.symbol(c"cuGraphMemsetNodeGetParams"),
                cuGraphMemsetNodeSetParams: library.symbol(c"cuGraphMemsetNodeSetParams"),
                cuGraphNodeFindInClone: library.symbol(c"cuGraphNodeFindInClone"),
                cuGraphNodeGetDependencies: library.symbol(c"cuGraphNodeGetDependencies"),
                cuGraphNodeGetDependencies_v2: library.symbol(c"cuGraphNodeGetDependencies_v2"),
                cuGraphNodeGetDependentNodes: library.symbol(c"cuGraphNodeGetDependentNodes"),
                cuGraphNodeGetDependentNodes_v2: library.symbol(c"cuGraphNodeGetDependentNodes_v2"),
                cuGraphNodeGetEnabled: library.symbol(c"cuGraphNodeGetEnabled"),
                cuGraphNodeGetType: library.symbol(c"cuGraphNodeGetType"),
                cuGraphNodeSetEnabled: library.symbol(c"cuGraphNodeSetEnabled"),
                cuGraphNodeSetParams: library.symbol(c"cuGraphNodeSetParams"),
                cuGraphReleaseUserObject: library.symbol(c"cuGraphReleaseUserObject"),
                cuGraphRemoveDependencies: library.symbol(c"cuGraphRemoveDependencies"),
                cuGraphRemoveDependencies_v2: library.symbol(c"cuGraphRemoveDependencies_v2"),
                cuGraphRetainUserObject: library.symbol(c"cuGraphRetainUserObject"),
                cuGraphUpload: library.symbol(c"cuGraphUpload"),
                cuUserObjectCreate: library.symbol(c"cuUserObjectCreate"),
                cuUserObjectRelease: library.symbol(c"cuUserObjectRelease"),
                cuUserObjectRetain: library.symbol(c"cuUserObjectRetain"),
                cuArray3DCreate: library.symbol(c"cuArray3DCreate"),
                cuArray3DCreate_v2: library.symbol(c"cuArray3DCreate_v2"),
                cuArray3DGetDescriptor: library.symbol(c"cuArray3DGetDescriptor"),
                cuArray3DGetDescriptor_v2: library.symbol(c"cuArray3DGetDescriptor_v2"),
                cuArrayCreate: library.symbol(c"cuArrayCreate"),
                cuArrayCreate_v2: library.symbol(c"cuArrayCreate_v2"),
                cuArrayDestroy: library.symbol(c"cuArrayDestroy"),
                cuArrayGetDescriptor: library.symbol(c"cuArrayGetDescriptor"),
                cuArrayGetDescriptor_v2: library.symbol(c"cuArrayGetDescriptor_v2"),
                cuArrayGetMemoryRequirements: library.symbol(c"cuArrayGetMemoryRequirements"),
                cuArrayGetPlane: library.symbol(c"cuArrayGetPlane"),
                cuMipmappedArrayCreate: library.symbol(c"cuMipmappedArrayCreate"),
                cuMipmappedArrayDestroy: library.symbol(c"cuMipmappedArrayDestroy"),
                cuMipmappedArrayGetLevel: library.symbol(c"cuMipmappedArrayGetLevel"),
                cuMipmappedArrayGetMemoryRequirements: library
                    .symbol(c"cuMipmappedArrayGetMemoryRequirements"),
                cuSurfObjectCreate: library.symbol(c"cuSurfObjectCreate"),
                cuSurfObjectDestroy: library.symbol(c"cuSurfObjectDestroy"),
                cuSurfObjectGetResourceDesc: library.symbol(c"cuSurfObjectGetResourceDesc"),
                cuSurfRefGetArray: library.symbol(c"cuSurfRefGetArray"),
                cuSurfRefSetArray: library.symbol(c"cuSurfRefSetArray"),
                cuTensorMapEncodeIm2col: library.symbol(c"cuTensorMapEncodeIm2col"),
                cuTensorMapEncodeIm2colWide: library.symbol(c"cuTensorMapEncodeIm2colWide"),
                cuTensorMapEncodeTiled: library.symbol(c"cuTensorMapEncodeTiled"),
                cuTensorMapReplaceAddress: library.symbol(c"cuTensorMapReplaceAddress"),
                cuTexObjectCreate: library.symbol(c"cuTexObjectCreate"),
                cuTexObjectDestroy: library.symbol(c"cuTexObjectDestroy"),
                cuTexObjectGetResourceDesc: library.symbol(c"cuTexObjectGetResourceDesc"),
                cuTexObjectGetResourceViewDesc: library.symbol(c"cuTexObjectGetResourceViewDesc"),
                cuTexObjectGetTextureDesc: library.symbol(c"cuTexObjectGetTextureDesc"),
                cuTexRefCreate: library.symbol(c"cuTexRefCreate"),
                cuTexRefDestroy: library.symbol(c"cuTexRefDestroy"),
                cuTexRefGetAddress: library.symbol(c"cuTexRefGetAddress"),
                cuTexRefGetAddress_v2: library.symbol(c"cuTexRefGetAddress_v2"),
                cuTexRefGetAddressMode: library.symbol(c"cuTexRefGetAddressMode"),
                cuTexRefGetArray: library.symbol(c"cuTexRefGetArray"),
                cuTexRefGetBorderColor: library.symbol(c"cuTexRefGetBorderColor"),
                cuTexRefGetFilterMode: library.symbol(c"cuTexRefGetFilterMode"),
                cuTexRefGetFlags: library.symbol(c"cuTexRefGetFlags"),
                cuTexRefGetFormat: library.symbol(c"cuTexRefGetFormat"),
                cuTexRefGetMaxAnisotropy: library.symbol(c"cuTexRefGetMaxAnisotropy"),
                cuTexRefGetMipmapFilterMode: library.symbol(c"cuTexRefGetMipmapFilterMode"),
                cuTexRefGetMipmapLevelBias: library.symbol(c"cuTexRefGetMipmapLevelBias"),
                cuTexRefGetMipmapLevelClamp: library.symbol(c"cuTexRefGetMipmapLevelClamp"),
                cuTexRefGetMipmappedArray: library.symbol(c"cuTexRefGetMipmappedArray"),
                cuTexRefSetAddress: library.symbol(c"cuTexRefSetAddress"),
                cuTexRefSetAddress_v2: library.symbol(c"cuTexRefSetAddress_v2"),
                cuTexRefSetAddress2D: library.symbol(c"cuTexRefSetAddress2D"),
                cuTexRefSetAddress2D_v2: library.symbol(c"cuTexRefSetAddress2D_v2"),
                cuTexRefSetAddress2D_v3: library.symbol(c"cuTexRefSetAddress2D_v3"),
                cuTexRefSetAddressMode: library.symbol(c"cuTexRefSetAddressMode"),
                cuTexRefSetArray: library.symbol(c"cuTexRefSetArray"),
                cuTexRefSetBorderColor: library.symbol(c"cuTexRefSetBorderColor"),
                cuTexRefSetFilterMode: library.symbol(c"cuTexRefSetFilterMode"),
                cuTexRefSetFlags: library.symbol(c"cuTexRefSetFlags"),
                cuTexRefSetFormat: library.symbol(c"cuTexRefSetFormat"),
                cuTexRefSetMaxAnisotropy: library.symbol(c"cuTexRefSetMaxAnisotropy"),
                cuTexRefSetMipmapFilterMode: library.symbol(c"cuTexRefSetMipmapFilterMode"),
                cuTexRefSetMipmapLevelBias: library.symbol(c"cuTexRefSetMipmapLevelBias"),
                cuTexRefSetMipmapLevelClamp: library.symbol(c"cuTexRefSetMipmapLevelClamp"),
                cuTexRefSetMipmappedArray: library.symbol(c"cuTexRefSetMipmappedArray"),
                cuCheckpointProcessGetRestoreThreadId: library
                    .symbol(c"cuCheckpointProcessGetRestoreThreadId"),
                cuDestroyExternalMemory: library.symbol(c"cuDestroyExternalMemory"),
                cuDestroyExternalSemaphore: library.symbol(c"cuDestroyExternalSemaphore"),
                cuDevResourceGenerateDesc: library.symbol(c"cuDevResourceGenerateDesc"),
                cuDevSmResourceSplitByCount: library.symbol(c"cuDevSmResourceSplitByCount"),
                cuFlushGPUDirectRDMAWrites: library.symbol(c"cuFlushGPUDirectRDMAWrites"),
                cuGLCtxCreate: library.symbol(c"cuGLCtxCreate"),
                cuGLCtxCreate_v2: library.symbol(c"cuGLCtxCreate_v2"),
                cuGLInit: library.symbol(c"cuGLInit"),
                cuGraphicsMapResources: library.symbol(c"cuGraphicsMapResources"),
                cuGraphicsResourceGetMappedMipmappedArray: library
                    .symbol(c"cuGraphicsResourceGetMappedMipmappedArray"),
                cuGraphicsResourceGetMappedPointer_v2: library
                    .symbol(c"cuGraphicsResourceGetMappedPointer_v2"),
                cuGraphicsResourceSetMapFlags: library.symbol(c"cuGraphicsResourceSetMapFlags"),
                cuGraphicsResourceSetMapFlags_v2: library
                    .symbol(c"cuGraphicsResourceSetMapFlags_v2"),
                cuGraphicsSubResourceGetMappedArray: library
                    .symbol(c"cuGraphicsSubResourceGetMappedArray"),
                cuGraphicsUnmapResources: library.symbol(c"cuGraphicsUnmapResources"),
                cuGraphicsUnregisterResource: library.symbol(c"cuGraphicsUnregisterResource"),
                cuGreenCtxCreate: library.symbol(c"cuGreenCtxCreate"),
                cuGreenCtxDestroy: library.symbol(c"cuGreenCtxDestroy"),
                cuGreenCtxGetDevResource: library.symbol(c"cuGreenCtxGetDevResource"),
                cuGreenCtxGetId: library.symbol(c"cuGreenCtxGetId"),
                cuGreenCtxRecordEvent: library.symbol(c"cuGreenCtxRecordEvent"),
                cuGreenCtxStreamCreate: library.symbol(c"cuGreenCtxStreamCreate"),
                cuGreenCtxWaitEvent: library.symbol(c"cuGreenCtxWaitEvent"),
                cuLogsCurrent: library.symbol(c"cuLogsCurrent"),
                cuLogsDumpToFile: library.symbol(c"cuLogsDumpToFile"),
                cuLogsDumpToMemory: library.symbol(c"cuLogsDumpToMemory"),
                cuLogsRegisterCallback: library.symbol(c"cuLogsRegisterCallback"),
                cuLogsUnregisterCallback: library.symbol(c"cuLogsUnregisterCallback"),
            }
        };
        Ok(Driver { functions, _library: library })
    }
}

/// # Safety
/// Each method calls the driver function of its name. Its arguments must meet that function's
/// requirements.
#[allow(missing_docs, clippy::missing_safety_doc)]
impl Driver {
    pub unsafe fn cuDriverGetVersion(&self, driverVersion: *mut i32) -> CUresult {
        match self.functions.cuDriverGetVersion {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(driverVersion) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGetErrorName(&self, error: CUresult, pStr: *mut *const c_char) -> CUresult {
        match self.functions.cuGetErrorName {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(error, pStr) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGetErrorString(&self, error: CUresult, pStr: *mut *const c_char) -> CUresult {
        match self.functions.cuGetErrorString {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(error, pStr) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGetExportTable(
        &self,
        ppExportTable: *mut *const c_void,
        pExportTableId: *const CUuuid,
    ) -> CUresult {
        match self.functions.cuGetExportTable {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ppExportTable, pExportTableId) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGetProcAddress(
        &self,
        symbol: *const c_char,
        pfn: *mut *mut c_void,
        driverVersion: i32,
        flags: u64,
    ) -> CUresult {
        match self.functions.cuGetProcAddress {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(symbol, pfn, driverVersion, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGetProcAddress_v2(
        &self,
        symbol: *const c_char,
        pfn: *mut *mut c_void,
        driverVersion: i32,
        flags: u64,
        symbolFound: *mut CUdriverProcAddressQueryResult,
    ) -> CUresult {
        match self.functions.cuGetProcAddress_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(symbol, pfn, driverVersion, flags, symbolFound) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuInit(&self, Flags: u32) -> CUresult {
        match self.functions.cuInit {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(Flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuProfilerInitialize(
        &self,
        configFile: *const c_char,
        outputFile: *const c_char,
        outputMode: CUoutput_mode,
    ) -> CUresult {
        match self.functions.cuProfilerInitialize {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(configFile, outputFile, outputMode) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuProfilerStart(&self) -> CUresult {
        match self.functions.cuProfilerStart {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function() },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuProfilerStop(&self) -> CUresult {
        match self.functions.cuProfilerStop {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function() },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceCanAccessPeer(
        &self,
        canAccessPeer: *mut i32,
        dev: CUdevice,
        peerDev: CUdevice,
    ) -> CUresult {
        match self.functions.cuDeviceCanAccessPeer {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(canAccessPeer, dev, peerDev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceComputeCapability(
        &self,
        major: *mut i32,
        minor: *mut i32,
        dev: CUdevice,
    ) -> CUresult {
        match self.functions.cuDeviceComputeCapability {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(major, minor, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGet(&self, device: *mut CUdevice, ordinal: i32) -> CUresult {
        match self.functions.cuDeviceGet {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, ordinal) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetAttribute(
        &self,
        pi: *mut i32,
        attrib: CUdevice_attribute,
        dev: CUdevice,
    ) -> CUresult {
        match self.functions.cuDeviceGetAttribute {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pi, attrib, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetByPCIBusId(
        &self,
        dev: *mut CUdevice,
        pciBusId: *const c_char,
    ) -> CUresult {
        match self.functions.cuDeviceGetByPCIBusId {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dev, pciBusId) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetCount(&self, count: *mut i32) -> CUresult {
        match self.functions.cuDeviceGetCount {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(count) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetDefaultMemPool(
        &self,
        pool_out: *mut CUmemoryPool,
        dev: CUdevice,
    ) -> CUresult {
        match self.functions.cuDeviceGetDefaultMemPool {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pool_out, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetDevResource(
        &self,
        device: CUdevice,
        resource: *mut CUdevResource,
        type_: CUdevResourceType,
    ) -> CUresult {
        match self.functions.cuDeviceGetDevResource {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, resource, type_) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetExecAffinitySupport(
        &self,
        pi: *mut i32,
        type_: CUexecAffinityType,
        dev: CUdevice,
    ) -> CUresult {
        match self.functions.cuDeviceGetExecAffinitySupport {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pi, type_, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetGraphMemAttribute(
        &self,
        device: CUdevice,
        attr: CUgraphMem_attribute,
        value: *mut c_void,
    ) -> CUresult {
        match self.functions.cuDeviceGetGraphMemAttribute {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, attr, value) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetHostAtomicCapabilities(
        &self,
        capabilities: *mut u32,
        operations: *const CUatomicOperation,
        count: u32,
        dev: CUdevice,
    ) -> CUresult {
        match self.functions.cuDeviceGetHostAtomicCapabilities {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(capabilities, operations, count, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetLuid(
        &self,
        luid: *mut c_char,
        deviceNodeMask: *mut u32,
        dev: CUdevice,
    ) -> CUresult {
        match self.functions.cuDeviceGetLuid {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(luid, deviceNodeMask, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetMemPool(&self, pool: *mut CUmemoryPool, dev: CUdevice) -> CUresult {
        match self.functions.cuDeviceGetMemPool {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pool, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetName(&self, name: *mut c_char, len: i32, dev: CUdevice) -> CUresult {
        match self.functions.cuDeviceGetName {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(name, len, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetNvSciSyncAttributes(
        &self,
        nvSciSyncAttrList: *mut c_void,
        dev: CUdevice,
        flags: i32,
    ) -> CUresult {
        match self.functions.cuDeviceGetNvSciSyncAttributes {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(nvSciSyncAttrList, dev, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetP2PAtomicCapabilities(
        &self,
        capabilities: *mut u32,
        operations: *const CUatomicOperation,
        count: u32,
        srcDevice: CUdevice,
        dstDevice: CUdevice,
    ) -> CUresult {
        match self.functions.cuDeviceGetP2PAtomicCapabilities {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(capabilities, operations, count, srcDevice, dstDevice)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetP2PAttribute(
        &self,
        value: *mut i32,
        attrib: CUdevice_P2PAttribute,
        srcDevice: CUdevice,
        dstDevice: CUdevice,
    ) -> CUresult {
        match self.functions.cuDeviceGetP2PAttribute {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(value, attrib, srcDevice, dstDevice) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetPCIBusId(
        &self,
        pciBusId: *mut c_char,
        len: i32,
        dev: CUdevice,
    ) -> CUresult {
        match self.functions.cuDeviceGetPCIBusId {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pciBusId, len, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetProperties(&self, prop: *mut CUdevprop, dev: CUdevice) -> CUresult {
        match self.functions.cuDeviceGetProperties {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(prop, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetTexture1DLinearMaxWidth(
        &self,
        maxWidthInElements: *mut usize,
        format: CUarray_format,
        numChannels: u32,
        dev: CUdevice,
    ) -> CUresult {
        match self.functions.cuDeviceGetTexture1DLinearMaxWidth {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(maxWidthInElements, format, numChannels, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetUuid(&self, uuid: *mut CUuuid, dev: CUdevice) -> CUresult {
        match self.functions.cuDeviceGetUuid {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(uuid, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGetUuid_v2(&self, uuid: *mut CUuuid, dev: CUdevice) -> CUresult {
        match self.functions.cuDeviceGetUuid_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(uuid, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceGraphMemTrim(&self, device: CUdevice) -> CUresult {
        match self.functions.cuDeviceGraphMemTrim {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceRegisterAsyncNotification(
        &self,
        device: CUdevice,
        callbackFunc: CUasyncCallback,
        userData: *mut c_void,
        callback: *mut CUasyncCallbackHandle,
    ) -> CUresult {
        match self.functions.cuDeviceRegisterAsyncNotification {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, callbackFunc, userData, callback) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceSetGraphMemAttribute(
        &self,
        device: CUdevice,
        attr: CUgraphMem_attribute,
        value: *mut c_void,
    ) -> CUresult {
        match self.functions.cuDeviceSetGraphMemAttribute {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, attr, value) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceSetMemPool(&self, dev: CUdevice, pool: CUmemoryPool) -> CUresult {
        match self.functions.cuDeviceSetMemPool {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dev, pool) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceTotalMem(&self, bytes: *mut u32, dev: CUdevice) -> CUresult {
        match self.functions.cuDeviceTotalMem {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(bytes, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceTotalMem_v2(&self, bytes: *mut usize, dev: CUdevice) -> CUresult {
        match self.functions.cuDeviceTotalMem_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(bytes, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDeviceUnregisterAsyncNotification(
        &self,
        device: CUdevice,
        callback: CUasyncCallbackHandle,
    ) -> CUresult {
        match self.functions.cuDeviceUnregisterAsyncNotification {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, callback) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxAttach(&self, pctx: *mut CUcontext, flags: u32) -> CUresult {
        match self.functions.cuCtxAttach {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pctx, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxCreate(&self, pctx: *mut CUcontext, flags: u32, dev: CUdevice) -> CUresult {
        match self.functions.cuCtxCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pctx, flags, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxCreate_v2(
        &self,
        pctx: *mut CUcontext,
        flags: u32,
        dev: CUdevice,
    ) -> CUresult {
        match self.functions.cuCtxCreate_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pctx, flags, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxCreate_v3(
        &self,
        pctx: *mut CUcontext,
        paramsArray: *mut CUexecAffinityParam,
        numParams: i32,
        flags: u32,
        dev: CUdevice,
    ) -> CUresult {
        match self.functions.cuCtxCreate_v3 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pctx, paramsArray, numParams, flags, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxCreate_v4(
        &self,
        pctx: *mut CUcontext,
        ctxCreateParams: *mut CUctxCreateParams,
        flags: u32,
        dev: CUdevice,
    ) -> CUresult {
        match self.functions.cuCtxCreate_v4 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pctx, ctxCreateParams, flags, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxDestroy(&self, ctx: CUcontext) -> CUresult {
        match self.functions.cuCtxDestroy {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ctx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxDestroy_v2(&self, ctx: CUcontext) -> CUresult {
        match self.functions.cuCtxDestroy_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ctx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxDetach(&self, ctx: CUcontext) -> CUresult {
        match self.functions.cuCtxDetach {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ctx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxDisablePeerAccess(&self, peerContext: CUcontext) -> CUresult {
        match self.functions.cuCtxDisablePeerAccess {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(peerContext) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxEnablePeerAccess(&self, peerContext: CUcontext, Flags: u32) -> CUresult {
        match self.functions.cuCtxEnablePeerAccess {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(peerContext, Flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxFromGreenCtx(&self, pContext: *mut CUcontext, hCtx: CUgreenCtx) -> CUresult {
        match self.functions.cuCtxFromGreenCtx {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pContext, hCtx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxGetApiVersion(&self, ctx: CUcontext, version: *mut u32) -> CUresult {
        match self.functions.cuCtxGetApiVersion {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ctx, version) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxGetCacheConfig(&self, pconfig: *mut i32) -> CUresult {
        match self.functions.cuCtxGetCacheConfig {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pconfig) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxGetCurrent(&self, pctx: *mut CUcontext) -> CUresult {
        match self.functions.cuCtxGetCurrent {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pctx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxGetDevResource(
        &self,
        hCtx: CUcontext,
        resource: *mut CUdevResource,
        type_: CUdevResourceType,
    ) -> CUresult {
        match self.functions.cuCtxGetDevResource {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hCtx, resource, type_) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxGetDevice(&self, device: *mut CUdevice) -> CUresult {
        match self.functions.cuCtxGetDevice {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxGetDevice_v2(&self, device: *mut CUdevice, ctx: CUcontext) -> CUresult {
        match self.functions.cuCtxGetDevice_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, ctx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxGetExecAffinity(
        &self,
        pExecAffinity: *mut CUexecAffinityParam,
        type_: CUexecAffinityType,
    ) -> CUresult {
        match self.functions.cuCtxGetExecAffinity {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pExecAffinity, type_) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxGetFlags(&self, flags: *mut u32) -> CUresult {
        match self.functions.cuCtxGetFlags {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxGetId(&self, ctx: CUcontext, ctxId: *mut u64) -> CUresult {
        match self.functions.cuCtxGetId {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ctx, ctxId) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxGetLimit(&self, pvalue: *mut usize, limit: CUlimit) -> CUresult {
        match self.functions.cuCtxGetLimit {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pvalue, limit) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxGetSharedMemConfig(&self, pConfig: *mut CUsharedconfig) -> CUresult {
        match self.functions.cuCtxGetSharedMemConfig {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pConfig) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxGetStreamPriorityRange(
        &self,
        leastPriority: *mut i32,
        greatestPriority: *mut i32,
    ) -> CUresult {
        match self.functions.cuCtxGetStreamPriorityRange {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(leastPriority, greatestPriority) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxPopCurrent(&self, pctx: *mut CUcontext) -> CUresult {
        match self.functions.cuCtxPopCurrent {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pctx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxPopCurrent_v2(&self, pctx: *mut CUcontext) -> CUresult {
        match self.functions.cuCtxPopCurrent_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pctx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxPushCurrent(&self, ctx: CUcontext) -> CUresult {
        match self.functions.cuCtxPushCurrent {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ctx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxPushCurrent_v2(&self, ctx: CUcontext) -> CUresult {
        match self.functions.cuCtxPushCurrent_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ctx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxRecordEvent(&self, hCtx: CUcontext, hEvent: CUevent) -> CUresult {
        match self.functions.cuCtxRecordEvent {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hCtx, hEvent) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxResetPersistingL2Cache(&self) -> CUresult {
        match self.functions.cuCtxResetPersistingL2Cache {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function() },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxSetCacheConfig(&self, config: CUfunc_cache) -> CUresult {
        match self.functions.cuCtxSetCacheConfig {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(config) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxSetCurrent(&self, ctx: CUcontext) -> CUresult {
        match self.functions.cuCtxSetCurrent {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ctx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxSetFlags(&self, flags: u32) -> CUresult {
        match self.functions.cuCtxSetFlags {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxSetLimit(&self, limit: CUlimit, value: usize) -> CUresult {
        match self.functions.cuCtxSetLimit {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(limit, value) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxSetSharedMemConfig(&self, config: CUsharedconfig) -> CUresult {
        match self.functions.cuCtxSetSharedMemConfig {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(config) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxSynchronize(&self) -> CUresult {
        match self.functions.cuCtxSynchronize {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function() },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxSynchronize_v2(&self, ctx: CUcontext) -> CUresult {
        match self.functions.cuCtxSynchronize_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ctx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCtxWaitEvent(&self, hCtx: CUcontext, hEvent: CUevent) -> CUresult {
        match self.functions.cuCtxWaitEvent {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hCtx, hEvent) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDevicePrimaryCtxGetState(
        &self,
        dev: CUdevice,
        flags: *mut u32,
        active: *mut i32,
    ) -> CUresult {
        match self.functions.cuDevicePrimaryCtxGetState {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dev, flags, active) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDevicePrimaryCtxRelease(&self, dev: CUdevice) -> CUresult {
        match self.functions.cuDevicePrimaryCtxRelease {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDevicePrimaryCtxRelease_v2(&self, dev: CUdevice) -> CUresult {
        match self.functions.cuDevicePrimaryCtxRelease_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDevicePrimaryCtxReset(&self, dev: CUdevice) -> CUresult {
        match self.functions.cuDevicePrimaryCtxReset {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDevicePrimaryCtxReset_v2(&self, dev: CUdevice) -> CUresult {
        match self.functions.cuDevicePrimaryCtxReset_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDevicePrimaryCtxRetain(&self, pctx: *mut CUcontext, dev: CUdevice) -> CUresult {
        match self.functions.cuDevicePrimaryCtxRetain {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pctx, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDevicePrimaryCtxSetFlags(&self, dev: CUdevice, flags: u32) -> CUresult {
        match self.functions.cuDevicePrimaryCtxSetFlags {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dev, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDevicePrimaryCtxSetFlags_v2(&self, dev: CUdevice, flags: u32) -> CUresult {
        match self.functions.cuDevicePrimaryCtxSetFlags_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dev, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLinkAddData(
        &self,
        state: CUlinkState,
        type_: CUjitInputType,
        data: *mut c_void,
        size: usize,
        name: *const c_char,
        numOptions: u32,
        options: *mut CUjit_option,
        optionValues: *mut *mut c_void,
    ) -> CUresult {
        match self.functions.cuLinkAddData {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(state, type_, data, size, name, numOptions, options, optionValues)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLinkAddData_v2(
        &self,
        state: CUlinkState,
        type_: CUjitInputType,
        data: *mut c_void,
        size: usize,
        name: *const c_char,
        numOptions: u32,
        options: *mut CUjit_option,
        optionValues: *mut *mut c_void,
    ) -> CUresult {
        match self.functions.cuLinkAddData_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(state, type_, data, size, name, numOptions, options, optionValues)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLinkAddFile(
        &self,
        state: CUlinkState,
        type_: CUjitInputType,
        path: *const c_char,
        numOptions: u32,
        options: *mut CUjit_option,
        optionValues: *mut *mut c_void,
    ) -> CUresult {
        match self.functions.cuLinkAddFile {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(state, type_, path, numOptions, options, optionValues)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLinkAddFile_v2(
        &self,
        state: CUlinkState,
        type_: CUjitInputType,
        path: *const c_char,
        numOptions: u32,
        options: *mut CUjit_option,
        optionValues: *mut *mut c_void,
    ) -> CUresult {
        match self.functions.cuLinkAddFile_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(state, type_, path, numOptions, options, optionValues)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLinkComplete(
        &self,
        state: CUlinkState,
        cubinOut: *mut *mut c_void,
        sizeOut: *mut usize,
    ) -> CUresult {
        match self.functions.cuLinkComplete {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(state, cubinOut, sizeOut) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLinkCreate(
        &self,
        numOptions: u32,
        options: *mut CUjit_option,
        optionValues: *mut *mut c_void,
        stateOut: *mut CUlinkState,
    ) -> CUresult {
        match self.functions.cuLinkCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(numOptions, options, optionValues, stateOut) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLinkCreate_v2(
        &self,
        numOptions: u32,
        options: *mut CUjit_option,
        optionValues: *mut *mut c_void,
        stateOut: *mut CUlinkState,
    ) -> CUresult {
        match self.functions.cuLinkCreate_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(numOptions, options, optionValues, stateOut) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLinkDestroy(&self, state: CUlinkState) -> CUresult {
        match self.functions.cuLinkDestroy {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(state) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuModuleEnumerateFunctions(
        &self,
        functions: *mut CUfunction,
        numFunctions: u32,
        module: CUmodule,
    ) -> CUresult {
        match self.functions.cuModuleEnumerateFunctions {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(functions, numFunctions, module) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuModuleGetFunction(
        &self,
        hfunc: *mut CUfunction,
        hmod: CUmodule,
        name: *const c_char,
    ) -> CUresult {
        match self.functions.cuModuleGetFunction {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hfunc, hmod, name) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuModuleGetFunctionCount(&self, count: *mut u32, hmod: CUmodule) -> CUresult {
        match self.functions.cuModuleGetFunctionCount {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(count, hmod) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuModuleGetGlobal(
        &self,
        dptr: *mut CUdeviceptr_v1,
        bytes: *mut u32,
        hmod: CUmodule,
        name: *const c_char,
    ) -> CUresult {
        match self.functions.cuModuleGetGlobal {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dptr, bytes, hmod, name) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuModuleGetGlobal_v2(
        &self,
        dptr: *mut CUdeviceptr,
        bytes: *mut usize,
        hmod: CUmodule,
        name: *const c_char,
    ) -> CUresult {
        match self.functions.cuModuleGetGlobal_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dptr, bytes, hmod, name) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuModuleGetLoadingMode(&self, mode: *mut CUmoduleLoadingMode) -> CUresult {
        match self.functions.cuModuleGetLoadingMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(mode) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuModuleGetSurfRef(
        &self,
        pSurfRef: *mut CUsurfref,
        hmod: CUmodule,
        name: *const c_char,
    ) -> CUresult {
        match self.functions.cuModuleGetSurfRef {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pSurfRef, hmod, name) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuModuleGetTexRef(
        &self,
        pTexRef: *mut CUtexref,
        hmod: CUmodule,
        name: *const c_char,
    ) -> CUresult {
        match self.functions.cuModuleGetTexRef {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pTexRef, hmod, name) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuModuleLoad(&self, module: *mut CUmodule, fname: *const c_char) -> CUresult {
        match self.functions.cuModuleLoad {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(module, fname) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuModuleLoadData(&self, module: *mut CUmodule, image: *const c_void) -> CUresult {
        match self.functions.cuModuleLoadData {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(module, image) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuModuleLoadDataEx(
        &self,
        module: *mut CUmodule,
        image: *const c_void,
        numOptions: u32,
        options: *mut CUjit_option,
        optionValues: *mut *mut c_void,
    ) -> CUresult {
        match self.functions.cuModuleLoadDataEx {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(module, image, numOptions, options, optionValues) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuModuleLoadFatBinary(
        &self,
        module: *mut CUmodule,
        fatCubin: *const c_void,
    ) -> CUresult {
        match self.functions.cuModuleLoadFatBinary {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(module, fatCubin) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuModuleUnload(&self, hmod: CUmodule) -> CUresult {
        match self.functions.cuModuleUnload {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hmod) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuFuncGetAttribute(
        &self,
        pi: *mut i32,
        attrib: CUfunction_attribute,
        hfunc: CUfunction,
    ) -> CUresult {
        match self.functions.cuFuncGetAttribute {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pi, attrib, hfunc) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuFuncGetModule(&self, hmod: *mut CUmodule, hfunc: CUfunction) -> CUresult {
        match self.functions.cuFuncGetModule {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hmod, hfunc) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuFuncGetName(&self, name: *mut *const c_char, hfunc: CUfunction) -> CUresult {
        match self.functions.cuFuncGetName {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(name, hfunc) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuFuncGetParamInfo(
        &self,
        func: CUfunction,
        paramIndex: usize,
        paramOffset: *mut usize,
        paramSize: *mut usize,
    ) -> CUresult {
        match self.functions.cuFuncGetParamInfo {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(func, paramIndex, paramOffset, paramSize) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuFuncIsLoaded(
        &self,
        state: *mut CUfunctionLoadingState,
        hfunc: CUfunction,
    ) -> CUresult {
        match self.functions.cuFuncIsLoaded {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(state, hfunc) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuFuncLoad(&self, hfunc: CUfunction) -> CUresult {
        match self.functions.cuFuncLoad {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hfunc) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuFuncSetAttribute(
        &self,
        hfunc: CUfunction,
        attrib: CUfunction_attribute,
        value: i32,
    ) -> CUresult {
        match self.functions.cuFuncSetAttribute {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hfunc, attrib, value) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuFuncSetBlockShape(
        &self,
        hfunc: CUfunction,
        x: i32,
        y: i32,
        z: i32,
    ) -> CUresult {
        match self.functions.cuFuncSetBlockShape {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hfunc, x, y, z) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuFuncSetCacheConfig(&self, hfunc: CUfunction, config: CUfunc_cache) -> CUresult {
        match self.functions.cuFuncSetCacheConfig {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hfunc, config) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuFuncSetSharedMemConfig(
        &self,
        hfunc: CUfunction,
        config: CUsharedconfig,
    ) -> CUresult {
        match self.functions.cuFuncSetSharedMemConfig {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hfunc, config) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuFuncSetSharedSize(&self, hfunc: CUfunction, bytes: u32) -> CUresult {
        match self.functions.cuFuncSetSharedSize {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hfunc, bytes) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuKernelGetAttribute(
        &self,
        pi: *mut i32,
        attrib: CUfunction_attribute,
        kernel: CUkernel,
        dev: CUdevice,
    ) -> CUresult {
        match self.functions.cuKernelGetAttribute {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pi, attrib, kernel, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuKernelGetFunction(&self, pFunc: *mut CUfunction, kernel: CUkernel) -> CUresult {
        match self.functions.cuKernelGetFunction {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pFunc, kernel) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuKernelGetLibrary(&self, pLib: *mut CUlibrary, kernel: CUkernel) -> CUresult {
        match self.functions.cuKernelGetLibrary {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pLib, kernel) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuKernelGetName(&self, name: *mut *const c_char, hfunc: CUkernel) -> CUresult {
        match self.functions.cuKernelGetName {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(name, hfunc) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuKernelGetParamInfo(
        &self,
        kernel: CUkernel,
        paramIndex: usize,
        paramOffset: *mut usize,
        paramSize: *mut usize,
    ) -> CUresult {
        match self.functions.cuKernelGetParamInfo {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(kernel, paramIndex, paramOffset, paramSize) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuKernelSetAttribute(
        &self,
        attrib: CUfunction_attribute,
        val: i32,
        kernel: CUkernel,
        dev: CUdevice,
    ) -> CUresult {
        match self.functions.cuKernelSetAttribute {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(attrib, val, kernel, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuKernelSetCacheConfig(
        &self,
        kernel: CUkernel,
        config: CUfunc_cache,
        dev: CUdevice,
    ) -> CUresult {
        match self.functions.cuKernelSetCacheConfig {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(kernel, config, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLibraryEnumerateKernels(
        &self,
        kernels: *mut CUkernel,
        numKernels: u32,
        lib: CUlibrary,
    ) -> CUresult {
        match self.functions.cuLibraryEnumerateKernels {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(kernels, numKernels, lib) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLibraryGetGlobal(
        &self,
        dptr: *mut CUdeviceptr,
        bytes: *mut usize,
        library: CUlibrary,
        name: *const c_char,
    ) -> CUresult {
        match self.functions.cuLibraryGetGlobal {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dptr, bytes, library, name) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLibraryGetKernel(
        &self,
        pKernel: *mut CUkernel,
        library: CUlibrary,
        name: *const c_char,
    ) -> CUresult {
        match self.functions.cuLibraryGetKernel {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pKernel, library, name) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLibraryGetKernelCount(&self, count: *mut u32, lib: CUlibrary) -> CUresult {
        match self.functions.cuLibraryGetKernelCount {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(count, lib) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLibraryGetManaged(
        &self,
        dptr: *mut CUdeviceptr,
        bytes: *mut usize,
        library: CUlibrary,
        name: *const c_char,
    ) -> CUresult {
        match self.functions.cuLibraryGetManaged {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dptr, bytes, library, name) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLibraryGetModule(&self, pMod: *mut CUmodule, library: CUlibrary) -> CUresult {
        match self.functions.cuLibraryGetModule {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pMod, library) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLibraryGetUnifiedFunction(
        &self,
        fptr: *mut *mut c_void,
        library: CUlibrary,
        symbol: *const c_char,
    ) -> CUresult {
        match self.functions.cuLibraryGetUnifiedFunction {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(fptr, library, symbol) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLibraryLoadData(
        &self,
        library: *mut CUlibrary,
        code: *const c_void,
        jitOptions: *mut CUjit_option,
        jitOptionsValues: *mut *mut c_void,
        numJitOptions: u32,
        libraryOptions: *mut CUlibraryOption,
        libraryOptionValues: *mut *mut c_void,
        numLibraryOptions: u32,
    ) -> CUresult {
        match self.functions.cuLibraryLoadData {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(
                    library,
                    code,
                    jitOptions,
                    jitOptionsValues,
                    numJitOptions,
                    libraryOptions,
                    libraryOptionValues,
                    numLibraryOptions,
                )
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLibraryLoadFromFile(
        &self,
        library: *mut CUlibrary,
        fileName: *const c_char,
        jitOptions: *mut CUjit_option,
        jitOptionsValues: *mut *mut c_void,
        numJitOptions: u32,
        libraryOptions: *mut CUlibraryOption,
        libraryOptionValues: *mut *mut c_void,
        numLibraryOptions: u32,
    ) -> CUresult {
        match self.functions.cuLibraryLoadFromFile {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(
                    library,
                    fileName,
                    jitOptions,
                    jitOptionsValues,
                    numJitOptions,
                    libraryOptions,
                    libraryOptionValues,
                    numLibraryOptions,
                )
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLibraryUnload(&self, library: CUlibrary) -> CUresult {
        match self.functions.cuLibraryUnload {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(library) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLaunch(&self, f: CUfunction) -> CUresult {
        match self.functions.cuLaunch {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(f) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLaunchCooperativeKernel(
        &self,
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
        match self.functions.cuLaunchCooperativeKernel {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(
                    f,
                    gridDimX,
                    gridDimY,
                    gridDimZ,
                    blockDimX,
                    blockDimY,
                    blockDimZ,
                    sharedMemBytes,
                    hStream,
                    kernelParams,
                )
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLaunchCooperativeKernelMultiDevice(
        &self,
        launchParamsList: *mut CUDA_LAUNCH_PARAMS,
        numDevices: u32,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuLaunchCooperativeKernelMultiDevice {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(launchParamsList, numDevices, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLaunchGrid(
        &self,
        f: CUfunction,
        grid_width: i32,
        grid_height: i32,
    ) -> CUresult {
        match self.functions.cuLaunchGrid {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(f, grid_width, grid_height) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLaunchGridAsync(
        &self,
        f: CUfunction,
        grid_width: i32,
        grid_height: i32,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuLaunchGridAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(f, grid_width, grid_height, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLaunchHostFunc(
        &self,
        hStream: CUstream,
        fn_: CUhostFn,
        userData: *mut c_void,
    ) -> CUresult {
        match self.functions.cuLaunchHostFunc {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, fn_, userData) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLaunchKernel(
        &self,
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
        match self.functions.cuLaunchKernel {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(
                    f,
                    gridDimX,
                    gridDimY,
                    gridDimZ,
                    blockDimX,
                    blockDimY,
                    blockDimZ,
                    sharedMemBytes,
                    hStream,
                    kernelParams,
                    extra,
                )
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLaunchKernelEx(
        &self,
        config: *const CUlaunchConfig,
        f: CUfunction,
        kernelParams: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> CUresult {
        match self.functions.cuLaunchKernelEx {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(config, f, kernelParams, extra) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuOccupancyAvailableDynamicSMemPerBlock(
        &self,
        dynamicSmemSize: *mut usize,
        func: CUfunction,
        numBlocks: i32,
        blockSize: i32,
    ) -> CUresult {
        match self.functions.cuOccupancyAvailableDynamicSMemPerBlock {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dynamicSmemSize, func, numBlocks, blockSize) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        &self,
        numBlocks: *mut i32,
        func: CUfunction,
        blockSize: i32,
        dynamicSMemSize: usize,
    ) -> CUresult {
        match self.functions.cuOccupancyMaxActiveBlocksPerMultiprocessor {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(numBlocks, func, blockSize, dynamicSMemSize) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &self,
        numBlocks: *mut i32,
        func: CUfunction,
        blockSize: i32,
        dynamicSMemSize: usize,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(numBlocks, func, blockSize, dynamicSMemSize, flags)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuOccupancyMaxActiveClusters(
        &self,
        numClusters: *mut i32,
        func: CUfunction,
        config: *const CUlaunchConfig,
    ) -> CUresult {
        match self.functions.cuOccupancyMaxActiveClusters {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(numClusters, func, config) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuOccupancyMaxPotentialBlockSize(
        &self,
        minGridSize: *mut i32,
        blockSize: *mut i32,
        func: CUfunction,
        blockSizeToDynamicSMemSize: CUoccupancyB2DSize,
        dynamicSMemSize: usize,
        blockSizeLimit: i32,
    ) -> CUresult {
        match self.functions.cuOccupancyMaxPotentialBlockSize {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(
                    minGridSize,
                    blockSize,
                    func,
                    blockSizeToDynamicSMemSize,
                    dynamicSMemSize,
                    blockSizeLimit,
                )
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        &self,
        minGridSize: *mut i32,
        blockSize: *mut i32,
        func: CUfunction,
        blockSizeToDynamicSMemSize: CUoccupancyB2DSize,
        dynamicSMemSize: usize,
        blockSizeLimit: i32,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuOccupancyMaxPotentialBlockSizeWithFlags {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(
                    minGridSize,
                    blockSize,
                    func,
                    blockSizeToDynamicSMemSize,
                    dynamicSMemSize,
                    blockSizeLimit,
                    flags,
                )
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuOccupancyMaxPotentialClusterSize(
        &self,
        clusterSize: *mut i32,
        func: CUfunction,
        config: *const CUlaunchConfig,
    ) -> CUresult {
        match self.functions.cuOccupancyMaxPotentialClusterSize {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(clusterSize, func, config) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuParamSetSize(&self, hfunc: CUfunction, numbytes: u32) -> CUresult {
        match self.functions.cuParamSetSize {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hfunc, numbytes) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuParamSetTexRef(
        &self,
        hfunc: CUfunction,
        texunit: i32,
        hTexRef: CUtexref,
    ) -> CUresult {
        match self.functions.cuParamSetTexRef {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hfunc, texunit, hTexRef) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuParamSetf(&self, hfunc: CUfunction, offset: i32, value: f32) -> CUresult {
        match self.functions.cuParamSetf {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hfunc, offset, value) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuParamSeti(&self, hfunc: CUfunction, offset: i32, value: u32) -> CUresult {
        match self.functions.cuParamSeti {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hfunc, offset, value) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuParamSetv(
        &self,
        hfunc: CUfunction,
        offset: i32,
        ptr: *mut c_void,
        numbytes: u32,
    ) -> CUresult {
        match self.functions.cuParamSetv {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hfunc, offset, ptr, numbytes) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamAddCallback(
        &self,
        hStream: CUstream,
        callback: CUstreamCallback,
        userData: *mut c_void,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuStreamAddCallback {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, callback, userData, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamAttachMemAsync(
        &self,
        hStream: CUstream,
        dptr: CUdeviceptr,
        length: usize,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuStreamAttachMemAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, dptr, length, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamBatchMemOp_v2(
        &self,
        stream: CUstream,
        count: u32,
        paramArray: *const CUstreamBatchMemOpParams,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuStreamBatchMemOp_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(stream, count, paramArray, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamBeginCapture(&self, hStream: CUstream) -> CUresult {
        match self.functions.cuStreamBeginCapture {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamBeginCapture_v2(
        &self,
        hStream: CUstream,
        mode: CUstreamCaptureMode,
    ) -> CUresult {
        match self.functions.cuStreamBeginCapture_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, mode) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamBeginCaptureToGraph(
        &self,
        hStream: CUstream,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        mode: CUstreamCaptureMode,
    ) -> CUresult {
        match self.functions.cuStreamBeginCaptureToGraph {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(hStream, hGraph, dependencies, dependencyData, numDependencies, mode)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamCopyAttributes(&self, dst: CUstream, src: CUstream) -> CUresult {
        match self.functions.cuStreamCopyAttributes {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dst, src) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamCreate(&self, phStream: *mut CUstream, Flags: u32) -> CUresult {
        match self.functions.cuStreamCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(phStream, Flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamCreateWithPriority(
        &self,
        phStream: *mut CUstream,
        flags: u32,
        priority: i32,
    ) -> CUresult {
        match self.functions.cuStreamCreateWithPriority {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(phStream, flags, priority) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamDestroy(&self, hStream: CUstream) -> CUresult {
        match self.functions.cuStreamDestroy {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamDestroy_v2(&self, hStream: CUstream) -> CUresult {
        match self.functions.cuStreamDestroy_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamEndCapture(&self, hStream: CUstream, phGraph: *mut CUgraph) -> CUresult {
        match self.functions.cuStreamEndCapture {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, phGraph) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamGetAttribute(
        &self,
        hStream: CUstream,
        attr: CUstreamAttrID,
        value_out: *mut CUstreamAttrValue,
    ) -> CUresult {
        match self.functions.cuStreamGetAttribute {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, attr, value_out) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamGetCaptureInfo(
        &self,
        hStream: CUstream,
        captureStatus_out: *mut CUstreamCaptureStatus,
        id_out: *mut u64,
    ) -> CUresult {
        match self.functions.cuStreamGetCaptureInfo {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, captureStatus_out, id_out) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamGetCaptureInfo_v2(
        &self,
        hStream: CUstream,
        captureStatus_out: *mut CUstreamCaptureStatus,
        id_out: *mut u64,
        graph_out: *mut CUgraph,
        dependencies_out: *mut *const CUgraphNode,
        numDependencies_out: *mut usize,
    ) -> CUresult {
        match self.functions.cuStreamGetCaptureInfo_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(
                    hStream,
                    captureStatus_out,
                    id_out,
                    graph_out,
                    dependencies_out,
                    numDependencies_out,
                )
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamGetCaptureInfo_v3(
        &self,
        hStream: CUstream,
        captureStatus_out: *mut CUstreamCaptureStatus,
        id_out: *mut u64,
        graph_out: *mut CUgraph,
        dependencies_out: *mut *const CUgraphNode,
        edgeData_out: *mut *const CUgraphEdgeData,
        numDependencies_out: *mut usize,
    ) -> CUresult {
        match self.functions.cuStreamGetCaptureInfo_v3 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(
                    hStream,
                    captureStatus_out,
                    id_out,
                    graph_out,
                    dependencies_out,
                    edgeData_out,
                    numDependencies_out,
                )
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamGetCtx(&self, hStream: CUstream, pctx: *mut CUcontext) -> CUresult {
        match self.functions.cuStreamGetCtx {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, pctx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamGetCtx_v2(
        &self,
        hStream: CUstream,
        pctx: *mut CUcontext,
        pGreenCtx: *mut CUgreenCtx,
    ) -> CUresult {
        match self.functions.cuStreamGetCtx_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, pctx, pGreenCtx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamGetDevice(&self, hStream: CUstream, device: *mut CUdevice) -> CUresult {
        match self.functions.cuStreamGetDevice {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, device) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamGetFlags(&self, hStream: CUstream, flags: *mut u32) -> CUresult {
        match self.functions.cuStreamGetFlags {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamGetGreenCtx(
        &self,
        hStream: CUstream,
        phCtx: *mut CUgreenCtx,
    ) -> CUresult {
        match self.functions.cuStreamGetGreenCtx {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, phCtx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamGetId(&self, hStream: CUstream, streamId: *mut u64) -> CUresult {
        match self.functions.cuStreamGetId {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, streamId) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamGetPriority(&self, hStream: CUstream, priority: *mut i32) -> CUresult {
        match self.functions.cuStreamGetPriority {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, priority) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamIsCapturing(
        &self,
        hStream: CUstream,
        captureStatus: *mut CUstreamCaptureStatus,
    ) -> CUresult {
        match self.functions.cuStreamIsCapturing {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, captureStatus) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamQuery(&self, hStream: CUstream) -> CUresult {
        match self.functions.cuStreamQuery {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamSetAttribute(
        &self,
        hStream: CUstream,
        attr: CUstreamAttrID,
        value: *const CUstreamAttrValue,
    ) -> CUresult {
        match self.functions.cuStreamSetAttribute {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, attr, value) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamSynchronize(&self, hStream: CUstream) -> CUresult {
        match self.functions.cuStreamSynchronize {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamUpdateCaptureDependencies(
        &self,
        hStream: CUstream,
        dependencies: *mut CUgraphNode,
        numDependencies: usize,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuStreamUpdateCaptureDependencies {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, dependencies, numDependencies, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamUpdateCaptureDependencies_v2(
        &self,
        hStream: CUstream,
        dependencies: *mut CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuStreamUpdateCaptureDependencies_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(hStream, dependencies, dependencyData, numDependencies, flags)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamWaitEvent(
        &self,
        hStream: CUstream,
        hEvent: CUevent,
        Flags: u32,
    ) -> CUresult {
        match self.functions.cuStreamWaitEvent {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hStream, hEvent, Flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamWaitValue32(
        &self,
        stream: CUstream,
        addr: CUdeviceptr,
        value: u32,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuStreamWaitValue32 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(stream, addr, value, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamWaitValue32_v2(
        &self,
        stream: CUstream,
        addr: CUdeviceptr,
        value: u32,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuStreamWaitValue32_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(stream, addr, value, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamWaitValue64(
        &self,
        stream: CUstream,
        addr: CUdeviceptr,
        value: u64,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuStreamWaitValue64 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(stream, addr, value, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamWaitValue64_v2(
        &self,
        stream: CUstream,
        addr: CUdeviceptr,
        value: u64,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuStreamWaitValue64_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(stream, addr, value, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamWriteValue32(
        &self,
        stream: CUstream,
        addr: CUdeviceptr,
        value: u32,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuStreamWriteValue32 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(stream, addr, value, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamWriteValue32_v2(
        &self,
        stream: CUstream,
        addr: CUdeviceptr,
        value: u32,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuStreamWriteValue32_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(stream, addr, value, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamWriteValue64(
        &self,
        stream: CUstream,
        addr: CUdeviceptr,
        value: u64,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuStreamWriteValue64 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(stream, addr, value, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuStreamWriteValue64_v2(
        &self,
        stream: CUstream,
        addr: CUdeviceptr,
        value: u64,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuStreamWriteValue64_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(stream, addr, value, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuThreadExchangeStreamCaptureMode(
        &self,
        mode: *mut CUstreamCaptureMode,
    ) -> CUresult {
        match self.functions.cuThreadExchangeStreamCaptureMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(mode) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuEventCreate(&self, phEvent: *mut CUevent, Flags: u32) -> CUresult {
        match self.functions.cuEventCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(phEvent, Flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuEventDestroy(&self, hEvent: CUevent) -> CUresult {
        match self.functions.cuEventDestroy {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hEvent) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuEventDestroy_v2(&self, hEvent: CUevent) -> CUresult {
        match self.functions.cuEventDestroy_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hEvent) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuEventElapsedTime(
        &self,
        pMilliseconds: *mut f32,
        hStart: CUevent,
        hEnd: CUevent,
    ) -> CUresult {
        match self.functions.cuEventElapsedTime {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pMilliseconds, hStart, hEnd) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuEventElapsedTime_v2(
        &self,
        pMilliseconds: *mut f32,
        hStart: CUevent,
        hEnd: CUevent,
    ) -> CUresult {
        match self.functions.cuEventElapsedTime_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pMilliseconds, hStart, hEnd) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuEventQuery(&self, hEvent: CUevent) -> CUresult {
        match self.functions.cuEventQuery {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hEvent) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuEventRecord(&self, hEvent: CUevent, hStream: CUstream) -> CUresult {
        match self.functions.cuEventRecord {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hEvent, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuEventRecordWithFlags(
        &self,
        hEvent: CUevent,
        hStream: CUstream,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuEventRecordWithFlags {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hEvent, hStream, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuEventSynchronize(&self, hEvent: CUevent) -> CUresult {
        match self.functions.cuEventSynchronize {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hEvent) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpy(
        &self,
        dst: CUdeviceptr,
        src: CUdeviceptr,
        ByteCount: usize,
    ) -> CUresult {
        match self.functions.cuMemcpy {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dst, src, ByteCount) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpy2D(&self, pCopy: *const CUDA_MEMCPY2D_v1) -> CUresult {
        match self.functions.cuMemcpy2D {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pCopy) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpy2D_v2(&self, pCopy: *const CUDA_MEMCPY2D) -> CUresult {
        match self.functions.cuMemcpy2D_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pCopy) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpy2DAsync(
        &self,
        pCopy: *const CUDA_MEMCPY2D_v1,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpy2DAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pCopy, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpy2DAsync_v2(
        &self,
        pCopy: *const CUDA_MEMCPY2D,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpy2DAsync_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pCopy, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpy2DUnaligned(&self, pCopy: *const CUDA_MEMCPY2D_v1) -> CUresult {
        match self.functions.cuMemcpy2DUnaligned {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pCopy) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpy2DUnaligned_v2(&self, pCopy: *const CUDA_MEMCPY2D) -> CUresult {
        match self.functions.cuMemcpy2DUnaligned_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pCopy) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpy3D(&self, pCopy: *const CUDA_MEMCPY3D_v1) -> CUresult {
        match self.functions.cuMemcpy3D {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pCopy) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpy3D_v2(&self, pCopy: *const CUDA_MEMCPY3D) -> CUresult {
        match self.functions.cuMemcpy3D_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pCopy) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpy3DAsync(
        &self,
        pCopy: *const CUDA_MEMCPY3D_v1,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpy3DAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pCopy, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpy3DAsync_v2(
        &self,
        pCopy: *const CUDA_MEMCPY3D,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpy3DAsync_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pCopy, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpy3DBatchAsync(
        &self,
        numOps: usize,
        opList: *const CUDA_MEMCPY3D_BATCH_OP,
        failIdx: *mut usize,
        flags: u64,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpy3DBatchAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(numOps, opList, failIdx, flags, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpy3DBatchAsync_v2(
        &self,
        numOps: usize,
        opList: *const CUDA_MEMCPY3D_BATCH_OP,
        flags: u64,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpy3DBatchAsync_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(numOps, opList, flags, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpy3DPeer(&self, pCopy: *const CUDA_MEMCPY3D_PEER) -> CUresult {
        match self.functions.cuMemcpy3DPeer {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pCopy) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpy3DPeerAsync(
        &self,
        pCopy: *const CUDA_MEMCPY3D_PEER,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpy3DPeerAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pCopy, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyAsync(
        &self,
        dst: CUdeviceptr,
        src: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpyAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dst, src, ByteCount, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyAtoA(
        &self,
        dstArray: CUarray,
        dstOffset: u32,
        srcArray: CUarray,
        srcOffset: u32,
        ByteCount: u32,
    ) -> CUresult {
        match self.functions.cuMemcpyAtoA {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(dstArray, dstOffset, srcArray, srcOffset, ByteCount)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyAtoA_v2(
        &self,
        dstArray: CUarray,
        dstOffset: usize,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) -> CUresult {
        match self.functions.cuMemcpyAtoA_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(dstArray, dstOffset, srcArray, srcOffset, ByteCount)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyAtoD(
        &self,
        dstDevice: CUdeviceptr_v1,
        srcArray: CUarray,
        srcOffset: u32,
        ByteCount: u32,
    ) -> CUresult {
        match self.functions.cuMemcpyAtoD {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, srcArray, srcOffset, ByteCount) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyAtoD_v2(
        &self,
        dstDevice: CUdeviceptr,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) -> CUresult {
        match self.functions.cuMemcpyAtoD_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, srcArray, srcOffset, ByteCount) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyAtoH(
        &self,
        dstHost: *mut c_void,
        srcArray: CUarray,
        srcOffset: u32,
        ByteCount: u32,
    ) -> CUresult {
        match self.functions.cuMemcpyAtoH {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstHost, srcArray, srcOffset, ByteCount) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyAtoH_v2(
        &self,
        dstHost: *mut c_void,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
    ) -> CUresult {
        match self.functions.cuMemcpyAtoH_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstHost, srcArray, srcOffset, ByteCount) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyAtoHAsync(
        &self,
        dstHost: *mut c_void,
        srcArray: CUarray,
        srcOffset: u32,
        ByteCount: u32,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpyAtoHAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstHost, srcArray, srcOffset, ByteCount, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyAtoHAsync_v2(
        &self,
        dstHost: *mut c_void,
        srcArray: CUarray,
        srcOffset: usize,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpyAtoHAsync_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstHost, srcArray, srcOffset, ByteCount, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyBatchAsync(
        &self,
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
        match self.functions.cuMemcpyBatchAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx, hStream)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyBatchAsync_v2(
        &self,
        dsts: *const CUdeviceptr,
        srcs: *const CUdeviceptr,
        sizes: *const usize,
        count: usize,
        attrs: *const CUmemcpyAttributes,
        attrsIdxs: *const usize,
        numAttrs: usize,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpyBatchAsync_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, hStream)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyDtoA(
        &self,
        dstArray: CUarray,
        dstOffset: u32,
        srcDevice: CUdeviceptr_v1,
        ByteCount: u32,
    ) -> CUresult {
        match self.functions.cuMemcpyDtoA {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstArray, dstOffset, srcDevice, ByteCount) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyDtoA_v2(
        &self,
        dstArray: CUarray,
        dstOffset: usize,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) -> CUresult {
        match self.functions.cuMemcpyDtoA_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstArray, dstOffset, srcDevice, ByteCount) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyDtoD(
        &self,
        dstDevice: CUdeviceptr_v1,
        srcDevice: CUdeviceptr_v1,
        ByteCount: u32,
    ) -> CUresult {
        match self.functions.cuMemcpyDtoD {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, srcDevice, ByteCount) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyDtoD_v2(
        &self,
        dstDevice: CUdeviceptr,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) -> CUresult {
        match self.functions.cuMemcpyDtoD_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, srcDevice, ByteCount) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyDtoDAsync(
        &self,
        dstDevice: CUdeviceptr_v1,
        srcDevice: CUdeviceptr_v1,
        ByteCount: u32,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpyDtoDAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, srcDevice, ByteCount, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyDtoDAsync_v2(
        &self,
        dstDevice: CUdeviceptr,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpyDtoDAsync_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, srcDevice, ByteCount, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyDtoH(
        &self,
        dstHost: *mut c_void,
        srcDevice: CUdeviceptr_v1,
        ByteCount: u32,
    ) -> CUresult {
        match self.functions.cuMemcpyDtoH {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstHost, srcDevice, ByteCount) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyDtoH_v2(
        &self,
        dstHost: *mut c_void,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
    ) -> CUresult {
        match self.functions.cuMemcpyDtoH_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstHost, srcDevice, ByteCount) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyDtoHAsync(
        &self,
        dstHost: *mut c_void,
        srcDevice: CUdeviceptr_v1,
        ByteCount: u32,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpyDtoHAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstHost, srcDevice, ByteCount, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyDtoHAsync_v2(
        &self,
        dstHost: *mut c_void,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpyDtoHAsync_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstHost, srcDevice, ByteCount, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyHtoA(
        &self,
        dstArray: CUarray,
        dstOffset: u32,
        srcHost: *const c_void,
        ByteCount: u32,
    ) -> CUresult {
        match self.functions.cuMemcpyHtoA {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstArray, dstOffset, srcHost, ByteCount) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyHtoA_v2(
        &self,
        dstArray: CUarray,
        dstOffset: usize,
        srcHost: *const c_void,
        ByteCount: usize,
    ) -> CUresult {
        match self.functions.cuMemcpyHtoA_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstArray, dstOffset, srcHost, ByteCount) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyHtoAAsync(
        &self,
        dstArray: CUarray,
        dstOffset: u32,
        srcHost: *const c_void,
        ByteCount: u32,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpyHtoAAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstArray, dstOffset, srcHost, ByteCount, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyHtoAAsync_v2(
        &self,
        dstArray: CUarray,
        dstOffset: usize,
        srcHost: *const c_void,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpyHtoAAsync_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstArray, dstOffset, srcHost, ByteCount, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyHtoD(
        &self,
        dstDevice: CUdeviceptr_v1,
        srcHost: *const c_void,
        ByteCount: u32,
    ) -> CUresult {
        match self.functions.cuMemcpyHtoD {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, srcHost, ByteCount) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyHtoD_v2(
        &self,
        dstDevice: CUdeviceptr,
        srcHost: *const c_void,
        ByteCount: usize,
    ) -> CUresult {
        match self.functions.cuMemcpyHtoD_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, srcHost, ByteCount) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyHtoDAsync(
        &self,
        dstDevice: CUdeviceptr_v1,
        srcHost: *const c_void,
        ByteCount: u32,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpyHtoDAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, srcHost, ByteCount, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyHtoDAsync_v2(
        &self,
        dstDevice: CUdeviceptr,
        srcHost: *const c_void,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpyHtoDAsync_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, srcHost, ByteCount, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyPeer(
        &self,
        dstDevice: CUdeviceptr,
        dstContext: CUcontext,
        srcDevice: CUdeviceptr,
        srcContext: CUcontext,
        ByteCount: usize,
    ) -> CUresult {
        match self.functions.cuMemcpyPeer {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(dstDevice, dstContext, srcDevice, srcContext, ByteCount)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemcpyPeerAsync(
        &self,
        dstDevice: CUdeviceptr,
        dstContext: CUcontext,
        srcDevice: CUdeviceptr,
        srcContext: CUcontext,
        ByteCount: usize,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemcpyPeerAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD16(&self, dstDevice: CUdeviceptr_v1, us: u16, N: u32) -> CUresult {
        match self.functions.cuMemsetD16 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, us, N) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD16_v2(&self, dstDevice: CUdeviceptr, us: u16, N: usize) -> CUresult {
        match self.functions.cuMemsetD16_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, us, N) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD16Async(
        &self,
        dstDevice: CUdeviceptr,
        us: u16,
        N: usize,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemsetD16Async {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, us, N, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD2D16(
        &self,
        dstDevice: CUdeviceptr_v1,
        dstPitch: u32,
        us: u16,
        Width: u32,
        Height: u32,
    ) -> CUresult {
        match self.functions.cuMemsetD2D16 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, dstPitch, us, Width, Height) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD2D16_v2(
        &self,
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        us: u16,
        Width: usize,
        Height: usize,
    ) -> CUresult {
        match self.functions.cuMemsetD2D16_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, dstPitch, us, Width, Height) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD2D16Async(
        &self,
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        us: u16,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemsetD2D16Async {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, dstPitch, us, Width, Height, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD2D32(
        &self,
        dstDevice: CUdeviceptr_v1,
        dstPitch: u32,
        ui: u32,
        Width: u32,
        Height: u32,
    ) -> CUresult {
        match self.functions.cuMemsetD2D32 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, dstPitch, ui, Width, Height) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD2D32_v2(
        &self,
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        ui: u32,
        Width: usize,
        Height: usize,
    ) -> CUresult {
        match self.functions.cuMemsetD2D32_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, dstPitch, ui, Width, Height) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD2D32Async(
        &self,
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        ui: u32,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemsetD2D32Async {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, dstPitch, ui, Width, Height, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD2D8(
        &self,
        dstDevice: CUdeviceptr_v1,
        dstPitch: u32,
        uc: u8,
        Width: u32,
        Height: u32,
    ) -> CUresult {
        match self.functions.cuMemsetD2D8 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, dstPitch, uc, Width, Height) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD2D8_v2(
        &self,
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        uc: u8,
        Width: usize,
        Height: usize,
    ) -> CUresult {
        match self.functions.cuMemsetD2D8_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, dstPitch, uc, Width, Height) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD2D8Async(
        &self,
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        uc: u8,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemsetD2D8Async {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, dstPitch, uc, Width, Height, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD32(&self, dstDevice: CUdeviceptr_v1, ui: u32, N: u32) -> CUresult {
        match self.functions.cuMemsetD32 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, ui, N) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD32_v2(&self, dstDevice: CUdeviceptr, ui: u32, N: usize) -> CUresult {
        match self.functions.cuMemsetD32_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, ui, N) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD32Async(
        &self,
        dstDevice: CUdeviceptr,
        ui: u32,
        N: usize,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemsetD32Async {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, ui, N, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD8(&self, dstDevice: CUdeviceptr_v1, uc: u8, N: u32) -> CUresult {
        match self.functions.cuMemsetD8 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, uc, N) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD8_v2(&self, dstDevice: CUdeviceptr, uc: u8, N: usize) -> CUresult {
        match self.functions.cuMemsetD8_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, uc, N) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemsetD8Async(
        &self,
        dstDevice: CUdeviceptr,
        uc: u8,
        N: usize,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemsetD8Async {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dstDevice, uc, N, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemAllocAsync(
        &self,
        dptr: *mut CUdeviceptr,
        bytesize: usize,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemAllocAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dptr, bytesize, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemAllocFromPoolAsync(
        &self,
        dptr: *mut CUdeviceptr,
        bytesize: usize,
        pool: CUmemoryPool,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemAllocFromPoolAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dptr, bytesize, pool, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemFreeAsync(&self, dptr: CUdeviceptr, hStream: CUstream) -> CUresult {
        match self.functions.cuMemFreeAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dptr, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemGetDefaultMemPool(
        &self,
        pool_out: *mut CUmemoryPool,
        location: *mut CUmemLocation,
        type_: CUmemAllocationType,
    ) -> CUresult {
        match self.functions.cuMemGetDefaultMemPool {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pool_out, location, type_) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemGetMemPool(
        &self,
        pool_out: *mut CUmemoryPool,
        location: *mut CUmemLocation,
        type_: CUmemAllocationType,
    ) -> CUresult {
        match self.functions.cuMemGetMemPool {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pool_out, location, type_) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemPoolCreate(
        &self,
        pool: *mut CUmemoryPool,
        poolProps: *const CUmemPoolProps,
    ) -> CUresult {
        match self.functions.cuMemPoolCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pool, poolProps) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemPoolDestroy(&self, pool: CUmemoryPool) -> CUresult {
        match self.functions.cuMemPoolDestroy {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pool) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemPoolExportPointer(
        &self,
        shareData_out: *mut CUmemPoolPtrExportData,
        ptr: CUdeviceptr,
    ) -> CUresult {
        match self.functions.cuMemPoolExportPointer {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(shareData_out, ptr) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemPoolExportToShareableHandle(
        &self,
        handle_out: *mut c_void,
        pool: CUmemoryPool,
        handleType: CUmemAllocationHandleType,
        flags: u64,
    ) -> CUresult {
        match self.functions.cuMemPoolExportToShareableHandle {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(handle_out, pool, handleType, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemPoolGetAccess(
        &self,
        flags: *mut CUmemAccess_flags,
        memPool: CUmemoryPool,
        location: *mut CUmemLocation,
    ) -> CUresult {
        match self.functions.cuMemPoolGetAccess {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(flags, memPool, location) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemPoolGetAttribute(
        &self,
        pool: CUmemoryPool,
        attr: CUmemPool_attribute,
        value: *mut c_void,
    ) -> CUresult {
        match self.functions.cuMemPoolGetAttribute {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pool, attr, value) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemPoolImportFromShareableHandle(
        &self,
        pool_out: *mut CUmemoryPool,
        handle: *mut c_void,
        handleType: CUmemAllocationHandleType,
        flags: u64,
    ) -> CUresult {
        match self.functions.cuMemPoolImportFromShareableHandle {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pool_out, handle, handleType, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemPoolImportPointer(
        &self,
        ptr_out: *mut CUdeviceptr,
        pool: CUmemoryPool,
        shareData: *mut CUmemPoolPtrExportData,
    ) -> CUresult {
        match self.functions.cuMemPoolImportPointer {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ptr_out, pool, shareData) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemPoolSetAccess(
        &self,
        pool: CUmemoryPool,
        map: *const CUmemAccessDesc,
        count: usize,
    ) -> CUresult {
        match self.functions.cuMemPoolSetAccess {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pool, map, count) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemPoolSetAttribute(
        &self,
        pool: CUmemoryPool,
        attr: CUmemPool_attribute,
        value: *mut c_void,
    ) -> CUresult {
        match self.functions.cuMemPoolSetAttribute {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pool, attr, value) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemPoolTrimTo(&self, pool: CUmemoryPool, minBytesToKeep: usize) -> CUresult {
        match self.functions.cuMemPoolTrimTo {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pool, minBytesToKeep) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemSetMemPool(
        &self,
        location: *mut CUmemLocation,
        type_: CUmemAllocationType,
        pool: CUmemoryPool,
    ) -> CUresult {
        match self.functions.cuMemSetMemPool {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(location, type_, pool) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemAddressFree(&self, ptr: CUdeviceptr, size: usize) -> CUresult {
        match self.functions.cuMemAddressFree {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ptr, size) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemAddressReserve(
        &self,
        ptr: *mut CUdeviceptr,
        size: usize,
        alignment: usize,
        addr: CUdeviceptr,
        flags: u64,
    ) -> CUresult {
        match self.functions.cuMemAddressReserve {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ptr, size, alignment, addr, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemCreate(
        &self,
        handle: *mut CUmemGenericAllocationHandle,
        size: usize,
        prop: *const CUmemAllocationProp,
        flags: u64,
    ) -> CUresult {
        match self.functions.cuMemCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(handle, size, prop, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemExportToShareableHandle(
        &self,
        shareableHandle: *mut c_void,
        handle: CUmemGenericAllocationHandle,
        handleType: CUmemAllocationHandleType,
        flags: u64,
    ) -> CUresult {
        match self.functions.cuMemExportToShareableHandle {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(shareableHandle, handle, handleType, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemGetAccess(
        &self,
        flags: *mut u64,
        location: *const CUmemLocation,
        ptr: CUdeviceptr,
    ) -> CUresult {
        match self.functions.cuMemGetAccess {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(flags, location, ptr) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemGetAllocationGranularity(
        &self,
        granularity: *mut usize,
        prop: *const CUmemAllocationProp,
        option: CUmemAllocationGranularity_flags,
    ) -> CUresult {
        match self.functions.cuMemGetAllocationGranularity {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(granularity, prop, option) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemGetAllocationPropertiesFromHandle(
        &self,
        prop: *mut CUmemAllocationProp,
        handle: CUmemGenericAllocationHandle,
    ) -> CUresult {
        match self.functions.cuMemGetAllocationPropertiesFromHandle {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(prop, handle) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemImportFromShareableHandle(
        &self,
        handle: *mut CUmemGenericAllocationHandle,
        osHandle: *mut c_void,
        shHandleType: CUmemAllocationHandleType,
    ) -> CUresult {
        match self.functions.cuMemImportFromShareableHandle {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(handle, osHandle, shHandleType) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemMap(
        &self,
        ptr: CUdeviceptr,
        size: usize,
        offset: usize,
        handle: CUmemGenericAllocationHandle,
        flags: u64,
    ) -> CUresult {
        match self.functions.cuMemMap {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ptr, size, offset, handle, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemRelease(&self, handle: CUmemGenericAllocationHandle) -> CUresult {
        match self.functions.cuMemRelease {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(handle) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemRetainAllocationHandle(
        &self,
        handle: *mut CUmemGenericAllocationHandle,
        addr: *mut c_void,
    ) -> CUresult {
        match self.functions.cuMemRetainAllocationHandle {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(handle, addr) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemSetAccess(
        &self,
        ptr: CUdeviceptr,
        size: usize,
        desc: *const CUmemAccessDesc,
        count: usize,
    ) -> CUresult {
        match self.functions.cuMemSetAccess {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ptr, size, desc, count) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemUnmap(&self, ptr: CUdeviceptr, size: usize) -> CUresult {
        match self.functions.cuMemUnmap {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ptr, size) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMulticastAddDevice(
        &self,
        mcHandle: CUmemGenericAllocationHandle,
        dev: CUdevice,
    ) -> CUresult {
        match self.functions.cuMulticastAddDevice {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(mcHandle, dev) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMulticastBindAddr(
        &self,
        mcHandle: CUmemGenericAllocationHandle,
        mcOffset: usize,
        memptr: CUdeviceptr,
        size: usize,
        flags: u64,
    ) -> CUresult {
        match self.functions.cuMulticastBindAddr {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(mcHandle, mcOffset, memptr, size, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMulticastBindMem(
        &self,
        mcHandle: CUmemGenericAllocationHandle,
        mcOffset: usize,
        memHandle: CUmemGenericAllocationHandle,
        memOffset: usize,
        size: usize,
        flags: u64,
    ) -> CUresult {
        match self.functions.cuMulticastBindMem {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(mcHandle, mcOffset, memHandle, memOffset, size, flags)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMulticastUnbind(
        &self,
        mcHandle: CUmemGenericAllocationHandle,
        dev: CUdevice,
        mcOffset: usize,
        size: usize,
    ) -> CUresult {
        match self.functions.cuMulticastUnbind {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(mcHandle, dev, mcOffset, size) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuIpcCloseMemHandle(&self, dptr: CUdeviceptr) -> CUresult {
        match self.functions.cuIpcCloseMemHandle {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dptr) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuIpcGetEventHandle(
        &self,
        pHandle: *mut CUipcEventHandle,
        event: CUevent,
    ) -> CUresult {
        match self.functions.cuIpcGetEventHandle {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pHandle, event) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuIpcGetMemHandle(
        &self,
        pHandle: *mut CUipcMemHandle,
        dptr: CUdeviceptr,
    ) -> CUresult {
        match self.functions.cuIpcGetMemHandle {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pHandle, dptr) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuIpcOpenEventHandle(
        &self,
        phEvent: *mut CUevent,
        handle: CUipcEventHandle,
    ) -> CUresult {
        match self.functions.cuIpcOpenEventHandle {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(phEvent, handle) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuIpcOpenMemHandle(
        &self,
        pdptr: *mut CUdeviceptr,
        handle: CUipcMemHandle,
        Flags: u32,
    ) -> CUresult {
        match self.functions.cuIpcOpenMemHandle {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pdptr, handle, Flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuIpcOpenMemHandle_v2(
        &self,
        pdptr: *mut CUdeviceptr,
        handle: CUipcMemHandle,
        Flags: u32,
    ) -> CUresult {
        match self.functions.cuIpcOpenMemHandle_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pdptr, handle, Flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemAdvise(
        &self,
        devPtr: CUdeviceptr,
        count: usize,
        advice: CUmem_advise,
        device: CUdevice,
    ) -> CUresult {
        match self.functions.cuMemAdvise {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(devPtr, count, advice, device) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemAdvise_v2(
        &self,
        devPtr: CUdeviceptr,
        count: usize,
        advice: CUmem_advise,
        location: CUmemLocation,
    ) -> CUresult {
        match self.functions.cuMemAdvise_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(devPtr, count, advice, location) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemAlloc(&self, dptr: *mut CUdeviceptr_v1, bytesize: u32) -> CUresult {
        match self.functions.cuMemAlloc {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dptr, bytesize) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemAlloc_v2(&self, dptr: *mut CUdeviceptr, bytesize: usize) -> CUresult {
        match self.functions.cuMemAlloc_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dptr, bytesize) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemAllocHost(&self, pp: *mut *mut c_void, bytesize: u32) -> CUresult {
        match self.functions.cuMemAllocHost {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pp, bytesize) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemAllocHost_v2(&self, pp: *mut *mut c_void, bytesize: usize) -> CUresult {
        match self.functions.cuMemAllocHost_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pp, bytesize) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemAllocManaged(
        &self,
        dptr: *mut CUdeviceptr,
        bytesize: usize,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuMemAllocManaged {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dptr, bytesize, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemAllocPitch(
        &self,
        dptr: *mut CUdeviceptr_v1,
        pPitch: *mut u32,
        WidthInBytes: u32,
        Height: u32,
        ElementSizeBytes: u32,
    ) -> CUresult {
        match self.functions.cuMemAllocPitch {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(dptr, pPitch, WidthInBytes, Height, ElementSizeBytes)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemAllocPitch_v2(
        &self,
        dptr: *mut CUdeviceptr,
        pPitch: *mut usize,
        WidthInBytes: usize,
        Height: usize,
        ElementSizeBytes: u32,
    ) -> CUresult {
        match self.functions.cuMemAllocPitch_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(dptr, pPitch, WidthInBytes, Height, ElementSizeBytes)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemDiscardAndPrefetchBatchAsync(
        &self,
        dptrs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        prefetchLocs: *mut CUmemLocation,
        prefetchLocIdxs: *mut usize,
        numPrefetchLocs: usize,
        flags: u64,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemDiscardAndPrefetchBatchAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(
                    dptrs,
                    sizes,
                    count,
                    prefetchLocs,
                    prefetchLocIdxs,
                    numPrefetchLocs,
                    flags,
                    hStream,
                )
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemDiscardBatchAsync(
        &self,
        dptrs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        flags: u64,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemDiscardBatchAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dptrs, sizes, count, flags, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemFree(&self, dptr: CUdeviceptr_v1) -> CUresult {
        match self.functions.cuMemFree {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dptr) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemFree_v2(&self, dptr: CUdeviceptr) -> CUresult {
        match self.functions.cuMemFree_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dptr) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemFreeHost(&self, p: *mut c_void) -> CUresult {
        match self.functions.cuMemFreeHost {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(p) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemGetAddressRange(
        &self,
        pbase: *mut CUdeviceptr_v1,
        psize: *mut u32,
        dptr: CUdeviceptr_v1,
    ) -> CUresult {
        match self.functions.cuMemGetAddressRange {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pbase, psize, dptr) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemGetAddressRange_v2(
        &self,
        pbase: *mut CUdeviceptr,
        psize: *mut usize,
        dptr: CUdeviceptr,
    ) -> CUresult {
        match self.functions.cuMemGetAddressRange_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pbase, psize, dptr) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemGetInfo(&self, free: *mut u32, total: *mut u32) -> CUresult {
        match self.functions.cuMemGetInfo {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(free, total) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemGetInfo_v2(&self, free: *mut usize, total: *mut usize) -> CUresult {
        match self.functions.cuMemGetInfo_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(free, total) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemHostAlloc(
        &self,
        pp: *mut *mut c_void,
        bytesize: usize,
        Flags: u32,
    ) -> CUresult {
        match self.functions.cuMemHostAlloc {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pp, bytesize, Flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemHostGetDevicePointer(
        &self,
        pdptr: *mut CUdeviceptr_v1,
        p: *mut c_void,
        Flags: u32,
    ) -> CUresult {
        match self.functions.cuMemHostGetDevicePointer {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pdptr, p, Flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemHostGetDevicePointer_v2(
        &self,
        pdptr: *mut CUdeviceptr,
        p: *mut c_void,
        Flags: u32,
    ) -> CUresult {
        match self.functions.cuMemHostGetDevicePointer_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pdptr, p, Flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemHostGetFlags(&self, pFlags: *mut u32, p: *mut c_void) -> CUresult {
        match self.functions.cuMemHostGetFlags {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pFlags, p) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemHostRegister(
        &self,
        p: *mut c_void,
        bytesize: usize,
        Flags: u32,
    ) -> CUresult {
        match self.functions.cuMemHostRegister {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(p, bytesize, Flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemHostRegister_v2(
        &self,
        p: *mut c_void,
        bytesize: usize,
        Flags: u32,
    ) -> CUresult {
        match self.functions.cuMemHostRegister_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(p, bytesize, Flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemHostUnregister(&self, p: *mut c_void) -> CUresult {
        match self.functions.cuMemHostUnregister {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(p) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemPrefetchAsync(
        &self,
        devPtr: CUdeviceptr,
        count: usize,
        dstDevice: CUdevice,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemPrefetchAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(devPtr, count, dstDevice, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemPrefetchAsync_v2(
        &self,
        devPtr: CUdeviceptr,
        count: usize,
        location: CUmemLocation,
        flags: u32,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemPrefetchAsync_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(devPtr, count, location, flags, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemPrefetchBatchAsync(
        &self,
        dptrs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        prefetchLocs: *mut CUmemLocation,
        prefetchLocIdxs: *mut usize,
        numPrefetchLocs: usize,
        flags: u64,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuMemPrefetchBatchAsync {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(
                    dptrs,
                    sizes,
                    count,
                    prefetchLocs,
                    prefetchLocIdxs,
                    numPrefetchLocs,
                    flags,
                    hStream,
                )
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemRangeGetAttribute(
        &self,
        data: *mut c_void,
        dataSize: usize,
        attribute: CUmem_range_attribute,
        devPtr: CUdeviceptr,
        count: usize,
    ) -> CUresult {
        match self.functions.cuMemRangeGetAttribute {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(data, dataSize, attribute, devPtr, count) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMemRangeGetAttributes(
        &self,
        data: *mut *mut c_void,
        dataSizes: *mut usize,
        attributes: *mut CUmem_range_attribute,
        numAttributes: usize,
        devPtr: CUdeviceptr,
        count: usize,
    ) -> CUresult {
        match self.functions.cuMemRangeGetAttributes {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(data, dataSizes, attributes, numAttributes, devPtr, count)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuPointerGetAttribute(
        &self,
        data: *mut c_void,
        attribute: CUpointer_attribute,
        ptr: CUdeviceptr,
    ) -> CUresult {
        match self.functions.cuPointerGetAttribute {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(data, attribute, ptr) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuPointerGetAttributes(
        &self,
        numAttributes: u32,
        attributes: *mut CUpointer_attribute,
        data: *mut *mut c_void,
        ptr: CUdeviceptr,
    ) -> CUresult {
        match self.functions.cuPointerGetAttributes {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(numAttributes, attributes, data, ptr) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuPointerSetAttribute(
        &self,
        value: *const c_void,
        attribute: CUpointer_attribute,
        ptr: CUdeviceptr,
    ) -> CUresult {
        match self.functions.cuPointerSetAttribute {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(value, attribute, ptr) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphAddBatchMemOpNode(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
    ) -> CUresult {
        match self.functions.cuGraphAddBatchMemOpNode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(phGraphNode, hGraph, dependencies, numDependencies, nodeParams)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphAddChildGraphNode(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        childGraph: CUgraph,
    ) -> CUresult {
        match self.functions.cuGraphAddChildGraphNode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(phGraphNode, hGraph, dependencies, numDependencies, childGraph)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphAddDependencies(
        &self,
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        numDependencies: usize,
    ) -> CUresult {
        match self.functions.cuGraphAddDependencies {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraph, from, to, numDependencies) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphAddDependencies_v2(
        &self,
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        edgeData: *const CUgraphEdgeData,
        numDependencies: usize,
    ) -> CUresult {
        match self.functions.cuGraphAddDependencies_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraph, from, to, edgeData, numDependencies) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphAddEmptyNode(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
    ) -> CUresult {
        match self.functions.cuGraphAddEmptyNode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(phGraphNode, hGraph, dependencies, numDependencies)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphAddEventRecordNode(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        event: CUevent,
    ) -> CUresult {
        match self.functions.cuGraphAddEventRecordNode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(phGraphNode, hGraph, dependencies, numDependencies, event)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphAddEventWaitNode(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        event: CUevent,
    ) -> CUresult {
        match self.functions.cuGraphAddEventWaitNode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(phGraphNode, hGraph, dependencies, numDependencies, event)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphAddHostNode(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_HOST_NODE_PARAMS,
    ) -> CUresult {
        match self.functions.cuGraphAddHostNode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(phGraphNode, hGraph, dependencies, numDependencies, nodeParams)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphAddKernelNode(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1,
    ) -> CUresult {
        match self.functions.cuGraphAddKernelNode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(phGraphNode, hGraph, dependencies, numDependencies, nodeParams)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphAddKernelNode_v2(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
    ) -> CUresult {
        match self.functions.cuGraphAddKernelNode_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(phGraphNode, hGraph, dependencies, numDependencies, nodeParams)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphAddMemAllocNode(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
    ) -> CUresult {
        match self.functions.cuGraphAddMemAllocNode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(phGraphNode, hGraph, dependencies, numDependencies, nodeParams)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphAddMemFreeNode(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        dptr: CUdeviceptr,
    ) -> CUresult {
        match self.functions.cuGraphAddMemFreeNode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(phGraphNode, hGraph, dependencies, numDependencies, dptr)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphAddMemcpyNode(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        copyParams: *const CUDA_MEMCPY3D,
        ctx: CUcontext,
    ) -> CUresult {
        match self.functions.cuGraphAddMemcpyNode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(phGraphNode, hGraph, dependencies, numDependencies, copyParams, ctx)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphAddMemsetNode(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        memsetParams: *const CUDA_MEMSET_NODE_PARAMS,
        ctx: CUcontext,
    ) -> CUresult {
        match self.functions.cuGraphAddMemsetNode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(phGraphNode, hGraph, dependencies, numDependencies, memsetParams, ctx)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphAddNode(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult {
        match self.functions.cuGraphAddNode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(phGraphNode, hGraph, dependencies, numDependencies, nodeParams)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphAddNode_v2(
        &self,
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        dependencyData: *const CUgraphEdgeData,
        numDependencies: usize,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult {
        match self.functions.cuGraphAddNode_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(
                    phGraphNode,
                    hGraph,
                    dependencies,
                    dependencyData,
                    numDependencies,
                    nodeParams,
                )
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphBatchMemOpNodeGetParams(
        &self,
        hNode: CUgraphNode,
        nodeParams_out: *mut CUDA_BATCH_MEM_OP_NODE_PARAMS,
    ) -> CUresult {
        match self.functions.cuGraphBatchMemOpNodeGetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, nodeParams_out) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphBatchMemOpNodeSetParams(
        &self,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
    ) -> CUresult {
        match self.functions.cuGraphBatchMemOpNodeSetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, nodeParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphChildGraphNodeGetGraph(
        &self,
        hNode: CUgraphNode,
        phGraph: *mut CUgraph,
    ) -> CUresult {
        match self.functions.cuGraphChildGraphNodeGetGraph {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, phGraph) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphClone(
        &self,
        phGraphClone: *mut CUgraph,
        originalGraph: CUgraph,
    ) -> CUresult {
        match self.functions.cuGraphClone {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(phGraphClone, originalGraph) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphConditionalHandleCreate(
        &self,
        pHandle_out: *mut u64,
        hGraph: CUgraph,
        ctx: CUcontext,
        defaultLaunchValue: u32,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuGraphConditionalHandleCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(pHandle_out, hGraph, ctx, defaultLaunchValue, flags)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphCreate(&self, phGraph: *mut CUgraph, flags: u32) -> CUresult {
        match self.functions.cuGraphCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(phGraph, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphDebugDotPrint(
        &self,
        hGraph: CUgraph,
        path: *const c_char,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuGraphDebugDotPrint {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraph, path, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphDestroy(&self, hGraph: CUgraph) -> CUresult {
        match self.functions.cuGraphDestroy {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraph) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphDestroyNode(&self, hNode: CUgraphNode) -> CUresult {
        match self.functions.cuGraphDestroyNode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphEventRecordNodeGetEvent(
        &self,
        hNode: CUgraphNode,
        event_out: *mut CUevent,
    ) -> CUresult {
        match self.functions.cuGraphEventRecordNodeGetEvent {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, event_out) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphEventRecordNodeSetEvent(
        &self,
        hNode: CUgraphNode,
        event: CUevent,
    ) -> CUresult {
        match self.functions.cuGraphEventRecordNodeSetEvent {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, event) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphEventWaitNodeGetEvent(
        &self,
        hNode: CUgraphNode,
        event_out: *mut CUevent,
    ) -> CUresult {
        match self.functions.cuGraphEventWaitNodeGetEvent {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, event_out) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphEventWaitNodeSetEvent(
        &self,
        hNode: CUgraphNode,
        event: CUevent,
    ) -> CUresult {
        match self.functions.cuGraphEventWaitNodeSetEvent {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, event) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphExecBatchMemOpNodeSetParams(
        &self,
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
    ) -> CUresult {
        match self.functions.cuGraphExecBatchMemOpNodeSetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraphExec, hNode, nodeParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphExecChildGraphNodeSetParams(
        &self,
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        childGraph: CUgraph,
    ) -> CUresult {
        match self.functions.cuGraphExecChildGraphNodeSetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraphExec, hNode, childGraph) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphExecDestroy(&self, hGraphExec: CUgraphExec) -> CUresult {
        match self.functions.cuGraphExecDestroy {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraphExec) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphExecEventRecordNodeSetEvent(
        &self,
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        event: CUevent,
    ) -> CUresult {
        match self.functions.cuGraphExecEventRecordNodeSetEvent {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraphExec, hNode, event) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphExecEventWaitNodeSetEvent(
        &self,
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        event: CUevent,
    ) -> CUresult {
        match self.functions.cuGraphExecEventWaitNodeSetEvent {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraphExec, hNode, event) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphExecGetFlags(&self, hGraphExec: CUgraphExec, flags: *mut u64) -> CUresult {
        match self.functions.cuGraphExecGetFlags {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraphExec, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphExecHostNodeSetParams(
        &self,
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_HOST_NODE_PARAMS,
    ) -> CUresult {
        match self.functions.cuGraphExecHostNodeSetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraphExec, hNode, nodeParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphExecKernelNodeSetParams(
        &self,
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1,
    ) -> CUresult {
        match self.functions.cuGraphExecKernelNodeSetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraphExec, hNode, nodeParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphExecKernelNodeSetParams_v2(
        &self,
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
    ) -> CUresult {
        match self.functions.cuGraphExecKernelNodeSetParams_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraphExec, hNode, nodeParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphExecMemcpyNodeSetParams(
        &self,
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        copyParams: *const CUDA_MEMCPY3D,
        ctx: CUcontext,
    ) -> CUresult {
        match self.functions.cuGraphExecMemcpyNodeSetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraphExec, hNode, copyParams, ctx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphExecMemsetNodeSetParams(
        &self,
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        memsetParams: *const CUDA_MEMSET_NODE_PARAMS,
        ctx: CUcontext,
    ) -> CUresult {
        match self.functions.cuGraphExecMemsetNodeSetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraphExec, hNode, memsetParams, ctx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphExecNodeSetParams(
        &self,
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult {
        match self.functions.cuGraphExecNodeSetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraphExec, hNode, nodeParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphExecUpdate(
        &self,
        hGraphExec: CUgraphExec,
        hGraph: CUgraph,
        hErrorNode_out: *mut CUgraphNode,
        updateResult_out: *mut CUgraphExecUpdateResult,
    ) -> CUresult {
        match self.functions.cuGraphExecUpdate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(hGraphExec, hGraph, hErrorNode_out, updateResult_out)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphExecUpdate_v2(
        &self,
        hGraphExec: CUgraphExec,
        hGraph: CUgraph,
        resultInfo: *mut CUgraphExecUpdateResultInfo,
    ) -> CUresult {
        match self.functions.cuGraphExecUpdate_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraphExec, hGraph, resultInfo) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphGetEdges(
        &self,
        hGraph: CUgraph,
        from: *mut CUgraphNode,
        to: *mut CUgraphNode,
        numEdges: *mut usize,
    ) -> CUresult {
        match self.functions.cuGraphGetEdges {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraph, from, to, numEdges) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphGetEdges_v2(
        &self,
        hGraph: CUgraph,
        from: *mut CUgraphNode,
        to: *mut CUgraphNode,
        edgeData: *mut CUgraphEdgeData,
        numEdges: *mut usize,
    ) -> CUresult {
        match self.functions.cuGraphGetEdges_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraph, from, to, edgeData, numEdges) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphGetNodes(
        &self,
        hGraph: CUgraph,
        nodes: *mut CUgraphNode,
        numNodes: *mut usize,
    ) -> CUresult {
        match self.functions.cuGraphGetNodes {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraph, nodes, numNodes) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphGetRootNodes(
        &self,
        hGraph: CUgraph,
        rootNodes: *mut CUgraphNode,
        numRootNodes: *mut usize,
    ) -> CUresult {
        match self.functions.cuGraphGetRootNodes {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraph, rootNodes, numRootNodes) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphHostNodeGetParams(
        &self,
        hNode: CUgraphNode,
        nodeParams: *mut CUDA_HOST_NODE_PARAMS,
    ) -> CUresult {
        match self.functions.cuGraphHostNodeGetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, nodeParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphHostNodeSetParams(
        &self,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_HOST_NODE_PARAMS,
    ) -> CUresult {
        match self.functions.cuGraphHostNodeSetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, nodeParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphInstantiate(
        &self,
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        phErrorNode: *mut CUgraphNode,
        logBuffer: *mut c_char,
        bufferSize: usize,
    ) -> CUresult {
        match self.functions.cuGraphInstantiate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphInstantiate_v2(
        &self,
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        phErrorNode: *mut CUgraphNode,
        logBuffer: *mut c_char,
        bufferSize: usize,
    ) -> CUresult {
        match self.functions.cuGraphInstantiate_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphInstantiateWithFlags(
        &self,
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        flags: u64,
    ) -> CUresult {
        match self.functions.cuGraphInstantiateWithFlags {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(phGraphExec, hGraph, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphInstantiateWithParams(
        &self,
        phGraphExec: *mut CUgraphExec,
        hGraph: CUgraph,
        instantiateParams: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
    ) -> CUresult {
        match self.functions.cuGraphInstantiateWithParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(phGraphExec, hGraph, instantiateParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphKernelNodeCopyAttributes(
        &self,
        dst: CUgraphNode,
        src: CUgraphNode,
    ) -> CUresult {
        match self.functions.cuGraphKernelNodeCopyAttributes {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(dst, src) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphKernelNodeGetAttribute(
        &self,
        hNode: CUgraphNode,
        attr: CUstreamAttrID,
        value_out: *mut CUstreamAttrValue,
    ) -> CUresult {
        match self.functions.cuGraphKernelNodeGetAttribute {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, attr, value_out) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphKernelNodeGetParams(
        &self,
        hNode: CUgraphNode,
        nodeParams: *mut CUDA_KERNEL_NODE_PARAMS_v1,
    ) -> CUresult {
        match self.functions.cuGraphKernelNodeGetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, nodeParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphKernelNodeGetParams_v2(
        &self,
        hNode: CUgraphNode,
        nodeParams: *mut CUDA_KERNEL_NODE_PARAMS,
    ) -> CUresult {
        match self.functions.cuGraphKernelNodeGetParams_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, nodeParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphKernelNodeSetAttribute(
        &self,
        hNode: CUgraphNode,
        attr: CUstreamAttrID,
        value: *const CUstreamAttrValue,
    ) -> CUresult {
        match self.functions.cuGraphKernelNodeSetAttribute {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, attr, value) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphKernelNodeSetParams(
        &self,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1,
    ) -> CUresult {
        match self.functions.cuGraphKernelNodeSetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, nodeParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphKernelNodeSetParams_v2(
        &self,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
    ) -> CUresult {
        match self.functions.cuGraphKernelNodeSetParams_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, nodeParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphLaunch(&self, hGraph: CUgraphExec, hStream: CUstream) -> CUresult {
        match self.functions.cuGraphLaunch {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraph, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphMemAllocNodeGetParams(
        &self,
        hNode: CUgraphNode,
        params_out: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
    ) -> CUresult {
        match self.functions.cuGraphMemAllocNodeGetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, params_out) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphMemFreeNodeGetParams(
        &self,
        hNode: CUgraphNode,
        dptr_out: *mut CUdeviceptr,
    ) -> CUresult {
        match self.functions.cuGraphMemFreeNodeGetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, dptr_out) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphMemcpyNodeGetParams(
        &self,
        hNode: CUgraphNode,
        nodeParams: *mut CUDA_MEMCPY3D,
    ) -> CUresult {
        match self.functions.cuGraphMemcpyNodeGetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, nodeParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphMemcpyNodeSetParams(
        &self,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_MEMCPY3D,
    ) -> CUresult {
        match self.functions.cuGraphMemcpyNodeSetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, nodeParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphMemsetNodeGetParams(
        &self,
        hNode: CUgraphNode,
        nodeParams: *mut CUDA_MEMSET_NODE_PARAMS,
    ) -> CUresult {
        match self.functions.cuGraphMemsetNodeGetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, nodeParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphMemsetNodeSetParams(
        &self,
        hNode: CUgraphNode,
        nodeParams: *const CUDA_MEMSET_NODE_PARAMS,
    ) -> CUresult {
        match self.functions.cuGraphMemsetNodeSetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, nodeParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphNodeFindInClone(
        &self,
        phNode: *mut CUgraphNode,
        hOriginalNode: CUgraphNode,
        hClonedGraph: CUgraph,
    ) -> CUresult {
        match self.functions.cuGraphNodeFindInClone {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(phNode, hOriginalNode, hClonedGraph) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphNodeGetDependencies(
        &self,
        hNode: CUgraphNode,
        dependencies: *mut CUgraphNode,
        numDependencies: *mut usize,
    ) -> CUresult {
        match self.functions.cuGraphNodeGetDependencies {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, dependencies, numDependencies) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphNodeGetDependencies_v2(
        &self,
        hNode: CUgraphNode,
        dependencies: *mut CUgraphNode,
        edgeData: *mut CUgraphEdgeData,
        numDependencies: *mut usize,
    ) -> CUresult {
        match self.functions.cuGraphNodeGetDependencies_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, dependencies, edgeData, numDependencies) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphNodeGetDependentNodes(
        &self,
        hNode: CUgraphNode,
        dependentNodes: *mut CUgraphNode,
        numDependentNodes: *mut usize,
    ) -> CUresult {
        match self.functions.cuGraphNodeGetDependentNodes {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, dependentNodes, numDependentNodes) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphNodeGetDependentNodes_v2(
        &self,
        hNode: CUgraphNode,
        dependentNodes: *mut CUgraphNode,
        edgeData: *mut CUgraphEdgeData,
        numDependentNodes: *mut usize,
    ) -> CUresult {
        match self.functions.cuGraphNodeGetDependentNodes_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(hNode, dependentNodes, edgeData, numDependentNodes)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphNodeGetEnabled(
        &self,
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        isEnabled: *mut u32,
    ) -> CUresult {
        match self.functions.cuGraphNodeGetEnabled {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraphExec, hNode, isEnabled) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphNodeGetType(
        &self,
        hNode: CUgraphNode,
        type_: *mut CUgraphNodeType,
    ) -> CUresult {
        match self.functions.cuGraphNodeGetType {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, type_) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphNodeSetEnabled(
        &self,
        hGraphExec: CUgraphExec,
        hNode: CUgraphNode,
        isEnabled: u32,
    ) -> CUresult {
        match self.functions.cuGraphNodeSetEnabled {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraphExec, hNode, isEnabled) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphNodeSetParams(
        &self,
        hNode: CUgraphNode,
        nodeParams: *mut CUgraphNodeParams,
    ) -> CUresult {
        match self.functions.cuGraphNodeSetParams {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hNode, nodeParams) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphReleaseUserObject(
        &self,
        graph: CUgraph,
        object: CUuserObject,
        count: u32,
    ) -> CUresult {
        match self.functions.cuGraphReleaseUserObject {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(graph, object, count) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphRemoveDependencies(
        &self,
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        numDependencies: usize,
    ) -> CUresult {
        match self.functions.cuGraphRemoveDependencies {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraph, from, to, numDependencies) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphRemoveDependencies_v2(
        &self,
        hGraph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        edgeData: *const CUgraphEdgeData,
        numDependencies: usize,
    ) -> CUresult {
        match self.functions.cuGraphRemoveDependencies_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraph, from, to, edgeData, numDependencies) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphRetainUserObject(
        &self,
        graph: CUgraph,
        object: CUuserObject,
        count: u32,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuGraphRetainUserObject {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(graph, object, count, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphUpload(&self, hGraph: CUgraphExec, hStream: CUstream) -> CUresult {
        match self.functions.cuGraphUpload {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hGraph, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuUserObjectCreate(
        &self,
        object_out: *mut CUuserObject,
        ptr: *mut c_void,
        destroy: CUhostFn,
        initialRefcount: u32,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuUserObjectCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(object_out, ptr, destroy, initialRefcount, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuUserObjectRelease(&self, object: CUuserObject, count: u32) -> CUresult {
        match self.functions.cuUserObjectRelease {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(object, count) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuUserObjectRetain(&self, object: CUuserObject, count: u32) -> CUresult {
        match self.functions.cuUserObjectRetain {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(object, count) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuArray3DCreate(
        &self,
        pHandle: *mut CUarray,
        pAllocateArray: *const CUDA_ARRAY3D_DESCRIPTOR_v1,
    ) -> CUresult {
        match self.functions.cuArray3DCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pHandle, pAllocateArray) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuArray3DCreate_v2(
        &self,
        pHandle: *mut CUarray,
        pAllocateArray: *const CUDA_ARRAY3D_DESCRIPTOR,
    ) -> CUresult {
        match self.functions.cuArray3DCreate_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pHandle, pAllocateArray) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuArray3DGetDescriptor(
        &self,
        pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR_v1,
        hArray: CUarray,
    ) -> CUresult {
        match self.functions.cuArray3DGetDescriptor {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pArrayDescriptor, hArray) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuArray3DGetDescriptor_v2(
        &self,
        pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR,
        hArray: CUarray,
    ) -> CUresult {
        match self.functions.cuArray3DGetDescriptor_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pArrayDescriptor, hArray) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuArrayCreate(
        &self,
        pHandle: *mut CUarray,
        pAllocateArray: *const CUDA_ARRAY_DESCRIPTOR_v1,
    ) -> CUresult {
        match self.functions.cuArrayCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pHandle, pAllocateArray) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuArrayCreate_v2(
        &self,
        pHandle: *mut CUarray,
        pAllocateArray: *const CUDA_ARRAY_DESCRIPTOR,
    ) -> CUresult {
        match self.functions.cuArrayCreate_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pHandle, pAllocateArray) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuArrayDestroy(&self, hArray: CUarray) -> CUresult {
        match self.functions.cuArrayDestroy {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hArray) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuArrayGetDescriptor(
        &self,
        pArrayDescriptor: *mut CUDA_ARRAY_DESCRIPTOR_v1,
        hArray: CUarray,
    ) -> CUresult {
        match self.functions.cuArrayGetDescriptor {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pArrayDescriptor, hArray) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuArrayGetDescriptor_v2(
        &self,
        pArrayDescriptor: *mut CUDA_ARRAY_DESCRIPTOR,
        hArray: CUarray,
    ) -> CUresult {
        match self.functions.cuArrayGetDescriptor_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pArrayDescriptor, hArray) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuArrayGetMemoryRequirements(
        &self,
        memoryRequirements: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS,
        array: CUarray,
        device: CUdevice,
    ) -> CUresult {
        match self.functions.cuArrayGetMemoryRequirements {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(memoryRequirements, array, device) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuArrayGetPlane(
        &self,
        pPlaneArray: *mut CUarray,
        hArray: CUarray,
        planeIdx: u32,
    ) -> CUresult {
        match self.functions.cuArrayGetPlane {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pPlaneArray, hArray, planeIdx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMipmappedArrayCreate(
        &self,
        pHandle: *mut CUmipmappedArray,
        pMipmappedArrayDesc: *const CUDA_ARRAY3D_DESCRIPTOR,
        numMipmapLevels: u32,
    ) -> CUresult {
        match self.functions.cuMipmappedArrayCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pHandle, pMipmappedArrayDesc, numMipmapLevels) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMipmappedArrayDestroy(&self, hMipmappedArray: CUmipmappedArray) -> CUresult {
        match self.functions.cuMipmappedArrayDestroy {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hMipmappedArray) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMipmappedArrayGetLevel(
        &self,
        pLevelArray: *mut CUarray,
        hMipmappedArray: CUmipmappedArray,
        level: u32,
    ) -> CUresult {
        match self.functions.cuMipmappedArrayGetLevel {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pLevelArray, hMipmappedArray, level) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuMipmappedArrayGetMemoryRequirements(
        &self,
        memoryRequirements: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS,
        mipmap: CUmipmappedArray,
        device: CUdevice,
    ) -> CUresult {
        match self.functions.cuMipmappedArrayGetMemoryRequirements {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(memoryRequirements, mipmap, device) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuSurfObjectCreate(
        &self,
        pSurfObject: *mut CUsurfObject,
        pResDesc: *const CUDA_RESOURCE_DESC,
    ) -> CUresult {
        match self.functions.cuSurfObjectCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pSurfObject, pResDesc) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuSurfObjectDestroy(&self, surfObject: CUsurfObject) -> CUresult {
        match self.functions.cuSurfObjectDestroy {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(surfObject) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuSurfObjectGetResourceDesc(
        &self,
        pResDesc: *mut CUDA_RESOURCE_DESC,
        surfObject: CUsurfObject,
    ) -> CUresult {
        match self.functions.cuSurfObjectGetResourceDesc {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pResDesc, surfObject) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuSurfRefGetArray(&self, phArray: *mut CUarray, hSurfRef: CUsurfref) -> CUresult {
        match self.functions.cuSurfRefGetArray {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(phArray, hSurfRef) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuSurfRefSetArray(
        &self,
        hSurfRef: CUsurfref,
        hArray: CUarray,
        Flags: u32,
    ) -> CUresult {
        match self.functions.cuSurfRefSetArray {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hSurfRef, hArray, Flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTensorMapEncodeIm2col(
        &self,
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
        match self.functions.cuTensorMapEncodeIm2col {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(
                    tensorMap,
                    tensorDataType,
                    tensorRank,
                    globalAddress,
                    globalDim,
                    globalStrides,
                    pixelBoxLowerCorner,
                    pixelBoxUpperCorner,
                    channelsPerPixel,
                    pixelsPerColumn,
                    elementStrides,
                    interleave,
                    swizzle,
                    l2Promotion,
                    oobFill,
                )
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTensorMapEncodeIm2colWide(
        &self,
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
        match self.functions.cuTensorMapEncodeIm2colWide {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(
                    tensorMap,
                    tensorDataType,
                    tensorRank,
                    globalAddress,
                    globalDim,
                    globalStrides,
                    pixelBoxLowerCornerWidth,
                    pixelBoxUpperCornerWidth,
                    channelsPerPixel,
                    pixelsPerColumn,
                    elementStrides,
                    interleave,
                    mode,
                    swizzle,
                    l2Promotion,
                    oobFill,
                )
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTensorMapEncodeTiled(
        &self,
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
        match self.functions.cuTensorMapEncodeTiled {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(
                    tensorMap,
                    tensorDataType,
                    tensorRank,
                    globalAddress,
                    globalDim,
                    globalStrides,
                    boxDim,
                    elementStrides,
                    interleave,
                    swizzle,
                    l2Promotion,
                    oobFill,
                )
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTensorMapReplaceAddress(
        &self,
        tensorMap: *mut CUtensorMap,
        globalAddress: CUdeviceptr,
    ) -> CUresult {
        match self.functions.cuTensorMapReplaceAddress {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(tensorMap, globalAddress) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexObjectCreate(
        &self,
        pTexObject: *mut CUtexObject,
        pResDesc: *const CUDA_RESOURCE_DESC,
        pTexDesc: *const CUDA_TEXTURE_DESC,
        pResViewDesc: *const CUDA_RESOURCE_VIEW_DESC,
    ) -> CUresult {
        match self.functions.cuTexObjectCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pTexObject, pResDesc, pTexDesc, pResViewDesc) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexObjectDestroy(&self, texObject: CUtexObject) -> CUresult {
        match self.functions.cuTexObjectDestroy {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(texObject) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexObjectGetResourceDesc(
        &self,
        pResDesc: *mut CUDA_RESOURCE_DESC,
        texObject: CUtexObject,
    ) -> CUresult {
        match self.functions.cuTexObjectGetResourceDesc {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pResDesc, texObject) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexObjectGetResourceViewDesc(
        &self,
        pResViewDesc: *mut CUDA_RESOURCE_VIEW_DESC,
        texObject: CUtexObject,
    ) -> CUresult {
        match self.functions.cuTexObjectGetResourceViewDesc {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pResViewDesc, texObject) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexObjectGetTextureDesc(
        &self,
        pTexDesc: *mut CUDA_TEXTURE_DESC,
        texObject: CUtexObject,
    ) -> CUresult {
        match self.functions.cuTexObjectGetTextureDesc {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pTexDesc, texObject) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefCreate(&self, pTexRef: *mut CUtexref) -> CUresult {
        match self.functions.cuTexRefCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pTexRef) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefDestroy(&self, hTexRef: CUtexref) -> CUresult {
        match self.functions.cuTexRefDestroy {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hTexRef) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefGetAddress(
        &self,
        pdptr: *mut CUdeviceptr_v1,
        hTexRef: CUtexref,
    ) -> CUresult {
        match self.functions.cuTexRefGetAddress {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pdptr, hTexRef) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefGetAddress_v2(
        &self,
        pdptr: *mut CUdeviceptr,
        hTexRef: CUtexref,
    ) -> CUresult {
        match self.functions.cuTexRefGetAddress_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pdptr, hTexRef) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefGetAddressMode(
        &self,
        pam: *mut i32,
        hTexRef: CUtexref,
        dim: i32,
    ) -> CUresult {
        match self.functions.cuTexRefGetAddressMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pam, hTexRef, dim) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefGetArray(&self, phArray: *mut CUarray, hTexRef: CUtexref) -> CUresult {
        match self.functions.cuTexRefGetArray {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(phArray, hTexRef) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefGetBorderColor(
        &self,
        pBorderColor: *mut CUborderColor,
        hTexRef: CUtexref,
    ) -> CUresult {
        match self.functions.cuTexRefGetBorderColor {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pBorderColor, hTexRef) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefGetFilterMode(&self, pfm: *mut i32, hTexRef: CUtexref) -> CUresult {
        match self.functions.cuTexRefGetFilterMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pfm, hTexRef) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefGetFlags(&self, pFlags: *mut u32, hTexRef: CUtexref) -> CUresult {
        match self.functions.cuTexRefGetFlags {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pFlags, hTexRef) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefGetFormat(
        &self,
        pFormat: *mut i32,
        pNumChannels: *mut i32,
        hTexRef: CUtexref,
    ) -> CUresult {
        match self.functions.cuTexRefGetFormat {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pFormat, pNumChannels, hTexRef) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefGetMaxAnisotropy(
        &self,
        pmaxAniso: *mut i32,
        hTexRef: CUtexref,
    ) -> CUresult {
        match self.functions.cuTexRefGetMaxAnisotropy {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pmaxAniso, hTexRef) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefGetMipmapFilterMode(&self, pfm: *mut i32, hTexRef: CUtexref) -> CUresult {
        match self.functions.cuTexRefGetMipmapFilterMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pfm, hTexRef) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefGetMipmapLevelBias(
        &self,
        pbias: *mut f32,
        hTexRef: CUtexref,
    ) -> CUresult {
        match self.functions.cuTexRefGetMipmapLevelBias {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pbias, hTexRef) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefGetMipmapLevelClamp(
        &self,
        pminMipmapLevelClamp: *mut f32,
        pmaxMipmapLevelClamp: *mut f32,
        hTexRef: CUtexref,
    ) -> CUresult {
        match self.functions.cuTexRefGetMipmapLevelClamp {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(pminMipmapLevelClamp, pmaxMipmapLevelClamp, hTexRef)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefGetMipmappedArray(
        &self,
        phMipmappedArray: *mut CUmipmappedArray,
        hTexRef: CUtexref,
    ) -> CUresult {
        match self.functions.cuTexRefGetMipmappedArray {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(phMipmappedArray, hTexRef) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefSetAddress(
        &self,
        ByteOffset: *mut u32,
        hTexRef: CUtexref,
        dptr: CUdeviceptr_v1,
        bytes: u32,
    ) -> CUresult {
        match self.functions.cuTexRefSetAddress {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ByteOffset, hTexRef, dptr, bytes) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefSetAddress_v2(
        &self,
        ByteOffset: *mut usize,
        hTexRef: CUtexref,
        dptr: CUdeviceptr,
        bytes: usize,
    ) -> CUresult {
        match self.functions.cuTexRefSetAddress_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(ByteOffset, hTexRef, dptr, bytes) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefSetAddress2D(
        &self,
        hTexRef: CUtexref,
        desc: *const CUDA_ARRAY_DESCRIPTOR_v1,
        dptr: CUdeviceptr_v1,
        Pitch: u32,
    ) -> CUresult {
        match self.functions.cuTexRefSetAddress2D {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hTexRef, desc, dptr, Pitch) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefSetAddress2D_v2(
        &self,
        hTexRef: CUtexref,
        desc: *const CUDA_ARRAY_DESCRIPTOR,
        dptr: CUdeviceptr,
        Pitch: usize,
    ) -> CUresult {
        match self.functions.cuTexRefSetAddress2D_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hTexRef, desc, dptr, Pitch) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefSetAddress2D_v3(
        &self,
        hTexRef: CUtexref,
        desc: *const CUDA_ARRAY_DESCRIPTOR,
        dptr: CUdeviceptr,
        Pitch: usize,
    ) -> CUresult {
        match self.functions.cuTexRefSetAddress2D_v3 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hTexRef, desc, dptr, Pitch) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefSetAddressMode(
        &self,
        hTexRef: CUtexref,
        dim: i32,
        am: CUaddress_mode,
    ) -> CUresult {
        match self.functions.cuTexRefSetAddressMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hTexRef, dim, am) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefSetArray(
        &self,
        hTexRef: CUtexref,
        hArray: CUarray,
        Flags: u32,
    ) -> CUresult {
        match self.functions.cuTexRefSetArray {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hTexRef, hArray, Flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefSetBorderColor(
        &self,
        hTexRef: CUtexref,
        pBorderColor: *const CUborderColor,
    ) -> CUresult {
        match self.functions.cuTexRefSetBorderColor {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hTexRef, pBorderColor) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefSetFilterMode(&self, hTexRef: CUtexref, fm: CUfilter_mode) -> CUresult {
        match self.functions.cuTexRefSetFilterMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hTexRef, fm) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefSetFlags(&self, hTexRef: CUtexref, Flags: u32) -> CUresult {
        match self.functions.cuTexRefSetFlags {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hTexRef, Flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefSetFormat(
        &self,
        hTexRef: CUtexref,
        fmt: CUarray_format,
        NumPackedComponents: i32,
    ) -> CUresult {
        match self.functions.cuTexRefSetFormat {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hTexRef, fmt, NumPackedComponents) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefSetMaxAnisotropy(&self, hTexRef: CUtexref, maxAniso: u32) -> CUresult {
        match self.functions.cuTexRefSetMaxAnisotropy {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hTexRef, maxAniso) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefSetMipmapFilterMode(
        &self,
        hTexRef: CUtexref,
        fm: CUfilter_mode,
    ) -> CUresult {
        match self.functions.cuTexRefSetMipmapFilterMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hTexRef, fm) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefSetMipmapLevelBias(&self, hTexRef: CUtexref, bias: f32) -> CUresult {
        match self.functions.cuTexRefSetMipmapLevelBias {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hTexRef, bias) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefSetMipmapLevelClamp(
        &self,
        hTexRef: CUtexref,
        minMipmapLevelClamp: f32,
        maxMipmapLevelClamp: f32,
    ) -> CUresult {
        match self.functions.cuTexRefSetMipmapLevelClamp {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(hTexRef, minMipmapLevelClamp, maxMipmapLevelClamp)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuTexRefSetMipmappedArray(
        &self,
        hTexRef: CUtexref,
        hMipmappedArray: CUmipmappedArray,
        Flags: u32,
    ) -> CUresult {
        match self.functions.cuTexRefSetMipmappedArray {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hTexRef, hMipmappedArray, Flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuCheckpointProcessGetRestoreThreadId(
        &self,
        pid: i32,
        tid: *mut i32,
    ) -> CUresult {
        match self.functions.cuCheckpointProcessGetRestoreThreadId {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pid, tid) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDestroyExternalMemory(&self, extMem: CUexternalMemory) -> CUresult {
        match self.functions.cuDestroyExternalMemory {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(extMem) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDestroyExternalSemaphore(&self, extSem: CUexternalSemaphore) -> CUresult {
        match self.functions.cuDestroyExternalSemaphore {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(extSem) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDevResourceGenerateDesc(
        &self,
        phDesc: *mut CUdevResourceDesc,
        resources: *mut CUdevResource,
        nbResources: u32,
    ) -> CUresult {
        match self.functions.cuDevResourceGenerateDesc {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(phDesc, resources, nbResources) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuDevSmResourceSplitByCount(
        &self,
        result: *mut CUdevResource,
        nbGroups: *mut u32,
        input: *const CUdevResource,
        remaining: *mut CUdevResource,
        useFlags: u32,
        minCount: u32,
    ) -> CUresult {
        match self.functions.cuDevSmResourceSplitByCount {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(result, nbGroups, input, remaining, useFlags, minCount)
            },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuFlushGPUDirectRDMAWrites(&self, target: i32, scope: i32) -> CUresult {
        match self.functions.cuFlushGPUDirectRDMAWrites {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(target, scope) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGLCtxCreate(
        &self,
        pCtx: *mut CUcontext,
        Flags: u32,
        device: CUdevice,
    ) -> CUresult {
        match self.functions.cuGLCtxCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pCtx, Flags, device) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGLCtxCreate_v2(
        &self,
        pCtx: *mut CUcontext,
        Flags: u32,
        device: CUdevice,
    ) -> CUresult {
        match self.functions.cuGLCtxCreate_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pCtx, Flags, device) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGLInit(&self) -> CUresult {
        match self.functions.cuGLInit {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function() },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphicsMapResources(
        &self,
        count: u32,
        resources: *mut CUgraphicsResource,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuGraphicsMapResources {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(count, resources, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphicsResourceGetMappedMipmappedArray(
        &self,
        pMipmappedArray: *mut CUmipmappedArray,
        resource: CUgraphicsResource,
    ) -> CUresult {
        match self.functions.cuGraphicsResourceGetMappedMipmappedArray {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pMipmappedArray, resource) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphicsResourceGetMappedPointer_v2(
        &self,
        pDevPtr: *mut CUdeviceptr,
        pSize: *mut usize,
        resource: CUgraphicsResource,
    ) -> CUresult {
        match self.functions.cuGraphicsResourceGetMappedPointer_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pDevPtr, pSize, resource) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphicsResourceSetMapFlags(
        &self,
        resource: CUgraphicsResource,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuGraphicsResourceSetMapFlags {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(resource, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphicsResourceSetMapFlags_v2(
        &self,
        resource: CUgraphicsResource,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuGraphicsResourceSetMapFlags_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(resource, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphicsSubResourceGetMappedArray(
        &self,
        pArray: *mut CUarray,
        resource: CUgraphicsResource,
        arrayIndex: u32,
        mipLevel: u32,
    ) -> CUresult {
        match self.functions.cuGraphicsSubResourceGetMappedArray {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pArray, resource, arrayIndex, mipLevel) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphicsUnmapResources(
        &self,
        count: u32,
        resources: *mut CUgraphicsResource,
        hStream: CUstream,
    ) -> CUresult {
        match self.functions.cuGraphicsUnmapResources {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(count, resources, hStream) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGraphicsUnregisterResource(&self, resource: CUgraphicsResource) -> CUresult {
        match self.functions.cuGraphicsUnregisterResource {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(resource) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGreenCtxCreate(
        &self,
        phCtx: *mut CUgreenCtx,
        desc: CUdevResourceDesc,
        dev: CUdevice,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuGreenCtxCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(phCtx, desc, dev, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGreenCtxDestroy(&self, hCtx: CUgreenCtx) -> CUresult {
        match self.functions.cuGreenCtxDestroy {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hCtx) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGreenCtxGetDevResource(
        &self,
        hCtx: CUgreenCtx,
        resource: *mut CUdevResource,
        type_: CUdevResourceType,
    ) -> CUresult {
        match self.functions.cuGreenCtxGetDevResource {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hCtx, resource, type_) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGreenCtxGetId(&self, greenCtx: CUgreenCtx, greenCtxId: *mut u64) -> CUresult {
        match self.functions.cuGreenCtxGetId {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(greenCtx, greenCtxId) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGreenCtxRecordEvent(&self, hCtx: CUgreenCtx, hEvent: CUevent) -> CUresult {
        match self.functions.cuGreenCtxRecordEvent {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hCtx, hEvent) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGreenCtxStreamCreate(
        &self,
        phStream: *mut CUstream,
        greenCtx: CUgreenCtx,
        flags: u32,
        priority: i32,
    ) -> CUresult {
        match self.functions.cuGreenCtxStreamCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(phStream, greenCtx, flags, priority) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuGreenCtxWaitEvent(&self, hCtx: CUgreenCtx, hEvent: CUevent) -> CUresult {
        match self.functions.cuGreenCtxWaitEvent {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(hCtx, hEvent) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLogsCurrent(&self, iterator_out: *mut CUlogIterator, flags: u32) -> CUresult {
        match self.functions.cuLogsCurrent {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(iterator_out, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLogsDumpToFile(
        &self,
        iterator: *mut CUlogIterator,
        pathToFile: *const c_char,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuLogsDumpToFile {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(iterator, pathToFile, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLogsDumpToMemory(
        &self,
        iterator: *mut CUlogIterator,
        buffer: *mut c_char,
        size: *mut usize,
        flags: u32,
    ) -> CUresult {
        match self.functions.cuLogsDumpToMemory {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(iterator, buffer, size, flags) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLogsRegisterCallback(
        &self,
        callbackFunc: CUlogsCallback,
        userData: *mut c_void,
        callback_out: *mut CUlogsCallbackHandle,
    ) -> CUresult {
        match self.functions.cuLogsRegisterCallback {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(callbackFunc, userData, callback_out) },
            None => CUresult::NOT_SUPPORTED,
        }
    }

    pub unsafe fn cuLogsUnregisterCallback(&self, callback: CUlogsCallbackHandle) -> CUresult {
        match self.functions.cuLogsUnregisterCallback {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(callback) },
            None => CUresult::NOT_SUPPORTED,
        }
    }
}
