//! The time between events, which the client requests, or receives at the end of a wait. Events
//! that a thread still queries outlive their destruction by the client.

use crate::worker::driver::handle_history::if_live;
use crate::worker::driver::objects::Event;
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::state::Worker;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_wire::codec::List;
use outhaul_wire::limits::EVENT_STARTS_MAX;
use outhaul_wire::messages::*;

fn elapsed(driver: &Driver, start: CUevent, end: CUevent) -> Result<f32, CUresult> {
    let mut milliseconds = 0.0;
    // SAFETY: both events are the session's own, and the out-pointer is a local.
    unsafe { driver.cuEventElapsedTime(&mut milliseconds, start, end) }.ok()?;
    Ok(milliseconds)
}

impl Worker {
    /// Handles `EventDestroy`.
    pub fn event_destroy(&mut self, m: &EventDestroy) -> Result<(), Refusal> {
        let event = self.objects.event_object(m.event);
        self.objects.remove(m.event)?;
        // The driver does not know an event whose creation failed or whose context was destroyed.
        self.leaving_events.extend(event);
        let free = self.leaving_events.extract_if(.., |event| !event.is_in_use());
        // SAFETY: the events are the session's own, have left the table, and no thread queries
        // them.
        let destroyed: Vec<CUresult> =
            free.map(|event| unsafe { self.driver.cuEventDestroy_v2(event.raw()) }).collect();
        Ok(destroyed.into_iter().try_for_each(CUresult::ok)?)
    }

    /// Handles `EventElapsed`.
    pub fn event_elapsed(&mut self, m: &EventElapsed, ticket: &Ticket) -> Result<(), Refusal> {
        let (start, end) = (self.objects.event(m.start)?, self.objects.event(m.end)?);
        ticket.answer(&EventElapsedReply { milliseconds: elapsed(&self.driver, start, end)? });
        Ok(())
    }

    /// Waits for an event in another thread, and answers with the times since other events.
    pub fn await_timed(
        &mut self,
        m: &EventSynchronizeTimed,
        ticket: Ticket,
    ) -> Result<(), Refusal> {
        if m.starts.0.len() > EVENT_STARTS_MAX {
            return Err(Refusal::Violation(format!("{} events before one", m.starts.0.len())));
        }
        let (event, context) = (self.objects.event_object(m.event)?, self.context()?);
        // The client chose the starts, so other threads of the program may have destroyed them.
        let starts = m.starts.0.iter().map(|start| if_live(self.objects.event_object(*start)));
        let starts = starts.collect::<Result<Vec<_>, _>>()?;
        let carrier = self.carrier.clone();
        self.carrier.waiters.run(move || {
            // SAFETY: the context is the session's own.
            let _ = unsafe { carrier.driver.cuCtxSetCurrent(context) };
            let status = event.wait(&carrier.driver);
            if status != CUresult::SUCCESS {
                return carrier.answer(&ticket, status);
            }
            let before = |start: &Option<Event>| {
                let start = start.as_ref()?;
                elapsed(&carrier.driver, start.raw(), event.raw()).ok()
            };
            let milliseconds =
                List(starts.iter().map(|start| before(start).unwrap_or(f32::NAN)).collect());
            carrier.answer_passed(&ticket, &EventSynchronizeTimedReply { milliseconds });
        });
        Ok(())
    }
}
