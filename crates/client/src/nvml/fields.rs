//! Sensors whose arguments are structs: temperatures in the newer form, and several readings in one
//! call.

#![allow(non_snake_case, clippy::missing_safety_doc)]

use super::device::facts;
use super::entry::{CudaResult, code_of};
use super::node_query::Question;
use crate::session::Response;
use outhaul_abi::nvml::*;
use outhaul_wire::codec::{List, Reader};
use outhaul_wire::limits::SENSOR_FIELDS_MAX;
use outhaul_wire::messages::{NvmlField, NvmlFields, NvmlFieldsReply};

/// Number of nvmlDeviceGetTemperature in the spec of NVML queries.
const TEMPERATURE: u32 = 2;

pub unsafe fn nvmlDeviceGetTemperatureV(
    device: nvmlDevice_t,
    place: *mut nvmlTemperature_t,
) -> CudaResult {
    let mut question = Question::new(TEMPERATURE);
    question.device(device)?;
    question.wants(place)?;
    // SAFETY: checked for null; the program guarantees that `place` is valid for reads and writes.
    unsafe {
        if (*place).version != versioned::<nvmlTemperature_t>(1) {
            return Err(nvmlReturn_t::ARGUMENT_VERSION_MISMATCH);
        }
        question.number((*place).sensorType);
        question.ask()?.number_or_struct(&raw mut (*place).temperature)
    }
}

/// Returns whether the node's NVML reads this field. Such fields are about the device itself:
/// errors, clocks, power, temperatures, its links.
fn is_passed_on(field: u32) -> bool {
    matches!(field, 1..=31 | 74..=83 | 90..=95 | 142..=169 | 173..=183 | 185..=198 | 269..=271)
}

pub unsafe fn nvmlDeviceGetFieldValues(
    device: nvmlDevice_t,
    count: i32,
    place: *mut nvmlFieldValue_t,
) -> CudaResult {
    let device = facts(device)?;
    if place.is_null() || !(1..=SENSOR_FIELDS_MAX as i32).contains(&count) {
        return Err(nvmlReturn_t::INVALID_ARGUMENT);
    }
    // SAFETY: checked for null; the program guarantees that `place` is valid for reads and writes
    // of `count` records.
    let records = unsafe { std::slice::from_raw_parts_mut(place, count as usize) };
    for record in records.iter_mut() {
        record.nvmlReturn = nvmlReturn_t::NOT_SUPPORTED.0;
    }
    let asked: Vec<&mut nvmlFieldValue_t> =
        records.iter_mut().filter(|r| is_passed_on(r.fieldId)).collect();
    if asked.is_empty() {
        return Ok(());
    }
    let fields = asked.iter().map(|r| NvmlField { field: r.fieldId, scope: r.scopeId }).collect();
    let Response { status, body, .. } = device
        .session
        .call_apart(&NvmlFields { device: device.node_ordinal, fields: List(fields) })
        .map_err(code_of)?;
    match status.ok().map_err(code_of) {
        Err(nvmlReturn_t::NOT_SUPPORTED) => return Ok(()),
        other => other?,
    }
    let reply: NvmlFieldsReply = Reader::new(&body).whole().map_err(|_| nvmlReturn_t::UNKNOWN)?;
    if reply.values.0.len() != asked.len() {
        return Err(nvmlReturn_t::UNKNOWN);
    }
    for (record, value) in asked.into_iter().zip(reply.values.0) {
        record.nvmlReturn = value.status;
        record.valueType = value.kind;
        record.value = value.value;
        record.timestamp = value.timestamp_us as i64;
        record.latencyUsec = value.latency_us as i64;
    }
    Ok(())
}
