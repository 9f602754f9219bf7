//! Host functions in a stream. They run in the client.

use crate::worker::io::frame::Refusal;
use crate::worker::state::Worker;
use crate::worker::streams::callbacks::{cancel, trampoline};
use outhaul_wire::messages::HostCallback;

impl Worker {
    /// Handles `HostCallback`.
    pub fn host_callback(&mut self, m: &HostCallback) -> Result<(), Refusal> {
        let stream = self.objects.stream(m.stream)?;
        if let Some(capturing) = self.capturing(stream)? {
            return self.capture_callback(m.callback, stream, capturing.raw);
        }
        let due = self.callbacks.due(m.callback);
        // SAFETY: the driver passes `due` to the trampoline once, when the stream has reached it.
        let result = unsafe { self.driver.cuLaunchHostFunc(stream, Some(trampoline), due) };
        result.ok().map_err(|code| {
            // SAFETY: the driver rejected the call, so it will not use `due`.
            unsafe { cancel(due) };
            Refusal::Driver(code)
        })
    }
}
