//! Calls that wait for their replies, by sequence number.

use crate::base::stats;
use crate::session::change_replies::{Answer, ChangeReplies};
use crate::session::pending_error::LOST;
use outhaul_abi::types::CUresult;
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_transport::os::spin::{PROGRAM_SPIN, spin};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};

/// Receives the status of a reply for which no thread waits. The thread that reads from the worker
/// invokes it, so it must not block.
pub type OnReply = Box<dyn FnOnce(CUresult) + Send>;

#[derive(Default)]
/// A session's calls that have no reply yet.
pub struct PendingCalls {
    waiting: Mutex<HashMap<u64, Waiting>>,
    /// Calls on the callback lane, which have their own lock. The thread that serves page
    /// faults makes such calls, perhaps for a signal handler of a thread that holds the other lock.
    on_callback_lane: Mutex<HashMap<u64, Waiting>>,
}

/// First sequence number of calls on the callback lane. Commands have smaller numbers.
pub const CALLBACK_LANE_SEQUENCE: u64 = 1 << 63;

enum Waiting {
    Thread(Arc<ReplySlot>),
    Continuation(OnReply),
    /// A query about what the device has changed, with its number. `ChangeReplies` receives the
    /// answer, and the first thread that takes one applies it. The slot receives only the status.
    Changes(Arc<ReplySlot>, &'static ChangeReplies, u64),
}

impl Waiting {
    fn put(self, answer: Answer) {
        match self {
            Waiting::Thread(slot) => slot.put(answer),
            Waiting::Continuation(then) => then(answer.0),
            Waiting::Changes(slot, change_replies, number) => {
                let status = answer.0;
                change_replies.put(number, answer);
                slot.put((status, Vec::new()));
            }
        }
    }
}

#[derive(Default)]
/// A slot in which one thread waits for one answer.
pub struct ReplySlot {
    arrived: AtomicBool,
    answer: Mutex<Option<Answer>>,
    changed: Condvar,
}

impl ReplySlot {
    /// Stores the answer, and wakes the thread.
    pub fn put(&self, answer: Answer) {
        *self.answer.lock() = Some(answer);
        self.arrived.store(true, Release);
        self.changed.notify_all();
    }

    /// Blocks until the answer arrives, and returns it.
    pub fn wait(&self) -> Answer {
        stats::waiting(|| {
            spin(PROGRAM_SPIN, || self.arrived.load(Acquire).then_some(()));
            let mut answer = self.answer.lock();
            loop {
                if let Some(answer) = answer.take() {
                    return answer;
                }
                answer = self.changed.wait(answer);
            }
        })
    }
}

impl PendingCalls {
    /// Makes `answer` put the reply with this sequence number into `slot`.
    pub fn expect(&self, sequence: u64, slot: Arc<ReplySlot>) {
        self.lock(sequence).insert(sequence, Waiting::Thread(slot));
    }

    /// Makes `answer` pass the status of the reply with this sequence number to `then`.
    pub fn expect_then(&self, sequence: u64, then: OnReply) {
        self.lock(sequence).insert(sequence, Waiting::Continuation(then));
    }

    /// Makes `answer` put the reply into `change_replies` under `number`, and its status into
    /// `slot`.
    pub fn expect_changes(
        &self,
        sequence: u64,
        slot: Arc<ReplySlot>,
        change_replies: &'static ChangeReplies,
        number: u64,
    ) {
        self.lock(sequence).insert(sequence, Waiting::Changes(slot, change_replies, number));
    }

    /// Passes an answer to the call that waits for it. Returns false if no call does.
    pub fn answer(&self, sequence: u64, answer: Answer) -> bool {
        let waiting = self.lock(sequence).remove(&sequence);
        waiting.map(|waiting| waiting.put(answer)).is_some()
    }

    /// Answers all waiting calls with `LOST`.
    pub fn fail_all(&self) {
        for calls in [&self.waiting, &self.on_callback_lane] {
            let waiting = std::mem::take(&mut *calls.lock());
            for (_, waiting) in waiting {
                waiting.put((LOST, Vec::new()));
            }
        }
    }

    fn lock(&self, sequence: u64) -> MutexGuard<'_, HashMap<u64, Waiting>> {
        if sequence < CALLBACK_LANE_SEQUENCE {
            self.waiting.lock()
        } else {
            self.on_callback_lane.lock()
        }
    }
}
