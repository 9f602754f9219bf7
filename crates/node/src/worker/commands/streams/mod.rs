//! Streams and events: creates, records, waits for, and destroys them.

pub mod callbacks;
pub mod gates;
pub mod sharing;
pub mod timing;
pub mod waits;

use crate::worker::driver::handle_history::if_live;
use crate::worker::driver::objects::{Event, QueueId, Stream};
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::state::Worker;
use crate::worker::streams::inline_task::StreamWait;
use outhaul_abi::types::{CUevent, CUresult, CUstream, values};
use outhaul_wire::messages::{
    Barrier, EventCreate, EventQuery, EventRecord, EventSynchronize, EventSynchronizeTimed,
    StreamCreate, StreamDestroy, StreamGoesFirst, StreamQuery, StreamSynchronize, StreamWaitEvent,
};

impl Worker {
    /// Handles `StreamCreate`.
    pub fn stream_create(&mut self, m: &StreamCreate) -> Result<(), Refusal> {
        let mut raw = CUstream::NULL;
        // SAFETY: the out-pointer is a local.
        let made = unsafe { self.driver.cuStreamCreateWithPriority(&mut raw, m.flags, m.priority) };
        let made = made.ok().and_then(|()| {
            self.charge_overhead(|driver| {
                // SAFETY: the stream is new, and nothing uses it.
                let _ = unsafe { driver.cuStreamDestroy_v2(raw) };
            })
        });
        let blocking = m.flags & values::STREAM_NON_BLOCKING == 0;
        self.objects.note_stream(blocking);
        self.objects.put_stream(
            m.stream,
            made.map(|()| Stream { raw, queue: QueueId::new(), blocking, context: self.current }),
        )
    }

    /// Handles `StreamDestroy`.
    pub fn stream_destroy(&mut self, m: &StreamDestroy) -> Result<(), Refusal> {
        // A thread's own default stream ends with the thread. Meanwhile another thread may have
        // destroyed the context, and the stream with it.
        let Some(stream) = if_live(self.objects.stream(m.stream))? else {
            return self.forget_stream(m.stream);
        };
        self.leave_stream(m.stream);
        self.forget_stream(m.stream)?;
        self.turns.forget_stream(stream);
        // SAFETY: the stream is the session's own and has left the table. The driver completes its
        // work.
        Ok(unsafe { self.driver.cuStreamDestroy_v2(stream) }.ok()?)
    }

    /// Forgets a stream, which the driver destroys now or has destroyed with its context.
    pub fn forget_stream(&mut self, stream: u64) -> Result<(), Refusal> {
        if_live(self.objects.remove(stream))?;
        if let Some(capture) = self.capture_over(stream) {
            self.capture_lost(&capture)?;
        }
        self.forget_ordered_stream(stream);
        Ok(())
    }

    /// Handles `StreamSynchronize`.
    pub fn stream_synchronize(
        &mut self,
        m: &StreamSynchronize,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        let mark = self.mark_waited_for(m.stream)?;
        self.carrier.enter_answer(StreamWait { mark, ticket: ticket.clone() });
        Ok(())
    }

    /// Handles `StreamQuery`.
    pub fn stream_query(&mut self, m: &StreamQuery, ticket: &Ticket) -> Result<(), Refusal> {
        let stream = self.objects.stream(m.stream)?;
        // SAFETY: the stream is the session's own.
        unsafe { self.driver.cuStreamQuery(stream) }.ok()?;
        self.carrier.answer_soon(ticket.clone());
        Ok(())
    }

    /// Handles `EventCreate`.
    pub fn event_create(&mut self, m: &EventCreate) -> Result<(), Refusal> {
        let mut raw = CUevent::NULL;
        // SAFETY: the out-pointer is a local.
        let made = unsafe { self.driver.cuEventCreate(&mut raw, m.flags) };
        self.objects.put_event(m.event, made.ok().map(|()| Event::new(raw, self.current)))
    }

    /// Handles `EventSynchronizeTimed`.
    pub fn event_synchronize_timed(
        &mut self,
        m: &EventSynchronizeTimed,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        self.await_timed(m, ticket.clone())
    }

    /// Handles `EventRecord`.
    pub fn event_record(&mut self, m: &EventRecord) -> Result<(), Refusal> {
        let event = self.objects.event(m.event)?;
        let stream = self.objects.stream(m.stream)?;
        // SAFETY: both handles are the session's own.
        let recorded = unsafe {
            if m.flags == 0 {
                self.driver.cuEventRecord(event, stream)
            } else {
                self.driver.cuEventRecordWithFlags(event, stream, m.flags)
            }
        };
        Ok(recorded.ok()?)
    }

    /// Handles `StreamWaitEvent`.
    pub fn stream_wait_event(&mut self, m: &StreamWaitEvent) -> Result<(), Refusal> {
        let stream = self.objects.stream(m.stream)?;
        let event = match self.objects.event(m.event) {
            // Destroying the event's context has waited for all work before the event.
            Err(Refusal::Driver(CUresult::CONTEXT_IS_DESTROYED)) => return Ok(()),
            found => found?,
        };
        // SAFETY: both handles are the session's own.
        Ok(unsafe { self.driver.cuStreamWaitEvent(stream, event, m.flags) }.ok()?)
    }

    /// Handles `EventSynchronize`.
    pub fn event_synchronize(
        &mut self,
        m: &EventSynchronize,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        let event = self.objects.event_object(m.event)?;
        self.wait_then_answer(ticket.clone(), move |driver| event.wait(driver));
        Ok(())
    }

    /// Handles `StreamGoesFirst`.
    pub fn stream_goes_first(&mut self, m: &StreamGoesFirst) -> Result<(), Refusal> {
        self.order_first(m.stream)
    }

    /// Handles `EventQuery`.
    pub fn event_query(&mut self, m: &EventQuery, ticket: &Ticket) -> Result<(), Refusal> {
        let event = self.objects.event(m.event)?;
        // SAFETY: the event is the session's own.
        unsafe { self.driver.cuEventQuery(event) }.ok()?;
        self.carrier.answer_soon(ticket.clone());
        Ok(())
    }

    /// Handles `Barrier`.
    pub fn barrier(&mut self, _: &Barrier, ticket: &Ticket) -> Result<(), Refusal> {
        ticket.answer(&());
        Ok(())
    }
}
