//! Memory allocation: a device's global memory and pinned host memory.

pub mod array;
pub mod copy;
pub mod pool;
pub mod texture;
pub mod virtual_memory;

use crate::driver::device::PITCH_ALIGNMENT;
use crate::driver::lock;
use crate::driver::objects::memory::pages;
use crate::driver::objects::memory::ranges::{Origin, Range};
use crate::driver::objects::streams::context::Context;
use crate::driver::state::Driver;
use crate::driver::system::error::{Error, Result};
use outhaul_abi::memory::page_access::{is_readable, is_writable};

const HOST_PAGE_BYTES: u64 = 4096;
/// Accepted flags of `CU_MEMHOSTALLOC_*` and `CU_MEMHOSTREGISTER_*`: portable, device map, write
/// combined or I/O memory, read only.
const HOST_FLAGS_KNOWN: u32 = 0xf;
/// The flags `CU_MEMHOSTREGISTER_IOMEMORY` and `CU_MEMHOSTREGISTER_READ_ONLY`.
const HOST_IO_MEMORY: u32 = 4;
const HOST_READ_ONLY: u32 = 8;
/// The flag `CU_MEMHOSTALLOC_DEVICEMAP`. Under unified addressing, every pinned page is mapped.
pub const HOST_DEVICE_MAP: u32 = 2;

impl Driver {
    /// Allocates device memory for a context and records its origin.
    pub fn allocate(&self, context: &Context, bytes: u64, origin: Origin) -> Result<u64> {
        self.allocate_on(context.device, context.handle, bytes, origin)
    }

    /// Allocates memory like [`Self::allocate`], but `context` may be 0 for memory of no context.
    pub fn allocate_on(
        &self,
        device: i32,
        context: u64,
        bytes: u64,
        origin: Origin,
    ) -> Result<u64> {
        if bytes == 0 {
            return Err(Error::InvalidValue);
        }
        let heap = self.heap(device)?;
        let is_narrow =
            context != 0 && self.contexts.get(context).is_some_and(|slot| slot.is_narrow);
        let address = if is_narrow { heap.allocate_low(bytes)? } else { heap.allocate(bytes)? };
        if !self.ranges.insert(address, bytes, origin, context, device) {
            // The program has registered addresses of this heap as its own host memory.
            heap.free(address, bytes);
            return Err(Error::InvalidValue);
        }
        if let Some(check) = &self.check {
            check.set_unwritten(address, bytes);
        }
        Ok(address)
    }

    /// Allocates memory for `height` rows of `width` bytes. Returns the address and the pitch.
    pub fn allocate_pitched(
        &self,
        context: &Context,
        width: usize,
        height: usize,
        element: u32,
    ) -> Result<(u64, usize)> {
        if width == 0 || height == 0 || !matches!(element, 4 | 8 | 16) {
            return Err(Error::InvalidValue);
        }
        let pitch = width.checked_next_multiple_of(PITCH_ALIGNMENT).ok_or(Error::InvalidValue)?;
        let bytes = pitch.checked_mul(height).ok_or(Error::OutOfMemory)?;
        Ok((self.allocate(context, bytes as u64, Origin::Device)?, pitch))
    }

    /// Waits for the work of the context that owns a range, if the context still exists.
    fn wait_for_owner(&self, range: &Range) -> Result<()> {
        match self.slot(range.context).and_then(|slot| slot.context()) {
            Ok(context) => context.synchronize(),
            Err(_) => Ok(()),
        }
    }

    /// Frees device memory when no earlier work can use it any more.
    pub fn free(&self, address: u64) -> Result<()> {
        if let Some(allocation) = self.graph_memory.free(address) {
            if let Some(range) = self.ranges.containing(address) {
                self.wait_for_owner(&range)?;
            }
            drop(allocation);
            return Ok(());
        }
        let owns = |range: &Range| {
            matches!(range.origin, Origin::Device | Origin::Managed | Origin::Pool(_))
        };
        let range = self
            .ranges
            .containing(address)
            .filter(|range| range.base == address && owns(range))
            .ok_or(Error::InvalidValue)?;
        self.wait_for_owner(&range)?;
        let range = self.ranges.take(address, owns).ok_or(Error::InvalidValue)?;
        self.give_back(&range);
        Ok(())
    }

    /// Allocates pinned host memory.
    pub fn allocate_host(&self, context: &Context, bytes: u64, flags: u32) -> Result<u64> {
        if flags & !HOST_FLAGS_KNOWN != 0 {
            return Err(Error::InvalidValue);
        }
        if bytes == 0 {
            return Ok(0);
        }
        let mapped = bytes.checked_next_multiple_of(HOST_PAGE_BYTES).ok_or(Error::OutOfMemory)?;
        let address = pages::map_anonymous(mapped)?;
        let origin = Origin::HostAllocated(flags | HOST_DEVICE_MAP);
        if !self.ranges.insert(address, bytes, origin, context.handle, context.device) {
            pages::unmap(address, mapped);
            return Err(Error::InvalidValue);
        }
        Ok(address)
    }

    /// Frees pinned host memory.
    pub fn free_host(&self, address: u64) -> Result<()> {
        if address == 0 {
            return Ok(());
        }
        let owns = |range: &Range| matches!(range.origin, Origin::HostAllocated(_));
        let range = self
            .ranges
            .containing(address)
            .filter(|range| range.base == address && owns(range))
            .ok_or(Error::InvalidValue)?;
        self.wait_for_owner(&range)?;
        let range = self.ranges.take(address, owns).ok_or(Error::InvalidValue)?;
        self.give_back(&range);
        Ok(())
    }

    /// Registers the program's own memory as pinned.
    pub fn register_host(
        &self,
        context: &Context,
        address: u64,
        bytes: u64,
        flags: u32,
    ) -> Result<()> {
        if address == 0 || bytes == 0 || flags & !HOST_FLAGS_KNOWN != 0 {
            return Err(Error::InvalidValue);
        }
        let range = address as usize..(address as usize).saturating_add(bytes as usize);
        let is_accessible = match flags {
            flags if flags & HOST_IO_MEMORY != 0 => true,
            flags if flags & HOST_READ_ONLY != 0 => is_readable(range),
            _ => is_writable(range),
        };
        if !is_accessible {
            return Err(Error::InvalidValue);
        }
        let origin = Origin::HostRegistered(flags | HOST_DEVICE_MAP);
        if !self.ranges.insert(address, bytes, origin, context.handle, context.device) {
            return Err(Error::HostMemoryAlreadyRegistered);
        }
        Ok(())
    }

    /// Unregisters the program's memory.
    pub fn unregister_host(&self, address: u64) -> Result<()> {
        let registered = |range: &Range| matches!(range.origin, Origin::HostRegistered(_));
        if self.ranges.take(address, registered).is_some() {
            return Ok(());
        }
        let is_pinned = self.ranges.containing(address).is_some_and(|r| r.origin.is_host());
        let is_known = address == 0 || is_pinned;
        Err(if is_known { Error::InvalidValue } else { Error::HostMemoryNotRegistered })
    }

    /// Frees a range's memory. The caller has removed the range from the table.
    pub fn give_back(&self, range: &Range) {
        match range.origin {
            Origin::Device
            | Origin::Graph
            | Origin::Managed
            | Origin::Module
            | Origin::ManagedModule
            | Origin::Array => {
                if range.origin.is_managed() {
                    lock(&self.hints).forget(range.base..range.end());
                }
                if let Ok(heap) = self.heap(range.device) {
                    heap.free(range.base, range.bytes);
                }
            }
            Origin::Pool(pool) => {
                if let Ok(heap) = self.heap(range.device) {
                    heap.free(range.base, range.bytes);
                }
                if let Some(pool) = self.pools.get(pool) {
                    pool.count_freed(range.bytes);
                }
            }
            Origin::HostAllocated(_) => {
                self.quarantine.take(range.base, range.bytes.next_multiple_of(HOST_PAGE_BYTES))
            }
            // The pages belong to the program or to the mapping.
            Origin::HostRegistered(_) | Origin::Mapped(_) => {}
        }
    }
}
