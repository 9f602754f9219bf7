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

/// Receives the code of an answer for which no thread waits. It runs on the thread that reads the
/// lane, so it must not block.
pub type OnReply = Box<dyn FnOnce(CUresult) + Send>;

#[derive(Default)]
/// The open calls of a session.
pub struct PendingCalls {
    waiting: Mutex<HashMap<u64, Waiting>>,
    /// Calls on the lane of callbacks have their own lock. The thread that serves page faults asks
    /// there, perhaps for a signal handler of a thread that holds the other lock.
    on_callback_lane: Mutex<HashMap<u64, Waiting>>,
}

/// First sequence number of questions on the lane of callbacks. No command's frame has such a
/// number.
pub const CALLBACK_LANE_SEQUENCE: u64 = 1 << 63;

enum Waiting {
    Thread(Arc<ReplySlot>),
    Continuation(OnReply),
    /// A question about what the device has changed, with its number. The answer goes to
    /// `ChangeReplies`, where the first thread that asks takes it. The sender of the question
    /// receives only the code.
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
/// Where a thread waits for one answer.
pub struct ReplySlot {
    arrived: AtomicBool,
    answer: Mutex<Option<Answer>>,
    changed: Condvar,
}

impl ReplySlot {
    /// Stores the answer and wakes the thread.
    pub fn put(&self, answer: Answer) {
        *self.answer.lock() = Some(answer);
        self.arrived.store(true, Release);
        self.changed.notify_all();
    }

    /// Blocks until the answer comes.
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
    /// Gives the answer to the slot.
    pub fn expect(&self, sequence: u64, slot: Arc<ReplySlot>) {
        self.lock(sequence).insert(sequence, Waiting::Thread(slot));
    }

    /// Gives the code of the answer to `then`, on the thread that reads.
    pub fn expect_then(&self, sequence: u64, then: OnReply) {
        self.lock(sequence).insert(sequence, Waiting::Continuation(then));
    }

    /// Gives the answer to `change_replies` under `number`, and its code to the slot.
    pub fn expect_changes(
        &self,
        sequence: u64,
        slot: Arc<ReplySlot>,
        change_replies: &'static ChangeReplies,
        number: u64,
    ) {
        self.lock(sequence).insert(sequence, Waiting::Changes(slot, change_replies, number));
    }

    /// Passes an answer on. Returns false if no call waits for it.
    pub fn answer(&self, sequence: u64, answer: Answer) -> bool {
        let waiting = self.lock(sequence).remove(&sequence);
        waiting.map(|waiting| waiting.put(answer)).is_some()
    }

    /// Answers all open calls with `LOST`.
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
