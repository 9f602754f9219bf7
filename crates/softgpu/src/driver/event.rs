//! Events: moments in a stream, with the time at which they were reached.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

use super::error::{Error, Result};
use super::lock;
use super::stream::Stream;

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
#[derive(Default)]
pub struct Record {
    reached: Mutex<Option<Instant>>,
    changed: Condvar,
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
        let record = Arc::new(Record::default());
        let reached = Arc::clone(&record);
        // The lock is held across the submission so that two threads leave the later record here.
        let mut last = lock(&self.last);
        stream.submit_always(move || reached.reach())?;
        *last = Some(record);
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
    fn reach(&self) {
        *lock(&self.reached) = Some(Instant::now());
        self.changed.notify_all();
    }

    fn time(&self) -> Option<Instant> {
        *lock(&self.reached)
    }

    pub fn wait(&self) {
        let mut reached = lock(&self.reached);
        while reached.is_none() {
            reached = super::wait(&self.changed, reached);
        }
    }
}
