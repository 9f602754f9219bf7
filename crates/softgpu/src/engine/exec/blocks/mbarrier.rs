//! `mbarrier` objects: 64 bits in shared memory that count missing arrivals and missing bytes in
//! phases. The accesses need not be atomic, because one core runs all threads that share the
//! memory, even in a cluster.

const COUNT_BITS: u32 = 20;
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;
const BYTES_BITS: u32 = 23;

/// The fields of an `mbarrier`, from the lowest bit: arrivals per phase, missing arrivals, missing
/// bytes. The phase's parity is the highest bit.
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

    /// Begins the next phase if no arrivals and no bytes are missing.
    fn advance_phase(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.parity ^= 1;
            self.pending = self.expected;
        }
    }
}

/// The effect of an operation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Change {
    /// Number of arrivals.
    pub arrivals: u32,
    /// Whether the arriving threads also leave the barrier for all later phases.
    pub leave: bool,
    /// Number of bytes to expect in addition.
    pub bytes_expected: u32,
    /// Number of bytes that have been copied.
    pub bytes_come: u32,
}

/// Applies a change and returns the previous state, which identifies the phase.
fn apply(word: &mut u64, change: Change) -> u64 {
    let before = *word;
    let mut barrier = Barrier::unpack(before);
    barrier.bytes += i64::from(change.bytes_expected) - i64::from(change.bytes_come);
    barrier.pending = barrier.pending.saturating_sub(u64::from(change.arrivals));
    if change.leave {
        barrier.expected = barrier.expected.saturating_sub(u64::from(change.arrivals));
    }
    barrier.advance_phase();
    *word = barrier.pack();
    before
}

/// Implements `mbarrier.init`.
pub unsafe extern "C" fn init(address: *mut u64, count: u32) {
    let count = u64::from(count);
    // SAFETY: the address comes from the kernel, and a bad one faults like any bad access of the
    // kernel.
    unsafe { *address = Barrier { expected: count, pending: count, bytes: 0, parity: 0 }.pack() }
}

/// Implements `mbarrier.arrive` and returns the barrier's previous state.
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

/// Adds `expected` bytes to the missing ones and subtracts `come` bytes, for asynchronous copies.
pub unsafe extern "C" fn bytes(address: *mut u64, expected: u32, come: u32) {
    // SAFETY: as for `init`.
    unsafe {
        apply(
            &mut *address,
            Change { arrivals: 0, leave: false, bytes_expected: expected, bytes_come: come },
        )
    };
}

/// Returns whether the phase with this parity has completed.
pub unsafe extern "C" fn is_over(address: *const u64, parity: u32) -> u32 {
    // SAFETY: as for `init`.
    unsafe { u32::from(Barrier::unpack(*address).parity != u64::from(parity & 1)) }
}

/// Returns the number of arrivals that were missing in `state`.
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
    fn a_phase_does_not_wait_for_threads_that_left() {
        let mut word = Barrier { expected: 2, pending: 2, bytes: 0, parity: 0 }.pack();
        apply(&mut word, Change { arrivals: 1, leave: true, ..Change::default() });
        apply(&mut word, Change { arrivals: 1, ..Change::default() });
        assert_eq!(Barrier::unpack(word), Barrier { expected: 1, pending: 1, bytes: 0, parity: 1 });
    }
}
