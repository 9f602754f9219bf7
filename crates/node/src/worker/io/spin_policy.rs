//! Decides how long a worker spins for the next command before it sleeps. Spinning makes the worker
//! prompt for a program that waits for its GPU. A program that only submits work sends it in
//! bursts, and spinning between the bursts would waste a CPU.

use super::outbound::Outbound;
use outhaul_transport::os::spin::{SERVICE_SPIN, SUBMITTING_AFTER};
use outhaul_wire::effects::effect;
use std::time::{Duration, Instant};

/// State that decides how long to spin.
pub struct SpinPolicy {
    /// Whether the client waits for the last command's result.
    is_waited_for: bool,
    /// Value of the message counter at the last check.
    messages_sent: u64,
    last_sent: Instant,
}

impl SpinPolicy {
    /// Starts as if the client had just received a message.
    pub fn new() -> SpinPolicy {
        SpinPolicy { is_waited_for: false, messages_sent: 0, last_sent: Instant::now() }
    }

    /// Notes a command.
    pub fn note(&mut self, op: u16) {
        self.is_waited_for = effect(op).waits;
    }

    /// Returns how long to spin now that no command has arrived.
    pub fn limit(&mut self, outbound: &Outbound, now: Instant) -> Duration {
        let messages_sent = outbound.messages_sent();
        if std::mem::replace(&mut self.messages_sent, messages_sent) != messages_sent {
            self.last_sent = now;
        }
        if self.is_waited_for || now.duration_since(self.last_sent) < SUBMITTING_AFTER {
            SERVICE_SPIN
        } else {
            Duration::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outhaul_abi::types::CUresult;
    use outhaul_transport::LaneWriter;
    use outhaul_wire::codec::Message;
    use outhaul_wire::messages::{ContextSynchronize, EventRecord};

    #[test]
    fn the_worker_spins_for_a_client_that_waits_or_waited_a_moment_ago() {
        let outbound = Outbound::new(LaneWriter::new(Box::new(std::io::sink())), 0);
        let (mut policy, start) = (SpinPolicy::new(), Instant::now());
        let later = start + 2 * SUBMITTING_AFTER;
        assert_eq!(policy.limit(&outbound, start), SERVICE_SPIN, "at first");
        policy.note(EventRecord::OP);
        assert_eq!(policy.limit(&outbound, later), Duration::ZERO, "it only gives work");
        policy.note(ContextSynchronize::OP);
        assert_eq!(policy.limit(&outbound, later), SERVICE_SPIN, "it waits");
        policy.note(EventRecord::OP);
        outbound.reply(1, CUresult::SUCCESS, &[]);
        assert_eq!(policy.limit(&outbound, later), SERVICE_SPIN, "it was answered");
        assert_eq!(policy.limit(&outbound, later + SUBMITTING_AFTER / 2), SERVICE_SPIN);
        assert_eq!(policy.limit(&outbound, later + SUBMITTING_AFTER), Duration::ZERO);
    }
}
