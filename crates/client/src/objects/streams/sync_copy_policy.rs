//! Whether there may be work that does not wait for a default stream. Otherwise a synchronous copy
//! to the device need not wait for the device. The checks here are the program's only cost.

use outhaul_abi::types::{CUstream, values};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Counts never decrease: a program that once had several pays for a few more waits.
static CONTEXTS: AtomicUsize = AtomicUsize::new(0);
static STREAMS: AtomicUsize = AtomicUsize::new(0);
static THREADS: AtomicUsize = AtomicUsize::new(0);
static NON_BLOCKING: AtomicBool = AtomicBool::new(false);
static SHARED: AtomicBool = AtomicBool::new(false);

/// Notes a context.
pub fn note_context() {
    CONTEXTS.fetch_add(1, Relaxed);
}

/// Notes memory that is shared with other processes. No stream of this process delays their work.
pub fn note_shared() {
    SHARED.store(true, Relaxed);
}

/// Notes a stream. A thread's own default stream is a stream like others.
pub fn note_stream(flags: u32) {
    STREAMS.fetch_add(1, Relaxed);
    if flags & values::STREAM_NON_BLOCKING != 0 {
        NON_BLOCKING.store(true, Relaxed);
    }
}

/// Notes the calling thread at its first call.
pub fn note_thread() {
    thread_local!(static COUNTED: Cell<bool> = const { Cell::new(false) });
    if !COUNTED.replace(true) {
        THREADS.fetch_add(1, Relaxed);
    }
}

/// How a copy in this stream must end before other work that could overtake it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Care {
    /// Nothing can overtake it.
    None,
    /// The node makes other streams wait for the copy. This suffices because all later work comes
    /// from the thread for which the call returned.
    GoesFirst,
    /// The thread waits.
    Wait,
}

/// Returns how a copy in the stream must end. Only the default streams, the legacy one and a
/// thread's own, have synchronous copies. In a stream of its own, the program relies on a copy only
/// after a wait. If several threads submit work, it is unknown which work came after the copy.
/// Earlier work must not wait for the copy, because the copy may be queued after that very work.
pub fn care(default_stream: CUstream, sessions: usize) -> Care {
    let elsewhere = CONTEXTS.load(Relaxed) > 1 || SHARED.load(Relaxed);
    let is_possible = match default_stream {
        CUstream::NULL | CUstream::LEGACY => elsewhere || NON_BLOCKING.load(Relaxed),
        CUstream::PER_THREAD => elsewhere || STREAMS.load(Relaxed) > 1,
        _ => false,
    };
    match is_possible {
        false => Care::None,
        true if SHARED.load(Relaxed) || THREADS.load(Relaxed) > 1 || sessions > 1 => Care::Wait,
        true => Care::GoesFirst,
    }
}
