//! Waits for the device's work. No function here blocks the command thread.

use crate::worker::driver::staging::Mark;
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::state::Worker;
use outhaul_abi::Driver;
use outhaul_abi::types::CUresult;
use std::sync::Arc;

impl Worker {
    /// Returns a mark after a stream's present work. Waiting for the stream itself could deadlock,
    /// because it may later contain a callback that waits for data after this command.
    pub fn mark_waited_for(&mut self, stream: u64) -> Result<Arc<Mark>, Refusal> {
        let stream = self.objects.stream(stream)?;
        let context = self.context()?;
        if self.capturing(stream)?.is_some() {
            // The driver rejects this call and invalidates the capture, as it does natively.
            // SAFETY: the stream is the session's own.
            unsafe { self.driver.cuStreamSynchronize(stream) }.ok()?;
        }
        Ok(Mark::after(&self.carrier.staging, context, stream)?)
    }

    /// Returns a mark after all work of the context, for a wait that the program has not requested.
    /// Unlike a wait for the context, a wait for an event does not invalidate a capture that begins
    /// meanwhile.
    pub fn mark_unless_capturing(&self, is_implicit: bool) -> Result<Option<Arc<Mark>>, Refusal> {
        if !is_implicit {
            return Ok(None);
        }
        if self.graphs.is_capturing() {
            return Err(CUresult::NOT_READY.into());
        }
        // Older drivers do not support events of contexts, so an error means no mark.
        Ok(Mark::after_all(&self.carrier.staging, self.context()?).ok())
    }

    /// Waits in another thread, then replies.
    pub fn wait_then_answer(
        &self,
        ticket: Ticket,
        wait: impl FnOnce(&Driver) -> CUresult + Send + 'static,
    ) {
        let context = match self.current_context() {
            Ok(context) => context,
            Err(code) => return ticket.fail(code),
        };
        let carrier = self.carrier.clone();
        self.carrier.waiters.run(move || {
            // SAFETY: the context is the session's own.
            let _ = unsafe { carrier.driver.cuCtxSetCurrent(context) };
            let status = wait(&carrier.driver);
            carrier.answer(&ticket, status);
        });
    }
}
