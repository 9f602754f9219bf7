//! The session with one node, and the three ways to use it: post, call, and a call whose answer is
//! remembered. A command goes to the session that the calling thread's context belongs to, unless
//! it is told another place.

use crate::bulk::BulkLanes;
use crate::callbacks::Callbacks;
use crate::calls::{Calls, Slot};
use crate::connection::Connection;
use crate::context;
use crate::deferred::{Deferred, LOST};
use crate::driver::{begun, driver};
use crate::host_segment::HostSegments;
use crate::life::Life;
use crate::log;
use crate::looks::Looks;
use crate::outbox::{Outbox, Payload};
use crate::transfer::Transfers;
use crate::twins::Twins;
use outhaul_abi::types::{CUfunction, CUresult};
use outhaul_lock::Mutex;
use outhaul_wire::codec::{Call, Field, Message, Reader};
use outhaul_wire::messages::Barrier;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Once};

pub struct Session {
    /// Its place among the program's nodes, which handles carry.
    pub number: u8,
    /// The node's address, as the user wrote it.
    pub node: String,
    /// That no other session has.
    pub name: [u8; 16],
    pub outbox: Outbox,
    pub calls: Calls,
    pub transfers: Transfers,
    /// The last frame that brings something to the program's memory, or is to read it later, and
    /// that nobody waited for when it was posted.
    touching: AtomicU64,
    /// The last frame by which a stream came to stand behind another one's work.
    joined: AtomicU64,
    pub deferred: Deferred,
    pub callbacks: Callbacks,
    pub bulk: BulkLanes,
    pub life: Life,
    pub segments: HostSegments,
    pub twins: Twins,
    pub looks: Looks,
    /// Variables of modules, which lie wherever the node's driver put them: address and size.
    pub globals: Mutex<BTreeMap<u64, u64>>,
    memo: Memo,
    said_lost: Once,
}

impl Session {
    /// Whoever waits for a copy natively finds that this is over, too.
    pub fn note_touching(&self, sequence: u64) {
        self.touching.fetch_max(sequence, SeqCst);
    }

    pub fn touching(&self) -> u64 {
        self.touching.load(SeqCst)
    }

    /// A stream has just come to stand behind another one's work.
    pub fn note_joined(&self) {
        self.joined.fetch_max(self.outbox.last(), SeqCst);
    }

    pub fn joined(&self) -> u64 {
        self.joined.load(SeqCst)
    }

    pub fn new(number: u8, connection: &mut Connection) -> Session {
        Session {
            number,
            node: connection.node.clone(),
            name: connection.name,
            life: connection.life(),
            outbox: Outbox::new(connection.level),
            calls: Calls::default(),
            transfers: Transfers::default(),
            touching: AtomicU64::new(0),
            joined: AtomicU64::new(0),
            deferred: Deferred::default(),
            callbacks: connection.callbacks.take().map_or_else(Callbacks::default, |lane| {
                connection.hearing = Some(lane.reader);
                Callbacks::new(lane.writer)
            }),
            bulk: BulkLanes::new(
                std::mem::take(&mut connection.bulk),
                connection.keeps_lanes,
                connection.may_pack,
            ),
            segments: HostSegments::new(connection.memory_socket.take()),
            twins: Twins::default(),
            looks: Looks::default(),
            globals: Mutex::default(),
            memo: Memo::default(),
            said_lost: Once::new(),
        }
    }

    /// The variable that an address lies in: where it begins, and its bytes.
    pub fn global(&self, address: u64) -> Option<(u64, u64)> {
        let globals = self.globals.lock();
        let (start, bytes) = globals.range(..=address).next_back()?;
        (address < start + bytes).then_some((*start, *bytes))
    }

    /// An error that came by itself. A broken context runs no more callbacks.
    pub fn note_fault(&self, code: CUresult) {
        doubt_captures();
        self.deferred.note(code);
        if code.is_sticky() {
            self.callbacks.give_up();
        }
    }

    /// The program ends, and its sessions in order with it. Nobody is to hear that they are lost.
    pub fn end(&self) {
        self.said_lost.call_once(|| ());
        self.life.say_goodbye();
    }

    /// The session is over: whoever waits goes on with an error.
    pub fn lose(&self, reason: &str) {
        // Said before any call fails: the program may end at once then.
        self.said_lost.call_once(|| {
            let what_fails = if context::several() {
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
        // Whoever reads or writes goes on.
        self.life.cut();
        self.outbox.close();
        self.bulk.close();
        self.calls.fail_all();
        self.transfers.fail_all();
        self.callbacks.fail_all();
        self.twins.fail_all();
        if let Ok(driver) = begun() {
            driver.crossings.lose(self);
        }
    }
}

/// An error may have spoilt what is being captured.
fn doubt_captures() {
    if let Ok(driver) = begun()
        && driver.captures.any()
    {
        driver.captures.participants.doubt();
    }
}

/// Where a command is carried out: a session, and the index of a context in it (0: none).
#[derive(Clone, Copy)]
pub struct Place {
    pub session: &'static Session,
    pub context: u16,
}

impl Place {
    pub fn post<'a, M: Message<'a>>(self, message: &M) -> Result<(), CUresult> {
        self.post_payload(message, Payload::None)
    }

    pub fn post_payload<'a, M: Message<'a>>(
        self,
        message: &M,
        payload: Payload<'_>,
    ) -> Result<(), CUresult> {
        self.post_numbered(message, payload).map(drop)
    }

    /// Gives the frame's sequence number.
    pub fn post_numbered<'a, M: Message<'a>>(
        self,
        message: &M,
        payload: Payload<'_>,
    ) -> Result<u64, CUresult> {
        let sequence = self.post_surely(message, payload)?;
        // What cannot be captured fails at the call, as natively, so while a stream captures
        // nothing is posted without looking that the node may refuse.
        let captures = &driver()?.captures;
        if captures.any() && !captures.participants.vouch_for(message) {
            self.barrier()?;
        }
        Ok(sequence)
    }

    /// As `post_numbered`, for what no capture has the node refuse.
    pub fn post_surely<'a, M: Message<'a>>(
        self,
        message: &M,
        payload: Payload<'_>,
    ) -> Result<u64, CUresult> {
        self.session.deferred.check()?;
        self.session.outbox.post(message, self.context, payload)
    }

    /// Waits until the worker has carried out what was posted, and gives the error of a post that
    /// failed.
    pub fn barrier(self) -> Result<(), CUresult> {
        Place { context: 0, ..self }.ask(&Barrier {}).and_then(|(status, _)| status.ok())
    }

    /// Sends a message and waits. The code comes with whatever the worker sent beside it.
    pub fn ask<'a, M: Message<'a> + Call>(
        self,
        message: &M,
    ) -> Result<(CUresult, Vec<u8>), CUresult> {
        self.ask_as(message, |sequence, slot| self.session.calls.expect(sequence, slot))
    }

    /// The same for a question for what the device has changed, whose answer goes to where such
    /// answers do. Gives how it ended.
    pub fn ask_look<'a, M: Message<'a> + Call>(
        self,
        message: &M,
        number: u64,
    ) -> Result<CUresult, CUresult> {
        let Session { calls, looks, .. } = self.session;
        self.ask_as(message, |sequence, slot| calls.expect_look(sequence, slot, looks, number))
            .map(|(status, _)| status)
    }

    fn ask_as<'a, M: Message<'a> + Call>(
        self,
        message: &M,
        expect: impl FnOnce(u64, Arc<Slot>),
    ) -> Result<(CUresult, Vec<u8>), CUresult> {
        self.session.deferred.check()?;
        let (status, body) = send(self.session, self.context, message, expect)?;
        match status {
            CUresult::SUCCESS => self.session.deferred.check()?,
            CUresult::NOT_READY => {}
            _ => doubt_captures(),
        }
        Ok((status, body))
    }

    /// Sends a message, waits, and reads the answer.
    pub fn call<'a, M: Message<'a> + Call, T>(
        self,
        message: &M,
        read: impl for<'r> FnOnce(M::Reply<'r>) -> Result<T, CUresult>,
    ) -> Result<T, CUresult> {
        let (status, body) = self.ask(message)?;
        status.ok()?;
        read(Reader::new(&body).whole().map_err(|_| CUresult::UNKNOWN)?)
    }
}

/// What is done with the code of an answer that nobody waits for. It runs on the thread that reads
/// the lane, so it may not wait either.
pub type Then = Box<dyn FnOnce(CUresult) + Send>;

impl Place {
    /// Sends a message, and goes on. `then` gets the answer's code, or that the session is lost.
    pub fn call_then<'a, M: Message<'a> + Call>(
        self,
        message: &M,
        then: impl FnOnce(CUresult) + Send + 'static,
    ) {
        let Place { session, context } = self;
        let mut then: Option<Then> = Some(Box::new(then));
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
}

/// Sends a message in the calling thread's context.
pub fn post<'a, M: Message<'a>>(message: &M) -> Result<(), CUresult> {
    context::place()?.post(message)
}

/// As `Place::barrier`, in the calling thread's context or wherever there is no need for one.
pub fn barrier() -> Result<(), CUresult> {
    context::place_or_none()?.barrier()
}

/// Sends a message in the calling thread's context and waits.
pub fn ask<'a, M: Message<'a> + Call>(message: &M) -> Result<(CUresult, Vec<u8>), CUresult> {
    context::place()?.ask(message)
}

/// As `Place::call`, in the calling thread's context.
pub fn call<'a, M: Message<'a> + Call, T>(
    message: &M,
    read: impl for<'r> FnOnce(M::Reply<'r>) -> Result<T, CUresult>,
) -> Result<T, CUresult> {
    context::place()?.call(message, read)
}

/// Sends a message beside the program's work: it has no context, and neither meets nor takes the
/// errors that its work left.
pub fn ask_aside<'a, M: Message<'a> + Call>(
    session: &Session,
    message: &M,
) -> Result<(CUresult, Vec<u8>), CUresult> {
    send(session, 0, message, |sequence, slot| session.calls.expect(sequence, slot))
}

fn send<'a, M: Message<'a> + Call>(
    session: &Session,
    context: u16,
    message: &M,
    expect: impl FnOnce(u64, Arc<Slot>),
) -> Result<(CUresult, Vec<u8>), CUresult> {
    let slot = Arc::new(Slot::default());
    session.outbox.call(message, context, |sequence| expect(sequence, slot.clone()))?;
    if session.deferred.is_lost() {
        // The connection may have ended between the post and the failing of all calls.
        session.calls.fail_all();
    }
    Ok(slot.wait())
}

/// Questions that a memo remembers. A program that asks more different ones asks again, which costs
/// time and nothing else.
const QUESTIONS_MAX: usize = 4096;

/// Answers by question: what is asked once is remembered.
#[derive(Default)]
pub struct Memo(Mutex<HashMap<Vec<u8>, Vec<u8>>>);

impl Memo {
    fn get(&self, question: &[u8]) -> Option<Vec<u8>> {
        self.0.lock().get(question).cloned()
    }

    fn put(&self, question: Vec<u8>, answer: Vec<u8>) {
        let mut answers = self.0.lock();
        if answers.len() >= QUESTIONS_MAX {
            answers.clear();
        }
        answers.insert(question, answer);
    }
}

/// As `call`, but the same question is asked once.
pub fn call_memo<'a, M: Message<'a> + Call>(
    message: &M,
    read: impl for<'r> FnOnce(M::Reply<'r>) -> Result<(), CUresult>,
) -> Result<(), CUresult> {
    call_remembered(&context::place()?.session.memo, Vec::new(), message, read)
}

/// As `call_memo`, for a question about a function, whose answer holds for the attributes that the
/// function has now.
pub fn call_memo_of<'a, M: Message<'a> + Call>(
    function: CUfunction,
    message: &M,
    read: impl for<'r> FnOnce(M::Reply<'r>) -> Result<(), CUresult>,
) -> Result<(), CUresult> {
    let function = driver()?.function(function.0 as u64)?;
    call_remembered(&function.memo, function.facts()?.attribute_bytes(), message, read)
}

/// `circumstances` are part of the question.
fn call_remembered<'a, M: Message<'a> + Call>(
    memo: &Memo,
    circumstances: Vec<u8>,
    message: &M,
    read: impl for<'r> FnOnce(M::Reply<'r>) -> Result<(), CUresult>,
) -> Result<(), CUresult> {
    let mut question = circumstances;
    context::place()?.context.put(&mut question);
    M::OP.put(&mut question);
    message.put(&mut question);
    let body = match memo.get(&question) {
        Some(body) => body,
        None => {
            let (status, body) = ask(message)?;
            status.ok()?;
            memo.put(question, body.clone());
            body
        }
    };
    read(Reader::new(&body).whole().map_err(|_| CUresult::UNKNOWN)?)
}
