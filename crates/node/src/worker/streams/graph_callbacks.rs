//! Work that runs in the client each time a graph reaches it: host functions, and the client's part
//! of captured copies, which read from and write to the program's memory. Each is a user object of
//! its graph, so the driver itself reports when nothing can call it any more.

use super::callbacks::Callbacks;
use super::captured_buffers::Buffer;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_wire::limits::PIECE_BYTES;
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::sync::Arc;

enum Action {
    /// The client runs a function, or sends the bytes of a copy to the device.
    Run,
    /// A copy to the host has filled the buffer.
    Store { buffer: Arc<Buffer>, transfer: u64 },
    /// The client runs a function only when this ends.
    Destructor,
}

/// A function or copy that a graph node calls in the client.
pub struct GraphCallback {
    callbacks: Arc<Callbacks>,
    callback: u64,
    action: Action,
}

impl GraphCallback {
    /// Makes an entry that calls a function, or fetches the bytes of a copy.
    pub fn run(callbacks: &Arc<Callbacks>, callback: u64) -> GraphCallback {
        GraphCallback { callbacks: callbacks.clone(), callback, action: Action::Run }
    }

    /// Makes an entry that sends the bytes of a copy to the client.
    pub fn store(
        callbacks: &Arc<Callbacks>,
        callback: u64,
        buffer: Arc<Buffer>,
        transfer: u64,
    ) -> GraphCallback {
        GraphCallback {
            callbacks: callbacks.clone(),
            callback,
            action: Action::Store { buffer, transfer },
        }
    }

    /// Makes an entry that calls a destructor at its end.
    pub fn destructor(callbacks: &Arc<Callbacks>, callback: u64) -> GraphCallback {
        GraphCallback { callbacks: callbacks.clone(), callback, action: Action::Destructor }
    }

    /// Passes this to the driver as a user object, which owns it.
    pub fn into_object(
        self,
        driver: &Driver,
        references: u32,
    ) -> Result<(*mut c_void, CUuserObject), CUresult> {
        let graph_callback: *mut c_void = Box::into_raw(Box::new(self)).cast();
        let mut object = CUuserObject::NULL;
        let flags = values::USER_OBJECT_NO_DESTRUCTOR_SYNC;
        // SAFETY: `drop_graph_callback` takes the box, once; the out-pointer is a local.
        let made = unsafe {
            driver.cuUserObjectCreate(
                &mut object,
                graph_callback,
                Some(drop_graph_callback),
                references,
                flags,
            )
        };
        made.ok().inspect_err(|_| {
            // SAFETY: refused, so the driver will not call with it.
            drop(unsafe { Box::from_raw(graph_callback.cast::<GraphCallback>()) });
        })?;
        Ok((graph_callback, object))
    }

    /// Ties this to a graph. Returns the argument for `run_graph_callback`.
    pub fn into_graph(self, driver: &Driver, graph: CUgraph) -> Result<*mut c_void, CUresult> {
        let (graph_callback, object) = self.into_object(driver, 1)?;
        // SAFETY: both are live; the one reference goes to the graph.
        let retained = unsafe {
            driver.cuGraphRetainUserObject(graph, object, 1, values::GRAPH_USER_OBJECT_MOVE)
        };
        retained.ok().inspect_err(|_| {
            // SAFETY: the reference is still this function's.
            let _ = unsafe { driver.cuUserObjectRelease(object, 1) };
        })?;
        Ok(graph_callback)
    }
}

impl Drop for GraphCallback {
    fn drop(&mut self) {
        if let Action::Destructor = self.action {
            self.callbacks.carrier.outbound.callback(self.callback);
        }
        self.callbacks.buffers.leave(self.callback);
        self.callbacks.carrier.outbound.forget(self.callback);
    }
}

/// Returns the callback's number of a node that calls `run_graph_callback`.
///
/// # Safety
/// As for `run_graph_callback`.
pub unsafe fn callback_of(graph_callback: *mut c_void) -> u64 {
    // SAFETY: the caller upholds this function's contract.
    unsafe { &*graph_callback.cast::<GraphCallback>() }.callback
}

/// The driver calls this whenever a graph reaches the node.
///
/// # Safety
/// `graph_callback` came from `into_graph` for this graph, or for one from which this graph was
/// made.
pub unsafe extern "C" fn run_graph_callback(graph_callback: *mut c_void) {
    // SAFETY: the caller's promise: the driver keeps user objects of a graph until it has ended.
    let graph_callback = unsafe { &*graph_callback.cast::<GraphCallback>() };
    match &graph_callback.action {
        Action::Run => graph_callback.callbacks.run(graph_callback.callback),
        Action::Store { buffer, transfer } => {
            let carrier = &graph_callback.callbacks.carrier;
            carrier.have_passed_sent();
            // SAFETY: the copy into the buffer is over, and its next one comes after this in the
            // stream.
            let bytes = unsafe { buffer.content() };
            for (i, piece) in bytes.chunks(PIECE_BYTES).enumerate() {
                carrier.outbound.data(
                    *transfer,
                    (i * PIECE_BYTES) as u64,
                    CUresult::SUCCESS,
                    piece,
                );
            }
            carrier.output.drain(&carrier.outbound);
            carrier.outbound.arrived(&BTreeSet::from([*transfer]));
        }
        Action::Destructor => {}
    }
}

/// The driver calls this when nothing refers to the object any more.
unsafe extern "C" fn drop_graph_callback(graph_callback: *mut c_void) {
    // SAFETY: called once, with the pointer that `into_object` made.
    drop(unsafe { Box::from_raw(graph_callback.cast::<GraphCallback>()) });
}
