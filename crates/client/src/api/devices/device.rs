//! Devices, as the handshake described them.

use crate::api::arguments::{CudaResult, name, put};
use crate::base::pci::PciAddress;
use crate::driver::state::driver;
use crate::objects::context_stack;
use crate::objects::device_facts::attribute;
use outhaul_abi::types::*;
use outhaul_wire::codec::List;
use outhaul_wire::messages::PeerAtomics;
use std::ffi::c_char;

/// Maximum number of operations in one query. CUDA has only thirteen, so a program never needs
/// more.
const ATOMIC_QUESTIONS_MAX: u32 = 1024;

pub unsafe fn cuDeviceGet(device: *mut CUdevice, ordinal: i32) -> CudaResult {
    driver()?.facts.device(ordinal)?;
    // SAFETY: the program's out-pointer for an ordinal.
    unsafe { put(device, ordinal) }
}

pub unsafe fn cuDeviceGetCount(count: *mut i32) -> CudaResult {
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(count, driver()?.facts.devices.len() as i32) }
}

/// Copies text and a terminating NUL to `buffer`. Truncates the text to fit.
unsafe fn put_text(buffer: *mut c_char, length: i32, text: &str) -> CudaResult {
    if buffer.is_null() || length <= 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let count = text.len().min(length as usize - 1);
    // SAFETY: checked for null; the program guarantees `length` writable bytes, and `count` is less
    // than `length`.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), count);
        buffer.add(count).write(0);
    }
    Ok(())
}

pub unsafe fn cuDeviceGetName(buffer: *mut c_char, length: i32, device: CUdevice) -> CudaResult {
    // SAFETY: the program guarantees that `buffer` is null or valid for writes of `length` bytes.
    unsafe { put_text(buffer, length, &driver()?.facts.device(device)?.name) }
}

pub unsafe fn cuDeviceGetUuid(uuid: *mut CUuuid, device: CUdevice) -> CudaResult {
    // SAFETY: the program's out-pointer for a UUID.
    unsafe { put(uuid, CUuuid { bytes: driver()?.facts.device(device)?.uuid }) }
}

pub unsafe fn cuDeviceGetUuid_v2(uuid: *mut CUuuid, device: CUdevice) -> CudaResult {
    // SAFETY: both functions have the same contract.
    unsafe { cuDeviceGetUuid(uuid, device) }
}

pub unsafe fn cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice) -> CudaResult {
    // SAFETY: the program's out-pointer for a size.
    unsafe { put(bytes, driver()?.facts.device(device)?.total_bytes as usize) }
}

pub unsafe fn cuDeviceGetAttribute(
    value: *mut i32,
    attribute: CUdevice_attribute,
    device: CUdevice,
) -> CudaResult {
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(value, driver()?.facts.device(device)?.attribute(attribute)?) }
}

pub unsafe fn cuDeviceComputeCapability(
    major: *mut i32,
    minor: *mut i32,
    device: CUdevice,
) -> CudaResult {
    let facts = driver()?.facts.device(device)?;
    // SAFETY: the program's out-pointers for numbers.
    unsafe {
        put(major, facts.attribute(attribute::COMPUTE_CAPABILITY_MAJOR)?)?;
        put(minor, facts.attribute(attribute::COMPUTE_CAPABILITY_MINOR)?)
    }
}

/// Writes a struct of common device attributes.
pub unsafe fn cuDeviceGetProperties(out: *mut CUdevprop, device: CUdevice) -> CudaResult {
    let facts = driver()?.facts.device(device)?;
    let three = |first| {
        Ok::<_, CUresult>([
            facts.attribute(first)?,
            facts.attribute(first + 1)?,
            facts.attribute(first + 2)?,
        ])
    };
    let properties = CUdevprop {
        maxThreadsPerBlock: facts.attribute(attribute::MAX_THREADS_PER_BLOCK)?,
        maxThreadsDim: three(attribute::MAX_BLOCK_DIM_X)?,
        maxGridSize: three(attribute::MAX_GRID_DIM_X)?,
        sharedMemPerBlock: facts.attribute(attribute::MAX_SHARED_MEMORY_PER_BLOCK)?,
        totalConstantMemory: facts.attribute(attribute::TOTAL_CONSTANT_MEMORY)?,
        SIMDWidth: facts.attribute(attribute::WARP_SIZE)?,
        memPitch: facts.attribute(attribute::MAX_PITCH)?,
        regsPerBlock: facts.attribute(attribute::MAX_REGISTERS_PER_BLOCK)?,
        clockRate: facts.attribute(attribute::CLOCK_RATE)?,
        textureAlign: facts.attribute(attribute::TEXTURE_ALIGNMENT)?,
    };
    // SAFETY: the program's out-pointer for a struct.
    unsafe { put(out, properties) }
}

pub unsafe fn cuDeviceGetPCIBusId(
    buffer: *mut c_char,
    length: i32,
    device: CUdevice,
) -> CudaResult {
    // SAFETY: the program guarantees that `buffer` is null or valid for writes of `length` bytes.
    unsafe { put_text(buffer, length, &driver()?.facts.device(device)?.pci_bus_id) }
}

pub unsafe fn cuDeviceGetByPCIBusId(
    device: *mut CUdevice,
    pci_bus_id: *const c_char,
) -> CudaResult {
    // SAFETY: the program guarantees that `pci_bus_id` is null or a C string.
    let wanted = PciAddress::parse(&unsafe { name(pci_bus_id) }?.to_string_lossy())
        .ok_or(CUresult::INVALID_VALUE)?;
    let found = driver()?.facts.devices.iter().position(|d| d.pci_address() == wanted);
    // SAFETY: the program's out-pointer for an ordinal.
    unsafe { put(device, found.ok_or(CUresult::INVALID_DEVICE)? as i32) }
}

/// Checks the arguments of a query about atomic operations. Returns them as slices.
///
/// # Safety
/// Each pointer is null or valid for `count` elements: `operations` for reads, `out` for writes.
unsafe fn operations<'a>(
    out: *mut u32,
    operations: *const CUatomicOperation,
    count: u32,
) -> Result<(&'a [CUatomicOperation], &'a mut [u32]), CUresult> {
    if out.is_null() || operations.is_null() || count == 0 || count > ATOMIC_QUESTIONS_MAX {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: checked for null; the caller upholds this function's contract.
    let (asked, out) = unsafe {
        (
            std::slice::from_raw_parts(operations, count as usize),
            std::slice::from_raw_parts_mut(out, count as usize),
        )
    };
    let known = asked.iter().all(|operation| (0..values::ATOMIC_OPERATIONS).contains(operation));
    if known { Ok((asked, out)) } else { Err(CUresult::INVALID_VALUE) }
}

/// Reports no capabilities, because a device in another machine has no atomic access to the
/// program's memory.
pub unsafe fn cuDeviceGetHostAtomicCapabilities(
    out: *mut u32,
    asked: *const CUatomicOperation,
    count: u32,
    device: CUdevice,
) -> CudaResult {
    driver()?.facts.device(device)?;
    // SAFETY: the program guarantees what `operations` requires of its arguments.
    let (_, out) = unsafe { operations(out, asked, count)? };
    out.fill(0);
    Ok(())
}

pub unsafe fn cuDeviceGetP2PAtomicCapabilities(
    out: *mut u32,
    asked: *const CUatomicOperation,
    count: u32,
    source: CUdevice,
    target: CUdevice,
) -> CudaResult {
    let facts = &driver()?.facts;
    let (from, to) = (facts.device(source)?, facts.device(target)?);
    // SAFETY: the program guarantees what `operations` requires of its arguments.
    let (asked, out) = unsafe { operations(out, asked, count)? };
    if source == target {
        return Err(CUresult::INVALID_DEVICE);
    }
    if !std::ptr::eq(from.session, to.session) {
        out.fill(0);
        return Ok(());
    }
    let message = PeerAtomics {
        source: from.node_ordinal,
        target: to.node_ordinal,
        operations: List(asked.to_vec()),
    };
    let found = context_stack::target_in(from.session)
        .call(&message)?
        .read(|reply| Ok(reply.capabilities.0))?;
    if found.len() != out.len() {
        return Err(CUresult::UNKNOWN);
    }
    out.copy_from_slice(&found);
    Ok(())
}

pub unsafe fn cuDeviceGetExecAffinitySupport(
    supported: *mut i32,
    _kind: CUexecAffinityType,
    device: CUdevice,
) -> CudaResult {
    driver()?.facts.device(device)?;
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(supported, 0) }
}
