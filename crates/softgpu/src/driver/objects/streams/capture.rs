//! Stream capture: operations of one or more streams become nodes of a graph instead of running.
//!
//! A capture begins in one stream. Another stream joins the capture when it waits for an event that
//! was recorded in the capture. The joined stream's work must be joined back before the capture
//! ends. Each stream has tips: the nodes on which its next node depends.

use outhaul_lock::Mutex;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::ThreadId;

use outhaul_abi::types::values::{
    STREAM_CAPTURE_STATUS_ACTIVE, STREAM_CAPTURE_STATUS_INVALIDATED, STREAM_CAPTURE_STATUS_NONE,
};
use outhaul_abi::types::{CUgraphEdgeData, CUgraphNode};

use crate::driver::lock;
use crate::driver::objects::graphs::edge::Dependency;
use crate::driver::system::error::{Error, Result};

/// Capture modes: which threads must not make calls that could wait for the device while a capture
/// runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Global,
    ThreadLocal,
    Relaxed,
}

/// A capture of one or more streams.
pub struct Capture {
    /// Identifier that is unique within the process.
    pub id: u64,
    /// Handle of the captured graph.
    pub graph: u64,
    /// Whether the graph was created for this capture.
    pub owns_graph: bool,
    /// Which threads must not wait for the device.
    pub mode: Mode,
    /// The thread in which the capture began.
    pub thread: ThreadId,
    /// Identifier of the stream in which the capture began.
    pub origin: u64,
    /// The mutable state.
    pub state: Mutex<CaptureState>,
    /// Destroys a graph by its handle, if the program has not destroyed it.
    pub destroy_graph: fn(u64),
}

/// The mutable state of a capture.
pub struct CaptureState {
    /// Whether the capture is valid or has ended.
    pub status: Status,
    /// The participating streams, by stream identifier.
    pub branches: BTreeMap<u64, Branch>,
}

/// Whether a capture is valid or has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Active,
    Invalid,
    Ended,
}

/// A stream that participates in a capture.
pub struct Branch {
    /// Handle of the stream's context.
    pub context: u64,
    /// Whether the stream synchronises with the legacy stream.
    pub blocking: bool,
    /// Nodes on which the stream's next node depends.
    pub tips: Vec<Dependency>,
    /// The tips that the program queried last.
    pub listed: Listing,
}

/// Tips that a program has queried. The arrays remain valid until the next query.
#[derive(Default)]
pub struct Listing {
    nodes: Vec<CUgraphNode>,
    data: Vec<CUgraphEdgeData>,
}

/// The properties of a stream's capture that a program can query.
pub struct Info {
    /// The status as a `CUstreamCaptureStatus`.
    pub status: i32,
    /// The capture's identifier.
    pub id: u64,
    /// Handle of the captured graph.
    pub graph: u64,
    /// The stream's tips.
    pub nodes: *const CUgraphNode,
    /// Data of the edges from the tips.
    pub data: *const CUgraphEdgeData,
    /// Number of tips.
    pub count: usize,
    /// Whether no edge has data.
    pub plain: bool,
}

impl Info {
    /// The properties of a stream that is not captured.
    pub const NONE: Info = Info {
        status: STREAM_CAPTURE_STATUS_NONE,
        id: 0,
        graph: 0,
        nodes: std::ptr::null(),
        data: std::ptr::null(),
        count: 0,
        plain: true,
    };
}

static LAST_ID: AtomicU64 = AtomicU64::new(0);
static RUNNING: Mutex<Vec<Arc<Capture>>> = Mutex::new(Vec::new());
/// Length of `RUNNING`, kept apart so that programs without captures take no lock.
static RUNNING_COUNT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static THREAD_MODE: Cell<Mode> = const { Cell::new(Mode::Global) };
}

/// Implements `cuThreadExchangeStreamCaptureMode`.
pub fn exchange_thread_mode(mode: Mode) -> Mode {
    THREAD_MODE.replace(mode)
}

fn running() -> Vec<Arc<Capture>> {
    if RUNNING_COUNT.load(Ordering::Acquire) == 0 { Vec::new() } else { lock(&RUNNING).clone() }
}

/// Invalidates the captures with which a call conflicts. Returns `error` if there are any.
fn refuse_for(conflicts: impl Fn(&Capture) -> bool, error: Error) -> Result<()> {
    let conflicting: Vec<_> = running().into_iter().filter(|capture| conflicts(capture)).collect();
    conflicting.iter().for_each(|capture| capture.invalidate());
    if conflicting.is_empty() { Ok(()) } else { Err(error) }
}

/// Checks a call that may wait for the device. This thread's captures and other threads' global
/// captures forbid such a call, unless the thread has relaxed its mode.
pub fn check_thread() -> Result<()> {
    let (mode, thread) = (THREAD_MODE.get(), std::thread::current().id());
    let forbids = |capture: &Capture| match (mode, capture.mode) {
        (Mode::Relaxed, _) | (_, Mode::Relaxed) => false,
        (Mode::Global, Mode::Global) => true,
        _ => capture.thread == thread,
    };
    refuse_for(forbids, Error::StreamCaptureUnsupported)
}

/// Checks a call that waits for a whole context.
pub fn check_context(context: u64) -> Result<()> {
    refuse_in(context)?;
    check_thread()
}

/// Checks a call that concerns all present or future work of a context.
pub fn refuse_in(context: u64) -> Result<()> {
    refuse_for(
        |capture| capture.has_branch(|branch| branch.context == context),
        Error::StreamCaptureUnsupported,
    )
}

fn concerns_legacy(capture: &Capture, context: u64) -> bool {
    capture.has_branch(|branch| branch.blocking && branch.context == context)
}

/// Checks a use of the legacy stream, which synchronises with all blocking streams of its context.
pub fn check_legacy(context: u64) -> Result<()> {
    refuse_for(|capture| concerns_legacy(capture, context), Error::StreamCaptureImplicit)
}

/// Checks a query of the legacy stream like [`check_legacy`], but invalidates no captures.
pub fn ask_legacy(context: u64) -> Result<()> {
    if running().iter().any(|capture| concerns_legacy(capture, context)) {
        Err(Error::StreamCaptureImplicit)
    } else {
        Ok(())
    }
}

impl Mode {
    /// Returns the mode with the number of a `CUstreamCaptureMode`.
    pub fn from_number(number: i32) -> Result<Mode> {
        [Mode::Global, Mode::ThreadLocal, Mode::Relaxed]
            .into_iter()
            .find(|mode| mode.number() == number)
            .ok_or(Error::InvalidValue)
    }

    /// Returns the mode's number as a `CUstreamCaptureMode`.
    pub fn number(self) -> i32 {
        self as i32
    }
}

impl Capture {
    /// Adds the capture to the running captures.
    pub fn run(self: Arc<Self>) {
        let mut running = lock(&RUNNING);
        running.push(self);
        RUNNING_COUNT.store(running.len(), Ordering::Release);
    }

    /// Returns a new identifier, unique among captures.
    pub fn new_id() -> u64 {
        LAST_ID.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Ends the capture. Destroys a graph that was created for the capture, unless `keep_graph` is
    /// set.
    pub fn close(&self, keep_graph: bool) {
        lock(&self.state).status = Status::Ended;
        let mut running = lock(&RUNNING);
        running.retain(|other| other.id != self.id);
        RUNNING_COUNT.store(running.len(), Ordering::Release);
        drop(running);
        if self.owns_graph && !keep_graph {
            (self.destroy_graph)(self.graph);
        }
    }

    /// Handles the destruction of a stream. If the stream is the origin, no thread can end the
    /// capture any more.
    pub fn abandon(&self, stream: u64) {
        self.invalidate();
        if self.origin == stream {
            self.close(false);
        }
    }

    /// Returns whether the capture has ended.
    pub fn is_ended(&self) -> bool {
        lock(&self.state).status == Status::Ended
    }

    /// Fails if the capture is invalid.
    pub fn check(&self) -> Result<()> {
        lock(&self.state).check()
    }

    /// Invalidates the capture.
    pub fn invalidate(&self) {
        let mut state = lock(&self.state);
        if state.status == Status::Active {
            state.status = Status::Invalid;
        }
    }

    fn has_branch(&self, matches: impl Fn(&Branch) -> bool) -> bool {
        lock(&self.state).branches.values().any(matches)
    }

    /// Returns the nodes that an event would represent if it were recorded in the stream now.
    pub fn tips(&self, stream: u64) -> Result<Vec<Dependency>> {
        Ok(lock(&self.state).branch(stream)?.tips.clone())
    }

    /// Returns the properties that a program can query about `stream`.
    pub fn info(&self, stream: u64) -> Info {
        let mut state = lock(&self.state);
        let valid = state.status == Status::Active;
        let status =
            if valid { STREAM_CAPTURE_STATUS_ACTIVE } else { STREAM_CAPTURE_STATUS_INVALIDATED };
        let mut info = Info { status, id: self.id, ..Info::NONE };
        if let Ok(branch) = state.branch(stream) {
            branch.listed.nodes =
                branch.tips.iter().map(|tip| CUgraphNode(tip.node as usize)).collect();
            branch.listed.data = branch.tips.iter().map(|tip| tip.data).collect();
            (info.graph, info.count) = (self.graph, branch.tips.len());
            (info.nodes, info.data) = (branch.listed.nodes.as_ptr(), branch.listed.data.as_ptr());
            info.plain = branch.tips.iter().all(|tip| tip.data == CUgraphEdgeData::default());
        }
        info
    }
}

impl CaptureState {
    /// Fails if the capture is invalid or has ended.
    pub fn check(&self) -> Result<()> {
        match self.status {
            Status::Active => Ok(()),
            Status::Invalid => Err(Error::StreamCaptureInvalidated),
            Status::Ended => Err(Error::CapturedEvent),
        }
    }

    /// Returns a participating stream. Fails if the stream does not participate.
    pub fn branch(&mut self, stream: u64) -> Result<&mut Branch> {
        self.check()?;
        self.branches.get_mut(&stream).ok_or(Error::StreamCaptureInvalidated)
    }
}

impl Branch {
    /// Adds nodes on which the stream's next node depends.
    pub fn add_tips(&mut self, tips: &[Dependency]) {
        for tip in tips {
            if self.tips.iter().all(|known| known.node != tip.node) {
                self.tips.push(*tip);
            }
        }
    }
}
