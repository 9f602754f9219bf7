//! Makes streams wait for another stream's work, although CUDA's stream order does not require
//! that. With a native driver, a synchronous copy has ended before the program submits its next
//! work. Here the copy may still be in progress, because the program has not waited for it.

use crate::worker::io::frame::{Incoming, Refusal};
use crate::worker::scheduling::implicit_order::ImplicitOrder;
use crate::worker::state::Worker;
use outhaul_abi::types::*;
use outhaul_wire::effects::{self, effect};
use std::collections::HashSet;

impl Worker {
    /// Makes other streams wait for this stream's present work.
    pub fn order_first(&mut self, stream: u64) -> Result<(), Refusal> {
        let raw = self.objects.stream(stream)?;
        let key = (self.current, stream);
        let before = self.first.take();
        if let Some(before) =
            before.as_ref().filter(|before| before.is_under_way && !before.ordered.contains(&key))
        {
            // This stream's work must follow the earlier work for which other streams wait. SAFETY:
            // both handles are the session's own.
            unsafe { self.driver.cuStreamWaitEvent(raw, before.event, 0) }.ok()?;
        }
        let event = self.event_again(before)?;
        self.first = Some(ImplicitOrder {
            event,
            context: self.current,
            is_under_way: true,
            ordered: HashSet::from([key]),
        });
        // SAFETY: both handles are the session's own. Streams that wait for an earlier record of
        // the event continue to do so.
        Ok(unsafe { self.driver.cuEventRecord(event, raw) }.ok()?)
    }

    /// Returns an event of the current context, and reuses the event in `before` if it belongs to
    /// that context.
    fn event_again(&self, before: Option<ImplicitOrder>) -> Result<CUevent, Refusal> {
        if let Some(before) = before {
            if before.context == self.current {
                return Ok(before.event);
            }
            self.forget(before);
        }
        let mut event = CUevent::NULL;
        // SAFETY: the out-pointer is a local.
        unsafe { self.driver.cuEventCreate(&mut event, values::EVENT_DISABLE_TIMING) }.ok()?;
        Ok(event)
    }

    /// If the command uses device memory, makes its stream wait for the work in `first`. Skips a
    /// capturing stream, which executes nothing now.
    pub fn apply_implicit_order(&mut self, incoming: &Incoming<'_>) {
        let Some(first) = self.first.as_mut().filter(|first| first.is_under_way) else { return };
        let (op, body) = (incoming.op(), incoming.body());
        let Some(stream) = effects::stream(op, body).filter(|_| effect(op).accesses) else {
            return;
        };
        let key = (self.current, stream);
        if first.ordered.contains(&key) {
            return;
        }
        // SAFETY: the event is the session's own.
        if unsafe { self.driver.cuEventQuery(first.event) } == CUresult::SUCCESS {
            first.is_under_way = false;
            return;
        }
        let event = first.event;
        // An unknown stream is rejected when the command is executed.
        let Ok(raw) = self.objects.stream(stream) else { return };
        if !matches!(self.capturing(raw), Ok(None)) {
            return;
        }
        // SAFETY: both handles are the session's own.
        let waits = unsafe { self.driver.cuStreamWaitEvent(raw, event, 0) };
        if waits == CUresult::SUCCESS
            && let Some(first) = &mut self.first
        {
            first.ordered.insert(key);
        }
    }

    /// Forgets a stream that is being destroyed, because its handle may later belong to another
    /// stream, which must wait too.
    pub fn forget_ordered_stream(&mut self, stream: u64) {
        if let Some(first) = &mut self.first {
            first.ordered.remove(&(self.current, stream));
        }
    }

    /// Forgets the event of a context that is being destroyed.
    pub fn forget_ordered_context(&mut self, context: u16) {
        if let Some(first) = self.first.take_if(|first| first.context == context) {
            self.forget(first);
        }
    }

    fn forget(&self, first: ImplicitOrder) {
        // SAFETY: the event is the session's own, and no other code uses it any more. Streams that
        // wait for it continue to do so.
        let _ = unsafe { self.driver.cuEventDestroy_v2(first.event) };
    }
}
