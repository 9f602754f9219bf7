//! A session's memory on one device: the address range in which the client allocates, the mappings
//! in the range, and their limits.

use super::allocation::{back, create, properties};
use super::driver_memory::{DriverMemory, Held};
use super::released_memory::Remains;
use crate::accounting::ledger::Allowance;
use crate::worker::driver::process_memory::ProcessMemory;
use crate::worker::driver::shared_objects::Share;
use crate::worker::io::frame::Refusal;
use crate::worker::io::listener::Listener;
use crate::worker::memory::mapping;
use crate::worker::memory::mapping::POSIX_FILE_DESCRIPTOR;
use crate::worker::memory::residency::Residency;
use crate::worker::memory::unmapping::Unmapping;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_wire::limits::ARENA_STRIDE;
use outhaul_wire::messages::MemoryMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

/// Bytes that a session may map before it must ask for a larger grant. Each later request at least
/// doubles the grant, if enough memory is free. A session with a limit gets only what it asks for,
/// and gives back what it unmaps. A context or another session may need the rest.
const FIRST_GRANT_BYTES: u64 = 512 << 20;
/// Maximum time that a session waits for memory that others under the same limit have freed.
const FREEING_WAIT: Duration = Duration::from_millis(50);
/// Ratio of the range's size to the device's memory. It is large, so that addresses are seldom
/// reused soon and programs can reserve freely.
const ARENA_TIMES_MEMORY: u64 = 32;
/// Smallest useful size of the range when the driver rejects larger ones.
const ARENA_BYTES_MIN: u64 = 4 << 30;

/// End of the 32-bit addresses, distance between attempts, and sizes to try.
const LOW_END: u64 = 1 << 32;
const LOW_STEP_BYTES: u64 = 256 << 20;
const LOW_BYTES: [u64; 3] = [2 << 30, 1 << 30, 256 << 20];

/// A session's memory on one device.
pub struct Device {
    /// Start address of the range.
    pub base: u64,
    /// Size of the range in bytes.
    pub bytes: u64,
    /// Address and size of the range below 4 GiB, once the client has asked for it.
    pub(super) low: Option<(u64, u64)>,
    /// Granularity of mapped memory in bytes.
    pub granularity_bytes: u64,
    /// Size of the grant in bytes.
    pub granted_bytes: u64,
    /// Whether a limit applies to the session. The value is constant during the session, because
    /// the client does the same calculations.
    pub is_limited: bool,
    /// The session's account, which limits the grants of all sessions of the tenant or lease
    /// together.
    pub(super) allowance: Allowance,
    /// The session's memory as the driver sees it, and the charge for what the driver takes.
    pub driver_memory: Arc<DriverMemory>,
    pub(super) mapped_bytes: u64,
    pub(super) mapped: BTreeMap<u64, Mapping>,
    /// Handle types, besides use in this worker, for which memory is allocated.
    pub(super) handle_types: i32,
    /// Other devices with access to the mappings.
    pub(super) accessors: BTreeSet<CUdevice>,
    pub(super) closing: Arc<Unmapping>,
    /// The connection to the listener, which knows the sessions that are ending.
    pub(super) listener: Listener,
    /// The code that moves mapped memory, on a node that oversubscribes its GPUs.
    pub(super) residency: Option<Arc<Residency>>,
}

/// Memory that is mapped at an address of the session.
pub(super) struct Mapping {
    pub(super) backing: Backing,
    pub(super) bytes: u64,
    pub(super) share: Option<Share>,
    /// The memory's part of what the session holds on the device; none of memory that may move.
    pub(super) held: Option<Held>,
}

/// The physical memory behind a mapping.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Backing {
    /// Memory that has this handle and does not move.
    Stays(CUmemGenericAllocationHandle),
    /// Memory that `residency` may move to the host and back.
    MayMove,
    /// No memory, because none was left. The client learns of that only after it has used the
    /// addresses as mapped, and then unmaps them.
    Nothing,
}

/// Memory that a session has given up. It remains charged until it is free.
pub(super) struct Returned {
    allowance: Allowance,
    bytes: u64,
}

impl Drop for Returned {
    fn drop(&mut self) {
        self.allowance.give_back(self.bytes);
    }
}

impl Device {
    /// Returns an error unless the range consists of whole pages of the session's addresses.
    pub(super) fn check_range(&self, address: u64, bytes: u64) -> Result<(), Refusal> {
        let lies_in = |(base, length): (u64, u64)| {
            address >= base && address.checked_add(bytes).is_some_and(|end| end <= base + length)
        };
        let inside =
            bytes > 0 && (lies_in((self.base, self.bytes)) || self.low.is_some_and(lies_in));
        if inside
            && address.is_multiple_of(self.granularity_bytes)
            && bytes.is_multiple_of(self.granularity_bytes)
        {
            return Ok(());
        }
        Err(Refusal::Violation(format!(
            "the range {address:#x}+{bytes:#x} is outside the session's memory or not aligned"
        )))
    }

    /// Ends the charge for unmapped memory. Under a limit, the memory remains charged until the
    /// returned value is dropped. Otherwise the grant keeps the bytes, so that they may be mapped
    /// again.
    #[must_use]
    pub(super) fn leave(&mut self, bytes: u64) -> Option<Returned> {
        self.mapped_bytes -= bytes;
        self.is_limited.then(|| {
            self.granted_bytes -= bytes;
            Returned { allowance: self.allowance.clone(), bytes }
        })
    }

    /// Charges `bytes` to the session's account. Returns false if too few are left.
    pub(super) fn take(&self, bytes: u64) -> bool {
        self.allowance.take(bytes) || {
            self.await_returning_memory();
            self.allowance.take(bytes)
        }
    }

    /// Blocks until all memory that will soon be free is free and no longer charged: memory that
    /// this session is unmapping, and the memory of sessions that are ending.
    pub(super) fn await_returning_memory(&self) {
        self.closing.wait_all();
        self.listener.await_endings();
    }

    /// Charges the session for what the driver has taken by itself. Changes nothing and fails if
    /// that is beyond the limit.
    pub(super) fn charge_overhead(&self) -> Result<(), CUresult> {
        let fits = !self.driver_memory.is_limited() || self.driver_memory.charge() || {
            self.await_returning_memory();
            self.driver_memory.charge()
        };
        if fits { Ok(()) } else { Err(CUresult::OUT_OF_MEMORY) }
    }

    /// Maps granted memory.
    pub(super) fn back(&self, driver: &Driver, m: &MemoryMap) -> Result<Backing, CUresult> {
        if !self.allowance.is_kept() {
            return Err(CUresult::OUT_OF_MEMORY);
        }
        if let Some(residency) = &self.residency {
            residency.map(m.address, m.bytes);
            return Ok(Backing::MayMove);
        }
        let make = || create(driver, m.device, self.handle_types, m.bytes);
        let handle = match make() {
            Err(CUresult::OUT_OF_MEMORY) => {
                self.await_returning_memory();
                make()?
            }
            other => other?,
        };
        back(driver, m.device, &self.accessors, m.address, m.bytes, handle).inspect_err(|_| {
            // SAFETY: the handle is new, and nothing is mapped from it.
            let _ = unsafe { mapping::release(driver, handle) };
        })?;
        Ok(Backing::Stays(handle))
    }

    /// Allocates memory that cannot move. If other memory may move, other sessions make room for
    /// the allocation. Rejects an allocation that would leave too little for the largest session's
    /// movable memory.
    pub(super) fn make<T>(
        &self,
        driver: &Driver,
        ordinal: CUdevice,
        bytes: u64,
        make: impl Fn() -> Result<T, CUresult>,
    ) -> Result<T, CUresult> {
        let can_stay = || {
            let residency = self.residency.as_ref().zip(free_bytes_of(driver, ordinal));
            residency.is_none_or(|(residency, free_bytes)| residency.can_stay(bytes, free_bytes))
        };
        match if can_stay() { make() } else { Err(CUresult::OUT_OF_MEMORY) } {
            Err(CUresult::OUT_OF_MEMORY) => {}
            made => return made,
        }
        self.await_returning_memory();
        if !can_stay() {
            return Err(CUresult::OUT_OF_MEMORY);
        }
        let _ = self.residency.as_ref().is_some_and(|residency| residency.make_room(bytes));
        make()
    }

    /// Returns how many of the session's bytes cannot move, so that no other memory can replace
    /// them.
    pub(super) fn staying_bytes(&self) -> u64 {
        self.residency
            .as_ref()
            .map_or(0, |residency| self.mapped_bytes.saturating_sub(residency.movable_bytes()))
    }

    /// Returns how much free memory of the current context's device no grant has promised.
    pub(super) fn available(&self, driver: &Driver) -> Result<u64, CUresult> {
        let free = match &self.residency {
            Some(residency) => (residency.capacity_bytes(free_bytes(driver)?)
                + self.staying_bytes())
            .saturating_sub(self.granted_bytes),
            None => free_bytes(driver)?.saturating_sub(self.promised_bytes()),
        };
        let free = free.min(self.allowance.left_bytes());
        Ok(free / self.granularity_bytes * self.granularity_bytes)
    }

    /// Does the same as `available`, but first waits briefly for memory that another session under
    /// the same limit has reported as freed.
    pub(super) fn available_soon(&self, driver: &Driver, bytes: u64) -> Result<u64, CUresult> {
        let start = Instant::now();
        loop {
            let available = self.available(driver)?;
            if available >= bytes
                || !self.is_limited
                || bytes > self.allowance.limit_bytes()
                || start.elapsed() > FREEING_WAIT
            {
                return Ok(available);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns an empty account for memory that outlives its mapping in this range.
    pub(super) fn remains(&self) -> Remains {
        Remains {
            allowance: self.allowance.clone(),
            bytes: AtomicU64::new(0),
            attachment: None,
            held: None,
        }
    }

    /// Returns whether mapped memory may move to the host.
    pub fn moves(&self) -> bool {
        self.residency.is_some()
    }

    /// Returns the number of bytes that are granted but not mapped.
    pub(super) fn promised_bytes(&self) -> u64 {
        self.granted_bytes - self.mapped_bytes
    }

    /// Returns whether the device has enough free memory for everything granted. Where memory may
    /// move, returns whether the device can hold the largest session.
    pub(super) fn keeps_promises(&self, driver: &Driver) -> Result<bool, CUresult> {
        let free_bytes = free_bytes(driver)?;
        Ok(self.residency.as_ref().map_or(free_bytes >= self.promised_bytes(), |residency| {
            residency.can_stay(0, free_bytes)
        }))
    }
}

/// Returns the free memory of the current context's device.
fn free_bytes(driver: &Driver) -> Result<u64, CUresult> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: the out-pointers are locals.
    unsafe { driver.cuMemGetInfo_v2(&mut free, &mut total) }.ok()?;
    Ok(free as u64)
}

/// Returns the device's free memory. Returns `None` if the current context belongs to another
/// device.
fn free_bytes_of(driver: &Driver, ordinal: CUdevice) -> Option<u64> {
    let mut current = 0;
    // SAFETY: the out-pointer is a local.
    unsafe { driver.cuCtxGetDevice(&mut current) }.ok().ok()?;
    free_bytes(driver).ok().filter(|_| current == ordinal)
}

/// Returns the handle types for allocations. If the device supports sharing, all memory can be
/// shared, because a program may ask for that after the allocation.
fn handle_types(driver: &Driver, ordinal: CUdevice) -> i32 {
    const POSIX_FILE_DESCRIPTORS: CUdevice_attribute = 103;
    let mut supported = 0;
    // SAFETY: the out-pointer is a local.
    let result =
        unsafe { driver.cuDeviceGetAttribute(&mut supported, POSIX_FILE_DESCRIPTORS, ordinal) };
    if result == CUresult::SUCCESS && supported != 0 { POSIX_FILE_DESCRIPTOR } else { 0 }
}

/// Reserves a device's address range for the session. Fails if the device lacks virtual memory
/// management or enough addresses.
pub(super) fn reserve_device(
    driver: &Driver,
    ordinal: CUdevice,
    base: u64,
    (allowance, listener): (Allowance, Listener),
    residency: impl Fn(CUdevice, u64, u64) -> Option<Arc<Residency>>,
    process: &Arc<ProcessMemory>,
) -> Result<Device, String> {
    let handle_types = handle_types(driver, ordinal);
    let mut granularity = 0;
    // SAFETY: the out-pointer is a local; the driver reads the properties only during the call.
    let result = unsafe {
        driver.cuMemGetAllocationGranularity(
            &mut granularity,
            &properties(ordinal, handle_types),
            0,
        )
    };
    result.ok().map_err(|e| {
        format!("device {ordinal} has no virtual memory management ({e}); it cannot serve sessions")
    })?;
    let mut total = 0;
    // SAFETY: the out-pointer is a local.
    let result = unsafe { driver.cuDeviceTotalMem_v2(&mut total, ordinal) };
    result
        .ok()
        .map_err(|e| format!("device {ordinal} does not say how much memory it has ({e})"))?;
    let mut bytes = (total as u64 * ARENA_TIMES_MEMORY)
        .next_power_of_two()
        .clamp(ARENA_BYTES_MIN, ARENA_STRIDE);
    loop {
        let mut got = 0;
        // SAFETY: the out-pointer is a local.
        let result =
            unsafe { driver.cuMemAddressReserve(&mut got, bytes as usize, granularity, base, 0) };
        if result == CUresult::SUCCESS && got == base {
            break;
        }
        if result == CUresult::SUCCESS {
            // SAFETY: this function has just reserved the range, and nothing uses it.
            let _ = unsafe { driver.cuMemAddressFree(got, bytes as usize) };
        }
        bytes /= 2;
        if bytes < ARENA_BYTES_MIN {
            return Err(format!(
                "the driver cannot reserve addresses at {base:#x} for device {ordinal} ({result}); \
                the client must choose another base"
            ));
        }
    }
    let granularity_bytes = granularity as u64;
    let residency = residency(ordinal, granularity_bytes, total as u64);
    let most = residency.as_ref().map_or(FIRST_GRANT_BYTES, |residency| {
        residency.most_bytes(total as u64).min(FIRST_GRANT_BYTES)
    });
    let is_limited = allowance.limit_bytes() != u64::MAX;
    let first = if is_limited { 0 } else { most };
    let driver_memory =
        DriverMemory::new(ordinal, process.clone(), residency.clone(), allowance.clone());
    Ok(Device {
        base,
        bytes,
        low: None,
        granularity_bytes,
        granted_bytes: if allowance.take(first) { first } else { 0 },
        is_limited,
        allowance,
        driver_memory,
        mapped_bytes: 0,
        mapped: BTreeMap::new(),
        handle_types,
        accessors: BTreeSet::new(),
        closing: Arc::default(),
        listener,
        residency,
    })
}

/// Reserves a range below 4 GiB, of the largest size in `LOW_BYTES` that is available.
pub(super) fn reserve_low(driver: &Driver, granularity_bytes: u64) -> Option<(u64, u64)> {
    let reserve = |base: u64, bytes: u64| {
        let mut got = 0;
        // SAFETY: the out-pointer is a local.
        let result = unsafe {
            driver.cuMemAddressReserve(
                &mut got,
                bytes as usize,
                granularity_bytes as usize,
                base,
                0,
            )
        };
        if result == CUresult::SUCCESS && got != base {
            // SAFETY: this function has just reserved the range, and nothing uses it.
            let _ = unsafe { driver.cuMemAddressFree(got, bytes as usize) };
        }
        result == CUresult::SUCCESS && got == base
    };
    LOW_BYTES.into_iter().find_map(|bytes| {
        let bases = (LOW_STEP_BYTES..=LOW_END - bytes).step_by(LOW_STEP_BYTES as usize);
        bases.into_iter().find(|base| reserve(*base, bytes)).map(|base| (base, bytes))
    })
}
