//! Events: moments in a stream, with the time at which they were reached.

use outhaul_lock::Mutex;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use super::capture::Capture;
use super::context::Context;
use super::error::{Error, Result};
use super::graph::Dependency;
use super::lock;
use super::queue::{Operation, Queue, Ticket};
use super::shared_event::{Approach, Moment, SharedEvent};
use super::stream::{Length, Stream};
use super::task::Task;

/// `CU_EVENT_DISABLE_TIMING` and `CU_EVENT_INTERPROCESS`.
pub const DISABLE_TIMING: u32 = 2;
pub const INTERPROCESS: u32 = 4;
const FLAGS_KNOWN: u32 = 1 | DISABLE_TIMING | INTERPROCESS;

pub struct Event {
    /// The one it was created in, and goes with.
    context: Weak<Context>,
    flags: u32,
    last: Mutex<Option<Last>>,
    /// Of an event that other processes may record and wait for: its records are counted there.
    shared: Option<Arc<SharedEvent>>,
}

/// What an event was last recorded as.
#[derive(Clone)]
pub enum Last {
    Recorded(Arc<Record>),
    /// In a capture, where it stands for some nodes.
    Captured(Arc<Capture>, Vec<Dependency>),
}

/// One `cuEventRecord`: waiting for an event means waiting for the record it has at that moment.
pub enum Record {
    Own {
        /// Done only when the stream counts the record as done too, so that what a program asks of
        /// the stream agrees with what it learned from the event.
        ticket: Ticket,
        reached: Arc<OnceLock<Instant>>,
    },
    /// By whichever process was the last.
    Shared(Moment),
}

/// A record that the launch of a graph will reach. Dropping it reaches it, whether the graph got
/// there or a fault kept it from running.
pub struct Pending {
    gate: Arc<Queue>,
    reached: Arc<OnceLock<Instant>>,
    /// Dropped with this.
    _shared: Option<Approach>,
}

impl Event {
    pub fn new(context: &Arc<Context>, flags: u32) -> Result<Event> {
        if flags & !FLAGS_KNOWN != 0 || flags & (INTERPROCESS | DISABLE_TIMING) == INTERPROCESS {
            return Err(Error::InvalidValue);
        }
        let shared =
            if flags & INTERPROCESS != 0 { Some(Arc::new(SharedEvent::create()?)) } else { None };
        Ok(Event { context: Arc::downgrade(context), flags, last: Mutex::new(None), shared })
    }

    /// An event of another process.
    pub fn open(context: &Arc<Context>, handle: &[u8; 64]) -> Result<Event> {
        let shared = Some(Arc::new(SharedEvent::open(handle)?));
        Ok(Event {
            context: Arc::downgrade(context),
            flags: INTERPROCESS | DISABLE_TIMING,
            last: Mutex::new(None),
            shared,
        })
    }

    pub fn context(&self) -> Result<Arc<Context>> {
        self.context.upgrade().ok_or(Error::ContextIsDestroyed)
    }

    /// What another process opens it by.
    pub fn handle(&self) -> Result<[u8; 64]> {
        self.shared.as_ref().ok_or(Error::InvalidHandle)?.handle()
    }

    /// `external`: becomes a node that records the event at each launch, rather than a mark in
    /// the capture.
    pub fn record(self: &Arc<Self>, stream: &Stream, external: bool) -> Result<()> {
        match stream.usable_capture()? {
            Some(capture) if external => capture.add(stream, Task::EventRecord(Arc::clone(self))),
            Some(capture) => {
                let tips = capture.tips(stream)?;
                *lock(&self.last) = Some(Last::Captured(capture, tips));
                Ok(())
            }
            None if external => Err(Error::InvalidValue),
            None => self.record_in_queue(stream),
        }
    }

    fn record_in_queue(&self, stream: &Stream) -> Result<()> {
        if !Arc::ptr_eq(&stream.context()?, &self.context()?) {
            return Err(Error::InvalidHandle);
        }
        let reached = Arc::new(OnceLock::new());
        let clock = Arc::clone(&reached);
        // The lock is held across the submission so that two threads leave the later record here.
        let mut last = lock(&self.last);
        let shared = self.shared.as_ref().map(SharedEvent::begin);
        let ticket = stream.submit_always(Length::Short, move || {
            clock.get_or_init(Instant::now);
            drop(shared);
        })?;
        *last = Some(Last::Recorded(Arc::new(Record::Own { ticket, reached })));
        Ok(())
    }

    /// Recorded behind all that a context was given.
    pub fn record_all_of(&self, context: &Context) -> Result<()> {
        if context.handle != self.context()?.handle {
            return Err(Error::InvalidHandle);
        }
        let reached = Arc::new(OnceLock::new());
        let clock = Arc::clone(&reached);
        let mut last = lock(&self.last);
        let shared = self.shared.as_ref().map(SharedEvent::begin);
        let work = Box::new(move || {
            clock.get_or_init(Instant::now);
            drop(shared);
        });
        let ticket = aside(Operation { after: context.tails(), work })?;
        *last = Some(Last::Recorded(Arc::new(Record::Own { ticket, reached })));
        Ok(())
    }

    /// All that a context is given from now on waits for what the event has now.
    pub fn hold_up(&self, context: &Context) -> Result<()> {
        if let Some(record) = self.last()? {
            context.close_gate(aside(Operation {
                after: Vec::new(),
                work: Box::new(move || record.wait()),
            })?);
        }
        Ok(())
    }

    /// A record by a graph that is being launched.
    pub fn expect(&self) -> Pending {
        let (gate, reached) = (Arc::new(Queue::default()), Arc::new(OnceLock::new()));
        if let Some(ticket) = gate.claim() {
            *lock(&self.last) = Some(Last::Recorded(Arc::new(Record::Own {
                ticket,
                reached: Arc::clone(&reached),
            })));
        }
        Pending { gate, reached, _shared: self.shared.as_ref().map(SharedEvent::begin) }
    }

    /// None before the first record.
    pub fn state(&self) -> Option<Last> {
        match (lock(&self.last).clone(), &self.shared) {
            (None | Some(Last::Recorded(_)), Some(shared)) => {
                shared.last().map(|moment| Last::Recorded(Arc::new(Record::Shared(moment))))
            }
            (last, _) => last,
        }
    }

    /// The record that a wait would wait for. An event of a capture has none, and to ask for it
    /// invalidates the capture.
    pub fn last(&self) -> Result<Option<Arc<Record>>> {
        match self.state() {
            None => Ok(None),
            Some(Last::Recorded(record)) => Ok(Some(record)),
            Some(Last::Captured(capture, _)) => {
                capture.invalidate();
                Err(Error::CapturedEvent)
            }
        }
    }

    pub fn query(&self) -> Result<()> {
        match self.last()? {
            Some(record) if !record.is_reached() => Err(Error::NotReady),
            _ => Ok(()),
        }
    }

    pub fn synchronize(&self) -> Result<()> {
        if let Some(record) = self.last()? {
            record.wait();
        }
        Ok(())
    }

    pub fn elapsed_ms(&self, end: &Event) -> Result<f32> {
        if (self.flags | end.flags) & DISABLE_TIMING != 0 {
            return Err(Error::InvalidHandle);
        }
        let (Some(start), Some(end)) = (self.last()?, end.last()?) else {
            return Err(Error::InvalidHandle);
        };
        let (Some(start), Some(end)) = (start.time(), end.time()) else {
            return Err(Error::NotReady);
        };
        let seconds = match end.checked_duration_since(start) {
            Some(forward) => forward.as_secs_f64(),
            None => -start.duration_since(end).as_secs_f64(),
        };
        Ok((seconds * 1e3) as f32)
    }
}

/// In a queue of its own, which ends with it.
fn aside(operation: Operation) -> Result<Ticket> {
    let queue = Arc::new(Queue::default());
    let ticket = queue.push(operation)?;
    queue.close();
    Ok(ticket)
}

impl Record {
    pub fn is_reached(&self) -> bool {
        match self {
            Record::Own { .. } => self.time().is_some(),
            Record::Shared(moment) => moment.is_reached(),
        }
    }

    fn time(&self) -> Option<Instant> {
        match self {
            Record::Own { ticket, reached } => reached.get().copied().filter(|_| ticket.is_done()),
            Record::Shared(_) => None,
        }
    }

    pub fn wait(&self) {
        match self {
            Record::Own { ticket, .. } => ticket.wait(),
            Record::Shared(moment) => moment.wait(),
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.reached.get_or_init(Instant::now);
        self.gate.run_claimed(Operation { after: Vec::new(), work: Box::new(|| ()) });
    }
}
