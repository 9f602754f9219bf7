//! The session with one node, and the three ways to send to it: post, call, and a call whose answer
//! is remembered. A command goes to the session of the calling thread's context unless the caller
//! gives a place.

pub mod capture_tracker;
pub mod change_replies;
pub mod connect;
pub mod replicas;

pub mod bulk;
pub mod callback_thread;
pub mod callbacks;
pub mod host_segment;
pub mod host_segments;
pub mod inbox;
pub mod outbox;
pub mod pending_calls;
pub mod pending_error;
pub mod session_reports;
pub mod stream_progress;

use crate::base::log;
use crate::session::bulk::lanes::BulkLanes;
use crate::session::bulk::transfer::Transfers;
use crate::session::callbacks::Callbacks;
use crate::session::capture_tracker::CaptureTracker;
use crate::session::change_replies::ChangeReplies;
use crate::session::connect::heartbeat::Heartbeat;
use crate::session::host_segments::HostSegments;
use crate::session::outbox::{Outbox, Payload};
use crate::session::pending_calls::{OnReply, PendingCalls, ReplySlot};
use crate::session::pending_error::{LOST, PendingErrors};
use crate::session::replicas::state::Replicas;
use crate::session::session_reports::SessionEvents;
use outhaul_abi::types::CUresult;
use outhaul_lock::Mutex;
use outhaul_wire::codec::{Call, Message, Reader};
use outhaul_wire::messages::Barrier;
use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Once};

/// A session with one node. Sessions live until the process ends.
pub struct Session {
    /// Index among the program's nodes, which handles contain.
    pub number: u8,
    /// The node's address, as the user wrote it.
    pub node: String,
    /// Random name that no other session has.
    pub name: [u8; 16],
    /// Queue of commands to the worker.
    pub outbox: Outbox,
    /// Calls that wait for replies.
    pub calls: PendingCalls,
    /// Copies to the program's memory that are open.
    pub transfers: Transfers,
    /// The last frame of a post that writes the program's memory or that reads it later. No thread
    /// waited for it when it was posted.
    touching: AtomicU64,
    /// The last frame that made a stream wait for another stream's work.
    joined: AtomicU64,
    /// Errors to report at the next call.
    pub deferred: PendingErrors,
    /// Host callbacks, and the lane that carries them.
    pub callbacks: Callbacks,
    /// Lanes for the bytes of large copies.
    pub bulk: BulkLanes,
    /// Heartbeats of the lanes.
    pub life: Heartbeat,
    /// Makes pinned memory that the worker maps too.
    pub segments: HostSegments,
    /// Pinned memory that is kept equal on both sides by messages.
    pub replicas: Replicas,
    /// Answers to questions about what the device has changed.
    pub change_replies: ChangeReplies,
    /// Variables of modules by address, with their bytes. The node's driver chooses the addresses,
    /// so they can be outside of the arenas.
    pub globals: Mutex<BTreeMap<u64, u64>>,
    /// Which streams of the program capture.
    pub captures: Arc<CaptureTracker>,
    /// Receives what the session reports.
    pub events: &'static dyn SessionEvents,
    /// Answers that the program's questions get without the node.
    pub answer_cache: AnswerCache,
    reported_loss: Once,
}

impl Session {
    /// Notes that the frame touches the program's memory. A thread that waits for a copy must also
    /// find this frame completed, as natively.
    pub fn note_touching(&self, sequence: u64) {
        self.touching.fetch_max(sequence, SeqCst);
    }

    /// The last frame that `note_touching` noted.
    pub fn touching(&self) -> u64 {
        self.touching.load(SeqCst)
    }

    /// Notes that a stream now waits for another stream's work.
    pub fn note_joined(&self) {
        self.joined.fetch_max(self.outbox.last(), SeqCst);
    }

    /// The last frame that `note_joined` noted.
    pub fn joined(&self) -> u64 {
        self.joined.load(SeqCst)
    }

    /// Returns the module variable that contains the address: its first address and its bytes.
    pub fn global(&self, address: u64) -> Option<(u64, u64)> {
        let globals = self.globals.lock();
        let (start, bytes) = globals.range(..=address).next_back()?;
        (address < start + bytes).then_some((*start, *bytes))
    }

    /// Notes an error that no call returned. A broken context runs no more callbacks.
    pub fn note_fault(&self, code: CUresult) {
        self.mark_captures_uncertain();
        self.deferred.note(code);
        if code.is_sticky() {
            self.callbacks.give_up();
        }
    }

    /// Makes captures check for errors, because an error may have spoilt what they capture.
    fn mark_captures_uncertain(&self) {
        if self.captures.any() {
            self.captures.mark_uncertain();
        }
    }

    /// Sends a message outside of the program's work, and blocks for the answer. It has no
    /// context, and neither returns nor consumes the errors that the program's work left.
    pub fn call_apart<'a, M: Message<'a> + Call>(
        &self,
        message: &M,
    ) -> Result<Response<M>, CUresult> {
        self.call(message, 0, |sequence, slot| self.calls.expect(sequence, slot))
    }

    fn call<'a, M: Message<'a> + Call>(
        &self,
        message: &M,
        context: u16,
        expect: impl FnOnce(u64, Arc<ReplySlot>),
    ) -> Result<Response<M>, CUresult> {
        let slot = Arc::new(ReplySlot::default());
        self.outbox.call(message, context, |sequence| expect(sequence, slot.clone()))?;
        if self.deferred.is_lost() {
            // The connection may have ended after the post and before `fail_all`.
            self.calls.fail_all();
        }
        let (status, body) = slot.wait();
        Ok(Response { status, body, message: PhantomData })
    }

    /// Ends the session in order, because the program ends. Prints no message about a lost session.
    pub fn end(&self) {
        self.reported_loss.call_once(|| ());
        self.life.send_goodbye();
    }

    /// Ends the session. Threads that wait continue with an error.
    pub fn lose(&self, reason: &str) {
        // The message comes before any call fails: the program may end at once then.
        self.reported_loss.call_once(|| {
            let what_fails = if self.events.sessions().len() > 1 {
                "every CUDA call that needs it now fails"
            } else {
                "every CUDA call now fails"
            };
            log::warn(&format!(
                "the session with {} is lost ({reason}): {what_fails}; start the program again",
                self.node
            ));
        });
        self.deferred.lose();
        // Wakes the threads that read or write.
        self.life.cut();
        self.outbox.close();
        self.bulk.close();
        self.calls.fail_all();
        self.transfers.fail_all();
        self.callbacks.fail_all();
        self.replicas.fail_all();
        self.events.lost(self);
    }
}

/// The target of a command: a session, and the index of a context in it (0: none).
#[derive(Clone, Copy)]
pub struct Target {
    /// Session to send to.
    pub session: &'static Session,
    /// Index of the context, or 0.
    pub context: u16,
}

impl Target {
    /// Posts a message. Returns an error that an earlier post left.
    pub fn post<'a, M: Message<'a>>(self, message: &M) -> Result<(), CUresult> {
        self.post_payload(message, Payload::None).map(drop)
    }

    /// Posts a message with a payload, and returns the frame's sequence number.
    pub fn post_payload<'a, M: Message<'a>>(
        self,
        message: &M,
        payload: Payload<'_>,
    ) -> Result<u64, CUresult> {
        self.session.deferred.check()?;
        let sequence = self.session.outbox.post(message, self.context, payload)?;
        // A call that cannot be captured must fail at once, as natively. So while a stream
        // captures, each post whose capture the node may refuse is followed by a barrier.
        let captures = &self.session.captures;
        if captures.any() && !captures.accepts(message) {
            self.barrier()?;
        }
        Ok(sequence)
    }

    /// Sends a message and blocks for the answer. Returns an error that an earlier post left.
    pub fn call<'a, M: Message<'a> + Call>(self, message: &M) -> Result<Response<M>, CUresult> {
        self.call_as(message, |sequence, slot| self.session.calls.expect(sequence, slot))
    }

    /// Asks what the device has changed, as `call` does. The answer goes to `ChangeReplies` under
    /// `number`. Returns its code.
    pub fn call_for_changes<'a, M: Message<'a> + Call>(
        self,
        message: &M,
        number: u64,
    ) -> Result<CUresult, CUresult> {
        let Session { calls, change_replies, .. } = self.session;
        let expect = |sequence, slot| calls.expect_changes(sequence, slot, change_replies, number);
        Ok(self.call_as(message, expect)?.status)
    }

    fn call_as<'a, M: Message<'a> + Call>(
        self,
        message: &M,
        expect: impl FnOnce(u64, Arc<ReplySlot>),
    ) -> Result<Response<M>, CUresult> {
        self.session.deferred.check()?;
        let response = self.session.call(message, self.context, expect)?;
        match response.status {
            CUresult::SUCCESS => self.session.deferred.check()?,
            CUresult::NOT_READY => {}
            _ => self.session.mark_captures_uncertain(),
        }
        Ok(response)
    }

    /// Sends a message without waiting. `then` receives the code of the answer, or `LOST`.
    pub fn call_then<'a, M: Message<'a> + Call>(
        self,
        message: &M,
        then: impl FnOnce(CUresult) + Send + 'static,
    ) {
        let Target { session, context } = self;
        let mut then: Option<OnReply> = Some(Box::new(then));
        let expect = |sequence| {
            then.take().into_iter().for_each(|then| session.calls.expect_then(sequence, then))
        };
        let _ = session.outbox.call(message, context, expect);
        if let Some(then) = then {
            then(LOST);
        }
        if session.deferred.is_lost() {
            session.calls.fail_all();
        }
    }

    /// Blocks until the worker has executed all posts so far. Returns the error of a post that
    /// failed.
    pub fn barrier(self) -> Result<(), CUresult> {
        Target { context: 0, ..self }.call(&Barrier {})?.ok()
    }
}

/// The answer to a call.
pub struct Response<M> {
    /// Code of the answer.
    pub status: CUresult,
    /// Encoded reply.
    pub body: Vec<u8>,
    message: PhantomData<M>,
}

impl<M: Call> Response<M> {
    /// Fails with the code of the answer, unless that is success.
    pub fn ok(&self) -> Result<(), CUresult> {
        self.status.ok()
    }

    /// Reads the reply. Fails with the code of the answer, and with `UNKNOWN` if the body is
    /// malformed.
    pub fn read<T>(
        &self,
        read: impl for<'r> FnOnce(M::Reply<'r>) -> Result<T, CUresult>,
    ) -> Result<T, CUresult> {
        self.ok()?;
        read(Reader::new(&self.body).whole().map_err(|_| CUresult::UNKNOWN)?)
    }
}

/// Most questions that a answer_cache remembers. When it is full it forgets all, which costs only
/// time.
const QUESTIONS_MAX: usize = 4096;

/// Remembered answers by question.
#[derive(Default)]
pub struct AnswerCache(Mutex<HashMap<Vec<u8>, Vec<u8>>>);

impl AnswerCache {
    /// Returns the answer to a question.
    pub fn get(&self, question: &[u8]) -> Option<Vec<u8>> {
        self.0.lock().get(question).cloned()
    }

    /// Remembers an answer.
    pub fn put(&self, question: Vec<u8>, answer: Vec<u8>) {
        let mut answers = self.0.lock();
        if answers.len() >= QUESTIONS_MAX {
            answers.clear();
        }
        answers.insert(question, answer);
    }
}
