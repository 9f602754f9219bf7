// Written by `cargo xtask codegen` from spec/nvml.rs; change that.

#![allow(non_snake_case, clippy::too_many_arguments)]

use crate::nvml::*;
use crate::types::CUuuid;
use crate::{Library, OpenError};
use std::ffi::{c_char, c_void};

/// The functions of one libnvidia-ml.so.1. A function that the library lacks returns
/// FUNCTION_NOT_FOUND.
pub struct Nvml {
    functions: Functions,
    _library: Library,
}

struct Functions {
    nvmlInit: Option<unsafe extern "C" fn() -> nvmlReturn_t>,
    nvmlInit_v2: Option<unsafe extern "C" fn() -> nvmlReturn_t>,
    nvmlInitWithFlags: Option<unsafe extern "C" fn(u32) -> nvmlReturn_t>,
    nvmlShutdown: Option<unsafe extern "C" fn() -> nvmlReturn_t>,
    nvmlSystemGetDriverVersion: Option<unsafe extern "C" fn(*mut c_char, u32) -> nvmlReturn_t>,
    nvmlSystemGetNVMLVersion: Option<unsafe extern "C" fn(*mut c_char, u32) -> nvmlReturn_t>,
    nvmlSystemGetCudaDriverVersion: Option<unsafe extern "C" fn(*mut i32) -> nvmlReturn_t>,
    nvmlSystemGetCudaDriverVersion_v2: Option<unsafe extern "C" fn(*mut i32) -> nvmlReturn_t>,
    nvmlSystemGetProcessName: Option<unsafe extern "C" fn(u32, *mut c_char, u32) -> nvmlReturn_t>,
    nvmlInternalGetExportTable:
        Option<unsafe extern "C" fn(*mut *const c_void, *const CUuuid) -> nvmlReturn_t>,
    nvmlDeviceGetCount: Option<unsafe extern "C" fn(*mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetCount_v2: Option<unsafe extern "C" fn(*mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetHandleByIndex:
        Option<unsafe extern "C" fn(u32, *mut nvmlDevice_t) -> nvmlReturn_t>,
    nvmlDeviceGetHandleByIndex_v2:
        Option<unsafe extern "C" fn(u32, *mut nvmlDevice_t) -> nvmlReturn_t>,
    nvmlDeviceGetHandleByPciBusId:
        Option<unsafe extern "C" fn(*const c_char, *mut nvmlDevice_t) -> nvmlReturn_t>,
    nvmlDeviceGetHandleByPciBusId_v2:
        Option<unsafe extern "C" fn(*const c_char, *mut nvmlDevice_t) -> nvmlReturn_t>,
    nvmlDeviceGetHandleByUUID:
        Option<unsafe extern "C" fn(*const c_char, *mut nvmlDevice_t) -> nvmlReturn_t>,
    nvmlDeviceGetIndex: Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetName: Option<unsafe extern "C" fn(nvmlDevice_t, *mut c_char, u32) -> nvmlReturn_t>,
    nvmlDeviceGetUUID: Option<unsafe extern "C" fn(nvmlDevice_t, *mut c_char, u32) -> nvmlReturn_t>,
    nvmlDeviceGetPciInfo_v3:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut nvmlPciInfo_t) -> nvmlReturn_t>,
    nvmlDeviceGetCudaComputeCapability:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut i32, *mut i32) -> nvmlReturn_t>,
    nvmlDeviceGetArchitecture: Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetComputeMode: Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceIsMigDeviceHandle:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetP2PStatus:
        Option<unsafe extern "C" fn(nvmlDevice_t, nvmlDevice_t, u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetMemoryInfo:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut nvmlMemory_t) -> nvmlReturn_t>,
    nvmlDeviceGetMemoryInfo_v2:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut nvmlMemory_v2_t) -> nvmlReturn_t>,
    nvmlDeviceGetComputeRunningProcesses: Option<
        unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut nvmlProcessInfo_v1_t) -> nvmlReturn_t,
    >,
    nvmlDeviceGetComputeRunningProcesses_v2: Option<
        unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut nvmlProcessInfo_t) -> nvmlReturn_t,
    >,
    nvmlDeviceGetComputeRunningProcesses_v3: Option<
        unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut nvmlProcessInfo_t) -> nvmlReturn_t,
    >,
    nvmlDeviceGetGraphicsRunningProcesses: Option<
        unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut nvmlProcessInfo_v1_t) -> nvmlReturn_t,
    >,
    nvmlDeviceGetGraphicsRunningProcesses_v2: Option<
        unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut nvmlProcessInfo_t) -> nvmlReturn_t,
    >,
    nvmlDeviceGetGraphicsRunningProcesses_v3: Option<
        unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut nvmlProcessInfo_t) -> nvmlReturn_t,
    >,
    nvmlDeviceGetMPSComputeRunningProcesses: Option<
        unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut nvmlProcessInfo_v1_t) -> nvmlReturn_t,
    >,
    nvmlDeviceGetMPSComputeRunningProcesses_v2: Option<
        unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut nvmlProcessInfo_t) -> nvmlReturn_t,
    >,
    nvmlDeviceGetMPSComputeRunningProcesses_v3: Option<
        unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut nvmlProcessInfo_t) -> nvmlReturn_t,
    >,
    nvmlDeviceGetUtilizationRates:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut nvmlUtilization_t) -> nvmlReturn_t>,
    nvmlDeviceGetTemperature:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetTemperatureV:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut nvmlTemperature_t) -> nvmlReturn_t>,
    nvmlDeviceGetPowerUsage: Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetTotalEnergyConsumption:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u64) -> nvmlReturn_t>,
    nvmlDeviceGetClockInfo:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetClock:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetMaxClockInfo:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetApplicationsClock:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetDefaultApplicationsClock:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetMaxCustomerBoostClock:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetFanSpeed: Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetFanSpeed_v2:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetNumFans: Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetPerformanceState:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetPowerState: Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetCurrentClocksThrottleReasons:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u64) -> nvmlReturn_t>,
    nvmlDeviceGetSupportedClocksThrottleReasons:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u64) -> nvmlReturn_t>,
    nvmlDeviceGetCurrentClocksEventReasons:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u64) -> nvmlReturn_t>,
    nvmlDeviceGetSupportedClocksEventReasons:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u64) -> nvmlReturn_t>,
    nvmlDeviceGetTemperatureThreshold:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetViolationStatus:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, *mut nvmlViolationTime_t) -> nvmlReturn_t>,
    nvmlDeviceGetEncoderUtilization:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetDecoderUtilization:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetJpgUtilization:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetOfaUtilization:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetFieldValues:
        Option<unsafe extern "C" fn(nvmlDevice_t, i32, *mut nvmlFieldValue_t) -> nvmlReturn_t>,
    nvmlDeviceGetEncoderStats:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetFBCStats:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut nvmlFBCStats_t) -> nvmlReturn_t>,
    nvmlDeviceGetMarginTemperature:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut nvmlMarginTemperature_v1_t) -> nvmlReturn_t>,
    nvmlDeviceGetPowerManagementMode:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetPowerManagementLimit:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetPowerManagementDefaultLimit:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetPowerManagementLimitConstraints:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetEnforcedPowerLimit:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetPowerSource: Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetEccMode:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetDefaultEccMode:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetTotalEccErrors:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, u32, *mut u64) -> nvmlReturn_t>,
    nvmlDeviceGetMemoryErrorCounter:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, u32, u32, *mut u64) -> nvmlReturn_t>,
    nvmlDeviceGetRemappedRows: Option<
        unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut u32, *mut u32, *mut u32) -> nvmlReturn_t,
    >,
    nvmlDeviceGetRowRemapperHistogram: Option<
        unsafe extern "C" fn(nvmlDevice_t, *mut nvmlRowRemapperHistogramValues_t) -> nvmlReturn_t,
    >,
    nvmlDeviceGetRetiredPagesPendingStatus:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetSramEccErrorStatus: Option<
        unsafe extern "C" fn(nvmlDevice_t, *mut nvmlEccSramErrorStatus_v1_t) -> nvmlReturn_t,
    >,
    nvmlDeviceGetRepairStatus:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut nvmlRepairStatus_v1_t) -> nvmlReturn_t>,
    nvmlDeviceValidateInforom: Option<unsafe extern "C" fn(nvmlDevice_t) -> nvmlReturn_t>,
    nvmlDeviceGetBrand: Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetMinorNumber: Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetBoardId: Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetMultiGpuBoard:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetNumGpuCores: Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetMemoryBusWidth:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetSerial:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut c_char, u32) -> nvmlReturn_t>,
    nvmlDeviceGetVbiosVersion:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut c_char, u32) -> nvmlReturn_t>,
    nvmlDeviceGetBoardPartNumber:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut c_char, u32) -> nvmlReturn_t>,
    nvmlDeviceGetInforomImageVersion:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut c_char, u32) -> nvmlReturn_t>,
    nvmlDeviceGetInforomVersion:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, *mut c_char, u32) -> nvmlReturn_t>,
    nvmlDeviceGetBAR1MemoryInfo:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut nvmlBAR1Memory_t) -> nvmlReturn_t>,
    nvmlDeviceGetCurrPcieLinkGeneration:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetCurrPcieLinkWidth:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetMaxPcieLinkGeneration:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetMaxPcieLinkWidth:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetGpuMaxPcieLinkGeneration:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetPcieThroughput:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetPcieReplayCounter:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetPcieSpeed: Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetPcieLinkMaxSpeed:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetModuleId: Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetPdi: Option<unsafe extern "C" fn(nvmlDevice_t, *mut nvmlPdi_v1_t) -> nvmlReturn_t>,
    nvmlDeviceGetPciInfoExt:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut nvmlPciInfoExt_v1_t) -> nvmlReturn_t>,
    nvmlDeviceGetPersistenceMode:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetDisplayMode: Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetDisplayActive:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetMigMode:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetGpuOperationMode:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetVirtualizationMode:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetAutoBoostedClocksEnabled:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetAdaptiveClockInfoStatus:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetGspFirmwareMode:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetAccountingMode:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetAccountingBufferSize:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetHostVgpuMode: Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetMaxMigDeviceCount:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetConfComputeProtectedMemoryUsage:
        Option<unsafe extern "C" fn(nvmlDevice_t, *mut nvmlMemory_t) -> nvmlReturn_t>,
    nvmlDeviceGetAddressingMode: Option<
        unsafe extern "C" fn(nvmlDevice_t, *mut nvmlDeviceAddressingMode_v1_t) -> nvmlReturn_t,
    >,
    nvmlDeviceGetCapabilities: Option<
        unsafe extern "C" fn(nvmlDevice_t, *mut nvmlDeviceCapabilities_v1_t) -> nvmlReturn_t,
    >,
    nvmlEventSetCreate: Option<unsafe extern "C" fn(*mut nvmlEventSet_t) -> nvmlReturn_t>,
    nvmlEventSetFree: Option<unsafe extern "C" fn(nvmlEventSet_t) -> nvmlReturn_t>,
    nvmlDeviceGetNvLinkState:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetNvLinkVersion:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetNvLinkCapability:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, u32, *mut u32) -> nvmlReturn_t>,
    nvmlDeviceGetNvLinkRemotePciInfo_v2:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, *mut nvmlPciInfo_t) -> nvmlReturn_t>,
    nvmlDeviceGetNvLinkRemotePciInfo:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, *mut nvmlPciInfo_v2_t) -> nvmlReturn_t>,
    nvmlDeviceGetNvLinkRemoteDeviceType:
        Option<unsafe extern "C" fn(nvmlDevice_t, u32, *mut u32) -> nvmlReturn_t>,
}

impl Nvml {
    /// Opens the library at `path`. Does not initialise NVML.
    pub fn open(path: &std::path::Path) -> Result<Nvml, OpenError> {
        let library = Library::open(path)?;
        // SAFETY: each symbol has the type that nvml.h gives it under that exported name.
        let functions = unsafe {
            Functions {
                nvmlInit: library.symbol(c"nvmlInit"),
                nvmlInit_v2: library.symbol(c"nvmlInit_v2"),
                nvmlInitWithFlags: library.symbol(c"nvmlInitWithFlags"),
                nvmlShutdown: library.symbol(c"nvmlShutdown"),
                nvmlSystemGetDriverVersion: library.symbol(c"nvmlSystemGetDriverVersion"),
                nvmlSystemGetNVMLVersion: library.symbol(c"nvmlSystemGetNVMLVersion"),
                nvmlSystemGetCudaDriverVersion: library.symbol(c"nvmlSystemGetCudaDriverVersion"),
                nvmlSystemGetCudaDriverVersion_v2: library
                    .symbol(c"nvmlSystemGetCudaDriverVersion_v2"),
                nvmlSystemGetProcessName: library.symbol(c"nvmlSystemGetProcessName"),
                nvmlInternalGetExportTable: library.symbol(c"nvmlInternalGetExportTable"),
                nvmlDeviceGetCount: library.symbol(c"nvmlDeviceGetCount"),
                nvmlDeviceGetCount_v2: library.symbol(c"nvmlDeviceGetCount_v2"),
                nvmlDeviceGetHandleByIndex: library.symbol(c"nvmlDeviceGetHandleByIndex"),
                nvmlDeviceGetHandleByIndex_v2: library.symbol(c"nvmlDeviceGetHandleByIndex_v2"),
                nvmlDeviceGetHandleByPciBusId: library.symbol(c"nvmlDeviceGetHandleByPciBusId"),
                nvmlDeviceGetHandleByPciBusId_v2: library
                    .symbol(c"nvmlDeviceGetHandleByPciBusId_v2"),
                nvmlDeviceGetHandleByUUID: library.symbol(c"nvmlDeviceGetHandleByUUID"),
                nvmlDeviceGetIndex: library.symbol(c"nvmlDeviceGetIndex"),
                nvmlDeviceGetName: library.symbol(c"nvmlDeviceGetName"),
                nvmlDeviceGetUUID: library.symbol(c"nvmlDeviceGetUUID"),
                nvmlDeviceGetPciInfo_v3: library.symbol(c"nvmlDeviceGetPciInfo_v3"),
                nvmlDeviceGetCudaComputeCapability: library
                    .symbol(c"nvmlDeviceGetCudaComputeCapability"),
                nvmlDeviceGetArchitecture: library.symbol(c"nvmlDeviceGetArchitecture"),
                nvmlDeviceGetComputeMode: library.symbol(c"nvmlDeviceGetComputeMode"),
                nvmlDeviceIsMigDeviceHandle: library.symbol(c"nvmlDeviceIsMigDeviceHandle"),
                nvmlDeviceGetP2PStatus: library.symbol(c"nvmlDeviceGetP2PStatus"),
                nvmlDeviceGetMemoryInfo: library.symbol(c"nvmlDeviceGetMemoryInfo"),
                nvmlDeviceGetMemoryInfo_v2: library.symbol(c"nvmlDeviceGetMemoryInfo_v2"),
                nvmlDeviceGetComputeRunningProcesses: library
                    .symbol(c"nvmlDeviceGetComputeRunningProcesses"),
                nvmlDeviceGetComputeRunningProcesses_v2: library
                    .symbol(c"nvmlDeviceGetComputeRunningProcesses_v2"),
                nvmlDeviceGetComputeRunningProcesses_v3: library
                    .symbol(c"nvmlDeviceGetComputeRunningProcesses_v3"),
                nvmlDeviceGetGraphicsRunningProcesses: library
                    .symbol(c"nvmlDeviceGetGraphicsRunningProcesses"),
                nvmlDeviceGetGraphicsRunningProcesses_v2: library
                    .symbol(c"nvmlDeviceGetGraphicsRunningProcesses_v2"),
                nvmlDeviceGetGraphicsRunningProcesses_v3: library
                    .symbol(c"nvmlDeviceGetGraphicsRunningProcesses_v3"),
                nvmlDeviceGetMPSComputeRunningProcesses: library
                    .symbol(c"nvmlDeviceGetMPSComputeRunningProcesses"),
                nvmlDeviceGetMPSComputeRunningProcesses_v2: library
                    .symbol(c"nvmlDeviceGetMPSComputeRunningProcesses_v2"),
                nvmlDeviceGetMPSComputeRunningProcesses_v3: library
                    .symbol(c"nvmlDeviceGetMPSComputeRunningProcesses_v3"),
                nvmlDeviceGetUtilizationRates: library.symbol(c"nvmlDeviceGetUtilizationRates"),
                nvmlDeviceGetTemperature: library.symbol(c"nvmlDeviceGetTemperature"),
                nvmlDeviceGetTemperatureV: library.symbol(c"nvmlDeviceGetTemperatureV"),
                nvmlDeviceGetPowerUsage: library.symbol(c"nvmlDeviceGetPowerUsage"),
                nvmlDeviceGetTotalEnergyConsumption: library
                    .symbol(c"nvmlDeviceGetTotalEnergyConsumption"),
                nvmlDeviceGetClockInfo: library.symbol(c"nvmlDeviceGetClockInfo"),
                nvmlDeviceGetClock: library.symbol(c"nvmlDeviceGetClock"),
                nvmlDeviceGetMaxClockInfo: library.symbol(c"nvmlDeviceGetMaxClockInfo"),
                nvmlDeviceGetApplicationsClock: library.symbol(c"nvmlDeviceGetApplicationsClock"),
                nvmlDeviceGetDefaultApplicationsClock: library
                    .symbol(c"nvmlDeviceGetDefaultApplicationsClock"),
                nvmlDeviceGetMaxCustomerBoostClock: library
                    .symbol(c"nvmlDeviceGetMaxCustomerBoostClock"),
                nvmlDeviceGetFanSpeed: library.symbol(c"nvmlDeviceGetFanSpeed"),
                nvmlDeviceGetFanSpeed_v2: library.symbol(c"nvmlDeviceGetFanSpeed_v2"),
                nvmlDeviceGetNumFans: library.symbol(c"nvmlDeviceGetNumFans"),
                nvmlDeviceGetPerformanceState: library.symbol(c"nvmlDeviceGetPerformanceState"),
                nvmlDeviceGetPowerState: library.symbol(c"nvmlDeviceGetPowerState"),
                nvmlDeviceGetCurrentClocksThrottleReasons: library
                    .symbol(c"nvmlDeviceGetCurrentClocksThrottleReasons"),
                nvmlDeviceGetSupportedClocksThrottleReasons: library
                    .symbol(c"nvmlDeviceGetSupportedClocksThrottleReasons"),
                nvmlDeviceGetCurrentClocksEventReasons: library
                    .symbol(c"nvmlDeviceGetCurrentClocksEventReasons"),
                nvmlDeviceGetSupportedClocksEventReasons: library
                    .symbol(c"nvmlDeviceGetSupportedClocksEventReasons"),
                nvmlDeviceGetTemperatureThreshold: library
                    .symbol(c"nvmlDeviceGetTemperatureThreshold"),
                nvmlDeviceGetViolationStatus: library.symbol(c"nvmlDeviceGetViolationStatus"),
                nvmlDeviceGetEncoderUtilization: library.symbol(c"nvmlDeviceGetEncoderUtilization"),
                nvmlDeviceGetDecoderUtilization: library.symbol(c"nvmlDeviceGetDecoderUtilization"),
                nvmlDeviceGetJpgUtilization: library.symbol(c"nvmlDeviceGetJpgUtilization"),
                nvmlDeviceGetOfaUtilization: library.symbol(c"nvmlDeviceGetOfaUtilization"),
                nvmlDeviceGetFieldValues: library.symbol(c"nvmlDeviceGetFieldValues"),
                nvmlDeviceGetEncoderStats: library.symbol(c"nvmlDeviceGetEncoderStats"),
                nvmlDeviceGetFBCStats: library.symbol(c"nvmlDeviceGetFBCStats"),
                nvmlDeviceGetMarginTemperature: library.symbol(c"nvmlDeviceGetMarginTemperature"),
                nvmlDeviceGetPowerManagementMode: library
                    .symbol(c"nvmlDeviceGetPowerManagementMode"),
                nvmlDeviceGetPowerManagementLimit: library
                    .symbol(c"nvmlDeviceGetPowerManagementLimit"),
                nvmlDeviceGetPowerManagementDefaultLimit: library
                    .symbol(c"nvmlDeviceGetPowerManagementDefaultLimit"),
                nvmlDeviceGetPowerManagementLimitConstraints: library
                    .symbol(c"nvmlDeviceGetPowerManagementLimitConstraints"),
                nvmlDeviceGetEnforcedPowerLimit: library.symbol(c"nvmlDeviceGetEnforcedPowerLimit"),
                nvmlDeviceGetPowerSource: library.symbol(c"nvmlDeviceGetPowerSource"),
                nvmlDeviceGetEccMode: library.symbol(c"nvmlDeviceGetEccMode"),
                nvmlDeviceGetDefaultEccMode: library.symbol(c"nvmlDeviceGetDefaultEccMode"),
                nvmlDeviceGetTotalEccErrors: library.symbol(c"nvmlDeviceGetTotalEccErrors"),
                nvmlDeviceGetMemoryErrorCounter: library.symbol(c"nvmlDeviceGetMemoryErrorCounter"),
                nvmlDeviceGetRemappedRows: library.symbol(c"nvmlDeviceGetRemappedRows"),
                nvmlDeviceGetRowRemapperHistogram: library
                    .symbol(c"nvmlDeviceGetRowRemapperHistogram"),
                nvmlDeviceGetRetiredPagesPendingStatus: library
                    .symbol(c"nvmlDeviceGetRetiredPagesPendingStatus"),
                nvmlDeviceGetSramEccErrorStatus: library.symbol(c"nvmlDeviceGetSramEccErrorStatus"),
                nvmlDeviceGetRepairStatus: library.symbol(c"nvmlDeviceGetRepairStatus"),
                nvmlDeviceValidateInforom: library.symbol(c"nvmlDeviceValidateInforom"),
                nvmlDeviceGetBrand: library.symbol(c"nvmlDeviceGetBrand"),
                nvmlDeviceGetMinorNumber: library.symbol(c"nvmlDeviceGetMinorNumber"),
                nvmlDeviceGetBoardId: library.symbol(c"nvmlDeviceGetBoardId"),
                nvmlDeviceGetMultiGpuBoard: library.symbol(c"nvmlDeviceGetMultiGpuBoard"),
                nvmlDeviceGetNumGpuCores: library.symbol(c"nvmlDeviceGetNumGpuCores"),
                nvmlDeviceGetMemoryBusWidth: library.symbol(c"nvmlDeviceGetMemoryBusWidth"),
                nvmlDeviceGetSerial: library.symbol(c"nvmlDeviceGetSerial"),
                nvmlDeviceGetVbiosVersion: library.symbol(c"nvmlDeviceGetVbiosVersion"),
                nvmlDeviceGetBoardPartNumber: library.symbol(c"nvmlDeviceGetBoardPartNumber"),
                nvmlDeviceGetInforomImageVersion: library
                    .symbol(c"nvmlDeviceGetInforomImageVersion"),
                nvmlDeviceGetInforomVersion: library.symbol(c"nvmlDeviceGetInforomVersion"),
                nvmlDeviceGetBAR1MemoryInfo: library.symbol(c"nvmlDeviceGetBAR1MemoryInfo"),
                nvmlDeviceGetCurrPcieLinkGeneration: library
                    .symbol(c"nvmlDeviceGetCurrPcieLinkGeneration"),
                nvmlDeviceGetCurrPcieLinkWidth: library.symbol(c"nvmlDeviceGetCurrPcieLinkWidth"),
                nvmlDeviceGetMaxPcieLinkGeneration: library
                    .symbol(c"nvmlDeviceGetMaxPcieLinkGeneration"),
                nvmlDeviceGetMaxPcieLinkWidth: library.symbol(c"nvmlDeviceGetMaxPcieLinkWidth"),
                nvmlDeviceGetGpuMaxPcieLinkGeneration: library
                    .symbol(c"nvmlDeviceGetGpuMaxPcieLinkGeneration"),
                nvmlDeviceGetPcieThroughput: library.symbol(c"nvmlDeviceGetPcieThroughput"),
                nvmlDeviceGetPcieReplayCounter: library.symbol(c"nvmlDeviceGetPcieReplayCounter"),
                nvmlDeviceGetPcieSpeed: library.symbol(c"nvmlDeviceGetPcieSpeed"),
                nvmlDeviceGetPcieLinkMaxSpeed: library.symbol(c"nvmlDeviceGetPcieLinkMaxSpeed"),
                nvmlDeviceGetModuleId: library.symbol(c"nvmlDeviceGetModuleId"),
                nvmlDeviceGetPdi: library.symbol(c"nvmlDeviceGetPdi"),
                nvmlDeviceGetPciInfoExt: library.symbol(c"nvmlDeviceGetPciInfoExt"),
                nvmlDeviceGetPersistenceMode: library.symbol(c"nvmlDeviceGetPersistenceMode"),
                nvmlDeviceGetDisplayMode: library.symbol(c"nvmlDeviceGetDisplayMode"),
                nvmlDeviceGetDisplayActive: library.symbol(c"nvmlDeviceGetDisplayActive"),
                nvmlDeviceGetMigMode: library.symbol(c"nvmlDeviceGetMigMode"),
                nvmlDeviceGetGpuOperationMode: library.symbol(c"nvmlDeviceGetGpuOperationMode"),
                nvmlDeviceGetVirtualizationMode: library.symbol(c"nvmlDeviceGetVirtualizationMode"),
                nvmlDeviceGetAutoBoostedClocksEnabled: library
                    .symbol(c"nvmlDeviceGetAutoBoostedClocksEnabled"),
                nvmlDeviceGetAdaptiveClockInfoStatus: library
                    .symbol(c"nvmlDeviceGetAdaptiveClockInfoStatus"),
                nvmlDeviceGetGspFirmwareMode: library.symbol(c"nvmlDeviceGetGspFirmwareMode"),
                nvmlDeviceGetAccountingMode: library.symbol(c"nvmlDeviceGetAccountingMode"),
                nvmlDeviceGetAccountingBufferSize: library
                    .symbol(c"nvmlDeviceGetAccountingBufferSize"),
                nvmlDeviceGetHostVgpuMode: library.symbol(c"nvmlDeviceGetHostVgpuMode"),
                nvmlDeviceGetMaxMigDeviceCount: library.symbol(c"nvmlDeviceGetMaxMigDeviceCount"),
                nvmlDeviceGetConfComputeProtectedMemoryUsage: library
                    .symbol(c"nvmlDeviceGetConfComputeProtectedMemoryUsage"),
                nvmlDeviceGetAddressingMode: library.symbol(c"nvmlDeviceGetAddressingMode"),
                nvmlDeviceGetCapabilities: library.symbol(c"nvmlDeviceGetCapabilities"),
                nvmlEventSetCreate: library.symbol(c"nvmlEventSetCreate"),
                nvmlEventSetFree: library.symbol(c"nvmlEventSetFree"),
                nvmlDeviceGetNvLinkState: library.symbol(c"nvmlDeviceGetNvLinkState"),
                nvmlDeviceGetNvLinkVersion: library.symbol(c"nvmlDeviceGetNvLinkVersion"),
                nvmlDeviceGetNvLinkCapability: library.symbol(c"nvmlDeviceGetNvLinkCapability"),
                nvmlDeviceGetNvLinkRemotePciInfo_v2: library
                    .symbol(c"nvmlDeviceGetNvLinkRemotePciInfo_v2"),
                nvmlDeviceGetNvLinkRemotePciInfo: library
                    .symbol(c"nvmlDeviceGetNvLinkRemotePciInfo"),
                nvmlDeviceGetNvLinkRemoteDeviceType: library
                    .symbol(c"nvmlDeviceGetNvLinkRemoteDeviceType"),
            }
        };
        Ok(Nvml { functions, _library: library })
    }
}

/// # Safety
/// Each method calls NVML's function of its name. Its arguments must meet that function's
/// requirements.
#[allow(missing_docs, clippy::missing_safety_doc)]
impl Nvml {
    pub unsafe fn nvmlInit(&self) -> nvmlReturn_t {
        match self.functions.nvmlInit {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function() },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlInit_v2(&self) -> nvmlReturn_t {
        match self.functions.nvmlInit_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function() },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlInitWithFlags(&self, flags: u32) -> nvmlReturn_t {
        match self.functions.nvmlInitWithFlags {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(flags) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlShutdown(&self) -> nvmlReturn_t {
        match self.functions.nvmlShutdown {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function() },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlSystemGetDriverVersion(
        &self,
        version: *mut c_char,
        versionLength: u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlSystemGetDriverVersion {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(version, versionLength) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlSystemGetNVMLVersion(
        &self,
        version: *mut c_char,
        versionLength: u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlSystemGetNVMLVersion {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(version, versionLength) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlSystemGetCudaDriverVersion(
        &self,
        cudaDriverVersion: *mut i32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlSystemGetCudaDriverVersion {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(cudaDriverVersion) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlSystemGetCudaDriverVersion_v2(
        &self,
        cudaDriverVersion: *mut i32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlSystemGetCudaDriverVersion_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(cudaDriverVersion) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlSystemGetProcessName(
        &self,
        pid: u32,
        name: *mut c_char,
        nameLength: u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlSystemGetProcessName {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pid, name, nameLength) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlInternalGetExportTable(
        &self,
        table: *mut *const c_void,
        id: *const CUuuid,
    ) -> nvmlReturn_t {
        match self.functions.nvmlInternalGetExportTable {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(table, id) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetCount(&self, deviceCount: *mut u32) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetCount {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(deviceCount) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetCount_v2(&self, deviceCount: *mut u32) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetCount_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(deviceCount) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetHandleByIndex(
        &self,
        index: u32,
        device: *mut nvmlDevice_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetHandleByIndex {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(index, device) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetHandleByIndex_v2(
        &self,
        index: u32,
        device: *mut nvmlDevice_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetHandleByIndex_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(index, device) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetHandleByPciBusId(
        &self,
        pciBusId: *const c_char,
        device: *mut nvmlDevice_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetHandleByPciBusId {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pciBusId, device) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetHandleByPciBusId_v2(
        &self,
        pciBusId: *const c_char,
        device: *mut nvmlDevice_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetHandleByPciBusId_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(pciBusId, device) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetHandleByUUID(
        &self,
        uuid: *const c_char,
        device: *mut nvmlDevice_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetHandleByUUID {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(uuid, device) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetIndex(&self, device: nvmlDevice_t, index: *mut u32) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetIndex {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, index) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetName(
        &self,
        device: nvmlDevice_t,
        name: *mut c_char,
        nameLength: u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetName {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, name, nameLength) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetUUID(
        &self,
        device: nvmlDevice_t,
        uuid: *mut c_char,
        uuidLength: u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetUUID {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, uuid, uuidLength) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetPciInfo_v3(
        &self,
        device: nvmlDevice_t,
        pci: *mut nvmlPciInfo_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetPciInfo_v3 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, pci) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetCudaComputeCapability(
        &self,
        device: nvmlDevice_t,
        major: *mut i32,
        minor: *mut i32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetCudaComputeCapability {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, major, minor) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetArchitecture(
        &self,
        device: nvmlDevice_t,
        arch: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetArchitecture {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, arch) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetComputeMode(
        &self,
        device: nvmlDevice_t,
        mode: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetComputeMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, mode) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceIsMigDeviceHandle(
        &self,
        device: nvmlDevice_t,
        isMigDevice: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceIsMigDeviceHandle {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, isMigDevice) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetP2PStatus(
        &self,
        device1: nvmlDevice_t,
        device2: nvmlDevice_t,
        p2pIndex: u32,
        p2pStatus: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetP2PStatus {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device1, device2, p2pIndex, p2pStatus) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetMemoryInfo(
        &self,
        device: nvmlDevice_t,
        memory: *mut nvmlMemory_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetMemoryInfo {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, memory) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetMemoryInfo_v2(
        &self,
        device: nvmlDevice_t,
        memory: *mut nvmlMemory_v2_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetMemoryInfo_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, memory) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetComputeRunningProcesses(
        &self,
        device: nvmlDevice_t,
        infoCount: *mut u32,
        infos: *mut nvmlProcessInfo_v1_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetComputeRunningProcesses {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, infoCount, infos) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetComputeRunningProcesses_v2(
        &self,
        device: nvmlDevice_t,
        infoCount: *mut u32,
        infos: *mut nvmlProcessInfo_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetComputeRunningProcesses_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, infoCount, infos) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetComputeRunningProcesses_v3(
        &self,
        device: nvmlDevice_t,
        infoCount: *mut u32,
        infos: *mut nvmlProcessInfo_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetComputeRunningProcesses_v3 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, infoCount, infos) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetGraphicsRunningProcesses(
        &self,
        device: nvmlDevice_t,
        infoCount: *mut u32,
        infos: *mut nvmlProcessInfo_v1_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetGraphicsRunningProcesses {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, infoCount, infos) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetGraphicsRunningProcesses_v2(
        &self,
        device: nvmlDevice_t,
        infoCount: *mut u32,
        infos: *mut nvmlProcessInfo_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetGraphicsRunningProcesses_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, infoCount, infos) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetGraphicsRunningProcesses_v3(
        &self,
        device: nvmlDevice_t,
        infoCount: *mut u32,
        infos: *mut nvmlProcessInfo_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetGraphicsRunningProcesses_v3 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, infoCount, infos) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetMPSComputeRunningProcesses(
        &self,
        device: nvmlDevice_t,
        infoCount: *mut u32,
        infos: *mut nvmlProcessInfo_v1_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetMPSComputeRunningProcesses {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, infoCount, infos) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetMPSComputeRunningProcesses_v2(
        &self,
        device: nvmlDevice_t,
        infoCount: *mut u32,
        infos: *mut nvmlProcessInfo_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetMPSComputeRunningProcesses_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, infoCount, infos) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetMPSComputeRunningProcesses_v3(
        &self,
        device: nvmlDevice_t,
        infoCount: *mut u32,
        infos: *mut nvmlProcessInfo_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetMPSComputeRunningProcesses_v3 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, infoCount, infos) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetUtilizationRates(
        &self,
        device: nvmlDevice_t,
        utilization: *mut nvmlUtilization_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetUtilizationRates {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, utilization) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetTemperature(
        &self,
        device: nvmlDevice_t,
        sensorType: u32,
        temp: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetTemperature {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, sensorType, temp) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetTemperatureV(
        &self,
        device: nvmlDevice_t,
        temperature: *mut nvmlTemperature_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetTemperatureV {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, temperature) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetPowerUsage(
        &self,
        device: nvmlDevice_t,
        power: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetPowerUsage {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, power) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetTotalEnergyConsumption(
        &self,
        device: nvmlDevice_t,
        energy: *mut u64,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetTotalEnergyConsumption {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, energy) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetClockInfo(
        &self,
        device: nvmlDevice_t,
        type_: u32,
        clock: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetClockInfo {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, type_, clock) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetClock(
        &self,
        device: nvmlDevice_t,
        clockType: u32,
        clockId: u32,
        clockMHz: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetClock {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, clockType, clockId, clockMHz) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetMaxClockInfo(
        &self,
        device: nvmlDevice_t,
        type_: u32,
        clock: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetMaxClockInfo {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, type_, clock) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetApplicationsClock(
        &self,
        device: nvmlDevice_t,
        clockType: u32,
        clockMHz: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetApplicationsClock {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, clockType, clockMHz) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetDefaultApplicationsClock(
        &self,
        device: nvmlDevice_t,
        clockType: u32,
        clockMHz: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetDefaultApplicationsClock {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, clockType, clockMHz) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetMaxCustomerBoostClock(
        &self,
        device: nvmlDevice_t,
        clockType: u32,
        clockMHz: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetMaxCustomerBoostClock {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, clockType, clockMHz) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetFanSpeed(
        &self,
        device: nvmlDevice_t,
        speed: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetFanSpeed {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, speed) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetFanSpeed_v2(
        &self,
        device: nvmlDevice_t,
        fan: u32,
        speed: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetFanSpeed_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, fan, speed) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetNumFans(
        &self,
        device: nvmlDevice_t,
        numFans: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetNumFans {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, numFans) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetPerformanceState(
        &self,
        device: nvmlDevice_t,
        pState: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetPerformanceState {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, pState) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetPowerState(
        &self,
        device: nvmlDevice_t,
        pState: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetPowerState {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, pState) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetCurrentClocksThrottleReasons(
        &self,
        device: nvmlDevice_t,
        clocksThrottleReasons: *mut u64,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetCurrentClocksThrottleReasons {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, clocksThrottleReasons) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetSupportedClocksThrottleReasons(
        &self,
        device: nvmlDevice_t,
        supportedClocksThrottleReasons: *mut u64,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetSupportedClocksThrottleReasons {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, supportedClocksThrottleReasons) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetCurrentClocksEventReasons(
        &self,
        device: nvmlDevice_t,
        clocksEventReasons: *mut u64,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetCurrentClocksEventReasons {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, clocksEventReasons) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetSupportedClocksEventReasons(
        &self,
        device: nvmlDevice_t,
        supportedClocksEventReasons: *mut u64,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetSupportedClocksEventReasons {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, supportedClocksEventReasons) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetTemperatureThreshold(
        &self,
        device: nvmlDevice_t,
        thresholdType: u32,
        temp: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetTemperatureThreshold {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, thresholdType, temp) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetViolationStatus(
        &self,
        device: nvmlDevice_t,
        perfPolicyType: u32,
        violTime: *mut nvmlViolationTime_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetViolationStatus {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, perfPolicyType, violTime) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetEncoderUtilization(
        &self,
        device: nvmlDevice_t,
        utilization: *mut u32,
        samplingPeriodUs: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetEncoderUtilization {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, utilization, samplingPeriodUs) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetDecoderUtilization(
        &self,
        device: nvmlDevice_t,
        utilization: *mut u32,
        samplingPeriodUs: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetDecoderUtilization {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, utilization, samplingPeriodUs) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetJpgUtilization(
        &self,
        device: nvmlDevice_t,
        utilization: *mut u32,
        samplingPeriodUs: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetJpgUtilization {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, utilization, samplingPeriodUs) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetOfaUtilization(
        &self,
        device: nvmlDevice_t,
        utilization: *mut u32,
        samplingPeriodUs: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetOfaUtilization {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, utilization, samplingPeriodUs) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetFieldValues(
        &self,
        device: nvmlDevice_t,
        valuesCount: i32,
        values: *mut nvmlFieldValue_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetFieldValues {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, valuesCount, values) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetEncoderStats(
        &self,
        device: nvmlDevice_t,
        sessionCount: *mut u32,
        averageFps: *mut u32,
        averageLatency: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetEncoderStats {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, sessionCount, averageFps, averageLatency) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetFBCStats(
        &self,
        device: nvmlDevice_t,
        fbcStats: *mut nvmlFBCStats_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetFBCStats {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, fbcStats) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetMarginTemperature(
        &self,
        device: nvmlDevice_t,
        marginTempInfo: *mut nvmlMarginTemperature_v1_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetMarginTemperature {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, marginTempInfo) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetPowerManagementMode(
        &self,
        device: nvmlDevice_t,
        mode: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetPowerManagementMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, mode) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetPowerManagementLimit(
        &self,
        device: nvmlDevice_t,
        limit: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetPowerManagementLimit {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, limit) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetPowerManagementDefaultLimit(
        &self,
        device: nvmlDevice_t,
        defaultLimit: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetPowerManagementDefaultLimit {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, defaultLimit) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetPowerManagementLimitConstraints(
        &self,
        device: nvmlDevice_t,
        minLimit: *mut u32,
        maxLimit: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetPowerManagementLimitConstraints {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, minLimit, maxLimit) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetEnforcedPowerLimit(
        &self,
        device: nvmlDevice_t,
        limit: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetEnforcedPowerLimit {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, limit) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetPowerSource(
        &self,
        device: nvmlDevice_t,
        powerSource: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetPowerSource {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, powerSource) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetEccMode(
        &self,
        device: nvmlDevice_t,
        current: *mut u32,
        pending: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetEccMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, current, pending) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetDefaultEccMode(
        &self,
        device: nvmlDevice_t,
        defaultMode: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetDefaultEccMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, defaultMode) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetTotalEccErrors(
        &self,
        device: nvmlDevice_t,
        errorType: u32,
        counterType: u32,
        eccCounts: *mut u64,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetTotalEccErrors {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, errorType, counterType, eccCounts) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetMemoryErrorCounter(
        &self,
        device: nvmlDevice_t,
        errorType: u32,
        counterType: u32,
        locationType: u32,
        count: *mut u64,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetMemoryErrorCounter {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(device, errorType, counterType, locationType, count)
            },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetRemappedRows(
        &self,
        device: nvmlDevice_t,
        corrRows: *mut u32,
        uncRows: *mut u32,
        isPending: *mut u32,
        failureOccurred: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetRemappedRows {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {
                function(device, corrRows, uncRows, isPending, failureOccurred)
            },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetRowRemapperHistogram(
        &self,
        device: nvmlDevice_t,
        values: *mut nvmlRowRemapperHistogramValues_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetRowRemapperHistogram {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, values) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetRetiredPagesPendingStatus(
        &self,
        device: nvmlDevice_t,
        isPending: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetRetiredPagesPendingStatus {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, isPending) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetSramEccErrorStatus(
        &self,
        device: nvmlDevice_t,
        sramErrorStatus: *mut nvmlEccSramErrorStatus_v1_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetSramEccErrorStatus {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, sramErrorStatus) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetRepairStatus(
        &self,
        device: nvmlDevice_t,
        repairStatus: *mut nvmlRepairStatus_v1_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetRepairStatus {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, repairStatus) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceValidateInforom(&self, device: nvmlDevice_t) -> nvmlReturn_t {
        match self.functions.nvmlDeviceValidateInforom {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetBrand(&self, device: nvmlDevice_t, type_: *mut u32) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetBrand {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, type_) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetMinorNumber(
        &self,
        device: nvmlDevice_t,
        minorNumber: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetMinorNumber {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, minorNumber) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetBoardId(
        &self,
        device: nvmlDevice_t,
        boardId: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetBoardId {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, boardId) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetMultiGpuBoard(
        &self,
        device: nvmlDevice_t,
        multiGpuBool: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetMultiGpuBoard {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, multiGpuBool) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetNumGpuCores(
        &self,
        device: nvmlDevice_t,
        numCores: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetNumGpuCores {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, numCores) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetMemoryBusWidth(
        &self,
        device: nvmlDevice_t,
        busWidth: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetMemoryBusWidth {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, busWidth) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetSerial(
        &self,
        device: nvmlDevice_t,
        serial: *mut c_char,
        serialLength: u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetSerial {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, serial, serialLength) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetVbiosVersion(
        &self,
        device: nvmlDevice_t,
        version: *mut c_char,
        versionLength: u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetVbiosVersion {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, version, versionLength) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetBoardPartNumber(
        &self,
        device: nvmlDevice_t,
        partNumber: *mut c_char,
        partNumberLength: u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetBoardPartNumber {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, partNumber, partNumberLength) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetInforomImageVersion(
        &self,
        device: nvmlDevice_t,
        version: *mut c_char,
        versionLength: u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetInforomImageVersion {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, version, versionLength) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetInforomVersion(
        &self,
        device: nvmlDevice_t,
        object: u32,
        version: *mut c_char,
        versionLength: u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetInforomVersion {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, object, version, versionLength) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetBAR1MemoryInfo(
        &self,
        device: nvmlDevice_t,
        bar1Memory: *mut nvmlBAR1Memory_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetBAR1MemoryInfo {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, bar1Memory) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetCurrPcieLinkGeneration(
        &self,
        device: nvmlDevice_t,
        currLinkGen: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetCurrPcieLinkGeneration {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, currLinkGen) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetCurrPcieLinkWidth(
        &self,
        device: nvmlDevice_t,
        currLinkWidth: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetCurrPcieLinkWidth {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, currLinkWidth) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetMaxPcieLinkGeneration(
        &self,
        device: nvmlDevice_t,
        maxLinkGen: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetMaxPcieLinkGeneration {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, maxLinkGen) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetMaxPcieLinkWidth(
        &self,
        device: nvmlDevice_t,
        maxLinkWidth: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetMaxPcieLinkWidth {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, maxLinkWidth) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetGpuMaxPcieLinkGeneration(
        &self,
        device: nvmlDevice_t,
        maxLinkGenDevice: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetGpuMaxPcieLinkGeneration {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, maxLinkGenDevice) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetPcieThroughput(
        &self,
        device: nvmlDevice_t,
        counter: u32,
        value: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetPcieThroughput {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, counter, value) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetPcieReplayCounter(
        &self,
        device: nvmlDevice_t,
        value: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetPcieReplayCounter {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, value) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetPcieSpeed(
        &self,
        device: nvmlDevice_t,
        pcieSpeed: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetPcieSpeed {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, pcieSpeed) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetPcieLinkMaxSpeed(
        &self,
        device: nvmlDevice_t,
        maxSpeed: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetPcieLinkMaxSpeed {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, maxSpeed) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetModuleId(
        &self,
        device: nvmlDevice_t,
        moduleId: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetModuleId {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, moduleId) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetPdi(
        &self,
        device: nvmlDevice_t,
        pdi: *mut nvmlPdi_v1_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetPdi {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, pdi) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetPciInfoExt(
        &self,
        device: nvmlDevice_t,
        pci: *mut nvmlPciInfoExt_v1_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetPciInfoExt {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, pci) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetPersistenceMode(
        &self,
        device: nvmlDevice_t,
        mode: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetPersistenceMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, mode) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetDisplayMode(
        &self,
        device: nvmlDevice_t,
        display: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetDisplayMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, display) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetDisplayActive(
        &self,
        device: nvmlDevice_t,
        isActive: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetDisplayActive {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, isActive) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetMigMode(
        &self,
        device: nvmlDevice_t,
        currentMode: *mut u32,
        pendingMode: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetMigMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, currentMode, pendingMode) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetGpuOperationMode(
        &self,
        device: nvmlDevice_t,
        current: *mut u32,
        pending: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetGpuOperationMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, current, pending) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetVirtualizationMode(
        &self,
        device: nvmlDevice_t,
        pVirtualMode: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetVirtualizationMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, pVirtualMode) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetAutoBoostedClocksEnabled(
        &self,
        device: nvmlDevice_t,
        isEnabled: *mut u32,
        defaultIsEnabled: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetAutoBoostedClocksEnabled {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, isEnabled, defaultIsEnabled) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetAdaptiveClockInfoStatus(
        &self,
        device: nvmlDevice_t,
        adaptiveClockStatus: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetAdaptiveClockInfoStatus {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, adaptiveClockStatus) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetGspFirmwareMode(
        &self,
        device: nvmlDevice_t,
        isEnabled: *mut u32,
        defaultMode: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetGspFirmwareMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, isEnabled, defaultMode) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetAccountingMode(
        &self,
        device: nvmlDevice_t,
        mode: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetAccountingMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, mode) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetAccountingBufferSize(
        &self,
        device: nvmlDevice_t,
        bufferSize: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetAccountingBufferSize {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, bufferSize) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetHostVgpuMode(
        &self,
        device: nvmlDevice_t,
        pHostVgpuMode: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetHostVgpuMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, pHostVgpuMode) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetMaxMigDeviceCount(
        &self,
        device: nvmlDevice_t,
        count: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetMaxMigDeviceCount {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, count) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetConfComputeProtectedMemoryUsage(
        &self,
        device: nvmlDevice_t,
        memory: *mut nvmlMemory_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetConfComputeProtectedMemoryUsage {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, memory) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetAddressingMode(
        &self,
        device: nvmlDevice_t,
        mode: *mut nvmlDeviceAddressingMode_v1_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetAddressingMode {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, mode) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetCapabilities(
        &self,
        device: nvmlDevice_t,
        caps: *mut nvmlDeviceCapabilities_v1_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetCapabilities {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, caps) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlEventSetCreate(&self, set: *mut nvmlEventSet_t) -> nvmlReturn_t {
        match self.functions.nvmlEventSetCreate {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(set) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlEventSetFree(&self, set: nvmlEventSet_t) -> nvmlReturn_t {
        match self.functions.nvmlEventSetFree {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(set) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetNvLinkState(
        &self,
        device: nvmlDevice_t,
        link: u32,
        isActive: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetNvLinkState {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, link, isActive) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetNvLinkVersion(
        &self,
        device: nvmlDevice_t,
        link: u32,
        version: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetNvLinkVersion {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, link, version) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetNvLinkCapability(
        &self,
        device: nvmlDevice_t,
        link: u32,
        capability: u32,
        capResult: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetNvLinkCapability {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, link, capability, capResult) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetNvLinkRemotePciInfo_v2(
        &self,
        device: nvmlDevice_t,
        link: u32,
        pci: *mut nvmlPciInfo_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetNvLinkRemotePciInfo_v2 {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, link, pci) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetNvLinkRemotePciInfo(
        &self,
        device: nvmlDevice_t,
        link: u32,
        pci: *mut nvmlPciInfo_v2_t,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetNvLinkRemotePciInfo {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, link, pci) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }

    pub unsafe fn nvmlDeviceGetNvLinkRemoteDeviceType(
        &self,
        device: nvmlDevice_t,
        link: u32,
        pNvLinkDeviceType: *mut u32,
    ) -> nvmlReturn_t {
        match self.functions.nvmlDeviceGetNvLinkRemoteDeviceType {
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe { function(device, link, pNvLinkDeviceType) },
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }
    }
}
