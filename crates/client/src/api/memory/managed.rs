//! Managed memory, and pinned memory that the device can reach.

use crate::api::arguments::{CudaResult, name, put};
use crate::base::log;
use crate::driver::contexts;
use crate::driver::handles;
use crate::driver::managed::mapped_host_memory::{is_a_graphs, reach};
use crate::driver::memory::allocate;
use crate::driver::memory::free;
use crate::driver::state::{Driver, driver};
use crate::driver::streams::resolve;
use crate::managed::region::{Attachment, NodeMemoryKind};
use crate::marshal;
use crate::objects::context_stack;
use crate::session::Target;
use outhaul_abi::memory::managed_hints::{advice as advices, location};
use outhaul_abi::types::*;
use outhaul_wire::messages::GetManaged;
use std::ffi::{c_char, c_void};
use std::ops::Range;

const ATTACH_GLOBAL: u32 = 1;
const ATTACH_HOST: u32 = 2;
const ATTACH_SINGLE: u32 = 4;
const PAGE_BYTES: usize = 4096;

/// Maps this process's pages at addresses that the device uses too. Returns false if other memory
/// is mapped there.
fn map_pages(address: usize, bytes: usize) -> bool {
    let (protection, flags) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE,
    );
    // SAFETY: creates a mapping only where none exists.
    let found = unsafe { libc::mmap(address as *mut c_void, bytes, protection, flags, -1, 0) };
    if found != libc::MAP_FAILED && found as usize != address {
        // A Linux version that does not know the flag treats the address as a hint.
        // SAFETY: the mapping was created above.
        unsafe { libc::munmap(found, bytes) };
        return false;
    }
    found != libc::MAP_FAILED
}

/// Makes pages in the device's address range accessible if `open`, else inaccessible. This process
/// keeps that range inaccessible by default.
fn set_pages(address: usize, bytes: usize, open: bool) -> CudaResult {
    let protection = if open { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_NONE };
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    // SAFETY: the pages are in a range that this library mapped, and contain nothing that a thread
    // may still use.
    let found = unsafe { libc::mmap(address as *mut c_void, bytes, protection, flags, -1, 0) };
    if found == libc::MAP_FAILED { Err(CUresult::OUT_OF_MEMORY) } else { Ok(()) }
}

/// Allocates managed memory.
pub fn allocate_managed(bytes: usize, flags: u32) -> Result<CUdeviceptr, CUresult> {
    if bytes == 0 || !matches!(flags, ATTACH_GLOBAL | ATTACH_HOST) {
        return Err(CUresult::INVALID_VALUE);
    }
    let driver = driver()?;
    let device = context_stack::with_current(|c| Ok(c.device))?;
    // The allocation consists of whole device pages, which no other allocation shares.
    let granularity = driver.facts.device(device)?.granularity_bytes as usize;
    let address = allocate::allocate(
        bytes.checked_next_multiple_of(granularity).ok_or(CUresult::OUT_OF_MEMORY)?,
        0,
    )?;
    let whole = bytes.next_multiple_of(PAGE_BYTES);
    let opened = set_pages(address as usize, whole, true).and_then(|()| {
        driver.managed.open(
            context_stack::target()?,
            address as usize,
            whole,
            NodeMemoryKind::Device,
        )
    });
    opened.inspect_err(|_| {
        let _ = set_pages(address as usize, whole, false);
        let _ = free::free(address);
    })?;
    Ok(address)
}

/// Closes the managed memory that begins at `address`, if any.
pub(in crate::api) fn forget(driver: &Driver, address: CUdeviceptr) -> CudaResult {
    match driver.managed.find(address as usize) {
        Some((NodeMemoryKind::Device, start)) if start as u64 == address => {
            driver.managed.close(start).map_or(Ok(()), |bytes| {
                driver.hints().forget(address..address + bytes as u64);
                set_pages(start, bytes, false)
            })
        }
        _ => Ok(()),
    }
}

/// Returns the address and the size in bytes of a library's managed variable.
///
/// # Safety
/// `variable` is null or a C string.
pub unsafe fn variable(
    library: CUlibrary,
    variable: *const c_char,
) -> Result<(CUdeviceptr, usize), CUresult> {
    let driver = driver()?;
    // SAFETY: the caller upholds this function's contract.
    let variable = unsafe { name(variable) }?.to_string_lossy();
    let library = handles::library(library)?;
    // A managed variable has one address for all contexts. The runtime asks before any context is
    // current.
    let at_first = Target { session: contexts::target_or_none()?.session, context: 0 };
    let (at, size) = match library.variable(at_first, &variable) {
        Some(found) => (found.address, found.bytes),
        None => {
            let message = GetManaged { library: library.handle, name: &variable };
            let found = contexts::target_or_none()?
                .call(&message)?
                .read(|reply| Ok((reply.address, reply.bytes)))?;
            place(driver, found.0 as usize, found.1 as usize).inspect_err(|_| {
                log::warn(&format!(
                    "the managed variable {variable} cannot be at {:#x}, where \
                this process has something else",
                    found.0
                ));
            })?;
            library.note_variable(at_first, &variable, found.0, found.1);
            found
        }
    };
    Ok((at, size as usize))
}

/// Makes a managed variable of the node's driver accessible to the program. Several variables may
/// share a page.
fn place(driver: &Driver, address: usize, bytes: usize) -> CudaResult {
    let (first, last) =
        (address / PAGE_BYTES * PAGE_BYTES, (address + bytes).next_multiple_of(PAGE_BYTES));
    for page in (first..last).step_by(PAGE_BYTES) {
        if !map_pages(page, PAGE_BYTES)
            && driver.managed.find(page).is_none()
            && !neighbour(driver, page)
        {
            return Err(CUresult::NOT_SUPPORTED);
        }
    }
    driver.managed.open(contexts::target_or_none()?, address, bytes, NodeMemoryKind::Placed)
}

/// Closes a managed variable when its module ends, and unmaps pages without other variables.
pub(in crate::api) fn displace(driver: &Driver, address: u64) {
    let Some((NodeMemoryKind::Placed, start)) = driver.managed.find(address as usize) else {
        return;
    };
    let Some(bytes) = driver.managed.close(start) else { return };
    for page in (start / PAGE_BYTES * PAGE_BYTES..start + bytes)
        .step_by(PAGE_BYTES)
        .filter(|page| !neighbour(driver, *page))
    {
        // SAFETY: `place` mapped the page, and no variable is left in it.
        unsafe { libc::munmap(page as *mut c_void, PAGE_BYTES) };
    }
}

/// Returns whether the page contains a region of another variable.
fn neighbour(driver: &Driver, page: usize) -> bool {
    (page..page + PAGE_BYTES).any(|address| driver.managed.find(address).is_some())
}

pub unsafe fn cuMemHostGetDevicePointer_v2(
    out: *mut CUdeviceptr,
    host: *mut c_void,
    flags: u32,
) -> CudaResult {
    if flags != 0 || out.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    context_stack::current()?;
    let driver = driver()?;
    let region = driver.host.find(host as usize).ok_or(CUresult::INVALID_VALUE)?;
    // Asking for a device pointer does not mean use, because frameworks ask for all memory that
    // they pin. The pointer equals the program's own pointer, so a kernel's parameters later show
    // the use. Memory that a graph copies becomes reachable at once, because later it would be too
    // late for kernels of that graph.
    region.note_asked();
    if region.is_in_place()? || is_a_graphs(driver, &region) {
        reach(driver, host as usize)?;
    }
    // SAFETY: checked for null; the program guarantees that `out` is valid for writes.
    unsafe { put(out, host as CUdeviceptr) }
}

// ---- hints ----

/// Checks that a range is in one region that both sides can reach. Returns the range. Each side has
/// its own pages there, and hints say when to make them equal.
pub(in crate::api) fn range(address: CUdeviceptr, bytes: usize) -> Result<Range<u64>, CUresult> {
    let driver = driver()?;
    let end =
        address.checked_add(bytes as u64).filter(|_| bytes > 0).ok_or(CUresult::INVALID_VALUE)?;
    let start = |address: u64| driver.managed.find(address as usize).map(|(_, start)| start);
    let inside = start(address).is_some() && start(address) == start(end - 1);
    if inside { Ok(address..end) } else { Err(CUresult::INVALID_VALUE) }
}

fn is_host(place: CUmemLocation) -> bool {
    matches!(
        place.type_,
        values::MEM_LOCATION_TYPE_HOST..=values::MEM_LOCATION_TYPE_HOST_NUMA_CURRENT
    )
}

pub unsafe fn cuMemAdvise(
    address: CUdeviceptr,
    bytes: usize,
    advice: CUmem_advise,
    device: CUdevice,
) -> CudaResult {
    // SAFETY: takes no pointers.
    unsafe { cuMemAdvise_v2(address, bytes, advice, location(device)) }
}

pub unsafe fn cuMemAdvise_v2(
    address: CUdeviceptr,
    bytes: usize,
    advice: CUmem_advise,
    place: CUmemLocation,
) -> CudaResult {
    let driver = driver()?;
    let range = range(address, bytes)?;
    driver.hints().advise(range.clone(), advice, place, driver.facts.devices.len())?;
    if matches!(advice, advices::SET_PREFERRED_LOCATION | advices::UNSET_PREFERRED_LOCATION) {
        let is_here = advice == advices::SET_PREFERRED_LOCATION && is_host(place);
        driver.managed.prefer(range.start as usize..range.end as usize, is_here);
    }
    Ok(())
}

pub unsafe fn cuMemPrefetchAsync(
    address: CUdeviceptr,
    bytes: usize,
    device: CUdevice,
    stream: CUstream,
) -> CudaResult {
    // SAFETY: takes no pointers.
    unsafe { cuMemPrefetchAsync_v2(address, bytes, location(device), 0, stream) }
}

pub unsafe fn cuMemPrefetchAsync_v2(
    address: CUdeviceptr,
    bytes: usize,
    place: CUmemLocation,
    flags: u32,
    stream: CUstream,
) -> CudaResult {
    let driver = driver()?;
    let stream = resolve(stream)?;
    let range = range(address, bytes)?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    driver.hints().prefetch(range.clone(), place, driver.facts.devices.len())?;
    let range = range.start as usize..range.end as usize;
    if is_host(place) {
        driver.managed.want(range, stream.is_idle())
    } else {
        driver.managed.send_ahead(range)
    }
}

pub unsafe fn cuStreamAttachMemAsync(
    stream: CUstream,
    address: CUdeviceptr,
    _bytes: usize,
    flags: u32,
) -> CudaResult {
    let stream = resolve(stream)?;
    if !matches!(flags, ATTACH_GLOBAL | ATTACH_HOST | ATTACH_SINGLE) {
        return Err(CUresult::INVALID_VALUE);
    }
    range(address, 1)?;
    let driver = driver()?;
    let start = driver
        .managed
        .find(address as usize)
        .map(|(_, start)| start)
        .ok_or(CUresult::INVALID_VALUE)?;
    driver.managed.attach(
        start,
        match flags {
            ATTACH_HOST => Attachment::Program,
            ATTACH_SINGLE => Attachment::Stream(stream),
            _ => Attachment::Everybody,
        },
    );
    Ok(())
}

/// Returns an array that the program passes. Rejects a null pointer.
///
/// # Safety
/// `first` is null or valid for reads of `count` elements for `'a`.
pub(in crate::api) unsafe fn list<'a, T>(
    first: *const T,
    count: usize,
) -> Result<&'a [T], CUresult> {
    if first.is_null() || !marshal::may_be_list::<T>(count) {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: checked for null; the caller upholds this function's contract.
    Ok(unsafe { std::slice::from_raw_parts(first, count) })
}

pub unsafe fn cuMemPrefetchBatchAsync(
    addresses: *mut CUdeviceptr,
    sizes: *mut usize,
    count: usize,
    places: *mut CUmemLocation,
    starts: *mut usize,
    place_count: usize,
    flags: u64,
    stream: CUstream,
) -> CudaResult {
    // SAFETY: the program guarantees that the arrays are null or have the lengths that it passes.
    let (addresses, sizes, places, starts) = unsafe {
        (
            list(addresses, count)?,
            list(sizes, count)?,
            list(places, place_count)?,
            list(starts, place_count)?,
        )
    };
    let ascending = starts.first() == Some(&0)
        && starts.is_sorted_by(|a, b| a < b)
        && starts.last().is_some_and(|last| *last < count);
    if flags != 0 || count == 0 || !ascending {
        return Err(CUresult::INVALID_VALUE);
    }
    (0..count).try_for_each(|index| {
        let place = places[starts.partition_point(|start| *start <= index) - 1];
        // SAFETY: takes no pointers.
        unsafe { cuMemPrefetchAsync_v2(addresses[index], sizes[index], place, 0, stream) }
    })
}

pub unsafe fn cuMemRangeGetAttribute(
    data: *mut c_void,
    data_bytes: usize,
    attribute: CUmem_range_attribute,
    address: CUdeviceptr,
    bytes: usize,
) -> CudaResult {
    let driver = driver()?;
    let range = range(address, bytes)?;
    let values = driver.hints().attribute(range, attribute, data_bytes)?;
    if data.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: checked for null; the program guarantees that `data` is valid for writes of
    // `data_bytes` bytes, which is the length of `values`.
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), data.cast(), values.len()) };
    Ok(())
}

pub unsafe fn cuMemRangeGetAttributes(
    data: *mut *mut c_void,
    sizes: *mut usize,
    attributes: *mut CUmem_range_attribute,
    count: usize,
    address: CUdeviceptr,
    bytes: usize,
) -> CudaResult {
    // SAFETY: the program guarantees that the arrays are null or have `count` entries.
    let (data, sizes, attributes) =
        unsafe { (list(data, count)?, list(sizes, count)?, list(attributes, count)?) };
    (0..count).try_for_each(|i| {
        // SAFETY: the program guarantees that each pointer is valid for writes.
        unsafe { cuMemRangeGetAttribute(data[i], sizes[i], attributes[i], address, bytes) }
    })
}

/// Waits for `stream` if the program can access the memory at `address` directly. Such a call must
/// be synchronous, although for other memory it need not be.
pub fn synchronize_if_shared(address: CUdeviceptr, stream: CUstream) -> CudaResult {
    if driver()?.managed.is_shared(address) {
        return crate::api::streams::stream::synchronize(stream);
    }
    Ok(())
}
