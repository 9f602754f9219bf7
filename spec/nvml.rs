//! NVML: each function is described once. `cargo xtask codegen` reads this file; its syntax is
//! Rust's, but it is never compiled.
//!
//! A function has exactly one class:
//!
//! * `#[local]`: hand-written in crates/client/src/nvml. The client answers from what it knows, or
//!   by other messages.
//! * `#[node(N)]`: the node's own NVML answers, if the node has one that knows the device. Both
//!   sides are generated.
//! * `#[unsupported]`: returns NVML_ERROR_NOT_SUPPORTED.
//!
//! `Out<T>` is a pointer to one T that is written. `Versioned<T>` is a pointer to a struct whose
//! first field the program sets to its version; only the first version is known. `Text` is a buffer
//! and its length. Devices travel as ordinals. Numbers of node functions are permanent: append,
//! never reuse. Functions about the node's own processes or CPUs are unsupported. So are all
//! settings: a session must not change a GPU that others use.

// ---- The library ----

#[local] fn nvmlInit();
#[local] fn nvmlInit_v2();
#[local] fn nvmlInitWithFlags(flags: u32);
#[local] fn nvmlShutdown();
#[local] fn nvmlSystemGetDriverVersion(version: Text);
#[local] fn nvmlSystemGetNVMLVersion(version: Text);
#[local] fn nvmlSystemGetCudaDriverVersion(cudaDriverVersion: *mut i32);
#[local] fn nvmlSystemGetCudaDriverVersion_v2(cudaDriverVersion: *mut i32);
#[local] fn nvmlSystemGetProcessName(pid: u32, name: Text);
#[local] fn nvmlInternalGetExportTable(table: *mut *const c_void, id: *const CUuuid);

// ---- Devices ----

#[local] fn nvmlDeviceGetCount(deviceCount: *mut u32);
#[local] fn nvmlDeviceGetCount_v2(deviceCount: *mut u32);
#[local] fn nvmlDeviceGetHandleByIndex(index: u32, device: *mut nvmlDevice_t);
#[local] fn nvmlDeviceGetHandleByIndex_v2(index: u32, device: *mut nvmlDevice_t);
#[local] fn nvmlDeviceGetHandleByPciBusId(pciBusId: *const c_char, device: *mut nvmlDevice_t);
#[local] fn nvmlDeviceGetHandleByPciBusId_v2(pciBusId: *const c_char, device: *mut nvmlDevice_t);
#[local] fn nvmlDeviceGetHandleByUUID(uuid: *const c_char, device: *mut nvmlDevice_t);
#[local] fn nvmlDeviceGetIndex(device: nvmlDevice_t, index: *mut u32);
#[local] fn nvmlDeviceGetName(device: nvmlDevice_t, name: Text);
#[local] fn nvmlDeviceGetUUID(device: nvmlDevice_t, uuid: Text);
#[local] fn nvmlDeviceGetPciInfo_v3(device: nvmlDevice_t, pci: *mut nvmlPciInfo_t);
#[local]
fn nvmlDeviceGetCudaComputeCapability(device: nvmlDevice_t, major: *mut i32, minor: *mut i32);
#[local] fn nvmlDeviceGetArchitecture(device: nvmlDevice_t, arch: *mut u32);
#[local] fn nvmlDeviceGetComputeMode(device: nvmlDevice_t, mode: *mut u32);
#[local] fn nvmlDeviceIsMigDeviceHandle(device: nvmlDevice_t, isMigDevice: *mut u32);
#[local]
fn nvmlDeviceGetP2PStatus(
    device1: nvmlDevice_t, device2: nvmlDevice_t, p2pIndex: u32, p2pStatus: *mut u32,
);

// ---- Memory and processes: this session's own ----

#[local] fn nvmlDeviceGetMemoryInfo(device: nvmlDevice_t, memory: *mut nvmlMemory_t);
#[local] fn nvmlDeviceGetMemoryInfo_v2(device: nvmlDevice_t, memory: *mut nvmlMemory_v2_t);
#[local]
fn nvmlDeviceGetComputeRunningProcesses(
    device: nvmlDevice_t, infoCount: *mut u32, infos: *mut nvmlProcessInfo_v1_t,
);
#[local]
fn nvmlDeviceGetComputeRunningProcesses_v2(
    device: nvmlDevice_t, infoCount: *mut u32, infos: *mut nvmlProcessInfo_t,
);
#[local]
fn nvmlDeviceGetComputeRunningProcesses_v3(
    device: nvmlDevice_t, infoCount: *mut u32, infos: *mut nvmlProcessInfo_t,
);
#[local]
fn nvmlDeviceGetGraphicsRunningProcesses(
    device: nvmlDevice_t, infoCount: *mut u32, infos: *mut nvmlProcessInfo_v1_t,
);
#[local]
fn nvmlDeviceGetGraphicsRunningProcesses_v2(
    device: nvmlDevice_t, infoCount: *mut u32, infos: *mut nvmlProcessInfo_t,
);
#[local]
fn nvmlDeviceGetGraphicsRunningProcesses_v3(
    device: nvmlDevice_t, infoCount: *mut u32, infos: *mut nvmlProcessInfo_t,
);
#[local]
fn nvmlDeviceGetMPSComputeRunningProcesses(
    device: nvmlDevice_t, infoCount: *mut u32, infos: *mut nvmlProcessInfo_v1_t,
);
#[local]
fn nvmlDeviceGetMPSComputeRunningProcesses_v2(
    device: nvmlDevice_t, infoCount: *mut u32, infos: *mut nvmlProcessInfo_t,
);
#[local]
fn nvmlDeviceGetMPSComputeRunningProcesses_v3(
    device: nvmlDevice_t, infoCount: *mut u32, infos: *mut nvmlProcessInfo_t,
);

// ---- Sensors ----

#[node(1)]
fn nvmlDeviceGetUtilizationRates(device: nvmlDevice_t, utilization: Out<nvmlUtilization_t>);
#[node(2)] fn nvmlDeviceGetTemperature(device: nvmlDevice_t, sensorType: u32, temp: Out<u32>);
#[local] fn nvmlDeviceGetTemperatureV(device: nvmlDevice_t, temperature: *mut nvmlTemperature_t);
#[node(3)] fn nvmlDeviceGetPowerUsage(device: nvmlDevice_t, power: Out<u32>);
#[node(4)] fn nvmlDeviceGetTotalEnergyConsumption(device: nvmlDevice_t, energy: Out<u64>);
#[node(5)] fn nvmlDeviceGetClockInfo(device: nvmlDevice_t, type_: u32, clock: Out<u32>);
#[node(6)]
fn nvmlDeviceGetClock(device: nvmlDevice_t, clockType: u32, clockId: u32, clockMHz: Out<u32>);
#[node(7)] fn nvmlDeviceGetMaxClockInfo(device: nvmlDevice_t, type_: u32, clock: Out<u32>);
#[node(8)]
fn nvmlDeviceGetApplicationsClock(device: nvmlDevice_t, clockType: u32, clockMHz: Out<u32>);
#[node(9)]
fn nvmlDeviceGetDefaultApplicationsClock(device: nvmlDevice_t, clockType: u32, clockMHz: Out<u32>);
#[node(10)]
fn nvmlDeviceGetMaxCustomerBoostClock(device: nvmlDevice_t, clockType: u32, clockMHz: Out<u32>);
#[node(11)] fn nvmlDeviceGetFanSpeed(device: nvmlDevice_t, speed: Out<u32>);
#[node(12)] fn nvmlDeviceGetFanSpeed_v2(device: nvmlDevice_t, fan: u32, speed: Out<u32>);
#[node(13)] fn nvmlDeviceGetNumFans(device: nvmlDevice_t, numFans: Out<u32>);
#[node(14)] fn nvmlDeviceGetPerformanceState(device: nvmlDevice_t, pState: Out<u32>);
#[node(15)] fn nvmlDeviceGetPowerState(device: nvmlDevice_t, pState: Out<u32>);
#[node(16)]
fn nvmlDeviceGetCurrentClocksThrottleReasons(device: nvmlDevice_t, clocksThrottleReasons: Out<u64>);
#[node(17)]
fn nvmlDeviceGetSupportedClocksThrottleReasons(
    device: nvmlDevice_t, supportedClocksThrottleReasons: Out<u64>,
);
#[node(18)]
fn nvmlDeviceGetCurrentClocksEventReasons(device: nvmlDevice_t, clocksEventReasons: Out<u64>);
#[node(19)]
fn nvmlDeviceGetSupportedClocksEventReasons(
    device: nvmlDevice_t, supportedClocksEventReasons: Out<u64>,
);
#[node(20)]
fn nvmlDeviceGetTemperatureThreshold(device: nvmlDevice_t, thresholdType: u32, temp: Out<u32>);
#[node(21)]
fn nvmlDeviceGetViolationStatus(
    device: nvmlDevice_t, perfPolicyType: u32, violTime: Out<nvmlViolationTime_t>,
);
#[node(22)]
fn nvmlDeviceGetEncoderUtilization(
    device: nvmlDevice_t, utilization: Out<u32>, samplingPeriodUs: Out<u32>,
);
#[node(23)]
fn nvmlDeviceGetDecoderUtilization(
    device: nvmlDevice_t, utilization: Out<u32>, samplingPeriodUs: Out<u32>,
);
#[node(24)]
fn nvmlDeviceGetJpgUtilization(
    device: nvmlDevice_t, utilization: Out<u32>, samplingPeriodUs: Out<u32>,
);
#[node(25)]
fn nvmlDeviceGetOfaUtilization(
    device: nvmlDevice_t, utilization: Out<u32>, samplingPeriodUs: Out<u32>,
);
#[local]
fn nvmlDeviceGetFieldValues(device: nvmlDevice_t, valuesCount: i32, values: *mut nvmlFieldValue_t);
#[node(26)]
fn nvmlDeviceGetEncoderStats(
    device: nvmlDevice_t, sessionCount: Out<u32>, averageFps: Out<u32>, averageLatency: Out<u32>,
);
#[node(27)] fn nvmlDeviceGetFBCStats(device: nvmlDevice_t, fbcStats: Out<nvmlFBCStats_t>);
#[node(28)]
fn nvmlDeviceGetMarginTemperature(
    device: nvmlDevice_t, marginTempInfo: Versioned<nvmlMarginTemperature_v1_t>,
);

// ---- Power ----

#[node(30)] fn nvmlDeviceGetPowerManagementMode(device: nvmlDevice_t, mode: Out<u32>);
#[node(31)] fn nvmlDeviceGetPowerManagementLimit(device: nvmlDevice_t, limit: Out<u32>);
#[node(32)]
fn nvmlDeviceGetPowerManagementDefaultLimit(device: nvmlDevice_t, defaultLimit: Out<u32>);
#[node(33)]
fn nvmlDeviceGetPowerManagementLimitConstraints(
    device: nvmlDevice_t, minLimit: Out<u32>, maxLimit: Out<u32>,
);
#[node(34)] fn nvmlDeviceGetEnforcedPowerLimit(device: nvmlDevice_t, limit: Out<u32>);
#[node(35)] fn nvmlDeviceGetPowerSource(device: nvmlDevice_t, powerSource: Out<u32>);

// ---- Errors of memory ----

#[node(40)] fn nvmlDeviceGetEccMode(device: nvmlDevice_t, current: Out<u32>, pending: Out<u32>);
#[node(41)] fn nvmlDeviceGetDefaultEccMode(device: nvmlDevice_t, defaultMode: Out<u32>);
#[node(42)]
fn nvmlDeviceGetTotalEccErrors(
    device: nvmlDevice_t, errorType: u32, counterType: u32, eccCounts: Out<u64>,
);
#[node(43)]
fn nvmlDeviceGetMemoryErrorCounter(
    device: nvmlDevice_t, errorType: u32, counterType: u32, locationType: u32, count: Out<u64>,
);
#[node(44)]
fn nvmlDeviceGetRemappedRows(
    device: nvmlDevice_t, corrRows: Out<u32>, uncRows: Out<u32>, isPending: Out<u32>,
    failureOccurred: Out<u32>,
);
#[node(45)]
fn nvmlDeviceGetRowRemapperHistogram(
    device: nvmlDevice_t, values: Out<nvmlRowRemapperHistogramValues_t>,
);
#[node(46)] fn nvmlDeviceGetRetiredPagesPendingStatus(device: nvmlDevice_t, isPending: Out<u32>);
#[node(47)]
fn nvmlDeviceGetSramEccErrorStatus(
    device: nvmlDevice_t, sramErrorStatus: Versioned<nvmlEccSramErrorStatus_v1_t>,
);
#[node(48)]
fn nvmlDeviceGetRepairStatus(device: nvmlDevice_t, repairStatus: Versioned<nvmlRepairStatus_v1_t>);
#[node(49)] fn nvmlDeviceValidateInforom(device: nvmlDevice_t);

// ---- The board ----

#[node(50)] fn nvmlDeviceGetBrand(device: nvmlDevice_t, type_: Out<u32>);
#[node(51)] fn nvmlDeviceGetMinorNumber(device: nvmlDevice_t, minorNumber: Out<u32>);
#[node(52)] fn nvmlDeviceGetBoardId(device: nvmlDevice_t, boardId: Out<u32>);
#[node(53)] fn nvmlDeviceGetMultiGpuBoard(device: nvmlDevice_t, multiGpuBool: Out<u32>);
#[node(54)] fn nvmlDeviceGetNumGpuCores(device: nvmlDevice_t, numCores: Out<u32>);
#[node(55)] fn nvmlDeviceGetMemoryBusWidth(device: nvmlDevice_t, busWidth: Out<u32>);
#[node(56)] fn nvmlDeviceGetSerial(device: nvmlDevice_t, serial: Text);
#[node(57)] fn nvmlDeviceGetVbiosVersion(device: nvmlDevice_t, version: Text);
#[node(58)] fn nvmlDeviceGetBoardPartNumber(device: nvmlDevice_t, partNumber: Text);
#[node(59)] fn nvmlDeviceGetInforomImageVersion(device: nvmlDevice_t, version: Text);
#[node(60)] fn nvmlDeviceGetInforomVersion(device: nvmlDevice_t, object: u32, version: Text);
#[node(61)] fn nvmlDeviceGetBAR1MemoryInfo(device: nvmlDevice_t, bar1Memory: Out<nvmlBAR1Memory_t>);
#[node(62)] fn nvmlDeviceGetCurrPcieLinkGeneration(device: nvmlDevice_t, currLinkGen: Out<u32>);
#[node(63)] fn nvmlDeviceGetCurrPcieLinkWidth(device: nvmlDevice_t, currLinkWidth: Out<u32>);
#[node(64)] fn nvmlDeviceGetMaxPcieLinkGeneration(device: nvmlDevice_t, maxLinkGen: Out<u32>);
#[node(65)] fn nvmlDeviceGetMaxPcieLinkWidth(device: nvmlDevice_t, maxLinkWidth: Out<u32>);
#[node(66)]
fn nvmlDeviceGetGpuMaxPcieLinkGeneration(device: nvmlDevice_t, maxLinkGenDevice: Out<u32>);
#[node(67)] fn nvmlDeviceGetPcieThroughput(device: nvmlDevice_t, counter: u32, value: Out<u32>);
#[node(68)] fn nvmlDeviceGetPcieReplayCounter(device: nvmlDevice_t, value: Out<u32>);
#[node(69)] fn nvmlDeviceGetPcieSpeed(device: nvmlDevice_t, pcieSpeed: Out<u32>);
#[node(70)] fn nvmlDeviceGetPcieLinkMaxSpeed(device: nvmlDevice_t, maxSpeed: Out<u32>);
#[node(71)] fn nvmlDeviceGetModuleId(device: nvmlDevice_t, moduleId: Out<u32>);
#[node(72)] fn nvmlDeviceGetPdi(device: nvmlDevice_t, pdi: Versioned<nvmlPdi_v1_t>);
#[node(73)] fn nvmlDeviceGetPciInfoExt(device: nvmlDevice_t, pci: Versioned<nvmlPciInfoExt_v1_t>);

// ---- Modes ----

#[node(80)] fn nvmlDeviceGetPersistenceMode(device: nvmlDevice_t, mode: Out<u32>);
#[node(81)] fn nvmlDeviceGetDisplayMode(device: nvmlDevice_t, display: Out<u32>);
#[node(82)] fn nvmlDeviceGetDisplayActive(device: nvmlDevice_t, isActive: Out<u32>);
#[node(83)]
fn nvmlDeviceGetMigMode(device: nvmlDevice_t, currentMode: Out<u32>, pendingMode: Out<u32>);
#[node(84)]
fn nvmlDeviceGetGpuOperationMode(device: nvmlDevice_t, current: Out<u32>, pending: Out<u32>);
#[node(85)] fn nvmlDeviceGetVirtualizationMode(device: nvmlDevice_t, pVirtualMode: Out<u32>);
#[node(86)]
fn nvmlDeviceGetAutoBoostedClocksEnabled(
    device: nvmlDevice_t, isEnabled: Out<u32>, defaultIsEnabled: Out<u32>,
);
#[node(87)]
fn nvmlDeviceGetAdaptiveClockInfoStatus(device: nvmlDevice_t, adaptiveClockStatus: Out<u32>);
#[node(88)]
fn nvmlDeviceGetGspFirmwareMode(device: nvmlDevice_t, isEnabled: Out<u32>, defaultMode: Out<u32>);
#[node(89)] fn nvmlDeviceGetAccountingMode(device: nvmlDevice_t, mode: Out<u32>);
#[node(90)] fn nvmlDeviceGetAccountingBufferSize(device: nvmlDevice_t, bufferSize: Out<u32>);
#[node(91)] fn nvmlDeviceGetHostVgpuMode(device: nvmlDevice_t, pHostVgpuMode: Out<u32>);
#[node(92)] fn nvmlDeviceGetMaxMigDeviceCount(device: nvmlDevice_t, count: Out<u32>);
#[node(93)]
fn nvmlDeviceGetConfComputeProtectedMemoryUsage(device: nvmlDevice_t, memory: Out<nvmlMemory_t>);
#[node(94)]
fn nvmlDeviceGetAddressingMode(
    device: nvmlDevice_t, mode: Versioned<nvmlDeviceAddressingMode_v1_t>,
);
#[node(95)]
fn nvmlDeviceGetCapabilities(device: nvmlDevice_t, caps: Versioned<nvmlDeviceCapabilities_v1_t>);

// ---- Sets of events: no event can be registered ----

#[local] fn nvmlEventSetCreate(set: *mut nvmlEventSet_t);
#[local] fn nvmlEventSetFree(set: nvmlEventSet_t);

// ---- Links between devices ----

#[node(110)] fn nvmlDeviceGetNvLinkState(device: nvmlDevice_t, link: u32, isActive: Out<u32>);
#[node(111)] fn nvmlDeviceGetNvLinkVersion(device: nvmlDevice_t, link: u32, version: Out<u32>);
#[node(112)]
fn nvmlDeviceGetNvLinkCapability(
    device: nvmlDevice_t, link: u32, capability: u32, capResult: Out<u32>,
);
#[node(113)]
fn nvmlDeviceGetNvLinkRemotePciInfo_v2(device: nvmlDevice_t, link: u32, pci: Out<nvmlPciInfo_t>);
#[node(115)]
fn nvmlDeviceGetNvLinkRemotePciInfo(device: nvmlDevice_t, link: u32, pci: Out<nvmlPciInfo_v2_t>);
#[node(114)]
fn nvmlDeviceGetNvLinkRemoteDeviceType(
    device: nvmlDevice_t, link: u32, pNvLinkDeviceType: Out<u32>,
);

// ---- Functions that exist by name only ----

#[unsupported] fn nvmlComputeInstanceDestroy();
#[unsupported] fn nvmlComputeInstanceGetInfo();
#[unsupported] fn nvmlComputeInstanceGetInfo_v2();
#[unsupported] fn nvmlDeviceClearAccountingPids();
#[unsupported] fn nvmlDeviceClearCpuAffinity();
#[unsupported] fn nvmlDeviceClearEccErrorCounts();
#[unsupported] fn nvmlDeviceClearFieldValues();
#[unsupported] fn nvmlDeviceCreateGpuInstance();
#[unsupported] fn nvmlDeviceCreateGpuInstanceWithPlacement();
#[unsupported] fn nvmlDeviceDiscoverGpus();
#[unsupported] fn nvmlDeviceFreezeNvLinkUtilizationCounter();
#[unsupported] fn nvmlDeviceGetAPIRestriction();
#[unsupported] fn nvmlDeviceGetAccountingPids();
#[unsupported] fn nvmlDeviceGetAccountingStats();
#[unsupported] fn nvmlDeviceGetAccountingStats_v2();
#[unsupported] fn nvmlDeviceGetActiveVgpus();
#[unsupported] fn nvmlDeviceGetAdaptiveTgpModeInfo_v1();
#[unsupported] fn nvmlDeviceGetAttributes();
#[unsupported] fn nvmlDeviceGetAttributes_v2();
#[unsupported] fn nvmlDeviceGetBBXTimeData_v1();
#[unsupported] fn nvmlDeviceGetBankRemapperStatus_v1();
#[unsupported] fn nvmlDeviceGetBridgeChipInfo();
#[unsupported] fn nvmlDeviceGetBusType();
#[unsupported] fn nvmlDeviceGetC2cModeInfoV();
#[unsupported] fn nvmlDeviceGetClkMonStatus();
#[unsupported] fn nvmlDeviceGetClockOffsets();
#[unsupported] fn nvmlDeviceGetComputeInstanceId();
#[unsupported] fn nvmlDeviceGetConfComputeGpuAttestationReport();
#[unsupported] fn nvmlDeviceGetConfComputeGpuCertificate();
#[unsupported] fn nvmlDeviceGetConfComputeMemSizeInfo();
#[unsupported] fn nvmlDeviceGetCoolerInfo();
#[unsupported] fn nvmlDeviceGetCpuAffinity();
#[unsupported] fn nvmlDeviceGetCpuAffinityWithinScope();
#[unsupported] fn nvmlDeviceGetCreatableVgpus();
#[unsupported] fn nvmlDeviceGetCurrentClockFreqs();
#[unsupported] fn nvmlDeviceGetDetailedEccErrors();
#[unsupported] fn nvmlDeviceGetDeviceHandleFromMigDeviceHandle();
#[unsupported] fn nvmlDeviceGetDramEncryptionMode();
#[unsupported] fn nvmlDeviceGetDriverModel();
#[unsupported] fn nvmlDeviceGetDriverModel_v2();
#[unsupported] fn nvmlDeviceGetDynamicPstatesInfo();
#[unsupported] fn nvmlDeviceGetEncoderCapacity();
#[unsupported] fn nvmlDeviceGetEncoderSessions();
#[unsupported] fn nvmlDeviceGetFBCSessions();
#[unsupported] fn nvmlDeviceGetFanControlPolicy_v2();
#[unsupported] fn nvmlDeviceGetFanSpeedRPM();
#[unsupported] fn nvmlDeviceGetGpcClkMinMaxVfOffset();
#[unsupported] fn nvmlDeviceGetGpcClkVfOffset();
#[unsupported] fn nvmlDeviceGetGpuFabricInfo();
#[unsupported] fn nvmlDeviceGetGpuFabricInfoV();
#[unsupported] fn nvmlDeviceGetGpuFabricInfo_v4();
#[unsupported] fn nvmlDeviceGetGpuInstanceById();
#[unsupported] fn nvmlDeviceGetGpuInstanceId();
#[unsupported] fn nvmlDeviceGetGpuInstancePossiblePlacements();
#[unsupported] fn nvmlDeviceGetGpuInstancePossiblePlacements_v2();
#[unsupported] fn nvmlDeviceGetGpuInstanceProfileInfo();
#[unsupported] fn nvmlDeviceGetGpuInstanceProfileInfoByIdV();
#[unsupported] fn nvmlDeviceGetGpuInstanceProfileInfoV();
#[unsupported] fn nvmlDeviceGetGpuInstanceRemainingCapacity();
#[unsupported] fn nvmlDeviceGetGpuInstances();
#[unsupported] fn nvmlDeviceGetGridLicensableFeatures();
#[unsupported] fn nvmlDeviceGetGridLicensableFeatures_v2();
#[unsupported] fn nvmlDeviceGetGridLicensableFeatures_v3();
#[unsupported] fn nvmlDeviceGetGridLicensableFeatures_v4();
#[unsupported] fn nvmlDeviceGetGspFirmwareVersion();
#[unsupported] fn nvmlDeviceGetHandleBySerial();
#[unsupported] fn nvmlDeviceGetHandleByUUIDV();
#[unsupported] fn nvmlDeviceGetHostname_v1();
#[unsupported] fn nvmlDeviceGetInforomConfigurationChecksum();
#[unsupported] fn nvmlDeviceGetIrqNum();
#[unsupported] fn nvmlDeviceGetLastBBXFlushTime();
#[unsupported] fn nvmlDeviceGetMemClkMinMaxVfOffset();
#[unsupported] fn nvmlDeviceGetMemClkVfOffset();
#[unsupported] fn nvmlDeviceGetMemoryAffinity();
#[unsupported] fn nvmlDeviceGetMemoryLimits_v1();
#[unsupported] fn nvmlDeviceGetMigDeviceHandleByIndex();
#[unsupported] fn nvmlDeviceGetMinMaxClockOfPState();
#[unsupported] fn nvmlDeviceGetMinMaxFanSpeed();
#[unsupported] fn nvmlDeviceGetNumaNodeId();
#[unsupported] fn nvmlDeviceGetNvLinkErrorCounter();
#[unsupported] fn nvmlDeviceGetNvLinkInfo();
#[unsupported] fn nvmlDeviceGetNvLinkTelemetrySamples_v1();
#[unsupported] fn nvmlDeviceGetNvLinkUtilizationControl();
#[unsupported] fn nvmlDeviceGetNvLinkUtilizationCounter();
#[unsupported] fn nvmlDeviceGetNvlinkBwMode();
#[unsupported] fn nvmlDeviceGetNvlinkSupportedBwModes();
#[unsupported] fn nvmlDeviceGetPciInfo();
#[unsupported] fn nvmlDeviceGetPciInfo_v2();
#[unsupported] fn nvmlDeviceGetPerformanceModes();
#[unsupported] fn nvmlDeviceGetPgpuMetadataString();
#[unsupported] fn nvmlDeviceGetPlatformInfo();
#[unsupported] fn nvmlDeviceGetPowerMizerMode_v1();
#[unsupported] fn nvmlDeviceGetProcessUtilization();
#[unsupported] fn nvmlDeviceGetProcessesUtilizationInfo();
#[unsupported] fn nvmlDeviceGetRemappedRows_v2();
#[unsupported] fn nvmlDeviceGetRetiredPages();
#[unsupported] fn nvmlDeviceGetRetiredPages_v2();
#[unsupported] fn nvmlDeviceGetRunningProcessDetailList();
#[unsupported] fn nvmlDeviceGetSamples();
#[unsupported] fn nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts();
#[unsupported] fn nvmlDeviceGetSupportedEventTypes();
#[unsupported] fn nvmlDeviceGetSupportedGraphicsClocks();
#[unsupported] fn nvmlDeviceGetSupportedMemoryClocks();
#[unsupported] fn nvmlDeviceGetSupportedPerformanceStates();
#[unsupported] fn nvmlDeviceGetSupportedVgpus();
#[unsupported] fn nvmlDeviceGetTargetFanSpeed();
#[unsupported] fn nvmlDeviceGetThermalSettings();
#[unsupported] fn nvmlDeviceGetTopologyCommonAncestor();
#[unsupported] fn nvmlDeviceGetTopologyNearestGpus();
#[unsupported] fn nvmlDeviceGetUnrepairableMemoryFlag_v1();
#[unsupported] fn nvmlDeviceGetVgpuCapabilities();
#[unsupported] fn nvmlDeviceGetVgpuHeterogeneousMode();
#[unsupported] fn nvmlDeviceGetVgpuInstancesUtilizationInfo();
#[unsupported] fn nvmlDeviceGetVgpuMetadata();
#[unsupported] fn nvmlDeviceGetVgpuProcessUtilization();
#[unsupported] fn nvmlDeviceGetVgpuProcessesUtilizationInfo();
#[unsupported] fn nvmlDeviceGetVgpuSchedulerCapabilities();
#[unsupported] fn nvmlDeviceGetVgpuSchedulerLog();
#[unsupported] fn nvmlDeviceGetVgpuSchedulerLog_v2();
#[unsupported] fn nvmlDeviceGetVgpuSchedulerState();
#[unsupported] fn nvmlDeviceGetVgpuSchedulerState_v2();
#[unsupported] fn nvmlDeviceGetVgpuTypeCreatablePlacements();
#[unsupported] fn nvmlDeviceGetVgpuTypeSupportedPlacements();
#[unsupported] fn nvmlDeviceGetVgpuUtilization();
#[unsupported] fn nvmlDeviceModifyDrainState();
#[unsupported] fn nvmlDeviceOnSameBoard();
#[unsupported] fn nvmlDevicePerfMetricsGetSamples_v1();
#[unsupported] fn nvmlDevicePowerSmoothingActivatePresetProfile();
#[unsupported] fn nvmlDevicePowerSmoothingSetState();
#[unsupported] fn nvmlDevicePowerSmoothingUpdatePresetProfileParam();
#[unsupported] fn nvmlDeviceQueryDrainState();
#[unsupported] fn nvmlDeviceReadPRMCounters_v1();
#[unsupported] fn nvmlDeviceReadWritePRM_v1();
#[unsupported] fn nvmlDeviceRegisterEvents();
#[unsupported] fn nvmlDeviceRemoveGpu();
#[unsupported] fn nvmlDeviceRemoveGpu_v2();
#[unsupported] fn nvmlDeviceResetApplicationsClocks();
#[unsupported] fn nvmlDeviceResetGpuLockedClocks();
#[unsupported] fn nvmlDeviceResetMemoryLockedClocks();
#[unsupported] fn nvmlDeviceResetNvLinkErrorCounters();
#[unsupported] fn nvmlDeviceResetNvLinkUtilizationCounter();
#[unsupported] fn nvmlDeviceSetAPIRestriction();
#[unsupported] fn nvmlDeviceSetAccountingMode();
#[unsupported] fn nvmlDeviceSetAdaptiveTgpMode_v1();
#[unsupported] fn nvmlDeviceSetApplicationsClocks();
#[unsupported] fn nvmlDeviceSetAutoBoostedClocksEnabled();
#[unsupported] fn nvmlDeviceSetClockOffsets();
#[unsupported] fn nvmlDeviceSetComputeMode();
#[unsupported] fn nvmlDeviceSetConfComputeUnprotectedMemSize();
#[unsupported] fn nvmlDeviceSetCpuAffinity();
#[unsupported] fn nvmlDeviceSetDefaultAutoBoostedClocksEnabled();
#[unsupported] fn nvmlDeviceSetDefaultFanSpeed_v2();
#[unsupported] fn nvmlDeviceSetDramEncryptionMode();
#[unsupported] fn nvmlDeviceSetDriverModel();
#[unsupported] fn nvmlDeviceSetEccMode();
#[unsupported] fn nvmlDeviceSetFanControlPolicy();
#[unsupported] fn nvmlDeviceSetFanSpeed_v2();
#[unsupported] fn nvmlDeviceSetGpcClkVfOffset();
#[unsupported] fn nvmlDeviceSetGpuLockedClocks();
#[unsupported] fn nvmlDeviceSetGpuOperationMode();
#[unsupported] fn nvmlDeviceSetHostname_v1();
#[unsupported] fn nvmlDeviceSetMemClkVfOffset();
#[unsupported] fn nvmlDeviceSetMemoryLimits_v1();
#[unsupported] fn nvmlDeviceSetMemoryLockedClocks();
#[unsupported] fn nvmlDeviceSetMigMode();
#[unsupported] fn nvmlDeviceSetNvLinkDeviceLowPowerThreshold();
#[unsupported] fn nvmlDeviceSetNvLinkUtilizationControl();
#[unsupported] fn nvmlDeviceSetNvlinkBwMode();
#[unsupported] fn nvmlDeviceSetNvlinkBwModeAsync_v1();
#[unsupported] fn nvmlDeviceSetPersistenceMode();
#[unsupported] fn nvmlDeviceSetPowerManagementLimit();
#[unsupported] fn nvmlDeviceSetPowerManagementLimit_v2();
#[unsupported] fn nvmlDeviceSetPowerMizerMode_v1();
#[unsupported] fn nvmlDeviceSetRusdSettings_v1();
#[unsupported] fn nvmlDeviceSetTemperatureThreshold();
#[unsupported] fn nvmlDeviceSetVgpuCapabilities();
#[unsupported] fn nvmlDeviceSetVgpuHeterogeneousMode();
#[unsupported] fn nvmlDeviceSetVgpuSchedulerState();
#[unsupported] fn nvmlDeviceSetVgpuSchedulerState_v2();
#[unsupported] fn nvmlDeviceSetVirtualizationMode();
#[unsupported] fn nvmlDeviceVgpuForceGspUnload();
#[unsupported] fn nvmlDeviceWorkloadPowerProfileClearRequestedProfiles();
#[unsupported] fn nvmlDeviceWorkloadPowerProfileGetCurrentProfiles();
#[unsupported] fn nvmlDeviceWorkloadPowerProfileGetProfilesInfo();
#[unsupported] fn nvmlDeviceWorkloadPowerProfileSetRequestedProfiles();
#[unsupported] fn nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1();
#[unsupported] fn nvmlEventSetGetContextCount_v1();
#[unsupported] fn nvmlEventSetGetContextData_v1();
#[unsupported] fn nvmlEventSetGetContextInfo_v1();
#[unsupported] fn nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1();
#[unsupported] fn nvmlEventSetRegisterGpuOperationalEvents_v1();
#[unsupported] fn nvmlEventSetWait();
#[unsupported] fn nvmlEventSetWait_v2();
#[unsupported] fn nvmlEventSetWait_v3();
#[unsupported] fn nvmlGetBlacklistDeviceCount();
#[unsupported] fn nvmlGetBlacklistDeviceInfoByIndex();
#[unsupported] fn nvmlGetExcludedDeviceCount();
#[unsupported] fn nvmlGetExcludedDeviceInfoByIndex();
#[unsupported] fn nvmlGetVgpuCompatibility();
#[unsupported] fn nvmlGetVgpuDriverCapabilities();
#[unsupported] fn nvmlGetVgpuVersion();
#[unsupported] fn nvmlGpmMetricsGet();
#[unsupported] fn nvmlGpmMigSampleGet();
#[unsupported] fn nvmlGpmQueryDeviceSupport();
#[unsupported] fn nvmlGpmQueryIfStreamingEnabled();
#[unsupported] fn nvmlGpmSampleAlloc();
#[unsupported] fn nvmlGpmSampleFree();
#[unsupported] fn nvmlGpmSampleGet();
#[unsupported] fn nvmlGpmSetStreamingEnabled();
#[unsupported] fn nvmlGpuInstanceCreateComputeInstance();
#[unsupported] fn nvmlGpuInstanceCreateComputeInstanceWithPlacement();
#[unsupported] fn nvmlGpuInstanceDestroy();
#[unsupported] fn nvmlGpuInstanceGetActiveVgpus();
#[unsupported] fn nvmlGpuInstanceGetComputeInstanceById();
#[unsupported] fn nvmlGpuInstanceGetComputeInstancePossiblePlacements();
#[unsupported] fn nvmlGpuInstanceGetComputeInstanceProfileInfo();
#[unsupported] fn nvmlGpuInstanceGetComputeInstanceProfileInfoV();
#[unsupported] fn nvmlGpuInstanceGetComputeInstanceRemainingCapacity();
#[unsupported] fn nvmlGpuInstanceGetComputeInstances();
#[unsupported] fn nvmlGpuInstanceGetCreatableVgpus();
#[unsupported] fn nvmlGpuInstanceGetInfo();
#[unsupported] fn nvmlGpuInstanceGetVgpuHeterogeneousMode();
#[unsupported] fn nvmlGpuInstanceGetVgpuSchedulerLog();
#[unsupported] fn nvmlGpuInstanceGetVgpuSchedulerLog_v2();
#[unsupported] fn nvmlGpuInstanceGetVgpuSchedulerState();
#[unsupported] fn nvmlGpuInstanceGetVgpuSchedulerState_v2();
#[unsupported] fn nvmlGpuInstanceGetVgpuTypeCreatablePlacements();
#[unsupported] fn nvmlGpuInstanceSetVgpuHeterogeneousMode();
#[unsupported] fn nvmlGpuInstanceSetVgpuSchedulerState();
#[unsupported] fn nvmlGpuInstanceSetVgpuSchedulerState_v2();
#[unsupported] fn nvmlSetVgpuVersion();
#[unsupported] fn nvmlSystemEventSetCreate();
#[unsupported] fn nvmlSystemEventSetFree();
#[unsupported] fn nvmlSystemEventSetWait();
#[unsupported] fn nvmlSystemGetCPER_v1();
#[unsupported] fn nvmlSystemGetConfComputeCapabilities();
#[unsupported] fn nvmlSystemGetConfComputeGpusReadyState();
#[unsupported] fn nvmlSystemGetConfComputeKeyRotationThresholdInfo();
#[unsupported] fn nvmlSystemGetConfComputeSettings();
#[unsupported] fn nvmlSystemGetConfComputeState();
#[unsupported] fn nvmlSystemGetDriverBranch();
#[unsupported] fn nvmlSystemGetHicVersion();
#[unsupported] fn nvmlSystemGetNvlinkBwMode();
#[unsupported] fn nvmlSystemGetTopologyGpuSet();
#[unsupported] fn nvmlSystemRegisterEvents();
#[unsupported] fn nvmlSystemSetConfComputeGpusReadyState();
#[unsupported] fn nvmlSystemSetConfComputeKeyRotationThresholdInfo();
#[unsupported] fn nvmlSystemSetNvlinkBwMode();
#[unsupported] fn nvmlUnitGetCount();
#[unsupported] fn nvmlUnitGetDevices();
#[unsupported] fn nvmlUnitGetFanSpeedInfo();
#[unsupported] fn nvmlUnitGetHandleByIndex();
#[unsupported] fn nvmlUnitGetLedState();
#[unsupported] fn nvmlUnitGetPsuInfo();
#[unsupported] fn nvmlUnitGetTemperature();
#[unsupported] fn nvmlUnitGetUnitInfo();
#[unsupported] fn nvmlUnitSetLedState();
#[unsupported] fn nvmlVgpuInstanceClearAccountingPids();
#[unsupported] fn nvmlVgpuInstanceGetAccountingMode();
#[unsupported] fn nvmlVgpuInstanceGetAccountingPids();
#[unsupported] fn nvmlVgpuInstanceGetAccountingStats();
#[unsupported] fn nvmlVgpuInstanceGetEccMode();
#[unsupported] fn nvmlVgpuInstanceGetEncoderCapacity();
#[unsupported] fn nvmlVgpuInstanceGetEncoderSessions();
#[unsupported] fn nvmlVgpuInstanceGetEncoderStats();
#[unsupported] fn nvmlVgpuInstanceGetFBCSessions();
#[unsupported] fn nvmlVgpuInstanceGetFBCStats();
#[unsupported] fn nvmlVgpuInstanceGetFbUsage();
#[unsupported] fn nvmlVgpuInstanceGetFrameRateLimit();
#[unsupported] fn nvmlVgpuInstanceGetGpuInstanceId();
#[unsupported] fn nvmlVgpuInstanceGetGpuPciId();
#[unsupported] fn nvmlVgpuInstanceGetLicenseInfo();
#[unsupported] fn nvmlVgpuInstanceGetLicenseInfo_v2();
#[unsupported] fn nvmlVgpuInstanceGetLicenseStatus();
#[unsupported] fn nvmlVgpuInstanceGetMdevUUID();
#[unsupported] fn nvmlVgpuInstanceGetMetadata();
#[unsupported] fn nvmlVgpuInstanceGetPlacementId();
#[unsupported] fn nvmlVgpuInstanceGetRuntimeStateSize();
#[unsupported] fn nvmlVgpuInstanceGetType();
#[unsupported] fn nvmlVgpuInstanceGetUUID();
#[unsupported] fn nvmlVgpuInstanceGetVmDriverVersion();
#[unsupported] fn nvmlVgpuInstanceGetVmID();
#[unsupported] fn nvmlVgpuInstanceSetEncoderCapacity();
#[unsupported] fn nvmlVgpuTypeGetBAR1Info();
#[unsupported] fn nvmlVgpuTypeGetCapabilities();
#[unsupported] fn nvmlVgpuTypeGetClass();
#[unsupported] fn nvmlVgpuTypeGetDeviceID();
#[unsupported] fn nvmlVgpuTypeGetFbReservation();
#[unsupported] fn nvmlVgpuTypeGetFrameRateLimit();
#[unsupported] fn nvmlVgpuTypeGetFramebufferSize();
#[unsupported] fn nvmlVgpuTypeGetGpuInstanceProfileId();
#[unsupported] fn nvmlVgpuTypeGetGspHeapSize();
#[unsupported] fn nvmlVgpuTypeGetLicense();
#[unsupported] fn nvmlVgpuTypeGetMaxInstances();
#[unsupported] fn nvmlVgpuTypeGetMaxInstancesPerGpuInstance();
#[unsupported] fn nvmlVgpuTypeGetMaxInstancesPerVm();
#[unsupported] fn nvmlVgpuTypeGetName();
#[unsupported] fn nvmlVgpuTypeGetNumDisplayHeads();
#[unsupported] fn nvmlVgpuTypeGetResolution();
