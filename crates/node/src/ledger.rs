//! What the sessions of one lease have of its memory together: counters in memory that their workers share, a row for each session and a column for
//! each device. What a worker held is given back by clearing its row, so no worker has to clean up.

use outhaul_transport::SharedMemory;
use outhaul_wire::limits::GPUS_MAX;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Sessions of one lease on a node.
pub const ROWS: usize = 64;
const BYTES: usize = ROWS * GPUS_MAX * size_of::<AtomicU64>();

pub struct Ledger(SharedMemory);

impl Ledger {
    /// Nothing is taken. The descriptor is for workers.
    pub fn create() -> io::Result<(Ledger, OwnedFd)> {
        let (memory, descriptor) = SharedMemory::create(BYTES)?;
        Ok((Ledger(memory), descriptor))
    }

    /// What the listener made.
    pub fn adopt(descriptor: &OwnedFd) -> io::Result<Ledger> {
        SharedMemory::adopt(descriptor, BYTES).map(Ledger)
    }

    fn cells(&self) -> &[AtomicU64] {
        // SAFETY: the memory has this size, lies on a page's boundary and lives as long as `self`; every process uses it as atomics only.
        unsafe { std::slice::from_raw_parts(self.0.address().cast::<AtomicU64>(), ROWS * GPUS_MAX) }
    }

    fn cell(&self, row: usize, device: usize) -> &AtomicU64 {
        &self.cells()[row * GPUS_MAX + device]
    }

    /// Of one device, by all sessions.
    fn taken_bytes(&self, device: usize) -> u64 {
        (0..ROWS).map(|row| self.cell(row, device).load(Ordering::SeqCst)).sum()
    }

    /// A session is over.
    pub fn clear(&self, row: usize) {
        (0..GPUS_MAX).for_each(|device| self.cell(row, device).store(0, Ordering::SeqCst));
    }
}

/// One session's account of one device.
#[derive(Clone)]
pub struct Allowance(Option<Account>);

#[derive(Clone)]
struct Account {
    ledger: Arc<Ledger>,
    row: usize,
    device: usize,
    limit_bytes: u64,
}

impl Allowance {
    /// Of a session without a lease: whatever the device has.
    pub fn unlimited() -> Allowance {
        Allowance(None)
    }

    /// Of the session in this row, for one of the lease's devices.
    pub fn new(ledger: Arc<Ledger>, row: usize, device: usize, limit_bytes: u64) -> Allowance {
        Allowance(Some(Account { ledger, row, device, limit_bytes }))
    }

    /// All that the lease may have.
    pub fn limit_bytes(&self) -> u64 {
        self.0.as_ref().map_or(u64::MAX, |account| account.limit_bytes)
    }

    /// What no session of the lease has taken.
    pub fn left_bytes(&self) -> u64 {
        self.0.as_ref().map_or(u64::MAX, |account| account.limit_bytes.saturating_sub(account.ledger.taken_bytes(account.device)))
    }

    /// Takes so much, or nothing. Of two sessions that ask for the rest at once both may be refused, never both be served.
    pub fn take(&self, bytes: u64) -> bool {
        self.force(bytes);
        let fits = self.is_kept();
        if !fits {
            self.give_back(bytes);
        }
        fits
    }

    /// Takes what is in use already, beyond the limit if need be.
    pub fn force(&self, bytes: u64) {
        if let Some(Account { ledger, row, device, .. }) = &self.0 {
            ledger.cell(*row, *device).fetch_add(bytes, Ordering::SeqCst);
        }
    }

    pub fn give_back(&self, bytes: u64) {
        if let Some(Account { ledger, row, device, .. }) = &self.0 {
            ledger.cell(*row, *device).fetch_sub(bytes, Ordering::SeqCst);
        }
    }

    /// Whether the lease's sessions are within its limit.
    pub fn is_kept(&self) -> bool {
        self.0.as_ref().is_none_or(|account| account.ledger.taken_bytes(account.device) <= account.limit_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_share_a_limit_and_an_ended_one_gives_back() {
        let (ledger, descriptor) = Ledger::create().unwrap();
        let of = |row| Allowance::new(Arc::new(Ledger::adopt(&descriptor).unwrap()), row, 1, 100);
        let (first, second) = (of(0), of(ROWS - 1));
        assert!(first.take(60) && !second.take(41) && second.take(40) && !first.take(1));
        assert_eq!((first.left_bytes(), Allowance::unlimited().left_bytes()), (0, u64::MAX));
        second.force(5);
        assert!(!first.is_kept());
        ledger.clear(ROWS - 1);
        assert!(first.is_kept() && first.take(40));
    }
}
