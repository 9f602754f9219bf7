//! The model of CUDA's promises: which operation of a program happens before which, and which
//! values every read sees. It refuses an operation that is not allowed, or that conflicts with
//! another one without an order between them. So a program without refusals has no race.
//!
//! Only promises of the documentation count. Where the documentation is open, the model knows less.
//! A synchronous copy from pageable memory has read that memory when it returns, but may not have
//! reached the device. A call never waits for its fill.

mod action;
mod calls;
mod capture;
mod graph;
mod memory;
mod order;

use crate::clock::{Atom, Clock};
use crate::content::Run;
use crate::program::*;
pub use graph::{Exec, Graph};
pub use memory::Buffer;
use std::collections::BTreeMap;

/// The reason why an operation is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// This atom must come before, and no order ensures it.
    Race(Atom),
    Wrong(&'static str),
}

/// The result of a check.
pub type Verdict = Result<(), Refusal>;

/// Refuses an operation with this reason.
pub fn wrong<T>(why: &'static str) -> Result<T, Refusal> {
    Err(Refusal::Wrong(why))
}

/// The place where an atom was submitted.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// Thread that submitted it.
    pub thread: usize,
    /// Stream that runs it, or `None` if it is the thread itself.
    pub stream: Option<usize>,
}

/// Expected results of each check of an action in one of its turns, in the order of the checks.
pub type Turn = Vec<Vec<Run>>;

/// An operation that runs once, or at every launch of its graph.
#[derive(Clone, Default, Debug)]
pub struct Site {
    /// Expected results of each turn.
    pub turns: Vec<Turn>,
    /// Atom of the last run. The next one must come after it.
    last: Option<Atom>,
    /// Whether a query must report that the work is done.
    pub must_be_done: bool,
}

/// The order of a stream.
#[derive(Clone, Default, Debug)]
pub struct Line {
    /// Everything that is done when the stream has done all submitted work.
    pub tail: Clock,
    /// Tails that each thread may know, by the call that made them.
    history: Vec<(Atom, Clock)>,
    /// Whether the stream waits for the legacy stream.
    pub blocking: bool,
    /// Whether the stream exists.
    pub alive: bool,
    last_use: Option<Atom>,
}

/// An event.
#[derive(Clone, Default, Debug)]
pub struct Event {
    /// Whether the event exists.
    pub alive: bool,
    /// Everything that is done when the event is, and the atom of the record itself.
    record: Option<(Clock, Atom)>,
    /// Whether it was last recorded in a capture, so that it orders nothing outside.
    captured: bool,
    last_use: Option<Atom>,
}

#[derive(Clone, Default, Debug)]
struct Capture {
    thread: usize,
    graph: usize,
    origin: usize,
    /// Nodes after which the next node of each capturing stream comes.
    streams: BTreeMap<usize, Vec<usize>>,
    events: BTreeMap<usize, Vec<usize>>,
}

/// The state of the program.
pub struct Model {
    /// Atoms that each thread knows to have happened.
    pub threads: Vec<Clock>,
    /// Streams, by line.
    pub streams: BTreeMap<usize, Line>,
    /// Events.
    pub events: BTreeMap<usize, Event>,
    /// Buffers.
    pub buffers: BTreeMap<usize, Buffer>,
    /// Graphs.
    pub graphs: BTreeMap<usize, Graph>,
    /// Executable graphs.
    pub execs: BTreeMap<usize, Exec>,
    /// Atoms before each posted token.
    pub tokens: BTreeMap<usize, Clock>,
    /// Operations, with their expected results.
    pub sites: Vec<Site>,
    /// Origin of each atom.
    pub origins: Vec<Origin>,
    capture: Option<Capture>,
    /// Tails of destroyed streams, with the call that destroyed each.
    orphans: Vec<(Atom, Clock)>,
    /// All work that any thread has submitted to a device.
    asked: Clock,
}

/// Line of the legacy stream. The lines of threads' own streams follow, then those of created
/// streams.
pub const LEGACY: usize = 0;
/// Line of the first created stream.
pub const MADE: usize = 1 + THREADS_MAX;

/// Returns the line of a stream.
pub fn line_of(thread: usize, stream: Stream) -> usize {
    match stream {
        Stream::Legacy => LEGACY,
        Stream::Own => 1 + thread,
        Stream::Made(number) => MADE + number,
    }
}

impl Model {
    /// Returns the state before the first operation.
    pub fn new(threads: usize) -> Model {
        let default = || Line { blocking: true, alive: true, ..Line::default() };
        Model {
            threads: vec![Clock::default(); threads],
            streams: (0..=threads).map(|line| (line, default())).collect(),
            events: BTreeMap::new(),
            buffers: BTreeMap::new(),
            graphs: BTreeMap::new(),
            execs: BTreeMap::new(),
            tokens: BTreeMap::new(),
            sites: Vec::new(),
            origins: Vec::new(),
            capture: None,
            orphans: Vec::new(),
            asked: Clock::default(),
        }
    }

    /// Returns the model of a whole program, or the first operation that is refused.
    pub fn of(program: &Program) -> Result<Model, (usize, Refusal)> {
        let mut model = Model::new(program.threads);
        for (index, op) in program.ops.iter().enumerate() {
            model.apply(op).map_err(|refusal| (index, refusal))?;
        }
        if model.is_capturing() {
            Err((program.ops.len(), Refusal::Wrong("a capture has no end")))
        } else {
            Ok(model)
        }
    }

    /// Returns whether a stream is captured.
    pub fn is_capturing(&self) -> bool {
        self.capture.is_some()
    }

    /// Applies an operation, or refuses it and does not change.
    pub fn apply(&mut self, op: &Op) -> Verdict {
        if op.thread >= self.threads.len() {
            return wrong("there is no such thread");
        }
        self.sites.push(Site::default());
        let verdict = match &self.capture {
            Some(capture) if capture.thread == op.thread => {
                self.call_while_capturing(op.thread, &op.deal)
            }
            _ => self.call(op.thread, &op.deal),
        };
        if verdict.is_err() {
            self.sites.pop();
        }
        verdict
    }

    /// Returns the index of the operation that is being applied.
    fn site(&self) -> usize {
        self.sites.len() - 1
    }
}

#[cfg(test)]
mod tests;
