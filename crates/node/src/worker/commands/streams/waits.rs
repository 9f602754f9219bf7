//! Waits for work of the device. None of them blocks the thread of commands.

use crate::worker::driver::staging::Mark;
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::state::Worker;
use outhaul_abi::Driver;
use outhaul_abi::types::CUresult;
use std::sync::Arc;

impl Worker {
    /// Returns a mark after the present work of a stream. The stream itself cannot be waited for:
    /// it may later contain a callback that waits for data after this command.
    pub fn mark_waited_for(&mut self, stream: u64) -> Result<Arc<Mark>, Refusal> {
        let stream = self.objects.stream(stream)?;
        let context = self.context()?;
        if self.capturing(stream)?.is_some() {
            // The driver refuses this and invalidates the capture, as natively.
            // SAFETY: the stream is the session's own.
            unsafe { self.driver.cuStreamSynchronize(stream) }.ok()?;
        }
        Ok(Mark::after(&self.carrier.staging, context, stream)?)
    }

    /// Returns a mark after all work of the context, for a wait that the program has not asked for.
    /// A wait for an event invalidates no capture that begins meanwhile, as a wait for the context
    /// would.
    pub fn mark_unless_capturing(&self, is_implicit: bool) -> Result<Option<Arc<Mark>>, Refusal> {
        if !is_implicit {
            return Ok(None);
        }
        if self.graphs.is_capturing() {
            return Err(CUresult::NOT_READY.into());
        }
        // An older driver does not support events of contexts.
        Ok(Mark::after_all(&self.carrier.staging, self.context()?).ok())
    }

    /// Waits in a thread of its own, then replies.
    pub fn wait_then_answer(
        &self,
        ticket: Ticket,
        wait: impl FnOnce(&Driver) -> CUresult + Send + 'static,
    ) {
        let Ok(context) = self.context() else { return ticket.fail(CUresult::INVALID_CONTEXT) };
        let carrier = self.carrier.clone();
        self.carrier.waiters.run(move || {
            // SAFETY: the context is the session's own.
            let _ = unsafe { carrier.driver.cuCtxSetCurrent(context) };
            let status = wait(&carrier.driver);
            carrier.answer(&ticket, status);
        });
    }
}
