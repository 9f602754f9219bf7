//! What CUDA promises of a program: which operation happens before which, and so which values every
//! read sees. An operation is refused when it is not allowed, or when something that it conflicts
//! with is not ordered before it: a program without refusals has no race.
//!
//! Only what the documentation promises counts. Where it leaves room, the model knows less: a
//! synchronous copy from pageable memory has left that memory when it returns, but need not have
//! reached the device; a fill is never waited for by its call.

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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// This atom would have to be ordered before, and is not.
    Race(Atom),
    Wrong(&'static str),
}

pub type Verdict = Result<(), Refusal>;

pub fn wrong<T>(why: &'static str) -> Result<T, Refusal> {
    Err(Refusal::Wrong(why))
}

/// Where an atom was asked for.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub thread: usize,
    /// The stream that carries it out, if it is not the thread itself.
    pub stream: Option<usize>,
}

/// What each check of an action finds at one of its turns, in the order of the checks.
pub type Turn = Vec<Vec<Run>>;

/// An operation that is carried out once, or as often as its graph is launched.
#[derive(Clone, Default, Debug)]
pub struct Site {
    pub turns: Vec<Turn>,
    /// The last time that it was carried out; the next has to come behind.
    last: Option<Atom>,
    /// A query that cannot but say "done".
    pub must_be_done: bool,
}

#[derive(Clone, Default, Debug)]
pub struct Line {
    /// All that is done when the stream has come as far as was asked.
    pub tail: Clock,
    /// What each thread may know of the tail: by the call that made it so.
    history: Vec<(Atom, Clock)>,
    pub blocking: bool,
    pub alive: bool,
    last_use: Option<Atom>,
}

#[derive(Clone, Default, Debug)]
pub struct Event {
    pub alive: bool,
    /// What is done when the event is; the last atom is the record itself.
    record: Option<(Clock, Atom)>,
    /// It was last recorded in a capture, and says nothing outside.
    captured: bool,
    last_use: Option<Atom>,
}

#[derive(Clone, Default, Debug)]
struct Capture {
    thread: usize,
    graph: usize,
    origin: usize,
    /// What the next node of each capturing stream comes after.
    streams: BTreeMap<usize, Vec<usize>>,
    events: BTreeMap<usize, Vec<usize>>,
}

pub struct Model {
    pub threads: Vec<Clock>,
    pub streams: BTreeMap<usize, Line>,
    pub events: BTreeMap<usize, Event>,
    pub buffers: BTreeMap<usize, Buffer>,
    pub graphs: BTreeMap<usize, Graph>,
    pub execs: BTreeMap<usize, Exec>,
    pub tokens: BTreeMap<usize, Clock>,
    pub sites: Vec<Site>,
    pub origins: Vec<Origin>,
    capture: Option<Capture>,
    /// Tails of streams that were destroyed, with the call that did it.
    orphans: Vec<(Atom, Clock)>,
    /// All work that any thread has asked a device for.
    asked: Clock,
}

/// The legacy stream's line; those of threads' own streams follow, then those of made ones.
pub const LEGACY: usize = 0;
pub const MADE: usize = 1 + THREADS_MAX;

pub fn line_of(thread: usize, stream: Stream) -> usize {
    match stream {
        Stream::Legacy => LEGACY,
        Stream::Own => 1 + thread,
        Stream::Made(number) => MADE + number,
    }
}

impl Model {
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

    /// The model of a whole program, or its first operation that is refused.
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

    pub fn is_capturing(&self) -> bool {
        self.capture.is_some()
    }

    /// Carries the operation out, or refuses it and is as before.
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

    /// The index of the operation that is being applied.
    fn site(&self) -> usize {
        self.sites.len() - 1
    }
}

#[cfg(test)]
mod tests;
