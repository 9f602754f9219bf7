//! The one session of this process, and the three ways to use it: post, call, and a call whose answer is remembered.

use crate::api::array::{Array, MipmappedArray};
use crate::api::sharing::Sharing;
use crate::api::texture::Textures;
use crate::api::virtual_memory::Physical;
use crate::arena::Arena;
use crate::bulk::BulkLanes;
use crate::callbacks::Callbacks;
use crate::calls::{Calls, Slot};
use crate::connection;
use crate::context::{self, Context, Primary};
use crate::deferred::Deferred;
use crate::facts::Facts;
use crate::function::{Function, Module};
use crate::graph::{Captures, Exec, Graph};
use crate::host_memory::HostMemory;
use crate::log;
use crate::mirror::Mirrors;
use crate::outbox::{Outbox, Payload};
use crate::peers::Peers;
use crate::pool::Pool;
use crate::slab::Slab;
use crate::stream::{Event, Stream};
use crate::transfer::Transfers;
use outhaul_abi::managed::Hints;
use outhaul_abi::types::{CUfunction, CUresult};
use outhaul_transport::{Lane, Passage};
use outhaul_wire::codec::{Call, Field, Message, Reader};
use outhaul_wire::handle::{Handle, Kind};
use outhaul_wire::messages::Barrier;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::sync::{Arc, Mutex, MutexGuard, Once, Weak};

pub struct Session {
    pub facts: Facts,
    pub outbox: Outbox,
    pub calls: Calls,
    pub transfers: Transfers,
    pub deferred: Deferred,
    pub callbacks: Callbacks,
    pub host: HostMemory,
    pub bulk: BulkLanes,
    pub arenas: Vec<Mutex<Arena>>,
    pub peers: Peers,
    pub sharing: Sharing,
    pub primaries: Vec<Mutex<Primary>>,
    pub contexts: Slab<Context>,
    pub streams: Slab<Stream>,
    pub events: Slab<Event>,
    pub modules: Slab<Module>,
    pub libraries: Slab<Module>,
    pub functions: Slab<Function>,
    pub kernels: Slab<Function>,
    pub pools: Slab<Pool>,
    pub physical: Slab<Physical>,
    pub graphs: Slab<Graph>,
    pub execs: Slab<Exec>,
    pub user_objects: Slab<u64>,
    pub captures: Captures,
    pub mirrors: Mirrors,
    /// What the program said of its managed memory.
    hints: Mutex<Hints>,
    pub links: Slab<crate::api::link::Link>,
    pub arrays: Slab<Array>,
    pub mipmapped_arrays: Slab<MipmappedArray>,
    pub textures: Textures,
    /// Variables of modules, which lie wherever the node's driver put them: address and size.
    pub globals: Mutex<BTreeMap<u64, u64>>,
    memo: Memo,
    ids: AtomicU64,
}

/// What this process has begun: a session, or the reason why there is none. Never freed: threads and handles refer to it.
static BEGUN: AtomicPtr<Result<Session, CUresult>> = AtomicPtr::new(std::ptr::null_mut());
/// The same, once cuInit has been called: until then a session serves questions that need no cuInit.
static STARTED: AtomicPtr<Result<Session, CUresult>> = AtomicPtr::new(std::ptr::null_mut());
static BEGINNING: Mutex<()> = Mutex::new(());
/// Set in a child that was forked after cuInit: what it knows of CUDA is the parent's.
static FORKED: AtomicBool = AtomicBool::new(false);

fn at(place: &AtomicPtr<Result<Session, CUresult>>) -> Result<&'static Session, CUresult> {
    // SAFETY: null, or leaked by `begin` and never changed since.
    match unsafe { place.load(Acquire).as_ref() } {
        Some(result) => result.as_ref().map_err(|code| *code),
        None => Err(CUresult::NOT_INITIALIZED),
    }
}

/// The session, if cuInit has been called.
pub fn session() -> Result<&'static Session, CUresult> {
    at(&STARTED)
}

/// The session, if it has begun for whatever reason.
pub fn begun() -> Result<&'static Session, CUresult> {
    at(&BEGUN)
}

/// The body of cuInit.
pub fn start() -> Result<(), CUresult> {
    static STARTING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = STARTING.lock().unwrap_or_else(|e| e.into_inner());
    if is_forked() {
        return Err(CUresult::NOT_INITIALIZED);
    }
    if STARTED.load(Acquire).is_null() && begin().is_ok_and(|session| !session.facts.is_current()) {
        // Only now does CUDA look at what the program may see; the first session is left to NVML's earlier questions.
        BEGUN.store(std::ptr::null_mut(), Release);
    }
    let begun = begin();
    if begun.is_ok_and(|session| session.facts.devices.is_empty()) {
        return Err(CUresult::NO_DEVICE);
    }
    STARTED.store(BEGUN.load(Acquire), Release);
    begun.map(|_| ())
}

/// Opens the session unless there is one. Says on stderr why it fails, once.
pub fn begin() -> Result<&'static Session, CUresult> {
    let _one_at_a_time = BEGINNING.lock().unwrap_or_else(|e| e.into_inner());
    if !BEGUN.load(Acquire).is_null() {
        return begun();
    }
    let mut connection = None;
    let result = match connection::open() {
        Ok(mut opened) => {
            let facts = std::mem::take(&mut opened.facts);
            let (passage, bulk) = (opened.passage.take(), std::mem::take(&mut opened.bulk));
            connection = Some(opened);
            Session::new(facts, passage, bulk)
        }
        Err(reason) => {
            log::warn(&reason);
            Err(CUresult::NO_DEVICE)
        }
    };
    watch_forks();
    BEGUN.store(Box::into_raw(Box::new(result)), Release);
    let session = begun()?;
    if let Some(connection) = connection {
        connection.start(session);
    }
    Ok(session)
}

fn watch_forks() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the handler reads a result that never changes and stores to atomics.
        unsafe { libc::pthread_atfork(None, None, Some(forked)) };
    });
}

/// In the child of a fork: its parent's session is not its own. If the parent had not called cuInit, the child may, and begins one of its own.
extern "C" fn forked() {
    let started = STARTED.swap(std::ptr::null_mut(), AcqRel);
    // SAFETY: null, or leaked by `begin`.
    if unsafe { started.as_ref() }.is_some_and(Result::is_ok) {
        FORKED.store(true, Relaxed);
    }
    BEGUN.store(std::ptr::null_mut(), Release);
}

impl Session {
    fn new(facts: Facts, passage: Option<Passage>, bulk: Vec<Lane>) -> Result<Session, CUresult> {
        let mut session = Session {
            outbox: Outbox::new(),
            calls: Calls::default(),
            transfers: Transfers::default(),
            deferred: Deferred::default(),
            callbacks: Callbacks::default(),
            host: HostMemory::new(passage),
            bulk: BulkLanes::new(bulk),
            arenas: Vec::new(),
            peers: Peers::default(),
            sharing: Sharing::default(),
            primaries: Vec::new(),
            contexts: Slab::new(Kind::Context),
            streams: Slab::new(Kind::Stream),
            events: Slab::new(Kind::Event),
            modules: Slab::new(Kind::Module),
            libraries: Slab::new(Kind::Library),
            functions: Slab::new(Kind::Function),
            kernels: Slab::new(Kind::Kernel),
            pools: Slab::new(Kind::Pool),
            physical: Slab::new(Kind::Memory),
            graphs: Slab::new(Kind::Graph),
            execs: Slab::new(Kind::GraphExec),
            user_objects: Slab::new(Kind::UserObject),
            captures: Captures::default(),
            mirrors: Mirrors::default(),
            hints: Mutex::default(),
            links: Slab::new(Kind::Link),
            arrays: Slab::new(Kind::Array),
            mipmapped_arrays: Slab::new(Kind::MipmappedArray),
            textures: Textures::default(),
            globals: Mutex::default(),
            memo: Memo::default(),
            ids: AtomicU64::new(1),
            facts,
        };
        for (ordinal, device) in session.facts.devices.iter().enumerate() {
            let arena = Arena::new(device.arena_base, device.arena_bytes, device.granularity_bytes, device.granted_bytes);
            session.arenas.push(Mutex::new(arena));
            let context = session.new_context(ordinal as i32, true, 0)?;
            let pool = session.pools.insert(|handle| Pool::new(handle, ordinal as i32))?;
            let primary = Primary { context, retained: 0, active: false, flags: 0, default_pool: pool.clone(), current_pool: pool };
            session.primaries.push(Mutex::new(primary));
        }
        Ok(session)
    }

    pub fn hints(&self) -> MutexGuard<'_, Hints> {
        self.hints.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// A number that no other object has.
    pub fn next_id(&self) -> u64 {
        self.ids.fetch_add(1, Relaxed)
    }

    /// A context that the worker does not know yet.
    pub fn new_context(&self, device: i32, primary: bool, flags: u32) -> Result<Arc<Context>, CUresult> {
        let id = self.next_id();
        self.contexts.insert(|handle| Context {
            handle,
            index: Handle::unpack(handle).map_or(0, |h| h.index as u16 + 1),
            device,
            primary,
            id,
            api_version: 3020,
            flags: flags.into(),
            destroyed: AtomicBool::new(false),
            legacy: Arc::new(Stream::new(0, Weak::new(), 0, 0, 0)),
            limits: Mutex::default(),
            cache_config: 0.into(),
            shared_config: 0.into(),
        })
    }

    /// The variable that an address lies in: where it begins, and its bytes.
    pub fn global(&self, address: u64) -> Option<(u64, u64)> {
        let globals = self.globals.lock().unwrap_or_else(|e| e.into_inner());
        let (start, bytes) = globals.range(..=address).next_back()?;
        (address < start + bytes).then_some((*start, *bytes))
    }

    /// A CUfunction or a CUkernel.
    pub fn function(&self, handle: u64) -> Result<Arc<Function>, CUresult> {
        self.functions.get(handle).or_else(|| self.kernels.get(handle)).ok_or(CUresult::INVALID_HANDLE)
    }

    /// An error that came by itself. A broken context runs no more callbacks.
    pub fn note_fault(&self, code: CUresult) {
        self.deferred.note(code);
        if code.is_sticky() {
            self.callbacks.give_up();
        }
    }

    /// The session is over: whoever waits goes on with an error.
    pub fn lose(&self, reason: &str) {
        if self.deferred.lose() {
            log::warn(reason);
        }
        self.outbox.close();
        self.bulk.close();
        self.calls.fail_all();
        self.transfers.fail_all();
        self.callbacks.fail_all();
    }
}

/// Sends a message in the calling thread's context.
pub fn post<'a, M: Message<'a>>(message: &M) -> Result<(), CUresult> {
    let context = context::with_current(|c| Ok(c.index))?;
    post_in(context, message)
}

/// Sends a message in the context of that index.
pub fn post_in<'a, M: Message<'a>>(context: u16, message: &M) -> Result<(), CUresult> {
    let session = session()?;
    session.deferred.check()?;
    session.outbox.post(message, context, Payload::None)?;
    settle_capture(session)
}

/// Sends a message with a payload.
pub fn post_payload<'a, M: Message<'a>>(context: u16, message: &M, payload: Payload<'_>) -> Result<(), CUresult> {
    let session = session()?;
    session.deferred.check()?;
    session.outbox.post(message, context, payload)?;
    settle_capture(session)
}

/// What cannot be captured fails at the call, as natively, so while a stream captures nothing is posted without looking.
fn settle_capture(session: &Session) -> Result<(), CUresult> {
    if session.captures.any() { barrier() } else { Ok(()) }
}

/// Waits until the worker has carried out what was posted, and gives the error of a post that failed.
pub fn barrier() -> Result<(), CUresult> {
    ask_in(0, &Barrier {}).and_then(|(status, _)| status.ok())
}

/// Sends a message in the calling thread's context and waits.
pub fn ask<'a, M: Message<'a> + Call>(message: &M) -> Result<(CUresult, Vec<u8>), CUresult> {
    ask_in(context::with_current(|c| Ok(c.index))?, message)
}

/// Sends a message in the context of that index (0: none) and waits. The code comes with whatever the worker sent beside it.
pub fn ask_in<'a, M: Message<'a> + Call>(context: u16, message: &M) -> Result<(CUresult, Vec<u8>), CUresult> {
    let session = session()?;
    session.deferred.check()?;
    let (status, body) = send(session, context, message)?;
    if status == CUresult::SUCCESS {
        session.deferred.check()?;
    }
    Ok((status, body))
}

/// Sends a message beside the program's work: it has no context, and neither meets nor takes the errors that its work left.
pub fn ask_aside<'a, M: Message<'a> + Call>(session: &Session, message: &M) -> Result<(CUresult, Vec<u8>), CUresult> {
    send(session, 0, message)
}

fn send<'a, M: Message<'a> + Call>(session: &Session, context: u16, message: &M) -> Result<(CUresult, Vec<u8>), CUresult> {
    let slot = Arc::new(Slot::default());
    session.outbox.call(message, context, |sequence| session.calls.expect(sequence, slot.clone()))?;
    if session.deferred.is_lost() {
        // The connection may have ended between the post and the failing of all calls.
        session.calls.fail_all();
    }
    Ok(slot.wait())
}

/// Sends a message, waits, and reads the answer.
pub fn call_in<'a, M: Message<'a> + Call, T>(
    context: u16,
    message: &M,
    read: impl for<'r> FnOnce(M::Reply<'r>) -> Result<T, CUresult>,
) -> Result<T, CUresult> {
    let (status, body) = ask_in(context, message)?;
    status.ok()?;
    read(Reader::new(&body).whole().map_err(|_| CUresult::UNKNOWN)?)
}

/// As `call_in`, in the calling thread's context.
pub fn call<'a, M: Message<'a> + Call, T>(
    message: &M,
    read: impl for<'r> FnOnce(M::Reply<'r>) -> Result<T, CUresult>,
) -> Result<T, CUresult> {
    call_in(context::with_current(|c| Ok(c.index))?, message, read)
}

/// Questions that a memo remembers. A program that asks more different ones asks again, which costs time and nothing else.
const QUESTIONS_MAX: usize = 4096;

/// Answers by question: what is asked once is remembered.
#[derive(Default)]
pub struct Memo(Mutex<HashMap<Vec<u8>, Vec<u8>>>);

impl Memo {
    fn get(&self, question: &[u8]) -> Option<Vec<u8>> {
        self.0.lock().unwrap_or_else(|e| e.into_inner()).get(question).cloned()
    }

    fn put(&self, question: Vec<u8>, answer: Vec<u8>) {
        let mut answers = self.0.lock().unwrap_or_else(|e| e.into_inner());
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
    call_remembered(&session()?.memo, Vec::new(), message, read)
}

/// As `call_memo`, for a question about a function, whose answer holds for the attributes that the function has now.
pub fn call_memo_of<'a, M: Message<'a> + Call>(
    function: CUfunction,
    message: &M,
    read: impl for<'r> FnOnce(M::Reply<'r>) -> Result<(), CUresult>,
) -> Result<(), CUresult> {
    let function = session()?.function(function.0 as u64)?;
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
    context::with_current(|c| Ok(c.index))?.put(&mut question);
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

/// Whether this process is a fork of one that had called cuInit.
pub fn is_forked() -> bool {
    FORKED.load(Relaxed)
}
