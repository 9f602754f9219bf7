//! Host callbacks. The worker reports the callback that the device has reached, after all data that
//! the callback may read. A separate thread runs it. The stream continues when the worker learns on
//! the lane of callbacks that it has returned.

use crate::base::movable_pages;
use crate::base::stats;
use crate::base::threads::SignalsHeld;
use crate::session::bulk::transfer::{HostBox, PersistentTransfer};
use outhaul_abi::types::{CUstream, CUstreamCallback};
use outhaul_lock::{Condvar, Mutex};
use outhaul_transport::{LaneError, LaneWriter};
use outhaul_wire::codec::Message;
use outhaul_wire::frame;
use std::collections::{HashMap, VecDeque};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Acquire};

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
    Store { target: HostBox, _right: Arc<PersistentTransfer> },
    /// A captured copy within the program's memory.
    Copy { to: HostBox, from: HostBox },
    /// The destructor of a user object, with the object's handle.
    Destructor { function: unsafe extern "C" fn(*mut c_void), data: *mut c_void, object: u64 },
}

// SAFETY: CUDA runs callbacks on a thread of the driver, and programs expect that of their data.
unsafe impl Send for Callback {}

/// A callback that was entered.
pub(super) struct Entry {
    pub callback: Callback,
    /// Whether it runs at every launch of a graph. `wait_all` does not wait for it.
    pub is_persistent: bool,
}

/// A message of the worker about a callback.
pub(super) enum CallbackMessage {
    Run(u64),
    Forget(u64),
}

#[derive(Default)]
/// The callbacks of one session, and the lane of callbacks.
pub struct Callbacks {
    /// The session's second lane, which no command delays. Each thread writes its own messages.
    writer: Mutex<Option<LaneWriter>>,
    state: Mutex<CallbacksState>,
    pub(super) ended: Condvar,
    arrived: Condvar,
    pub(super) returned: AtomicU64,
    pub(super) questions: AtomicU64,
}

/// The callbacks that may run, and the worker's messages about them.
#[derive(Default)]
pub(super) struct CallbacksState {
    next: u64,
    pub due: HashMap<u64, Entry>,
    /// Messages in the order in which they came.
    ready: VecDeque<CallbackMessage>,
    /// Callbacks that were entered and have not returned.
    pub open: usize,
    lost: bool,
}

impl Callbacks {
    /// Starts with the writing half of the lane of callbacks.
    pub fn new(writer: LaneWriter) -> Callbacks {
        Callbacks { writer: Mutex::new(Some(writer)), ..Callbacks::default() }
    }

    /// Sends a message on the lane of callbacks.
    pub fn send<'a>(&self, message: &impl Message<'a>, payload: &[u8]) -> Result<(), LaneError> {
        let mut head = Vec::new();
        frame::append(&mut head, message, 0, 0, payload.len());
        self.write(&[&head, payload])
    }

    /// Sends frames on the lane of callbacks.
    pub fn send_frames(&self, frames: &[u8]) -> Result<(), LaneError> {
        self.write(&[frames])
    }

    /// Writes parts of one frame on the lane of callbacks. Fails with `Closed` if there is no lane.
    pub(super) fn write(&self, pieces: &[&[u8]]) -> Result<(), LaneError> {
        stats::sent(pieces.iter().map(|piece| piece.len()).sum());
        // A signal handler must not touch absent memory while its thread holds the lock: it would
        // wait for a thread that writes here too.
        let _held = movable_pages::is_in_use().then(SignalsHeld::begin);
        match &mut *self.writer.lock() {
            Some(writer) => writer.write(pieces),
            None => Err(LaneError::Closed),
        }
    }

    /// Locks the callbacks that may run.
    pub(super) fn lock(&self) -> outhaul_lock::MutexGuard<'_, CallbacksState> {
        self.state.lock()
    }

    /// Enters a callback that runs once. Returns its number.
    pub fn enter(&self, callback: Callback) -> u64 {
        let mut state = self.lock();
        state.next += 1;
        state.open += 1;
        let id = state.next;
        state.due.insert(id, Entry { callback, is_persistent: false });
        id
    }

    /// Enters a callback that runs at each launch of a graph, until the worker reports that
    /// none follows.
    pub fn enter_persistent(&self, callback: Callback) -> u64 {
        let mut state = self.lock();
        state.next += 1;
        let id = state.next;
        state.due.insert(id, Entry { callback, is_persistent: true });
        id
    }

    /// Returns a callback that runs at each launch of a graph.
    pub fn persistent(&self, id: u64) -> Option<Callback> {
        self.lock()
            .due
            .get(&id)
            .filter(|entry| entry.is_persistent)
            .map(|entry| entry.callback.clone())
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
        if state.due.remove(&id).is_some_and(|entry| !entry.is_persistent) {
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
        self.lock().ready.push_back(CallbackMessage::Run(id));
        self.arrived.notify_one();
    }

    /// Notes that no stream or graph will reach a callback any more.
    pub fn forget(&self, id: u64) {
        self.lock().ready.push_back(CallbackMessage::Forget(id));
        self.arrived.notify_one();
    }

    /// Blocks for the worker's next message. Returns none once the session is lost.
    pub(super) fn next(&self) -> Option<CallbackMessage> {
        let mut state = self.lock();
        loop {
            if let Some(message) = state.ready.pop_front() {
                return Some(message);
            }
            if state.lost {
                return None;
            }
            state = self.arrived.wait(state);
        }
    }

    /// Makes what callbacks wrote before the worker received their end visible to a thread that
    /// acts on the messages that follow. As with `Outbox::fence`, that order runs through the
    /// worker.
    pub fn see_returned(&self) {
        self.returned.load(Acquire);
    }

    /// Drops the callbacks that have not run, because their context broke.
    pub fn give_up(&self) {
        let mut state = self.lock();
        state.open -= state.due.values().filter(|entry| !entry.is_persistent).count();
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
