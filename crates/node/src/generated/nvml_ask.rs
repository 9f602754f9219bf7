// Written by `cargo xtask codegen` from spec/nvml.rs; change that.

#![allow(non_snake_case, unused_imports)]

use crate::worker::driver::sensors::{Question, TEXT_BYTES};
use crate::worker::io::frame::Refusal;
use crate::worker::io::marshal;
use outhaul_abi::nvml::*;

/// Asks the node's NVML a client's question, and stores the answer in the question.
pub fn ask(nvml: &Nvml, question: &mut Question<'_>) -> Result<nvmlReturn_t, Refusal> {
    Ok(match question.function {
        1 => {
            let device = question.device()?;
            let mut utilization: nvmlUtilization_t = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetUtilizationRates(device, &mut utilization) };
            question.answer(marshal::bytes(&utilization));
            status
        }
        2 => {
            let device = question.device()?;
            let sensorType = question.number()?;
            let mut temp: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetTemperature(device, sensorType, &mut temp) };
            question.answer(marshal::bytes(&temp));
            status
        }
        3 => {
            let device = question.device()?;
            let mut power: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPowerUsage(device, &mut power) };
            question.answer(marshal::bytes(&power));
            status
        }
        4 => {
            let device = question.device()?;
            let mut energy: u64 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetTotalEnergyConsumption(device, &mut energy) };
            question.answer(marshal::bytes(&energy));
            status
        }
        5 => {
            let device = question.device()?;
            let type_ = question.number()?;
            let mut clock: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetClockInfo(device, type_, &mut clock) };
            question.answer(marshal::bytes(&clock));
            status
        }
        6 => {
            let device = question.device()?;
            let clockType = question.number()?;
            let clockId = question.number()?;
            let mut clockMHz: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetClock(device, clockType, clockId, &mut clockMHz) };
            question.answer(marshal::bytes(&clockMHz));
            status
        }
        7 => {
            let device = question.device()?;
            let type_ = question.number()?;
            let mut clock: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetMaxClockInfo(device, type_, &mut clock) };
            question.answer(marshal::bytes(&clock));
            status
        }
        8 => {
            let device = question.device()?;
            let clockType = question.number()?;
            let mut clockMHz: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetApplicationsClock(device, clockType, &mut clockMHz) };
            question.answer(marshal::bytes(&clockMHz));
            status
        }
        9 => {
            let device = question.device()?;
            let clockType = question.number()?;
            let mut clockMHz: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetDefaultApplicationsClock(device, clockType, &mut clockMHz)
            };
            question.answer(marshal::bytes(&clockMHz));
            status
        }
        10 => {
            let device = question.device()?;
            let clockType = question.number()?;
            let mut clockMHz: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetMaxCustomerBoostClock(device, clockType, &mut clockMHz)
            };
            question.answer(marshal::bytes(&clockMHz));
            status
        }
        11 => {
            let device = question.device()?;
            let mut speed: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetFanSpeed(device, &mut speed) };
            question.answer(marshal::bytes(&speed));
            status
        }
        12 => {
            let device = question.device()?;
            let fan = question.number()?;
            let mut speed: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetFanSpeed_v2(device, fan, &mut speed) };
            question.answer(marshal::bytes(&speed));
            status
        }
        13 => {
            let device = question.device()?;
            let mut numFans: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetNumFans(device, &mut numFans) };
            question.answer(marshal::bytes(&numFans));
            status
        }
        14 => {
            let device = question.device()?;
            let mut pState: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPerformanceState(device, &mut pState) };
            question.answer(marshal::bytes(&pState));
            status
        }
        15 => {
            let device = question.device()?;
            let mut pState: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPowerState(device, &mut pState) };
            question.answer(marshal::bytes(&pState));
            status
        }
        16 => {
            let device = question.device()?;
            let mut clocksThrottleReasons: u64 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetCurrentClocksThrottleReasons(device, &mut clocksThrottleReasons)
            };
            question.answer(marshal::bytes(&clocksThrottleReasons));
            status
        }
        17 => {
            let device = question.device()?;
            let mut supportedClocksThrottleReasons: u64 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetSupportedClocksThrottleReasons(
                    device,
                    &mut supportedClocksThrottleReasons,
                )
            };
            question.answer(marshal::bytes(&supportedClocksThrottleReasons));
            status
        }
        18 => {
            let device = question.device()?;
            let mut clocksEventReasons: u64 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetCurrentClocksEventReasons(device, &mut clocksEventReasons)
            };
            question.answer(marshal::bytes(&clocksEventReasons));
            status
        }
        19 => {
            let device = question.device()?;
            let mut supportedClocksEventReasons: u64 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetSupportedClocksEventReasons(
                    device,
                    &mut supportedClocksEventReasons,
                )
            };
            question.answer(marshal::bytes(&supportedClocksEventReasons));
            status
        }
        20 => {
            let device = question.device()?;
            let thresholdType = question.number()?;
            let mut temp: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetTemperatureThreshold(device, thresholdType, &mut temp) };
            question.answer(marshal::bytes(&temp));
            status
        }
        21 => {
            let device = question.device()?;
            let perfPolicyType = question.number()?;
            let mut violTime: nvmlViolationTime_t = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetViolationStatus(device, perfPolicyType, &mut violTime) };
            question.answer(marshal::bytes(&violTime));
            status
        }
        22 => {
            let device = question.device()?;
            let mut utilization: u32 = marshal::zero();
            let mut samplingPeriodUs: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetEncoderUtilization(
                    device,
                    &mut utilization,
                    &mut samplingPeriodUs,
                )
            };
            question.answer(marshal::bytes(&utilization));
            question.answer(marshal::bytes(&samplingPeriodUs));
            status
        }
        23 => {
            let device = question.device()?;
            let mut utilization: u32 = marshal::zero();
            let mut samplingPeriodUs: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetDecoderUtilization(
                    device,
                    &mut utilization,
                    &mut samplingPeriodUs,
                )
            };
            question.answer(marshal::bytes(&utilization));
            question.answer(marshal::bytes(&samplingPeriodUs));
            status
        }
        24 => {
            let device = question.device()?;
            let mut utilization: u32 = marshal::zero();
            let mut samplingPeriodUs: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetJpgUtilization(device, &mut utilization, &mut samplingPeriodUs)
            };
            question.answer(marshal::bytes(&utilization));
            question.answer(marshal::bytes(&samplingPeriodUs));
            status
        }
        25 => {
            let device = question.device()?;
            let mut utilization: u32 = marshal::zero();
            let mut samplingPeriodUs: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetOfaUtilization(device, &mut utilization, &mut samplingPeriodUs)
            };
            question.answer(marshal::bytes(&utilization));
            question.answer(marshal::bytes(&samplingPeriodUs));
            status
        }
        26 => {
            let device = question.device()?;
            let mut sessionCount: u32 = marshal::zero();
            let mut averageFps: u32 = marshal::zero();
            let mut averageLatency: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetEncoderStats(
                    device,
                    &mut sessionCount,
                    &mut averageFps,
                    &mut averageLatency,
                )
            };
            question.answer(marshal::bytes(&sessionCount));
            question.answer(marshal::bytes(&averageFps));
            question.answer(marshal::bytes(&averageLatency));
            status
        }
        27 => {
            let device = question.device()?;
            let mut fbcStats: nvmlFBCStats_t = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetFBCStats(device, &mut fbcStats) };
            question.answer(marshal::bytes(&fbcStats));
            status
        }
        28 => {
            let device = question.device()?;
            let mut marginTempInfo: nvmlMarginTemperature_v1_t = marshal::zero();
            marginTempInfo.version = versioned::<nvmlMarginTemperature_v1_t>(1);
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetMarginTemperature(device, &mut marginTempInfo) };
            question.answer(marshal::bytes(&marginTempInfo));
            status
        }
        30 => {
            let device = question.device()?;
            let mut mode: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPowerManagementMode(device, &mut mode) };
            question.answer(marshal::bytes(&mode));
            status
        }
        31 => {
            let device = question.device()?;
            let mut limit: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPowerManagementLimit(device, &mut limit) };
            question.answer(marshal::bytes(&limit));
            status
        }
        32 => {
            let device = question.device()?;
            let mut defaultLimit: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetPowerManagementDefaultLimit(device, &mut defaultLimit) };
            question.answer(marshal::bytes(&defaultLimit));
            status
        }
        33 => {
            let device = question.device()?;
            let mut minLimit: u32 = marshal::zero();
            let mut maxLimit: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetPowerManagementLimitConstraints(
                    device,
                    &mut minLimit,
                    &mut maxLimit,
                )
            };
            question.answer(marshal::bytes(&minLimit));
            question.answer(marshal::bytes(&maxLimit));
            status
        }
        34 => {
            let device = question.device()?;
            let mut limit: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetEnforcedPowerLimit(device, &mut limit) };
            question.answer(marshal::bytes(&limit));
            status
        }
        35 => {
            let device = question.device()?;
            let mut powerSource: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPowerSource(device, &mut powerSource) };
            question.answer(marshal::bytes(&powerSource));
            status
        }
        40 => {
            let device = question.device()?;
            let mut current: u32 = marshal::zero();
            let mut pending: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetEccMode(device, &mut current, &mut pending) };
            question.answer(marshal::bytes(&current));
            question.answer(marshal::bytes(&pending));
            status
        }
        41 => {
            let device = question.device()?;
            let mut defaultMode: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetDefaultEccMode(device, &mut defaultMode) };
            question.answer(marshal::bytes(&defaultMode));
            status
        }
        42 => {
            let device = question.device()?;
            let errorType = question.number()?;
            let counterType = question.number()?;
            let mut eccCounts: u64 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetTotalEccErrors(device, errorType, counterType, &mut eccCounts)
            };
            question.answer(marshal::bytes(&eccCounts));
            status
        }
        43 => {
            let device = question.device()?;
            let errorType = question.number()?;
            let counterType = question.number()?;
            let locationType = question.number()?;
            let mut count: u64 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetMemoryErrorCounter(
                    device,
                    errorType,
                    counterType,
                    locationType,
                    &mut count,
                )
            };
            question.answer(marshal::bytes(&count));
            status
        }
        44 => {
            let device = question.device()?;
            let mut corrRows: u32 = marshal::zero();
            let mut uncRows: u32 = marshal::zero();
            let mut isPending: u32 = marshal::zero();
            let mut failureOccurred: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetRemappedRows(
                    device,
                    &mut corrRows,
                    &mut uncRows,
                    &mut isPending,
                    &mut failureOccurred,
                )
            };
            question.answer(marshal::bytes(&corrRows));
            question.answer(marshal::bytes(&uncRows));
            question.answer(marshal::bytes(&isPending));
            question.answer(marshal::bytes(&failureOccurred));
            status
        }
        45 => {
            let device = question.device()?;
            let mut values: nvmlRowRemapperHistogramValues_t = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetRowRemapperHistogram(device, &mut values) };
            question.answer(marshal::bytes(&values));
            status
        }
        46 => {
            let device = question.device()?;
            let mut isPending: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetRetiredPagesPendingStatus(device, &mut isPending) };
            question.answer(marshal::bytes(&isPending));
            status
        }
        47 => {
            let device = question.device()?;
            let mut sramErrorStatus: nvmlEccSramErrorStatus_v1_t = marshal::zero();
            sramErrorStatus.version = versioned::<nvmlEccSramErrorStatus_v1_t>(1);
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetSramEccErrorStatus(device, &mut sramErrorStatus) };
            question.answer(marshal::bytes(&sramErrorStatus));
            status
        }
        48 => {
            let device = question.device()?;
            let mut repairStatus: nvmlRepairStatus_v1_t = marshal::zero();
            repairStatus.version = versioned::<nvmlRepairStatus_v1_t>(1);
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetRepairStatus(device, &mut repairStatus) };
            question.answer(marshal::bytes(&repairStatus));
            status
        }
        49 => {
            let device = question.device()?;
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            unsafe { nvml.nvmlDeviceValidateInforom(device) }
        }
        50 => {
            let device = question.device()?;
            let mut type_: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetBrand(device, &mut type_) };
            question.answer(marshal::bytes(&type_));
            status
        }
        51 => {
            let device = question.device()?;
            let mut minorNumber: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetMinorNumber(device, &mut minorNumber) };
            question.answer(marshal::bytes(&minorNumber));
            status
        }
        52 => {
            let device = question.device()?;
            let mut boardId: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetBoardId(device, &mut boardId) };
            question.answer(marshal::bytes(&boardId));
            status
        }
        53 => {
            let device = question.device()?;
            let mut multiGpuBool: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetMultiGpuBoard(device, &mut multiGpuBool) };
            question.answer(marshal::bytes(&multiGpuBool));
            status
        }
        54 => {
            let device = question.device()?;
            let mut numCores: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetNumGpuCores(device, &mut numCores) };
            question.answer(marshal::bytes(&numCores));
            status
        }
        55 => {
            let device = question.device()?;
            let mut busWidth: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetMemoryBusWidth(device, &mut busWidth) };
            question.answer(marshal::bytes(&busWidth));
            status
        }
        56 => {
            let device = question.device()?;
            let mut serial = [0; TEXT_BYTES];
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetSerial(device, serial.as_mut_ptr(), TEXT_BYTES as u32) };
            question.answer_text(&serial);
            status
        }
        57 => {
            let device = question.device()?;
            let mut version = [0; TEXT_BYTES];
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetVbiosVersion(device, version.as_mut_ptr(), TEXT_BYTES as u32)
            };
            question.answer_text(&version);
            status
        }
        58 => {
            let device = question.device()?;
            let mut partNumber = [0; TEXT_BYTES];
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetBoardPartNumber(
                    device,
                    partNumber.as_mut_ptr(),
                    TEXT_BYTES as u32,
                )
            };
            question.answer_text(&partNumber);
            status
        }
        59 => {
            let device = question.device()?;
            let mut version = [0; TEXT_BYTES];
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetInforomImageVersion(
                    device,
                    version.as_mut_ptr(),
                    TEXT_BYTES as u32,
                )
            };
            question.answer_text(&version);
            status
        }
        60 => {
            let device = question.device()?;
            let object = question.number()?;
            let mut version = [0; TEXT_BYTES];
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetInforomVersion(
                    device,
                    object,
                    version.as_mut_ptr(),
                    TEXT_BYTES as u32,
                )
            };
            question.answer_text(&version);
            status
        }
        61 => {
            let device = question.device()?;
            let mut bar1Memory: nvmlBAR1Memory_t = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetBAR1MemoryInfo(device, &mut bar1Memory) };
            question.answer(marshal::bytes(&bar1Memory));
            status
        }
        62 => {
            let device = question.device()?;
            let mut currLinkGen: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetCurrPcieLinkGeneration(device, &mut currLinkGen) };
            question.answer(marshal::bytes(&currLinkGen));
            status
        }
        63 => {
            let device = question.device()?;
            let mut currLinkWidth: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetCurrPcieLinkWidth(device, &mut currLinkWidth) };
            question.answer(marshal::bytes(&currLinkWidth));
            status
        }
        64 => {
            let device = question.device()?;
            let mut maxLinkGen: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetMaxPcieLinkGeneration(device, &mut maxLinkGen) };
            question.answer(marshal::bytes(&maxLinkGen));
            status
        }
        65 => {
            let device = question.device()?;
            let mut maxLinkWidth: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetMaxPcieLinkWidth(device, &mut maxLinkWidth) };
            question.answer(marshal::bytes(&maxLinkWidth));
            status
        }
        66 => {
            let device = question.device()?;
            let mut maxLinkGenDevice: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetGpuMaxPcieLinkGeneration(device, &mut maxLinkGenDevice)
            };
            question.answer(marshal::bytes(&maxLinkGenDevice));
            status
        }
        67 => {
            let device = question.device()?;
            let counter = question.number()?;
            let mut value: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPcieThroughput(device, counter, &mut value) };
            question.answer(marshal::bytes(&value));
            status
        }
        68 => {
            let device = question.device()?;
            let mut value: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPcieReplayCounter(device, &mut value) };
            question.answer(marshal::bytes(&value));
            status
        }
        69 => {
            let device = question.device()?;
            let mut pcieSpeed: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPcieSpeed(device, &mut pcieSpeed) };
            question.answer(marshal::bytes(&pcieSpeed));
            status
        }
        70 => {
            let device = question.device()?;
            let mut maxSpeed: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPcieLinkMaxSpeed(device, &mut maxSpeed) };
            question.answer(marshal::bytes(&maxSpeed));
            status
        }
        71 => {
            let device = question.device()?;
            let mut moduleId: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetModuleId(device, &mut moduleId) };
            question.answer(marshal::bytes(&moduleId));
            status
        }
        72 => {
            let device = question.device()?;
            let mut pdi: nvmlPdi_v1_t = marshal::zero();
            pdi.version = versioned::<nvmlPdi_v1_t>(1);
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPdi(device, &mut pdi) };
            question.answer(marshal::bytes(&pdi));
            status
        }
        73 => {
            let device = question.device()?;
            let mut pci: nvmlPciInfoExt_v1_t = marshal::zero();
            pci.version = versioned::<nvmlPciInfoExt_v1_t>(1);
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPciInfoExt(device, &mut pci) };
            question.answer(marshal::bytes(&pci));
            status
        }
        80 => {
            let device = question.device()?;
            let mut mode: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPersistenceMode(device, &mut mode) };
            question.answer(marshal::bytes(&mode));
            status
        }
        81 => {
            let device = question.device()?;
            let mut display: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetDisplayMode(device, &mut display) };
            question.answer(marshal::bytes(&display));
            status
        }
        82 => {
            let device = question.device()?;
            let mut isActive: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetDisplayActive(device, &mut isActive) };
            question.answer(marshal::bytes(&isActive));
            status
        }
        83 => {
            let device = question.device()?;
            let mut currentMode: u32 = marshal::zero();
            let mut pendingMode: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetMigMode(device, &mut currentMode, &mut pendingMode) };
            question.answer(marshal::bytes(&currentMode));
            question.answer(marshal::bytes(&pendingMode));
            status
        }
        84 => {
            let device = question.device()?;
            let mut current: u32 = marshal::zero();
            let mut pending: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetGpuOperationMode(device, &mut current, &mut pending) };
            question.answer(marshal::bytes(&current));
            question.answer(marshal::bytes(&pending));
            status
        }
        85 => {
            let device = question.device()?;
            let mut pVirtualMode: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetVirtualizationMode(device, &mut pVirtualMode) };
            question.answer(marshal::bytes(&pVirtualMode));
            status
        }
        86 => {
            let device = question.device()?;
            let mut isEnabled: u32 = marshal::zero();
            let mut defaultIsEnabled: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetAutoBoostedClocksEnabled(
                    device,
                    &mut isEnabled,
                    &mut defaultIsEnabled,
                )
            };
            question.answer(marshal::bytes(&isEnabled));
            question.answer(marshal::bytes(&defaultIsEnabled));
            status
        }
        87 => {
            let device = question.device()?;
            let mut adaptiveClockStatus: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetAdaptiveClockInfoStatus(device, &mut adaptiveClockStatus)
            };
            question.answer(marshal::bytes(&adaptiveClockStatus));
            status
        }
        88 => {
            let device = question.device()?;
            let mut isEnabled: u32 = marshal::zero();
            let mut defaultMode: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetGspFirmwareMode(device, &mut isEnabled, &mut defaultMode)
            };
            question.answer(marshal::bytes(&isEnabled));
            question.answer(marshal::bytes(&defaultMode));
            status
        }
        89 => {
            let device = question.device()?;
            let mut mode: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetAccountingMode(device, &mut mode) };
            question.answer(marshal::bytes(&mode));
            status
        }
        90 => {
            let device = question.device()?;
            let mut bufferSize: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetAccountingBufferSize(device, &mut bufferSize) };
            question.answer(marshal::bytes(&bufferSize));
            status
        }
        91 => {
            let device = question.device()?;
            let mut pHostVgpuMode: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetHostVgpuMode(device, &mut pHostVgpuMode) };
            question.answer(marshal::bytes(&pHostVgpuMode));
            status
        }
        92 => {
            let device = question.device()?;
            let mut count: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetMaxMigDeviceCount(device, &mut count) };
            question.answer(marshal::bytes(&count));
            status
        }
        93 => {
            let device = question.device()?;
            let mut memory: nvmlMemory_t = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetConfComputeProtectedMemoryUsage(device, &mut memory) };
            question.answer(marshal::bytes(&memory));
            status
        }
        94 => {
            let device = question.device()?;
            let mut mode: nvmlDeviceAddressingMode_v1_t = marshal::zero();
            mode.version = versioned::<nvmlDeviceAddressingMode_v1_t>(1);
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetAddressingMode(device, &mut mode) };
            question.answer(marshal::bytes(&mode));
            status
        }
        95 => {
            let device = question.device()?;
            let mut caps: nvmlDeviceCapabilities_v1_t = marshal::zero();
            caps.version = versioned::<nvmlDeviceCapabilities_v1_t>(1);
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetCapabilities(device, &mut caps) };
            question.answer(marshal::bytes(&caps));
            status
        }
        110 => {
            let device = question.device()?;
            let link = question.number()?;
            let mut isActive: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetNvLinkState(device, link, &mut isActive) };
            question.answer(marshal::bytes(&isActive));
            status
        }
        111 => {
            let device = question.device()?;
            let link = question.number()?;
            let mut version: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetNvLinkVersion(device, link, &mut version) };
            question.answer(marshal::bytes(&version));
            status
        }
        112 => {
            let device = question.device()?;
            let link = question.number()?;
            let capability = question.number()?;
            let mut capResult: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetNvLinkCapability(device, link, capability, &mut capResult)
            };
            question.answer(marshal::bytes(&capResult));
            status
        }
        113 => {
            let device = question.device()?;
            let link = question.number()?;
            let mut pci: nvmlPciInfo_t = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetNvLinkRemotePciInfo_v2(device, link, &mut pci) };
            question.answer(marshal::bytes(&pci));
            status
        }
        115 => {
            let device = question.device()?;
            let link = question.number()?;
            let mut pci: nvmlPciInfo_v2_t = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetNvLinkRemotePciInfo(device, link, &mut pci) };
            question.answer(marshal::bytes(&pci));
            status
        }
        114 => {
            let device = question.device()?;
            let link = question.number()?;
            let mut pNvLinkDeviceType: u32 = marshal::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetNvLinkRemoteDeviceType(device, link, &mut pNvLinkDeviceType)
            };
            question.answer(marshal::bytes(&pNvLinkDeviceType));
            status
        }
        other => {
            let what = format!("function {other} is not one that a node answers");
            return Err(Refusal::Violation(what));
        }
    })
}
