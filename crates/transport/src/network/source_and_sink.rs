//! The two ends of a lane's connection, and the sink for whole frames, which several threads share.

use outhaul_lock::{Mutex, MutexGuard};
use std::io::{self, Read, Write};

/// The reading end of a lane's connection.
pub trait Source: Read + Send {
    /// Reads as `read` does, but returns None where `read` would block.
    fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>>;

    /// Reads as `read_exact` does, in as few system calls as the connection allows.
    fn read_all(&mut self, out: &mut [u8]) -> io::Result<()> {
        self.read_exact(out)
    }
}

/// The writing end of a lane's connection.
pub trait Sink: Write + Send {
    /// Returns whether a few bytes could be written without blocking.
    fn is_ready(&self) -> bool;
}

/// Accepts all data at any time.
impl Sink for io::Sink {
    fn is_ready(&self) -> bool {
        true
    }
}

/// The sink of whole frames, shared by the lane's writer and the sender of heartbeats.
pub(crate) struct FrameSink(pub(crate) Mutex<Box<dyn Sink>>);

impl FrameSink {
    /// Locks the sink, so that no heartbeat comes between two writes.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Box<dyn Sink>> {
        self.0.lock()
    }

    /// Writes `bytes` unless another thread is writing or the write would block. The reader notices
    /// a broken connection, so errors are ignored here.
    pub fn write_if_free(&self, bytes: &[u8]) {
        let Some(mut sink) = self.0.try_lock() else { return };
        if sink.is_ready() {
            let _ = sink.write_all(bytes);
        }
    }
}
