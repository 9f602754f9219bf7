//! Host callbacks: the worker says which one the device has come to, a thread of its own runs it, and the stream goes on when it has returned.

use crate::log;
use crate::session::Session;
use outhaul_abi::types::{CUresult, CUstream, CUstreamCallback};
use outhaul_transport::{LaneReader, LaneWriter};
use outhaul_wire::codec::{Message, Reader};
use outhaul_wire::frame;
use outhaul_wire::messages::{CallbackDone, RunCallback};
use std::collections::HashMap;
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
}

#[derive(Default)]
struct State {
    next: u64,
    due: HashMap<u64, Callback>,
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

    pub fn fail_all(&self) {
        self.lock().lost = true;
        self.ended.notify_all();
    }
}

/// The loop of the thread that runs callbacks.
pub fn run_all(session: &Session, reader: &mut LaneReader, writer: &mut LaneWriter) {
    while let Ok(header) = reader.header() {
        let Ok(body) = reader.body(header.body_bytes as usize) else { return };
        let Ok(due) = Reader::new(&body).whole::<RunCallback>() else { return };
        if header.op != RunCallback::OP {
            return;
        }
        session.callbacks.run(due.callback);
        let mut bytes = Vec::new();
        frame::append(&mut bytes, &CallbackDone { callback: due.callback }, 0, 0, 0);
        if writer.write(&[&bytes]).is_err() {
            return;
        }
    }
}
