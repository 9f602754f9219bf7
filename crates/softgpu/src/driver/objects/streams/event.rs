//! Events: points in a stream, with the time at which they were reached.

use outhaul_lock::Mutex;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use crate::driver::lock;
use crate::driver::objects::graphs::edge::Dependency;
use crate::driver::objects::streams::capture::Capture;
use crate::driver::objects::streams::context::Context;
use crate::driver::objects::streams::queue::{Operation, Queue, Ticket};
use crate::driver::objects::streams::shared_event::{Approach, Moment, SharedEvent};
use crate::driver::objects::streams::stream::{Length, Stream};
use crate::driver::system::error::{Error, Result};

/// Flag `CU_EVENT_DISABLE_TIMING`.
pub const DISABLE_TIMING: u32 = 2;
/// Flag `CU_EVENT_INTERPROCESS`.
pub const INTERPROCESS: u32 = 4;
const FLAGS_KNOWN: u32 = 1 | DISABLE_TIMING | INTERPROCESS;

/// A `CUevent`.
pub struct Event {
    /// Context in which it was created, and with which it ends.
    context: Weak<Context>,
    flags: u32,
    last: Mutex<Option<Last>>,
    /// Counts of its records, if other processes may record it and wait for it.
    shared: Option<Arc<SharedEvent>>,
}

/// The last record of an event.
#[derive(Clone)]
pub enum Last {
    Recorded(Arc<Record>),
    /// A record in a capture, which represents nodes.
    Captured(Arc<Capture>, Vec<Dependency>),
}

/// A `cuEventRecord`. A wait for an event is a wait for its last record at that moment.
pub enum Record {
    Own {
        /// Done only when the stream also counts the record as done, so that queries of the stream
        /// and of the event agree.
        ticket: Ticket,
        reached: Arc<OnceLock<Instant>>,
    },
    /// A record by any of the processes that share the event.
    Shared(Moment),
}

/// A record that the launch of a graph will reach. Dropping it marks it as reached, even if a fault
/// kept the graph from reaching it.
pub struct Pending {
    gate: Arc<Queue>,
    reached: Arc<OnceLock<Instant>>,
    /// Dropped with this record.
    _shared: Option<Approach>,
}

impl Event {
    /// Creates an event.
    pub fn new(context: &Arc<Context>, flags: u32) -> Result<Event> {
        if flags & !FLAGS_KNOWN != 0 || flags & (INTERPROCESS | DISABLE_TIMING) == INTERPROCESS {
            return Err(Error::InvalidValue);
        }
        let shared =
            if flags & INTERPROCESS != 0 { Some(Arc::new(SharedEvent::create()?)) } else { None };
        Ok(Event { context: Arc::downgrade(context), flags, last: Mutex::new(None), shared })
    }

    /// Opens an event of another process.
    pub fn open(context: &Arc<Context>, handle: &[u8; 64]) -> Result<Event> {
        let shared = Some(Arc::new(SharedEvent::open(handle)?));
        Ok(Event {
            context: Arc::downgrade(context),
            flags: INTERPROCESS | DISABLE_TIMING,
            last: Mutex::new(None),
            shared,
        })
    }

    /// Returns the context, if it is alive.
    pub fn context(&self) -> Result<Arc<Context>> {
        self.context.upgrade().ok_or(Error::ContextIsDestroyed)
    }

    /// Returns the handle by which another process opens the event.
    pub fn handle(&self) -> Result<[u8; 64]> {
        self.shared.as_ref().ok_or(Error::InvalidHandle)?.handle()
    }

    /// Records the event in the queue of a stream.
    pub fn record_in_queue(&self, stream: &Stream) -> Result<()> {
        if !Arc::ptr_eq(&stream.context()?, &self.context()?) {
            return Err(Error::InvalidHandle);
        }
        let reached = Arc::new(OnceLock::new());
        let clock = Arc::clone(&reached);
        // The lock is held during the submission, so that of two threads the later record is kept.
        let mut last = lock(&self.last);
        let shared = self.shared.as_ref().map(SharedEvent::begin);
        let ticket = stream.submit_always(Length::Short, move || {
            clock.get_or_init(Instant::now);
            drop(shared);
        })?;
        *last = Some(Last::Recorded(Arc::new(Record::Own { ticket, reached })));
        Ok(())
    }

    /// Makes the event represent nodes of a capture.
    pub fn set_captured(&self, capture: Arc<Capture>, tips: Vec<Dependency>) {
        *lock(&self.last) = Some(Last::Captured(capture, tips));
    }

    /// Records the event after all work that was submitted to a context.
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

    /// Makes all later work of a context wait for the last record of the event.
    pub fn hold_up(&self, context: &Context) -> Result<()> {
        if let Some(record) = self.last()? {
            context.close_gate(aside(Operation {
                after: Vec::new(),
                work: Box::new(move || record.wait()),
            })?);
        }
        Ok(())
    }

    /// Returns a record that a graph will reach, whose launch begins now.
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

    /// Returns the last record or capture, or `None` before the first record.
    pub fn state(&self) -> Option<Last> {
        match (lock(&self.last).clone(), &self.shared) {
            (None | Some(Last::Recorded(_)), Some(shared)) => {
                shared.last().map(|moment| Last::Recorded(Arc::new(Record::Shared(moment))))
            }
            (last, _) => last,
        }
    }

    /// Returns the record for which a wait would wait. An event of a capture has none, and this
    /// query invalidates the capture.
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

    /// Fails if the last record is not reached.
    pub fn query(&self) -> Result<()> {
        match self.last()? {
            Some(record) if !record.is_reached() => Err(Error::NotReady),
            _ => Ok(()),
        }
    }

    /// Waits for the last record.
    pub fn synchronize(&self) -> Result<()> {
        if let Some(record) = self.last()? {
            record.wait();
        }
        Ok(())
    }

    /// Returns the milliseconds from this event to `end`.
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

/// Runs an operation in a queue of its own, which ends with it.
fn aside(operation: Operation) -> Result<Ticket> {
    let queue = Arc::new(Queue::default());
    let ticket = queue.push(operation)?;
    queue.close();
    Ok(ticket)
}

impl Record {
    /// Returns whether the record is reached.
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

    /// Waits until the record is reached.
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
