//! Memory that programs of one node share. A program passes another one a handle of 64 bytes or a
//! file descriptor. Both contain a ticket: the descriptor socket of the worker with the memory, and
//! a secret key. Handles are not valid on other nodes. Shared pools are in shared_pools.rs.

use crate::api::arguments::{CudaResult, put};
use crate::driver::contexts;
use crate::driver::contexts::target_or_none;
use crate::driver::handles::physical;
use crate::driver::memory::address_lookup::{arena, device_of, find};
use crate::driver::state::{Driver, driver};
use crate::objects::context;
use crate::objects::context_stack;
use crate::objects::context_stack::post;
use crate::objects::memory::physical::Physical;
use crate::objects::memory::shared_memory::{Opened, TICKET_BYTES, Ticket};
use crate::objects::streams::sync_copy_policy;
use crate::session::Target;
use outhaul_abi::fd;
use outhaul_abi::types::*;
use outhaul_wire::messages::{
    MemoryAdopt, MemoryShare, MemoryShareReply, PhysicalRelease, VirtualMap, VirtualSetAccess,
    VirtualUnmap,
};
use std::collections::HashSet;
use std::ffi::c_void;
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::sync::Arc;

/// The only supported kind of shareable handle.
pub const POSIX_FILE_DESCRIPTOR: CUmemAllocationHandleType = 1;
const FABRIC: CUmemAllocationHandleType = 8;
const LAZY_ENABLE_PEER_ACCESS: u32 = 1;

/// Asks the node for a key by which the user's other processes can import memory. Either `memory`
/// is a handle of physical memory, or `memory` is 0 and `address` is in the memory.
pub(in crate::api) fn share(
    driver: &Driver,
    memory: u64,
    address: u64,
) -> Result<MemoryShareReply, CUresult> {
    let session = match device_of(driver, address) {
        Some(device) => driver.facts.device(device)?.session,
        None => driver.session_of(memory)?,
    };
    let reply =
        context_stack::target_in(session).call(&MemoryShare { memory, address })?.read(Ok)?;
    driver.sharing.own().insert(reply.key);
    sync_copy_policy::note_shared();
    Ok(reply)
}

/// Imports a ticket's memory as physical memory that can be mapped.
fn adopt(driver: &Driver, ticket: &Ticket) -> Result<Arc<Physical>, CUresult> {
    receive(driver, Some(ticket.whole_bytes), |place, memory| {
        place
            .call(&MemoryAdopt { memory, socket: ticket.socket, key: ticket.key })?
            .read(|reply| Ok((reply.device, reply.bytes)))
    })
}

/// Returns physical memory that this session did not create. `call` imports the memory under a new
/// handle. It returns the node's ordinal of the memory's device, and the size in bytes. A size
/// other than `expected_bytes` is an error.
pub(in crate::api) fn receive(
    driver: &Driver,
    expected_bytes: Option<u64>,
    call: impl FnOnce(Target, u64) -> Result<(i32, u64), CUresult>,
) -> Result<Arc<Physical>, CUresult> {
    let target = contexts::target_or_none()?;
    let handle = driver.physical.reserve_on(target.session.number)?;
    let (on_node, bytes) = call(target, handle).inspect_err(|_| driver.physical.release(handle))?;
    sync_copy_policy::note_shared();
    let device = driver
        .facts
        .devices
        .iter()
        .position(|d| d.node_ordinal == on_node && std::ptr::eq(d.session, target.session));
    let properties = CUmemAllocationProp {
        type_: values::MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: POSIX_FILE_DESCRIPTOR,
        location: CUmemLocation {
            type_: values::MEM_LOCATION_TYPE_DEVICE,
            id: device.map_or(-1, |i| i as i32),
        },
        win32HandleMetaData: std::ptr::null_mut(),
        compressionType: 0,
        gpuDirectRDMACapable: 0,
        usage: 0,
        reserved: [0; 4],
    };
    let memory = driver.physical.fill(handle, Physical::new(handle, bytes, 0, properties));
    let refusal = match device {
        None => Some(CUresult::INVALID_DEVICE),
        Some(_) if expected_bytes.is_some_and(|expected| expected != bytes) => {
            Some(CUresult::INVALID_VALUE)
        }
        Some(_) => None,
    };
    match refusal {
        None => Ok(memory),
        Some(code) => {
            drop_memory(driver, handle)?;
            Err(code)
        }
    }
}

/// Removes physical memory from the table, and makes the worker release it.
pub(in crate::api) fn drop_memory(driver: &Driver, handle: u64) -> CudaResult {
    driver.physical.remove(handle);
    context_stack::target_in(driver.session_of(handle)?).post(&PhysicalRelease { memory: handle })
}

// ---- handles that travel as bytes ----

pub unsafe fn cuIpcGetMemHandle(out: *mut CUipcMemHandle, address: CUdeviceptr) -> CudaResult {
    context_stack::current()?;
    let driver = driver()?;
    let (found, _) = find(driver, address).ok_or(CUresult::INVALID_VALUE)?;
    let is_managed = driver.managed.find(address as usize).is_some();
    if out.is_null() || found.is_mapped() || found.pool != 0 || is_managed {
        return Err(CUresult::INVALID_VALUE);
    }
    let MemoryShareReply { socket, key, bytes: whole_bytes, offset } =
        share(driver, 0, found.address)?;
    let ticket = Ticket { socket, key, whole_bytes, offset, bytes: found.bytes };
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, CUipcMemHandle { reserved: ticket.encode() }) }
}

pub unsafe fn cuIpcOpenMemHandle_v2(
    out: *mut CUdeviceptr,
    handle: CUipcMemHandle,
    flags: u32,
) -> CudaResult {
    let driver = driver()?;
    let context = context_stack::current()?;
    if out.is_null() || flags & !LAZY_ENABLE_PEER_ACCESS != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let ticket = Ticket::decode(&handle.reserved).ok_or(CUresult::INVALID_VALUE)?;
    if driver.sharing.own().contains(&ticket.key) {
        // The memory has an address in this process, and cannot get a second one from an IPC
        // handle.
        return Err(CUresult::INVALID_CONTEXT);
    }
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, open(driver, &context, ticket, false)?) }
}

/// Returns the address of a ticket's memory. Maps the memory on the first call.
pub(in crate::api) fn open(
    driver: &Driver,
    context: &context::Context,
    ticket: Ticket,
    is_pooled: bool,
) -> Result<CUdeviceptr, CUresult> {
    let mut opened = driver.sharing.opened();
    if let Some((address, again)) =
        opened.iter_mut().find(|(_, o)| o.ticket == ticket && o.is_pooled == is_pooled)
    {
        again.count += 1;
        return Ok(*address);
    }
    let memory = adopt(driver, &ticket)?;
    let part = (ticket.offset, ticket.bytes);
    let mapped = map(driver, &memory, part, values::MEM_ACCESS_FLAGS_PROT_READWRITE, context);
    let base = mapped.inspect_err(|_| {
        let _ = drop_memory(driver, memory.handle);
    })?;
    opened.insert(base + ticket.offset, Opened { ticket, is_pooled, memory, base, count: 1 });
    Ok(base + ticket.offset)
}

/// Maps all of `memory` in its device's address range, with access for that device and the
/// context's device. The program sees only `bytes` bytes at `offset`. Returns the address of the
/// whole mapping.
pub(in crate::api) fn map(
    driver: &Driver,
    memory: &Physical,
    (offset, bytes): (u64, u64),
    flags: CUmemAccess_flags,
    context: &context::Context,
) -> Result<u64, CUresult> {
    let device = memory.properties.location.id;
    let base = {
        let mut arena = arena(driver, device);
        let base = arena.reserve(memory.bytes, 0).ok_or(CUresult::OUT_OF_MEMORY)?;
        arena.map(base + offset, bytes, context.handle, device);
        base
    };
    let done = (|| {
        post(&VirtualMap { memory: memory.handle, address: base, bytes: memory.bytes, offset: 0 })?;
        for device in [device, context.device].into_iter().collect::<HashSet<_>>() {
            let device = driver.facts.on_node(device)?;
            post(&VirtualSetAccess { address: base, bytes: memory.bytes, device, flags })?;
        }
        target_or_none()?.barrier()
    })();
    done.inspect_err(|_| {
        let _ = unmap(driver, base, memory.bytes, base + offset, bytes);
    })?;
    Ok(base)
}

/// Removes the program's mapping of `bytes` bytes at `address`, and releases the whole reservation
/// of `whole_bytes` bytes at `base`. Returns `INVALID_VALUE` if nothing is mapped at `address`.
pub(in crate::api) fn unmap(
    driver: &Driver,
    base: u64,
    whole_bytes: u64,
    address: u64,
    bytes: u64,
) -> CudaResult {
    let device = device_of(driver, address).ok_or(CUresult::INVALID_VALUE)?;
    let mut arena = arena(driver, device);
    arena.unmap(address, bytes).ok_or(CUresult::INVALID_VALUE)?;
    post(&VirtualUnmap { address: base, bytes: whole_bytes })?;
    arena.unreserve(base, whole_bytes);
    Ok(())
}

/// Closes memory that was opened through an IPC handle of another process.
pub fn close_opened(address: CUdeviceptr) -> CudaResult {
    let driver = driver()?;
    context_stack::current()?;
    close(driver, address, false).unwrap_or(Err(CUresult::INVALID_VALUE))
}

/// Frees memory from another process's pool. Returns `None` if the address is not such memory.
pub(in crate::api) fn close_pooled(driver: &Driver, address: CUdeviceptr) -> Option<CudaResult> {
    close(driver, address, true)
}

fn close(driver: &Driver, address: CUdeviceptr, is_pooled: bool) -> Option<CudaResult> {
    let mut opened = driver.sharing.opened();
    let found = opened.get_mut(&address).filter(|opened| opened.is_pooled == is_pooled)?;
    found.count -= 1;
    if found.count > 0 {
        return Some(Ok(()));
    }
    let Opened { ticket, memory, base, .. } = opened.remove(&address).expect("just seen");
    let unmapped = unmap(driver, base, memory.bytes, address, ticket.bytes);
    Some(unmapped.and_then(|()| drop_memory(driver, memory.handle)))
}

// ---- handles that are descriptors ----

/// Returns a new descriptor for a sealed file with these bytes, which no process can change.
pub(in crate::api) fn seal(bytes: &[u8; TICKET_BYTES]) -> std::io::Result<OwnedFd> {
    let check =
        |result: i32| if result < 0 { Err(std::io::Error::last_os_error()) } else { Ok(result) };
    let descriptor = fd::memory(c"outhaul-memory", libc::MFD_ALLOW_SEALING, bytes.len() as u64)?;
    // SAFETY: the descriptor is open, and `bytes` is valid for reads of its length.
    let written =
        unsafe { libc::pwrite(descriptor.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), 0) };
    if written != TICKET_BYTES as isize {
        return Err(std::io::Error::last_os_error());
    }
    let seals = libc::F_SEAL_WRITE | libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
    // SAFETY: the call takes an open descriptor and no pointers.
    check(unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_ADD_SEALS, seals) })?;
    Ok(descriptor)
}

/// Returns the bytes in a sealed file, or `None` if they cannot be read.
pub(in crate::api) fn unseal(descriptor: i32) -> Option<[u8; TICKET_BYTES]> {
    let mut bytes = [0; TICKET_BYTES];
    // SAFETY: `bytes` is valid for writes of its length; Linux checks the descriptor.
    let read = unsafe { libc::pread(descriptor, bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    (read == TICKET_BYTES as isize).then_some(bytes)
}

pub unsafe fn cuMemExportToShareableHandle(
    out: *mut c_void,
    handle: CUmemGenericAllocationHandle,
    kind: CUmemAllocationHandleType,
    flags: u64,
) -> CudaResult {
    let driver = driver()?;
    let memory = physical(handle)?;
    if kind == FABRIC {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let was_asked_for = memory.properties.requestedHandleTypes & kind != 0;
    if out.is_null() || flags != 0 || kind != POSIX_FILE_DESCRIPTOR || !was_asked_for {
        return Err(CUresult::INVALID_VALUE);
    }
    let MemoryShareReply { socket, key, bytes, .. } = share(driver, handle, 0)?;
    let ticket = Ticket { socket, key, whole_bytes: bytes, offset: 0, bytes };
    let descriptor = seal(&ticket.encode()).map_err(|_| CUresult::OPERATING_SYSTEM)?;
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes of a
    // descriptor. From now on the program owns the descriptor.
    unsafe { put(out.cast::<i32>(), descriptor.into_raw_fd()) }
}

/// Imports memory. The `descriptor` parameter is a file descriptor in the form of a pointer.
pub unsafe fn cuMemImportFromShareableHandle(
    out: *mut CUmemGenericAllocationHandle,
    descriptor: *mut c_void,
    kind: CUmemAllocationHandleType,
) -> CudaResult {
    let driver = driver()?;
    if kind == FABRIC {
        return Err(CUresult::NOT_SUPPORTED);
    }
    let descriptor = i32::try_from(descriptor.addr()).map_err(|_| CUresult::INVALID_VALUE)?;
    if out.is_null() || kind != POSIX_FILE_DESCRIPTOR {
        return Err(CUresult::INVALID_VALUE);
    }
    let ticket = unseal(descriptor)
        .and_then(|bytes| Ticket::decode(&bytes))
        .ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, adopt(driver, &ticket)?.handle) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_tickets_are_decoded_and_invalid_ones_refused() {
        let ticket = Ticket { socket: 5, key: [9; 16], whole_bytes: 4096, offset: 512, bytes: 100 };
        let descriptor = seal(&ticket.encode()).unwrap();
        assert!(
            unseal(descriptor.as_raw_fd()).and_then(|bytes| Ticket::decode(&bytes)) == Some(ticket)
        );
        assert_eq!(
            // SAFETY: the buffer is valid for reads; the descriptor is sealed.
            unsafe { libc::pwrite(descriptor.as_raw_fd(), [0u8; 8].as_ptr().cast(), 8, 0) },
            -1
        );
        assert!(unseal(-1).is_none() && unseal(0x7fff_ffff).is_none());
        for wrong in [
            Ticket { offset: 4000, ..ticket },
            Ticket { offset: u64::MAX, ..ticket },
            Ticket { bytes: 0, ..ticket },
        ] {
            assert!(Ticket::decode(&wrong.encode()).is_none());
        }
        assert!(Ticket::decode(&[0; TICKET_BYTES]).is_none());
    }
}
