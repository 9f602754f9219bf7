//! Detecting whether other threads want the CPUs that this process spins on. OpenMP's threads do:
//! they compute, or spin between two loops. A spinning thread of Outhaul then forces two of them
//! onto one CPU, where each waits for the other's whole time slices. A loop of 1 ms took 58 ms.

use std::mem::MaybeUninit;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long CPUs count as contended after a spinning thread has noticed contention. The time
/// doubles, up to `HOLD_MAX`, whenever contention recurs soon afterwards.
const HOLD_MIN: Duration = Duration::from_secs(1);
const HOLD_MAX: Duration = Duration::from_secs(64);

/// Contention that the threads of this process have noticed.
#[derive(Default)]
pub struct Contention {
    start: OnceLock<Instant>,
    /// End of the present contention, in us since `start`.
    until_us: AtomicU64,
    hold_us: AtomicU64,
}

/// Contention of this process.
pub static OF_PROCESS: Contention =
    Contention { start: OnceLock::new(), until_us: AtomicU64::new(0), hold_us: AtomicU64::new(0) };

impl Contention {
    fn us(&self, now: Instant) -> u64 {
        let start = *self.start.get_or_init(|| now);
        now.saturating_duration_since(start).as_micros() as u64
    }

    /// Returns whether CPUs count as contended now.
    pub fn holds(&self, now: Instant) -> bool {
        let until_us = self.until_us.load(Relaxed);
        until_us != 0 && self.us(now) < until_us
    }

    /// Records that another thread took a spinning thread's CPU for a time slice.
    pub fn note(&self, now: Instant) {
        let (now_us, until_us) = (self.us(now), self.until_us.load(Relaxed));
        if now_us < until_us {
            return;
        }
        let before_us = self.hold_us.load(Relaxed);
        let is_again = until_us != 0 && now_us < until_us + before_us;
        let (min_us, max_us) = (HOLD_MIN.as_micros() as u64, HOLD_MAX.as_micros() as u64);
        let hold_us = if is_again { (2 * before_us).min(max_us) } else { min_us };
        self.hold_us.store(hold_us, Relaxed);
        self.until_us.store(now_us + hold_us, Relaxed);
    }
}

/// Returns how often another thread has preempted the calling thread. Preemption by a hypervisor
/// does not count.
pub fn switches() -> i64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the call fills the struct, whose fields are numbers.
    unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init().ru_nivcsw
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contention_that_shows_again_and_again_holds_for_longer() {
        let contention = Contention::default();
        let start = Instant::now();
        let after = |ms| start + Duration::from_millis(ms);
        assert!(!contention.holds(start));
        contention.note(after(0));
        contention.note(after(900));
        assert!(contention.holds(after(999)) && !contention.holds(after(1_001)));
        contention.note(after(1_500));
        assert!(contention.holds(after(3_499)) && !contention.holds(after(3_501)));
        contention.note(after(9_000));
        assert!(contention.holds(after(9_999)) && !contention.holds(after(10_001)), "long ago");
    }

    #[test]
    fn contention_holds_for_a_minute_at_most() {
        let contention = Contention::default();
        let mut now = Instant::now();
        for _ in 0..10 {
            contention.note(now);
            while contention.holds(now) {
                now += Duration::from_millis(100);
            }
        }
        contention.note(now);
        assert!(contention.holds(now + HOLD_MAX - Duration::from_millis(1)));
        assert!(!contention.holds(now + HOLD_MAX + Duration::from_millis(1)));
    }
}
