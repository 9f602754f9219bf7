//! The session's memory on one device as the driver sees it: what the session allocated there, and
//! the overhead, which the driver took by itself. The driver's figure is the last word; whatever of
//! it the session did not allocate is overhead.

use crate::accounting::ledger::Allowance;
use crate::accounting::overhead::Overhead;
use crate::worker::driver::process_memory::ProcessMemory;
use crate::worker::memory::residency::Residency;
use outhaul_abi::types::CUdevice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

/// Maximum number of attempts to read the driver's figure while other threads free memory.
const TRIES_MAX: usize = 8;

/// A session's memory on a device, as the driver sees it.
pub struct DriverMemory {
    device: CUdevice,
    process: Arc<ProcessMemory>,
    /// Bytes of the memory that the session has allocated and that cannot move.
    held_bytes: AtomicU64,
    /// The code that moves the session's memory, on a node that oversubscribes its GPUs.
    residency: Option<Arc<Residency>>,
    allowance: Allowance,
    overhead: Overhead,
    /// Whether the session has ever had a context on the device.
    is_used: AtomicBool,
}

/// Device memory that the session has allocated, and that is freed when this value is dropped.
pub struct Held {
    memory: Arc<DriverMemory>,
    bytes: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.memory.held_bytes.fetch_sub(self.bytes, SeqCst);
    }
}

impl DriverMemory {
    /// Makes the memory of a session that has none yet.
    pub fn new(
        device: CUdevice,
        process: Arc<ProcessMemory>,
        residency: Option<Arc<Residency>>,
        allowance: Allowance,
    ) -> Arc<DriverMemory> {
        Arc::new(DriverMemory {
            device,
            process,
            held_bytes: AtomicU64::new(0),
            residency,
            overhead: Overhead::new(allowance.clone()),
            allowance,
            is_used: AtomicBool::new(false),
        })
    }

    /// Counts memory that the session has just allocated.
    #[must_use]
    pub fn hold(self: &Arc<Self>, bytes: u64) -> Held {
        self.held_bytes.fetch_add(bytes, SeqCst);
        Held { memory: self.clone(), bytes }
    }

    /// Notes that the session has a context on the device.
    pub fn note_context(&self) {
        self.is_used.store(true, SeqCst);
    }

    /// Returns whether the session may be beyond a limit.
    pub fn is_limited(&self) -> bool {
        self.is_used.load(SeqCst) && self.allowance.limit_bytes() != u64::MAX
    }

    /// Returns how many bytes are charged as overhead.
    pub fn overhead_bytes(&self) -> u64 {
        self.overhead.charged_bytes()
    }

    fn allocated_bytes(&self) -> u64 {
        let movable = self.residency.as_ref().map_or(0, |residency| residency.resident_bytes());
        self.held_bytes.load(SeqCst) + movable
    }

    /// Returns the driver's figure for this process, or `None` if nothing tells it.
    pub fn figure(&self) -> Option<u64> {
        self.process.bytes(self.device)
    }

    /// Returns the overhead at present.
    fn measure(&self) -> Option<u64> {
        let mut overhead = None;
        for _ in 0..TRIES_MAX {
            let before = self.allocated_bytes();
            let figure = self.figure();
            overhead = figure.map(|figure| figure.saturating_sub(before));
            if self.allocated_bytes() == before {
                break;
            }
        }
        if overhead.is_none() && self.is_limited() {
            self.process.report_missing();
        }
        overhead
    }

    /// Returns the overhead at present, charged or not, or 0 if nothing tells it.
    pub fn overhead(&self) -> u64 {
        self.measure().unwrap_or(0)
    }

    /// Returns how many bytes the session may have at most, and how many more now.
    pub fn limits(&self) -> (u64, u64) {
        (self.allowance.limit_bytes(), self.allowance.left_bytes())
    }

    /// Charges the session for its overhead. Changes nothing and returns false if that is beyond
    /// the limit.
    pub fn charge(&self) -> bool {
        self.measure().is_none_or(|bytes| self.overhead.charge(bytes))
    }

    /// Charges the session for its overhead, even beyond the limit.
    pub fn charge_anyway(&self) {
        if self.is_used.load(SeqCst) {
            self.measure().into_iter().for_each(|bytes| self.overhead.force(bytes));
        }
    }
}
