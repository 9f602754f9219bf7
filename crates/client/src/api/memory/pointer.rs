//! Pointer attributes.

use crate::api::arguments::CudaResult;
use crate::driver::handles::mapped_at;
use crate::driver::memory::address_lookup;
use crate::driver::state::driver;
use crate::objects::context_stack;
use crate::objects::graphs::memory::OF_GRAPHS;
use outhaul_abi::types::*;
use std::ffi::c_void;

/// Numbers of pointer attributes, as in `CUpointer_attribute`.
mod attribute {
    /// Context that owns the memory.
    pub const CONTEXT: i32 = 1;
    /// Kind of the memory, as in `CUmemorytype`.
    pub const MEMORY_TYPE: i32 = 2;
    /// Address that kernels use.
    pub const DEVICE_POINTER: i32 = 3;
    /// Address that the program uses.
    pub const HOST_POINTER: i32 = 4;
    /// Whether all copies from and to the memory are synchronous.
    pub const SYNC_MEMOPS: i32 = 6;
    /// Unique number of the allocation.
    pub const BUFFER_ID: i32 = 7;
    /// Whether the memory is managed.
    pub const IS_MANAGED: i32 = 8;
    /// Ordinal of the device that owns the memory.
    pub const DEVICE_ORDINAL: i32 = 9;
    /// Whether cuIpcGetMemHandle accepts the memory.
    pub const IS_LEGACY_CUDA_IPC_CAPABLE: i32 = 10;
    /// Start address of the allocation.
    pub const RANGE_START_ADDR: i32 = 11;
    /// Size of the allocation in bytes.
    pub const RANGE_SIZE: i32 = 12;
    /// Whether memory is mapped at the address.
    pub const MAPPED: i32 = 13;
    /// Bit mask of handle types by which other processes may import the memory.
    pub const ALLOWED_HANDLE_TYPES: i32 = 14;
    /// Whether other PCIe devices may access the memory.
    pub const IS_GPU_DIRECT_RDMA_CAPABLE: i32 = 15;
    /// Access rights of the current context's device.
    pub const ACCESS_FLAGS: i32 = 16;
    /// Memory pool that the memory belongs to.
    pub const MEMPOOL_HANDLE: i32 = 17;
    /// Size of the mapping in bytes.
    pub const MAPPING_SIZE: i32 = 18;
    /// Start address of the mapping.
    pub const MAPPING_BASE_ADDR: i32 = 19;
    /// Unique number of the physical memory.
    pub const MEMORY_BLOCK_ID: i32 = 20;
}

/// Description of an address in the driver's terms.
#[derive(Default)]
struct Described {
    kind: i32,
    address: u64,
    start: u64,
    bytes: u64,
    context: u64,
    device: i32,
    id: u64,
    pool: u64,
    /// Whether the program can access the memory too.
    managed: bool,
    /// Whether cuIpcGetMemHandle accepts the memory.
    is_shareable: bool,
    handle_types: u64,
}

fn describe(address: u64) -> Option<Described> {
    let driver = driver().ok()?;
    if let Some((found, device)) = address_lookup::find(driver, address) {
        let (start, bytes, context, id, pool) =
            (found.address, found.bytes, found.context, found.id, found.pool);
        let managed = driver.managed.find(address as usize).is_some();
        let is_shareable = !found.is_mapped() && pool == 0 && !managed;
        let memory = found.is_mapped().then(|| mapped_at(driver, start)).flatten();
        let handle_types = memory.map_or(0, |memory| memory.properties.requestedHandleTypes as u64);
        let kind = values::MEMORYTYPE_DEVICE;
        return Some(Described {
            kind,
            address,
            start,
            bytes,
            context,
            device,
            id,
            pool,
            managed,
            is_shareable,
            handle_types,
        });
    }
    if let Some((start, bytes)) =
        context_stack::target().ok().and_then(|place| place.session.global(address))
    {
        let (context, device) = context_stack::with_current(|c| Ok((c.handle, c.device))).ok()?;
        let (kind, managed) =
            (values::MEMORYTYPE_DEVICE, driver.managed.find(address as usize).is_some());
        return Some(Described {
            kind,
            address,
            start,
            bytes,
            context,
            device,
            id: start,
            managed,
            ..Described::default()
        });
    }
    let region = driver.host.find(address as usize)?;
    Some(Described {
        kind: values::MEMORYTYPE_HOST,
        address,
        start: region.start as u64,
        bytes: region.bytes as u64,
        context: region.context,
        device: region.device,
        id: region.id,
        ..Described::default()
    })
}

/// Returns the start address and the size in bytes of the memory that contains an address. The
/// memory is an allocation, a module variable, or pinned host memory.
pub(in crate::api) fn range(address: u64) -> Option<(u64, u64)> {
    describe(address).map(|found| (found.start, found.bytes))
}

/// Returns an attribute's value and its size in bytes, or `None` if memory of this kind does not
/// have the attribute.
fn value(what: CUpointer_attribute, found: &Described) -> Result<Option<(u64, usize)>, CUresult> {
    let on_device = found.kind == values::MEMORYTYPE_DEVICE;
    Ok(match what {
        attribute::CONTEXT => Some((if found.pool != 0 { 0 } else { found.context }, 8)),
        attribute::MEMORY_TYPE => Some((found.kind as u64, 4)),
        // Pinned memory has the program's address on the device too. The device can reach it from
        // its first use there.
        attribute::DEVICE_POINTER => Some((found.address, 8)),
        attribute::HOST_POINTER => (!on_device || found.managed).then_some((found.address, 8)),
        attribute::SYNC_MEMOPS => Some((0, 4)),
        attribute::IS_MANAGED => Some((found.managed.into(), 4)),
        attribute::BUFFER_ID | attribute::MEMORY_BLOCK_ID => Some((found.id, 8)),
        attribute::DEVICE_ORDINAL => Some((found.device as u64, 4)),
        attribute::IS_LEGACY_CUDA_IPC_CAPABLE => Some((u64::from(found.is_shareable), 1)),
        attribute::IS_GPU_DIRECT_RDMA_CAPABLE => Some((0, 1)),
        attribute::RANGE_START_ADDR | attribute::MAPPING_BASE_ADDR => Some((found.start, 8)),
        attribute::RANGE_SIZE | attribute::MAPPING_SIZE => Some((found.bytes, 8)),
        attribute::MAPPED => Some((1, 1)),
        attribute::ALLOWED_HANDLE_TYPES => Some((found.handle_types, 8)),
        attribute::ACCESS_FLAGS => Some((values::MEM_ACCESS_FLAGS_PROT_READWRITE as u64, 4)),
        attribute::MEMPOOL_HANDLE => {
            Some((if found.pool == OF_GRAPHS { 0 } else { found.pool }, 8))
        }
        _ => return Err(CUresult::INVALID_VALUE),
    })
}

/// Writes an attribute's value.
///
/// # Safety
/// `place` is valid for writes of `bytes` bytes, at most 8.
unsafe fn store(place: *mut c_void, value: u64, bytes: usize) {
    // SAFETY: the caller upholds this function's contract. The client's machine is little-endian,
    // so the lower bytes come first.
    unsafe { std::ptr::copy_nonoverlapping(value.to_le_bytes().as_ptr(), place.cast(), bytes) };
}

pub unsafe fn cuPointerGetAttribute(
    data: *mut c_void,
    what: CUpointer_attribute,
    address: CUdeviceptr,
) -> CudaResult {
    if data.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    driver()?;
    let found = describe(address).ok_or(CUresult::INVALID_VALUE)?;
    let (value, bytes) = value(what, &found)?.ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: checked for null; the program guarantees that `data` is valid for writes of the
    // attribute's size.
    unsafe { store(data, value, bytes) };
    Ok(())
}

/// Writes several attributes. Unlike `cuPointerGetAttribute`, accepts unknown memory: its
/// attributes are 0, and its device ordinal is -2.
pub unsafe fn cuPointerGetAttributes(
    count: u32,
    whats: *mut CUpointer_attribute,
    data: *mut *mut c_void,
    address: CUdeviceptr,
) -> CudaResult {
    const NO_DEVICE: u64 = -2i64 as u64;
    if whats.is_null() || data.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    driver()?;
    let found = describe(address);
    let unknown = Described::default();
    for i in 0..count as usize {
        // SAFETY: checked for null; the program guarantees `count` attributes and pointers.
        let (what, place) = unsafe { (*whats.add(i), *data.add(i)) };
        let value = match &found {
            Some(found) => value(what, found)?.unwrap_or((0, 8)),
            None => match what {
                attribute::DEVICE_ORDINAL => (NO_DEVICE, 4),
                attribute::MAPPED => (0, 1),
                _ => (0, value(what, &unknown)?.map_or(8, |(_, bytes)| bytes)),
            },
        };
        if !place.is_null() {
            // SAFETY: checked for null; the program guarantees that `place` is valid for writes of
            // the attribute's size.
            unsafe { store(place, value.0, value.1) };
        }
    }
    Ok(())
}

/// Accepts the only attribute that can be set. Setting it has no effect, because all copies are
/// synchronised as CUDA requires.
pub unsafe fn cuPointerSetAttribute(
    _value: *const c_void,
    what: CUpointer_attribute,
    address: CUdeviceptr,
) -> CudaResult {
    driver()?;
    if what != attribute::SYNC_MEMOPS || describe(address).is_none() {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok(())
}
