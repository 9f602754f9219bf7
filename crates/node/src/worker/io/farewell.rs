//! Ends a session for a reason that the client should know. The client learns the reason before the
//! process ends.

use super::outbound::Outbound;
use super::threads;
use crate::worker::ending::end;
use crate::worker::log::log;
use std::sync::Arc;
use std::time::Duration;

/// Maximum time that a client that does not read delays the end of its session.
const FAREWELL_WAIT: Duration = Duration::from_secs(1);

/// Ends the session because the client violated the protocol. Reports the reason to the log and the
/// client while the lanes are open, because a client that sees them close may kill this process.
pub fn end_because(outbound: &Outbound, reason: &str) -> ! {
    log(&format!("the session ends: {reason}"));
    outbound.farewell(reason);
    end()
}

/// Ends the session even if the client does not read. Reports the reason to the log and the client.
pub fn end_at_once(outbound: &Arc<Outbound>, reason: String) -> ! {
    log(&format!("the session ends: {reason}"));
    let outbound = outbound.clone();
    let (sender, receiver) = std::sync::mpsc::channel();
    threads::start("farewell", move || {
        outbound.farewell(&reason);
        let _ = sender.send(());
    });
    let _ = receiver.recv_timeout(FAREWELL_WAIT);
    end()
}
