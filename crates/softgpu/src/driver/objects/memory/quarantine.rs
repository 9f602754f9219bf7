//! A quarantine for the addresses of recently freed host memory. A kernel that still uses such an
//! address faults, as on a GPU. Without the quarantine, the kernel would write to memory that the
//! system later maps at that address.

use outhaul_lock::Mutex;
use std::collections::VecDeque;

use crate::driver::lock;
use crate::driver::objects::memory::pages;

/// Maximum number of quarantined pieces. A piece occupies addresses, not memory; the next piece
/// replaces the oldest.
const PIECES_MAX: usize = 64;

/// Quarantined pieces by address and length in bytes, oldest first.
#[derive(Default)]
pub struct Quarantine(Mutex<VecDeque<(u64, u64)>>);

impl Quarantine {
    /// Takes over whole pages that are no longer in use.
    pub fn take(&self, address: u64, bytes: u64) {
        pages::close(address, bytes);
        let mut pieces = lock(&self.0);
        pieces.push_back((address, bytes));
        if pieces.len() > PIECES_MAX
            && let Some((address, bytes)) = pieces.pop_front()
        {
            pages::unmap(address, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: u64 = 64 << 10;

    #[test]
    fn recently_freed_memory_stays_in_quarantine_and_older_memory_is_released() {
        let quarantine = Quarantine::default();
        let pieces: Vec<u64> =
            (0..2 * PIECES_MAX).map(|_| pages::map_anonymous(BYTES).unwrap()).collect();
        pieces.iter().for_each(|piece| quarantine.take(*piece, BYTES));
        let kept: Vec<u64> = lock(&quarantine.0).iter().map(|(address, _)| *address).collect();
        assert_eq!(kept, pieces[PIECES_MAX..]);
        let fresh: Vec<u64> =
            (0..2 * PIECES_MAX).map(|_| pages::map_anonymous(BYTES).unwrap()).collect();
        assert!(fresh.iter().all(|address| !kept.contains(address)));
    }
}
