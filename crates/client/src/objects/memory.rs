//! Device memory. The arena decides, and posts make the worker follow. Only growing the session's
//! grant blocks.

pub mod arrays;
pub mod host_memory;
pub mod physical;
pub mod pool;
pub mod shared_memory;

use crate::base::arena::{Allocation, Arena, Outcome, Pages};
use crate::base::epoch;
use crate::base::epoch::Moment;
use crate::base::log;
use crate::managed::page_owner::Waited;
use crate::managed::region;
use crate::objects::context;
use crate::objects::context::Context;
use crate::objects::driver::{Driver, driver};
use crate::objects::memory::pool::Passed;
use crate::objects::streams::stream::Stream;
use crate::session::Place;
use outhaul_abi::types::{CUdeviceptr, CUresult};
use outhaul_lock::MutexGuard;
use outhaul_wire::messages::{ContextSynchronize, GrantGrow, LowReserve, MemoryMap, MemoryUnmap};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, OnceLock};

/// Bytes of resting small blocks above which an allocation waits for the device rather than use
/// more memory.
const RESTING_BYTES_MAX: u64 = 256 << 20;

/// Locks the arena of a device.
pub fn arena(driver: &Driver, device: i32) -> MutexGuard<'_, Arena> {
    driver.arenas[device as usize].lock()
}

/// Allocates on the calling thread's device, for a pool or for none (0).
pub fn allocate(bytes: usize, pool: u64) -> Result<CUdeviceptr, CUresult> {
    allocate_in(&context::current()?, bytes, pool)
}

/// Allocates on the context's device. The memory is freed with the context.
pub fn allocate_in(
    context: &Arc<Context>,
    bytes: usize,
    pool: u64,
) -> Result<CUdeviceptr, CUresult> {
    let driver = driver()?;
    context.session.deferred.check()?;
    let primary;
    let context = if context.is_green {
        primary = driver.primary(context.device);
        &primary
    } else {
        context
    };
    if bytes == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    if arena(driver, context.device).resting_bytes(context.handle) > RESTING_BYTES_MAX {
        settle(driver, context)?;
    }
    let low = context.is_narrow();
    if low {
        open_low(driver, context)?;
    }
    let mut waited = false;
    loop {
        let mut guard = arena(driver, context.device);
        let needed = match guard.allocate(bytes as u64, context.handle, pool, low) {
            Outcome::Done { address, map: None } => return Ok(address),
            Outcome::Done { address, map: Some(pages) } => {
                // Posted under the lock, so that no other thread's use of the page precedes it.
                let Pages { address: start, bytes } = pages;
                context.place().post(&MemoryMap {
                    device: driver.facts.on_node(context.device)?,
                    address: start,
                    bytes,
                })?;
                return Ok(address);
            }
            Outcome::Grant { bytes } => bytes,
            Outcome::Exhausted => return Err(CUresult::OUT_OF_MEMORY),
        };
        drop(guard);
        if grow(driver, context, needed)? || give_up_empty_pages(driver, context)? {
            continue;
        }
        // Blocks that rest, or that wait for streams, may suffice.
        let has_waited = std::mem::replace(&mut waited, true);
        if has_waited || !settle_all(driver, |other| other.device == context.device)? {
            return Err(CUresult::OUT_OF_MEMORY);
        }
    }
}

/// Unmaps pages without blocks. Returns false if there were none.
fn give_up_empty_pages(driver: &Driver, context: &Context) -> Result<bool, CUresult> {
    let mut guard = arena(driver, context.device);
    let empty = guard.give_up_empty_pages();
    let were_any = !empty.is_empty();
    unmap(driver, context.device, context.index, empty).map(|()| were_any)
}

/// Reserves addresses below 4 GiB on the context's device.
fn open_low(driver: &Driver, context: &Context) -> Result<(), CUresult> {
    if driver.low[context.device as usize].get().is_some() {
        return Ok(());
    }
    let message = LowReserve { device: driver.facts.on_node(context.device)? };
    let (base, bytes) = context.place().call(&message, |reply| Ok((reply.base, reply.bytes)))?;
    let mut arena = arena(driver, context.device);
    if driver.low[context.device as usize].set((base, bytes)).is_ok() {
        arena.open_low(base, bytes);
    }
    Ok(())
}

/// Asks the node for at least `bytes` more. Returns whether the session may use more now.
pub fn grow(driver: &Driver, context: &Context, bytes: u64) -> Result<bool, CUresult> {
    let ask = GrantGrow { device: driver.facts.on_node(context.device)?, bytes };
    let more_bytes = context.place().call(&ask, |reply| Ok(reply.more_bytes))?;
    arena(driver, context.device).grant(more_bytes);
    Ok(more_bytes > 0)
}

/// Frees an allocation. Returns `INVALID_VALUE` if none begins at the address.
pub fn free(address: CUdeviceptr) -> Result<(), CUresult> {
    free_by(address, |arena| Some(arena.free(address, epoch::now())?.into_iter().collect()))
}

/// Does as `free`, for memory that the device does not use any more.
pub fn free_passed(address: CUdeviceptr) -> Result<(), CUresult> {
    free_by(address, |arena| arena.free_passed(address))
}

fn free_by(
    address: CUdeviceptr,
    free: impl FnOnce(&mut Arena) -> Option<Vec<Pages>>,
) -> Result<(), CUresult> {
    if address == 0 {
        return Ok(());
    }
    let driver = driver()?;
    let device = device_of(driver, address).ok_or(CUresult::INVALID_VALUE)?;
    let mut guard = arena(driver, device);
    let allocation =
        guard.find(address).filter(|a| a.address == address).ok_or(CUresult::INVALID_VALUE)?;
    if context::several() {
        drop(guard);
        driver.crossings.settle(allocation.address, allocation.bytes);
        guard = arena(driver, device);
    }
    if let Some(pool) = driver.pools.get(allocation.pool) {
        pool.forget(address);
    }
    let pages = free(&mut guard).ok_or(CUresult::INVALID_VALUE)?;
    let context = driver.contexts.get(allocation.context).map_or(0, |c| c.index);
    unmap(driver, device, context, pages)
}

fn unmap(driver: &Driver, device: i32, context: u16, pages: Vec<Pages>) -> Result<(), CUresult> {
    let device = driver.facts.device(device)?;
    let (place, device) = (Place { session: device.session, context }, device.node_ordinal);
    pages.into_iter().try_for_each(|Pages { address, bytes }| {
        place.post(&MemoryUnmap { device, address, bytes })
    })
}

fn streams_of(driver: &Driver, context: &Arc<Context>) -> Vec<Arc<Stream>> {
    driver
        .streams
        .all()
        .into_iter()
        .filter(|s| s.context.ptr_eq(&Arc::downgrade(context)))
        .collect()
}

/// The position of the legacy stream, or of the last frame that writes the program's memory. The
/// latter is in no stream, but a wait for the context covers it.
fn last_of_all(context: &Context) -> u64 {
    context.legacy.position().max(context.legacy.place.session.touching())
}

/// Whether waits have shown that all work of the context is done and its results are in the
/// program's memory.
pub fn is_idle(driver: &Driver, context: &Arc<Context>) -> bool {
    let none_left = context.left_and_passed.load(SeqCst) == context.left_at_work.load(SeqCst);
    none_left
        && context.legacy.is_completed(last_of_all(context))
        && streams_of(driver, context).iter().all(|s| s.is_completed(s.position()))
}

/// Waits for the context's device, and notes that all its work so far is done.
pub fn synchronize(driver: &Driver, context: &Arc<Context>) -> Result<(), CUresult> {
    synchronize_as(driver, context, false)
}

/// Does as `synchronize`, but not on the program's request: while a stream captures it does
/// nothing, because the wait would spoil the capture. Returns whether it has waited.
pub fn settle(driver: &Driver, context: &Arc<Context>) -> Result<bool, CUresult> {
    if driver.captures.any() {
        return Ok(false);
    }
    match synchronize_as(driver, context, true) {
        // The node knows of a capture that has begun since.
        Err(CUresult::NOT_READY) => Ok(false),
        ended => ended.map(|()| true),
    }
}

fn synchronize_as(
    driver: &Driver,
    context: &Arc<Context>,
    is_implicit: bool,
) -> Result<(), CUresult> {
    let begun = epoch::now();
    let streams = streams_of(driver, context);
    let (legacy, brought) = (last_of_all(context), context.session.touching());
    let left = context.left_at_work.load(SeqCst);
    let positions: Vec<_> = streams.iter().map(|s| s.position()).chain([legacy]).collect();
    let posted = context.session.outbox.last();
    let message = ContextSynchronize { is_implicit };
    let ask = || context.place().ask(&message).map(|(status, _)| status);
    let waited = Waited::Context(context.index, posted);
    region::wait(context.place(), waited, is_implicit, ask)?.ok()?;
    context.left_and_passed.fetch_max(left, SeqCst);
    context.brought.fetch_max(brought, SeqCst);
    for (stream, position) in streams.iter().chain([&context.legacy]).zip(positions) {
        stream.note_completed(position);
    }
    let mut guard = arena(driver, context.device);
    let pages = guard.wake(context.handle, begun);
    let result = unmap(driver, context.device, context.index, pages);
    drop(guard);
    release_pooled(driver, Passed::Context(context.index), begun);
    result
}

fn live(driver: &Driver, which: impl Fn(&Context) -> bool) -> impl Iterator<Item = Arc<Context>> {
    let contexts = driver.contexts.all().into_iter();
    contexts.filter(move |context| which(context) && context.is_live(driver))
}

/// Does as `synchronize`, for each context that `which` accepts.
pub fn synchronize_all(driver: &Driver, which: impl Fn(&Context) -> bool) -> Result<(), CUresult> {
    live(driver, which)
        .try_for_each(|context| context::within(context.clone(), || synchronize(driver, &context)))
}

/// Does as `settle`, for each context that `which` accepts. Returns false if a capture prevented
/// it.
fn settle_all(driver: &Driver, which: impl Fn(&Context) -> bool) -> Result<bool, CUresult> {
    for context in live(driver, which) {
        if !context::within(context.clone(), || settle(driver, &context))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Waits for all contexts before pinned memory, a module or an array ends: the node's driver waits
/// for all work then. Natively the program waits there. Remotely it waits only if host functions
/// take their turns by commands. Such a command would be queued after the end, and the end waits
/// for the function: a deadlock.
pub fn settle_turns(driver: &Driver) {
    if driver.mirrors.takes_turns_by_command() {
        // The object ends even if the work failed.
        let _ = settle_all(driver, |_| true);
    }
}

/// Frees blocks in pools whose free the device has passed, in a stream or a context, before
/// `moment`.
pub fn release_pooled(driver: &Driver, what: Passed, moment: Moment) {
    for pool in driver.pools.all().into_iter().filter(|pool| pool.has_behind()) {
        for address in pool.passed(what, moment) {
            let _ = free_passed(address);
        }
    }
}

/// Returns the device to whose addresses the address belongs.
pub fn device_of(driver: &Driver, address: CUdeviceptr) -> Option<i32> {
    let high = driver
        .facts
        .devices
        .iter()
        .position(|d| (d.arena_base..d.arena_base + d.arena_bytes).contains(&address));
    let is_low = |low: &OnceLock<(u64, u64)>| {
        low.get().is_some_and(|(base, bytes)| (*base..base + bytes).contains(&address))
    };
    high.or_else(|| driver.low.iter().position(is_low)).map(|i| i as i32)
}

/// Whether the address is of device memory or of a module's variable.
pub fn is_device(driver: &Driver, address: u64) -> bool {
    if device_of(driver, address).is_some() {
        return true;
    }
    context::place().is_ok_and(|place| place.session.global(address).is_some())
}

/// Returns the allocation that contains the address, and the device that has the memory. The
/// program may map it at another device's addresses.
pub fn find(driver: &Driver, address: CUdeviceptr) -> Option<(Allocation, i32)> {
    let device = device_of(driver, address)?;
    let found = arena(driver, device).find(address)?;
    Some((found, found.mapped_device().unwrap_or(device)))
}

/// Refuses a range that leaves its allocation, and lets the current device reach another device's
/// memory.
pub fn check_range(address: CUdeviceptr, bytes: u64) -> Result<(), CUresult> {
    check_bounds(address, bytes)?;
    open_to(driver()?, address, || Ok(context::current()?.device))
}

/// Does as `check_range`, for the stream's device, which may not be the current one.
pub fn check_range_in(stream: &Stream, address: CUdeviceptr, bytes: u64) -> Result<(), CUresult> {
    check_bounds(address, bytes)?;
    open_to(driver()?, address, || stream.device())
}

/// Lets a device reach the memory at the address. For memory that the program maps, the program
/// itself sets the access.
pub fn open_to(
    driver: &Driver,
    address: CUdeviceptr,
    who: impl FnOnce() -> Result<i32, CUresult>,
) -> Result<(), CUresult> {
    if driver.facts.devices.len() < 2 {
        return Ok(());
    }
    match find(driver, address) {
        Some((found, device)) if !found.is_mapped() => driver.peers.open(who()?, device),
        _ => Ok(()),
    }
}

/// Refuses a range that leaves its allocation, as the driver does at the call. Unknown addresses,
/// as of a module's variable, are accepted.
pub fn check_bounds(address: CUdeviceptr, bytes: u64) -> Result<(), CUresult> {
    let driver = driver()?;
    let Some(device) = device_of(driver, address) else {
        if driver.host.find(address as usize).is_some() {
            // The program uses pinned memory as device memory.
            return crate::managed::reach::reach(driver, address as usize).map(|_| ());
        }
        if !is_device(driver, address) {
            log::note(|| {
                format!("{bytes} bytes at {address:#x} are not device memory of this session")
            });
        }
        return if address == 0 && bytes > 0 { Err(CUresult::INVALID_VALUE) } else { Ok(()) };
    };
    let end = address.checked_add(bytes).ok_or(CUresult::INVALID_VALUE)?;
    let arena = arena(driver, device);
    // Pieces that the program mapped next to each other are one range to it.
    let mut at = address;
    while at < end {
        let allocation = arena.find(at).ok_or(CUresult::INVALID_VALUE)?;
        at = allocation.address + allocation.bytes;
    }
    Ok(())
}

/// Frees all memory of a context, which is about to end.
pub fn free_context(driver: &Driver, context: &Context) {
    let addresses = of_context(driver, context);
    let gone = addresses.iter().copied().collect();
    for pool in driver.pools.all() {
        pool.forget_all(&gone);
    }
    for address in addresses {
        let _ = free(address);
    }
}

/// Returns the addresses of the context's allocations.
pub fn of_context(driver: &Driver, context: &Context) -> Vec<CUdeviceptr> {
    arena(driver, context.device).of_context(context.handle)
}

/// Frees what waited for the context's work, because the end of the context was posted. What is
/// posted now follows all its work.
pub fn context_gone(driver: &Driver, context: &Context) {
    release_pooled(driver, Passed::Context(context.index), epoch::now());
    let mut guard = arena(driver, context.device);
    let pages = guard.wake_all(context.handle);
    let _ = unmap(driver, context.device, 0, pages);
}
