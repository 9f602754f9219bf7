//! `mbarrier` objects: 64 bits in shared memory that count arrivals and bytes still to come, phase
//! after phase. Shared memory, a cluster's too, belongs to one core, so nothing here is atomic.

const COUNT_BITS: u32 = 20;
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;
const BYTES_BITS: u32 = 23;

/// From the lowest bit: arrivals of each phase, arrivals still to come, bytes still to come, and in
/// the highest bit the phase's parity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Barrier {
    expected: u64,
    pending: u64,
    bytes: i64,
    parity: u64,
}

impl Barrier {
    fn unpack(word: u64) -> Barrier {
        let bytes = (word << (64 - 2 * COUNT_BITS - BYTES_BITS)) as i64 >> (64 - BYTES_BITS);
        Barrier {
            expected: word & COUNT_MASK,
            pending: word >> COUNT_BITS & COUNT_MASK,
            bytes,
            parity: word >> 63,
        }
    }

    fn pack(self) -> u64 {
        let bytes = self.bytes as u64 & ((1 << BYTES_BITS) - 1);
        self.expected & COUNT_MASK
            | (self.pending & COUNT_MASK) << COUNT_BITS
            | bytes << (2 * COUNT_BITS)
            | self.parity << 63
    }

    /// The next phase begins when nobody and nothing is missing.
    fn settle(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.parity ^= 1;
            self.pending = self.expected;
        }
    }
}

/// What an operation changes: arrivals, those that leave for good, bytes announced and bytes come.
#[derive(Debug, Clone, Copy, Default)]
pub struct Change {
    pub arrivals: u32,
    pub leave: bool,
    pub bytes_expected: u32,
    pub bytes_come: u32,
}

/// Applies a change and returns the state before it, which names the phase.
fn apply(word: &mut u64, change: Change) -> u64 {
    let before = *word;
    let mut barrier = Barrier::unpack(before);
    barrier.bytes += i64::from(change.bytes_expected) - i64::from(change.bytes_come);
    barrier.pending = barrier.pending.saturating_sub(u64::from(change.arrivals));
    if change.leave {
        barrier.expected = barrier.expected.saturating_sub(u64::from(change.arrivals));
    }
    barrier.settle();
    *word = barrier.pack();
    before
}

pub unsafe extern "C" fn init(address: *mut u64, count: u32) {
    let count = u64::from(count);
    // SAFETY: an address of the kernel; a bad one faults as any bad access of it.
    unsafe { *address = Barrier { expected: count, pending: count, bytes: 0, parity: 0 }.pack() }
}

pub unsafe extern "C" fn arrive(
    address: *mut u64,
    arrivals: u32,
    leave: u32,
    bytes_expected: u32,
) -> u64 {
    // SAFETY: as for `init`.
    unsafe {
        apply(&mut *address, Change { arrivals, leave: leave != 0, bytes_expected, bytes_come: 0 })
    }
}

pub unsafe extern "C" fn bytes(address: *mut u64, expected: u32, come: u32) {
    // SAFETY: as for `init`.
    unsafe {
        apply(
            &mut *address,
            Change { arrivals: 0, leave: false, bytes_expected: expected, bytes_come: come },
        )
    };
}

/// Whether the phase of that parity is over.
pub unsafe extern "C" fn is_over(address: *const u64, parity: u32) -> u32 {
    // SAFETY: as for `init`.
    unsafe { u32::from(Barrier::unpack(*address).parity != u64::from(parity & 1)) }
}

/// Arrivals that the phase of a state was waiting for.
pub extern "C" fn pending_count(state: u64) -> u32 {
    Barrier::unpack(state).pending as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_ends_with_the_last_arrival_and_the_last_byte() {
        let mut word = Barrier { expected: 2, pending: 2, bytes: 0, parity: 0 }.pack();
        let arrival = Change { arrivals: 1, ..Change::default() };
        apply(&mut word, Change { bytes_expected: 64, ..arrival });
        apply(&mut word, arrival);
        assert_eq!(Barrier::unpack(word).parity, 0);
        apply(&mut word, Change { bytes_come: 64, ..Change::default() });
        assert_eq!(Barrier::unpack(word), Barrier { expected: 2, pending: 2, bytes: 0, parity: 1 });
    }

    #[test]
    fn bytes_may_come_before_they_are_announced() {
        let mut word = Barrier { expected: 1, pending: 1, bytes: 0, parity: 0 }.pack();
        apply(&mut word, Change { bytes_come: 128, ..Change::default() });
        assert_eq!(Barrier::unpack(word).bytes, -128);
        apply(&mut word, Change { arrivals: 1, bytes_expected: 128, ..Change::default() });
        assert_eq!(Barrier::unpack(word).parity, 1);
    }

    #[test]
    fn who_leaves_is_not_waited_for_again() {
        let mut word = Barrier { expected: 2, pending: 2, bytes: 0, parity: 0 }.pack();
        apply(&mut word, Change { arrivals: 1, leave: true, ..Change::default() });
        apply(&mut word, Change { arrivals: 1, ..Change::default() });
        assert_eq!(Barrier::unpack(word), Barrier { expected: 1, pending: 1, bytes: 0, parity: 1 });
    }
}
