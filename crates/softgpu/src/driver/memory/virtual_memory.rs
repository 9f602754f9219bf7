//! The virtual-memory API: reserves addresses, creates physical memory, and maps memory to
//! addresses. Deliberately absent: multicast objects and fabric handles.

use std::collections::BTreeMap;
use std::os::fd::{IntoRawFd, OwnedFd};
use std::sync::Arc;

use crate::driver::lock;
use crate::driver::objects::memory::pages::PAGE_BYTES;
use crate::driver::objects::memory::pages::{self, Access};
use crate::driver::objects::memory::physical::{Allocation, Mapping, Physical};
use crate::driver::objects::memory::ranges::Origin;
use crate::driver::state::Driver;
use crate::driver::system::error::{Error, Result};

fn is_paged(value: u64) -> bool {
    value.is_multiple_of(PAGE_BYTES)
}

impl Driver {
    /// Reserves addresses, at `wanted` if that range is free.
    pub fn reserve_addresses(&self, bytes: u64, align: u64, wanted: u64) -> Result<u64> {
        if bytes == 0
            || !is_paged(bytes)
            || !is_paged(wanted)
            || (align != 0 && !align.is_power_of_two())
        {
            return Err(Error::InvalidValue);
        }
        let align = align.max(PAGE_BYTES);
        let address = pages::reserve(
            bytes,
            align,
            (wanted != 0 && wanted.is_multiple_of(align)).then_some(wanted),
        )?;
        lock(&self.reservations).insert(address, bytes);
        Ok(address)
    }

    /// Frees reserved addresses.
    pub fn free_addresses(&self, address: u64, bytes: u64) -> Result<()> {
        let mut reservations = lock(&self.reservations);
        let mapped =
            lock(&self.mappings).range(address..address.saturating_add(bytes)).next().is_some();
        if mapped || reservations.get(&address) != Some(&bytes) {
            return Err(Error::InvalidValue);
        }
        reservations.remove(&address);
        pages::unmap(address, bytes);
        Ok(())
    }

    /// Creates physical memory and returns its handle.
    pub fn create_physical(&self, bytes: u64, device: i32, is_exportable: bool) -> Result<u64> {
        if bytes == 0 || !is_paged(bytes) {
            return Err(Error::InvalidValue);
        }
        let fd = pages::create_shared(bytes)?;
        self.adopt_physical(bytes, device, is_exportable, fd)
    }

    fn adopt_physical(
        &self,
        bytes: u64,
        device: i32,
        is_exportable: bool,
        fd: OwnedFd,
    ) -> Result<u64> {
        let heap = Arc::clone(self.heap(device)?);
        heap.charge(bytes)?;
        let memory = Arc::new(Physical { bytes, device, is_exportable, fd, heap });
        Ok(self.allocations.insert(Allocation { memory }))
    }

    /// Returns a file descriptor that another process can import. The caller owns the descriptor.
    pub fn export_physical(&self, handle: u64) -> Result<i32> {
        let allocation = self.allocations.get(handle).ok_or(Error::InvalidHandle)?;
        if !allocation.memory.is_exportable {
            return Err(Error::InvalidValue);
        }
        let fd = allocation.memory.fd.try_clone().map_err(|_| Error::OperatingSystem)?;
        Ok(fd.into_raw_fd())
    }

    /// Imports another process's physical memory and returns its handle.
    pub fn import_physical(&self, fd: &OwnedFd, device: i32) -> Result<u64> {
        let bytes = pages::shared_bytes(fd)?;
        if bytes == 0 || !is_paged(bytes) {
            return Err(Error::InvalidValue);
        }
        let own = fd.try_clone().map_err(|_| Error::OperatingSystem)?;
        self.adopt_physical(bytes, device, true, own)
    }

    /// Returns a new handle for the memory that is mapped at `address`.
    pub fn physical_at(&self, address: u64) -> Result<u64> {
        let mappings = lock(&self.mappings);
        let (base, mapping) = mappings.range(..=address).next_back().ok_or(Error::InvalidValue)?;
        if address >= base + mapping.bytes {
            return Err(Error::InvalidValue);
        }
        Ok(self.allocations.insert(Allocation { memory: Arc::clone(&mapping.memory) }))
    }

    /// Maps physical memory to reserved addresses.
    pub fn map(&self, address: u64, bytes: u64, offset: u64, handle: u64) -> Result<()> {
        let allocation = self.allocations.get(handle).ok_or(Error::InvalidValue)?;
        let memory = Arc::clone(&allocation.memory);
        let end = address.checked_add(bytes).ok_or(Error::InvalidValue)?;
        let fits = offset.checked_add(bytes).is_some_and(|end| end <= memory.bytes);
        if bytes == 0 || !is_paged(address) || !is_paged(bytes) || !is_paged(offset) || !fits {
            return Err(Error::InvalidValue);
        }
        let reservations = lock(&self.reservations);
        let reserved = reservations
            .range(..=address)
            .next_back()
            .is_some_and(|(base, length)| end <= base + length);
        if !reserved
            || !self.ranges.insert(address, bytes, Origin::Mapped(handle), 0, memory.device)
        {
            return Err(Error::InvalidValue);
        }
        if let Err(error) = pages::map_shared(address, bytes, &memory.fd, offset) {
            self.ranges.take(address, |_| true);
            return Err(error);
        }
        lock(&self.mappings).insert(address, Mapping { memory, bytes, access: BTreeMap::new() });
        Ok(())
    }

    /// Removes mappings.
    pub fn unmap(&self, address: u64, bytes: u64) -> Result<()> {
        let mut mappings = lock(&self.mappings);
        let bases = whole_mappings(&mappings, address, bytes)?;
        for base in bases {
            if let Some(mapping) = mappings.remove(&base) {
                pages::unmap_shared(base, mapping.bytes);
                self.ranges.take(base, |_| true);
            }
        }
        Ok(())
    }

    /// Sets a device's permitted accesses. Devices and host share the pages, so the device with the
    /// widest access determines the pages' protection.
    pub fn set_access(&self, address: u64, bytes: u64, device: i32, access: Access) -> Result<()> {
        let mut mappings = lock(&self.mappings);
        for base in whole_mappings(&mappings, address, bytes)? {
            if let Some(mapping) = mappings.get_mut(&base) {
                mapping.access.insert(device, access);
                let most = mapping.access.values().copied().max().unwrap_or(Access::None);
                pages::protect(base, mapping.bytes, most)?;
            }
        }
        Ok(())
    }

    /// Returns a device's permitted accesses to `address`.
    pub fn access_at(&self, address: u64, device: i32) -> Result<Access> {
        let mappings = lock(&self.mappings);
        let (base, mapping) = mappings.range(..=address).next_back().ok_or(Error::InvalidValue)?;
        if address >= base + mapping.bytes {
            return Err(Error::InvalidValue);
        }
        Ok(mapping.access.get(&device).copied().unwrap_or(Access::None))
    }
}

/// Returns the base addresses of the mappings that cover exactly the given range.
fn whole_mappings(mappings: &BTreeMap<u64, Mapping>, address: u64, bytes: u64) -> Result<Vec<u64>> {
    let end = address.checked_add(bytes).filter(|end| *end > address).ok_or(Error::InvalidValue)?;
    let mut reached = address;
    let mut bases = Vec::new();
    for (base, mapping) in mappings.range(address..end) {
        if *base != reached {
            return Err(Error::InvalidValue);
        }
        bases.push(*base);
        reached = base + mapping.bytes;
    }
    if reached == end { Ok(bases) } else { Err(Error::InvalidValue) }
}
