//! Memory information, as the worker counts it for this session.

#![allow(non_snake_case, clippy::missing_safety_doc)]

use super::device::{cuda_ordinal, facts};
use super::entry::{CudaResult, code_of, put};
use crate::driver::memory::address_lookup::arena;
use crate::driver::state;
use crate::objects::device_facts::Device;
use outhaul_abi::nvml::*;
use outhaul_wire::messages::{NvmlMemory, NvmlMemoryReply};

/// Asks the worker for this session's memory figures on the device. Pages whose blocks the program
/// has freed count as free, even if they are still mapped.
pub fn memory(device: nvmlDevice_t) -> Result<NvmlMemoryReply, nvmlReturn_t> {
    let facts = facts(device)?;
    let asked = facts.session.call_apart(&NvmlMemory { device: facts.node_ordinal });
    let mut found: NvmlMemoryReply = asked.and_then(|answer| answer.read(Ok)).map_err(code_of)?;
    let unused = unused_bytes(facts).min(found.used_bytes);
    found.used_bytes -= unused;
    found.free_bytes = (found.free_bytes + unused).min(found.total_bytes);
    Ok(found)
}

/// Returns how many mapped bytes of the device have no allocation.
fn unused_bytes(device: &Device) -> u64 {
    let Ok(driver) = state::driver() else { return 0 };
    cuda_ordinal(driver, device).map_or(0, |ordinal| arena(driver, ordinal).unused_bytes())
}

/// Reports all memory that is not free as `used`, because NVML does so in this version.
pub unsafe fn nvmlDeviceGetMemoryInfo(
    device: nvmlDevice_t,
    place: *mut nvmlMemory_t,
) -> CudaResult {
    let found = memory(device)?;
    let info = nvmlMemory_t {
        total: found.total_bytes,
        free: found.free_bytes,
        used: found.total_bytes.saturating_sub(found.free_bytes),
    };
    // SAFETY: the program's out-pointer for the struct.
    unsafe { put(place, info) }
}

/// Reports as `reserved` what is neither free nor this session's: memory of the driver and of other
/// sessions.
pub unsafe fn nvmlDeviceGetMemoryInfo_v2(
    device: nvmlDevice_t,
    place: *mut nvmlMemory_v2_t,
) -> CudaResult {
    let version = versioned::<nvmlMemory_v2_t>(2);
    if place.is_null() {
        return Err(nvmlReturn_t::INVALID_ARGUMENT);
    }
    // SAFETY: checked for null; the version is the first field, and the program guarantees that
    // `place` is valid for reads.
    if unsafe { place.cast::<u32>().read() } != version {
        return Err(nvmlReturn_t::ARGUMENT_VERSION_MISMATCH);
    }
    let NvmlMemoryReply { total_bytes: total, used_bytes: used, free_bytes: free } =
        memory(device)?;
    let reserved = total.saturating_sub(used).saturating_sub(free);
    // SAFETY: checked for null; the program guarantees that `place` is valid for writes.
    unsafe { put(place, nvmlMemory_v2_t { version, total, reserved, free, used }) }
}
