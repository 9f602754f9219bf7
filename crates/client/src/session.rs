//! The session with one node, and the three ways to send a message: a post, a call that blocks for
//! its reply, and a call whose reply goes to a callback.

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
use crate::base::threads;
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

/// A session with one node. A session object lives until the process ends.
pub struct Session {
    /// Index of the node among the program's nodes; handles contain it.
    pub number: u8,
    /// The node's address, as the user wrote it.
    pub node: String,
    /// Random name, unique among sessions.
    pub name: [u8; 16],
    /// Queue of commands to the worker.
    pub outbox: Outbox,
    /// Calls that wait for their replies.
    pub calls: PendingCalls,
    /// Copies to the program's memory that are in flight.
    pub transfers: Transfers,
    /// Sequence number of the last post that writes the program's memory, or reads it later,
    /// without a thread that waits.
    touching: AtomicU64,
    /// Sequence number of the last frame that made a stream wait for another stream's work.
    joined: AtomicU64,
    /// Errors of posts, which the next call reports.
    pub deferred: PendingErrors,
    /// Host callbacks, and their lane.
    pub callbacks: Callbacks,
    /// Lanes for the data of large copies.
    pub bulk: BulkLanes,
    /// The lanes' heartbeats.
    pub life: Heartbeat,
    /// Allocates pinned memory that the worker maps too.
    pub segments: HostSegments,
    /// Pinned memory whose copies on both sides are kept equal by messages.
    pub replicas: Replicas,
    /// Replies to queries about what the device has changed.
    pub change_replies: ChangeReplies,
    /// Sizes in bytes of module variables, by address. The node's driver chooses the addresses, so
    /// they may be outside the arenas.
    pub globals: Mutex<BTreeMap<u64, u64>>,
    /// State of the captures on the program's streams.
    pub captures: Arc<CaptureTracker>,
    /// Receives the session's reports.
    pub events: &'static dyn SessionEvents,
    /// Cached answers to the program's queries.
    pub answer_cache: AnswerCache,
    reported_loss: Once,
}

impl Session {
    /// Notes that frame `sequence` reads or writes the program's memory. A thread that waits for a
    /// copy must also wait for this frame, as it would natively.
    pub fn note_touching(&self, sequence: u64) {
        self.touching.fetch_max(sequence, SeqCst);
    }

    /// Returns the sequence number of the last frame that `note_touching` noted.
    pub fn touching(&self) -> u64 {
        self.touching.load(SeqCst)
    }

    /// Notes that the frame sent last makes a stream wait for another stream's work.
    pub fn note_joined(&self) {
        self.joined.fetch_max(self.outbox.last(), SeqCst);
    }

    /// Returns the sequence number of the last frame that `note_joined` noted.
    pub fn joined(&self) -> u64 {
        self.joined.load(SeqCst)
    }

    /// Returns the start address and the size in bytes of the module variable that contains
    /// `address`.
    pub fn global(&self, address: u64) -> Option<(u64, u64)> {
        let globals = self.globals.lock();
        let (start, bytes) = globals.range(..=address).next_back()?;
        (address < start + bytes).then_some((*start, *bytes))
    }

    /// Notes an error that no call returned. After a sticky error, which breaks the context, no
    /// more callbacks run.
    pub fn note_fault(&self, code: CUresult) {
        self.mark_captures_uncertain();
        self.deferred.note(code);
        if code.is_sticky() {
            self.callbacks.give_up();
        }
    }

    /// Makes active captures check for errors, because an error may have invalidated what they
    /// recorded.
    fn mark_captures_uncertain(&self) {
        if self.captures.any() {
            self.captures.mark_uncertain();
        }
    }

    /// Sends a message that is independent of the program's work, and blocks for the reply. The
    /// message has no context. The call neither returns nor consumes errors that the program's work
    /// left.
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
            // The session may have been lost after this call was registered and after `fail_all`
            // ran.
            self.calls.fail_all();
        }
        let (status, body) = slot.wait();
        Ok(Response { status, body, message: PhantomData })
    }

    /// Ends the session in an orderly way because the program ends. Suppresses the warning about a
    /// lost session.
    pub fn end(&self) {
        self.reported_loss.call_once(|| ());
        self.life.send_goodbye();
    }

    /// Starts a thread that this session cannot do without. The session is lost if that fails,
    /// because calls would wait for the thread forever.
    pub fn start_thread(&self, name: &str, body: impl FnOnce() + Send + 'static) {
        if !threads::spawn(name, body) {
            self.lose("one of its threads cannot start");
        }
    }

    /// Marks the session as lost and prints why. Threads that wait for the node resume with an
    /// error.
    pub fn lose(&self, reason: &str) {
        // The warning comes first, because the program may end as soon as a call fails.
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
        // Wakes the threads that are blocked in reads or writes.
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

/// Where a command goes: a session, and a context of that session.
#[derive(Clone, Copy)]
pub struct Target {
    /// Session to send to.
    pub session: &'static Session,
    /// The context's index in the session, or 0 for no context.
    pub context: u16,
}

impl Target {
    /// Posts a message. Fails, and sends nothing, if an earlier post left an error.
    pub fn post<'a, M: Message<'a>>(self, message: &M) -> Result<(), CUresult> {
        self.post_payload(message, Payload::None).map(drop)
    }

    /// Posts a message with a payload, and returns the frame's sequence number. Fails, and sends
    /// nothing, if an earlier post left an error.
    pub fn post_payload<'a, M: Message<'a>>(
        self,
        message: &M,
        payload: Payload<'_>,
    ) -> Result<u64, CUresult> {
        self.session.deferred.check()?;
        let sequence = self.session.outbox.post(message, self.context, payload)?;
        // A call that cannot be captured must fail at once, as it does natively. So during a
        // capture a barrier follows each post that the node may refuse to capture.
        let captures = &self.session.captures;
        if captures.any() && !captures.accepts(message) {
            self.barrier()?;
        }
        Ok(sequence)
    }

    /// Sends a message and blocks for the reply. Fails with an error that an earlier post left.
    pub fn call<'a, M: Message<'a> + Call>(self, message: &M) -> Result<Response<M>, CUresult> {
        self.call_as(message, |sequence, slot| self.session.calls.expect(sequence, slot))
    }

    /// Calls as `call` does, to ask what the device has changed. Returns the reply's status.
    /// `ChangeReplies` keeps the reply under `number`.
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

    /// Sends a message without waiting for the reply. `then` receives the reply's status, or
    /// `LOST`.
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

    /// Blocks until the worker has executed all earlier posts. Fails with the error of a post that
    /// failed.
    pub fn barrier(self) -> Result<(), CUresult> {
        Target { context: 0, ..self }.call(&Barrier {})?.ok()?;
        match self.session.deferred.take_invalidated() {
            true => Err(CUresult::STREAM_CAPTURE_INVALIDATED),
            false => Ok(()),
        }
    }
}

/// The reply to a call.
pub struct Response<M> {
    /// The reply's status.
    pub status: CUresult,
    /// Encoded body of the reply.
    pub body: Vec<u8>,
    message: PhantomData<M>,
}

impl<M: Call> Response<M> {
    /// Fails with the reply's status unless that is success.
    pub fn ok(&self) -> Result<(), CUresult> {
        self.status.ok()
    }

    /// Decodes the reply and passes it to `read`. Fails with the reply's status, or with `UNKNOWN`
    /// if the body is malformed.
    pub fn read<T>(
        &self,
        read: impl for<'r> FnOnce(M::Reply<'r>) -> Result<T, CUresult>,
    ) -> Result<T, CUresult> {
        self.ok()?;
        read(Reader::new(&self.body).whole().map_err(|_| CUresult::UNKNOWN)?)
    }
}

/// Maximum number of answers that the cache keeps. A full cache is cleared, which costs only time.
const QUESTIONS_MAX: usize = 4096;

/// Cached answers by query, both encoded.
#[derive(Default)]
pub struct AnswerCache(Mutex<HashMap<Vec<u8>, Vec<u8>>>);

impl AnswerCache {
    /// Returns the cached answer to `question`.
    pub fn get(&self, question: &[u8]) -> Option<Vec<u8>> {
        self.0.lock().get(question).cloned()
    }

    /// Caches an answer. Clears the cache first if it is full.
    pub fn put(&self, question: Vec<u8>, answer: Vec<u8>) {
        let mut answers = self.0.lock();
        if answers.len() >= QUESTIONS_MAX {
            answers.clear();
        }
        answers.insert(question, answer);
    }
}
