//! Spinning before sleeping. A thread that waits spins first, which occupies a CPU. A sleeping
//! thread takes at least 5 us to wake. It takes up to 200 us if a virtual machine has given up the
//! CPU meanwhile.

use crate::os::contention;
use crate::os::contention::switches;
use crate::os::tune_settings;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

/// Spin time for an answer, longer than an answer over a good link takes.
pub const ANSWER_SPIN: Duration = Duration::from_micros(50);
/// Spin time of the program's own thread, and of threads that may delay it. Natively, the program's
/// thread spins too.
pub const PROGRAM_SPIN: Duration = Duration::from_millis(100);

/// Spin time of a thread that does work for which a program waits. Waking takes 0.2 ms, which is 1
/// % of this time.
pub const SERVICE_SPIN: Duration = Duration::from_millis(20);

/// Spin time between pieces of work that come in bursts.
pub const BURST_SPIN: Duration = Duration::from_millis(1);

/// Time after which a program that has not waited for its GPU counts as only submitting work. No
/// thread needs to be prompt for such a program: waking takes 0.2 ms, which is 2 % of this time.
pub const SUBMITTING_AFTER: Duration = Duration::from_millis(10);

/// Longest unsuspicious yield. After a longer yield, the thread may have lost its CPU for a time
/// slice of a millisecond or more.
const YIELD_MAX: Duration = Duration::from_micros(100);
/// Shortest whole time slice of a thread that computes or spins.
const SLICE_MIN: Duration = Duration::from_millis(1);
/// Number of CPUs below which threads do not spin, because a small machine has no CPU to spare.
const PROCESSORS_MIN: usize = 4;
/// Setting that overrides `PROCESSORS_MIN`. 0: sleep at once; 1: spin, however few CPUs the machine
/// has.
const SETTING: &str = "spin";

/// Polls `find` until it returns a value or `limit` is over. After `ANSWER_SPIN`, continues only as
/// long as no other thread wants the CPU.
pub fn spin<T>(limit: Duration, mut find: impl FnMut() -> Option<T>) -> Option<T> {
    if limit.is_zero() || !has_processors_to_spare() {
        return find();
    }
    let start = Instant::now();
    // The program's own thread keeps its CPU as it would natively.
    let spin = if limit >= PROGRAM_SPIN && contention::OF_PROCESS.holds(start) {
        BURST_SPIN
    } else {
        ANSWER_SPIN
    };
    let mut before = None;
    loop {
        if let Some(found) = find() {
            return Some(found);
        }
        let now = Instant::now();
        if now - start >= limit {
            return None;
        }
        if now - start < spin {
            std::hint::spin_loop();
            continue;
        }
        if contention::OF_PROCESS.holds(now) {
            return find();
        }
        let before = *before.get_or_insert_with(switches);
        thread::yield_now();
        let late = now.elapsed();
        // On a virtual machine, the hypervisor may have taken the CPU, as it does every few ms.
        if late > YIELD_MAX && switches() != before {
            if late > SLICE_MIN {
                contention::OF_PROCESS.note(Instant::now());
            }
            return find();
        }
    }
}

/// Returns whether threads may spin on this machine.
pub fn has_processors_to_spare() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| match tune_settings::value(SETTING) {
        Some(wanted) => wanted != "0",
        None => thread::available_parallelism()
            .is_ok_and(|processors| processors.get() >= PROCESSORS_MIN),
    })
}

/// Makes the calling thread's sleeps end on time from now on, and not up to 50 us late.
pub fn wake_exactly() {
    // SAFETY: only sets the calling thread's timer slack.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
}

/// Time slice of a thread that must wake promptly: the shortest that Linux accepts. Other threads'
/// time slices last some milliseconds.
const SLICE_NS: u64 = 100_000;

/// Linux's `struct sched_attr`, with the fields of its first version.
#[repr(C)]
#[derive(Default)]
struct Scheduling {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime_ns: u64,
    deadline_ns: u64,
    period_ns: u64,
}

/// Makes the calling thread, and the threads that it starts, run as soon as they wake. The setting
/// helps when threads that compute or spin occupy all CPUs, as OpenMP's do for some milliseconds
/// after each loop. The thread's share of the CPUs does not grow. Linux before 6.12 ignores the
/// setting.
pub fn wake_promptly() {
    let size = size_of::<Scheduling>() as u32;
    let mut scheduling = Scheduling { size, ..Scheduling::default() };
    // SAFETY: both calls take the struct with its size, and change only the calling thread's
    // scheduling.
    unsafe {
        let got = libc::syscall(libc::SYS_sched_getattr, 0, &mut scheduling, size, 0);
        if got == 0 && scheduling.policy == libc::SCHED_OTHER as u32 {
            scheduling.runtime_ns = SLICE_NS;
            libc::syscall(libc::SYS_sched_setattr, 0, &scheduling, 0);
        }
    }
}

/// Sleeps of a thread that polls for a change without notification. The thread soon notices an
/// early change. Without changes the pauses grow, but remain short in relation to the time that has
/// passed.
pub struct Backoff {
    since: Instant,
    changed: Option<Instant>,
    poll_started: Instant,
}

const PAUSE_MIN: Duration = Duration::from_micros(20);
const PAUSE_MAX: Duration = Duration::from_millis(5);
/// Divisors that turn the time without changes into a pause: after a change within `RECENT`, and
/// otherwise.
const PARTS_RECENTLY: u32 = 512;
const PARTS: u32 = 32;
const RECENT: Duration = Duration::from_secs(1);
/// Shortest pause, as a multiple of the previous poll's duration.
const PAUSE_POLLS_MIN: u32 = 3;

impl Default for Backoff {
    fn default() -> Backoff {
        Backoff::new()
    }
}

impl Backoff {
    /// Makes a `Backoff` for the calling thread, whose sleeps end more exactly from now on.
    pub fn new() -> Backoff {
        wake_exactly();
        Backoff { since: Instant::now(), changed: None, poll_started: Instant::now() }
    }

    /// Records that a change may happen from now on.
    pub fn begin(&mut self) {
        self.since = Instant::now();
        self.poll_started = self.since;
    }

    /// Records a change.
    pub fn note_change(&mut self) {
        self.since = Instant::now();
        self.changed = Some(self.since);
    }

    fn pause(&self, now: Instant) -> Duration {
        let recently = self.changed.is_some_and(|changed| now.duration_since(changed) < RECENT);
        let of_silence =
            now.duration_since(self.since) / if recently { PARTS_RECENTLY } else { PARTS };
        of_silence
            .max(now.duration_since(self.poll_started) * PAUSE_POLLS_MIN)
            .clamp(PAUSE_MIN, PAUSE_MAX)
    }

    /// Sleeps after a poll.
    pub fn sleep(&mut self) {
        thread::sleep(self.pause(Instant::now()));
        self.poll_started = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn without_a_limit_spin_polls_once() {
        let polls = Cell::new(0);
        assert_eq!(spin(Duration::ZERO, || Some(polls.replace(polls.get() + 1))), Some(0));
        assert_eq!(
            spin(Duration::ZERO, || (polls.replace(polls.get() + 1) > 5).then_some(())),
            None
        );
        assert_eq!(polls.get(), 2);
    }

    #[test]
    fn spin_gives_up_without_a_result_and_returns_one_that_is_there() {
        assert_eq!(spin(BURST_SPIN, || None::<()>), None);
        assert_eq!(spin(BURST_SPIN, || Some(7)), Some(7));
    }

    #[test]
    fn pauses_grow_with_the_silence_and_are_short_relative_to_it() {
        let start = Instant::now();
        let after = |ms| start + Duration::from_millis(ms);
        let pause = |changed: Option<u64>, now| {
            let changed = changed.map(after);
            Backoff { since: changed.unwrap_or(start), changed, poll_started: after(now) }
                .pause(after(now))
        };
        assert_eq!(
            (pause(None, 0), pause(None, 32), pause(None, 100_000)),
            (PAUSE_MIN, Duration::from_millis(1), PAUSE_MAX)
        );
        assert_eq!(pause(Some(0), 512), Duration::from_millis(1));
        let costly = Backoff { since: start, changed: None, poll_started: start }
            .pause(start + Duration::from_micros(500));
        assert_eq!(
            costly,
            Duration::from_micros(1500),
            "polling costs a quarter of a processor at most"
        );
    }
}
