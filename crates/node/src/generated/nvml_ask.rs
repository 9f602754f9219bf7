// Written by `cargo xtask codegen` from spec/nvml.rs; change that.

#![allow(non_snake_case, unused_imports)]

use crate::worker::driver::sensors::{Question, TEXT_BYTES};
use crate::worker::io::frame::Refusal;
use crate::worker::io::plain;
use outhaul_abi::nvml::*;

/// Asks the node's NVML a client's question, and stores the answer in the question.
pub fn ask(nvml: &Nvml, question: &mut Question<'_>) -> Result<nvmlReturn_t, Refusal> {
    Ok(match question.function {
        1 => {
            let device = question.device()?;
            let mut utilization: nvmlUtilization_t = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetUtilizationRates(device, &mut utilization) };
            question.answer(plain::bytes(&utilization));
            status
        }
        2 => {
            let device = question.device()?;
            let sensorType = question.number()?;
            let mut temp: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetTemperature(device, sensorType, &mut temp) };
            question.answer(plain::bytes(&temp));
            status
        }
        3 => {
            let device = question.device()?;
            let mut power: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPowerUsage(device, &mut power) };
            question.answer(plain::bytes(&power));
            status
        }
        4 => {
            let device = question.device()?;
            let mut energy: u64 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetTotalEnergyConsumption(device, &mut energy) };
            question.answer(plain::bytes(&energy));
            status
        }
        5 => {
            let device = question.device()?;
            let type_ = question.number()?;
            let mut clock: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetClockInfo(device, type_, &mut clock) };
            question.answer(plain::bytes(&clock));
            status
        }
        6 => {
            let device = question.device()?;
            let clockType = question.number()?;
            let clockId = question.number()?;
            let mut clockMHz: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetClock(device, clockType, clockId, &mut clockMHz) };
            question.answer(plain::bytes(&clockMHz));
            status
        }
        7 => {
            let device = question.device()?;
            let type_ = question.number()?;
            let mut clock: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetMaxClockInfo(device, type_, &mut clock) };
            question.answer(plain::bytes(&clock));
            status
        }
        8 => {
            let device = question.device()?;
            let clockType = question.number()?;
            let mut clockMHz: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetApplicationsClock(device, clockType, &mut clockMHz) };
            question.answer(plain::bytes(&clockMHz));
            status
        }
        9 => {
            let device = question.device()?;
            let clockType = question.number()?;
            let mut clockMHz: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetDefaultApplicationsClock(device, clockType, &mut clockMHz)
            };
            question.answer(plain::bytes(&clockMHz));
            status
        }
        10 => {
            let device = question.device()?;
            let clockType = question.number()?;
            let mut clockMHz: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetMaxCustomerBoostClock(device, clockType, &mut clockMHz)
            };
            question.answer(plain::bytes(&clockMHz));
            status
        }
        11 => {
            let device = question.device()?;
            let mut speed: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetFanSpeed(device, &mut speed) };
            question.answer(plain::bytes(&speed));
            status
        }
        12 => {
            let device = question.device()?;
            let fan = question.number()?;
            let mut speed: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetFanSpeed_v2(device, fan, &mut speed) };
            question.answer(plain::bytes(&speed));
            status
        }
        13 => {
            let device = question.device()?;
            let mut numFans: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetNumFans(device, &mut numFans) };
            question.answer(plain::bytes(&numFans));
            status
        }
        14 => {
            let device = question.device()?;
            let mut pState: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPerformanceState(device, &mut pState) };
            question.answer(plain::bytes(&pState));
            status
        }
        15 => {
            let device = question.device()?;
            let mut pState: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPowerState(device, &mut pState) };
            question.answer(plain::bytes(&pState));
            status
        }
        16 => {
            let device = question.device()?;
            let mut clocksThrottleReasons: u64 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetCurrentClocksThrottleReasons(device, &mut clocksThrottleReasons)
            };
            question.answer(plain::bytes(&clocksThrottleReasons));
            status
        }
        17 => {
            let device = question.device()?;
            let mut supportedClocksThrottleReasons: u64 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetSupportedClocksThrottleReasons(
                    device,
                    &mut supportedClocksThrottleReasons,
                )
            };
            question.answer(plain::bytes(&supportedClocksThrottleReasons));
            status
        }
        18 => {
            let device = question.device()?;
            let mut clocksEventReasons: u64 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetCurrentClocksEventReasons(device, &mut clocksEventReasons)
            };
            question.answer(plain::bytes(&clocksEventReasons));
            status
        }
        19 => {
            let device = question.device()?;
            let mut supportedClocksEventReasons: u64 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetSupportedClocksEventReasons(
                    device,
                    &mut supportedClocksEventReasons,
                )
            };
            question.answer(plain::bytes(&supportedClocksEventReasons));
            status
        }
        20 => {
            let device = question.device()?;
            let thresholdType = question.number()?;
            let mut temp: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetTemperatureThreshold(device, thresholdType, &mut temp) };
            question.answer(plain::bytes(&temp));
            status
        }
        21 => {
            let device = question.device()?;
            let perfPolicyType = question.number()?;
            let mut violTime: nvmlViolationTime_t = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetViolationStatus(device, perfPolicyType, &mut violTime) };
            question.answer(plain::bytes(&violTime));
            status
        }
        22 => {
            let device = question.device()?;
            let mut utilization: u32 = plain::zero();
            let mut samplingPeriodUs: u32 = plain::zero();
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
            question.answer(plain::bytes(&utilization));
            question.answer(plain::bytes(&samplingPeriodUs));
            status
        }
        23 => {
            let device = question.device()?;
            let mut utilization: u32 = plain::zero();
            let mut samplingPeriodUs: u32 = plain::zero();
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
            question.answer(plain::bytes(&utilization));
            question.answer(plain::bytes(&samplingPeriodUs));
            status
        }
        24 => {
            let device = question.device()?;
            let mut utilization: u32 = plain::zero();
            let mut samplingPeriodUs: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetJpgUtilization(device, &mut utilization, &mut samplingPeriodUs)
            };
            question.answer(plain::bytes(&utilization));
            question.answer(plain::bytes(&samplingPeriodUs));
            status
        }
        25 => {
            let device = question.device()?;
            let mut utilization: u32 = plain::zero();
            let mut samplingPeriodUs: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetOfaUtilization(device, &mut utilization, &mut samplingPeriodUs)
            };
            question.answer(plain::bytes(&utilization));
            question.answer(plain::bytes(&samplingPeriodUs));
            status
        }
        26 => {
            let device = question.device()?;
            let mut sessionCount: u32 = plain::zero();
            let mut averageFps: u32 = plain::zero();
            let mut averageLatency: u32 = plain::zero();
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
            question.answer(plain::bytes(&sessionCount));
            question.answer(plain::bytes(&averageFps));
            question.answer(plain::bytes(&averageLatency));
            status
        }
        27 => {
            let device = question.device()?;
            let mut fbcStats: nvmlFBCStats_t = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetFBCStats(device, &mut fbcStats) };
            question.answer(plain::bytes(&fbcStats));
            status
        }
        28 => {
            let device = question.device()?;
            let mut marginTempInfo: nvmlMarginTemperature_v1_t = plain::zero();
            marginTempInfo.version = versioned::<nvmlMarginTemperature_v1_t>(1);
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetMarginTemperature(device, &mut marginTempInfo) };
            question.answer(plain::bytes(&marginTempInfo));
            status
        }
        30 => {
            let device = question.device()?;
            let mut mode: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPowerManagementMode(device, &mut mode) };
            question.answer(plain::bytes(&mode));
            status
        }
        31 => {
            let device = question.device()?;
            let mut limit: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPowerManagementLimit(device, &mut limit) };
            question.answer(plain::bytes(&limit));
            status
        }
        32 => {
            let device = question.device()?;
            let mut defaultLimit: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetPowerManagementDefaultLimit(device, &mut defaultLimit) };
            question.answer(plain::bytes(&defaultLimit));
            status
        }
        33 => {
            let device = question.device()?;
            let mut minLimit: u32 = plain::zero();
            let mut maxLimit: u32 = plain::zero();
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
            question.answer(plain::bytes(&minLimit));
            question.answer(plain::bytes(&maxLimit));
            status
        }
        34 => {
            let device = question.device()?;
            let mut limit: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetEnforcedPowerLimit(device, &mut limit) };
            question.answer(plain::bytes(&limit));
            status
        }
        35 => {
            let device = question.device()?;
            let mut powerSource: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPowerSource(device, &mut powerSource) };
            question.answer(plain::bytes(&powerSource));
            status
        }
        40 => {
            let device = question.device()?;
            let mut current: u32 = plain::zero();
            let mut pending: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetEccMode(device, &mut current, &mut pending) };
            question.answer(plain::bytes(&current));
            question.answer(plain::bytes(&pending));
            status
        }
        41 => {
            let device = question.device()?;
            let mut defaultMode: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetDefaultEccMode(device, &mut defaultMode) };
            question.answer(plain::bytes(&defaultMode));
            status
        }
        42 => {
            let device = question.device()?;
            let errorType = question.number()?;
            let counterType = question.number()?;
            let mut eccCounts: u64 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetTotalEccErrors(device, errorType, counterType, &mut eccCounts)
            };
            question.answer(plain::bytes(&eccCounts));
            status
        }
        43 => {
            let device = question.device()?;
            let errorType = question.number()?;
            let counterType = question.number()?;
            let locationType = question.number()?;
            let mut count: u64 = plain::zero();
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
            question.answer(plain::bytes(&count));
            status
        }
        44 => {
            let device = question.device()?;
            let mut corrRows: u32 = plain::zero();
            let mut uncRows: u32 = plain::zero();
            let mut isPending: u32 = plain::zero();
            let mut failureOccurred: u32 = plain::zero();
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
            question.answer(plain::bytes(&corrRows));
            question.answer(plain::bytes(&uncRows));
            question.answer(plain::bytes(&isPending));
            question.answer(plain::bytes(&failureOccurred));
            status
        }
        45 => {
            let device = question.device()?;
            let mut values: nvmlRowRemapperHistogramValues_t = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetRowRemapperHistogram(device, &mut values) };
            question.answer(plain::bytes(&values));
            status
        }
        46 => {
            let device = question.device()?;
            let mut isPending: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetRetiredPagesPendingStatus(device, &mut isPending) };
            question.answer(plain::bytes(&isPending));
            status
        }
        47 => {
            let device = question.device()?;
            let mut sramErrorStatus: nvmlEccSramErrorStatus_v1_t = plain::zero();
            sramErrorStatus.version = versioned::<nvmlEccSramErrorStatus_v1_t>(1);
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetSramEccErrorStatus(device, &mut sramErrorStatus) };
            question.answer(plain::bytes(&sramErrorStatus));
            status
        }
        48 => {
            let device = question.device()?;
            let mut repairStatus: nvmlRepairStatus_v1_t = plain::zero();
            repairStatus.version = versioned::<nvmlRepairStatus_v1_t>(1);
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetRepairStatus(device, &mut repairStatus) };
            question.answer(plain::bytes(&repairStatus));
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
            let mut type_: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetBrand(device, &mut type_) };
            question.answer(plain::bytes(&type_));
            status
        }
        51 => {
            let device = question.device()?;
            let mut minorNumber: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetMinorNumber(device, &mut minorNumber) };
            question.answer(plain::bytes(&minorNumber));
            status
        }
        52 => {
            let device = question.device()?;
            let mut boardId: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetBoardId(device, &mut boardId) };
            question.answer(plain::bytes(&boardId));
            status
        }
        53 => {
            let device = question.device()?;
            let mut multiGpuBool: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetMultiGpuBoard(device, &mut multiGpuBool) };
            question.answer(plain::bytes(&multiGpuBool));
            status
        }
        54 => {
            let device = question.device()?;
            let mut numCores: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetNumGpuCores(device, &mut numCores) };
            question.answer(plain::bytes(&numCores));
            status
        }
        55 => {
            let device = question.device()?;
            let mut busWidth: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetMemoryBusWidth(device, &mut busWidth) };
            question.answer(plain::bytes(&busWidth));
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
            let mut bar1Memory: nvmlBAR1Memory_t = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetBAR1MemoryInfo(device, &mut bar1Memory) };
            question.answer(plain::bytes(&bar1Memory));
            status
        }
        62 => {
            let device = question.device()?;
            let mut currLinkGen: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetCurrPcieLinkGeneration(device, &mut currLinkGen) };
            question.answer(plain::bytes(&currLinkGen));
            status
        }
        63 => {
            let device = question.device()?;
            let mut currLinkWidth: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetCurrPcieLinkWidth(device, &mut currLinkWidth) };
            question.answer(plain::bytes(&currLinkWidth));
            status
        }
        64 => {
            let device = question.device()?;
            let mut maxLinkGen: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetMaxPcieLinkGeneration(device, &mut maxLinkGen) };
            question.answer(plain::bytes(&maxLinkGen));
            status
        }
        65 => {
            let device = question.device()?;
            let mut maxLinkWidth: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetMaxPcieLinkWidth(device, &mut maxLinkWidth) };
            question.answer(plain::bytes(&maxLinkWidth));
            status
        }
        66 => {
            let device = question.device()?;
            let mut maxLinkGenDevice: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetGpuMaxPcieLinkGeneration(device, &mut maxLinkGenDevice)
            };
            question.answer(plain::bytes(&maxLinkGenDevice));
            status
        }
        67 => {
            let device = question.device()?;
            let counter = question.number()?;
            let mut value: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPcieThroughput(device, counter, &mut value) };
            question.answer(plain::bytes(&value));
            status
        }
        68 => {
            let device = question.device()?;
            let mut value: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPcieReplayCounter(device, &mut value) };
            question.answer(plain::bytes(&value));
            status
        }
        69 => {
            let device = question.device()?;
            let mut pcieSpeed: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPcieSpeed(device, &mut pcieSpeed) };
            question.answer(plain::bytes(&pcieSpeed));
            status
        }
        70 => {
            let device = question.device()?;
            let mut maxSpeed: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPcieLinkMaxSpeed(device, &mut maxSpeed) };
            question.answer(plain::bytes(&maxSpeed));
            status
        }
        71 => {
            let device = question.device()?;
            let mut moduleId: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetModuleId(device, &mut moduleId) };
            question.answer(plain::bytes(&moduleId));
            status
        }
        72 => {
            let device = question.device()?;
            let mut pdi: nvmlPdi_v1_t = plain::zero();
            pdi.version = versioned::<nvmlPdi_v1_t>(1);
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPdi(device, &mut pdi) };
            question.answer(plain::bytes(&pdi));
            status
        }
        73 => {
            let device = question.device()?;
            let mut pci: nvmlPciInfoExt_v1_t = plain::zero();
            pci.version = versioned::<nvmlPciInfoExt_v1_t>(1);
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPciInfoExt(device, &mut pci) };
            question.answer(plain::bytes(&pci));
            status
        }
        80 => {
            let device = question.device()?;
            let mut mode: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetPersistenceMode(device, &mut mode) };
            question.answer(plain::bytes(&mode));
            status
        }
        81 => {
            let device = question.device()?;
            let mut display: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetDisplayMode(device, &mut display) };
            question.answer(plain::bytes(&display));
            status
        }
        82 => {
            let device = question.device()?;
            let mut isActive: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetDisplayActive(device, &mut isActive) };
            question.answer(plain::bytes(&isActive));
            status
        }
        83 => {
            let device = question.device()?;
            let mut currentMode: u32 = plain::zero();
            let mut pendingMode: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetMigMode(device, &mut currentMode, &mut pendingMode) };
            question.answer(plain::bytes(&currentMode));
            question.answer(plain::bytes(&pendingMode));
            status
        }
        84 => {
            let device = question.device()?;
            let mut current: u32 = plain::zero();
            let mut pending: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetGpuOperationMode(device, &mut current, &mut pending) };
            question.answer(plain::bytes(&current));
            question.answer(plain::bytes(&pending));
            status
        }
        85 => {
            let device = question.device()?;
            let mut pVirtualMode: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetVirtualizationMode(device, &mut pVirtualMode) };
            question.answer(plain::bytes(&pVirtualMode));
            status
        }
        86 => {
            let device = question.device()?;
            let mut isEnabled: u32 = plain::zero();
            let mut defaultIsEnabled: u32 = plain::zero();
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
            question.answer(plain::bytes(&isEnabled));
            question.answer(plain::bytes(&defaultIsEnabled));
            status
        }
        87 => {
            let device = question.device()?;
            let mut adaptiveClockStatus: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetAdaptiveClockInfoStatus(device, &mut adaptiveClockStatus)
            };
            question.answer(plain::bytes(&adaptiveClockStatus));
            status
        }
        88 => {
            let device = question.device()?;
            let mut isEnabled: u32 = plain::zero();
            let mut defaultMode: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetGspFirmwareMode(device, &mut isEnabled, &mut defaultMode)
            };
            question.answer(plain::bytes(&isEnabled));
            question.answer(plain::bytes(&defaultMode));
            status
        }
        89 => {
            let device = question.device()?;
            let mut mode: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetAccountingMode(device, &mut mode) };
            question.answer(plain::bytes(&mode));
            status
        }
        90 => {
            let device = question.device()?;
            let mut bufferSize: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetAccountingBufferSize(device, &mut bufferSize) };
            question.answer(plain::bytes(&bufferSize));
            status
        }
        91 => {
            let device = question.device()?;
            let mut pHostVgpuMode: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetHostVgpuMode(device, &mut pHostVgpuMode) };
            question.answer(plain::bytes(&pHostVgpuMode));
            status
        }
        92 => {
            let device = question.device()?;
            let mut count: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetMaxMigDeviceCount(device, &mut count) };
            question.answer(plain::bytes(&count));
            status
        }
        93 => {
            let device = question.device()?;
            let mut memory: nvmlMemory_t = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetConfComputeProtectedMemoryUsage(device, &mut memory) };
            question.answer(plain::bytes(&memory));
            status
        }
        94 => {
            let device = question.device()?;
            let mut mode: nvmlDeviceAddressingMode_v1_t = plain::zero();
            mode.version = versioned::<nvmlDeviceAddressingMode_v1_t>(1);
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetAddressingMode(device, &mut mode) };
            question.answer(plain::bytes(&mode));
            status
        }
        95 => {
            let device = question.device()?;
            let mut caps: nvmlDeviceCapabilities_v1_t = plain::zero();
            caps.version = versioned::<nvmlDeviceCapabilities_v1_t>(1);
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetCapabilities(device, &mut caps) };
            question.answer(plain::bytes(&caps));
            status
        }
        110 => {
            let device = question.device()?;
            let link = question.number()?;
            let mut isActive: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetNvLinkState(device, link, &mut isActive) };
            question.answer(plain::bytes(&isActive));
            status
        }
        111 => {
            let device = question.device()?;
            let link = question.number()?;
            let mut version: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetNvLinkVersion(device, link, &mut version) };
            question.answer(plain::bytes(&version));
            status
        }
        112 => {
            let device = question.device()?;
            let link = question.number()?;
            let capability = question.number()?;
            let mut capResult: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetNvLinkCapability(device, link, capability, &mut capResult)
            };
            question.answer(plain::bytes(&capResult));
            status
        }
        113 => {
            let device = question.device()?;
            let link = question.number()?;
            let mut pci: nvmlPciInfo_t = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status =
                unsafe { nvml.nvmlDeviceGetNvLinkRemotePciInfo_v2(device, link, &mut pci) };
            question.answer(plain::bytes(&pci));
            status
        }
        115 => {
            let device = question.device()?;
            let link = question.number()?;
            let mut pci: nvmlPciInfo_v2_t = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe { nvml.nvmlDeviceGetNvLinkRemotePciInfo(device, link, &mut pci) };
            question.answer(plain::bytes(&pci));
            status
        }
        114 => {
            let device = question.device()?;
            let link = question.number()?;
            let mut pNvLinkDeviceType: u32 = plain::zero();
            question.end()?;
            // SAFETY: the device is NVML's own, and
            // results go to locals of the size that NVML writes.
            let status = unsafe {
                nvml.nvmlDeviceGetNvLinkRemoteDeviceType(device, link, &mut pNvLinkDeviceType)
            };
            question.answer(plain::bytes(&pNvLinkDeviceType));
            status
        }
        other => {
            let what = format!("function {other} is not one that a node answers");
            return Err(Refusal::Violation(what));
        }
    })
}
