//! Host callbacks. The worker reports that the device has reached a callback, after it has sent all
//! data that the callback may read. A separate thread runs the callback. It then informs the worker
//! on the callback lane, so that the stream continues.

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
/// Code or a copy that runs in the client when a stream or a graph reaches it.
pub enum Callback {
    /// A function that the program passed to `cuLaunchHostFunc`.
    Host { function: unsafe extern "C" fn(*mut c_void), data: *mut c_void },
    /// A function that the program passed to `cuStreamAddCallback`.
    Stream { function: CUstreamCallback, stream: CUstream, data: *mut c_void },
    /// A captured copy that reads the program's memory.
    Fetch(HostBox),
    /// A captured copy to the program's memory, which keeps its transfer open.
    Store { target: HostBox, _right: Arc<PersistentTransfer> },
    /// A captured copy within the program's memory.
    Copy { to: HostBox, from: HostBox },
    /// The destructor of a user object, with the object's handle.
    Destructor { function: unsafe extern "C" fn(*mut c_void), data: *mut c_void, object: u64 },
}

// SAFETY: CUDA runs callbacks on a thread of the driver, so programs expect their data to be used
// there.
unsafe impl Send for Callback {}

/// A registered callback.
pub(super) struct Entry {
    pub callback: Callback,
    /// Whether the callback runs at every launch of a graph, so that `wait_all` does not wait for
    /// it.
    pub is_persistent: bool,
}

/// A message from the worker about a callback.
pub(super) enum CallbackMessage {
    Run(u64),
    Forget(u64),
}

#[derive(Default)]
/// A session's callbacks, and the writing half of its callback lane.
pub struct Callbacks {
    /// Writing half of the session's second lane, which no command delays. Each thread writes its
    /// own messages.
    writer: Mutex<Option<LaneWriter>>,
    state: Mutex<CallbacksState>,
    pub(super) ended: Condvar,
    arrived: Condvar,
    pub(super) returned: AtomicU64,
    pub(super) questions: AtomicU64,
}

/// The registered callbacks, and the worker's messages about them.
#[derive(Default)]
pub(super) struct CallbacksState {
    next: u64,
    pub due: HashMap<u64, Entry>,
    /// Messages in the order of their arrival.
    ready: VecDeque<CallbackMessage>,
    /// Number of registered callbacks that run once and have not returned.
    pub open: usize,
    lost: bool,
}

impl Callbacks {
    /// Creates an empty registry that sends on `writer`.
    pub fn new(writer: LaneWriter) -> Callbacks {
        Callbacks { writer: Mutex::new(Some(writer)), ..Callbacks::default() }
    }

    /// Sends a message on the callback lane.
    pub fn send<'a>(&self, message: &impl Message<'a>, payload: &[u8]) -> Result<(), LaneError> {
        let mut head = Vec::new();
        frame::append(&mut head, message, 0, 0, payload.len());
        self.write(&[&head, payload])
    }

    /// Sends frames on the callback lane.
    pub fn send_frames(&self, frames: &[u8]) -> Result<(), LaneError> {
        self.write(&[frames])
    }

    /// Writes the parts of one frame on the callback lane. Fails with `Closed` if the session
    /// has no such lane.
    pub(super) fn write(&self, pieces: &[&[u8]]) -> Result<(), LaneError> {
        stats::sent(pieces.iter().map(|piece| piece.len()).sum());
        // A signal handler that touches absent memory waits for a thread that writes here too. So
        // no signal handler may run while its thread holds the lock.
        let _held = movable_pages::is_in_use().then(SignalsHeld::begin);
        match &mut *self.writer.lock() {
            Some(writer) => writer.write(pieces),
            None => Err(LaneError::Closed),
        }
    }

    /// Locks the registered callbacks.
    pub(super) fn lock(&self) -> outhaul_lock::MutexGuard<'_, CallbacksState> {
        self.state.lock()
    }

    /// Registers a callback that runs once. Returns its number.
    pub fn enter(&self, callback: Callback) -> u64 {
        let mut state = self.lock();
        state.next += 1;
        state.open += 1;
        let id = state.next;
        state.due.insert(id, Entry { callback, is_persistent: false });
        id
    }

    /// Registers a callback that runs at each launch of a graph. It stays registered until the
    /// worker reports that no launch follows.
    pub fn enter_persistent(&self, callback: Callback) -> u64 {
        let mut state = self.lock();
        state.next += 1;
        let id = state.next;
        state.due.insert(id, Entry { callback, is_persistent: true });
        id
    }

    /// Returns the callback with this number if it runs at each launch of a graph.
    pub fn persistent(&self, id: u64) -> Option<Callback> {
        self.lock()
            .due
            .get(&id)
            .filter(|entry| entry.is_persistent)
            .map(|entry| entry.callback.clone())
    }

    /// Returns whether captured copies read this memory.
    pub fn is_fetched(&self, memory: &HostBox) -> bool {
        self.lock().due.values().any(|entry| {
            matches!(&entry.callback, Callback::Fetch(source)
            if source.meets(memory.span()))
        })
    }

    /// Removes a callback that the client did not post.
    pub fn withdraw(&self, id: u64) {
        let mut state = self.lock();
        if state.due.remove(&id).is_some_and(|entry| !entry.is_persistent) {
            state.open -= 1;
        }
    }

    /// Blocks until all registered callbacks that run once have returned, because the next copy may
    /// read data that a callback writes.
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

    /// Blocks until the worker's next message, and returns it. Returns none once the session is
    /// lost.
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

    /// Makes the writes of finished callbacks visible to a thread that acts on the worker's later
    /// messages. As with `Outbox::fence`, the order of those events is known only through the
    /// worker.
    pub fn see_returned(&self) {
        self.returned.load(Acquire);
    }

    /// Drops all callbacks that have not run, because their context failed.
    pub fn give_up(&self) {
        let mut state = self.lock();
        state.open -= state.due.values().filter(|entry| !entry.is_persistent).count();
        state.due.clear();
        self.ended.notify_all();
    }

    /// Wakes all waiting threads, because the session is lost.
    pub fn fail_all(&self) {
        self.lock().lost = true;
        self.ended.notify_all();
        self.arrived.notify_all();
    }
}
