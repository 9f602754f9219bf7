//! Device memory: the devices' address ranges, and memory that the client maps by itself.

pub mod host_segments;
pub mod shared_segments;

use crate::worker::driver::staging::Mark;
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::memory::Preceding;
use crate::worker::memory::info::MemoryInfo;
use crate::worker::state::Worker;
use outhaul_abi::types::{CUcontext, CUresult, values};
use outhaul_wire::codec::Field;
use outhaul_wire::messages::{
    GrantGrow, LowReserve, MemGetInfo, MemoryAdopt, MemoryMap, MemoryRange, MemoryRangeReply,
    MemoryShare, MemoryUnmap, PeerOpen, PhysicalCreate, PhysicalRelease, VirtualMap,
    VirtualSetAccess, VirtualUnmap,
};

/// Pointer attributes of CUDA: the kind of memory, the start of the allocation, and its size.
const POINTER_MEMORY_TYPE: i32 = 2;
const POINTER_RANGE_START: i32 = 11;
const POINTER_RANGE_BYTES: i32 = 12;

impl Worker {
    /// Handles `MemGetInfo`.
    pub fn mem_get_info(&mut self, _: &MemGetInfo, ticket: &Ticket) -> Result<(), Refusal> {
        let (info, context, driver) = (self.memory.info()?, self.context()?, self.driver.clone());
        self.answer_when_unmapped(ticket.clone(), info, move |info| {
            let (mut free, mut total) = (0, 0);
            // SAFETY: the context is the session's own; the out-pointers are locals.
            unsafe {
                driver.cuCtxSetCurrent(context).ok()?;
                driver.cuMemGetInfo_v2(&mut free, &mut total).ok()?;
            }
            Ok(info.reply(free as u64, total as u64).encoded())
        });
        Ok(())
    }

    /// Handles `MemoryRange`.
    pub fn memory_range(&mut self, m: &MemoryRange, ticket: &Ticket) -> Result<(), Refusal> {
        let (mut kind, mut start, mut bytes) = (0i32, 0u64, 0usize);
        let ask = |attribute, place: *mut std::ffi::c_void| {
            // SAFETY: each place is a local of the attribute's type.
            unsafe { self.driver.cuPointerGetAttribute(place, attribute, m.at) }.ok()
        };
        ask(POINTER_MEMORY_TYPE, (&raw mut kind).cast())?;
        // The worker's own host memory is none of the program's business.
        if kind != values::MEMORYTYPE_DEVICE {
            return Err(CUresult::INVALID_VALUE.into());
        }
        ask(POINTER_RANGE_START, (&raw mut start).cast())?;
        ask(POINTER_RANGE_BYTES, (&raw mut bytes).cast())?;
        ticket.answer(&MemoryRangeReply { start, bytes: bytes as u64 });
        Ok(())
    }

    /// Answers how much memory is free once all memory that the session freed before is unmapped.
    /// Natively a free itself waits for the device, so the next question counts it. The session's
    /// first answer also counts the memory of sessions that are ending.
    pub fn answer_when_unmapped(
        &self,
        ticket: Ticket,
        info: MemoryInfo,
        answer: impl FnOnce(&MemoryInfo) -> Result<Vec<u8>, CUresult> + Send + 'static,
    ) {
        let reply = move |info: &MemoryInfo| {
            info.charge_overhead();
            match answer(info) {
                Ok(reply) => ticket.answer_encoded(&reply),
                Err(code) => ticket.fail(code),
            }
        };
        if !info.is_awaited() {
            return reply(&info);
        }
        self.carrier.waiters.run(move || {
            info.wait_until_free();
            reply(&info)
        });
    }

    /// Returns the context's work that precedes this command.
    fn preceding(&self) -> Preceding {
        let context = self.context_or_none();
        let end = if context == CUcontext::NULL || self.graphs.is_capturing() {
            None
        } else {
            // Older drivers do not support events of contexts.
            Mark::after_all(&self.carrier.staging, context).ok()
        };
        Preceding { context, end }
    }

    /// Handles `MemoryMap`.
    pub fn memory_map(&mut self, m: &MemoryMap) -> Result<(), Refusal> {
        self.memory.map(m)
    }

    /// Handles `MemoryUnmap`.
    pub fn memory_unmap(&mut self, m: &MemoryUnmap) -> Result<(), Refusal> {
        self.memory.unmap(m, self.preceding())
    }

    /// Handles `LowReserve`.
    pub fn low_reserve(&mut self, m: &LowReserve, ticket: &Ticket) -> Result<(), Refusal> {
        ticket.answer(&self.memory.reserve_low(m)?);
        Ok(())
    }

    /// Handles `GrantGrow`.
    pub fn grant_grow(&mut self, m: &GrantGrow, ticket: &Ticket) -> Result<(), Refusal> {
        self.memory.grow(m, ticket)
    }

    /// Handles `PhysicalCreate`.
    pub fn physical_create(&mut self, m: &PhysicalCreate) -> Result<(), Refusal> {
        self.memory.create(m)
    }

    /// Handles `PhysicalRelease`.
    pub fn physical_release(&mut self, m: &PhysicalRelease) -> Result<(), Refusal> {
        self.memory.release(m)
    }

    /// Handles `VirtualMap`.
    pub fn virtual_map(&mut self, m: &VirtualMap) -> Result<(), Refusal> {
        self.memory.virtual_map(m)
    }

    /// Handles `VirtualUnmap`.
    pub fn virtual_unmap(&mut self, m: &VirtualUnmap) -> Result<(), Refusal> {
        self.memory.virtual_unmap(m, self.preceding())
    }

    /// Handles `VirtualSetAccess`.
    pub fn virtual_set_access(&mut self, m: &VirtualSetAccess) -> Result<(), Refusal> {
        self.memory.set_access(m)
    }

    /// Handles `MemoryShare`.
    pub fn memory_share(&mut self, m: &MemoryShare, ticket: &Ticket) -> Result<(), Refusal> {
        ticket.answer(&self.memory.share(m)?);
        Ok(())
    }

    /// Handles `MemoryAdopt`.
    pub fn memory_adopt(&mut self, m: &MemoryAdopt, ticket: &Ticket) -> Result<(), Refusal> {
        ticket.answer(&self.memory.adopt(&self.listener, m)?);
        Ok(())
    }

    /// Handles `PeerOpen`.
    pub fn peer_open(&mut self, m: &PeerOpen) -> Result<(), Refusal> {
        self.memory.open_to(m)
    }
}
