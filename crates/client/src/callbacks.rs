//! Host callbacks: the worker says which one the device has come to, behind all data that the callback may want to see. A thread of its own
//! runs it, and the stream goes on when the worker hears on the lane of callbacks that it has returned.

use crate::log;
use crate::session::Session;
use outhaul_abi::types::{CUresult, CUstream, CUstreamCallback};
use outhaul_transport::LaneWriter;
use outhaul_wire::frame;
use outhaul_wire::messages::CallbackDone;
use std::collections::{HashMap, VecDeque};
use std::ffi::c_void;
use std::sync::{Condvar, Mutex};

pub enum Callback {
    Host { function: unsafe extern "C" fn(*mut c_void), data: *mut c_void },
    Stream { function: CUstreamCallback, stream: CUstream, data: *mut c_void },
}

// SAFETY: CUDA runs callbacks on a thread of the driver's, and programs expect that of their data.
unsafe impl Send for Callback {}

impl Callback {
    fn run(self) {
        // SAFETY: the program promised function and data to be good for this call.
        unsafe {
            match self {
                Callback::Host { function, data } => function(data),
                Callback::Stream { function: Some(function), stream, data } => function(stream, CUresult::SUCCESS, data),
                Callback::Stream { function: None, .. } => {}
            }
        }
    }
}

#[derive(Default)]
pub struct Callbacks {
    state: Mutex<State>,
    ended: Condvar,
    arrived: Condvar,
}

#[derive(Default)]
struct State {
    next: u64,
    due: HashMap<u64, Callback>,
    /// Those that the device has come to.
    ready: VecDeque<u64>,
    /// Entered and not yet returned from.
    open: usize,
    lost: bool,
}

impl Callbacks {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    pub fn enter(&self, callback: Callback) -> u64 {
        let mut state = self.lock();
        state.next += 1;
        state.open += 1;
        let id = state.next;
        state.due.insert(id, callback);
        id
    }

    /// Takes back a callback that was not posted.
    pub fn withdraw(&self, id: u64) {
        let mut state = self.lock();
        if state.due.remove(&id).is_some() {
            state.open -= 1;
        }
    }

    /// Blocks until every callback that was entered has returned: what a callback writes may be what is copied next.
    pub fn wait_all(&self) {
        let mut state = self.lock();
        while state.open > 0 && !state.lost {
            state = self.ended.wait(state).unwrap_or_else(|e| e.into_inner());
        }
    }

    /// The device has come to a callback.
    pub fn arrive(&self, id: u64) {
        self.lock().ready.push_back(id);
        self.arrived.notify_one();
    }

    /// None once the session is lost.
    fn next(&self) -> Option<u64> {
        let mut state = self.lock();
        loop {
            if let Some(id) = state.ready.pop_front() {
                return Some(id);
            }
            if state.lost {
                return None;
            }
            state = self.arrived.wait(state).unwrap_or_else(|e| e.into_inner());
        }
    }

    fn run(&self, id: u64) {
        let callback = self.lock().due.remove(&id);
        match callback {
            Some(callback) => {
                callback.run();
                self.lock().open -= 1;
                self.ended.notify_all();
            }
            None => log::note(|| format!("the node asked for callback {id}, which does not exist")),
        }
    }

    /// A context broke: what is still due in it will not be called.
    pub fn give_up(&self) {
        let mut state = self.lock();
        state.open -= state.due.len();
        state.due.clear();
        self.ended.notify_all();
    }

    pub fn fail_all(&self) {
        self.lock().lost = true;
        self.ended.notify_all();
        self.arrived.notify_all();
    }
}

/// The loop of the thread that runs callbacks.
pub fn run_all(session: &Session, writer: &mut LaneWriter) {
    while let Some(callback) = session.callbacks.next() {
        session.callbacks.run(callback);
        let mut bytes = Vec::new();
        frame::append(&mut bytes, &CallbackDone { callback }, 0, 0, 0);
        if writer.write(&[&bytes]).is_err() {
            return;
        }
    }
}
