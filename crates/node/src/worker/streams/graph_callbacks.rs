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

enum What {
    /// The client runs a function, or sends the bytes of a copy to the device.
    Run,
    /// A copy to the host has filled the buffer.
    Store { buffer: Arc<Buffer>, transfer: u64 },
    /// The client runs a function only when this ends.
    Destructor,
}

/// A function or copy that a graph node calls in the client.
pub struct Standing {
    callbacks: Arc<Callbacks>,
    callback: u64,
    what: What,
}

impl Standing {
    /// Makes an entry that calls a function, or fetches the bytes of a copy.
    pub fn run(callbacks: &Arc<Callbacks>, callback: u64) -> Standing {
        Standing { callbacks: callbacks.clone(), callback, what: What::Run }
    }

    /// Makes an entry that sends the bytes of a copy to the client.
    pub fn store(
        callbacks: &Arc<Callbacks>,
        callback: u64,
        buffer: Arc<Buffer>,
        transfer: u64,
    ) -> Standing {
        Standing { callbacks: callbacks.clone(), callback, what: What::Store { buffer, transfer } }
    }

    /// Makes an entry that calls a destructor at its end.
    pub fn destructor(callbacks: &Arc<Callbacks>, callback: u64) -> Standing {
        Standing { callbacks: callbacks.clone(), callback, what: What::Destructor }
    }

    /// Passes this to the driver as a user object, which owns it.
    pub fn into_object(
        self,
        driver: &Driver,
        references: u32,
    ) -> Result<(*mut c_void, CUuserObject), CUresult> {
        let standing: *mut c_void = Box::into_raw(Box::new(self)).cast();
        let mut object = CUuserObject::NULL;
        let flags = values::USER_OBJECT_NO_DESTRUCTOR_SYNC;
        // SAFETY: `end` takes what the box became, once; the handle goes to a local.
        let made = unsafe {
            driver.cuUserObjectCreate(&mut object, standing, Some(end), references, flags)
        };
        made.ok().inspect_err(|_| {
            // SAFETY: refused, so the driver will not call with it.
            drop(unsafe { Box::from_raw(standing.cast::<Standing>()) });
        })?;
        Ok((standing, object))
    }

    /// Ties this to a graph. Returns the argument for `come_by`.
    pub fn into_graph(self, driver: &Driver, graph: CUgraph) -> Result<*mut c_void, CUresult> {
        let (standing, object) = self.into_object(driver, 1)?;
        // SAFETY: both are live; the one reference goes to the graph.
        let retained = unsafe {
            driver.cuGraphRetainUserObject(graph, object, 1, values::GRAPH_USER_OBJECT_MOVE)
        };
        retained.ok().inspect_err(|_| {
            // SAFETY: the reference is still this function's.
            let _ = unsafe { driver.cuUserObjectRelease(object, 1) };
        })?;
        Ok(standing)
    }
}

impl Drop for Standing {
    fn drop(&mut self) {
        if let What::Destructor = self.what {
            self.callbacks.carrier.outbound.callback(self.callback);
        }
        self.callbacks.buffers.leave(self.callback);
        self.callbacks.carrier.outbound.forget(self.callback);
    }
}

/// Returns the callback's number of a node that calls `come_by`.
///
/// # Safety
/// As for `come_by`.
pub unsafe fn callback_of(standing: *mut c_void) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { &*standing.cast::<Standing>() }.callback
}

/// The driver calls this whenever a graph reaches the node.
///
/// # Safety
/// `standing` came from `into_graph` for this graph, or for one that this graph was made from.
pub unsafe extern "C" fn come_by(standing: *mut c_void) {
    // SAFETY: the caller's promise: the driver keeps user objects of a graph until it has ended.
    let standing = unsafe { &*standing.cast::<Standing>() };
    match &standing.what {
        What::Run => standing.callbacks.run(standing.callback),
        What::Store { buffer, transfer } => {
            let carrier = &standing.callbacks.carrier;
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
        What::Destructor => {}
    }
}

/// The driver calls this when nothing refers to the object any more.
unsafe extern "C" fn end(standing: *mut c_void) {
    // SAFETY: called once, with what `into_object` made.
    drop(unsafe { Box::from_raw(standing.cast::<Standing>()) });
}
