//! The overhead of a session: memory that the driver takes on a device by itself, for contexts,
//! code, variables, stacks, heaps, streams and graphs. Nobody allocates it, so it can be charged
//! only once the driver says how much it is.

use crate::accounting::ledger::Allowance;
use outhaul_lock::Mutex;

/// A session's charge for the overhead on one device.
pub struct Overhead {
    allowance: Allowance,
    charged_bytes: Mutex<u64>,
}

impl Overhead {
    /// Makes the charge of a session that has no overhead yet.
    pub fn new(allowance: Allowance) -> Overhead {
        Overhead { allowance, charged_bytes: Mutex::new(0) }
    }

    /// Returns how many bytes are charged.
    pub fn charged_bytes(&self) -> u64 {
        *self.charged_bytes.lock()
    }

    /// Charges `bytes` bytes in all. Changes nothing and returns false if that is beyond the limit.
    pub fn charge(&self, bytes: u64) -> bool {
        self.change_to(bytes, |more| self.allowance.take(more))
    }

    /// Charges `bytes` bytes in all, even beyond the limit, because the driver has taken them.
    pub fn force(&self, bytes: u64) {
        self.change_to(bytes, |more| {
            self.allowance.force(more);
            true
        });
    }

    fn change_to(&self, bytes: u64, take: impl FnOnce(u64) -> bool) -> bool {
        let mut charged = self.charged_bytes.lock();
        if bytes > *charged && !take(bytes - *charged) {
            return false;
        }
        self.allowance.give_back(charged.saturating_sub(bytes));
        self.allowance.note_overhead(bytes);
        *charged = bytes;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounting::ledger::{Ledger, MemoryUse};
    use std::sync::Arc;

    const LIMIT: u64 = 1 << 20;
    const SESSIONS: usize = 6;

    /// A session, and what a driver would say of it.
    struct Session {
        allowance: Allowance,
        overhead: Overhead,
        /// Blocks that the session allocated, and those that it freed while the device uses them.
        blocks: Vec<u64>,
        leaving: Vec<u64>,
        /// Memory that the driver took by itself, by object.
        objects: Vec<u64>,
        /// Memory that the driver took during a launch, unasked.
        lazy: u64,
    }

    impl Session {
        fn new(ledger: &Arc<Ledger>, row: usize) -> Session {
            let allowance = Allowance::new(ledger.clone(), row, 0);
            Session {
                overhead: Overhead::new(allowance.clone()),
                allowance,
                blocks: vec![],
                leaving: vec![],
                objects: vec![],
                lazy: 0,
            }
        }

        fn driver_overhead(&self) -> u64 {
            self.objects.iter().sum::<u64>() + self.lazy
        }

        fn figure(&self) -> u64 {
            self.blocks.iter().chain(&self.leaving).sum::<u64>() + self.driver_overhead()
        }

        /// Makes an object, for which the driver takes `bytes`; destroys it if that is too much.
        fn make(&mut self, bytes: u64) -> bool {
            self.objects.push(bytes);
            let fits = self.overhead.charge(self.driver_overhead());
            if !fits {
                self.objects.pop();
                self.overhead.force(self.driver_overhead());
            }
            fits
        }

        /// Does something at random, of which the sessions together have `left` bytes left.
        fn step(&mut self, random: &mut Random, left: u64) {
            let bytes = random.below(LIMIT / 64) + 1;
            match random.below(8) {
                0 | 1 if self.allowance.take(bytes) => self.blocks.push(bytes),
                2 | 3 if !self.blocks.is_empty() => {
                    let block = random.below(self.blocks.len() as u64) as usize;
                    self.leaving.push(self.blocks.swap_remove(block));
                }
                4 => {
                    assert_eq!(self.make(bytes), bytes <= left, "exactly what fits is made");
                }
                5 if !self.objects.is_empty() => {
                    let object = random.below(self.objects.len() as u64) as usize;
                    self.objects.swap_remove(object);
                    assert!(self.overhead.charge(self.driver_overhead()), "less always fits");
                }
                // A launch: seen by the pulse, which cannot refuse it.
                6 if random.below(16) == 0 => {
                    self.lazy = random.below(LIMIT / 32);
                    self.overhead.force(self.driver_overhead());
                }
                // The device has passed the work that used what was freed.
                _ => self.leaving.drain(..).for_each(|bytes| self.allowance.give_back(bytes)),
            }
        }
    }

    /// Draws numbers by splitmix64, equal for equal seeds.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ (z >> 31)) % end
        }
    }

    /// A million random steps of sessions under one limit: allocations, frees, objects of the
    /// driver, memory that it takes unasked, ends of processes, and changes of the limit. After
    /// each, the ledger says of each session what the driver would.
    #[test]
    fn the_ledger_says_what_the_driver_says_after_each_of_a_million_steps() {
        let (ledger, descriptor) = Ledger::create().unwrap();
        let ledger = Arc::new(ledger);
        ledger.set_limit(0, Some(LIMIT));
        let of_worker = Arc::new(Ledger::adopt(&descriptor).unwrap());
        let mut random = Random(1);
        let mut sessions: Vec<_> = (0..SESSIONS).map(|row| Session::new(&of_worker, row)).collect();
        let (mut forced, mut together) = (0, 0);
        for step in 0..1_000_000 {
            let row = random.below(SESSIONS as u64) as usize;
            let others = together;
            let (lazy, before) = (sessions[row].lazy, sessions[row].figure());
            match random.below(2000) {
                // The process ends, by itself or killed: the listener clears the row.
                0 => {
                    ledger.clear(row);
                    sessions[row] = Session::new(&of_worker, row);
                }
                1 => ledger.set_limit(0, Some(LIMIT / (1 + random.below(2)))),
                _ => {
                    let left = sessions[row].allowance.limit_bytes().saturating_sub(others);
                    sessions[row].step(&mut random, left);
                }
            }
            let session = &sessions[row];
            together = together - before + session.figure();
            let expected =
                MemoryUse { bytes: session.figure(), overhead_bytes: session.driver_overhead() };
            assert_eq!(ledger.use_of(row, 0), expected, "step {step}, session {row}");
            forced += u64::from(together > session.allowance.limit_bytes());
            assert!(
                together <= others.max(session.allowance.limit_bytes())
                    || sessions[row].lazy > lazy,
                "step {step}: {together} of {others} before, and nothing unasked"
            );
        }
        assert_eq!(
            ledger.taken_bytes(0),
            sessions.iter().map(Session::figure).sum::<u64>(),
            "all rows together"
        );
        assert!((1_000..500_000).contains(&forced), "{forced} steps were beyond the limit");
    }

    #[test]
    fn overhead_beyond_the_limit_is_refused_unless_it_is_forced() {
        let (ledger, _) = Ledger::create().unwrap();
        ledger.set_limit(0, Some(100));
        let ledger = Arc::new(ledger);
        let allowance = Allowance::new(ledger.clone(), 3, 0);
        let overhead = Overhead::new(allowance.clone());
        assert!(overhead.charge(60) && allowance.take(40) && !overhead.charge(61));
        assert_eq!(ledger.use_of(3, 0), MemoryUse { bytes: 100, overhead_bytes: 60 });
        overhead.force(80);
        assert!(!allowance.is_kept() && !allowance.take(1) && overhead.charge(10));
        assert_eq!((allowance.left_bytes(), overhead.charged_bytes()), (50, 10));
        ledger.clear(3);
        assert_eq!(ledger.use_of(3, 0), MemoryUse::default());
    }

    #[test]
    fn a_ledger_of_an_earlier_release_is_adopted_and_has_no_overhead() {
        let (ledger, descriptor) = Ledger::create_as_before().unwrap();
        ledger.set_limit(63, Some(10));
        let adopted = Arc::new(Ledger::adopt(&descriptor).unwrap());
        let overhead = Overhead::new(Allowance::new(adopted.clone(), 7, 63));
        assert!(overhead.charge(9) && !overhead.charge(11));
        assert_eq!(adopted.use_of(7, 63), MemoryUse { bytes: 9, overhead_bytes: 0 });
    }
}
