//! Whether work may exist that does not wait by itself for what is in a default stream. Where none can, a synchronous copy towards the device need not
//! wait for the device; the looks here cost a program nothing else.

use outhaul_abi::types::{CUstream, values};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Counted and never taken back: a program that had several once pays for a few waits more.
static CONTEXTS: AtomicUsize = AtomicUsize::new(0);
static STREAMS: AtomicUsize = AtomicUsize::new(0);
static NON_BLOCKING: AtomicBool = AtomicBool::new(false);
static SHARED: AtomicBool = AtomicBool::new(false);

pub fn note_context() {
    CONTEXTS.fetch_add(1, Relaxed);
}

/// Memory has been shared with other processes, whose work no stream of this one holds up.
pub fn note_shared() {
    SHARED.store(true, Relaxed);
}

/// Threads' own default streams are streams like others.
pub fn note_stream(flags: u32) {
    STREAMS.fetch_add(1, Relaxed);
    if flags & values::STREAM_NON_BLOCKING != 0 {
        NON_BLOCKING.store(true, Relaxed);
    }
}

/// Whether something may run ahead of what is in this stream. Only the default streams, the legacy one and a thread's own, have synchronous copies; what
/// is in a stream that the program made nobody expects to be done before it was waited for.
pub fn is_possible(default_stream: CUstream) -> bool {
    let elsewhere = CONTEXTS.load(Relaxed) > 1 || SHARED.load(Relaxed);
    match default_stream {
        CUstream::NULL | CUstream::LEGACY => elsewhere || NON_BLOCKING.load(Relaxed),
        CUstream::PER_THREAD => elsewhere || STREAMS.load(Relaxed) > 1,
        _ => false,
    }
}
