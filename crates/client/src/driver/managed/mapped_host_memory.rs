//! Pinned memory that the device can reach: the program asked for a device pointer, or a kernel's
//! parameters or other pinned memory contain its address.

use crate::base::log;
use crate::driver::contexts;
use crate::driver::managed::sync_around_work;
use crate::driver::state::{Driver, driver};
use crate::managed::region::NodeMemoryKind;
use crate::objects::memory::host_memory;
use crate::objects::memory::host_memory::Region;
use crate::session::bulk::transfer::HostBox;
use outhaul_abi::memory::page_access::is_readable;
use outhaul_abi::types::*;
use std::sync::atomic::{Ordering::SeqCst, fence};

/// Maximum size of pinned memory that is searched for addresses of other pinned memory. Larger
/// memory seldom contains addresses, or receives them before the memory itself is reached.
const NAMES_BYTES_MAX: usize = 1 << 20;

impl Region {
    /// Returns whether the device of the calling thread's node uses the program's own pages,
    /// without a managed region.
    pub fn is_in_place(&self) -> Result<bool, CUresult> {
        let Some(segment) = self.segment.as_ref().filter(|segment| segment.in_place) else {
            return Ok(false);
        };
        Ok(std::ptr::eq(segment.session, contexts::target_or_none()?.session))
    }
}

/// Makes pinned memory reachable for the device, and returns the device address, which equals the
/// host address. Memory that is not shared with the worker becomes a managed region. Other pinned
/// memory becomes reachable too if addresses in this memory point to it.
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

/// Returns the addresses in `region` that point to pinned memory that the device cannot reach yet.
fn named_within(driver: &Driver, region: &Region) -> Vec<usize> {
    if region.bytes > NAMES_BYTES_MAX || !host_memory::may_be_named() {
        return Vec::new();
    }
    let range = region.start..region.start + region.bytes;
    if region.registered && !is_readable(range) {
        return Vec::new();
    }
    // SAFETY: pinned memory is readable until the program frees it. The function copies the memory
    // because other threads of the program may be writing there.
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
    let _one_at_a_time = driver.managed.reaching.lock();
    let region = driver.host.find(host).ok_or(CUresult::INVALID_VALUE)?;
    match &region.segment {
        Some(segment) if region.is_in_place()? => segment.note_reached(),
        _ if driver.managed.is_shared(region.start as u64) => {}
        _ if driver.managed.find(region.start).is_some() => {
            log::note(|| format!("another node reaches host memory at {:#x}", region.start));
            return Err(CUresult::NOT_SUPPORTED);
        }
        _ => {
            // Copies in flight would overwrite what the device writes there.
            let wait_for_writes = || {
                driver.sessions.iter().for_each(|session| {
                    session.transfers.wait_for_writes(region.start, region.bytes)
                })
            };
            wait_for_writes();
            driver.managed.open(
                contexts::target_or_none()?,
                region.start,
                region.bytes,
                NodeMemoryKind::Host,
            )?;
            // A copy of another thread that did not find the region has entered its target by now.
            // A later copy finds the region.
            fence(SeqCst);
            wait_for_writes();
            if is_a_graphs(driver, &region) {
                sync_around_work::note_in_graphs();
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

/// Returns whether graphs read or write the region on the client. Such copies are not ordered with
/// the device's direct accesses.
pub fn is_a_graphs(driver: &Driver, region: &Region) -> bool {
    let region = HostBox::row(region.start as *mut u8, region.bytes);
    driver.sessions.iter().any(|session| {
        session.transfers.is_written_by_launches(&region) || session.callbacks.is_fetched(&region)
    })
}

/// Makes pinned memory reachable if its address occurs in a kernel's parameters `given`. `in_graph`
/// returns whether the kernel belongs to a graph.
pub fn reach_named(given: &[u8], in_graph: impl Fn() -> bool) -> Result<(), CUresult> {
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

/// Logs that both sides compare the region from now on to find changes, which takes time.
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

/// Returns whether the device already has the region, or reaches the program's own pages.
fn is_here(driver: &Driver, region: &Region) -> bool {
    region.is_in_place().unwrap_or(false) || driver.managed.is_shared(region.start as u64)
}

/// Makes pinned memory reachable as `reach_named` does, but for bytes that are copied to device
/// memory. The bytes may not be addresses, so the function never fails.
pub fn reach_if_named(bytes: &[u8]) {
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
