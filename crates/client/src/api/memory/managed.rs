//! Managed memory, and pinned memory that the device reaches.

use crate::api::arguments::{Done, name, put};
use crate::base::log;
use crate::managed::region;
use crate::managed::region::{Attachment, Kind};
use crate::objects::context;
use crate::objects::driver::{Driver, driver};
use crate::objects::host_memory;
use crate::objects::host_memory::Region;
use crate::objects::memory;
use crate::objects::stream::resolve;
use crate::session::Place;
use crate::session::bulk::transfer::HostBox;
use outhaul_abi::managed::{advice as advices, location};
use outhaul_abi::types::*;
use outhaul_wire::messages::GetManaged;
use std::ffi::{c_char, c_void};
use std::ops::Range;
use std::sync::atomic::{Ordering::SeqCst, fence};

const ATTACH_GLOBAL: u32 = 1;
const ATTACH_HOST: u32 = 2;
const ATTACH_SINGLE: u32 = 4;
const PAGE_BYTES: usize = 4096;
/// Largest pinned memory that is searched for addresses of other pinned memory. Larger memory
/// seldom contains any, or got them before it is used.
const NAMES_BYTES_MAX: usize = 1 << 20;

/// Maps pages of this process at addresses where the device has memory. Returns false if other
/// memory is there.
fn map_pages(address: usize, bytes: usize) -> bool {
    let (protection, flags) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE,
    );
    // SAFETY: a new mapping, and only where no other one is.
    let found = unsafe { libc::mmap(address as *mut c_void, bytes, protection, flags, -1, 0) };
    if found != libc::MAP_FAILED && found as usize != address {
        // Linux that does not know the flag takes the address as a wish.
        // SAFETY: mapped just now.
        unsafe { libc::munmap(found, bytes) };
        return false;
    }
    found != libc::MAP_FAILED
}

/// Makes pages of the device's address range, which this process keeps inaccessible, accessible or
/// inaccessible.
fn set_pages(address: usize, bytes: usize, open: bool) -> Done {
    let protection = if open { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_NONE };
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    // SAFETY: the pages are of the range that this library has mapped, and hold nothing that any
    // thread may still use.
    let found = unsafe { libc::mmap(address as *mut c_void, bytes, protection, flags, -1, 0) };
    if found == libc::MAP_FAILED { Err(CUresult::OUT_OF_MEMORY) } else { Ok(()) }
}

pub unsafe fn cuMemAllocManaged(out: *mut CUdeviceptr, bytes: usize, flags: u32) -> Done {
    if out.is_null() || bytes == 0 || !matches!(flags, ATTACH_GLOBAL | ATTACH_HOST) {
        return Err(CUresult::INVALID_VALUE);
    }
    let driver = driver()?;
    let device = context::with_current(|c| Ok(c.device))?;
    // Pages of the device that no other allocation shares.
    let granularity = driver.facts.device(device)?.granularity_bytes as usize;
    let address = memory::allocate(
        bytes.checked_next_multiple_of(granularity).ok_or(CUresult::OUT_OF_MEMORY)?,
        0,
    )?;
    let whole = bytes.next_multiple_of(PAGE_BYTES);
    let opened = set_pages(address as usize, whole, true).and_then(|()| {
        driver.mirrors.open(context::place()?, address as usize, whole, Kind::Device)
    });
    opened.inspect_err(|_| {
        let _ = set_pages(address as usize, whole, false);
        let _ = memory::free(address);
    })?;
    // SAFETY: not null, and the program promises room.
    unsafe { put(out, address) }
}

/// Ends the program's side of managed memory, if the address is such memory.
pub(in crate::api) fn forget(driver: &Driver, address: CUdeviceptr) -> Done {
    match driver.mirrors.find(address as usize) {
        Some((Kind::Device, start)) if start as u64 == address => {
            driver.mirrors.close(start).map_or(Ok(()), |bytes| {
                driver.hints().forget(address..address + bytes as u64);
                set_pages(start, bytes, false)
            })
        }
        _ => Ok(()),
    }
}

pub unsafe fn cuLibraryGetManaged(
    address: *mut CUdeviceptr,
    bytes: *mut usize,
    library: CUlibrary,
    variable: *const c_char,
) -> Done {
    let driver = driver()?;
    // SAFETY: the program passes a C string.
    let variable = unsafe { name(variable) }?.to_string_lossy();
    let library = crate::api::code::module::library(library)?;
    // One address for all contexts. The runtime asks before any context is current.
    let at_first = Place { session: context::place_or_none()?.session, context: 0 };
    let (at, size) = match library.variable(at_first, &variable) {
        Some(found) => (found.address, found.bytes),
        None => {
            let message = GetManaged { library: library.handle, name: &variable };
            let found = context::place_or_none()?
                .call(&message, |reply| Ok((reply.address, reply.bytes)))?;
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
    // SAFETY: null, or the program's places.
    unsafe {
        if !address.is_null() {
            address.write(at);
        }
        if !bytes.is_null() {
            bytes.write(size as usize);
        }
    }
    Ok(())
}

/// Makes a variable of the node's driver accessible to the program. Several variables may share a
/// page.
fn place(driver: &Driver, address: usize, bytes: usize) -> Done {
    let (first, last) =
        (address / PAGE_BYTES * PAGE_BYTES, (address + bytes).next_multiple_of(PAGE_BYTES));
    for page in (first..last).step_by(PAGE_BYTES) {
        if !map_pages(page, PAGE_BYTES)
            && driver.mirrors.find(page).is_none()
            && !neighbour(driver, page)
        {
            return Err(CUresult::NOT_SUPPORTED);
        }
    }
    driver.mirrors.open(context::place_or_none()?, address, bytes, Kind::Placed)
}

/// Ends a variable with its module, and unmaps the pages in which it was the last variable.
pub(in crate::api) fn displace(driver: &Driver, address: u64) {
    let Some((Kind::Placed, start)) = driver.mirrors.find(address as usize) else { return };
    let Some(bytes) = driver.mirrors.close(start) else { return };
    for page in (start / PAGE_BYTES * PAGE_BYTES..start + bytes)
        .step_by(PAGE_BYTES)
        .filter(|page| !neighbour(driver, *page))
    {
        // SAFETY: mapped by `place`, and no variable is there any more.
        unsafe { libc::munmap(page as *mut c_void, PAGE_BYTES) };
    }
}

/// Whether another variable's mirror is in the page.
fn neighbour(driver: &Driver, page: usize) -> bool {
    (page..page + PAGE_BYTES).any(|address| driver.mirrors.find(address).is_some())
}

/// Returns the device's address of pinned memory: the same address. Memory that is not shared with
/// the worker is mirrored from now on, and so is other pinned memory to which addresses in it
/// point.
pub fn reach(driver: &Driver, host: usize) -> Result<CUdeviceptr, CUresult> {
    let mut regions = vec![reach_one(driver, host)?];
    while let Some(region) = regions.pop() {
        for named in named_within(driver, &region) {
            match reach_one(driver, named) {
                Ok(region) => regions.push(region),
                Err(code) => note_unreached(named, code),
            }
        }
    }
    Ok(host as CUdeviceptr)
}

/// Returns the addresses in pinned memory that point to pinned memory that the device cannot reach
/// yet.
fn named_within(driver: &Driver, region: &Region) -> Vec<usize> {
    if region.bytes > NAMES_BYTES_MAX || !host_memory::may_be_named() {
        return Vec::new();
    }
    // SAFETY: pinned memory, readable until the program gives it up. A copy, since other threads of
    // the program may be writing there.
    let words = unsafe {
        let mut words = vec![0; region.bytes];
        std::ptr::copy_nonoverlapping(region.start as *const u8, words.as_mut_ptr(), region.bytes);
        words
    };
    driver.host.named(
        words.get(region.start.wrapping_neg() % size_of::<CUdeviceptr>()..).unwrap_or_default(),
    )
}

fn note_unreached(host: usize, code: CUresult) {
    log::note(|| {
        format!("the device was given {host:#x} in pinned memory, which it cannot reach: {code}")
    });
}

fn reach_one(driver: &Driver, host: usize) -> Result<Region, CUresult> {
    let _one_at_a_time = driver.mirrors.reaching.lock();
    let region = driver.host.find(host).ok_or(CUresult::INVALID_VALUE)?;
    match &region.segment {
        Some(segment) if region.is_in_place()? => segment.note_reached(),
        _ if region::is_shared(driver, region.start as u64) => {}
        _ if driver.mirrors.find(region.start).is_some() => {
            log::note(|| format!("another node reaches host memory at {:#x}", region.start));
            return Err(CUresult::NOT_SUPPORTED);
        }
        _ => {
            // Data in flight would overwrite what the device writes there.
            let settle = || {
                driver
                    .sessions
                    .iter()
                    .for_each(|session| session.transfers.settle(region.start, region.bytes))
            };
            settle();
            driver.mirrors.open(
                context::place_or_none()?,
                region.start,
                region.bytes,
                Kind::Host,
            )?;
            // A copy of another thread that did not find the mirror has entered its target by now.
            // A copy that enters later finds the mirror.
            fence(SeqCst);
            settle();
            if is_a_graphs(driver, &region) {
                region::note_in_graphs();
            }
            log::note(|| {
                let (start, bytes) = (region.start, region.bytes);
                format!("kernels may use {bytes} bytes of pinned memory at {start:#x} from now on")
            });
        }
    }
    driver.host.note_reached(&region);
    Ok(region)
}

/// Whether graphs read or write the region on the client. Such copies have no order with the
/// device's direct accesses.
fn is_a_graphs(driver: &Driver, region: &Region) -> bool {
    let region = HostBox::row(region.start as *mut u8, region.bytes);
    driver.sessions.iter().any(|session| {
        session.transfers.is_standing(&region) || session.callbacks.is_fetched(&region)
    })
}

/// Makes pinned memory reachable if a kernel's parameters contain its address. `in_graph`: the
/// kernel is a graph's.
pub(in crate::api) fn reach_named(given: &[u8], in_graph: impl Fn() -> bool) -> Done {
    if !host_memory::may_be_named() {
        return Ok(());
    }
    let driver = driver()?;
    for host in driver.host.named(given) {
        let is_refused = |region: Region| {
            !is_here(driver, &region) && is_a_graphs(driver, &region) && in_graph()
        };
        if driver.host.find(host).is_some_and(is_refused) {
            log::warn(&format!(
                "a graph's kernel is given pinned memory at {host:#x} that a graph copies from or \
                to; over a network their order would be lost: \
                 use that memory in a kernel before such a copy is captured"
            ));
            return Err(CUresult::NOT_PERMITTED);
        }
        note_named(driver, host, given);
        reach(driver, host).inspect_err(|code| {
            log::warn(&format!(
                "a kernel is given the address {host:#x} of pinned memory, which the node cannot \
                map at the same address ({code}); allocate it with \
                 cuMemHostAlloc, or copy it"
            ));
        })?;
    }
    Ok(())
}

/// Logs that from now on each side compares the region to find changes, which takes time.
fn note_named(driver: &Driver, host: usize, given: &[u8]) {
    log::note(|| {
        let region = driver.host.find(host);
        let range = region.map_or(host..host, |region| host..host + region.bytes);
        let is_in = |word: &[u8; 8]| range.contains(&(u64::from_le_bytes(*word) as usize));
        let words = given.as_chunks().0;
        format!(
            "{} bytes of pinned memory at {host:#x} are compared from now on: bytes {} of {} that \
             a kernel is given name them",
            range.len(),
            8 * words.iter().position(is_in).unwrap_or_default(),
            given.len()
        )
    });
}

/// Whether the device has the region already, or reaches the program's own pages.
fn is_here(driver: &Driver, region: &Region) -> bool {
    region.is_in_place().unwrap_or(false) || region::is_shared(driver, region.start as u64)
}

/// Does as `reach_named`, for bytes that go to the device's memory. They may not be addresses, so
/// this never fails.
pub(in crate::api) fn reach_if_named(bytes: &[u8]) {
    if host_memory::may_be_named()
        && let Ok(driver) = driver()
    {
        driver.host.named(bytes).into_iter().for_each(|host| {
            if let Err(code) = reach(driver, host) {
                note_unreached(host, code);
            }
        });
    }
}

pub unsafe fn cuMemHostGetDevicePointer_v2(
    out: *mut CUdeviceptr,
    host: *mut c_void,
    flags: u32,
) -> Done {
    if flags != 0 || out.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    context::current()?;
    let driver = driver()?;
    let region = driver.host.find(host as usize).ok_or(CUresult::INVALID_VALUE)?;
    // A query does not mean use: frameworks query all memory that they pin. The program gets its
    // own pointer, and passing it to a kernel shows the use. Memory that a graph copies is an
    // exception, because a kernel of a graph could not begin to use it later.
    region.note_asked();
    if region.is_in_place()? || is_a_graphs(driver, &region) {
        reach(driver, host as usize)?;
    }
    // SAFETY: not null, and the program promises room.
    unsafe { put(out, host as CUdeviceptr) }
}

// ---- hints ----

/// Checks that the bytes are in one piece of memory that both sides reach. Each side has its own
/// pages there, and the hints say when to make them equal.
pub(in crate::api) fn range(address: CUdeviceptr, bytes: usize) -> Result<Range<u64>, CUresult> {
    let driver = driver()?;
    let end =
        address.checked_add(bytes as u64).filter(|_| bytes > 0).ok_or(CUresult::INVALID_VALUE)?;
    let start = |address: u64| driver.mirrors.find(address as usize).map(|(_, start)| start);
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
) -> Done {
    // SAFETY: takes no pointers.
    unsafe { cuMemAdvise_v2(address, bytes, advice, location(device)) }
}

pub unsafe fn cuMemAdvise_v2(
    address: CUdeviceptr,
    bytes: usize,
    advice: CUmem_advise,
    place: CUmemLocation,
) -> Done {
    let driver = driver()?;
    let range = range(address, bytes)?;
    driver.hints().advise(range.clone(), advice, place, driver.facts.devices.len())?;
    if matches!(advice, advices::SET_PREFERRED_LOCATION | advices::UNSET_PREFERRED_LOCATION) {
        let is_here = advice == advices::SET_PREFERRED_LOCATION && is_host(place);
        driver.mirrors.prefer(range.start as usize..range.end as usize, is_here);
    }
    Ok(())
}

pub unsafe fn cuMemPrefetchAsync(
    address: CUdeviceptr,
    bytes: usize,
    device: CUdevice,
    stream: CUstream,
) -> Done {
    // SAFETY: takes no pointers.
    unsafe { cuMemPrefetchAsync_v2(address, bytes, location(device), 0, stream) }
}

pub unsafe fn cuMemPrefetchAsync_v2(
    address: CUdeviceptr,
    bytes: usize,
    place: CUmemLocation,
    flags: u32,
    stream: CUstream,
) -> Done {
    let driver = driver()?;
    let stream = resolve(stream)?;
    let range = range(address, bytes)?;
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    driver.hints().prefetch(range.clone(), place, driver.facts.devices.len())?;
    let range = range.start as usize..range.end as usize;
    if is_host(place) {
        driver.mirrors.want(range, stream.is_idle())
    } else {
        driver.mirrors.send_ahead(range)
    }
}

pub unsafe fn cuStreamAttachMemAsync(
    stream: CUstream,
    address: CUdeviceptr,
    _bytes: usize,
    flags: u32,
) -> Done {
    let stream = resolve(stream)?;
    if !matches!(flags, ATTACH_GLOBAL | ATTACH_HOST | ATTACH_SINGLE) {
        return Err(CUresult::INVALID_VALUE);
    }
    range(address, 1)?;
    let driver = driver()?;
    let start = driver
        .mirrors
        .find(address as usize)
        .map(|(_, start)| start)
        .ok_or(CUresult::INVALID_VALUE)?;
    driver.mirrors.attach(
        start,
        match flags {
            ATTACH_HOST => Attachment::Program,
            ATTACH_SINGLE => Attachment::Stream(stream),
            _ => Attachment::Everybody,
        },
    );
    Ok(())
}

/// Returns an array of the program. A null pointer is an error.
///
/// # Safety
/// `first` is null or leads to `count` readable elements.
pub(in crate::api) unsafe fn list<'a, T>(
    first: *const T,
    count: usize,
) -> Result<&'a [T], CUresult> {
    if first.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, and the caller's promise.
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
) -> Done {
    // SAFETY: the program's arrays, of the lengths that it says.
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
) -> Done {
    let driver = driver()?;
    let range = range(address, bytes)?;
    let values = driver.hints().attribute(range, attribute, data_bytes)?;
    if data.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, and the program promises room for `data_bytes` bytes, which is how many
    // there are.
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
) -> Done {
    // SAFETY: the program's arrays, of the lengths that it says.
    let (data, sizes, attributes) =
        unsafe { (list(data, count)?, list(sizes, count)?, list(attributes, count)?) };
    (0..count).try_for_each(|i| {
        // SAFETY: the program promises room at each place.
        unsafe { cuMemRangeGetAttribute(data[i], sizes[i], attributes[i], address, bytes) }
    })
}

/// Ends a call that is synchronous if the program can see the memory: it has happened when the call
/// returns.
pub fn settle_seen(address: CUdeviceptr, stream: CUstream) -> Done {
    if region::is_shared(driver()?, address) {
        // SAFETY: takes a handle only.
        return unsafe { crate::api::cuStreamSynchronize(stream) };
    }
    Ok(())
}
