//! Pinned memory for captured copies between the device and the program's memory.

use crate::worker::io::frame::{Incoming, Refusal};
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::messages::CaptureBytes;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

const HOST_ALLOC_PORTABLE: u32 = 1;
/// Maximum size of a captured copy in bytes. Each such copy has pinned memory of its own on the
/// node.
const BUFFER_BYTES_MAX: u64 = 1 << 30;
/// Maximum size in bytes of a session's buffers for captured copies together.
const BUFFERS_BYTES_MAX: u64 = 16 << 30;

/// Pinned memory between a captured copy and the program's memory.
pub struct Buffer {
    address: *mut u8,
    bytes: usize,
    /// The size of the session's buffers together, in bytes.
    together: Arc<AtomicU64>,
}

// SAFETY: ordinary memory; device and lanes use it in turn, in stream order.
unsafe impl Send for Buffer {}
// SAFETY: ordinary memory; device and lanes use it in turn, in stream order.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Returns the buffer's address.
    pub fn address(&self) -> *mut c_void {
        self.address.cast()
    }

    /// Returns the buffer's address, and its size in bytes.
    pub fn range(&self) -> (u64, u64) {
        (self.address as u64, self.bytes as u64)
    }

    /// Returns the buffer's content.
    ///
    /// # Safety
    /// No copy writes to the buffer while the content is in use.
    pub unsafe fn content(&self) -> &[u8] {
        // SAFETY: the buffer owns its memory, and the caller upholds this function's contract.
        unsafe { std::slice::from_raw_parts(self.address, self.bytes) }
    }

    /// Frees a buffer that no graph uses any more. The driver may wait for the device, and for a
    /// graph whose function locks the table of buffers.
    pub fn free(&self, driver: &Driver) {
        // SAFETY: the buffer owns its memory, and no graph that used it exists. If the memory's
        // context was destroyed, the call fails.
        let _ = unsafe { driver.cuMemFreeHost(self.address()) };
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.together.fetch_sub(self.bytes as u64, SeqCst);
    }
}

/// Adds `bytes` to the size of a session's buffers, unless that is beyond the limit.
fn take(together: &AtomicU64, bytes: u64) -> Result<(), CUresult> {
    let fits = |before: u64| Some(before + bytes).filter(|after| *after <= BUFFERS_BYTES_MAX);
    together.fetch_update(SeqCst, SeqCst, fits).map_err(|_| CUresult::OUT_OF_MEMORY)?;
    Ok(())
}

/// The buffers of captured copies, by callback.
#[derive(Default)]
pub struct Buffers {
    live: Mutex<HashMap<u64, Arc<Buffer>>>,
    /// Buffers of destroyed graphs. They stay here, because the driver's own threads must not free
    /// memory.
    left: Mutex<Vec<Arc<Buffer>>>,
    together: Arc<AtomicU64>,
}

impl Buffers {
    /// Allocates a captured copy's buffer.
    pub fn make(&self, driver: &Driver, callback: u64, bytes: u64) -> Result<Arc<Buffer>, Refusal> {
        if bytes > BUFFER_BYTES_MAX {
            return Err(Refusal::Driver(CUresult::STREAM_CAPTURE_UNSUPPORTED));
        }
        if self.live.lock().contains_key(&callback) {
            return Err(Refusal::Violation(format!("callback {callback} has a copy already")));
        }
        take(&self.together, bytes)?;
        let mut buffer =
            Buffer { address: null_mut(), bytes: bytes as usize, together: self.together.clone() };
        let place: *mut *mut c_void = (&raw mut buffer.address).cast();
        // SAFETY: the out-pointer is a local.
        unsafe { driver.cuMemHostAlloc(place, bytes as usize, HOST_ALLOC_PORTABLE) }.ok()?;
        let buffer = Arc::new(buffer);
        self.live.lock().insert(callback, buffer.clone());
        Ok(buffer)
    }

    /// Returns the total size of the buffers that wait to be freed, in bytes.
    pub fn bytes_left(&self) -> usize {
        self.lock_left().iter().map(|buffer| buffer.bytes).sum()
    }

    /// Removes and returns the buffers that wait to be freed.
    pub fn take_left(&self) -> Vec<Arc<Buffer>> {
        std::mem::take(&mut *self.lock_left())
    }

    /// Notes that no graph calls the callback any more.
    pub fn leave(&self, callback: u64) {
        let buffer = self.live.lock().remove(&callback);
        self.lock_left().extend(buffer);
    }

    fn lock_left(&self) -> MutexGuard<'_, Vec<Arc<Buffer>>> {
        self.left.lock()
    }

    /// Receives the client's bytes for a copy that the device has reached.
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
        // SAFETY: the range is inside the buffer, which exists as long as this `Arc`. The device
        // reads the buffer only after the client has sent everything.
        let place =
            unsafe { std::slice::from_raw_parts_mut(buffer.address.add(m.offset as usize), count) };
        incoming.read_payload(place).map_err(|e| e.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_buffers_of_a_session_have_a_limit_together() {
        let together = Arc::<AtomicU64>::default();
        let make = |bytes: u64| {
            take(&together, bytes).map(|()| Buffer {
                address: null_mut(),
                bytes: bytes as usize,
                together: together.clone(),
            })
        };
        let all: Vec<_> = (0..16).map(|_| make(1 << 30).unwrap()).collect();
        assert_eq!(make(1).map(drop), Err(CUresult::OUT_OF_MEMORY));
        drop(all);
        assert!(make(1 << 30).is_ok());
    }
}
