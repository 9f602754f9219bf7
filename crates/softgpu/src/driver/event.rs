//! Events: moments in a stream, with the time at which they were reached.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use super::error::{Error, Result};
use super::lock;
use super::queue::Ticket;
use super::stream::{Length, Stream};

/// `CU_EVENT_DISABLE_TIMING` and `CU_EVENT_INTERPROCESS`.
pub const DISABLE_TIMING: u32 = 2;
pub const INTERPROCESS: u32 = 4;
const FLAGS_KNOWN: u32 = 1 | DISABLE_TIMING | INTERPROCESS;

pub struct Event {
    /// Handle of the context it was created in.
    pub context: u64,
    flags: u32,
    last: Mutex<Option<Arc<Record>>>,
}

/// One `cuEventRecord`: waiting for an event means waiting for the record it has at that moment.
pub struct Record {
    /// Done only when the stream counts the record as done too, so that what a program asks of
    /// the stream agrees with what it learned from the event.
    ticket: Ticket,
    reached: Arc<OnceLock<Instant>>,
}

impl Event {
    pub fn new(context: u64, flags: u32) -> Result<Event> {
        if flags & !FLAGS_KNOWN != 0 || flags & (INTERPROCESS | DISABLE_TIMING) == INTERPROCESS {
            return Err(Error::InvalidValue);
        }
        if flags & INTERPROCESS != 0 {
            return Err(Error::NotSupported);
        }
        Ok(Event { context, flags, last: Mutex::new(None) })
    }

    pub fn record(&self, stream: &Stream) -> Result<()> {
        let reached = Arc::new(OnceLock::new());
        let clock = Arc::clone(&reached);
        // The lock is held across the submission so that two threads leave the later record here.
        let mut last = lock(&self.last);
        let ticket = stream.submit_always(Length::Short, move || {
            clock.get_or_init(Instant::now);
        })?;
        *last = Some(Arc::new(Record { ticket, reached }));
        Ok(())
    }

    /// The record that a wait would wait for; None before the first.
    pub fn last(&self) -> Option<Arc<Record>> {
        lock(&self.last).clone()
    }

    pub fn query(&self) -> Result<()> {
        match self.last() {
            Some(record) if record.time().is_none() => Err(Error::NotReady),
            _ => Ok(()),
        }
    }

    pub fn synchronize(&self) {
        if let Some(record) = self.last() {
            record.wait();
        }
    }

    pub fn elapsed_ms(&self, end: &Event) -> Result<f32> {
        if (self.flags | end.flags) & DISABLE_TIMING != 0 {
            return Err(Error::InvalidHandle);
        }
        let (Some(start), Some(end)) = (self.last(), end.last()) else { return Err(Error::InvalidHandle) };
        let (Some(start), Some(end)) = (start.time(), end.time()) else { return Err(Error::NotReady) };
        let seconds = match end.checked_duration_since(start) {
            Some(forward) => forward.as_secs_f64(),
            None => -start.duration_since(end).as_secs_f64(),
        };
        Ok((seconds * 1e3) as f32)
    }
}

impl Record {
    fn time(&self) -> Option<Instant> {
        self.reached.get().copied().filter(|_| self.ticket.is_done())
    }

    pub fn wait(&self) {
        self.ticket.wait();
    }
}
