//! Work that runs in the client each time a graph reaches it. This is either a host function, or
//! the client's part of a captured copy, which reads from or writes to the program's memory. Each
//! is a user object of its graph, so that the driver reports when nothing can call it any more.

use super::callbacks::Callbacks;
use super::captured_buffers::Buffer;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_wire::limits::PIECE_BYTES;
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::sync::Arc;

enum Action {
    /// Makes the client run a function, or send a copy's bytes to the device.
    Run,
    /// Sends the buffer, which a copy to the host has filled, to the client.
    Store { buffer: Arc<Buffer>, transfer: u64 },
    /// Makes the client run a function only when this entry is destroyed.
    Destructor,
}

/// A function or copy that a graph node calls in the client.
pub struct GraphCallback {
    callbacks: Arc<Callbacks>,
    callback: u64,
    action: Action,
}

impl GraphCallback {
    /// Creates an entry that calls a function, or fetches a copy's bytes.
    pub fn run(callbacks: &Arc<Callbacks>, callback: u64) -> GraphCallback {
        GraphCallback { callbacks: callbacks.clone(), callback, action: Action::Run }
    }

    /// Creates an entry that sends a copy's bytes to the client.
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

    /// Creates an entry that calls a destructor when the entry is destroyed.
    pub fn destructor(callbacks: &Arc<Callbacks>, callback: u64) -> GraphCallback {
        GraphCallback { callbacks: callbacks.clone(), callback, action: Action::Destructor }
    }

    /// Passes the entry to the driver as a user object, which owns the entry.
    pub fn into_object(
        self,
        driver: &Driver,
        references: u32,
    ) -> Result<(*mut c_void, CUuserObject), CUresult> {
        let graph_callback: *mut c_void = Box::into_raw(Box::new(self)).cast();
        let mut object = CUuserObject::NULL;
        let flags = values::USER_OBJECT_NO_DESTRUCTOR_SYNC;
        // SAFETY: the driver passes the box to `drop_graph_callback` once; the out-pointer is a
        // local.
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
            // SAFETY: the driver rejected the call, so it will not use the box.
            drop(unsafe { Box::from_raw(graph_callback.cast::<GraphCallback>()) });
        })?;
        Ok((graph_callback, object))
    }

    /// Attaches the entry to a graph. Returns the argument for `run_graph_callback`.
    pub fn into_graph(self, driver: &Driver, graph: CUgraph) -> Result<*mut c_void, CUresult> {
        let (graph_callback, object) = self.into_object(driver, 1)?;
        // SAFETY: graph and object exist; the object's only reference moves to the graph.
        let retained = unsafe {
            driver.cuGraphRetainUserObject(graph, object, 1, values::GRAPH_USER_OBJECT_MOVE)
        };
        retained.ok().inspect_err(|_| {
            // SAFETY: the call failed, so this function still owns the reference.
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

/// Returns the callback number of a node that calls `run_graph_callback`.
///
/// # Safety
/// `graph_callback` fulfils the contract of `run_graph_callback`.
pub unsafe fn callback_of(graph_callback: *mut c_void) -> u64 {
    // SAFETY: the caller upholds this function's contract.
    unsafe { &*graph_callback.cast::<GraphCallback>() }.callback
}

/// Runs the entry's action. The driver calls this function each time a graph reaches the node.
///
/// # Safety
/// `graph_callback` comes from `into_graph` for this graph, or for one from which this graph was
/// made.
pub unsafe extern "C" fn run_graph_callback(graph_callback: *mut c_void) {
    // SAFETY: the caller upholds this function's contract; the driver keeps a graph's user objects
    // until the graph has ended.
    let graph_callback = unsafe { &*graph_callback.cast::<GraphCallback>() };
    match &graph_callback.action {
        Action::Run => graph_callback.callbacks.run(graph_callback.callback),
        Action::Store { buffer, transfer } => {
            let carrier = &graph_callback.callbacks.carrier;
            carrier.have_passed_sent();
            // SAFETY: the copy into the buffer has ended, and the next one follows this function in
            // the stream.
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

/// Frees an entry. The driver calls this function when nothing refers to the object any more.
unsafe extern "C" fn drop_graph_callback(graph_callback: *mut c_void) {
    // SAFETY: the driver calls this function once, with the pointer that `into_object` made.
    drop(unsafe { Box::from_raw(graph_callback.cast::<GraphCallback>()) });
}
