//! Decides whether a synchronous copy to the device must wait for the device. It need not unless
//! some work ignores the default streams' order. The checks here are the program's only cost.

use outhaul_abi::types::{CUstream, values};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// The counters never decrease, so a program that once had several contexts, streams or threads
/// waits more often.
static CONTEXTS: AtomicUsize = AtomicUsize::new(0);
static STREAMS: AtomicUsize = AtomicUsize::new(0);
static THREADS: AtomicUsize = AtomicUsize::new(0);
static NON_BLOCKING: AtomicBool = AtomicBool::new(false);
static SHARED: AtomicBool = AtomicBool::new(false);

/// Notes a context.
pub fn note_context() {
    CONTEXTS.fetch_add(1, Relaxed);
}

/// Notes that memory is shared with other processes. No stream of this process delays their work.
pub fn note_shared() {
    SHARED.store(true, Relaxed);
}

/// Notes a stream. A thread's own default stream counts like any other.
pub fn note_stream(flags: u32) {
    STREAMS.fetch_add(1, Relaxed);
    if flags & values::STREAM_NON_BLOCKING != 0 {
        NON_BLOCKING.store(true, Relaxed);
    }
}

/// Counts the calling thread at its first call.
pub fn note_thread() {
    thread_local!(static COUNTED: Cell<bool> = const { Cell::new(false) });
    if !COUNTED.replace(true) {
        THREADS.fetch_add(1, Relaxed);
    }
}

/// How a synchronous copy prevents other work from overtaking it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Care {
    /// Nothing can overtake the copy.
    None,
    /// The node makes other streams wait for the copy. The wait suffices because all later work
    /// comes from the thread that made the copy.
    GoesFirst,
    /// The calling thread waits for the copy.
    Wait,
}

/// Returns how a copy in the stream prevents overtaking. Only the default streams have synchronous
/// copies. In a stream of its own, the program relies on a copy only after a wait. If several
/// threads submit work, the client cannot tell which work came after the copy. Earlier work must
/// not wait for the copy, because the copy may be queued after that very work.
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
