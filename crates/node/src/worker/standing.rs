//! What runs in the client each time that a graph comes by: host functions, and the ends of
//! captured copies, which fetch from and store to the program's memory. The driver itself says when
//! nothing can call one any more, for each is a user object of its graph.

use super::callbacks::Callbacks;
use super::frame::{Incoming, Refusal};
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::CaptureBytes;
use std::collections::{BTreeSet, HashMap};
use std::ffi::c_void;
use std::sync::Arc;

const HOST_ALLOC_PORTABLE: u32 = 1;
/// Bytes of one captured copy, which has pinned memory of its own on the node.
const BUFFER_BYTES_MAX: u64 = 1 << 30;

/// Pinned memory between a captured copy and the program's memory.
pub struct Buffer {
    address: *mut u8,
    bytes: usize,
}

// SAFETY: plain memory; device and lanes use it by turns, in the order of the stream.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    pub fn address(&self) -> *mut c_void {
        self.address.cast()
    }

    /// Where it lies, and its bytes.
    pub fn range(&self) -> (u64, u64) {
        (self.address as u64, self.bytes as u64)
    }

    /// Gives the memory of a buffer back that no graph uses any more. The driver may wait for the
    /// device, and for a graph that takes the table's lock.
    pub fn free(&self, driver: &Driver) {
        // SAFETY: the memory is this buffer's, and the last graph that used it is gone. A context
        // may have taken it along.
        let _ = unsafe { driver.cuMemFreeHost(self.address()) };
    }
}

/// The buffers of captured copies by their callbacks.
#[derive(Default)]
pub struct Buffers {
    live: Mutex<HashMap<u64, Arc<Buffer>>>,
    /// Those of graphs that are gone: memory can be freed only outside the driver's own threads.
    left: Mutex<Vec<Arc<Buffer>>>,
}

impl Buffers {
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

    /// How much is left over.
    pub fn bytes_left(&self) -> usize {
        self.lock_left().iter().map(|buffer| buffer.bytes).sum()
    }

    /// What is left over.
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

    /// Reads what the client sent for a copy that the device has come to.
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
        // SAFETY: inside the buffer, which lives while this Arc does; the device reads it only once
        // the client has said that this is all.
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
    /// The client runs a function when this ends, and not before.
    Destructor,
}

pub struct Standing {
    callbacks: Arc<Callbacks>,
    callback: u64,
    what: What,
}

impl Standing {
    pub fn run(callbacks: &Arc<Callbacks>, callback: u64) -> Standing {
        Standing { callbacks: callbacks.clone(), callback, what: What::Run }
    }

    pub fn store(
        callbacks: &Arc<Callbacks>,
        callback: u64,
        buffer: Arc<Buffer>,
        transfer: u64,
    ) -> Standing {
        Standing { callbacks: callbacks.clone(), callback, what: What::Store { buffer, transfer } }
    }

    pub fn destructor(callbacks: &Arc<Callbacks>, callback: u64) -> Standing {
        Standing { callbacks: callbacks.clone(), callback, what: What::Destructor }
    }

    /// Gives it to the driver as a user object, which ends it.
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

    /// Ties it to a graph, and gives what `come_by` takes.
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

/// The number of what a node of `come_by` calls.
///
/// # Safety
/// As `come_by`.
pub unsafe fn callback_of(standing: *mut c_void) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { &*standing.cast::<Standing>() }.callback
}

/// The driver calls this whenever a graph comes to its node.
///
/// # Safety
/// `standing` came from `into_graph` of a graph that this one is, or was made from.
pub unsafe extern "C" fn come_by(standing: *mut c_void) {
    // SAFETY: the caller's promise: the driver keeps user objects of a graph until it has ended.
    let standing = unsafe { &*standing.cast::<Standing>() };
    match &standing.what {
        What::Run => standing.callbacks.run(standing.callback),
        What::Store { buffer, transfer } => {
            let carrier = &standing.callbacks.carrier;
            carrier.have_passed_sent();
            // SAFETY: the copy into the buffer is over, and its next one comes behind this in the
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
