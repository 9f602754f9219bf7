//! Work that runs in the client each time a graph reaches it: host functions, and the client's part
//! of captured copies, which read from and write to the program's memory. Each is a user object of
//! its graph, so the driver itself reports when nothing can call it any more.

use super::callbacks::Callbacks;
use crate::worker::io::frame::{Incoming, Refusal};
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::CaptureBytes;
use std::collections::{BTreeSet, HashMap};
use std::ffi::c_void;
use std::sync::Arc;

const HOST_ALLOC_PORTABLE: u32 = 1;
/// Largest captured copy in bytes; each has pinned memory of its own on the node.
const BUFFER_BYTES_MAX: u64 = 1 << 30;

/// Pinned memory between a captured copy and the program's memory.
pub struct Buffer {
    address: *mut u8,
    bytes: usize,
}

// SAFETY: plain memory; device and lanes use it in turn, in stream order.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Returns the address.
    pub fn address(&self) -> *mut c_void {
        self.address.cast()
    }

    /// Returns the address and the size in bytes.
    pub fn range(&self) -> (u64, u64) {
        (self.address as u64, self.bytes as u64)
    }

    /// Frees a buffer that no graph uses any more. The driver may wait for the device, and for a
    /// graph whose function takes the table's lock.
    pub fn free(&self, driver: &Driver) {
        // SAFETY: the memory is this buffer's, and the last graph that used it is gone. A context
        // that ended may have taken it with it.
        let _ = unsafe { driver.cuMemFreeHost(self.address()) };
    }
}

/// The buffers of captured copies, by their callbacks.
#[derive(Default)]
pub struct Buffers {
    live: Mutex<HashMap<u64, Arc<Buffer>>>,
    /// Buffers of graphs that are gone. They wait here, because memory must not be freed in the
    /// driver's own threads.
    left: Mutex<Vec<Arc<Buffer>>>,
}

impl Buffers {
    /// Allocates the buffer of a captured copy.
    pub fn make(&self, driver: &Driver, callback: u64, bytes: u64) -> Result<Arc<Buffer>, Refusal> {
        if bytes > BUFFER_BYTES_MAX {
            return Err(Refusal::Driver(CUresult::STREAM_CAPTURE_UNSUPPORTED));
        }
        if self.live.lock().contains_key(&callback) {
            return Err(Refusal::Violation(format!("callback {callback} has a copy already")));
        }
        let mut address = std::ptr::null_mut();
        // SAFETY: the address goes to a local.
        unsafe { driver.cuMemHostAlloc(&mut address, bytes as usize, HOST_ALLOC_PORTABLE) }.ok()?;
        let buffer = Arc::new(Buffer { address: address.cast(), bytes: bytes as usize });
        self.live.lock().insert(callback, buffer.clone());
        Ok(buffer)
    }

    /// Returns the bytes of buffers that wait to be freed.
    pub fn bytes_left(&self) -> usize {
        self.lock_left().iter().map(|buffer| buffer.bytes).sum()
    }

    /// Takes the buffers that wait to be freed.
    pub fn take_left(&self) -> Vec<Arc<Buffer>> {
        std::mem::take(&mut *self.lock_left())
    }

    fn leave(&self, callback: u64) {
        let buffer = self.live.lock().remove(&callback);
        self.lock_left().extend(buffer);
    }

    fn lock_left(&self) -> MutexGuard<'_, Vec<Arc<Buffer>>> {
        self.left.lock()
    }

    /// Reads the client's bytes for a copy that the device has reached.
    pub fn receive(&self, m: &CaptureBytes, incoming: &mut Incoming<'_>) -> Result<(), String> {
        let count = incoming.payload_bytes();
        let found = self.live.lock().get(&m.callback).cloned();
        let Some(buffer) = found else {
            return Err(format!("bytes for callback {}, which takes none", m.callback));
        };
        let end = usize::try_from(m.offset).ok().and_then(|offset| offset.checked_add(count));
        if end.is_none_or(|end| end > buffer.bytes) {
            return Err(format!("{count} bytes at {} of a copy of {}", m.offset, buffer.bytes));
        }
        // SAFETY: inside the buffer, which lives as long as this Arc; the device reads it only
        // after the client has sent everything.
        let place =
            unsafe { std::slice::from_raw_parts_mut(buffer.address.add(m.offset as usize), count) };
        incoming.read_payload(place).map_err(|e| format!("{e:?}"))
    }
}

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
            let bytes = unsafe { std::slice::from_raw_parts(buffer.address, buffer.bytes) };
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
