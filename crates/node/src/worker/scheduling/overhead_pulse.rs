//! Charges a session with a limit each second for what the driver has taken on its devices, if the
//! session did anything meanwhile. Some memory is taken unasked: a heap at the first launch that
//! uses it, code that is loaded when it is first launched, a graph's memory. A launch cannot wait
//! for the driver's figure, so such memory is charged here, even beyond the limit. Further requests
//! are then refused.

use crate::worker::driver::waiters::Waiters;
use crate::worker::io::outbound::Outbound;
use crate::worker::memory::DriverMemory;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// The memories for which a session is charged each second.
pub struct OverheadPulse {
    memories: Vec<Arc<DriverMemory>>,
    outbound: Arc<Outbound>,
    waiters: Arc<Waiters>,
    /// Number of messages to the client at the last charge.
    seen: Cell<u64>,
    /// Whether a charge is under way, which lasts while the driver does not answer.
    is_charging: Arc<AtomicBool>,
}

impl OverheadPulse {
    /// Makes the pulse of a session with these memories.
    pub fn new(
        memories: Vec<Arc<DriverMemory>>,
        outbound: &Arc<Outbound>,
        waiters: &Arc<Waiters>,
    ) -> OverheadPulse {
        OverheadPulse {
            memories,
            outbound: outbound.clone(),
            waiters: waiters.clone(),
            seen: Cell::new(0),
            is_charging: Arc::default(),
        }
    }

    /// Charges the session in another thread, because the driver may not answer for long, and the
    /// caller has other duties. A session that has told its client nothing has done nothing either.
    /// A session without a limit is not asked about, so that it does not open NVML.
    pub fn beat(&self) {
        if !self.memories.iter().any(|memory| memory.is_limited()) {
            return;
        }
        let sent = self.outbound.messages_sent();
        if self.seen.replace(sent) == sent || self.is_charging.swap(true, SeqCst) {
            return;
        }
        let (memories, is_charging) = (self.memories.clone(), self.is_charging.clone());
        self.waiters.run(move || {
            memories.iter().for_each(|memory| memory.charge_anyway());
            is_charging.store(false, SeqCst);
        });
    }
}
