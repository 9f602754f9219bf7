//! Events: points in a stream, each with the time at which the stream reached it.

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

/// The flag `CU_EVENT_DISABLE_TIMING`.
pub const DISABLE_TIMING: u32 = 2;
/// The flag `CU_EVENT_INTERPROCESS`.
pub const INTERPROCESS: u32 = 4;
const FLAGS_KNOWN: u32 = 1 | DISABLE_TIMING | INTERPROCESS;

/// A `CUevent`.
pub struct Event {
    /// The context in which the event was created and with which it ends.
    context: Weak<Context>,
    flags: u32,
    last: Mutex<Option<Last>>,
    /// Counts of the event's records, if other processes may record the event and wait for it.
    shared: Option<Arc<SharedEvent>>,
}

/// The last record of an event.
#[derive(Clone)]
pub enum Last {
    Recorded(Arc<Record>),
    /// A record in a capture. The record represents nodes.
    Captured(Arc<Capture>, Vec<Dependency>),
}

/// A record of an event, made by `cuEventRecord`. A wait for an event waits for the record that is
/// the last one when the wait is submitted.
pub enum Record {
    Own {
        /// Done only when the stream also counts the record as done, so that stream queries and
        /// event queries agree.
        ticket: Ticket,
        reached: Arc<OnceLock<Instant>>,
    },
    /// A record made by any of the processes that share the event.
    Shared(Moment),
}

/// A record that a graph launch will reach. Dropping the value marks the record as reached, even if
/// a fault kept the graph from reaching it.
pub struct Pending {
    gate: Arc<Queue>,
    reached: Arc<OnceLock<Instant>>,
    /// The shared event's record, dropped with this one.
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

    /// Opens an event of another process by its IPC handle.
    pub fn open(context: &Arc<Context>, handle: &[u8; 64]) -> Result<Event> {
        let shared = Some(Arc::new(SharedEvent::open(handle)?));
        Ok(Event {
            context: Arc::downgrade(context),
            flags: INTERPROCESS | DISABLE_TIMING,
            last: Mutex::new(None),
            shared,
        })
    }

    /// Returns the event's context, if it is alive.
    pub fn context(&self) -> Result<Arc<Context>> {
        self.context.upgrade().ok_or(Error::ContextIsDestroyed)
    }

    /// Returns the IPC handle with which another process opens the event.
    pub fn handle(&self) -> Result<[u8; 64]> {
        self.shared.as_ref().ok_or(Error::InvalidHandle)?.handle()
    }

    /// Records the event in a stream's queue.
    pub fn record_in_queue(&self, stream: &Stream) -> Result<()> {
        if !Arc::ptr_eq(&stream.context()?, &self.context()?) {
            return Err(Error::InvalidHandle);
        }
        let reached = Arc::new(OnceLock::new());
        let clock = Arc::clone(&reached);
        // The lock is held during the submission, so that the later of two threads' records is
        // kept.
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

    /// Records the event after all work submitted to the context so far.
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

    /// Makes all later work of a context wait for the event's last record.
    pub fn hold_up(&self, context: &Context) -> Result<()> {
        if let Some(record) = self.last()? {
            context.close_gate(aside(Operation {
                after: Vec::new(),
                work: Box::new(move || record.wait()),
            })?);
        }
        Ok(())
    }

    /// Returns a record that a graph, whose launch begins now, will reach.
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

    /// Returns the record that a wait would wait for. Fails and invalidates the capture if the
    /// event was last recorded in a capture.
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

    /// Fails unless the last record has been reached.
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

    /// Returns the time from this event to `end`, in milliseconds.
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

/// Runs an operation in its own queue, which ends with the operation.
fn aside(operation: Operation) -> Result<Ticket> {
    let queue = Arc::new(Queue::default());
    let ticket = queue.push(operation)?;
    queue.close();
    Ok(ticket)
}

impl Record {
    /// Returns whether the record has been reached.
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
