// Written by `cargo xtask codegen` from spec/nvml.rs; change that.

// NVIDIA's documents describe each function.
#![allow(missing_docs)]
#![allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)]

use crate::nvml::api;
use crate::nvml::entry::{enter, unsupported};
use crate::nvml::node_query::Question;
use outhaul_abi::nvml::*;
use outhaul_abi::types::CUuuid;
use std::ffi::{c_char, c_void};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlInit() -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlInit", || unsafe { api::nvmlInit() })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlInit_v2() -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlInit_v2", || unsafe { api::nvmlInit_v2() })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlInitWithFlags(flags: u32) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlInitWithFlags", || unsafe { api::nvmlInitWithFlags(flags) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlShutdown() -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlShutdown", || unsafe { api::nvmlShutdown() })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetDriverVersion(
    version: *mut c_char,
    versionLength: u32,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlSystemGetDriverVersion", || unsafe {
        api::nvmlSystemGetDriverVersion(version, versionLength)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetNVMLVersion(
    version: *mut c_char,
    versionLength: u32,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlSystemGetNVMLVersion", || unsafe {
        api::nvmlSystemGetNVMLVersion(version, versionLength)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetCudaDriverVersion(
    cudaDriverVersion: *mut i32,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlSystemGetCudaDriverVersion", || unsafe {
        api::nvmlSystemGetCudaDriverVersion(cudaDriverVersion)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetCudaDriverVersion_v2(
    cudaDriverVersion: *mut i32,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlSystemGetCudaDriverVersion_v2", || unsafe {
        api::nvmlSystemGetCudaDriverVersion_v2(cudaDriverVersion)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetProcessName(
    pid: u32,
    name: *mut c_char,
    nameLength: u32,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlSystemGetProcessName", || unsafe {
        api::nvmlSystemGetProcessName(pid, name, nameLength)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlInternalGetExportTable(
    table: *mut *const c_void,
    id: *const CUuuid,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlInternalGetExportTable", || unsafe { api::nvmlInternalGetExportTable(table, id) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCount(deviceCount: *mut u32) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetCount", || unsafe { api::nvmlDeviceGetCount(deviceCount) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCount_v2(deviceCount: *mut u32) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetCount_v2", || unsafe { api::nvmlDeviceGetCount_v2(deviceCount) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByIndex(
    index: u32,
    device: *mut nvmlDevice_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetHandleByIndex", || unsafe {
        api::nvmlDeviceGetHandleByIndex(index, device)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByIndex_v2(
    index: u32,
    device: *mut nvmlDevice_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetHandleByIndex_v2", || unsafe {
        api::nvmlDeviceGetHandleByIndex_v2(index, device)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByPciBusId(
    pciBusId: *const c_char,
    device: *mut nvmlDevice_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetHandleByPciBusId", || unsafe {
        api::nvmlDeviceGetHandleByPciBusId(pciBusId, device)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByPciBusId_v2(
    pciBusId: *const c_char,
    device: *mut nvmlDevice_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetHandleByPciBusId_v2", || unsafe {
        api::nvmlDeviceGetHandleByPciBusId_v2(pciBusId, device)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByUUID(
    uuid: *const c_char,
    device: *mut nvmlDevice_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetHandleByUUID", || unsafe { api::nvmlDeviceGetHandleByUUID(uuid, device) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetIndex(device: nvmlDevice_t, index: *mut u32) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetIndex", || unsafe { api::nvmlDeviceGetIndex(device, index) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetName(
    device: nvmlDevice_t,
    name: *mut c_char,
    nameLength: u32,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetName", || unsafe { api::nvmlDeviceGetName(device, name, nameLength) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetUUID(
    device: nvmlDevice_t,
    uuid: *mut c_char,
    uuidLength: u32,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetUUID", || unsafe { api::nvmlDeviceGetUUID(device, uuid, uuidLength) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPciInfo_v3(
    device: nvmlDevice_t,
    pci: *mut nvmlPciInfo_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetPciInfo_v3", || unsafe { api::nvmlDeviceGetPciInfo_v3(device, pci) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCudaComputeCapability(
    device: nvmlDevice_t,
    major: *mut i32,
    minor: *mut i32,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetCudaComputeCapability", || unsafe {
        api::nvmlDeviceGetCudaComputeCapability(device, major, minor)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetArchitecture(
    device: nvmlDevice_t,
    arch: *mut u32,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetArchitecture", || unsafe { api::nvmlDeviceGetArchitecture(device, arch) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetComputeMode(
    device: nvmlDevice_t,
    mode: *mut u32,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetComputeMode", || unsafe { api::nvmlDeviceGetComputeMode(device, mode) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceIsMigDeviceHandle(
    device: nvmlDevice_t,
    isMigDevice: *mut u32,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceIsMigDeviceHandle", || unsafe {
        api::nvmlDeviceIsMigDeviceHandle(device, isMigDevice)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetP2PStatus(
    device1: nvmlDevice_t,
    device2: nvmlDevice_t,
    p2pIndex: u32,
    p2pStatus: *mut u32,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetP2PStatus", || unsafe {
        api::nvmlDeviceGetP2PStatus(device1, device2, p2pIndex, p2pStatus)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryInfo(
    device: nvmlDevice_t,
    memory: *mut nvmlMemory_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetMemoryInfo", || unsafe { api::nvmlDeviceGetMemoryInfo(device, memory) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryInfo_v2(
    device: nvmlDevice_t,
    memory: *mut nvmlMemory_v2_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetMemoryInfo_v2", || unsafe {
        api::nvmlDeviceGetMemoryInfo_v2(device, memory)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetComputeRunningProcesses(
    device: nvmlDevice_t,
    infoCount: *mut u32,
    infos: *mut nvmlProcessInfo_v1_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetComputeRunningProcesses", || unsafe {
        api::nvmlDeviceGetComputeRunningProcesses(device, infoCount, infos)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetComputeRunningProcesses_v2(
    device: nvmlDevice_t,
    infoCount: *mut u32,
    infos: *mut nvmlProcessInfo_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetComputeRunningProcesses_v2", || unsafe {
        api::nvmlDeviceGetComputeRunningProcesses_v2(device, infoCount, infos)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetComputeRunningProcesses_v3(
    device: nvmlDevice_t,
    infoCount: *mut u32,
    infos: *mut nvmlProcessInfo_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetComputeRunningProcesses_v3", || unsafe {
        api::nvmlDeviceGetComputeRunningProcesses_v3(device, infoCount, infos)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGraphicsRunningProcesses(
    device: nvmlDevice_t,
    infoCount: *mut u32,
    infos: *mut nvmlProcessInfo_v1_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetGraphicsRunningProcesses", || unsafe {
        api::nvmlDeviceGetGraphicsRunningProcesses(device, infoCount, infos)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGraphicsRunningProcesses_v2(
    device: nvmlDevice_t,
    infoCount: *mut u32,
    infos: *mut nvmlProcessInfo_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetGraphicsRunningProcesses_v2", || unsafe {
        api::nvmlDeviceGetGraphicsRunningProcesses_v2(device, infoCount, infos)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGraphicsRunningProcesses_v3(
    device: nvmlDevice_t,
    infoCount: *mut u32,
    infos: *mut nvmlProcessInfo_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetGraphicsRunningProcesses_v3", || unsafe {
        api::nvmlDeviceGetGraphicsRunningProcesses_v3(device, infoCount, infos)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMPSComputeRunningProcesses(
    device: nvmlDevice_t,
    infoCount: *mut u32,
    infos: *mut nvmlProcessInfo_v1_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetMPSComputeRunningProcesses", || unsafe {
        api::nvmlDeviceGetMPSComputeRunningProcesses(device, infoCount, infos)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMPSComputeRunningProcesses_v2(
    device: nvmlDevice_t,
    infoCount: *mut u32,
    infos: *mut nvmlProcessInfo_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetMPSComputeRunningProcesses_v2", || unsafe {
        api::nvmlDeviceGetMPSComputeRunningProcesses_v2(device, infoCount, infos)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMPSComputeRunningProcesses_v3(
    device: nvmlDevice_t,
    infoCount: *mut u32,
    infos: *mut nvmlProcessInfo_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetMPSComputeRunningProcesses_v3", || unsafe {
        api::nvmlDeviceGetMPSComputeRunningProcesses_v3(device, infoCount, infos)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetUtilizationRates(
    device: nvmlDevice_t,
    utilization: *mut nvmlUtilization_t,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetUtilizationRates", || {
        let mut question = Question::new(1);
        question.device(device)?;
        question.wants(utilization)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(utilization)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTemperature(
    device: nvmlDevice_t,
    sensorType: u32,
    temp: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetTemperature", || {
        let mut question = Question::new(2);
        question.device(device)?;
        question.number(sensorType);
        question.wants(temp)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(temp)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTemperatureV(
    device: nvmlDevice_t,
    temperature: *mut nvmlTemperature_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetTemperatureV", || unsafe {
        api::nvmlDeviceGetTemperatureV(device, temperature)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPowerUsage(
    device: nvmlDevice_t,
    power: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetPowerUsage", || {
        let mut question = Question::new(3);
        question.device(device)?;
        question.wants(power)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(power)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTotalEnergyConsumption(
    device: nvmlDevice_t,
    energy: *mut u64,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetTotalEnergyConsumption", || {
        let mut question = Question::new(4);
        question.device(device)?;
        question.wants(energy)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(energy)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetClockInfo(
    device: nvmlDevice_t,
    type_: u32,
    clock: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetClockInfo", || {
        let mut question = Question::new(5);
        question.device(device)?;
        question.number(type_);
        question.wants(clock)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(clock)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetClock(
    device: nvmlDevice_t,
    clockType: u32,
    clockId: u32,
    clockMHz: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetClock", || {
        let mut question = Question::new(6);
        question.device(device)?;
        question.number(clockType);
        question.number(clockId);
        question.wants(clockMHz)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(clockMHz)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMaxClockInfo(
    device: nvmlDevice_t,
    type_: u32,
    clock: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetMaxClockInfo", || {
        let mut question = Question::new(7);
        question.device(device)?;
        question.number(type_);
        question.wants(clock)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(clock)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetApplicationsClock(
    device: nvmlDevice_t,
    clockType: u32,
    clockMHz: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetApplicationsClock", || {
        let mut question = Question::new(8);
        question.device(device)?;
        question.number(clockType);
        question.wants(clockMHz)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(clockMHz)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetDefaultApplicationsClock(
    device: nvmlDevice_t,
    clockType: u32,
    clockMHz: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetDefaultApplicationsClock", || {
        let mut question = Question::new(9);
        question.device(device)?;
        question.number(clockType);
        question.wants(clockMHz)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(clockMHz)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMaxCustomerBoostClock(
    device: nvmlDevice_t,
    clockType: u32,
    clockMHz: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetMaxCustomerBoostClock", || {
        let mut question = Question::new(10);
        question.device(device)?;
        question.number(clockType);
        question.wants(clockMHz)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(clockMHz)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetFanSpeed(
    device: nvmlDevice_t,
    speed: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetFanSpeed", || {
        let mut question = Question::new(11);
        question.device(device)?;
        question.wants(speed)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(speed)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetFanSpeed_v2(
    device: nvmlDevice_t,
    fan: u32,
    speed: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetFanSpeed_v2", || {
        let mut question = Question::new(12);
        question.device(device)?;
        question.number(fan);
        question.wants(speed)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(speed)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNumFans(
    device: nvmlDevice_t,
    numFans: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetNumFans", || {
        let mut question = Question::new(13);
        question.device(device)?;
        question.wants(numFans)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(numFans)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPerformanceState(
    device: nvmlDevice_t,
    pState: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetPerformanceState", || {
        let mut question = Question::new(14);
        question.device(device)?;
        question.wants(pState)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(pState)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPowerState(
    device: nvmlDevice_t,
    pState: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetPowerState", || {
        let mut question = Question::new(15);
        question.device(device)?;
        question.wants(pState)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(pState)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCurrentClocksThrottleReasons(
    device: nvmlDevice_t,
    clocksThrottleReasons: *mut u64,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetCurrentClocksThrottleReasons", || {
        let mut question = Question::new(16);
        question.device(device)?;
        question.wants(clocksThrottleReasons)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(clocksThrottleReasons)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetSupportedClocksThrottleReasons(
    device: nvmlDevice_t,
    supportedClocksThrottleReasons: *mut u64,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetSupportedClocksThrottleReasons", || {
        let mut question = Question::new(17);
        question.device(device)?;
        question.wants(supportedClocksThrottleReasons)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(supportedClocksThrottleReasons)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCurrentClocksEventReasons(
    device: nvmlDevice_t,
    clocksEventReasons: *mut u64,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetCurrentClocksEventReasons", || {
        let mut question = Question::new(18);
        question.device(device)?;
        question.wants(clocksEventReasons)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(clocksEventReasons)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetSupportedClocksEventReasons(
    device: nvmlDevice_t,
    supportedClocksEventReasons: *mut u64,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetSupportedClocksEventReasons", || {
        let mut question = Question::new(19);
        question.device(device)?;
        question.wants(supportedClocksEventReasons)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(supportedClocksEventReasons)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTemperatureThreshold(
    device: nvmlDevice_t,
    thresholdType: u32,
    temp: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetTemperatureThreshold", || {
        let mut question = Question::new(20);
        question.device(device)?;
        question.number(thresholdType);
        question.wants(temp)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(temp)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetViolationStatus(
    device: nvmlDevice_t,
    perfPolicyType: u32,
    violTime: *mut nvmlViolationTime_t,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetViolationStatus", || {
        let mut question = Question::new(21);
        question.device(device)?;
        question.number(perfPolicyType);
        question.wants(violTime)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(violTime)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetEncoderUtilization(
    device: nvmlDevice_t,
    utilization: *mut u32,
    samplingPeriodUs: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetEncoderUtilization", || {
        let mut question = Question::new(22);
        question.device(device)?;
        question.wants(utilization)?;
        question.wants(samplingPeriodUs)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(utilization)?;
            answer.number_or_struct(samplingPeriodUs)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetDecoderUtilization(
    device: nvmlDevice_t,
    utilization: *mut u32,
    samplingPeriodUs: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetDecoderUtilization", || {
        let mut question = Question::new(23);
        question.device(device)?;
        question.wants(utilization)?;
        question.wants(samplingPeriodUs)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(utilization)?;
            answer.number_or_struct(samplingPeriodUs)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetJpgUtilization(
    device: nvmlDevice_t,
    utilization: *mut u32,
    samplingPeriodUs: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetJpgUtilization", || {
        let mut question = Question::new(24);
        question.device(device)?;
        question.wants(utilization)?;
        question.wants(samplingPeriodUs)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(utilization)?;
            answer.number_or_struct(samplingPeriodUs)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetOfaUtilization(
    device: nvmlDevice_t,
    utilization: *mut u32,
    samplingPeriodUs: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetOfaUtilization", || {
        let mut question = Question::new(25);
        question.device(device)?;
        question.wants(utilization)?;
        question.wants(samplingPeriodUs)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(utilization)?;
            answer.number_or_struct(samplingPeriodUs)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetFieldValues(
    device: nvmlDevice_t,
    valuesCount: i32,
    values: *mut nvmlFieldValue_t,
) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlDeviceGetFieldValues", || unsafe {
        api::nvmlDeviceGetFieldValues(device, valuesCount, values)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetEncoderStats(
    device: nvmlDevice_t,
    sessionCount: *mut u32,
    averageFps: *mut u32,
    averageLatency: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetEncoderStats", || {
        let mut question = Question::new(26);
        question.device(device)?;
        question.wants(sessionCount)?;
        question.wants(averageFps)?;
        question.wants(averageLatency)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(sessionCount)?;
            answer.number_or_struct(averageFps)?;
            answer.number_or_struct(averageLatency)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetFBCStats(
    device: nvmlDevice_t,
    fbcStats: *mut nvmlFBCStats_t,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetFBCStats", || {
        let mut question = Question::new(27);
        question.device(device)?;
        question.wants(fbcStats)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(fbcStats)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMarginTemperature(
    device: nvmlDevice_t,
    marginTempInfo: *mut nvmlMarginTemperature_v1_t,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetMarginTemperature", || {
        let mut question = Question::new(28);
        question.device(device)?;
        question.wants_version(marginTempInfo)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(marginTempInfo)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPowerManagementMode(
    device: nvmlDevice_t,
    mode: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetPowerManagementMode", || {
        let mut question = Question::new(30);
        question.device(device)?;
        question.wants(mode)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(mode)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPowerManagementLimit(
    device: nvmlDevice_t,
    limit: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetPowerManagementLimit", || {
        let mut question = Question::new(31);
        question.device(device)?;
        question.wants(limit)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(limit)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPowerManagementDefaultLimit(
    device: nvmlDevice_t,
    defaultLimit: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetPowerManagementDefaultLimit", || {
        let mut question = Question::new(32);
        question.device(device)?;
        question.wants(defaultLimit)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(defaultLimit)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPowerManagementLimitConstraints(
    device: nvmlDevice_t,
    minLimit: *mut u32,
    maxLimit: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetPowerManagementLimitConstraints", || {
        let mut question = Question::new(33);
        question.device(device)?;
        question.wants(minLimit)?;
        question.wants(maxLimit)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(minLimit)?;
            answer.number_or_struct(maxLimit)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetEnforcedPowerLimit(
    device: nvmlDevice_t,
    limit: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetEnforcedPowerLimit", || {
        let mut question = Question::new(34);
        question.device(device)?;
        question.wants(limit)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(limit)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPowerSource(
    device: nvmlDevice_t,
    powerSource: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetPowerSource", || {
        let mut question = Question::new(35);
        question.device(device)?;
        question.wants(powerSource)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(powerSource)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetEccMode(
    device: nvmlDevice_t,
    current: *mut u32,
    pending: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetEccMode", || {
        let mut question = Question::new(40);
        question.device(device)?;
        question.wants(current)?;
        question.wants(pending)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(current)?;
            answer.number_or_struct(pending)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetDefaultEccMode(
    device: nvmlDevice_t,
    defaultMode: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetDefaultEccMode", || {
        let mut question = Question::new(41);
        question.device(device)?;
        question.wants(defaultMode)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(defaultMode)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTotalEccErrors(
    device: nvmlDevice_t,
    errorType: u32,
    counterType: u32,
    eccCounts: *mut u64,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetTotalEccErrors", || {
        let mut question = Question::new(42);
        question.device(device)?;
        question.number(errorType);
        question.number(counterType);
        question.wants(eccCounts)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(eccCounts)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryErrorCounter(
    device: nvmlDevice_t,
    errorType: u32,
    counterType: u32,
    locationType: u32,
    count: *mut u64,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetMemoryErrorCounter", || {
        let mut question = Question::new(43);
        question.device(device)?;
        question.number(errorType);
        question.number(counterType);
        question.number(locationType);
        question.wants(count)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(count)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetRemappedRows(
    device: nvmlDevice_t,
    corrRows: *mut u32,
    uncRows: *mut u32,
    isPending: *mut u32,
    failureOccurred: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetRemappedRows", || {
        let mut question = Question::new(44);
        question.device(device)?;
        question.wants(corrRows)?;
        question.wants(uncRows)?;
        question.wants(isPending)?;
        question.wants(failureOccurred)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(corrRows)?;
            answer.number_or_struct(uncRows)?;
            answer.number_or_struct(isPending)?;
            answer.number_or_struct(failureOccurred)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetRowRemapperHistogram(
    device: nvmlDevice_t,
    values: *mut nvmlRowRemapperHistogramValues_t,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetRowRemapperHistogram", || {
        let mut question = Question::new(45);
        question.device(device)?;
        question.wants(values)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(values)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetRetiredPagesPendingStatus(
    device: nvmlDevice_t,
    isPending: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetRetiredPagesPendingStatus", || {
        let mut question = Question::new(46);
        question.device(device)?;
        question.wants(isPending)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(isPending)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetSramEccErrorStatus(
    device: nvmlDevice_t,
    sramErrorStatus: *mut nvmlEccSramErrorStatus_v1_t,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetSramEccErrorStatus", || {
        let mut question = Question::new(47);
        question.device(device)?;
        question.wants_version(sramErrorStatus)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(sramErrorStatus)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetRepairStatus(
    device: nvmlDevice_t,
    repairStatus: *mut nvmlRepairStatus_v1_t,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetRepairStatus", || {
        let mut question = Question::new(48);
        question.device(device)?;
        question.wants_version(repairStatus)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(repairStatus)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceValidateInforom(device: nvmlDevice_t) -> nvmlReturn_t {
    enter("nvmlDeviceValidateInforom", || {
        let mut question = Question::new(49);
        question.device(device)?;
        question.ask()?.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetBrand(device: nvmlDevice_t, type_: *mut u32) -> nvmlReturn_t {
    enter("nvmlDeviceGetBrand", || {
        let mut question = Question::new(50);
        question.device(device)?;
        question.wants(type_)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(type_)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMinorNumber(
    device: nvmlDevice_t,
    minorNumber: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetMinorNumber", || {
        let mut question = Question::new(51);
        question.device(device)?;
        question.wants(minorNumber)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(minorNumber)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetBoardId(
    device: nvmlDevice_t,
    boardId: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetBoardId", || {
        let mut question = Question::new(52);
        question.device(device)?;
        question.wants(boardId)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(boardId)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMultiGpuBoard(
    device: nvmlDevice_t,
    multiGpuBool: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetMultiGpuBoard", || {
        let mut question = Question::new(53);
        question.device(device)?;
        question.wants(multiGpuBool)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(multiGpuBool)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNumGpuCores(
    device: nvmlDevice_t,
    numCores: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetNumGpuCores", || {
        let mut question = Question::new(54);
        question.device(device)?;
        question.wants(numCores)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(numCores)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryBusWidth(
    device: nvmlDevice_t,
    busWidth: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetMemoryBusWidth", || {
        let mut question = Question::new(55);
        question.device(device)?;
        question.wants(busWidth)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(busWidth)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetSerial(
    device: nvmlDevice_t,
    serial: *mut c_char,
    serialLength: u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetSerial", || {
        let mut question = Question::new(56);
        question.device(device)?;
        question.wants(serial)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.text(serial, serialLength)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetVbiosVersion(
    device: nvmlDevice_t,
    version: *mut c_char,
    versionLength: u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetVbiosVersion", || {
        let mut question = Question::new(57);
        question.device(device)?;
        question.wants(version)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.text(version, versionLength)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetBoardPartNumber(
    device: nvmlDevice_t,
    partNumber: *mut c_char,
    partNumberLength: u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetBoardPartNumber", || {
        let mut question = Question::new(58);
        question.device(device)?;
        question.wants(partNumber)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.text(partNumber, partNumberLength)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetInforomImageVersion(
    device: nvmlDevice_t,
    version: *mut c_char,
    versionLength: u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetInforomImageVersion", || {
        let mut question = Question::new(59);
        question.device(device)?;
        question.wants(version)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.text(version, versionLength)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetInforomVersion(
    device: nvmlDevice_t,
    object: u32,
    version: *mut c_char,
    versionLength: u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetInforomVersion", || {
        let mut question = Question::new(60);
        question.device(device)?;
        question.number(object);
        question.wants(version)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.text(version, versionLength)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetBAR1MemoryInfo(
    device: nvmlDevice_t,
    bar1Memory: *mut nvmlBAR1Memory_t,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetBAR1MemoryInfo", || {
        let mut question = Question::new(61);
        question.device(device)?;
        question.wants(bar1Memory)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(bar1Memory)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCurrPcieLinkGeneration(
    device: nvmlDevice_t,
    currLinkGen: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetCurrPcieLinkGeneration", || {
        let mut question = Question::new(62);
        question.device(device)?;
        question.wants(currLinkGen)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(currLinkGen)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCurrPcieLinkWidth(
    device: nvmlDevice_t,
    currLinkWidth: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetCurrPcieLinkWidth", || {
        let mut question = Question::new(63);
        question.device(device)?;
        question.wants(currLinkWidth)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(currLinkWidth)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMaxPcieLinkGeneration(
    device: nvmlDevice_t,
    maxLinkGen: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetMaxPcieLinkGeneration", || {
        let mut question = Question::new(64);
        question.device(device)?;
        question.wants(maxLinkGen)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(maxLinkGen)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMaxPcieLinkWidth(
    device: nvmlDevice_t,
    maxLinkWidth: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetMaxPcieLinkWidth", || {
        let mut question = Question::new(65);
        question.device(device)?;
        question.wants(maxLinkWidth)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(maxLinkWidth)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGpuMaxPcieLinkGeneration(
    device: nvmlDevice_t,
    maxLinkGenDevice: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetGpuMaxPcieLinkGeneration", || {
        let mut question = Question::new(66);
        question.device(device)?;
        question.wants(maxLinkGenDevice)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(maxLinkGenDevice)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPcieThroughput(
    device: nvmlDevice_t,
    counter: u32,
    value: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetPcieThroughput", || {
        let mut question = Question::new(67);
        question.device(device)?;
        question.number(counter);
        question.wants(value)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(value)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPcieReplayCounter(
    device: nvmlDevice_t,
    value: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetPcieReplayCounter", || {
        let mut question = Question::new(68);
        question.device(device)?;
        question.wants(value)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(value)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPcieSpeed(
    device: nvmlDevice_t,
    pcieSpeed: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetPcieSpeed", || {
        let mut question = Question::new(69);
        question.device(device)?;
        question.wants(pcieSpeed)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(pcieSpeed)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPcieLinkMaxSpeed(
    device: nvmlDevice_t,
    maxSpeed: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetPcieLinkMaxSpeed", || {
        let mut question = Question::new(70);
        question.device(device)?;
        question.wants(maxSpeed)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(maxSpeed)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetModuleId(
    device: nvmlDevice_t,
    moduleId: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetModuleId", || {
        let mut question = Question::new(71);
        question.device(device)?;
        question.wants(moduleId)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(moduleId)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPdi(
    device: nvmlDevice_t,
    pdi: *mut nvmlPdi_v1_t,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetPdi", || {
        let mut question = Question::new(72);
        question.device(device)?;
        question.wants_version(pdi)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(pdi)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPciInfoExt(
    device: nvmlDevice_t,
    pci: *mut nvmlPciInfoExt_v1_t,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetPciInfoExt", || {
        let mut question = Question::new(73);
        question.device(device)?;
        question.wants_version(pci)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(pci)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPersistenceMode(
    device: nvmlDevice_t,
    mode: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetPersistenceMode", || {
        let mut question = Question::new(80);
        question.device(device)?;
        question.wants(mode)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(mode)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetDisplayMode(
    device: nvmlDevice_t,
    display: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetDisplayMode", || {
        let mut question = Question::new(81);
        question.device(device)?;
        question.wants(display)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(display)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetDisplayActive(
    device: nvmlDevice_t,
    isActive: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetDisplayActive", || {
        let mut question = Question::new(82);
        question.device(device)?;
        question.wants(isActive)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(isActive)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMigMode(
    device: nvmlDevice_t,
    currentMode: *mut u32,
    pendingMode: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetMigMode", || {
        let mut question = Question::new(83);
        question.device(device)?;
        question.wants(currentMode)?;
        question.wants(pendingMode)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(currentMode)?;
            answer.number_or_struct(pendingMode)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGpuOperationMode(
    device: nvmlDevice_t,
    current: *mut u32,
    pending: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetGpuOperationMode", || {
        let mut question = Question::new(84);
        question.device(device)?;
        question.wants(current)?;
        question.wants(pending)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(current)?;
            answer.number_or_struct(pending)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetVirtualizationMode(
    device: nvmlDevice_t,
    pVirtualMode: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetVirtualizationMode", || {
        let mut question = Question::new(85);
        question.device(device)?;
        question.wants(pVirtualMode)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(pVirtualMode)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetAutoBoostedClocksEnabled(
    device: nvmlDevice_t,
    isEnabled: *mut u32,
    defaultIsEnabled: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetAutoBoostedClocksEnabled", || {
        let mut question = Question::new(86);
        question.device(device)?;
        question.wants(isEnabled)?;
        question.wants(defaultIsEnabled)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(isEnabled)?;
            answer.number_or_struct(defaultIsEnabled)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetAdaptiveClockInfoStatus(
    device: nvmlDevice_t,
    adaptiveClockStatus: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetAdaptiveClockInfoStatus", || {
        let mut question = Question::new(87);
        question.device(device)?;
        question.wants(adaptiveClockStatus)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(adaptiveClockStatus)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGspFirmwareMode(
    device: nvmlDevice_t,
    isEnabled: *mut u32,
    defaultMode: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetGspFirmwareMode", || {
        let mut question = Question::new(88);
        question.device(device)?;
        question.wants(isEnabled)?;
        question.wants(defaultMode)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(isEnabled)?;
            answer.number_or_struct(defaultMode)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetAccountingMode(
    device: nvmlDevice_t,
    mode: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetAccountingMode", || {
        let mut question = Question::new(89);
        question.device(device)?;
        question.wants(mode)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(mode)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetAccountingBufferSize(
    device: nvmlDevice_t,
    bufferSize: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetAccountingBufferSize", || {
        let mut question = Question::new(90);
        question.device(device)?;
        question.wants(bufferSize)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(bufferSize)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHostVgpuMode(
    device: nvmlDevice_t,
    pHostVgpuMode: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetHostVgpuMode", || {
        let mut question = Question::new(91);
        question.device(device)?;
        question.wants(pHostVgpuMode)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(pHostVgpuMode)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMaxMigDeviceCount(
    device: nvmlDevice_t,
    count: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetMaxMigDeviceCount", || {
        let mut question = Question::new(92);
        question.device(device)?;
        question.wants(count)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(count)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetConfComputeProtectedMemoryUsage(
    device: nvmlDevice_t,
    memory: *mut nvmlMemory_t,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetConfComputeProtectedMemoryUsage", || {
        let mut question = Question::new(93);
        question.device(device)?;
        question.wants(memory)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(memory)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetAddressingMode(
    device: nvmlDevice_t,
    mode: *mut nvmlDeviceAddressingMode_v1_t,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetAddressingMode", || {
        let mut question = Question::new(94);
        question.device(device)?;
        question.wants_version(mode)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(mode)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCapabilities(
    device: nvmlDevice_t,
    caps: *mut nvmlDeviceCapabilities_v1_t,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetCapabilities", || {
        let mut question = Question::new(95);
        question.device(device)?;
        question.wants_version(caps)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(caps)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetCreate(set: *mut nvmlEventSet_t) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlEventSetCreate", || unsafe { api::nvmlEventSetCreate(set) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetFree(set: nvmlEventSet_t) -> nvmlReturn_t {
    // SAFETY: the caller's promise, as NVML states it.
    enter("nvmlEventSetFree", || unsafe { api::nvmlEventSetFree(set) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvLinkState(
    device: nvmlDevice_t,
    link: u32,
    isActive: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetNvLinkState", || {
        let mut question = Question::new(110);
        question.device(device)?;
        question.number(link);
        question.wants(isActive)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(isActive)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvLinkVersion(
    device: nvmlDevice_t,
    link: u32,
    version: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetNvLinkVersion", || {
        let mut question = Question::new(111);
        question.device(device)?;
        question.number(link);
        question.wants(version)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(version)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvLinkCapability(
    device: nvmlDevice_t,
    link: u32,
    capability: u32,
    capResult: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetNvLinkCapability", || {
        let mut question = Question::new(112);
        question.device(device)?;
        question.number(link);
        question.number(capability);
        question.wants(capResult)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(capResult)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvLinkRemotePciInfo_v2(
    device: nvmlDevice_t,
    link: u32,
    pci: *mut nvmlPciInfo_t,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetNvLinkRemotePciInfo_v2", || {
        let mut question = Question::new(113);
        question.device(device)?;
        question.number(link);
        question.wants(pci)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(pci)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvLinkRemotePciInfo(
    device: nvmlDevice_t,
    link: u32,
    pci: *mut nvmlPciInfo_v2_t,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetNvLinkRemotePciInfo", || {
        let mut question = Question::new(115);
        question.device(device)?;
        question.number(link);
        question.wants(pci)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(pci)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvLinkRemoteDeviceType(
    device: nvmlDevice_t,
    link: u32,
    pNvLinkDeviceType: *mut u32,
) -> nvmlReturn_t {
    enter("nvmlDeviceGetNvLinkRemoteDeviceType", || {
        let mut question = Question::new(114);
        question.device(device)?;
        question.number(link);
        question.wants(pNvLinkDeviceType)?;
        let mut answer = question.ask()?;
        // SAFETY: not null, and the program guarantees that it is valid for writes.
        unsafe {
            answer.number_or_struct(pNvLinkDeviceType)?;
        }
        answer.end()
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlComputeInstanceDestroy() -> nvmlReturn_t {
    unsupported("nvmlComputeInstanceDestroy")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlComputeInstanceGetInfo() -> nvmlReturn_t {
    unsupported("nvmlComputeInstanceGetInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlComputeInstanceGetInfo_v2() -> nvmlReturn_t {
    unsupported("nvmlComputeInstanceGetInfo_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceClearAccountingPids() -> nvmlReturn_t {
    unsupported("nvmlDeviceClearAccountingPids")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceClearCpuAffinity() -> nvmlReturn_t {
    unsupported("nvmlDeviceClearCpuAffinity")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceClearEccErrorCounts() -> nvmlReturn_t {
    unsupported("nvmlDeviceClearEccErrorCounts")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceClearFieldValues() -> nvmlReturn_t {
    unsupported("nvmlDeviceClearFieldValues")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceCreateGpuInstance() -> nvmlReturn_t {
    unsupported("nvmlDeviceCreateGpuInstance")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceCreateGpuInstanceWithPlacement() -> nvmlReturn_t {
    unsupported("nvmlDeviceCreateGpuInstanceWithPlacement")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceDiscoverGpus() -> nvmlReturn_t {
    unsupported("nvmlDeviceDiscoverGpus")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceFreezeNvLinkUtilizationCounter() -> nvmlReturn_t {
    unsupported("nvmlDeviceFreezeNvLinkUtilizationCounter")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetAPIRestriction() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetAPIRestriction")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetAccountingPids() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetAccountingPids")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetAccountingStats() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetAccountingStats")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetAccountingStats_v2() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetAccountingStats_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetActiveVgpus() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetActiveVgpus")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetAdaptiveTgpModeInfo_v1() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetAdaptiveTgpModeInfo_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetAttributes() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetAttributes")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetAttributes_v2() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetAttributes_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetBBXTimeData_v1() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetBBXTimeData_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetBankRemapperStatus_v1() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetBankRemapperStatus_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetBridgeChipInfo() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetBridgeChipInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetBusType() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetBusType")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetC2cModeInfoV() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetC2cModeInfoV")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetClkMonStatus() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetClkMonStatus")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetClockOffsets() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetClockOffsets")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetComputeInstanceId() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetComputeInstanceId")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetConfComputeGpuAttestationReport() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetConfComputeGpuAttestationReport")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetConfComputeGpuCertificate() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetConfComputeGpuCertificate")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetConfComputeMemSizeInfo() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetConfComputeMemSizeInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCoolerInfo() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetCoolerInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCpuAffinity() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetCpuAffinity")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCpuAffinityWithinScope() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetCpuAffinityWithinScope")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCreatableVgpus() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetCreatableVgpus")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCurrentClockFreqs() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetCurrentClockFreqs")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetDetailedEccErrors() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetDetailedEccErrors")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetDeviceHandleFromMigDeviceHandle() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetDeviceHandleFromMigDeviceHandle")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetDramEncryptionMode() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetDramEncryptionMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetDriverModel() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetDriverModel")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetDriverModel_v2() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetDriverModel_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetDynamicPstatesInfo() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetDynamicPstatesInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetEncoderCapacity() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetEncoderCapacity")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetEncoderSessions() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetEncoderSessions")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetFBCSessions() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetFBCSessions")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetFanControlPolicy_v2() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetFanControlPolicy_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetFanSpeedRPM() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetFanSpeedRPM")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGpcClkMinMaxVfOffset() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGpcClkMinMaxVfOffset")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGpcClkVfOffset() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGpcClkVfOffset")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGpuFabricInfo() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGpuFabricInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGpuFabricInfoV() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGpuFabricInfoV")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGpuFabricInfo_v4() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGpuFabricInfo_v4")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGpuInstanceById() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGpuInstanceById")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGpuInstanceId() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGpuInstanceId")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGpuInstancePossiblePlacements() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGpuInstancePossiblePlacements")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGpuInstancePossiblePlacements_v2() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGpuInstancePossiblePlacements_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGpuInstanceProfileInfo() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGpuInstanceProfileInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGpuInstanceProfileInfoByIdV() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGpuInstanceProfileInfoByIdV")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGpuInstanceProfileInfoV() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGpuInstanceProfileInfoV")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGpuInstanceRemainingCapacity() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGpuInstanceRemainingCapacity")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGpuInstances() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGpuInstances")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGridLicensableFeatures() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGridLicensableFeatures")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGridLicensableFeatures_v2() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGridLicensableFeatures_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGridLicensableFeatures_v3() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGridLicensableFeatures_v3")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGridLicensableFeatures_v4() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGridLicensableFeatures_v4")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetGspFirmwareVersion() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetGspFirmwareVersion")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleBySerial() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetHandleBySerial")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHandleByUUIDV() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetHandleByUUIDV")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetHostname_v1() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetHostname_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetInforomConfigurationChecksum() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetInforomConfigurationChecksum")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetIrqNum() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetIrqNum")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetLastBBXFlushTime() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetLastBBXFlushTime")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemClkMinMaxVfOffset() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetMemClkMinMaxVfOffset")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemClkVfOffset() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetMemClkVfOffset")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryAffinity() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetMemoryAffinity")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMemoryLimits_v1() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetMemoryLimits_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMigDeviceHandleByIndex() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetMigDeviceHandleByIndex")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMinMaxClockOfPState() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetMinMaxClockOfPState")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetMinMaxFanSpeed() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetMinMaxFanSpeed")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNumaNodeId() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetNumaNodeId")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvLinkErrorCounter() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetNvLinkErrorCounter")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvLinkInfo() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetNvLinkInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvLinkTelemetrySamples_v1() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetNvLinkTelemetrySamples_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvLinkUtilizationControl() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetNvLinkUtilizationControl")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvLinkUtilizationCounter() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetNvLinkUtilizationCounter")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvlinkBwMode() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetNvlinkBwMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetNvlinkSupportedBwModes() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetNvlinkSupportedBwModes")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPciInfo() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetPciInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPciInfo_v2() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetPciInfo_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPerformanceModes() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetPerformanceModes")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPgpuMetadataString() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetPgpuMetadataString")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPlatformInfo() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetPlatformInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPowerMizerMode_v1() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetPowerMizerMode_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetProcessUtilization() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetProcessUtilization")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetProcessesUtilizationInfo() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetProcessesUtilizationInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetRemappedRows_v2() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetRemappedRows_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetRetiredPages() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetRetiredPages")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetRetiredPages_v2() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetRetiredPages_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetRunningProcessDetailList() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetRunningProcessDetailList")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetSamples() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetSamples")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetSupportedEventTypes() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetSupportedEventTypes")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetSupportedGraphicsClocks() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetSupportedGraphicsClocks")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetSupportedMemoryClocks() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetSupportedMemoryClocks")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetSupportedPerformanceStates() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetSupportedPerformanceStates")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetSupportedVgpus() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetSupportedVgpus")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTargetFanSpeed() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetTargetFanSpeed")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetThermalSettings() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetThermalSettings")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTopologyCommonAncestor() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetTopologyCommonAncestor")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetTopologyNearestGpus() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetTopologyNearestGpus")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetUnrepairableMemoryFlag_v1() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetUnrepairableMemoryFlag_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetVgpuCapabilities() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetVgpuCapabilities")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetVgpuHeterogeneousMode() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetVgpuHeterogeneousMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetVgpuInstancesUtilizationInfo() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetVgpuInstancesUtilizationInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetVgpuMetadata() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetVgpuMetadata")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetVgpuProcessUtilization() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetVgpuProcessUtilization")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetVgpuProcessesUtilizationInfo() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetVgpuProcessesUtilizationInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetVgpuSchedulerCapabilities() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetVgpuSchedulerCapabilities")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetVgpuSchedulerLog() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetVgpuSchedulerLog")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetVgpuSchedulerLog_v2() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetVgpuSchedulerLog_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetVgpuSchedulerState() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetVgpuSchedulerState")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetVgpuSchedulerState_v2() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetVgpuSchedulerState_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetVgpuTypeCreatablePlacements() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetVgpuTypeCreatablePlacements")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetVgpuTypeSupportedPlacements() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetVgpuTypeSupportedPlacements")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetVgpuUtilization() -> nvmlReturn_t {
    unsupported("nvmlDeviceGetVgpuUtilization")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceModifyDrainState() -> nvmlReturn_t {
    unsupported("nvmlDeviceModifyDrainState")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceOnSameBoard() -> nvmlReturn_t {
    unsupported("nvmlDeviceOnSameBoard")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDevicePerfMetricsGetSamples_v1() -> nvmlReturn_t {
    unsupported("nvmlDevicePerfMetricsGetSamples_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDevicePowerSmoothingActivatePresetProfile() -> nvmlReturn_t {
    unsupported("nvmlDevicePowerSmoothingActivatePresetProfile")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDevicePowerSmoothingSetState() -> nvmlReturn_t {
    unsupported("nvmlDevicePowerSmoothingSetState")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDevicePowerSmoothingUpdatePresetProfileParam() -> nvmlReturn_t {
    unsupported("nvmlDevicePowerSmoothingUpdatePresetProfileParam")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceQueryDrainState() -> nvmlReturn_t {
    unsupported("nvmlDeviceQueryDrainState")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceReadPRMCounters_v1() -> nvmlReturn_t {
    unsupported("nvmlDeviceReadPRMCounters_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceReadWritePRM_v1() -> nvmlReturn_t {
    unsupported("nvmlDeviceReadWritePRM_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceRegisterEvents() -> nvmlReturn_t {
    unsupported("nvmlDeviceRegisterEvents")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceRemoveGpu() -> nvmlReturn_t {
    unsupported("nvmlDeviceRemoveGpu")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceRemoveGpu_v2() -> nvmlReturn_t {
    unsupported("nvmlDeviceRemoveGpu_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceResetApplicationsClocks() -> nvmlReturn_t {
    unsupported("nvmlDeviceResetApplicationsClocks")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceResetGpuLockedClocks() -> nvmlReturn_t {
    unsupported("nvmlDeviceResetGpuLockedClocks")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceResetMemoryLockedClocks() -> nvmlReturn_t {
    unsupported("nvmlDeviceResetMemoryLockedClocks")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceResetNvLinkErrorCounters() -> nvmlReturn_t {
    unsupported("nvmlDeviceResetNvLinkErrorCounters")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceResetNvLinkUtilizationCounter() -> nvmlReturn_t {
    unsupported("nvmlDeviceResetNvLinkUtilizationCounter")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetAPIRestriction() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetAPIRestriction")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetAccountingMode() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetAccountingMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetAdaptiveTgpMode_v1() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetAdaptiveTgpMode_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetApplicationsClocks() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetApplicationsClocks")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetAutoBoostedClocksEnabled() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetAutoBoostedClocksEnabled")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetClockOffsets() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetClockOffsets")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetComputeMode() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetComputeMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetConfComputeUnprotectedMemSize() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetConfComputeUnprotectedMemSize")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetCpuAffinity() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetCpuAffinity")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetDefaultAutoBoostedClocksEnabled() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetDefaultAutoBoostedClocksEnabled")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetDefaultFanSpeed_v2() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetDefaultFanSpeed_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetDramEncryptionMode() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetDramEncryptionMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetDriverModel() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetDriverModel")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetEccMode() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetEccMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetFanControlPolicy() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetFanControlPolicy")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetFanSpeed_v2() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetFanSpeed_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetGpcClkVfOffset() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetGpcClkVfOffset")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetGpuLockedClocks() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetGpuLockedClocks")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetGpuOperationMode() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetGpuOperationMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetHostname_v1() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetHostname_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetMemClkVfOffset() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetMemClkVfOffset")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetMemoryLimits_v1() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetMemoryLimits_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetMemoryLockedClocks() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetMemoryLockedClocks")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetMigMode() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetMigMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetNvLinkDeviceLowPowerThreshold() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetNvLinkDeviceLowPowerThreshold")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetNvLinkUtilizationControl() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetNvLinkUtilizationControl")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetNvlinkBwMode() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetNvlinkBwMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetNvlinkBwModeAsync_v1() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetNvlinkBwModeAsync_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetPersistenceMode() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetPersistenceMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetPowerManagementLimit() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetPowerManagementLimit")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetPowerManagementLimit_v2() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetPowerManagementLimit_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetPowerMizerMode_v1() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetPowerMizerMode_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetRusdSettings_v1() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetRusdSettings_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetTemperatureThreshold() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetTemperatureThreshold")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetVgpuCapabilities() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetVgpuCapabilities")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetVgpuHeterogeneousMode() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetVgpuHeterogeneousMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetVgpuSchedulerState() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetVgpuSchedulerState")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetVgpuSchedulerState_v2() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetVgpuSchedulerState_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceSetVirtualizationMode() -> nvmlReturn_t {
    unsupported("nvmlDeviceSetVirtualizationMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceVgpuForceGspUnload() -> nvmlReturn_t {
    unsupported("nvmlDeviceVgpuForceGspUnload")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceWorkloadPowerProfileClearRequestedProfiles() -> nvmlReturn_t {
    unsupported("nvmlDeviceWorkloadPowerProfileClearRequestedProfiles")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceWorkloadPowerProfileGetCurrentProfiles() -> nvmlReturn_t {
    unsupported("nvmlDeviceWorkloadPowerProfileGetCurrentProfiles")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceWorkloadPowerProfileGetProfilesInfo() -> nvmlReturn_t {
    unsupported("nvmlDeviceWorkloadPowerProfileGetProfilesInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceWorkloadPowerProfileSetRequestedProfiles() -> nvmlReturn_t {
    unsupported("nvmlDeviceWorkloadPowerProfileSetRequestedProfiles")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1() -> nvmlReturn_t {
    unsupported("nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetGetContextCount_v1() -> nvmlReturn_t {
    unsupported("nvmlEventSetGetContextCount_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetGetContextData_v1() -> nvmlReturn_t {
    unsupported("nvmlEventSetGetContextData_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetGetContextInfo_v1() -> nvmlReturn_t {
    unsupported("nvmlEventSetGetContextInfo_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1() -> nvmlReturn_t {
    unsupported("nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetRegisterGpuOperationalEvents_v1() -> nvmlReturn_t {
    unsupported("nvmlEventSetRegisterGpuOperationalEvents_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetWait() -> nvmlReturn_t {
    unsupported("nvmlEventSetWait")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetWait_v2() -> nvmlReturn_t {
    unsupported("nvmlEventSetWait_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlEventSetWait_v3() -> nvmlReturn_t {
    unsupported("nvmlEventSetWait_v3")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGetBlacklistDeviceCount() -> nvmlReturn_t {
    unsupported("nvmlGetBlacklistDeviceCount")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGetBlacklistDeviceInfoByIndex() -> nvmlReturn_t {
    unsupported("nvmlGetBlacklistDeviceInfoByIndex")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGetExcludedDeviceCount() -> nvmlReturn_t {
    unsupported("nvmlGetExcludedDeviceCount")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGetExcludedDeviceInfoByIndex() -> nvmlReturn_t {
    unsupported("nvmlGetExcludedDeviceInfoByIndex")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGetVgpuCompatibility() -> nvmlReturn_t {
    unsupported("nvmlGetVgpuCompatibility")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGetVgpuDriverCapabilities() -> nvmlReturn_t {
    unsupported("nvmlGetVgpuDriverCapabilities")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGetVgpuVersion() -> nvmlReturn_t {
    unsupported("nvmlGetVgpuVersion")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpmMetricsGet() -> nvmlReturn_t {
    unsupported("nvmlGpmMetricsGet")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpmMigSampleGet() -> nvmlReturn_t {
    unsupported("nvmlGpmMigSampleGet")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpmQueryDeviceSupport() -> nvmlReturn_t {
    unsupported("nvmlGpmQueryDeviceSupport")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpmQueryIfStreamingEnabled() -> nvmlReturn_t {
    unsupported("nvmlGpmQueryIfStreamingEnabled")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpmSampleAlloc() -> nvmlReturn_t {
    unsupported("nvmlGpmSampleAlloc")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpmSampleFree() -> nvmlReturn_t {
    unsupported("nvmlGpmSampleFree")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpmSampleGet() -> nvmlReturn_t {
    unsupported("nvmlGpmSampleGet")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpmSetStreamingEnabled() -> nvmlReturn_t {
    unsupported("nvmlGpmSetStreamingEnabled")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceCreateComputeInstance() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceCreateComputeInstance")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceCreateComputeInstanceWithPlacement() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceCreateComputeInstanceWithPlacement")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceDestroy() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceDestroy")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceGetActiveVgpus() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceGetActiveVgpus")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceGetComputeInstanceById() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceGetComputeInstanceById")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceGetComputeInstancePossiblePlacements() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceGetComputeInstancePossiblePlacements")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceGetComputeInstanceProfileInfo() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceGetComputeInstanceProfileInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceGetComputeInstanceProfileInfoV() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceGetComputeInstanceProfileInfoV")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceGetComputeInstanceRemainingCapacity() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceGetComputeInstanceRemainingCapacity")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceGetComputeInstances() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceGetComputeInstances")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceGetCreatableVgpus() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceGetCreatableVgpus")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceGetInfo() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceGetInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceGetVgpuHeterogeneousMode() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceGetVgpuHeterogeneousMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceGetVgpuSchedulerLog() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceGetVgpuSchedulerLog")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceGetVgpuSchedulerLog_v2() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceGetVgpuSchedulerLog_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceGetVgpuSchedulerState() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceGetVgpuSchedulerState")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceGetVgpuSchedulerState_v2() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceGetVgpuSchedulerState_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceGetVgpuTypeCreatablePlacements() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceGetVgpuTypeCreatablePlacements")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceSetVgpuHeterogeneousMode() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceSetVgpuHeterogeneousMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceSetVgpuSchedulerState() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceSetVgpuSchedulerState")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlGpuInstanceSetVgpuSchedulerState_v2() -> nvmlReturn_t {
    unsupported("nvmlGpuInstanceSetVgpuSchedulerState_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSetVgpuVersion() -> nvmlReturn_t {
    unsupported("nvmlSetVgpuVersion")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemEventSetCreate() -> nvmlReturn_t {
    unsupported("nvmlSystemEventSetCreate")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemEventSetFree() -> nvmlReturn_t {
    unsupported("nvmlSystemEventSetFree")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemEventSetWait() -> nvmlReturn_t {
    unsupported("nvmlSystemEventSetWait")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetCPER_v1() -> nvmlReturn_t {
    unsupported("nvmlSystemGetCPER_v1")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetConfComputeCapabilities() -> nvmlReturn_t {
    unsupported("nvmlSystemGetConfComputeCapabilities")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetConfComputeGpusReadyState() -> nvmlReturn_t {
    unsupported("nvmlSystemGetConfComputeGpusReadyState")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetConfComputeKeyRotationThresholdInfo() -> nvmlReturn_t {
    unsupported("nvmlSystemGetConfComputeKeyRotationThresholdInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetConfComputeSettings() -> nvmlReturn_t {
    unsupported("nvmlSystemGetConfComputeSettings")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetConfComputeState() -> nvmlReturn_t {
    unsupported("nvmlSystemGetConfComputeState")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetDriverBranch() -> nvmlReturn_t {
    unsupported("nvmlSystemGetDriverBranch")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetHicVersion() -> nvmlReturn_t {
    unsupported("nvmlSystemGetHicVersion")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetNvlinkBwMode() -> nvmlReturn_t {
    unsupported("nvmlSystemGetNvlinkBwMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemGetTopologyGpuSet() -> nvmlReturn_t {
    unsupported("nvmlSystemGetTopologyGpuSet")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemRegisterEvents() -> nvmlReturn_t {
    unsupported("nvmlSystemRegisterEvents")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemSetConfComputeGpusReadyState() -> nvmlReturn_t {
    unsupported("nvmlSystemSetConfComputeGpusReadyState")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemSetConfComputeKeyRotationThresholdInfo() -> nvmlReturn_t {
    unsupported("nvmlSystemSetConfComputeKeyRotationThresholdInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlSystemSetNvlinkBwMode() -> nvmlReturn_t {
    unsupported("nvmlSystemSetNvlinkBwMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlUnitGetCount() -> nvmlReturn_t {
    unsupported("nvmlUnitGetCount")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlUnitGetDevices() -> nvmlReturn_t {
    unsupported("nvmlUnitGetDevices")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlUnitGetFanSpeedInfo() -> nvmlReturn_t {
    unsupported("nvmlUnitGetFanSpeedInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlUnitGetHandleByIndex() -> nvmlReturn_t {
    unsupported("nvmlUnitGetHandleByIndex")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlUnitGetLedState() -> nvmlReturn_t {
    unsupported("nvmlUnitGetLedState")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlUnitGetPsuInfo() -> nvmlReturn_t {
    unsupported("nvmlUnitGetPsuInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlUnitGetTemperature() -> nvmlReturn_t {
    unsupported("nvmlUnitGetTemperature")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlUnitGetUnitInfo() -> nvmlReturn_t {
    unsupported("nvmlUnitGetUnitInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlUnitSetLedState() -> nvmlReturn_t {
    unsupported("nvmlUnitSetLedState")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceClearAccountingPids() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceClearAccountingPids")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetAccountingMode() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetAccountingMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetAccountingPids() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetAccountingPids")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetAccountingStats() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetAccountingStats")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetEccMode() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetEccMode")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetEncoderCapacity() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetEncoderCapacity")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetEncoderSessions() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetEncoderSessions")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetEncoderStats() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetEncoderStats")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetFBCSessions() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetFBCSessions")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetFBCStats() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetFBCStats")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetFbUsage() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetFbUsage")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetFrameRateLimit() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetFrameRateLimit")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetGpuInstanceId() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetGpuInstanceId")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetGpuPciId() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetGpuPciId")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetLicenseInfo() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetLicenseInfo")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetLicenseInfo_v2() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetLicenseInfo_v2")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetLicenseStatus() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetLicenseStatus")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetMdevUUID() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetMdevUUID")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetMetadata() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetMetadata")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetPlacementId() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetPlacementId")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetRuntimeStateSize() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetRuntimeStateSize")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetType() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetType")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetUUID() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetUUID")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetVmDriverVersion() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetVmDriverVersion")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceGetVmID() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceGetVmID")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuInstanceSetEncoderCapacity() -> nvmlReturn_t {
    unsupported("nvmlVgpuInstanceSetEncoderCapacity")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuTypeGetBAR1Info() -> nvmlReturn_t {
    unsupported("nvmlVgpuTypeGetBAR1Info")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuTypeGetCapabilities() -> nvmlReturn_t {
    unsupported("nvmlVgpuTypeGetCapabilities")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuTypeGetClass() -> nvmlReturn_t {
    unsupported("nvmlVgpuTypeGetClass")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuTypeGetDeviceID() -> nvmlReturn_t {
    unsupported("nvmlVgpuTypeGetDeviceID")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuTypeGetFbReservation() -> nvmlReturn_t {
    unsupported("nvmlVgpuTypeGetFbReservation")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuTypeGetFrameRateLimit() -> nvmlReturn_t {
    unsupported("nvmlVgpuTypeGetFrameRateLimit")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuTypeGetFramebufferSize() -> nvmlReturn_t {
    unsupported("nvmlVgpuTypeGetFramebufferSize")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuTypeGetGpuInstanceProfileId() -> nvmlReturn_t {
    unsupported("nvmlVgpuTypeGetGpuInstanceProfileId")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuTypeGetGspHeapSize() -> nvmlReturn_t {
    unsupported("nvmlVgpuTypeGetGspHeapSize")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuTypeGetLicense() -> nvmlReturn_t {
    unsupported("nvmlVgpuTypeGetLicense")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuTypeGetMaxInstances() -> nvmlReturn_t {
    unsupported("nvmlVgpuTypeGetMaxInstances")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuTypeGetMaxInstancesPerGpuInstance() -> nvmlReturn_t {
    unsupported("nvmlVgpuTypeGetMaxInstancesPerGpuInstance")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuTypeGetMaxInstancesPerVm() -> nvmlReturn_t {
    unsupported("nvmlVgpuTypeGetMaxInstancesPerVm")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuTypeGetName() -> nvmlReturn_t {
    unsupported("nvmlVgpuTypeGetName")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuTypeGetNumDisplayHeads() -> nvmlReturn_t {
    unsupported("nvmlVgpuTypeGetNumDisplayHeads")
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlVgpuTypeGetResolution() -> nvmlReturn_t {
    unsupported("nvmlVgpuTypeGetResolution")
}
