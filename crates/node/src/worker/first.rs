//! Streams that stay behind another one's work though nothing in CUDA's order of streams says so: a
//! synchronous copy was over, to the program, before it gave them anything. Here the copy may still
//! be under way then, and the program has not waited for it.

use super::Worker;
use super::frame::{Incoming, Refusal};
use outhaul_abi::types::*;
use outhaul_wire::effects::{self, effect};
use std::collections::HashSet;

/// A stream, by the number of its context and its handle: legacy streams have one handle.
type Key = (u16, u64);

/// The end of what goes first.
pub struct First {
    event: CUevent,
    context: u16,
    /// The device is not known to have passed it.
    is_under_way: bool,
    /// The stream that it is in, and those that stay behind it already.
    behind: HashSet<Key>,
}

impl Worker {
    /// What is in the stream now goes first.
    pub fn go_first(&mut self, stream: u64) -> Result<(), Refusal> {
        let raw = self.objects.stream(stream)?;
        let key = (self.current, stream);
        let before = self.first.take();
        if let Some(before) =
            before.as_ref().filter(|before| before.is_under_way && !before.behind.contains(&key))
        {
            // What went first before this is now behind it.
            // SAFETY: both are the session's own.
            unsafe { self.driver.cuStreamWaitEvent(raw, before.event, 0) }.ok()?;
        }
        let event = self.event_again(before)?;
        self.first = Some(First {
            event,
            context: self.current,
            is_under_way: true,
            behind: HashSet::from([key]),
        });
        // SAFETY: both are the session's own. Streams that wait for an earlier record go on doing
        // so.
        Ok(unsafe { self.driver.cuEventRecord(event, raw) }.ok()?)
    }

    /// An event of the present context: the one that there is, if it is of it.
    fn event_again(&self, before: Option<First>) -> Result<CUevent, Refusal> {
        if let Some(before) = before {
            if before.context == self.current {
                return Ok(before.event);
            }
            self.forget(before);
        }
        let mut event = CUevent::NULL;
        // SAFETY: the event goes to a local.
        unsafe { self.driver.cuEventCreate(&mut event, values::EVENT_DISABLE_TIMING) }.ok()?;
        Ok(event)
    }

    /// Has the command's stream wait for what goes first, if it uses the device's memory. One that
    /// captures runs nothing now.
    pub fn stay_behind(&mut self, incoming: &Incoming<'_>) {
        let Some(first) = self.first.as_mut().filter(|first| first.is_under_way) else { return };
        let (op, body) = (incoming.op(), incoming.body());
        let Some(stream) = effects::stream(op, body).filter(|_| effect(op).accesses) else {
            return;
        };
        let key = (self.current, stream);
        if first.behind.contains(&key) {
            return;
        }
        // SAFETY: the event is the session's own.
        if unsafe { self.driver.cuEventQuery(first.event) } == CUresult::SUCCESS {
            first.is_under_way = false;
            return;
        }
        let event = first.event;
        // A stream that is not there is refused when the command is carried out.
        let Ok(raw) = self.objects.stream(stream) else { return };
        if !matches!(self.capturing(raw), Ok(None)) {
            return;
        }
        // SAFETY: both are the session's own.
        let waits = unsafe { self.driver.cuStreamWaitEvent(raw, event, 0) };
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

    /// The event goes with its context.
    pub fn context_goes(&mut self, context: u16) {
        if let Some(first) = self.first.take_if(|first| first.context == context) {
            self.forget(first);
        }
    }

    fn forget(&self, first: First) {
        // SAFETY: the event is the session's own, and nobody has it any more. Streams that wait for
        // it go on doing so.
        let _ = unsafe { self.driver.cuEventDestroy_v2(first.event) };
    }
}
