//! Device memory of the session: the ranges that the client allocates inside, what is mapped there, and how much may be.

use super::closing::Closing;
use super::frame::{Refusal, Ticket};
use super::mapping::{self, POSIX_FILE_DESCRIPTOR};
use super::residency::Residency;
use super::segments::Attachment;
use super::sharing::{Adopted, Share, Sharing, adopt};
use super::waiters::Waiters;
use crate::ledger::Allowance;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_wire::limits::{ARENA_STRIDE, GPUS_MAX, OBJECTS_MAX};
use outhaul_wire::messages::{
    GrantGrow, GrantGrowReply, LowReserve, LowReserveReply, MemoryAdopt, MemoryAdoptReply, MemoryMap, MemoryShare, MemoryShareReply,
    MemoryUnmap, PeerOpen, PhysicalCreate, PhysicalRelease, VirtualMap, VirtualSetAccess, VirtualUnmap,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// What a session may map before it asks; it then grows by doubling.
const FIRST_GRANT_BYTES: u64 = 512 << 20;
/// Addresses of a device for each byte of its memory, so that few need be reused at once and programs can reserve freely.
const ARENA_TIMES_MEMORY: u64 = 32;
/// The smallest range worth having when the driver refuses larger ones.
const ARENA_BYTES_MIN: u64 = 4 << 30;

/// Where addresses of 32 bits end, how far apart they are tried, and how many of them are wanted.
const LOW_END: u64 = 1 << 32;
const LOW_STEP_BYTES: u64 = 256 << 20;
const LOW_BYTES: [u64; 3] = [2 << 30, 1 << 30, 256 << 20];

pub struct Memory {
    driver: Arc<Driver>,
    waiters: Arc<Waiters>,
    devices: Vec<Device>,
    /// What the client created for mapping it itself, by the handle that it minted.
    physical: HashMap<u64, Physical>,
    /// Of arrays, which lie outside the ranges, by handle: what they take and of which account.
    outside: HashMap<u64, (Allowance, u64)>,
    /// Where the client mapped it.
    virtual_maps: BTreeMap<u64, VirtualMapping>,
    pub sharing: Sharing,
}

struct Physical {
    made: Result<CUmemGenericAllocationHandle, CUresult>,
    device: i32,
    bytes: u64,
    /// Of the grant; what another session made counts there.
    charged_bytes: u64,
    /// Whether other sessions may adopt it: as long as the handle or a mapping lives.
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

/// Memory whose handle was released while mappings of it live: it counts until the last of them is gone.
struct Remains {
    allowance: Allowance,
    bytes: AtomicU64,
    /// Of a segment, which is detached when this goes.
    attachment: Option<Attachment>,
}

impl Drop for Remains {
    fn drop(&mut self) {
        self.allowance.give_back(*self.bytes.get_mut());
    }
}

pub struct Device {
    pub base: u64,
    pub bytes: u64,
    /// Begin and bytes of what lies below 4 GiB, once the client has asked for it.
    low: Option<(u64, u64)>,
    pub granularity_bytes: u64,
    pub granted_bytes: u64,
    /// What the grant may grow to, with those of the other sessions of the tenant or lease.
    allowance: Allowance,
    mapped_bytes: u64,
    mapped: BTreeMap<u64, Mapping>,
    /// What memory is made for, beside being used here.
    handle_types: i32,
    /// Other devices that reach what is mapped.
    accessors: BTreeSet<CUdevice>,
    closing: Arc<Closing>,
    /// Where the node promises more than its GPUs hold: this has what is mapped, wherever it lies.
    residency: Option<Arc<Residency>>,
}

struct Mapping {
    /// None: the memory may move.
    handle: Option<CUmemGenericAllocationHandle>,
    bytes: u64,
    share: Option<Share>,
}

fn at(device: CUdevice) -> CUmemLocation {
    CUmemLocation { type_: values::MEM_LOCATION_TYPE_DEVICE, id: device }
}

fn properties(device: CUdevice, handle_types: i32) -> CUmemAllocationProp {
    CUmemAllocationProp {
        type_: values::MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: handle_types,
        location: at(device),
        win32HandleMetaData: std::ptr::null_mut(),
        compressionType: 0,
        gpuDirectRDMACapable: 0,
        usage: 0,
        reserved: [0; 4],
    }
}

fn unknown(memory: u64) -> Refusal {
    Refusal::Violation(format!("memory {memory:#x} is not one of this session's"))
}

impl Memory {
    /// Reserves each device's range at the address that the client chose.
    pub fn reserve(
        driver: Arc<Driver>,
        waiters: Arc<Waiters>,
        devices: i32,
        arena_base: u64,
        allowance: impl Fn(usize) -> Allowance,
        residency: impl Fn(CUdevice, u64, u64) -> Option<Arc<Residency>>,
    ) -> Result<Memory, String> {
        if devices as usize > GPUS_MAX
            || !arena_base.is_multiple_of(2 << 20)
            || arena_base.checked_add(GPUS_MAX as u64 * ARENA_STRIDE).is_none()
        {
            return Err(format!("the memory range at {arena_base:#x} for {devices} devices is outside the limits"));
        }
        let devices = (0..devices)
            .map(|ordinal| {
                reserve_device(&driver, ordinal, arena_base + ordinal as u64 * ARENA_STRIDE, allowance(ordinal as usize), &residency)
            })
            .collect::<Result<_, _>>()?;
        let (physical, outside, virtual_maps) = (HashMap::new(), HashMap::new(), BTreeMap::new());
        Ok(Memory { driver, waiters, devices, physical, outside, virtual_maps, sharing: Sharing::default() })
    }

    pub fn device_count(&self) -> i32 {
        self.devices.len() as i32
    }

    /// Bytes of the device that this session has taken.
    pub fn used_bytes(&self, ordinal: i32) -> Result<u64, Refusal> {
        let device = usize::try_from(ordinal).ok().and_then(|i| self.devices.get(i));
        Ok(device.ok_or_else(|| Refusal::Violation(format!("there is no device {ordinal}")))?.mapped_bytes)
    }

    pub fn device(&self, ordinal: usize) -> &Device {
        &self.devices[ordinal]
    }

    fn device_mut(&mut self, ordinal: i32) -> Result<&mut Device, Refusal> {
        let device = usize::try_from(ordinal).ok().and_then(|i| self.devices.get_mut(i));
        device.ok_or_else(|| Refusal::Violation(format!("there is no device {ordinal}")))
    }

    pub fn map(&mut self, m: &MemoryMap) -> Result<(), Refusal> {
        let driver = self.driver.clone();
        let device = self.device_mut(m.device)?;
        device.check_range(m.address, m.bytes)?;
        let end = m.address + m.bytes;
        if device.mapped.range(..end).next_back().is_some_and(|(a, mapping)| a + mapping.bytes > m.address) {
            return Err(Refusal::Violation(format!("memory at {:#x} is mapped already", m.address)));
        }
        if device.mapped_bytes + m.bytes > device.granted_bytes || !device.allowance.is_kept() {
            return Err(Refusal::Driver(CUresult::OUT_OF_MEMORY));
        }
        device.closing.wait_clear(m.address, m.bytes);
        if let Some(residency) = &device.residency {
            residency.map(m.address, m.bytes);
            device.mapped.insert(m.address, Mapping { handle: None, bytes: m.bytes, share: None });
            device.mapped_bytes += m.bytes;
            return Ok(());
        }
        let handle = match create(&driver, m.device, device.handle_types, m.bytes) {
            Err(CUresult::OUT_OF_MEMORY) => {
                // What was freed may still be on its way out.
                device.closing.wait_all();
                create(&driver, m.device, device.handle_types, m.bytes)?
            }
            other => other?,
        };
        if let Err(code) = back(&driver, m.device, &device.accessors, m.address, m.bytes, handle) {
            // SAFETY: the handle was just made and backs nothing.
            let _ = unsafe { mapping::release(&driver, handle) };
            return Err(code.into());
        }
        device.mapped.insert(m.address, Mapping { handle: Some(handle), bytes: m.bytes, share: None });
        device.mapped_bytes += m.bytes;
        Ok(())
    }

    /// Addresses of 32 bits. Where memory may move, the driver may be handed none of them.
    pub fn reserve_low(&mut self, m: &LowReserve) -> Result<LowReserveReply, Refusal> {
        let driver = self.driver.clone();
        let device = self.device_mut(m.device)?;
        if device.low.is_none() && device.residency.is_none() {
            device.low = reserve_low(&driver, device.granularity_bytes);
        }
        let (base, bytes) = device.low.ok_or(Refusal::Driver(CUresult::OUT_OF_MEMORY))?;
        Ok(LowReserveReply { base, bytes })
    }

    /// Takes the memory away once the device is done with all that was submitted before.
    pub fn unmap(&mut self, m: &MemoryUnmap, context: CUcontext) -> Result<(), Refusal> {
        let (driver, waiters) = (self.driver.clone(), self.waiters.clone());
        let device = self.device_mut(m.device)?;
        match device.mapped.get(&m.address) {
            Some(mapping) if mapping.bytes == m.bytes => {}
            _ => return Err(Refusal::Violation(format!("nothing of {} bytes is mapped at {:#x}", m.bytes, m.address))),
        }
        let mapping = device.mapped.remove(&m.address).expect("just seen");
        device.mapped_bytes -= m.bytes;
        let range = (m.address, m.bytes);
        match device.residency.as_ref().map(|residency| residency.unmap(m.address, m.bytes)) {
            Some(removed) => close(driver, &waiters, &device.closing, context, range, |driver| removed.release(driver)),
            None => {
                close(driver, &waiters, &device.closing, context, range, move |driver| unmap_and_release(driver, range, mapping.handle))
            }
        }
        Ok(())
    }

    /// Refuses what was not mapped, all of it.
    pub fn check_backed(&self, address: u64, bytes: u64) -> Result<(), Refusal> {
        let outside = || Refusal::Violation(format!("nothing lies at some of {bytes} bytes at {address:#x}"));
        let end = address.checked_add(bytes).ok_or_else(outside)?;
        let mapped = self.devices.iter().find(|device| (device.base..device.base + device.bytes).contains(&address));
        let mapped = &mapped.ok_or_else(outside)?.mapped;
        let mut at = address;
        while at < end {
            let found = mapped.range(..=at).next_back().map(|(start, mapping)| start + mapping.bytes);
            at = found.filter(|end| *end > at).ok_or_else(outside)?;
        }
        Ok(())
    }

    /// Another device reaches all that is mapped in this one's range, and all that will be.
    pub fn open_to(&mut self, m: &PeerOpen) -> Result<(), Refusal> {
        let driver = self.driver.clone();
        self.device_mut(m.accessor)?;
        let owner = self.device_mut(m.owner)?;
        if owner.residency.is_some() && m.accessor != m.owner {
            // It may lie elsewhere while the other device uses it.
            return Err(Refusal::Driver(CUresult::NOT_SUPPORTED));
        }
        if m.accessor != m.owner && !owner.accessors.contains(&m.accessor) {
            owner.mapped.iter().try_for_each(|(address, mapping)| let_in(&driver, m.accessor, *address, mapping.bytes))?;
            owner.accessors.insert(m.accessor);
        }
        Ok(())
    }

    // ---- virtual memory: the client maps what it created where it reserved ----

    /// Memory that failed to be made stays as its error, so that mapping it fails the same way.
    pub fn create(&mut self, m: &PhysicalCreate) -> Result<(), Refusal> {
        let driver = self.driver.clone();
        if self.physical.contains_key(&m.memory) || self.physical.len() >= OBJECTS_MAX {
            return Err(Refusal::Violation(format!("memory {:#x} cannot be created", m.memory)));
        }
        let device = self.device_mut(m.device)?;
        let made = if device.mapped_bytes.saturating_add(m.bytes) > device.granted_bytes || !device.allowance.is_kept() {
            Err(CUresult::OUT_OF_MEMORY)
        } else {
            device.make(&driver, m.device, m.bytes, || create(&driver, m.device, device.handle_types, m.bytes))
        };
        if made.is_ok() {
            device.mapped_bytes += m.bytes;
        }
        let remains = Arc::new(device.remains());
        let made_here =
            Physical { made, device: m.device, bytes: m.bytes, charged_bytes: m.bytes, share: Arc::default(), remains, writable: true };
        self.physical.insert(m.memory, made_here);
        Ok(made.map(|_| ())?)
    }

    fn physical(&self, memory: u64) -> Result<&Physical, Refusal> {
        self.physical.get(&memory).ok_or_else(|| unknown(memory))
    }

    /// The driver keeps the memory until the last mapping of it is gone.
    pub fn release(&mut self, m: &PhysicalRelease) -> Result<(), Refusal> {
        self.physical(m.memory)?;
        let removed = self.physical.remove(&m.memory);
        let Some(Physical { made: Ok(handle), device, charged_bytes, remains, .. }) = removed else { return Ok(()) };
        self.device_mut(device)?.mapped_bytes -= charged_bytes;
        if Arc::strong_count(&remains) > 1 {
            remains.allowance.force(charged_bytes);
            remains.bytes.store(charged_bytes, Ordering::Relaxed);
        }
        // SAFETY: the handle was this session's and has left the table.
        Ok(unsafe { mapping::release(&self.driver, handle) }?)
    }

    fn device_at(&self, address: u64, bytes: u64) -> Result<&Device, Refusal> {
        let found = self.devices.iter().find(|d| d.check_range(address, bytes).is_ok());
        found.ok_or_else(|| Refusal::Violation(format!("the range {address:#x}+{bytes:#x} is outside the session's memory or not aligned")))
    }

    pub fn virtual_map(&mut self, m: &VirtualMap) -> Result<(), Refusal> {
        let physical = self.physical(m.memory)?;
        let (handle, share, remains, writable) = (physical.made?, physical.share.clone(), physical.remains.clone(), physical.writable);
        let device = self.device_at(m.address, m.bytes)?;
        let before = self.virtual_maps.range(..m.address + m.bytes).next_back();
        if before.is_some_and(|(a, mapping)| a + mapping.bytes > m.address) {
            return Err(Refusal::Violation(format!("memory at {:#x} is mapped already", m.address)));
        }
        device.closing.wait_clear(m.address, m.bytes);
        // SAFETY: the range lies in the session's reservation and backs nothing.
        unsafe { mapping::map(&self.driver, m.address, m.bytes, m.offset, handle) }?;
        self.virtual_maps.insert(m.address, VirtualMapping { bytes: m.bytes, _share: share, _remains: remains, writable });
        Ok(())
    }

    pub fn virtual_unmap(&mut self, m: &VirtualUnmap, context: CUcontext) -> Result<(), Refusal> {
        self.device_at(m.address, m.bytes)?;
        let inside: Vec<(u64, u64)> = self.virtual_maps.range(m.address..m.address + m.bytes).map(|(a, m)| (*a, m.bytes)).collect();
        for range in inside {
            self.virtual_maps.remove(&range.0);
            let closing = &self.device_at(range.0, range.1)?.closing;
            close(self.driver.clone(), &self.waiters, closing, context, range, move |driver| unmap_and_release(driver, range, None));
        }
        Ok(())
    }

    pub fn set_access(&self, m: &VirtualSetAccess) -> Result<(), Refusal> {
        self.device_at(m.address, m.bytes)?;
        let inside = self.virtual_maps.range(..m.address + m.bytes).rev().take_while(|(a, mapping)| *a + mapping.bytes > m.address);
        if m.flags == values::MEM_ACCESS_FLAGS_PROT_READWRITE && inside.into_iter().any(|(_, mapping)| !mapping.writable) {
            return Err(Refusal::Driver(CUresult::NOT_PERMITTED));
        }
        let access = CUmemAccessDesc { location: at(m.device), flags: m.flags };
        // SAFETY: the range is the session's.
        Ok(unsafe { mapping::let_in(&self.driver, m.address, m.bytes, access) }?)
    }

    // ---- memory that other sessions use ----

    pub fn share(&mut self, m: &MemoryShare) -> Result<MemoryShareReply, Refusal> {
        let Memory { driver, devices, physical, sharing, .. } = self;
        let door = sharing.door()?;
        if m.memory != 0 {
            let found = physical.get(&m.memory).ok_or_else(|| unknown(m.memory))?;
            if found.remains.attachment.is_some() {
                // Who may have a segment is the listener's to say.
                return Err(Refusal::Driver(CUresult::NOT_PERMITTED));
            }
            if found.share.get().is_none() {
                let _ = found.share.set(sharing.share(driver, found.made?, found.device, found.bytes)?);
            }
            let key = found.share.get().expect("set just now").key;
            return Ok(MemoryShareReply { door, key, bytes: found.bytes, offset: 0 });
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
            // What may move has no handle that stays.
            None => sharing.share(driver, mapping.handle.ok_or(CUresult::NOT_SUPPORTED)?, ordinal as CUdevice, mapping.bytes)?,
        };
        let key = mapping.share.insert(share).key;
        Ok(MemoryShareReply { door, key, bytes: mapping.bytes, offset: m.address - base })
    }

    pub fn adopt(&mut self, m: &MemoryAdopt) -> Result<MemoryAdoptReply, Refusal> {
        self.check_new(m.memory)?;
        let Adopted { handle, device, bytes } = adopt(&self.driver, m.door, &m.key)?;
        let remains = Arc::new(self.device_mut(device)?.remains());
        let adopted = Physical { made: Ok(handle), device, bytes, charged_bytes: 0, share: Arc::default(), remains, writable: true };
        self.physical.insert(m.memory, adopted);
        Ok(MemoryAdoptReply { device, bytes })
    }

    /// Whether memory may have this number.
    pub fn check_new(&self, memory: u64) -> Result<(), Refusal> {
        if self.physical.contains_key(&memory) || self.physical.len() >= OBJECTS_MAX {
            return Err(Refusal::Violation(format!("memory {memory:#x} cannot be adopted")));
        }
        Ok(())
    }

    /// Where the device's memory lies, if it may move.
    pub fn residency(&self, device: u8) -> Option<&Arc<Residency>> {
        self.devices.get(usize::from(device))?.residency.as_ref()
    }

    /// By the devices' ordinals; none where memory stays.
    pub fn residencies(&self) -> Vec<Arc<Residency>> {
        self.devices.iter().filter_map(|device| device.residency.clone()).collect()
    }

    /// The ordinals of devices where the session has memory that may move.
    pub fn devices_in_use(&self) -> Vec<u8> {
        let used = |(ordinal, device): (usize, &Device)| (device.residency.is_some() && !device.mapped.is_empty()).then_some(ordinal as u8);
        self.devices.iter().enumerate().filter_map(used).collect()
    }

    // ---- segments, which are no session's own ----

    /// Memory of the current context's device in whole pages, which counts as the session's until somebody else's account has it.
    pub fn make_segment(&mut self, driver: &Driver, bytes: u64) -> Result<(CUmemGenericAllocationHandle, CUdevice, u64), Refusal> {
        let mut ordinal = 0;
        // SAFETY: the ordinal goes to a local.
        unsafe { driver.cuCtxGetDevice(&mut ordinal) }.ok()?;
        let device = self.device_mut(ordinal)?;
        let page = device.granularity_bytes;
        let bytes = bytes.checked_add(page - 1).ok_or(CUresult::OUT_OF_MEMORY)? / page * page;
        if bytes > device.available(driver)? || !device.allowance.take(bytes) {
            return Err(CUresult::OUT_OF_MEMORY.into());
        }
        let made = device.make(driver, ordinal, bytes, || create(driver, ordinal, device.handle_types, bytes));
        let made = made.inspect_err(|_| device.allowance.give_back(bytes))?;
        Ok((made, ordinal, bytes))
    }

    pub fn account_for_segment(&mut self, device: CUdevice, bytes: u64) {
        if let Ok(device) = self.device_mut(device) {
            device.allowance.give_back(bytes);
        }
    }

    pub fn receive_segment(
        &mut self,
        memory: u64,
        handle: CUmemGenericAllocationHandle,
        device: CUdevice,
        bytes: u64,
        (attachment, writable): (Attachment, bool),
    ) -> Result<(), Refusal> {
        let mut remains = self.device_mut(device)?.remains();
        remains.attachment = Some(attachment);
        let remains = Arc::new(remains);
        let received = Physical { made: Ok(handle), device, bytes, charged_bytes: 0, share: Arc::default(), remains, writable };
        self.physical.insert(memory, received);
        Ok(())
    }

    /// Refuses memory that was just taken outside the arenas if what grants have promised is no longer there.
    pub fn check_promises(&self, driver: &Driver) -> Result<(), CUresult> {
        let mut ordinal = 0;
        // SAFETY: the ordinal goes to a local.
        unsafe { driver.cuCtxGetDevice(&mut ordinal) }.ok()?;
        let device = usize::try_from(ordinal).ok().and_then(|i| self.devices.get(i)).ok_or(CUresult::INVALID_DEVICE)?;
        if !device.keeps_promises(driver)? {
            // What was freed may still be on its way out.
            device.closing.wait_all();
            if !device.keeps_promises(driver)? {
                return Err(CUresult::OUT_OF_MEMORY);
            }
        }
        Ok(())
    }

    /// Counts an array, of the current context's device, unless the session's limit has no room for it.
    pub fn take_outside(&mut self, driver: &Driver, handle: u64, bytes: u64) -> Result<(), CUresult> {
        let mut ordinal = 0;
        // SAFETY: the ordinal goes to a local.
        unsafe { driver.cuCtxGetDevice(&mut ordinal) }.ok()?;
        let device = usize::try_from(ordinal).ok().and_then(|i| self.devices.get(i)).ok_or(CUresult::INVALID_DEVICE)?;
        if !device.allowance.take(bytes) {
            return Err(CUresult::OUT_OF_MEMORY);
        }
        self.outside.insert(handle, (device.allowance.clone(), bytes));
        Ok(())
    }

    /// Makes such an array, or whatever else the driver has of the current context's device.
    pub fn make_outside<T>(&self, driver: &Driver, bytes: u64, make: impl Fn() -> Result<T, CUresult>) -> Result<T, CUresult> {
        let mut ordinal = 0;
        // SAFETY: the ordinal goes to a local.
        unsafe { driver.cuCtxGetDevice(&mut ordinal) }.ok()?;
        let device = usize::try_from(ordinal).ok().and_then(|i| self.devices.get(i)).ok_or(CUresult::INVALID_DEVICE)?;
        device.make(driver, ordinal, bytes, make)
    }

    pub fn give_back_outside(&mut self, handle: u64) {
        if let Some((allowance, bytes)) = self.outside.remove(&handle) {
            allowance.give_back(bytes);
        }
    }

    /// Blocks until nothing is on its way out any more.
    pub fn settle(&self) {
        self.devices.iter().for_each(|device| device.closing.wait_all());
    }

    /// While held, mappings on their way out do not wait for the device, and memory that may move stays where it is: nobody waits for contexts in which
    /// a stream captures.
    pub fn hold(&self, held: bool) {
        for device in &self.devices {
            device.closing.hold(held);
            device.residency.iter().for_each(|residency| residency.hold(held));
        }
    }

    /// Enlarges the grant by what was asked for or more; an unchanged grant means that the device has no more.
    pub fn grow(&mut self, m: &GrantGrow, ticket: &Ticket) -> Result<(), Refusal> {
        let driver = self.driver.clone();
        let device = self.device_mut(m.device)?;
        let mut available = device.available(&driver)?;
        if available < m.bytes {
            device.closing.wait_all();
            available = device.available(&driver)?;
        }
        let more = available.min(m.bytes.max(device.granted_bytes));
        // Another session of the tenant or lease may take what was left, meanwhile.
        if let Some(more) = [more, m.bytes].into_iter().find(|more| available >= m.bytes && device.allowance.take(*more)) {
            device.granted_bytes += more;
        }
        ticket.answer(&GrantGrowReply { granted_bytes: device.granted_bytes });
        Ok(())
    }
}

impl Device {
    fn check_range(&self, address: u64, bytes: u64) -> Result<(), Refusal> {
        let lies_in = |(base, length): (u64, u64)| address >= base && address.checked_add(bytes).is_some_and(|end| end <= base + length);
        let inside = bytes > 0 && (lies_in((self.base, self.bytes)) || self.low.is_some_and(lies_in));
        if inside && address.is_multiple_of(self.granularity_bytes) && bytes.is_multiple_of(self.granularity_bytes) {
            return Ok(());
        }
        Err(Refusal::Violation(format!("the range {address:#x}+{bytes:#x} is outside the session's memory or not aligned")))
    }

    /// Makes something that stays on the device. Where memory may move, others make room for it, and what would leave too little for the largest of
    /// the memories that take turns there is refused.
    fn make<T>(&self, driver: &Driver, ordinal: CUdevice, bytes: u64, make: impl Fn() -> Result<T, CUresult>) -> Result<T, CUresult> {
        let can_stay = || {
            let residency = self.residency.as_ref().zip(free_bytes_of(driver, ordinal));
            residency.is_none_or(|(residency, free_bytes)| residency.can_stay(bytes, free_bytes))
        };
        match if can_stay() { make() } else { Err(CUresult::OUT_OF_MEMORY) } {
            Err(CUresult::OUT_OF_MEMORY) => {}
            made => return made,
        }
        // What was freed may still be on its way out.
        self.closing.wait_all();
        if !can_stay() {
            return Err(CUresult::OUT_OF_MEMORY);
        }
        let _ = self.residency.as_ref().is_some_and(|residency| residency.make_room(bytes));
        make()
    }

    /// What the session has that does not move, which no other memory has the place of.
    fn staying_bytes(&self) -> u64 {
        self.residency.as_ref().map_or(0, |residency| self.mapped_bytes.saturating_sub(residency.movable_bytes()))
    }

    /// Free memory of the current context's device that no grant has promised yet.
    fn available(&self, driver: &Driver) -> Result<u64, CUresult> {
        let free = match &self.residency {
            Some(residency) => (residency.capacity_bytes(free_bytes(driver)?) + self.staying_bytes()).saturating_sub(self.granted_bytes),
            None => free_bytes(driver)?.saturating_sub(self.promised_bytes()),
        };
        let free = free.min(self.allowance.left_bytes());
        Ok(free / self.granularity_bytes * self.granularity_bytes)
    }

    fn remains(&self) -> Remains {
        Remains { allowance: self.allowance.clone(), bytes: AtomicU64::new(0), attachment: None }
    }

    /// Whether what is mapped may lie elsewhere.
    pub fn moves(&self) -> bool {
        self.residency.is_some()
    }

    /// Of so many bytes what the session may have.
    pub fn limited(&self, total_bytes: u64) -> u64 {
        let card_bytes = self.residency.as_ref().map_or(total_bytes, |residency| residency.card_bytes(total_bytes));
        card_bytes.min(self.allowance.limit_bytes())
    }

    /// Of so many free bytes what the session can get.
    pub fn reachable(&self, free_bytes: u64) -> u64 {
        let free_bytes = match &self.residency {
            Some(residency) => residency.capacity_bytes(free_bytes).saturating_sub(residency.movable_bytes()),
            None => free_bytes,
        };
        free_bytes.min(self.allowance.left_bytes().saturating_add(self.promised_bytes()))
    }

    fn promised_bytes(&self) -> u64 {
        self.granted_bytes - self.mapped_bytes
    }

    fn keeps_promises(&self, driver: &Driver) -> Result<bool, CUresult> {
        let free_bytes = free_bytes(driver)?;
        Ok(self.residency.as_ref().map_or(free_bytes >= self.promised_bytes(), |residency| residency.can_stay(0, free_bytes)))
    }
}

/// Of the current context's device.
fn free_bytes(driver: &Driver) -> Result<u64, CUresult> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: both go to locals.
    unsafe { driver.cuMemGetInfo_v2(&mut free, &mut total) }.ok()?;
    Ok(free as u64)
}

/// Unless the current context is another device's.
fn free_bytes_of(driver: &Driver, ordinal: CUdevice) -> Option<u64> {
    let mut current = 0;
    // SAFETY: the ordinal goes to a local.
    unsafe { driver.cuCtxGetDevice(&mut current) }.ok().ok()?;
    free_bytes(driver).ok().filter(|_| current == ordinal)
}

/// All memory can be shared, if any can: a program asks for it only when the memory is there.
fn handle_types(driver: &Driver, ordinal: CUdevice) -> i32 {
    const POSIX_FILE_DESCRIPTORS: CUdevice_attribute = 103;
    let mut supported = 0;
    // SAFETY: the value goes to a local.
    let result = unsafe { driver.cuDeviceGetAttribute(&mut supported, POSIX_FILE_DESCRIPTORS, ordinal) };
    if result == CUresult::SUCCESS && supported != 0 { POSIX_FILE_DESCRIPTOR } else { 0 }
}

fn reserve_device(
    driver: &Driver,
    ordinal: CUdevice,
    base: u64,
    allowance: Allowance,
    residency: impl Fn(CUdevice, u64, u64) -> Option<Arc<Residency>>,
) -> Result<Device, String> {
    let handle_types = handle_types(driver, ordinal);
    let mut granularity = 0;
    // SAFETY: the result goes to a local and the properties are read during the call.
    let result = unsafe { driver.cuMemGetAllocationGranularity(&mut granularity, &properties(ordinal, handle_types), 0) };
    result.ok().map_err(|e| format!("device {ordinal} has no virtual memory management ({e}); it cannot serve sessions"))?;
    let mut total = 0;
    // SAFETY: the result goes to a local.
    let result = unsafe { driver.cuDeviceTotalMem_v2(&mut total, ordinal) };
    result.ok().map_err(|e| format!("device {ordinal} does not say how much memory it has ({e})"))?;
    let mut bytes = (total as u64 * ARENA_TIMES_MEMORY).next_power_of_two().clamp(ARENA_BYTES_MIN, ARENA_STRIDE);
    loop {
        let mut got = 0;
        // SAFETY: the address goes to a local.
        let result = unsafe { driver.cuMemAddressReserve(&mut got, bytes as usize, granularity, base, 0) };
        if result == CUresult::SUCCESS && got == base {
            break;
        }
        if result == CUresult::SUCCESS {
            // SAFETY: reserved just now, and unused.
            let _ = unsafe { driver.cuMemAddressFree(got, bytes as usize) };
        }
        bytes /= 2;
        if bytes < ARENA_BYTES_MIN {
            return Err(format!(
                "the driver cannot reserve addresses at {base:#x} for device {ordinal} ({result}); the client must choose another base"
            ));
        }
    }
    let granularity_bytes = granularity as u64;
    let residency = residency(ordinal, granularity_bytes, total as u64);
    let most = residency.as_ref().map_or(FIRST_GRANT_BYTES, |residency| residency.most_bytes(total as u64).min(FIRST_GRANT_BYTES));
    let first = most.min(allowance.left_bytes() / granularity_bytes * granularity_bytes);
    Ok(Device {
        base,
        bytes,
        low: None,
        granularity_bytes,
        granted_bytes: if allowance.take(first) { first } else { 0 },
        allowance,
        mapped_bytes: 0,
        mapped: BTreeMap::new(),
        handle_types,
        accessors: BTreeSet::new(),
        closing: Arc::default(),
        residency,
    })
}

/// As much as there is below 4 GiB in one piece, within reason.
fn reserve_low(driver: &Driver, granularity_bytes: u64) -> Option<(u64, u64)> {
    let reserve = |base: u64, bytes: u64| {
        let mut got = 0;
        // SAFETY: the address goes to a local.
        let result = unsafe { driver.cuMemAddressReserve(&mut got, bytes as usize, granularity_bytes as usize, base, 0) };
        if result == CUresult::SUCCESS && got != base {
            // SAFETY: reserved just now, and unused.
            let _ = unsafe { driver.cuMemAddressFree(got, bytes as usize) };
        }
        result == CUresult::SUCCESS && got == base
    };
    LOW_BYTES.into_iter().find_map(|bytes| {
        let bases = (LOW_STEP_BYTES..=LOW_END - bytes).step_by(LOW_STEP_BYTES as usize);
        bases.into_iter().find(|base| reserve(*base, bytes)).map(|base| (base, bytes))
    })
}

fn unmap_and_release(driver: &Driver, (address, bytes): (u64, u64), handle: Option<CUmemGenericAllocationHandle>) {
    // SAFETY: the mapping was this session's, was taken out of the table, and the device is done with it.
    unsafe {
        let _ = mapping::unmap(driver, address, bytes);
        if let Some(handle) = handle {
            let _ = mapping::release(driver, handle);
        }
    }
}

/// Unmaps a range, and releases what backed it, once the context has passed all that was submitted before.
fn close(
    driver: Arc<Driver>,
    waiters: &Arc<Waiters>,
    closing: &Arc<Closing>,
    context: CUcontext,
    range: (u64, u64),
    release: impl FnOnce(&Driver) + Send + 'static,
) {
    closing.enter(range);
    let closing = closing.clone();
    waiters.run(move || {
        closing.wait_while_held();
        // SAFETY: the context is the session's own.
        unsafe {
            let _ = driver.cuCtxSetCurrent(context);
            let _ = driver.cuCtxSynchronize();
        }
        release(&driver);
        closing.leave(range);
    });
}

pub fn create(driver: &Driver, device: CUdevice, handle_types: i32, bytes: u64) -> Result<CUmemGenericAllocationHandle, CUresult> {
    mapping::create(driver, bytes, &properties(device, handle_types))
}

pub fn back(
    driver: &Driver,
    device: CUdevice,
    accessors: &BTreeSet<CUdevice>,
    address: u64,
    bytes: u64,
    handle: CUmemGenericAllocationHandle,
) -> Result<(), CUresult> {
    // SAFETY: the range lies in the session's reservation and backs nothing yet.
    unsafe { mapping::map(driver, address, bytes, 0, handle) }?;
    let who = accessors.iter().chain([&device]);
    who.into_iter().try_for_each(|who| let_in(driver, *who, address, bytes)).inspect_err(|_| {
        // SAFETY: mapped just now, and unused.
        let _ = unsafe { mapping::unmap(driver, address, bytes) };
    })
}

fn let_in(driver: &Driver, device: CUdevice, address: u64, bytes: u64) -> Result<(), CUresult> {
    let access = CUmemAccessDesc { location: at(device), flags: values::MEM_ACCESS_FLAGS_PROT_READWRITE };
    // SAFETY: the range is a mapping of the session's.
    unsafe { mapping::let_in(driver, address, bytes, access) }
}
