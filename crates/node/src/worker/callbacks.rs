//! Host callbacks run in the client. The device's stream stops at a trampoline here until the client says that its function has returned.
//! It is told behind the data that was copied before, on the lane of that data; it answers on a lane of its own, which no command holds up.

use super::delivery::Delivery;
use super::frame::Incoming;
use super::outbound::Outbound;
use super::output::log;
use outhaul_transport::LaneReader;
use outhaul_wire::codec::{Message, Reader};
use outhaul_wire::messages::CallbackDone;
use std::collections::HashSet;
use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex};

pub struct Callbacks {
    outbound: Arc<Outbound>,
    running: Mutex<HashSet<u64>>,
    ended: Condvar,
}

/// What the trampoline gets through the driver.
pub struct Due {
    callbacks: Arc<Callbacks>,
    callback: u64,
    /// The stream's data before the callback.
    behind: (Arc<Delivery>, u64),
}

impl Callbacks {
    /// Takes the session's second lane; its reader runs in a thread of its own until the client is gone.
    pub fn start(outbound: Arc<Outbound>, mut reader: LaneReader, gone: impl FnOnce() + Send + 'static) -> Arc<Callbacks> {
        let callbacks = Arc::new(Callbacks { outbound, running: Mutex::default(), ended: Condvar::new() });
        let listening = callbacks.clone();
        std::thread::spawn(move || {
            if let Err(reason) = listening.listen(&mut reader) {
                log(&reason);
            }
            gone();
        });
        callbacks
    }

    fn listen(&self, reader: &mut LaneReader) -> Result<(), String> {
        while let Ok(mut incoming) = Incoming::receive(reader) {
            if incoming.op() != CallbackDone::OP {
                return Err(format!("op {} has no place on the lane of callbacks", incoming.op()));
            }
            let done: CallbackDone = Reader::new(&incoming.take_body()).whole().map_err(|e| e.to_string())?;
            self.running.lock().unwrap_or_else(|e| e.into_inner()).remove(&done.callback);
            self.ended.notify_all();
        }
        Ok(())
    }

    pub fn due(self: &Arc<Callbacks>, callback: u64, behind: (Arc<Delivery>, u64)) -> *mut c_void {
        Box::into_raw(Box::new(Due { callbacks: self.clone(), callback, behind })).cast()
    }

    fn run(&self, callback: u64) {
        self.running.lock().unwrap_or_else(|e| e.into_inner()).insert(callback);
        self.outbound.callback(callback);
        let mut running = self.running.lock().unwrap_or_else(|e| e.into_inner());
        while running.contains(&callback) {
            running = self.ended.wait(running).unwrap_or_else(|e| e.into_inner());
        }
    }
}

/// The driver calls this when the stream has come to the callback.
///
/// # Safety
/// `due` came from `Callbacks::due` and is passed once.
pub unsafe extern "C" fn trampoline(due: *mut c_void) {
    // SAFETY: the caller's promise.
    let due = unsafe { Box::from_raw(due.cast::<Due>()) };
    let (delivery, target) = &due.behind;
    delivery.wait(*target);
    due.callbacks.run(due.callback);
}

/// Takes back a `due` that the driver refused.
///
/// # Safety
/// `due` came from `Callbacks::due` and the driver will not call the trampoline with it.
pub unsafe fn cancel(due: *mut c_void) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(due.cast::<Due>()) });
}
