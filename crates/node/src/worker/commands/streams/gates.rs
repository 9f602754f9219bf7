//! Gates, at which a stream waits until something on another node has happened. Also marks, which
//! tell the client that something on this node has happened.

use crate::worker::commands::copies::copy::refuse_capture;
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::state::Worker;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_wire::messages::{EventMark, GateWait};

impl Worker {
    /// Handles `GateWait`.
    pub fn gate_wait(&mut self, m: &GateWait) -> Result<(), Refusal> {
        let waits = self.wait_at_gate(m);
        if let Err(Refusal::Driver(_)) = waits {
            self.gates.refuse(m.gate);
        }
        waits
    }

    fn wait_at_gate(&self, m: &GateWait) -> Result<(), Refusal> {
        let (context, stream) = (self.context()?, self.objects.stream(m.stream)?);
        refuse_capture(self, stream)?;
        self.gates.wait(m.gate, stream, context)
    }

    /// Handles `EventMark`.
    pub fn event_mark(&mut self, m: &EventMark, ticket: &Ticket) -> Result<(), Refusal> {
        mark(self, m, ticket.clone())
    }
}

/// Waits for the event's present record, and not for later ones: a temporary stream captures the
/// present record.
fn mark(worker: &mut Worker, m: &EventMark, ticket: Ticket) -> Result<(), Refusal> {
    let event = match worker.objects.event_object(m.event) {
        // Destroying the event's context has waited for all work before the event.
        Err(Refusal::Driver(CUresult::CONTEXT_IS_DESTROYED)) => {
            ticket.answer(&());
            return Ok(());
        }
        found => found?,
    };
    let context = worker.context()?;
    let (driver, staging) = (worker.driver.clone(), worker.carrier.staging.clone());
    let passed = staging.event(context)?;
    let mut stream = CUstream::NULL;
    // SAFETY: the out-pointer is a local; the events are the session's own.
    let recorded = unsafe {
        driver.cuStreamCreate(&mut stream, values::STREAM_NON_BLOCKING).ok().and_then(|()| {
            driver.cuStreamWaitEvent(stream, event.raw(), 0).ok()?;
            driver.cuEventRecord(passed, stream).ok()
        })
    };
    let finish = move |driver: &Driver| {
        if stream != CUstream::NULL {
            // SAFETY: the stream was created above; the driver completes its work.
            let _ = unsafe { driver.cuStreamDestroy_v2(stream) };
        }
        staging.put_event(context, passed);
    };
    if let Err(code) = recorded {
        finish(&driver);
        return Err(code.into());
    }
    worker.wait_then_answer(ticket, move |driver| {
        // SAFETY: only this thread uses the event.
        let result = unsafe { driver.cuEventSynchronize(passed) };
        finish(driver);
        result
    });
    Ok(())
}
