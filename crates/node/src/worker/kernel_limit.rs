//! The node's limit on how long one kernel may run, where it has one. An event behind each launch
//! says when it is over, and one before it, unless it follows another on its stream, when it could
//! begin. A thread looks at them; what is found to have run for too long ends the session. A graph
//! counts as one kernel.

use super::outbound::Outbound;
use outhaul_abi::Driver;
use outhaul_abi::types::{CUcontext, CUevent, CUresult, CUstream};
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Launches that are not known to be over. One more waits.
const LAUNCHES_MAX: usize = 4096;
/// How often the thread of commands looks at what is over, in launches.
const LOOK_LAUNCHES: usize = 64;
const LOOKS_PER_LIMIT: u32 = 20;
const LOOK_MIN: Duration = Duration::from_millis(5);
const LOOK_MAX: Duration = Duration::from_millis(500);
const EVENT_DISABLE_TIMING: u32 = 2;

pub struct KernelLimit {
    watch: Option<Arc<Watch>>,
    /// The last command was a launch on this stream.
    last: Option<Line>,
}

type Line = (CUcontext, CUstream);

/// A launch that is about to be carried out.
pub struct Begun {
    line: Line,
    begin: Option<CUevent>,
}

struct Watch {
    driver: Arc<Driver>,
    limit: Duration,
    state: Mutex<State>,
    over: Condvar,
}

#[derive(Default)]
struct State {
    /// By stream, oldest first; none is empty.
    lines: HashMap<Line, VecDeque<Launch>>,
    launches: usize,
    free: HashMap<CUcontext, Vec<CUevent>>,
}

struct Launch {
    begin: Option<CUevent>,
    end: CUevent,
    /// When it was seen to be the oldest on its stream, and able to run.
    since: Option<Instant>,
}

impl KernelLimit {
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
                super::threads::start("kernel-limit", move || watching.look_on(&outbound));
            });
        KernelLimit { watch, last: None }
    }

    pub fn is_set(&self) -> bool {
        self.watch.is_some()
    }

    /// A command that is no launch: who launches behind it may have to wait for it.
    pub fn pass(&mut self) {
        self.last = None;
    }

    /// The next command is a launch on this stream, whose context is current.
    pub fn begin(&mut self, context: CUcontext, stream: CUstream) -> Option<Begun> {
        let (watch, line) = (self.watch.as_ref()?, (context, stream));
        let begin =
            if self.last == Some(line) { None } else { watch.record(&mut watch.lock(), line) };
        Some(Begun { line, begin })
    }

    pub fn launched(&mut self, Begun { line, begin }: Begun) {
        let Some(watch) = &self.watch else { return };
        self.last = Some(line);
        let mut state = watch.lock();
        let Some(end) = watch.record(&mut state, line) else { return };
        state.lines.entry(line).or_default().push_back(Launch { begin, end, since: None });
        state.launches += 1;
        if state.launches.is_multiple_of(LOOK_LAUNCHES) {
            watch.look(&mut state);
        }
        while state.launches >= LAUNCHES_MAX {
            state = watch.wait(state);
        }
    }

    /// The context is about to be destroyed: waits until its kernels are over.
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
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.over.wait(state)
    }

    fn record(&self, state: &mut State, (context, stream): Line) -> Option<CUevent> {
        let free = state.free.entry(context).or_default();
        let mut event = free.pop().unwrap_or(CUevent::NULL);
        // SAFETY: the handle goes to a local; stream and event are the session's own, and of the
        // current context.
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

    /// A context that has failed has nothing that runs.
    fn is_reached(&self, event: CUevent) -> bool {
        // SAFETY: the event is the session's own, and lives as long as its context, which waits for
        // it.
        unsafe { self.driver.cuEventQuery(event) != CUresult::NOT_READY }
    }

    /// Forgets what is over. Gives how long the oldest of those that run has run.
    fn look(&self, state: &mut State) -> Duration {
        let State { lines, launches, free } = state;
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

    fn look_on(&self, outbound: &Arc<Outbound>) {
        loop {
            std::thread::sleep((self.limit / LOOKS_PER_LIMIT).clamp(LOOK_MIN, LOOK_MAX));
            let longest = self.look(&mut self.lock());
            self.over.notify_all();
            if longest > self.limit {
                let limit_s = self.limit.as_secs_f64();
                super::end_at_once(
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
