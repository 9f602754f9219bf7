//! Host callbacks. The worker reports the callback that the device has reached, after all data that
//! the callback may read. A separate thread runs it. The stream continues when the worker learns on
//! the lane of callbacks that it has returned.

use crate::base::absence;
use crate::base::log;
use crate::base::stats;
use crate::session::Session;
use crate::session::bulk::transfer::{HostBox, Standing};
use crate::session::connect::connection::SignalsHeld;
use crate::session::requests::{ASIDE, Slot};
use outhaul_abi::types::{CUresult, CUstream, CUstreamCallback};
use outhaul_lock::{Condvar, Mutex};
use outhaul_transport::{LaneError, LaneWriter};
use outhaul_wire::codec::{Call, Message};
use outhaul_wire::frame;
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::{CallbackDone, CaptureBytes};
use std::collections::{HashMap, VecDeque};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

#[derive(Clone)]
/// Something that runs on the client when a stream or a graph reaches it.
pub enum Callback {
    /// A function of `cuLaunchHostFunc`.
    Host { function: unsafe extern "C" fn(*mut c_void), data: *mut c_void },
    /// A function of `cuStreamAddCallback`.
    Stream { function: CUstreamCallback, stream: CUstream, data: *mut c_void },
    /// A captured copy that reads the program's memory.
    Fetch(HostBox),
    /// A captured copy to the program's memory, whose transfer lives as long as this.
    Store { target: HostBox, _right: Arc<Standing> },
    /// A captured copy within the program's memory.
    Copy { to: HostBox, from: HostBox },
    /// The destructor of a user object, with the object's handle.
    Destructor { function: unsafe extern "C" fn(*mut c_void), data: *mut c_void, object: u64 },
}

// SAFETY: CUDA runs callbacks on a thread of the driver, and programs expect that of their data.
unsafe impl Send for Callback {}

impl Callback {
    fn run(self, id: u64, session: &'static Session) {
        // SAFETY: the program promised that function and data are valid for this call.
        unsafe {
            match self {
                Callback::Host { function, data } => {
                    session.events.run_callback(session, &mut || function(data))
                }
                Callback::Stream { function: Some(function), stream, data } => {
                    session.events.run_callback(session, &mut || {
                        function(stream, CUresult::SUCCESS, data);
                    });
                }
                Callback::Destructor { function, data, .. } => function(data),
                Callback::Fetch(source) => {
                    if let Err(code) = session.twins.after_wait(session) {
                        session.deferred.note(code);
                    }
                    fetch(id, &source, session);
                }
                Callback::Copy { to, from } => {
                    session.events.run_callback(session, &mut || copy_rows(&to, &from))
                }
                Callback::Stream { function: None, .. } | Callback::Store { .. } => {}
            }
        }
    }
}

/// Sends what the program's memory contains now.
///
/// # Safety
/// The box is readable.
unsafe fn fetch(callback: u64, source: &HostBox, session: &Session) {
    session.events.before_read(source.span());
    let mut offset = 0;
    for row in 0..source.rows {
        // SAFETY: a row of the box.
        let row = unsafe {
            std::slice::from_raw_parts(
                source.address.add(row * source.pitch_bytes),
                source.width_bytes,
            )
        };
        for piece in row.chunks(PIECE_BYTES) {
            // Other threads report a lost session.
            let _ = session.callbacks.say(&CaptureBytes { callback, offset }, piece);
            offset += piece.len() as u64;
        }
    }
}

/// Copies the rows of `from` to `to`.
///
/// # Safety
/// `from` is readable and `to` writable, with as many rows of the same width.
unsafe fn copy_rows(to: &HostBox, from: &HostBox) {
    for row in 0..to.rows {
        // SAFETY: rows of the boxes, which may overlap.
        unsafe {
            std::ptr::copy(
                from.address.add(row * from.pitch_bytes),
                to.address.add(row * to.pitch_bytes),
                to.width_bytes,
            )
        };
    }
}

struct Entry {
    callback: Callback,
    /// Whether it runs at every launch of a graph. `wait_all` does not wait for it.
    standing: bool,
}

/// A message of the worker about a callback.
enum Word {
    Run(u64),
    Forget(u64),
}

#[derive(Default)]
/// The callbacks of one session, and the lane of callbacks.
pub struct Callbacks {
    /// The session's second lane, which no command holds up. Each thread writes its own messages.
    writer: Mutex<Option<LaneWriter>>,
    state: Mutex<State>,
    ended: Condvar,
    arrived: Condvar,
    returned: AtomicU64,
    questions: AtomicU64,
}

#[derive(Default)]
struct State {
    next: u64,
    due: HashMap<u64, Entry>,
    /// Messages in the order in which they came.
    ready: VecDeque<Word>,
    /// Callbacks that were entered and have not returned.
    open: usize,
    lost: bool,
}

impl Callbacks {
    /// Starts with the writing half of the lane of callbacks.
    pub fn new(writer: LaneWriter) -> Callbacks {
        Callbacks { writer: Mutex::new(Some(writer)), ..Callbacks::default() }
    }

    /// Sends a message on the lane of callbacks.
    pub fn say<'a>(&self, message: &impl Message<'a>, payload: &[u8]) -> Result<(), LaneError> {
        let mut head = Vec::new();
        frame::append(&mut head, message, 0, 0, payload.len());
        self.write(&[&head, payload])
    }

    /// Sends frames on the lane of callbacks.
    pub fn say_frames(&self, frames: &[u8]) -> Result<(), LaneError> {
        self.write(&[frames])
    }

    /// Sends a question on the lane of callbacks. The answer comes to the returned slot.
    pub fn question<'a, M: Message<'a> + Call>(&self, session: &Session, message: &M) -> Arc<Slot> {
        self.ask_as(session, message, |sequence, slot| session.calls.expect(sequence, slot))
    }

    /// Asks what the device has changed, on the lane of callbacks. The answer goes to the session's
    /// `Looks` under `number`.
    pub fn question_look<'a, M: Message<'a> + Call>(
        &self,
        session: &'static Session,
        message: &M,
        number: u64,
    ) {
        self.ask_as(session, message, |sequence, slot| {
            session.calls.expect_look(sequence, slot, &session.looks, number)
        });
    }

    fn ask_as<'a, M: Message<'a> + Call>(
        &self,
        session: &Session,
        message: &M,
        expect: impl FnOnce(u64, Arc<Slot>),
    ) -> Arc<Slot> {
        let slot = Arc::new(Slot::default());
        let sequence = ASIDE | self.questions.fetch_add(1, Relaxed);
        expect(sequence, slot.clone());
        let mut head = Vec::new();
        frame::append(&mut head, message, 0, sequence, 0);
        if self.write(&[&head]).is_err() || session.deferred.is_lost() {
            session.calls.fail_all();
        }
        slot
    }

    fn write(&self, pieces: &[&[u8]]) -> Result<(), LaneError> {
        stats::sent(pieces.iter().map(|piece| piece.len()).sum());
        // A signal handler must not touch absent memory while its thread holds the lock: it would
        // wait for a thread that writes here too.
        let _held = absence::is_in_use().then(SignalsHeld::new);
        match &mut *self.writer.lock() {
            Some(writer) => writer.write(pieces),
            None => Err(LaneError::Closed),
        }
    }

    fn lock(&self) -> outhaul_lock::MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Enters a callback that runs once. Returns its number.
    pub fn enter(&self, callback: Callback) -> u64 {
        let mut state = self.lock();
        state.next += 1;
        state.open += 1;
        let id = state.next;
        state.due.insert(id, Entry { callback, standing: false });
        id
    }

    /// Enters a callback that runs at each launch of a graph, until the worker says that none
    /// follows.
    pub fn stand(&self, callback: Callback) -> u64 {
        let mut state = self.lock();
        state.next += 1;
        let id = state.next;
        state.due.insert(id, Entry { callback, standing: true });
        id
    }

    /// Returns a callback that runs at each launch of a graph.
    pub fn standing(&self, id: u64) -> Option<Callback> {
        self.lock().due.get(&id).filter(|entry| entry.standing).map(|entry| entry.callback.clone())
    }

    /// Whether copies of a graph read this memory.
    pub fn is_fetched(&self, memory: &HostBox) -> bool {
        self.lock().due.values().any(|entry| {
            matches!(&entry.callback, Callback::Fetch(source)
            if source.meets(memory.span()))
        })
    }

    /// Removes a callback that was not posted.
    pub fn withdraw(&self, id: u64) {
        let mut state = self.lock();
        if state.due.remove(&id).is_some_and(|entry| !entry.standing) {
            state.open -= 1;
        }
    }

    /// Blocks until every callback that was entered has returned, because the next copy may read
    /// what a callback writes.
    pub fn wait_all(&self) {
        let mut state = self.lock();
        while state.open > 0 && !state.lost {
            state = self.ended.wait(state);
        }
    }

    /// Notes that the device has reached a callback.
    pub fn arrive(&self, id: u64) {
        self.lock().ready.push_back(Word::Run(id));
        self.arrived.notify_one();
    }

    /// Notes that no stream or graph will reach a callback any more.
    pub fn forget(&self, id: u64) {
        self.lock().ready.push_back(Word::Forget(id));
        self.arrived.notify_one();
    }

    /// Blocks for the worker's next message. Returns none once the session is lost.
    fn next(&self) -> Option<Word> {
        let mut state = self.lock();
        loop {
            if let Some(word) = state.ready.pop_front() {
                return Some(word);
            }
            if state.lost {
                return None;
            }
            state = self.arrived.wait(state);
        }
    }

    /// Makes what callbacks wrote before the worker learnt of their end visible to a thread that
    /// acts on the messages that follow. As with `Outbox::fence`, that order runs through the
    /// worker.
    pub fn see_returned(&self) {
        self.returned.load(Acquire);
    }

    fn run(&self, id: u64, session: &'static Session) {
        let mut state = self.lock();
        let standing = state.due.get(&id).is_some_and(|entry| entry.standing);
        let callback = if standing {
            state.due.get(&id).map(|e| e.callback.clone())
        } else {
            state.due.remove(&id).map(|e| e.callback)
        };
        drop(state);
        match callback {
            Some(callback) => {
                callback.run(id, session);
                if !standing {
                    self.lock().open -= 1;
                    self.ended.notify_all();
                }
            }
            None => log::note(|| format!("the node asked for callback {id}, which does not exist")),
        }
    }

    /// Drops the callbacks that have not run, because their context broke.
    pub fn give_up(&self) {
        let mut state = self.lock();
        state.open -= state.due.values().filter(|entry| !entry.standing).count();
        state.due.clear();
        self.ended.notify_all();
    }

    /// Wakes all threads that wait, because the session is lost.
    pub fn fail_all(&self) {
        self.lock().lost = true;
        self.ended.notify_all();
        self.arrived.notify_all();
    }
}

/// Runs the loop of the thread that runs callbacks.
pub fn run_all(session: &'static Session) {
    while let Some(word) = session.callbacks.next() {
        let callback = match word {
            Word::Run(callback) => callback,
            Word::Forget(id) => {
                let entry = session.callbacks.lock().due.remove(&id);
                if let Some(Entry { callback: Callback::Destructor { object, .. }, .. }) = entry {
                    session.events.user_object_ended(object);
                }
                continue;
            }
        };
        session.outbox.fence();
        session.callbacks.run(callback, session);
        session.callbacks.returned.fetch_add(1, Release);
        if session.callbacks.say(&CallbackDone { callback }, &[]).is_err() {
            return;
        }
    }
}
