//! Streams that stay behind another one's work though nothing in CUDA's order of streams says so: a synchronous copy was over, to the program, before it gave
//! them anything. Here the copy may still be under way then, and the program has not waited for it.

use super::Worker;
use super::frame::{Incoming, Refusal};
use super::work;
use outhaul_abi::types::*;
use std::collections::HashSet;

/// A stream, by the number of its context and its handle: legacy streams have one handle.
type Key = (u16, u64);

/// The end of what goes first.
pub struct First {
    event: CUevent,
    context: u16,
    /// The stream that it is in, and those that stay behind it already.
    behind: HashSet<Key>,
}

impl Worker {
    /// What is in the stream now goes first.
    pub fn go_first(&mut self, stream: u64) -> Result<(), Refusal> {
        let raw = self.objects.stream(stream)?;
        let key = (self.current, stream);
        if let Some(first) = self.first.take() {
            // What went first before this is now behind it, or was passed long ago.
            if !first.behind.contains(&key) {
                // SAFETY: both are the session's own.
                unsafe { self.driver.cuStreamWaitEvent(raw, first.event, 0) }.ok()?;
            }
            self.forget(first);
        }
        let mut event = CUevent::NULL;
        // SAFETY: the event goes to a local, and the stream is the session's own.
        unsafe {
            self.driver.cuEventCreate(&mut event, values::EVENT_DISABLE_TIMING).ok()?;
            let recorded = self.driver.cuEventRecord(event, raw);
            self.first = Some(First { event, context: self.current, behind: HashSet::from([key]) });
            Ok(recorded.ok()?)
        }
    }

    /// Has the command's stream wait for what goes first, if it uses the device's memory. One that captures runs nothing now.
    pub fn stay_behind(&mut self, incoming: &Incoming<'_>) {
        let Some(first) = &self.first else { return };
        let Some(stream) = work::accesses_in(incoming.op(), incoming.body()) else { return };
        let key = (self.current, stream);
        if first.behind.contains(&key) {
            return;
        }
        // SAFETY: the event is the session's own.
        if unsafe { self.driver.cuEventQuery(first.event) } == CUresult::SUCCESS {
            return self.nothing_goes_first();
        }
        // A stream that is not there is refused when the command is carried out.
        let Ok(raw) = self.objects.stream(stream) else { return };
        if !matches!(self.capturing(raw), Ok(None)) {
            return;
        }
        // SAFETY: both are the session's own.
        let waits = unsafe { self.driver.cuStreamWaitEvent(raw, first.event, 0) };
        if waits == CUresult::SUCCESS
            && let Some(first) = &mut self.first
        {
            first.behind.insert(key);
        }
    }

    /// The stream's handle may be another one's later, which is to stay behind too.
    pub fn stream_goes(&mut self, stream: u64) {
        if let Some(first) = &mut self.first {
            first.behind.remove(&(self.current, stream));
        }
    }

    /// It is done, or its context ends.
    fn nothing_goes_first(&mut self) {
        if let Some(first) = self.first.take() {
            self.forget(first);
        }
    }

    /// The event's memory goes with its context if that goes first.
    pub fn context_goes(&mut self, context: u16) {
        if self.first.as_ref().is_some_and(|first| first.context == context) {
            self.nothing_goes_first();
        }
    }

    fn forget(&self, first: First) {
        // SAFETY: the event is the session's own, and nobody has it any more. Streams that wait for it go on doing so.
        let _ = unsafe { self.driver.cuEventDestroy_v2(first.event) };
    }
}
