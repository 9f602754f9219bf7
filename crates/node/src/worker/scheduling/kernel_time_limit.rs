//! The node's optional limit on how long one kernel may run. An event after each launch shows when
//! the kernel has finished. An event before the launch shows when the kernel could begin, unless
//! the launch directly follows another one on its stream. A thread polls the events and ends the
//! session if a kernel runs too long. A graph counts as one kernel.

use crate::worker::io::outbound::Outbound;
use outhaul_abi::Driver;
use outhaul_abi::types::{CUcontext, CUevent, CUresult, CUstream};
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Upper bound on launches in progress; a further launch blocks.
const LAUNCHES_MAX: usize = 4096;
/// Number of launches after which the command thread polls for completed ones.
const LAUNCHES_PER_POLL: usize = 64;
const POLLS_PER_LIMIT: u32 = 20;
const POLL_INTERVAL_MIN: Duration = Duration::from_millis(5);
const POLL_INTERVAL_MAX: Duration = Duration::from_millis(500);
const EVENT_DISABLE_TIMING: u32 = 2;

/// The time limit of a session's kernels.
pub struct KernelLimit {
    watch: Option<Arc<Watch>>,
    /// The last command's stream, if that command was a launch.
    last: Option<Line>,
}

type Line = (CUcontext, CUstream);

/// A launch that is about to be executed.
pub struct PendingLaunch {
    line: Line,
    begin: Option<CUevent>,
}

struct Watch {
    driver: Arc<Driver>,
    limit: Duration,
    state: Mutex<LimitState>,
    over: Condvar,
}

#[derive(Default)]
struct LimitState {
    /// Launches by stream, oldest first; no queue is empty.
    lines: HashMap<Line, VecDeque<Launch>>,
    launches: usize,
    free: HashMap<CUcontext, Vec<CUevent>>,
}

struct Launch {
    begin: Option<CUevent>,
    end: CUevent,
    /// Time at which a poll first found the launch to be the oldest on its stream and able to run.
    since: Option<Instant>,
}

impl KernelLimit {
    /// Starts the polling thread if there is a limit.
    pub fn start(
        driver: Arc<Driver>,
        limit: Option<Duration>,
        outbound: Arc<Outbound>,
    ) -> KernelLimit {
        let watch = limit
            .map(|limit| {
                Arc::new(Watch { driver, limit, state: Mutex::default(), over: Condvar::new() })
            })
            .inspect(|watch| {
                let watching = watch.clone();
                crate::worker::io::threads::start("kernel-limit", move || {
                    watching.poll_loop(&outbound)
                });
            });
        KernelLimit { watch, last: None }
    }

    /// Returns whether there is a limit.
    pub fn is_set(&self) -> bool {
        self.watch.is_some()
    }

    /// Notes a command that is not a launch; a later launch may have to wait for that command.
    pub fn pass(&mut self) {
        self.last = None;
    }

    /// Notes that the next command is a launch on `stream`. `context`, to which the stream belongs,
    /// is current.
    pub fn begin(&mut self, context: CUcontext, stream: CUstream) -> Option<PendingLaunch> {
        let (watch, line) = (self.watch.as_ref()?, (context, stream));
        let begin =
            if self.last == Some(line) { None } else { watch.record(&mut watch.lock(), line) };
        Some(PendingLaunch { line, begin })
    }

    /// Notes that a launch was executed. Blocks while `LAUNCHES_MAX` launches are in progress.
    pub fn launched(&mut self, PendingLaunch { line, begin }: PendingLaunch) {
        let Some(watch) = &self.watch else { return };
        self.last = Some(line);
        let mut state = watch.lock();
        let Some(end) = watch.record(&mut state, line) else { return };
        state.lines.entry(line).or_default().push_back(Launch { begin, end, since: None });
        state.launches += 1;
        if state.launches.is_multiple_of(LAUNCHES_PER_POLL) {
            watch.poll(&mut state);
        }
        while state.launches >= LAUNCHES_MAX {
            state = watch.wait(state);
        }
    }

    /// Blocks until all kernels of a context that is about to be destroyed have finished.
    pub fn forget_context(&mut self, context: CUcontext) {
        let Some(watch) = &self.watch else { return };
        self.last = None;
        let mut state = watch.lock();
        while state.lines.keys().any(|line| line.0 == context) {
            state = watch.wait(state);
        }
        state.free.remove(&context);
    }
}

impl Watch {
    fn lock(&self) -> MutexGuard<'_, LimitState> {
        self.state.lock()
    }

    fn wait<'s>(&self, state: MutexGuard<'s, LimitState>) -> MutexGuard<'s, LimitState> {
        self.over.wait(state)
    }

    fn record(&self, state: &mut LimitState, (context, stream): Line) -> Option<CUevent> {
        let free = state.free.entry(context).or_default();
        let mut event = free.pop().unwrap_or(CUevent::NULL);
        // SAFETY: the out-pointer is a local; stream and event are the session's own and belong to
        // the current context.
        unsafe {
            if event == CUevent::NULL {
                self.driver.cuEventCreate(&mut event, EVENT_DISABLE_TIMING).ok().ok()?;
            }
            if self.driver.cuEventRecord(event, stream) != CUresult::SUCCESS {
                free.push(event);
                return None;
            }
        }
        Some(event)
    }

    /// Returns whether the device has reached `event`. A failed context counts as having reached
    /// all its events, because it runs nothing.
    fn is_reached(&self, event: CUevent) -> bool {
        // SAFETY: the event is the session's own. Its context is not destroyed before the event is
        // reached.
        unsafe { self.driver.cuEventQuery(event) != CUresult::NOT_READY }
    }

    /// Removes completed launches. Returns the longest time that a kernel has been running.
    fn poll(&self, state: &mut LimitState) -> Duration {
        let LimitState { lines, launches, free } = state;
        let now = Instant::now();
        let mut longest = Duration::ZERO;
        lines.retain(|(context, _), line| {
            while let Some(launch) = line.front_mut() {
                if launch.since.is_none() && launch.begin.is_none_or(|begin| self.is_reached(begin))
                {
                    launch.since = Some(now);
                }
                let Some(since) = launch.since else { break };
                if !self.is_reached(launch.end) {
                    longest = longest.max(now.duration_since(since));
                    break;
                }
                free.entry(*context)
                    .or_default()
                    .extend(launch.begin.into_iter().chain([launch.end]));
                line.pop_front();
                *launches -= 1;
            }
            !line.is_empty()
        });
        longest
    }

    fn poll_loop(&self, outbound: &Arc<Outbound>) {
        loop {
            std::thread::sleep(
                (self.limit / POLLS_PER_LIMIT).clamp(POLL_INTERVAL_MIN, POLL_INTERVAL_MAX),
            );
            let longest = self.poll(&mut self.lock());
            self.over.notify_all();
            if longest > self.limit {
                let limit_s = self.limit.as_secs_f64();
                crate::worker::io::farewell::end_at_once(
                    outbound,
                    format!(
                        "a kernel ran for longer than the {limit_s} s that the node allows; divide \
                        its work"
                    ),
                );
            }
        }
    }
}
