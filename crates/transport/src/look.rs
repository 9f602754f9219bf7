//! How long a thread looks for what it waits for before it sleeps. Looking costs a processor while
//! it lasts. A thread that sleeps comes back within some 5 us at best, and within 200 us where its
//! processor was given away meanwhile, as a virtual machine's is.

use crate::contention::{self, switches};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

/// An answer over a good link takes less.
pub const SHORT: Duration = Duration::from_micros(50);
/// The program's own thread, and what may hold it up, looks for what it waits for, as it does
/// natively.
pub const LONG: Duration = Duration::from_millis(100);

/// Who sees to what a program waits for looks for so long. To wake up, which takes 0.2 ms, is 1 %
/// of this.
pub const LONGISH: Duration = Duration::from_millis(20);

/// Work that comes in bursts goes on within this time.
pub const MEDIUM: Duration = Duration::from_millis(1);

/// A program that has not waited for its GPU for so long only gives it work. Nobody need be prompt
/// for it: 0.2 ms, which it takes to wake up, is 2 % of this.
pub const CALM: Duration = Duration::from_millis(10);

/// Who comes back from a yield later than this may have lost the CPU: what others get then is a
/// slice of a millisecond or more.
const YIELD_MAX: Duration = Duration::from_micros(100);
/// A whole slice of a thread that computes, or spins itself.
const SLICE_MIN: Duration = Duration::from_millis(1);
/// A small machine has no processor to spare.
const PROCESSORS_MIN: usize = 4;
/// 0: sleep at once, 1: look, whatever the machine has.
const VARIABLE: &str = "OUTHAUL_LOOK";

/// Looks until there is something or the time is up. Beyond `SHORT` it does so only as long as
/// nobody else wants the CPU.
pub fn look<T>(limit: Duration, mut find: impl FnMut() -> Option<T>) -> Option<T> {
    if limit.is_zero() || !has_processors_to_spare() {
        return find();
    }
    let start = Instant::now();
    // The program's own thread keeps its CPU as it would natively.
    let spin = if limit >= LONG && contention::OF_PROCESS.holds(start) { MEDIUM } else { SHORT };
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
        // On a virtual machine it may have been the hypervisor, which does so every few ms.
        if late > YIELD_MAX && switches() != before {
            if late > SLICE_MIN {
                contention::OF_PROCESS.note(Instant::now());
            }
            return find();
        }
    }
}

pub fn has_processors_to_spare() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| match std::env::var(VARIABLE) {
        Ok(wish) => wish != "0",
        Err(_) => thread::available_parallelism()
            .is_ok_and(|processors| processors.get() >= PROCESSORS_MIN),
    })
}

/// The calling thread's sleep ends when it is to end from now on, and not up to 50 us later.
pub fn wake_exactly() {
    // SAFETY: sets a number of the calling thread's.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
}

/// How long the calling thread computes, once it may, before others may: the shortest that Linux
/// takes. Others have some milliseconds.
const SLICE_NS: u64 = 100_000;

/// `struct sched_attr` of its first release.
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

/// From here on the calling thread, and those that it starts, run as soon as they wake up, also
/// where threads that compute or spin have taken all processors, as those of OpenMP do for some
/// milliseconds behind each loop. It gets no larger part of a processor by that. Linux 6.12 does
/// this; older kernels take no notice.
pub fn wake_promptly() {
    let size = size_of::<Scheduling>() as u32;
    let mut scheduling = Scheduling { size, ..Scheduling::default() };
    // SAFETY: both take the struct by its size, and change nothing but the calling thread's
    // scheduling.
    unsafe {
        let got = libc::syscall(libc::SYS_sched_getattr, 0, &mut scheduling, size, 0);
        if got == 0 && scheduling.policy == libc::SCHED_OTHER as u32 {
            scheduling.runtime_ns = SLICE_NS;
            libc::syscall(libc::SYS_sched_setattr, 0, &scheduling, 0);
        }
    }
}

/// The pauses of a thread that looks again and again, at what nobody announces, and sleeps between.
/// What was waited for briefly is noticed soon; the longer nothing happens, the longer the pauses,
/// though never long beside the time that has passed.
pub struct Pauses {
    since: Instant,
    changed: Option<Instant>,
    looked: Instant,
}

const PAUSE_MIN: Duration = Duration::from_micros(20);
const PAUSE_MAX: Duration = Duration::from_millis(5);
/// A pause, in parts of the time in which nothing happened: where things have happened within
/// `RECENT`, and where they have not.
const PARTS_RECENTLY: u32 = 512;
const PARTS: u32 = 32;
const RECENT: Duration = Duration::from_secs(1);
/// A pause, in times that the look before it took.
const LOOKS: u32 = 3;

impl Default for Pauses {
    fn default() -> Pauses {
        Pauses::new()
    }
}

impl Pauses {
    /// For the calling thread, whose sleep ends more exactly from now on.
    pub fn new() -> Pauses {
        wake_exactly();
        Pauses { since: Instant::now(), changed: None, looked: Instant::now() }
    }

    /// Something may happen from now on.
    pub fn begin(&mut self) {
        self.since = Instant::now();
        self.looked = self.since;
    }

    /// Something has.
    pub fn note_change(&mut self) {
        self.since = Instant::now();
        self.changed = Some(self.since);
    }

    fn pause(&self, now: Instant) -> Duration {
        let recently = self.changed.is_some_and(|changed| now.duration_since(changed) < RECENT);
        let of_silence =
            now.duration_since(self.since) / if recently { PARTS_RECENTLY } else { PARTS };
        of_silence.max(now.duration_since(self.looked) * LOOKS).clamp(PAUSE_MIN, PAUSE_MAX)
    }

    /// After a look.
    pub fn sleep(&mut self) {
        thread::sleep(self.pause(Instant::now()));
        self.looked = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn without_a_limit_there_is_one_look() {
        let looks = Cell::new(0);
        assert_eq!(look(Duration::ZERO, || Some(looks.replace(looks.get() + 1))), Some(0));
        assert_eq!(
            look(Duration::ZERO, || (looks.replace(looks.get() + 1) > 5).then_some(())),
            None
        );
        assert_eq!(looks.get(), 2);
    }

    #[test]
    fn what_does_not_come_is_given_up_and_what_is_there_is_found() {
        assert_eq!(look(MEDIUM, || None::<()>), None);
        assert_eq!(look(MEDIUM, || Some(7)), Some(7));
    }

    #[test]
    fn pauses_grow_with_the_silence_and_are_short_beside_it() {
        let start = Instant::now();
        let after = |ms| start + Duration::from_millis(ms);
        let pause = |changed: Option<u64>, now| {
            let changed = changed.map(after);
            Pauses { since: changed.unwrap_or(start), changed, looked: after(now) }
                .pause(after(now))
        };
        assert_eq!(
            (pause(None, 0), pause(None, 32), pause(None, 100_000)),
            (PAUSE_MIN, Duration::from_millis(1), PAUSE_MAX)
        );
        assert_eq!(pause(Some(0), 512), Duration::from_millis(1));
        let costly = Pauses { since: start, changed: None, looked: start }
            .pause(start + Duration::from_micros(500));
        assert_eq!(
            costly,
            Duration::from_micros(1500),
            "looking costs a quarter of a processor at most"
        );
    }
}
