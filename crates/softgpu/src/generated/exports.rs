// Written by `cargo xtask codegen` from spec/cuda.rs; change that.

#![allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)]

use crate::driver::api;
use crate::driver::entry::{enter, unsupported};
use outhaul_abi::types::*;
use std::ffi::{c_char, c_void};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDriverGetVersion() -> CUresult {
    unsupported(0)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName() -> CUresult {
    unsupported(1)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString() -> CUresult {
    unsupported(2)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetExportTable() -> CUresult {
    unsupported(3)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetProcAddress() -> CUresult {
    unsupported(4)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetProcAddress_v2() -> CUresult {
    unsupported(5)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuInit() -> CUresult {
    unsupported(6)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuProfilerInitialize() -> CUresult {
    unsupported(7)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuProfilerStart() -> CUresult {
    unsupported(8)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuProfilerStop() -> CUresult {
    unsupported(9)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceCanAccessPeer() -> CUresult {
    unsupported(10)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceComputeCapability() -> CUresult {
    unsupported(11)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGet() -> CUresult {
    unsupported(12)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetAttribute() -> CUresult {
    unsupported(13)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetByPCIBusId() -> CUresult {
    unsupported(14)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount() -> CUresult {
    unsupported(15)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetDefaultMemPool() -> CUresult {
    unsupported(16)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetDevResource() -> CUresult {
    unsupported(17)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetExecAffinitySupport() -> CUresult {
    unsupported(18)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetGraphMemAttribute() -> CUresult {
    unsupported(19)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetHostAtomicCapabilities() -> CUresult {
    unsupported(20)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetLuid() -> CUresult {
    unsupported(21)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetMemPool() -> CUresult {
    unsupported(22)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetName() -> CUresult {
    unsupported(23)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetNvSciSyncAttributes() -> CUresult {
    unsupported(24)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetP2PAtomicCapabilities() -> CUresult {
    unsupported(25)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetP2PAttribute() -> CUresult {
    unsupported(26)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetPCIBusId() -> CUresult {
    unsupported(27)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetProperties() -> CUresult {
    unsupported(28)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetTexture1DLinearMaxWidth() -> CUresult {
    unsupported(29)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetUuid() -> CUresult {
    unsupported(30)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetUuid_v2() -> CUresult {
    unsupported(31)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGraphMemTrim() -> CUresult {
    unsupported(32)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceRegisterAsyncNotification() -> CUresult {
    unsupported(33)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceSetGraphMemAttribute() -> CUresult {
    unsupported(34)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceSetMemPool() -> CUresult {
    unsupported(35)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceTotalMem() -> CUresult {
    unsupported(36)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceTotalMem_v2() -> CUresult {
    unsupported(37)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceUnregisterAsyncNotification() -> CUresult {
    unsupported(38)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxAttach() -> CUresult {
    unsupported(39)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate() -> CUresult {
    unsupported(40)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v2() -> CUresult {
    unsupported(41)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v3() -> CUresult {
    unsupported(42)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v4() -> CUresult {
    unsupported(43)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxDestroy() -> CUresult {
    unsupported(44)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxDestroy_v2() -> CUresult {
    unsupported(45)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxDetach() -> CUresult {
    unsupported(46)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxDisablePeerAccess() -> CUresult {
    unsupported(47)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxEnablePeerAccess() -> CUresult {
    unsupported(48)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxFromGreenCtx() -> CUresult {
    unsupported(49)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetApiVersion() -> CUresult {
    unsupported(50)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetCacheConfig() -> CUresult {
    unsupported(51)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetCurrent() -> CUresult {
    unsupported(52)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetDevResource() -> CUresult {
    unsupported(53)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetDevice() -> CUresult {
    unsupported(54)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetDevice_v2() -> CUresult {
    unsupported(55)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetExecAffinity() -> CUresult {
    unsupported(56)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetFlags() -> CUresult {
    unsupported(57)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetId() -> CUresult {
    unsupported(58)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetLimit() -> CUresult {
    unsupported(59)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetSharedMemConfig() -> CUresult {
    unsupported(60)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetStreamPriorityRange() -> CUresult {
    unsupported(61)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPopCurrent() -> CUresult {
    unsupported(62)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPopCurrent_v2() -> CUresult {
    unsupported(63)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPushCurrent() -> CUresult {
    unsupported(64)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPushCurrent_v2() -> CUresult {
    unsupported(65)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxRecordEvent() -> CUresult {
    unsupported(66)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxResetPersistingL2Cache() -> CUresult {
    unsupported(67)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetCacheConfig() -> CUresult {
    unsupported(68)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetCurrent() -> CUresult {
    unsupported(69)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetFlags() -> CUresult {
    unsupported(70)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetLimit() -> CUresult {
    unsupported(71)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetSharedMemConfig() -> CUresult {
    unsupported(72)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSynchronize() -> CUresult {
    unsupported(73)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSynchronize_v2() -> CUresult {
    unsupported(74)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxWaitEvent() -> CUresult {
    unsupported(75)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxGetState() -> CUresult {
    unsupported(76)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRelease() -> CUresult {
    unsupported(77)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRelease_v2() -> CUresult {
    unsupported(78)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxReset() -> CUresult {
    unsupported(79)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxReset_v2() -> CUresult {
    unsupported(80)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRetain() -> CUresult {
    unsupported(81)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxSetFlags() -> CUresult {
    unsupported(82)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxSetFlags_v2() -> CUresult {
    unsupported(83)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkAddData() -> CUresult {
    unsupported(84)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkAddData_v2() -> CUresult {
    unsupported(85)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkAddFile() -> CUresult {
    unsupported(86)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkAddFile_v2() -> CUresult {
    unsupported(87)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkComplete() -> CUresult {
    unsupported(88)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkCreate() -> CUresult {
    unsupported(89)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkCreate_v2() -> CUresult {
    unsupported(90)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLinkDestroy() -> CUresult {
    unsupported(91)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleEnumerateFunctions() -> CUresult {
    unsupported(92)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetFunction() -> CUresult {
    unsupported(93)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetFunctionCount() -> CUresult {
    unsupported(94)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetGlobal() -> CUresult {
    unsupported(95)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetGlobal_v2() -> CUresult {
    unsupported(96)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetLoadingMode() -> CUresult {
    unsupported(97)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetSurfRef() -> CUresult {
    unsupported(98)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetTexRef() -> CUresult {
    unsupported(99)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoad() -> CUresult {
    unsupported(100)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadData() -> CUresult {
    unsupported(101)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadDataEx() -> CUresult {
    unsupported(102)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadFatBinary() -> CUresult {
    unsupported(103)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleUnload() -> CUresult {
    unsupported(104)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetAttribute() -> CUresult {
    unsupported(105)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetModule() -> CUresult {
    unsupported(106)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetName() -> CUresult {
    unsupported(107)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetParamInfo() -> CUresult {
    unsupported(108)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncIsLoaded() -> CUresult {
    unsupported(109)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncLoad() -> CUresult {
    unsupported(110)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncSetAttribute() -> CUresult {
    unsupported(111)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncSetBlockShape() -> CUresult {
    unsupported(112)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncSetCacheConfig() -> CUresult {
    unsupported(113)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncSetSharedMemConfig() -> CUresult {
    unsupported(114)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncSetSharedSize() -> CUresult {
    unsupported(115)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelGetAttribute() -> CUresult {
    unsupported(116)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelGetFunction() -> CUresult {
    unsupported(117)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelGetLibrary() -> CUresult {
    unsupported(118)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelGetName() -> CUresult {
    unsupported(119)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelGetParamInfo() -> CUresult {
    unsupported(120)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelSetAttribute() -> CUresult {
    unsupported(121)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelSetCacheConfig() -> CUresult {
    unsupported(122)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryEnumerateKernels() -> CUresult {
    unsupported(123)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryGetGlobal() -> CUresult {
    unsupported(124)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryGetKernel() -> CUresult {
    unsupported(125)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryGetKernelCount() -> CUresult {
    unsupported(126)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryGetManaged() -> CUresult {
    unsupported(127)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryGetModule() -> CUresult {
    unsupported(128)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryGetUnifiedFunction() -> CUresult {
    unsupported(129)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryLoadData() -> CUresult {
    unsupported(130)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryLoadFromFile() -> CUresult {
    unsupported(131)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLibraryUnload() -> CUresult {
    unsupported(132)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunch() -> CUresult {
    unsupported(133)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchCooperativeKernel() -> CUresult {
    unsupported(134)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchCooperativeKernel_ptsz() -> CUresult {
    unsupported(135)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchCooperativeKernelMultiDevice() -> CUresult {
    unsupported(136)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchGrid() -> CUresult {
    unsupported(137)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchGridAsync() -> CUresult {
    unsupported(138)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchHostFunc() -> CUresult {
    unsupported(139)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchHostFunc_ptsz() -> CUresult {
    unsupported(140)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernel() -> CUresult {
    unsupported(141)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernel_ptsz() -> CUresult {
    unsupported(142)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernelEx() -> CUresult {
    unsupported(143)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernelEx_ptsz() -> CUresult {
    unsupported(144)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyAvailableDynamicSMemPerBlock() -> CUresult {
    unsupported(145)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessor() -> CUresult {
    unsupported(146)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags() -> CUresult {
    unsupported(147)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxActiveClusters() -> CUresult {
    unsupported(148)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxPotentialBlockSize() -> CUresult {
    unsupported(149)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxPotentialBlockSizeWithFlags() -> CUresult {
    unsupported(150)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxPotentialClusterSize() -> CUresult {
    unsupported(151)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuParamSetSize() -> CUresult {
    unsupported(152)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuParamSetTexRef() -> CUresult {
    unsupported(153)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuParamSetf() -> CUresult {
    unsupported(154)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuParamSeti() -> CUresult {
    unsupported(155)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuParamSetv() -> CUresult {
    unsupported(156)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamAddCallback() -> CUresult {
    unsupported(157)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamAddCallback_ptsz() -> CUresult {
    unsupported(158)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamAttachMemAsync() -> CUresult {
    unsupported(159)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamAttachMemAsync_ptsz() -> CUresult {
    unsupported(160)
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
pub unsafe extern "C" fn cuStreamBatchMemOp_v2() -> CUresult {
    unsupported(163)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBatchMemOp_v2_ptsz() -> CUresult {
    unsupported(164)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCapture() -> CUresult {
    unsupported(165)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCapture_ptsz() -> CUresult {
    unsupported(166)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCapture_v2() -> CUresult {
    unsupported(167)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCapture_v2_ptsz() -> CUresult {
    unsupported(168)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCaptureToGraph() -> CUresult {
    unsupported(169)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamBeginCaptureToGraph_ptsz() -> CUresult {
    unsupported(170)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCopyAttributes() -> CUresult {
    unsupported(171)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCopyAttributes_ptsz() -> CUresult {
    unsupported(172)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreate() -> CUresult {
    unsupported(173)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreateWithPriority() -> CUresult {
    unsupported(174)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamDestroy() -> CUresult {
    unsupported(175)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamDestroy_v2() -> CUresult {
    unsupported(176)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamEndCapture() -> CUresult {
    unsupported(177)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamEndCapture_ptsz() -> CUresult {
    unsupported(178)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetAttribute() -> CUresult {
    unsupported(179)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetAttribute_ptsz() -> CUresult {
    unsupported(180)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCaptureInfo() -> CUresult {
    unsupported(181)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCaptureInfo_ptsz() -> CUresult {
    unsupported(182)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCaptureInfo_v2() -> CUresult {
    unsupported(183)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCaptureInfo_v2_ptsz() -> CUresult {
    unsupported(184)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCaptureInfo_v3() -> CUresult {
    unsupported(185)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCaptureInfo_v3_ptsz() -> CUresult {
    unsupported(186)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCtx() -> CUresult {
    unsupported(187)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCtx_ptsz() -> CUresult {
    unsupported(188)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCtx_v2() -> CUresult {
    unsupported(189)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetCtx_v2_ptsz() -> CUresult {
    unsupported(190)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetDevice() -> CUresult {
    unsupported(191)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetDevice_ptsz() -> CUresult {
    unsupported(192)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetFlags() -> CUresult {
    unsupported(193)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetFlags_ptsz() -> CUresult {
    unsupported(194)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetGreenCtx() -> CUresult {
    unsupported(195)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetId() -> CUresult {
    unsupported(196)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetId_ptsz() -> CUresult {
    unsupported(197)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetPriority() -> CUresult {
    unsupported(198)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamGetPriority_ptsz() -> CUresult {
    unsupported(199)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamIsCapturing() -> CUresult {
    unsupported(200)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamIsCapturing_ptsz() -> CUresult {
    unsupported(201)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamQuery() -> CUresult {
    unsupported(202)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamQuery_ptsz() -> CUresult {
    unsupported(203)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamSetAttribute() -> CUresult {
    unsupported(204)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamSetAttribute_ptsz() -> CUresult {
    unsupported(205)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamSynchronize() -> CUresult {
    unsupported(206)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamSynchronize_ptsz() -> CUresult {
    unsupported(207)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamUpdateCaptureDependencies() -> CUresult {
    unsupported(208)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamUpdateCaptureDependencies_ptsz() -> CUresult {
    unsupported(209)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamUpdateCaptureDependencies_v2() -> CUresult {
    unsupported(210)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamUpdateCaptureDependencies_v2_ptsz() -> CUresult {
    unsupported(211)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitEvent() -> CUresult {
    unsupported(212)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitEvent_ptsz() -> CUresult {
    unsupported(213)
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
pub unsafe extern "C" fn cuStreamWaitValue32_v2() -> CUresult {
    unsupported(216)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitValue32_v2_ptsz() -> CUresult {
    unsupported(217)
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
pub unsafe extern "C" fn cuStreamWaitValue64_v2() -> CUresult {
    unsupported(220)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitValue64_v2_ptsz() -> CUresult {
    unsupported(221)
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
pub unsafe extern "C" fn cuStreamWriteValue32_v2() -> CUresult {
    unsupported(224)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWriteValue32_v2_ptsz() -> CUresult {
    unsupported(225)
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
pub unsafe extern "C" fn cuStreamWriteValue64_v2() -> CUresult {
    unsupported(228)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWriteValue64_v2_ptsz() -> CUresult {
    unsupported(229)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuThreadExchangeStreamCaptureMode() -> CUresult {
    unsupported(230)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventCreate() -> CUresult {
    unsupported(231)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventDestroy() -> CUresult {
    unsupported(232)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventDestroy_v2() -> CUresult {
    unsupported(233)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventElapsedTime() -> CUresult {
    unsupported(234)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventElapsedTime_v2() -> CUresult {
    unsupported(235)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventQuery() -> CUresult {
    unsupported(236)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecord() -> CUresult {
    unsupported(237)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecord_ptsz() -> CUresult {
    unsupported(238)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecordWithFlags() -> CUresult {
    unsupported(239)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecordWithFlags_ptsz() -> CUresult {
    unsupported(240)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventSynchronize() -> CUresult {
    unsupported(241)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy() -> CUresult {
    unsupported(242)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy_ptds() -> CUresult {
    unsupported(243)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2D() -> CUresult {
    unsupported(244)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2D_v2() -> CUresult {
    unsupported(245)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2D_v2_ptds() -> CUresult {
    unsupported(246)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2DAsync() -> CUresult {
    unsupported(247)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2DAsync_v2() -> CUresult {
    unsupported(248)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2DAsync_v2_ptsz() -> CUresult {
    unsupported(249)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2DUnaligned() -> CUresult {
    unsupported(250)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2DUnaligned_v2() -> CUresult {
    unsupported(251)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy2DUnaligned_v2_ptds() -> CUresult {
    unsupported(252)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3D() -> CUresult {
    unsupported(253)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3D_v2() -> CUresult {
    unsupported(254)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3D_v2_ptds() -> CUresult {
    unsupported(255)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DAsync() -> CUresult {
    unsupported(256)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DAsync_v2() -> CUresult {
    unsupported(257)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DAsync_v2_ptsz() -> CUresult {
    unsupported(258)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DBatchAsync() -> CUresult {
    unsupported(259)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DBatchAsync_ptsz() -> CUresult {
    unsupported(260)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DBatchAsync_v2() -> CUresult {
    unsupported(261)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DBatchAsync_v2_ptsz() -> CUresult {
    unsupported(262)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DPeer() -> CUresult {
    unsupported(263)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DPeer_ptds() -> CUresult {
    unsupported(264)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DPeerAsync() -> CUresult {
    unsupported(265)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpy3DPeerAsync_ptsz() -> CUresult {
    unsupported(266)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAsync() -> CUresult {
    unsupported(267)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAsync_ptsz() -> CUresult {
    unsupported(268)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoA() -> CUresult {
    unsupported(269)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoA_v2() -> CUresult {
    unsupported(270)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoA_v2_ptds() -> CUresult {
    unsupported(271)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoD() -> CUresult {
    unsupported(272)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoD_v2() -> CUresult {
    unsupported(273)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoD_v2_ptds() -> CUresult {
    unsupported(274)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoH() -> CUresult {
    unsupported(275)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoH_v2() -> CUresult {
    unsupported(276)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoH_v2_ptds() -> CUresult {
    unsupported(277)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoHAsync() -> CUresult {
    unsupported(278)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoHAsync_v2() -> CUresult {
    unsupported(279)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoHAsync_v2_ptsz() -> CUresult {
    unsupported(280)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyBatchAsync() -> CUresult {
    unsupported(281)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyBatchAsync_ptsz() -> CUresult {
    unsupported(282)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyBatchAsync_v2() -> CUresult {
    unsupported(283)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyBatchAsync_v2_ptsz() -> CUresult {
    unsupported(284)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoA() -> CUresult {
    unsupported(285)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoA_v2() -> CUresult {
    unsupported(286)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoA_v2_ptds() -> CUresult {
    unsupported(287)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoD() -> CUresult {
    unsupported(288)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoD_v2() -> CUresult {
    unsupported(289)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoD_v2_ptds() -> CUresult {
    unsupported(290)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoDAsync() -> CUresult {
    unsupported(291)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoDAsync_v2() -> CUresult {
    unsupported(292)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoDAsync_v2_ptsz() -> CUresult {
    unsupported(293)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoH() -> CUresult {
    unsupported(294)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoH_v2() -> CUresult {
    unsupported(295)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoH_v2_ptds() -> CUresult {
    unsupported(296)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoHAsync() -> CUresult {
    unsupported(297)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoHAsync_v2() -> CUresult {
    unsupported(298)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoHAsync_v2_ptsz() -> CUresult {
    unsupported(299)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoA() -> CUresult {
    unsupported(300)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoA_v2() -> CUresult {
    unsupported(301)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoA_v2_ptds() -> CUresult {
    unsupported(302)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoAAsync() -> CUresult {
    unsupported(303)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoAAsync_v2() -> CUresult {
    unsupported(304)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoAAsync_v2_ptsz() -> CUresult {
    unsupported(305)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoD() -> CUresult {
    unsupported(306)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoD_v2() -> CUresult {
    unsupported(307)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoD_v2_ptds() -> CUresult {
    unsupported(308)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoDAsync() -> CUresult {
    unsupported(309)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoDAsync_v2() -> CUresult {
    unsupported(310)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoDAsync_v2_ptsz() -> CUresult {
    unsupported(311)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyPeer() -> CUresult {
    unsupported(312)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyPeer_ptds() -> CUresult {
    unsupported(313)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyPeerAsync() -> CUresult {
    unsupported(314)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyPeerAsync_ptsz() -> CUresult {
    unsupported(315)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD16() -> CUresult {
    unsupported(316)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD16_v2() -> CUresult {
    unsupported(317)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD16_v2_ptds() -> CUresult {
    unsupported(318)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD16Async() -> CUresult {
    unsupported(319)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD16Async_ptsz() -> CUresult {
    unsupported(320)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D16() -> CUresult {
    unsupported(321)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D16_v2() -> CUresult {
    unsupported(322)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D16_v2_ptds() -> CUresult {
    unsupported(323)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D16Async() -> CUresult {
    unsupported(324)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D16Async_ptsz() -> CUresult {
    unsupported(325)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D32() -> CUresult {
    unsupported(326)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D32_v2() -> CUresult {
    unsupported(327)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D32_v2_ptds() -> CUresult {
    unsupported(328)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D32Async() -> CUresult {
    unsupported(329)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D32Async_ptsz() -> CUresult {
    unsupported(330)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D8() -> CUresult {
    unsupported(331)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D8_v2() -> CUresult {
    unsupported(332)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D8_v2_ptds() -> CUresult {
    unsupported(333)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D8Async() -> CUresult {
    unsupported(334)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD2D8Async_ptsz() -> CUresult {
    unsupported(335)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD32() -> CUresult {
    unsupported(336)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD32_v2() -> CUresult {
    unsupported(337)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD32_v2_ptds() -> CUresult {
    unsupported(338)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD32Async() -> CUresult {
    unsupported(339)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD32Async_ptsz() -> CUresult {
    unsupported(340)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8() -> CUresult {
    unsupported(341)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8_v2() -> CUresult {
    unsupported(342)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8_v2_ptds() -> CUresult {
    unsupported(343)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8Async() -> CUresult {
    unsupported(344)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8Async_ptsz() -> CUresult {
    unsupported(345)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocAsync() -> CUresult {
    unsupported(346)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocAsync_ptsz() -> CUresult {
    unsupported(347)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocFromPoolAsync() -> CUresult {
    unsupported(348)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocFromPoolAsync_ptsz() -> CUresult {
    unsupported(349)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFreeAsync() -> CUresult {
    unsupported(350)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFreeAsync_ptsz() -> CUresult {
    unsupported(351)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetDefaultMemPool() -> CUresult {
    unsupported(352)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetMemPool() -> CUresult {
    unsupported(353)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolCreate() -> CUresult {
    unsupported(354)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolDestroy() -> CUresult {
    unsupported(355)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolExportPointer() -> CUresult {
    unsupported(356)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolExportToShareableHandle() -> CUresult {
    unsupported(357)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolGetAccess() -> CUresult {
    unsupported(358)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolGetAttribute() -> CUresult {
    unsupported(359)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolImportFromShareableHandle() -> CUresult {
    unsupported(360)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolImportPointer() -> CUresult {
    unsupported(361)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolSetAccess() -> CUresult {
    unsupported(362)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolSetAttribute() -> CUresult {
    unsupported(363)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPoolTrimTo() -> CUresult {
    unsupported(364)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemSetMemPool() -> CUresult {
    unsupported(365)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAddressFree() -> CUresult {
    unsupported(366)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAddressReserve() -> CUresult {
    unsupported(367)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemCreate() -> CUresult {
    unsupported(368)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemExportToShareableHandle() -> CUresult {
    unsupported(369)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAccess() -> CUresult {
    unsupported(370)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAllocationGranularity() -> CUresult {
    unsupported(371)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAllocationPropertiesFromHandle() -> CUresult {
    unsupported(372)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemImportFromShareableHandle() -> CUresult {
    unsupported(373)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemMap() -> CUresult {
    unsupported(374)
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
pub unsafe extern "C" fn cuMemRelease() -> CUresult {
    unsupported(377)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemRetainAllocationHandle() -> CUresult {
    unsupported(378)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemSetAccess() -> CUresult {
    unsupported(379)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemUnmap() -> CUresult {
    unsupported(380)
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
pub unsafe extern "C" fn cuIpcCloseMemHandle() -> CUresult {
    unsupported(387)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuIpcGetEventHandle() -> CUresult {
    unsupported(388)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuIpcGetMemHandle() -> CUresult {
    unsupported(389)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuIpcOpenEventHandle() -> CUresult {
    unsupported(390)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuIpcOpenMemHandle() -> CUresult {
    unsupported(391)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuIpcOpenMemHandle_v2() -> CUresult {
    unsupported(392)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAdvise() -> CUresult {
    unsupported(393)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAdvise_v2() -> CUresult {
    unsupported(394)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAlloc() -> CUresult {
    unsupported(395)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAlloc_v2() -> CUresult {
    unsupported(396)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocHost() -> CUresult {
    unsupported(397)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocHost_v2() -> CUresult {
    unsupported(398)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocManaged() -> CUresult {
    unsupported(399)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocPitch() -> CUresult {
    unsupported(400)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocPitch_v2() -> CUresult {
    unsupported(401)
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
pub unsafe extern "C" fn cuMemDiscardAndPrefetchBatchAsync() -> CUresult {
    unsupported(404)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemDiscardAndPrefetchBatchAsync_ptsz() -> CUresult {
    unsupported(405)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemDiscardBatchAsync() -> CUresult {
    unsupported(406)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemDiscardBatchAsync_ptsz() -> CUresult {
    unsupported(407)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFree() -> CUresult {
    unsupported(408)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFree_v2() -> CUresult {
    unsupported(409)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFreeHost() -> CUresult {
    unsupported(410)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAddressRange() -> CUresult {
    unsupported(411)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAddressRange_v2() -> CUresult {
    unsupported(412)
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
pub unsafe extern "C" fn cuMemGetInfo() -> CUresult {
    unsupported(416)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetInfo_v2() -> CUresult {
    unsupported(417)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostAlloc() -> CUresult {
    unsupported(418)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostGetDevicePointer() -> CUresult {
    unsupported(419)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostGetDevicePointer_v2() -> CUresult {
    unsupported(420)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostGetFlags() -> CUresult {
    unsupported(421)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostRegister() -> CUresult {
    unsupported(422)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostRegister_v2() -> CUresult {
    unsupported(423)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostUnregister() -> CUresult {
    unsupported(424)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPrefetchAsync() -> CUresult {
    unsupported(425)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPrefetchAsync_ptsz() -> CUresult {
    unsupported(426)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPrefetchAsync_v2() -> CUresult {
    unsupported(427)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPrefetchAsync_v2_ptsz() -> CUresult {
    unsupported(428)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPrefetchBatchAsync() -> CUresult {
    unsupported(429)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemPrefetchBatchAsync_ptsz() -> CUresult {
    unsupported(430)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemRangeGetAttribute() -> CUresult {
    unsupported(431)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemRangeGetAttributes() -> CUresult {
    unsupported(432)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuPointerGetAttribute() -> CUresult {
    unsupported(433)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuPointerGetAttributes() -> CUresult {
    unsupported(434)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuPointerSetAttribute() -> CUresult {
    unsupported(435)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddBatchMemOpNode() -> CUresult {
    unsupported(436)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddChildGraphNode() -> CUresult {
    unsupported(437)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddDependencies() -> CUresult {
    unsupported(438)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddDependencies_v2() -> CUresult {
    unsupported(439)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddEmptyNode() -> CUresult {
    unsupported(440)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddEventRecordNode() -> CUresult {
    unsupported(441)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddEventWaitNode() -> CUresult {
    unsupported(442)
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
pub unsafe extern "C" fn cuGraphAddHostNode() -> CUresult {
    unsupported(445)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddKernelNode() -> CUresult {
    unsupported(446)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddKernelNode_v2() -> CUresult {
    unsupported(447)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddMemAllocNode() -> CUresult {
    unsupported(448)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddMemFreeNode() -> CUresult {
    unsupported(449)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddMemcpyNode() -> CUresult {
    unsupported(450)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddMemsetNode() -> CUresult {
    unsupported(451)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddNode() -> CUresult {
    unsupported(452)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddNode_v2() -> CUresult {
    unsupported(453)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphBatchMemOpNodeGetParams() -> CUresult {
    unsupported(454)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphBatchMemOpNodeSetParams() -> CUresult {
    unsupported(455)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphChildGraphNodeGetGraph() -> CUresult {
    unsupported(456)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphClone() -> CUresult {
    unsupported(457)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphConditionalHandleCreate() -> CUresult {
    unsupported(458)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphCreate() -> CUresult {
    unsupported(459)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphDebugDotPrint() -> CUresult {
    unsupported(460)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphDestroy() -> CUresult {
    unsupported(461)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphDestroyNode() -> CUresult {
    unsupported(462)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphEventRecordNodeGetEvent() -> CUresult {
    unsupported(463)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphEventRecordNodeSetEvent() -> CUresult {
    unsupported(464)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphEventWaitNodeGetEvent() -> CUresult {
    unsupported(465)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphEventWaitNodeSetEvent() -> CUresult {
    unsupported(466)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecBatchMemOpNodeSetParams() -> CUresult {
    unsupported(467)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecChildGraphNodeSetParams() -> CUresult {
    unsupported(468)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecDestroy() -> CUresult {
    unsupported(469)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecEventRecordNodeSetEvent() -> CUresult {
    unsupported(470)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecEventWaitNodeSetEvent() -> CUresult {
    unsupported(471)
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
pub unsafe extern "C" fn cuGraphExecGetFlags() -> CUresult {
    unsupported(474)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecHostNodeSetParams() -> CUresult {
    unsupported(475)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecKernelNodeSetParams() -> CUresult {
    unsupported(476)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecKernelNodeSetParams_v2() -> CUresult {
    unsupported(477)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecMemcpyNodeSetParams() -> CUresult {
    unsupported(478)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecMemsetNodeSetParams() -> CUresult {
    unsupported(479)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecNodeSetParams() -> CUresult {
    unsupported(480)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecUpdate() -> CUresult {
    unsupported(481)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphExecUpdate_v2() -> CUresult {
    unsupported(482)
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
pub unsafe extern "C" fn cuGraphGetEdges() -> CUresult {
    unsupported(487)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphGetEdges_v2() -> CUresult {
    unsupported(488)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphGetNodes() -> CUresult {
    unsupported(489)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphGetRootNodes() -> CUresult {
    unsupported(490)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphHostNodeGetParams() -> CUresult {
    unsupported(491)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphHostNodeSetParams() -> CUresult {
    unsupported(492)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiate() -> CUresult {
    unsupported(493)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiate_v2() -> CUresult {
    unsupported(494)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiateWithFlags() -> CUresult {
    unsupported(495)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiateWithParams() -> CUresult {
    unsupported(496)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiateWithParams_ptsz() -> CUresult {
    unsupported(497)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeCopyAttributes() -> CUresult {
    unsupported(498)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeGetAttribute() -> CUresult {
    unsupported(499)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeGetParams() -> CUresult {
    unsupported(500)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeGetParams_v2() -> CUresult {
    unsupported(501)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeSetAttribute() -> CUresult {
    unsupported(502)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeSetParams() -> CUresult {
    unsupported(503)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphKernelNodeSetParams_v2() -> CUresult {
    unsupported(504)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphLaunch() -> CUresult {
    unsupported(505)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphLaunch_ptsz() -> CUresult {
    unsupported(506)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphMemAllocNodeGetParams() -> CUresult {
    unsupported(507)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphMemFreeNodeGetParams() -> CUresult {
    unsupported(508)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphMemcpyNodeGetParams() -> CUresult {
    unsupported(509)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphMemcpyNodeSetParams() -> CUresult {
    unsupported(510)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphMemsetNodeGetParams() -> CUresult {
    unsupported(511)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphMemsetNodeSetParams() -> CUresult {
    unsupported(512)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeFindInClone() -> CUresult {
    unsupported(513)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeGetDependencies() -> CUresult {
    unsupported(514)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeGetDependencies_v2() -> CUresult {
    unsupported(515)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeGetDependentNodes() -> CUresult {
    unsupported(516)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeGetDependentNodes_v2() -> CUresult {
    unsupported(517)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeGetEnabled() -> CUresult {
    unsupported(518)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeGetType() -> CUresult {
    unsupported(519)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeSetEnabled() -> CUresult {
    unsupported(520)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphNodeSetParams() -> CUresult {
    unsupported(521)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphReleaseUserObject() -> CUresult {
    unsupported(522)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphRemoveDependencies() -> CUresult {
    unsupported(523)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphRemoveDependencies_v2() -> CUresult {
    unsupported(524)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphRetainUserObject() -> CUresult {
    unsupported(525)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphUpload() -> CUresult {
    unsupported(526)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphUpload_ptsz() -> CUresult {
    unsupported(527)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuUserObjectCreate() -> CUresult {
    unsupported(528)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuUserObjectRelease() -> CUresult {
    unsupported(529)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuUserObjectRetain() -> CUresult {
    unsupported(530)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArray3DCreate() -> CUresult {
    unsupported(531)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArray3DCreate_v2() -> CUresult {
    unsupported(532)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArray3DGetDescriptor() -> CUresult {
    unsupported(533)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArray3DGetDescriptor_v2() -> CUresult {
    unsupported(534)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArrayCreate() -> CUresult {
    unsupported(535)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArrayCreate_v2() -> CUresult {
    unsupported(536)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArrayDestroy() -> CUresult {
    unsupported(537)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArrayGetDescriptor() -> CUresult {
    unsupported(538)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArrayGetDescriptor_v2() -> CUresult {
    unsupported(539)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuArrayGetMemoryRequirements() -> CUresult {
    unsupported(540)
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
pub unsafe extern "C" fn cuMipmappedArrayCreate() -> CUresult {
    unsupported(543)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMipmappedArrayDestroy() -> CUresult {
    unsupported(544)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMipmappedArrayGetLevel() -> CUresult {
    unsupported(545)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMipmappedArrayGetMemoryRequirements() -> CUresult {
    unsupported(546)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMipmappedArrayGetSparseProperties() -> CUresult {
    unsupported(547)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuSurfObjectCreate() -> CUresult {
    unsupported(548)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuSurfObjectDestroy() -> CUresult {
    unsupported(549)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuSurfObjectGetResourceDesc() -> CUresult {
    unsupported(550)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuSurfRefGetArray() -> CUresult {
    unsupported(551)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuSurfRefSetArray() -> CUresult {
    unsupported(552)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTensorMapEncodeIm2col() -> CUresult {
    unsupported(553)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTensorMapEncodeIm2colWide() -> CUresult {
    unsupported(554)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTensorMapEncodeTiled() -> CUresult {
    unsupported(555)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTensorMapReplaceAddress() -> CUresult {
    unsupported(556)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexObjectCreate() -> CUresult {
    unsupported(557)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexObjectDestroy() -> CUresult {
    unsupported(558)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexObjectGetResourceDesc() -> CUresult {
    unsupported(559)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexObjectGetResourceViewDesc() -> CUresult {
    unsupported(560)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexObjectGetTextureDesc() -> CUresult {
    unsupported(561)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefCreate() -> CUresult {
    unsupported(562)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefDestroy() -> CUresult {
    unsupported(563)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetAddress() -> CUresult {
    unsupported(564)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetAddress_v2() -> CUresult {
    unsupported(565)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetAddressMode() -> CUresult {
    unsupported(566)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetArray() -> CUresult {
    unsupported(567)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetBorderColor() -> CUresult {
    unsupported(568)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetFilterMode() -> CUresult {
    unsupported(569)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetFlags() -> CUresult {
    unsupported(570)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetFormat() -> CUresult {
    unsupported(571)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetMaxAnisotropy() -> CUresult {
    unsupported(572)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetMipmapFilterMode() -> CUresult {
    unsupported(573)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetMipmapLevelBias() -> CUresult {
    unsupported(574)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetMipmapLevelClamp() -> CUresult {
    unsupported(575)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefGetMipmappedArray() -> CUresult {
    unsupported(576)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetAddress() -> CUresult {
    unsupported(577)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetAddress_v2() -> CUresult {
    unsupported(578)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetAddress2D() -> CUresult {
    unsupported(579)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetAddress2D_v2() -> CUresult {
    unsupported(580)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetAddress2D_v3() -> CUresult {
    unsupported(581)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetAddressMode() -> CUresult {
    unsupported(582)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetArray() -> CUresult {
    unsupported(583)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetBorderColor() -> CUresult {
    unsupported(584)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetFilterMode() -> CUresult {
    unsupported(585)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetFlags() -> CUresult {
    unsupported(586)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetFormat() -> CUresult {
    unsupported(587)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetMaxAnisotropy() -> CUresult {
    unsupported(588)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetMipmapFilterMode() -> CUresult {
    unsupported(589)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetMipmapLevelBias() -> CUresult {
    unsupported(590)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetMipmapLevelClamp() -> CUresult {
    unsupported(591)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuTexRefSetMipmappedArray() -> CUresult {
    unsupported(592)
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
pub unsafe extern "C" fn cuDevResourceGenerateDesc() -> CUresult {
    unsupported(605)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevSmResourceSplitByCount() -> CUresult {
    unsupported(606)
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
pub unsafe extern "C" fn cuFlushGPUDirectRDMAWrites() -> CUresult {
    unsupported(619)
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
pub unsafe extern "C" fn cuGreenCtxCreate() -> CUresult {
    unsupported(653)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxDestroy() -> CUresult {
    unsupported(654)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxGetDevResource() -> CUresult {
    unsupported(655)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxGetId() -> CUresult {
    unsupported(656)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxRecordEvent() -> CUresult {
    unsupported(657)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxStreamCreate() -> CUresult {
    unsupported(658)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGreenCtxWaitEvent() -> CUresult {
    unsupported(659)
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
pub unsafe extern "C" fn cuLogsCurrent() -> CUresult {
    unsupported(662)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLogsDumpToFile() -> CUresult {
    unsupported(663)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLogsDumpToMemory() -> CUresult {
    unsupported(664)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLogsRegisterCallback() -> CUresult {
    unsupported(665)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLogsUnregisterCallback() -> CUresult {
    unsupported(666)
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
static ADDRESSES: [(&str, Address); 0] = [];

/// The address of an implemented symbol.
pub fn address(symbol: &str) -> Option<*const c_void> {
    let found = ADDRESSES.binary_search_by(|(name, _)| (*name).cmp(symbol)).ok()?;
    Some(ADDRESSES[found].1.0)
}

/// A function's address in a table that all threads read.
struct Address(*const c_void);

// SAFETY: the address of a function is never written through.
unsafe impl Sync for Address {}
