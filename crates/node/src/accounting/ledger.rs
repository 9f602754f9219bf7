//! The memory that the sessions of one tenant or lease use together, as counters in memory that
//! their workers share. A ledger has a row for each session, a column for each device, and the
//! limits. The listener clears the row of a session that ends, so workers need not clean up.
//!
//! Another column has each worker's pulse, a counter that shows the listener whether the worker
//! still runs. Others say how much of each session's use is overhead: memory that the driver took
//! by itself, for contexts and code.

use outhaul_transport::SharedMemory;
use outhaul_wire::limits::GPUS_MAX;
use serde::{Deserialize, Serialize};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Largest number of sessions of one tenant or lease on a node.
pub const ROWS: usize = 1024;
/// Number of cells for one device: each session's use, and the limit for all sessions together.
const COLUMN: usize = ROWS + 1;
/// Cell of the limit of each session, behind all devices' columns.
const SESSION_LIMIT: usize = GPUS_MAX * COLUMN;
/// First cell of the pulses, one for each row.
const PULSES: usize = SESSION_LIMIT + 1;
/// First cell of the overheads: for each device, one for each row.
const OVERHEADS: usize = PULSES + ROWS;
const CELLS: usize = OVERHEADS + GPUS_MAX * ROWS;
const BYTES: usize = CELLS * size_of::<AtomicU64>();
/// Size of a ledger of an earlier release, which has no overheads. Its sessions may outlive their
/// listener, and newcomers then share their ledger.
const BYTES_BEFORE_OVERHEADS: usize = OVERHEADS * size_of::<AtomicU64>();

/// The counters of one tenant or lease.
pub struct Ledger(SharedMemory);

impl Ledger {
    /// Creates a ledger of zeros, without limits. Returns the ledger with its descriptor for
    /// workers.
    pub fn create() -> io::Result<(Ledger, OwnedFd)> {
        let (memory, descriptor) = SharedMemory::create(BYTES)?;
        Ok((Ledger(memory), descriptor))
    }

    /// Creates a ledger as an earlier release did.
    #[cfg(test)]
    pub fn create_as_before() -> io::Result<(Ledger, OwnedFd)> {
        let (memory, descriptor) = SharedMemory::create(BYTES_BEFORE_OVERHEADS)?;
        Ok((Ledger(memory), descriptor))
    }

    /// Maps a ledger that the listener created.
    pub fn adopt(descriptor: &OwnedFd) -> io::Result<Ledger> {
        SharedMemory::adopt(descriptor, BYTES)
            .or_else(|_| SharedMemory::adopt(descriptor, BYTES_BEFORE_OVERHEADS))
            .map(Ledger)
    }

    fn cells(&self) -> &[AtomicU64] {
        let count = self.0.bytes() / size_of::<AtomicU64>();
        // SAFETY: the memory has this size, begins at a page boundary and lives as long as `self`;
        // every process accesses it only through atomics.
        unsafe { std::slice::from_raw_parts(self.0.address().cast::<AtomicU64>(), count) }
    }

    /// Returns the counter of the part of `row`'s use that is overhead. `None` in a ledger of an
    /// earlier release.
    fn overhead(&self, row: usize, device: usize) -> Option<&AtomicU64> {
        self.cells().get(OVERHEADS + device * ROWS + row)
    }

    /// Returns what the session in `row` uses of one device.
    pub fn use_of(&self, row: usize, device: usize) -> MemoryUse {
        let load = |cell: &AtomicU64| cell.load(Ordering::SeqCst);
        MemoryUse {
            bytes: load(&self.column(device)[row]),
            overhead_bytes: self.overhead(row, device).map_or(0, load),
        }
    }

    fn column(&self, device: usize) -> &[AtomicU64] {
        &self.cells()[device * COLUMN..][..ROWS]
    }

    /// Returns the limit in `cell`, in bytes. A cell of 0 means no limit.
    fn limit(&self, cell: usize) -> u64 {
        match self.cells()[cell].load(Ordering::SeqCst) {
            0 => u64::MAX,
            bytes => bytes,
        }
    }

    /// Sets the limit on one device's memory for all sessions together. The limit takes effect at
    /// once, also for running sessions.
    pub fn set_limit(&self, device: usize, bytes: Option<u64>) {
        self.cells()[device * COLUMN + ROWS].store(bytes.unwrap_or(0), Ordering::SeqCst);
    }

    /// Sets the limit of each session on each device.
    pub fn set_session_limit(&self, bytes: Option<u64>) {
        self.cells()[SESSION_LIMIT].store(bytes.unwrap_or(0), Ordering::SeqCst);
    }

    /// Copies all limits from another ledger.
    pub fn copy_limits(&self, other: &Ledger) {
        let limits = (0..GPUS_MAX).map(|device| device * COLUMN + ROWS).chain([SESSION_LIMIT]);
        limits.for_each(|cell| {
            self.cells()[cell].store(other.cells()[cell].load(Ordering::SeqCst), Ordering::SeqCst)
        });
    }

    /// Returns how many bytes of one device all sessions together use.
    pub fn taken_bytes(&self, device: usize) -> u64 {
        self.column(device).iter().map(|cell| cell.load(Ordering::SeqCst)).sum()
    }

    /// Adds `bytes` to a row, regardless of the limits.
    pub fn charge(&self, row: usize, device: usize, bytes: u64) {
        self.column(device)[row].fetch_add(bytes, Ordering::SeqCst);
    }

    /// Clears the row of a session that has ended.
    pub fn clear(&self, row: usize) {
        for device in 0..GPUS_MAX {
            self.column(device)[row].store(0, Ordering::SeqCst);
            self.overhead(row, device).into_iter().for_each(|cell| cell.store(0, Ordering::SeqCst));
        }
        self.pulse(row).store(0, Ordering::SeqCst);
    }

    /// Returns the counter that the worker of `row` increases once a second while its threads run.
    pub fn pulse(&self, row: usize) -> &AtomicU64 {
        &self.cells()[PULSES + row.min(ROWS - 1)]
    }
}

/// A session's use of one device's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryUse {
    /// All bytes charged to the session.
    pub bytes: u64,
    /// How many of them the driver took by itself: for contexts, code, variables, stacks and such.
    pub overhead_bytes: u64,
}

/// A session's row in a ledger. `L` is the ledger's descriptor, the index of that descriptor, or
/// the ledger itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerRow<L> {
    /// The ledger.
    pub ledger: L,
    /// Number of the row.
    pub row: usize,
}

impl LedgerRow<OwnedFd> {
    /// Maps the ledger.
    pub fn map(self) -> io::Result<LedgerRow<Arc<Ledger>>> {
        Ok(LedgerRow { ledger: Arc::new(Ledger::adopt(&self.ledger)?), row: self.row })
    }
}

impl LedgerRow<Arc<Ledger>> {
    /// Returns the session's account of a device.
    pub fn allowance(&self, device: usize) -> Allowance {
        Allowance::new(self.ledger.clone(), self.row, device)
    }

    /// Shows the listener that this worker's threads run.
    pub fn beat(&self) {
        self.ledger.pulse(self.row).fetch_add(1, Ordering::SeqCst);
    }
}

/// Largest number of attempts at an allocation while other sessions compete for the same memory.
const TRIES_MAX: usize = 1000;

/// One session's account of one device.
#[derive(Clone)]
pub struct Allowance {
    ledger: Arc<Ledger>,
    row: usize,
    device: usize,
}

impl Allowance {
    /// Makes the account of the session in row `row`, for `device`.
    pub fn new(ledger: Arc<Ledger>, row: usize, device: usize) -> Allowance {
        Allowance { ledger, row: row.min(ROWS - 1), device: device.min(GPUS_MAX - 1) }
    }

    fn own(&self) -> &AtomicU64 {
        &self.ledger.column(self.device)[self.row]
    }

    fn limits(&self) -> (u64, u64) {
        (self.ledger.limit(self.device * COLUMN + ROWS), self.ledger.limit(SESSION_LIMIT))
    }

    /// Returns how many bytes the session could have if no other session existed.
    pub fn limit_bytes(&self) -> u64 {
        let (together, each) = self.limits();
        together.min(each)
    }

    /// Returns how many bytes the session could take now.
    pub fn left_bytes(&self) -> u64 {
        let (together, each) = self.limits();
        let left = |limit: u64, taken: u64| {
            if limit == u64::MAX { limit } else { limit.saturating_sub(taken) }
        };
        left(together, self.ledger.taken_bytes(self.device))
            .min(left(each, self.own().load(Ordering::SeqCst)))
    }

    /// Returns whether other sessions share the limit.
    pub fn is_shared(&self) -> bool {
        self.limits().0 != u64::MAX
    }

    /// Takes `bytes` bytes, or none. If two sessions ask at once, each may count bytes that the
    /// other is about to give back. So this function retries as long as enough bytes seem free.
    pub fn take(&self, bytes: u64) -> bool {
        for _ in 0..TRIES_MAX {
            self.force(bytes);
            if self.is_kept() {
                return true;
            }
            self.give_back(bytes);
            if self.left_bytes() < bytes {
                return false;
            }
            std::thread::yield_now();
        }
        false
    }

    /// Takes `bytes` bytes that are already in use, even beyond the limit.
    pub fn force(&self, bytes: u64) {
        self.own().fetch_add(bytes, Ordering::SeqCst);
    }

    /// Gives `bytes` bytes back.
    pub fn give_back(&self, bytes: u64) {
        self.own().fetch_sub(bytes, Ordering::SeqCst);
    }

    /// Notes how many of the session's bytes are overhead. They are charged already.
    pub fn note_overhead(&self, bytes: u64) {
        let cell = self.ledger.overhead(self.row, self.device);
        cell.into_iter().for_each(|cell| cell.store(bytes, Ordering::SeqCst));
    }

    /// Returns how many bytes all sessions use.
    pub fn taken_bytes(&self) -> u64 {
        self.ledger.taken_bytes(self.device)
    }

    /// Returns how many bytes this session uses.
    pub fn own_bytes(&self) -> u64 {
        self.own().load(Ordering::SeqCst)
    }

    /// Returns how many bytes the session with the largest use has.
    pub fn most_bytes(&self) -> u64 {
        self.ledger
            .column(self.device)
            .iter()
            .map(|cell| cell.load(Ordering::SeqCst))
            .max()
            .unwrap_or(0)
    }

    /// Returns how many bytes all other sessions use.
    pub fn others_bytes(&self) -> u64 {
        self.taken_bytes().saturating_sub(self.own_bytes())
    }

    /// Returns whether the session, and those that share its limit, are within their limits.
    pub fn is_kept(&self) -> bool {
        let (together, each) = self.limits();
        self.own().load(Ordering::SeqCst) <= each
            && (together == u64::MAX || self.ledger.taken_bytes(self.device) <= together)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_share_a_limit_and_an_ended_one_gives_back() {
        let (ledger, descriptor) = Ledger::create().unwrap();
        let of = |row| Allowance::new(Arc::new(Ledger::adopt(&descriptor).unwrap()), row, 1);
        let (first, second) = (of(0), of(ROWS - 1));
        assert_eq!((first.limit_bytes(), first.left_bytes()), (u64::MAX, u64::MAX));
        ledger.set_limit(1, Some(100));
        assert!(first.take(60) && !second.take(41) && second.take(40) && !first.take(1));
        assert_eq!(first.left_bytes(), 0);
        second.force(5);
        assert!(!first.is_kept());
        ledger.clear(ROWS - 1);
        assert!(first.is_kept() && first.take(40));
        ledger.set_limit(1, None);
        assert!(second.take(1000));
    }

    #[test]
    fn a_pulse_belongs_to_one_row_and_ends_with_it() {
        let (ledger, descriptor) = Ledger::create().unwrap();
        let row = |row| LedgerRow { ledger: Arc::new(Ledger::adopt(&descriptor).unwrap()), row };
        [0, 0, ROWS - 1].into_iter().for_each(|number| row(number).beat());
        let pulses = || [0, 1, ROWS - 1].map(|row| ledger.pulse(row).load(Ordering::SeqCst));
        assert_eq!(pulses(), [2, 0, 1]);
        ledger.clear(0);
        assert_eq!(pulses(), [0, 0, 1]);
        assert_eq!(row(0).allowance(0).limit_bytes(), u64::MAX, "pulses are no limits");
    }

    #[test]
    fn each_session_has_a_limit_of_its_own() {
        let (ledger, descriptor) = Ledger::create().unwrap();
        let of = |row| Allowance::new(Arc::new(Ledger::adopt(&descriptor).unwrap()), row, 0);
        ledger.set_session_limit(Some(50));
        ledger.set_limit(0, Some(80));
        assert_eq!(
            (of(0).limit_bytes(), of(0).take(50), of(0).take(1), of(1).left_bytes()),
            (50, true, false, 30)
        );
    }
}
