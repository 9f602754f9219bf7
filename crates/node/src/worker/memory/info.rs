//! How much of a device's memory a session can still get.

use super::device::Device;
use super::driver_memory::DriverMemory;
use super::unmapping::Unmapping;
use crate::accounting::ledger::Allowance;
use crate::worker::io::listener::Listener;
use crate::worker::memory::residency::Residency;
use outhaul_wire::messages::{MemGetInfoReply, NvmlMemoryReply};
use std::sync::Arc;

/// The facts that answer how much of a device's memory is free, at one place in the session's
/// commands. The answer counts all memory that earlier commands freed.
pub struct MemoryInfo {
    mapped_bytes: u64,
    promised_bytes: u64,
    allowance: Allowance,
    driver_memory: Arc<DriverMemory>,
    residency: Option<Arc<Residency>>,
    closing: Arc<Unmapping>,
    /// Ranges that the session freed and that are not unmapped yet.
    freed: Vec<(u64, u64)>,
    /// The connection to the listener, for a session's first question. A program that starts
    /// after another has ended then finds that program's memory free. Later questions do not wait
    /// for other sessions, so these can delay a session only once.
    listener: Option<Listener>,
}

impl MemoryInfo {
    /// Returns what answers about this device now.
    pub fn of(device: &Device) -> MemoryInfo {
        MemoryInfo {
            mapped_bytes: device.mapped_bytes,
            promised_bytes: device.promised_bytes(),
            allowance: device.allowance.clone(),
            driver_memory: device.driver_memory.clone(),
            residency: device.residency.clone(),
            closing: device.closing.clone(),
            freed: device.closing.entered(),
            listener: None,
        }
    }

    /// Makes the answer count the memory of sessions that are ending too.
    pub fn after_endings(self, device: &Device) -> MemoryInfo {
        MemoryInfo { listener: Some(device.listener.clone()), ..self }
    }

    /// Returns whether `wait_until_free` may block.
    pub fn is_awaited(&self) -> bool {
        !self.freed.is_empty() || self.listener.is_some()
    }

    /// Blocks until all memory that the session freed is unmapped, unless a capture prevents that.
    /// For the session's first question, also waits for the memory of sessions that are ending.
    pub fn wait_until_free(&self) {
        self.closing.wait_unmapped(&self.freed);
        self.listener.as_ref().map(Listener::await_endings);
    }

    /// Charges a session with a limit for what the driver has taken by itself, so that the answer
    /// counts it.
    pub fn charge_overhead(&self) {
        if self.driver_memory.is_limited() {
            self.driver_memory.charge_anyway();
        }
    }

    /// Answers `MemGetInfo`, given the driver's free and total bytes.
    pub fn reply(&self, free_bytes: u64, total_bytes: u64) -> MemGetInfoReply {
        MemGetInfoReply { free: self.reachable(free_bytes), total: self.limited(total_bytes) }
    }

    /// Answers `NvmlMemory`, given the driver's free and total bytes.
    pub fn nvml_reply(&self, free_bytes: u64, total_bytes: u64) -> NvmlMemoryReply {
        let used_bytes = self.mapped_bytes + self.driver_memory.overhead_bytes();
        let total_bytes = self.limited(total_bytes);
        let free_bytes = self.reachable(free_bytes).min(total_bytes.saturating_sub(used_bytes));
        NvmlMemoryReply { total_bytes, used_bytes, free_bytes }
    }

    /// Returns how much of `total_bytes` the session may have.
    pub fn limited(&self, total_bytes: u64) -> u64 {
        let gpu_bytes = self
            .residency
            .as_ref()
            .map_or(total_bytes, |residency| residency.gpu_bytes(total_bytes));
        gpu_bytes.min(self.allowance.limit_bytes())
    }

    /// Returns how much of `free_bytes` the session can get.
    fn reachable(&self, free_bytes: u64) -> u64 {
        let free_bytes = match &self.residency {
            Some(residency) => {
                residency.capacity_bytes(free_bytes).saturating_sub(residency.movable_bytes())
            }
            None => free_bytes,
        };
        free_bytes.min(self.allowance.left_bytes().saturating_add(self.promised_bytes))
    }
}
