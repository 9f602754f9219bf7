//! A model of CUDA's guarantees: the happens-before order of a program's operations, and the values
//! that each read returns. The model rejects an invalid operation. It also rejects an operation
//! that conflicts with another without an order between them. So an accepted program has no race.
//!
//! The model relies only on guarantees in CUDA's documentation. Where the documentation is open,
//! the model assumes less. When a synchronous copy from pageable memory returns, the copy has read
//! the memory and may not have reached the device. A fill may be incomplete when the call returns.

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

/// The reason why the model rejects an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The atom must come before the operation, and no order ensures this.
    Race(Atom),
    Wrong(&'static str),
}

/// The result type of the model's checks.
pub type Verdict = Result<(), Refusal>;

/// Rejects an operation with the reason `why`.
pub fn wrong<T>(why: &'static str) -> Result<T, Refusal> {
    Err(Refusal::Wrong(why))
}

/// The origin of an atom.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// Thread that submitted the atom.
    pub thread: usize,
    /// Stream that runs the atom, or `None` if the thread itself does.
    pub stream: Option<usize>,
}

/// Expected results of an action's checks in one turn, in the order of the checks.
pub type Turn = Vec<Vec<Run>>;

/// An operation that runs once, or at every launch of its graph.
#[derive(Clone, Default, Debug)]
pub struct Site {
    /// Expected results for each turn.
    pub turns: Vec<Turn>,
    /// Atom of the last run, which must precede the next run.
    last: Option<Atom>,
    /// Whether a query must report that the work is done.
    pub must_be_done: bool,
}

/// The order of work in a stream.
#[derive(Clone, Default, Debug)]
pub struct Line {
    /// Atoms that have happened when the stream has done all submitted work.
    pub tail: Clock,
    /// Earlier values of `tail`, each with the call that produced it. A thread knows a value if it
    /// knows the call.
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
    /// Atoms that have happened when the event is complete, and the atom of the record call.
    record: Option<(Clock, Atom)>,
    /// Whether the event was last recorded in a capture, so that it orders no work outside the
    /// capture.
    captured: bool,
    last_use: Option<Atom>,
}

#[derive(Clone, Default, Debug)]
struct Capture {
    thread: usize,
    graph: usize,
    origin: usize,
    /// For each capturing stream, the nodes that its next node depends on.
    streams: BTreeMap<usize, Vec<usize>>,
    events: BTreeMap<usize, Vec<usize>>,
}

/// The state of a program.
pub struct Model {
    /// Atoms that each thread knows to have happened.
    pub threads: Vec<Clock>,
    /// Streams, by line number.
    pub streams: BTreeMap<usize, Line>,
    /// Events.
    pub events: BTreeMap<usize, Event>,
    /// Buffers.
    pub buffers: BTreeMap<usize, Buffer>,
    /// Graphs.
    pub graphs: BTreeMap<usize, Graph>,
    /// Executable graphs.
    pub execs: BTreeMap<usize, Exec>,
    /// For each posted token, the atoms before it.
    pub tokens: BTreeMap<usize, Clock>,
    /// Operations, with their expected results.
    pub sites: Vec<Site>,
    /// Origin of each atom.
    pub origins: Vec<Origin>,
    capture: Option<Capture>,
    /// Tails of destroyed streams, each with the call that destroyed the stream or submitted its
    /// last work.
    orphans: Vec<(Atom, Clock)>,
    /// All work that any thread has submitted.
    asked: Clock,
}

/// Line number of the legacy stream. The threads' own default streams follow, and then the created
/// streams.
pub const LEGACY: usize = 0;
/// Line number of the first created stream.
pub const MADE: usize = 1 + THREADS_MAX;

/// Returns the line number of a stream.
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

    /// Returns the model after a whole program, or the index of the first operation that it
    /// rejects.
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

    /// Applies an operation, or rejects it without a change to the model.
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

    /// Returns the index of the operation that is currently applied.
    fn site(&self) -> usize {
        self.sites.len() - 1
    }
}

#[cfg(test)]
mod tests;
