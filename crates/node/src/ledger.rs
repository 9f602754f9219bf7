//! What the sessions of one tenant or lease have of a node's memory together: counters in memory
//! that their workers share, a row for each session and a column for each device, and what the
//! limits are. What a worker held is given back by clearing its row, so no worker has to clean up.

use outhaul_transport::SharedMemory;
use outhaul_wire::limits::GPUS_MAX;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Sessions of one tenant or lease on a node.
pub const ROWS: usize = 1024;
/// Of one device: what each session has, and the limit of all.
const COLUMN: usize = ROWS + 1;
/// All devices, and the limit of one session.
const CELLS: usize = GPUS_MAX * COLUMN + 1;
const BYTES: usize = CELLS * size_of::<AtomicU64>();

pub struct Ledger(SharedMemory);

impl Ledger {
    /// Nothing is taken, and there are no limits. The descriptor is for workers.
    pub fn create() -> io::Result<(Ledger, OwnedFd)> {
        let (memory, descriptor) = SharedMemory::create(BYTES)?;
        Ok((Ledger(memory), descriptor))
    }

    /// What the listener made.
    pub fn adopt(descriptor: &OwnedFd) -> io::Result<Ledger> {
        SharedMemory::adopt(descriptor, BYTES).map(Ledger)
    }

    fn cells(&self) -> &[AtomicU64] {
        // SAFETY: the memory has this size, lies on a page's boundary and lives as long as `self`;
        // every process uses it as atomics only.
        unsafe { std::slice::from_raw_parts(self.0.address().cast::<AtomicU64>(), CELLS) }
    }

    fn column(&self, device: usize) -> &[AtomicU64] {
        &self.cells()[device * COLUMN..][..ROWS]
    }

    /// 0 stands for none.
    fn limit(&self, cell: usize) -> u64 {
        match self.cells()[cell].load(Ordering::SeqCst) {
            0 => u64::MAX,
            bytes => bytes,
        }
    }

    /// Of one device, for all sessions together. Holds at once, for sessions that run too.
    pub fn set_limit(&self, device: usize, bytes: Option<u64>) {
        self.cells()[device * COLUMN + ROWS].store(bytes.unwrap_or(0), Ordering::SeqCst);
    }

    /// Of each device, for each session.
    pub fn set_session_limit(&self, bytes: Option<u64>) {
        self.cells()[CELLS - 1].store(bytes.unwrap_or(0), Ordering::SeqCst);
    }

    /// What is limited there, is limited here to as much.
    pub fn copy_limits(&self, other: &Ledger) {
        let limits = (0..GPUS_MAX).map(|device| device * COLUMN + ROWS).chain([CELLS - 1]);
        limits.for_each(|cell| {
            self.cells()[cell].store(other.cells()[cell].load(Ordering::SeqCst), Ordering::SeqCst)
        });
    }

    /// Of one device, by all sessions.
    pub fn taken_bytes(&self, device: usize) -> u64 {
        self.column(device).iter().map(|cell| cell.load(Ordering::SeqCst)).sum()
    }

    /// The row takes so much, whatever the limits.
    pub fn charge(&self, row: usize, device: usize, bytes: u64) {
        self.column(device)[row].fetch_add(bytes, Ordering::SeqCst);
    }

    /// A session is over.
    pub fn clear(&self, row: usize) {
        (0..GPUS_MAX).for_each(|device| self.column(device)[row].store(0, Ordering::SeqCst));
    }
}

/// Sessions that ask for the rest at once, again and again, are in step no longer after so many
/// tries.
const TRIES_MAX: usize = 1000;

/// One session's account of one device.
#[derive(Clone)]
pub struct Allowance {
    ledger: Arc<Ledger>,
    row: usize,
    device: usize,
}

impl Allowance {
    /// Of the session in this row.
    pub fn new(ledger: Arc<Ledger>, row: usize, device: usize) -> Allowance {
        Allowance { ledger, row: row.min(ROWS - 1), device: device.min(GPUS_MAX - 1) }
    }

    fn own(&self) -> &AtomicU64 {
        &self.ledger.column(self.device)[self.row]
    }

    fn limits(&self) -> (u64, u64) {
        (self.ledger.limit(self.device * COLUMN + ROWS), self.ledger.limit(CELLS - 1))
    }

    /// All that the session could have if there were no others.
    pub fn limit_bytes(&self) -> u64 {
        let (together, each) = self.limits();
        together.min(each)
    }

    /// What it could take now.
    pub fn left_bytes(&self) -> u64 {
        let (together, each) = self.limits();
        let left = |limit: u64, taken: u64| {
            if limit == u64::MAX { limit } else { limit.saturating_sub(taken) }
        };
        left(together, self.ledger.taken_bytes(self.device))
            .min(left(each, self.own().load(Ordering::SeqCst)))
    }

    /// Whether other sessions have the same limit.
    pub fn is_shared(&self) -> bool {
        self.limits().0 != u64::MAX
    }

    /// Takes so much, or nothing. Two sessions that ask at once may see what the other is about to
    /// give back: as long as there seems to be enough, it is tried again.
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

    /// Takes what is in use already, beyond the limit if need be.
    pub fn force(&self, bytes: u64) {
        self.own().fetch_add(bytes, Ordering::SeqCst);
    }

    pub fn give_back(&self, bytes: u64) {
        self.own().fetch_sub(bytes, Ordering::SeqCst);
    }

    /// By all sessions.
    pub fn taken_bytes(&self) -> u64 {
        self.ledger.taken_bytes(self.device)
    }

    /// By this session.
    pub fn own_bytes(&self) -> u64 {
        self.own().load(Ordering::SeqCst)
    }

    /// By the session that has most.
    pub fn most_bytes(&self) -> u64 {
        self.ledger
            .column(self.device)
            .iter()
            .map(|cell| cell.load(Ordering::SeqCst))
            .max()
            .unwrap_or(0)
    }

    /// By all sessions but this one.
    pub fn others_bytes(&self) -> u64 {
        self.taken_bytes().saturating_sub(self.own_bytes())
    }

    /// Whether the session and those that it shares a limit with are within their limits.
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
