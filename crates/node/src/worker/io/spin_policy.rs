//! How long a worker spins for the next command before it sleeps. It is prompt for a program that
//! waits for its GPU. A program that only submits work sends it in bursts, and spinning between
//! them would cost a CPU.

use super::outbound::Outbound;
use outhaul_transport::os::spin::{SERVICE_SPIN, SUBMITTING_AFTER};
use outhaul_wire::effects::effect;
use std::time::{Duration, Instant};

/// State that decides how long to spin.
pub struct SpinPolicy {
    /// Whether the client waits for the result of the last command.
    is_waited_for: bool,
    /// Number of messages to the client at the last check.
    said: u64,
    told: Instant,
}

impl SpinPolicy {
    /// Begins as if the client had just got a message.
    pub fn new() -> SpinPolicy {
        SpinPolicy { is_waited_for: false, said: 0, told: Instant::now() }
    }

    /// Notes a command.
    pub fn note(&mut self, op: u16) {
        self.is_waited_for = effect(op).waits;
    }

    /// Returns how long to spin now, when there is no command.
    pub fn look(&mut self, outbound: &Outbound, now: Instant) -> Duration {
        let said = outbound.said();
        if std::mem::replace(&mut self.said, said) != said {
            self.told = now;
        }
        if self.is_waited_for || now.duration_since(self.told) < SUBMITTING_AFTER {
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
    fn who_waits_now_or_waited_a_moment_ago_is_looked_for() {
        let outbound = Outbound::new(LaneWriter::new(Box::new(std::io::sink())), 0);
        let (mut attention, start) = (SpinPolicy::new(), Instant::now());
        let later = start + 2 * SUBMITTING_AFTER;
        assert_eq!(attention.look(&outbound, start), SERVICE_SPIN, "at first");
        attention.note(EventRecord::OP);
        assert_eq!(attention.look(&outbound, later), Duration::ZERO, "it only gives work");
        attention.note(ContextSynchronize::OP);
        assert_eq!(attention.look(&outbound, later), SERVICE_SPIN, "it waits");
        attention.note(EventRecord::OP);
        outbound.reply(1, CUresult::SUCCESS, &[]);
        assert_eq!(attention.look(&outbound, later), SERVICE_SPIN, "it was answered");
        assert_eq!(attention.look(&outbound, later + SUBMITTING_AFTER / 2), SERVICE_SPIN);
        assert_eq!(attention.look(&outbound, later + SUBMITTING_AFTER), Duration::ZERO);
    }
}
