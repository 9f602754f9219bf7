//! The session's device memory: its devices' address ranges, memory that the client maps by itself,
//! and memory that sessions share.

pub mod allocation;
pub mod attachment;
pub mod host_pages;
pub mod host_segments;
pub mod info;
pub mod mapping;
pub mod released_memory;
pub mod residency;
pub mod shared_segments;
pub mod sharing;
pub mod unmapping;

mod device;
mod driver_memory;

use crate::accounting::ledger::Allowance;
use crate::worker::driver::handle_history::HandleHistory;
use crate::worker::driver::process_memory::ProcessMemory;
use crate::worker::driver::shared_objects::Share;
use crate::worker::driver::staging::Mark;
use crate::worker::driver::waiters::Waiters;
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::io::listener::Listener;
use crate::worker::memory::attachment::Attachment;
use crate::worker::memory::info::MemoryInfo;
use crate::worker::memory::released_memory::Remains;
use crate::worker::memory::residency::Residency;
use crate::worker::memory::sharing::{Adopted, Sharing, adopt};
use crate::worker::memory::unmapping::Unmapping;
use allocation::{allow_access, at, create};
use device::{Backing, Device, Mapping, reserve_device, reserve_low};
pub use driver_memory::DriverMemory;
use driver_memory::Held;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_wire::limits::{ARENA_STRIDE, GPUS_MAX, OBJECTS_MAX};
use outhaul_wire::messages::{
    GrantGrow, GrantGrowReply, LowReserve, LowReserveReply, MemoryAdopt, MemoryAdoptReply,
    MemoryMap, MemoryShare, MemoryShareReply, MemoryUnmap, PeerOpen, PhysicalCreate,
    PhysicalRelease, VirtualMap, VirtualSetAccess, VirtualUnmap,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

/// The session's device memory.
pub struct Memory {
    driver: Arc<Driver>,
    waiters: Arc<Waiters>,
    devices: Vec<Device>,
    /// Memory that the client created in order to map it by itself, by handle.
    physical: HashMap<u64, Physical>,
    /// Handles of such memory so far.
    history: HandleHistory,
    /// Each array, by handle. Arrays are outside the address ranges.
    outside: HashMap<u64, Outside>,
    /// The client's own mappings.
    virtual_maps: BTreeMap<u64, VirtualMapping>,
    /// Memory and events that the session shares with other sessions.
    pub sharing: Sharing,
    /// Whether the client has asked how much memory is free.
    was_asked: bool,
}

/// An array's charge.
struct Outside {
    allowance: Allowance,
    bytes: u64,
    _held: Held,
}

struct Physical {
    made: Result<CUmemGenericAllocationHandle, CUresult>,
    device: i32,
    bytes: u64,
    /// Bytes charged to the grant. Another session's memory is charged to that session instead.
    charged_bytes: u64,
    /// Key by which other sessions may adopt the memory, valid while the handle or a mapping
    /// exists.
    share: Arc<OnceLock<Share>>,
    remains: Arc<Remains>,
    writable: bool,
}

struct VirtualMapping {
    bytes: u64,
    _share: Arc<OnceLock<Share>>,
    _remains: Arc<Remains>,
    writable: bool,
}

impl Memory {
    /// Reserves each device's range at the address that the client chose.
    pub fn reserve(
        driver: Arc<Driver>,
        waiters: Arc<Waiters>,
        sharing: Sharing,
        (devices, arena_base): (i32, u64),
        process: &Arc<ProcessMemory>,
        allowance: impl Fn(usize) -> Allowance,
        residency: impl Fn(CUdevice, u64, u64) -> Option<Arc<Residency>>,
    ) -> Result<Memory, String> {
        if devices as usize > GPUS_MAX
            || !arena_base.is_multiple_of(2 << 20)
            || arena_base.checked_add(GPUS_MAX as u64 * ARENA_STRIDE).is_none()
        {
            return Err(format!(
                "the memory range at {arena_base:#x} for {devices} devices is outside the limits"
            ));
        }
        let devices = (0..devices)
            .map(|ordinal| {
                reserve_device(
                    &driver,
                    ordinal,
                    arena_base + ordinal as u64 * ARENA_STRIDE,
                    (allowance(ordinal as usize), sharing.listener.clone()),
                    &residency,
                    process,
                )
            })
            .collect::<Result<_, _>>()?;
        let (physical, outside, virtual_maps) = (HashMap::new(), HashMap::new(), BTreeMap::new());
        Ok(Memory {
            driver,
            waiters,
            devices,
            physical,
            history: HandleHistory::default(),
            outside,
            virtual_maps,
            sharing,
            was_asked: false,
        })
    }

    /// Returns how many bytes of the device this session has: those that it has mapped, and what
    /// the driver takes.
    pub fn used_bytes(&self, ordinal: i32) -> Result<u64, Refusal> {
        let device = usize::try_from(ordinal).ok().and_then(|i| self.devices.get(i));
        let device =
            device.ok_or_else(|| Refusal::Violation(format!("there is no device {ordinal}")))?;
        Ok(device.mapped_bytes + device.driver_memory.overhead_bytes())
    }

    /// Returns what answers how much memory of the current context's device is free.
    pub fn info(&mut self) -> Result<MemoryInfo, Refusal> {
        let mut ordinal = 0;
        // SAFETY: the out-pointer is a local.
        unsafe { self.driver.cuCtxGetDevice(&mut ordinal) }.ok()?;
        self.info_of(ordinal)
    }

    /// Returns what answers how much memory of a device is free.
    pub fn info_of(&mut self, ordinal: i32) -> Result<MemoryInfo, Refusal> {
        self.used_bytes(ordinal)?;
        let was_asked = std::mem::replace(&mut self.was_asked, true);
        let device = self.device(ordinal as usize);
        let info = MemoryInfo::of(device);
        Ok(if was_asked { info } else { info.after_endings(device) })
    }

    /// Returns the device with the given ordinal.
    pub fn device(&self, ordinal: usize) -> &Device {
        &self.devices[ordinal]
    }

    /// Returns the ordinal of the device whose range contains `address`.
    pub fn device_of(&self, address: u64) -> Option<u8> {
        let has = |device: &Device| (device.base..device.base + device.bytes).contains(&address);
        self.devices.iter().position(has).map(|ordinal| ordinal as u8)
    }

    fn device_mut(&mut self, ordinal: i32) -> Result<&mut Device, Refusal> {
        let device = usize::try_from(ordinal).ok().and_then(|i| self.devices.get_mut(i));
        device.ok_or_else(|| Refusal::Violation(format!("there is no device {ordinal}")))
    }

    /// Maps memory in a device's range.
    pub fn map(&mut self, m: &MemoryMap) -> Result<(), Refusal> {
        let driver = self.driver.clone();
        let device = self.device_mut(m.device)?;
        device.check_range(m.address, m.bytes)?;
        let end = m.address + m.bytes;
        if device
            .mapped
            .range(..end)
            .next_back()
            .is_some_and(|(a, mapping)| a + mapping.bytes > m.address)
        {
            return Err(Refusal::Violation(format!(
                "memory at {:#x} is mapped already",
                m.address
            )));
        }
        if device.mapped_bytes + m.bytes > device.granted_bytes {
            return Err(Refusal::Driver(CUresult::OUT_OF_MEMORY));
        }
        device.closing.wait_clear(m.address, m.bytes);
        let backed = device.back(&driver, m);
        let backing = *backed.as_ref().unwrap_or(&Backing::Nothing);
        let held = matches!(backing, Backing::Stays(_)).then(|| device.driver_memory.hold(m.bytes));
        device.mapped.insert(m.address, Mapping { backing, bytes: m.bytes, share: None, held });
        device.mapped_bytes += m.bytes;
        backed.map(|_| ()).map_err(Refusal::Driver)
    }

    /// Reserves 32-bit addresses. If memory may move, there are none, because the driver must not
    /// get such addresses.
    pub fn reserve_low(&mut self, m: &LowReserve) -> Result<LowReserveReply, Refusal> {
        let driver = self.driver.clone();
        let device = self.device_mut(m.device)?;
        if device.low.is_none() && device.residency.is_none() {
            device.low = reserve_low(&driver, device.granularity_bytes);
        }
        let (base, bytes) = device.low.ok_or(Refusal::Driver(CUresult::OUT_OF_MEMORY))?;
        Ok(LowReserveReply { base, bytes })
    }

    /// Unmaps memory once the device has completed the work that precedes it.
    pub fn unmap(&mut self, m: &MemoryUnmap, work: Preceding) -> Result<(), Refusal> {
        let (driver, waiters) = (self.driver.clone(), self.waiters.clone());
        let device = self.device_mut(m.device)?;
        match device.mapped.get(&m.address) {
            Some(mapping) if mapping.bytes == m.bytes => {}
            _ => {
                return Err(Refusal::Violation(format!(
                    "nothing of {} bytes is mapped at {:#x}",
                    m.bytes, m.address
                )));
            }
        }
        let mapping = device.mapped.remove(&m.address).expect("just seen");
        let returned = device.leave(m.bytes);
        let range = (m.address, m.bytes);
        if mapping.backing == Backing::Nothing {
            return Ok(());
        }
        let removed =
            device.residency.as_ref().map(|residency| residency.unmap(m.address, m.bytes));
        close(driver, &waiters, &device.closing, work, range, move |driver| {
            match (removed, mapping.backing) {
                (Some(removed), _) => removed.release(driver),
                (None, Backing::Stays(handle)) => unmap_and_release(driver, range, Some(handle)),
                (None, _) => {}
            }
            drop(mapping.held);
            // Other sessions may use the memory only after it is free.
            drop(returned);
        });
        Ok(())
    }

    /// Rejects a range that is not completely mapped. If no memory was left for a part of it, the
    /// range is out of memory: the client may not know yet that the mapping failed.
    pub fn check_backed(&self, address: u64, bytes: u64) -> Result<(), Refusal> {
        let outside =
            || Refusal::Violation(format!("nothing lies at some of {bytes} bytes at {address:#x}"));
        let end = address.checked_add(bytes).ok_or_else(outside)?;
        let mapped = self
            .devices
            .iter()
            .find(|device| (device.base..device.base + device.bytes).contains(&address));
        let mapped = &mapped.ok_or_else(outside)?.mapped;
        let mut at = address;
        while at < end {
            let found = mapped.range(..=at).next_back();
            let found = found.filter(|(start, mapping)| *start + mapping.bytes > at);
            let (start, mapping) = found.ok_or_else(outside)?;
            if mapping.backing == Backing::Nothing {
                return Err(Refusal::Driver(CUresult::OUT_OF_MEMORY));
            }
            at = start + mapping.bytes;
        }
        Ok(())
    }

    /// Gives another device access to all present and future mappings in this device's range.
    pub fn open_to(&mut self, m: &PeerOpen) -> Result<(), Refusal> {
        let driver = self.driver.clone();
        self.device_mut(m.accessor)?;
        let owner = self.device_mut(m.owner)?;
        if owner.residency.is_some() && m.accessor != m.owner {
            // The memory could be on the host while the other device uses it.
            return Err(Refusal::Driver(CUresult::NOT_SUPPORTED));
        }
        if m.accessor != m.owner && !owner.accessors.contains(&m.accessor) {
            let mut backed =
                owner.mapped.iter().filter(|(_, mapping)| mapping.backing != Backing::Nothing);
            backed.try_for_each(|(address, mapping)| {
                allow_access(&driver, m.accessor, *address, mapping.bytes)
            })?;
            owner.accessors.insert(m.accessor);
        }
        Ok(())
    }

    // ---- virtual memory: the client maps memory that it created, at addresses that it reserved
    // ----

    /// Creates memory. A failure is stored, so that mapping the memory later fails with the same
    /// error.
    pub fn create(&mut self, m: &PhysicalCreate) -> Result<(), Refusal> {
        let driver = self.driver.clone();
        if self.physical.contains_key(&m.memory) || self.physical.len() >= OBJECTS_MAX {
            return Err(Refusal::Violation(format!("memory {:#x} cannot be created", m.memory)));
        }
        let device = self.device_mut(m.device)?;
        // The grant is charged even if the creation fails, because the client learns of the failure
        // only later.
        let charged_bytes = if device.mapped_bytes.saturating_add(m.bytes) > device.granted_bytes {
            0
        } else {
            m.bytes
        };
        device.mapped_bytes += charged_bytes;
        let made = if charged_bytes == 0 || !device.allowance.is_kept() {
            Err(CUresult::OUT_OF_MEMORY)
        } else {
            device.make(&driver, m.device, m.bytes, || {
                create(&driver, m.device, device.handle_types, m.bytes)
            })
        };
        let mut remains = device.remains();
        remains.held = made.is_ok().then(|| device.driver_memory.hold(m.bytes));
        let remains = Arc::new(remains);
        let (share, writable) = (Arc::default(), true);
        let made_here = Physical {
            made,
            device: m.device,
            bytes: m.bytes,
            charged_bytes,
            share,
            remains,
            writable,
        };
        self.put_physical(m.memory, made_here);
        Ok(made.map(|_| ())?)
    }

    fn put_physical(&mut self, memory: u64, made: Physical) {
        self.history.note(memory);
        self.physical.insert(memory, made);
    }

    fn physical(&self, memory: u64) -> Result<&Physical, Refusal> {
        self.physical.get(&memory).ok_or_else(|| self.history.refuse(memory))
    }

    /// Releases a memory handle. The driver keeps the memory until its last mapping is gone.
    pub fn release(&mut self, m: &PhysicalRelease) -> Result<(), Refusal> {
        self.physical(m.memory)?;
        let removed = self.physical.remove(&m.memory);
        let Some(Physical { made, device, charged_bytes, remains, .. }) = removed else {
            return Ok(());
        };
        let returned = self.device_mut(device)?.leave(charged_bytes);
        let Ok(handle) = made else { return Ok(()) };
        if charged_bytes > 0 && Arc::strong_count(&remains) > 1 {
            remains.allowance.force(charged_bytes);
            remains.bytes.store(charged_bytes, Ordering::Relaxed);
        }
        // The remaining mappings must be charged first; otherwise other sessions could take the
        // bytes meanwhile.
        drop(returned);
        // SAFETY: the handle was the session's own and is no longer in the table.
        Ok(unsafe { mapping::release(&self.driver, handle) }?)
    }

    fn device_at(&self, address: u64, bytes: u64) -> Result<&Device, Refusal> {
        let found = self.devices.iter().find(|d| d.check_range(address, bytes).is_ok());
        found.ok_or_else(|| {
            Refusal::Violation(format!(
                "the range {address:#x}+{bytes:#x} is outside the session's memory or not aligned"
            ))
        })
    }

    /// Maps memory that the client has created.
    pub fn virtual_map(&mut self, m: &VirtualMap) -> Result<(), Refusal> {
        let physical = self.physical(m.memory)?;
        let (handle, share, remains, writable) =
            (physical.made?, physical.share.clone(), physical.remains.clone(), physical.writable);
        let device = self.device_at(m.address, m.bytes)?;
        let before = self.virtual_maps.range(..m.address + m.bytes).next_back();
        if before.is_some_and(|(a, mapping)| a + mapping.bytes > m.address) {
            return Err(Refusal::Violation(format!(
                "memory at {:#x} is mapped already",
                m.address
            )));
        }
        device.closing.wait_clear(m.address, m.bytes);
        // SAFETY: the range is in the session's reservation, and nothing is mapped there yet.
        unsafe { mapping::map(&self.driver, m.address, m.bytes, m.offset, handle) }?;
        self.virtual_maps.insert(
            m.address,
            VirtualMapping { bytes: m.bytes, _share: share, _remains: remains, writable },
        );
        Ok(())
    }

    /// Unmaps memory that the client has mapped.
    pub fn virtual_unmap(&mut self, m: &VirtualUnmap, work: Preceding) -> Result<(), Refusal> {
        self.device_at(m.address, m.bytes)?;
        let inside: Vec<(u64, u64)> = self
            .virtual_maps
            .range(m.address..m.address + m.bytes)
            .map(|(a, m)| (*a, m.bytes))
            .collect();
        for range in inside {
            // The memory remains charged until it is unmapped.
            let mapping = self.virtual_maps.remove(&range.0);
            let closing = &self.device_at(range.0, range.1)?.closing;
            let (driver, work) = (self.driver.clone(), work.clone());
            close(driver, &self.waiters, closing, work, range, move |driver| {
                unmap_and_release(driver, range, None);
                drop(mapping);
            });
        }
        Ok(())
    }

    /// Sets the access to memory that the client has mapped.
    pub fn set_access(&self, m: &VirtualSetAccess) -> Result<(), Refusal> {
        self.device_at(m.address, m.bytes)?;
        let inside = self
            .virtual_maps
            .range(..m.address + m.bytes)
            .rev()
            .take_while(|(a, mapping)| *a + mapping.bytes > m.address);
        if m.flags == values::MEM_ACCESS_FLAGS_PROT_READWRITE
            && inside.into_iter().any(|(_, mapping)| !mapping.writable)
        {
            return Err(Refusal::Driver(CUresult::NOT_PERMITTED));
        }
        let access = CUmemAccessDesc { location: at(m.device), flags: m.flags };
        // SAFETY: the range is the session's own.
        Ok(unsafe { mapping::allow_access(&self.driver, m.address, m.bytes, access) }?)
    }

    // ---- memory that other sessions use ----

    /// Shares memory with other sessions.
    pub fn share(&mut self, m: &MemoryShare) -> Result<MemoryShareReply, Refusal> {
        let Memory { driver, devices, physical, history, sharing, .. } = self;
        let socket = sharing.socket();
        if m.memory != 0 {
            let found = physical.get(&m.memory).ok_or_else(|| history.refuse(m.memory))?;
            if found.remains.attachment.is_some() {
                // The listener decides which sessions may use a segment.
                return Err(Refusal::Driver(CUresult::NOT_PERMITTED));
            }
            if found.share.get().is_none() {
                let _ = found.share.set(sharing.share(
                    driver,
                    found.made?,
                    found.device,
                    found.bytes,
                )?);
            }
            let key = found.share.get().expect("set just now").key;
            return Ok(MemoryShareReply { socket, key, bytes: found.bytes, offset: 0 });
        }
        let (ordinal, base, mapping) = devices
            .iter_mut()
            .enumerate()
            .find_map(|(ordinal, device)| {
                device
                    .mapped
                    .range_mut(..=m.address)
                    .next_back()
                    .map(|(base, found)| (ordinal, *base, found))
                    .filter(|(_, base, found)| m.address - base < found.bytes)
            })
            .ok_or(Refusal::Driver(CUresult::INVALID_VALUE))?;
        let share = match mapping.share.take() {
            Some(share) => share,
            // Memory that may move has no permanent handle.
            None => {
                let Backing::Stays(handle) = mapping.backing else {
                    return Err(CUresult::NOT_SUPPORTED.into());
                };
                sharing.share(driver, handle, ordinal as CUdevice, mapping.bytes)?
            }
        };
        let key = mapping.share.insert(share).key;
        Ok(MemoryShareReply { socket, key, bytes: mapping.bytes, offset: m.address - base })
    }

    /// Adopts another session's memory.
    pub fn adopt(
        &mut self,
        listener: &Listener,
        m: &MemoryAdopt,
    ) -> Result<MemoryAdoptReply, Refusal> {
        self.check_new(m.memory)?;
        let Adopted { handle, device, bytes, counted_bytes } =
            adopt(&self.driver, listener, m.socket, &m.key, |on| self.figure(on))?;
        let adopting = self.device_mut(device)?;
        let mut remains = adopting.remains();
        remains.held = Some(adopting.driver_memory.hold(counted_bytes));
        let remains = Arc::new(remains);
        let take_later = || {
            adopting.await_returning_memory();
            remains.take(bytes)
        };
        // The session that allocated the memory may end before this one, and then no session would
        // be charged.
        if !remains.take(bytes) && !take_later() {
            // SAFETY: the handle is new, and nothing is mapped from it.
            let _ = unsafe { mapping::release(&self.driver, handle) };
            return Err(CUresult::OUT_OF_MEMORY.into());
        }
        let adopted = Physical {
            made: Ok(handle),
            device,
            bytes,
            charged_bytes: 0,
            share: Arc::default(),
            remains,
            writable: true,
        };
        self.put_physical(m.memory, adopted);
        Ok(MemoryAdoptReply { device, bytes })
    }

    /// Rejects a memory number that is in use.
    pub fn check_new(&self, memory: u64) -> Result<(), Refusal> {
        if self.physical.contains_key(&memory) || self.physical.len() >= OBJECTS_MAX {
            return Err(Refusal::Violation(format!("memory {memory:#x} cannot be adopted")));
        }
        Ok(())
    }

    /// Returns the residency of a device, if its memory may move.
    pub fn residency(&self, device: u8) -> Option<&Arc<Residency>> {
        self.devices.get(usize::from(device))?.residency.as_ref()
    }

    /// Returns the residencies by ordinal; empty if memory cannot move.
    pub fn residencies(&self) -> Vec<Arc<Residency>> {
        self.devices.iter().filter_map(|device| device.residency.clone()).collect()
    }

    /// Returns the ordinals of devices on which the session has memory that may move.
    pub fn devices_in_use(&self) -> Vec<u8> {
        let used = |(ordinal, device): (usize, &Device)| {
            (device.residency.is_some() && !device.mapped.is_empty()).then_some(ordinal as u8)
        };
        self.devices.iter().enumerate().filter_map(used).collect()
    }

    // ---- segments, which do not belong to one session ----

    /// Allocates a segment on the current context's device, in whole pages. The session is charged
    /// until another account takes the charge over.
    pub fn make_segment(
        &mut self,
        driver: &Driver,
        bytes: u64,
    ) -> Result<(CUmemGenericAllocationHandle, CUdevice, u64), Refusal> {
        let mut ordinal = 0;
        // SAFETY: the out-pointer is a local.
        unsafe { driver.cuCtxGetDevice(&mut ordinal) }.ok()?;
        let device = self.device_mut(ordinal)?;
        let page = device.granularity_bytes;
        let bytes = bytes.checked_add(page - 1).ok_or(CUresult::OUT_OF_MEMORY)? / page * page;
        if bytes > device.available(driver)? {
            device.await_returning_memory();
        }
        if bytes > device.available(driver)? || !device.take(bytes) {
            return Err(CUresult::OUT_OF_MEMORY.into());
        }
        let made = device
            .make(driver, ordinal, bytes, || create(driver, ordinal, device.handle_types, bytes));
        let made = made.inspect_err(|_| device.allowance.give_back(bytes))?;
        Ok((made, ordinal, bytes))
    }

    /// Ends the session's charge for a segment that is now charged to another account.
    pub fn account_for_segment(&mut self, device: CUdevice, bytes: u64) {
        if let Ok(device) = self.device_mut(device) {
            device.allowance.give_back(bytes);
        }
    }

    /// Adds an attached segment to the client's memory.
    pub fn receive_segment(
        &mut self,
        memory: u64,
        Adopted { handle, device, bytes, counted_bytes }: Adopted,
        (attachment, writable): (Attachment, bool),
    ) -> Result<(), Refusal> {
        let receiving = self.device_mut(device)?;
        let mut remains = receiving.remains();
        remains.held = Some(receiving.driver_memory.hold(counted_bytes));
        remains.attachment = Some(attachment);
        let remains = Arc::new(remains);
        let received = Physical {
            made: Ok(handle),
            device,
            bytes,
            charged_bytes: 0,
            share: Arc::default(),
            remains,
            writable,
        };
        self.put_physical(memory, received);
        Ok(())
    }

    /// Rejects memory that was just allocated outside the ranges, if the remaining memory no longer
    /// covers the grants.
    pub fn check_promises(&self, driver: &Driver) -> Result<(), CUresult> {
        let mut ordinal = 0;
        // SAFETY: the out-pointer is a local.
        unsafe { driver.cuCtxGetDevice(&mut ordinal) }.ok()?;
        let device = usize::try_from(ordinal)
            .ok()
            .and_then(|i| self.devices.get(i))
            .ok_or(CUresult::INVALID_DEVICE)?;
        if !device.keeps_promises(driver)? {
            device.await_returning_memory();
            if !device.keeps_promises(driver)? {
                return Err(CUresult::OUT_OF_MEMORY);
            }
        }
        Ok(())
    }

    /// Charges an array to the current context's device. Fails if the array exceeds the session's
    /// limit.
    pub fn take_outside(
        &mut self,
        driver: &Driver,
        handle: u64,
        bytes: u64,
    ) -> Result<(), CUresult> {
        let mut ordinal = 0;
        // SAFETY: the out-pointer is a local.
        unsafe { driver.cuCtxGetDevice(&mut ordinal) }.ok()?;
        let device = usize::try_from(ordinal)
            .ok()
            .and_then(|i| self.devices.get(i))
            .ok_or(CUresult::INVALID_DEVICE)?;
        if !device.take(bytes) {
            return Err(CUresult::OUT_OF_MEMORY);
        }
        let (allowance, _held) = (device.allowance.clone(), device.driver_memory.hold(bytes));
        self.outside.insert(handle, Outside { allowance, bytes, _held });
        Ok(())
    }

    /// Allocates an array, or another object of the driver, on the current context's device.
    pub fn make_outside<T>(
        &self,
        driver: &Driver,
        bytes: u64,
        make: impl Fn() -> Result<T, CUresult>,
    ) -> Result<T, CUresult> {
        let mut ordinal = 0;
        // SAFETY: the out-pointer is a local.
        unsafe { driver.cuCtxGetDevice(&mut ordinal) }.ok()?;
        let device = usize::try_from(ordinal)
            .ok()
            .and_then(|i| self.devices.get(i))
            .ok_or(CUresult::INVALID_DEVICE)?;
        device.make(driver, ordinal, bytes, make)
    }

    /// Ends the charge for an array.
    pub fn give_back_outside(&mut self, handle: u64) {
        if let Some(Outside { allowance, bytes, .. }) = self.outside.remove(&handle) {
            allowance.give_back(bytes);
        }
    }

    /// Returns how much of a device the driver counts as this process's, if it does.
    fn figure(&self, device: CUdevice) -> Option<u64> {
        self.devices.get(usize::try_from(device).ok()?)?.driver_memory.figure()
    }

    /// Charges the session for what the driver has taken on its devices. Fails, without a charge
    /// for the device in question, if that is beyond the limit.
    pub fn charge_overhead(&self) -> Result<(), CUresult> {
        self.devices.iter().try_for_each(Device::charge_overhead)
    }

    /// Does the same, even beyond the limit, on devices where the session has one.
    pub fn charge_anyway(&self) {
        let limited = self.driver_memories().filter(|memory| memory.is_limited());
        limited.for_each(|memory| memory.charge_anyway());
    }

    /// Returns the session's memory as the driver sees it, by device.
    pub fn driver_memories(&self) -> impl Iterator<Item = &Arc<DriverMemory>> {
        self.devices.iter().map(|device| &device.driver_memory)
    }

    /// Blocks until all unmapping in progress has finished.
    pub fn wait_unmapped(&self) {
        self.devices.iter().for_each(|device| device.closing.wait_all());
    }

    /// Sets whether unmapping is on hold. While it is, mappings do not wait for the device, and
    /// movable memory stays where it is. A thread must not wait for a context in which a stream
    /// captures.
    pub fn hold(&self, held: bool) {
        for device in &self.devices {
            device.closing.hold(held);
            device.residency.iter().for_each(|residency| residency.hold(held));
        }
    }

    /// Enlarges the grant by at least the requested bytes. Does nothing if the device or the limit
    /// has too few.
    pub fn grow(&mut self, m: &GrantGrow, ticket: &Ticket) -> Result<(), Refusal> {
        let driver = self.driver.clone();
        let device = self.device_mut(m.device)?;
        let mut available = device.available(&driver)?;
        if available < m.bytes {
            device.await_returning_memory();
            available = device.available_soon(&driver, m.bytes)?;
        }
        let wanted_bytes = if device.is_limited {
            m.bytes
        } else {
            available.min(m.bytes.max(device.granted_bytes))
        };
        // Another session of the tenant or lease may take the remaining bytes meanwhile.
        let taken = [wanted_bytes, m.bytes]
            .into_iter()
            .find(|more| available >= m.bytes && device.allowance.take(*more));
        let more_bytes = taken.unwrap_or(0);
        device.granted_bytes += more_bytes;
        ticket.answer(&GrantGrowReply { more_bytes });
        Ok(())
    }
}

fn unmap_and_release(
    driver: &Driver,
    (address, bytes): (u64, u64),
    handle: Option<CUmemGenericAllocationHandle>,
) {
    // SAFETY: the mapping was the session's own and is no longer in the table, and the device is
    // done with it.
    unsafe {
        let _ = mapping::unmap(driver, address, bytes);
        if let Some(handle) = handle {
            let _ = mapping::release(driver, handle);
        }
    }
}

/// The work that may still use memory which is about to be unmapped: a context's earlier work.
#[derive(Clone)]
pub struct Preceding {
    /// The context.
    pub context: CUcontext,
    /// Marks the end of the earlier work. Without it, later work of the context counts too.
    pub end: Option<Arc<Mark>>,
}

impl Preceding {
    /// Blocks until the device has completed the work.
    fn wait(self, driver: &Driver) {
        if let Some(end) = self.end {
            end.wait(driver);
            return;
        }
        // SAFETY: the context is the session's own.
        unsafe {
            let _ = driver.cuCtxSetCurrent(self.context);
            let _ = driver.cuCtxSynchronize();
        }
    }
}

/// Unmaps a range and releases its memory once the device has completed the work that precedes it.
fn close(
    driver: Arc<Driver>,
    waiters: &Arc<Waiters>,
    closing: &Arc<Unmapping>,
    work: Preceding,
    range: (u64, u64),
    release: impl FnOnce(&Driver) + Send + 'static,
) {
    closing.enter(range);
    let closing = closing.clone();
    waiters.run(move || {
        closing.wait_while_held();
        work.wait(&driver);
        release(&driver);
        closing.leave(range);
    });
}
