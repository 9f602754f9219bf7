//! Whether work may exist that does not wait by itself for what is in a default stream. Where none
//! can, a synchronous copy towards the device need not wait for the device; the looks here cost a
//! program nothing else.

use outhaul_abi::types::{CUstream, values};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Counted and never taken back: a program that had several once pays for a few waits more.
static CONTEXTS: AtomicUsize = AtomicUsize::new(0);
static STREAMS: AtomicUsize = AtomicUsize::new(0);
static THREADS: AtomicUsize = AtomicUsize::new(0);
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

/// A thread of the program has made its first call.
pub fn note_thread() {
    thread_local!(static COUNTED: Cell<bool> = const { Cell::new(false) });
    if !COUNTED.replace(true) {
        THREADS.fetch_add(1, Relaxed);
    }
}

/// How what is in this stream is to be over before what may run ahead of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Care {
    /// Nothing can.
    None,
    /// The node has other streams stay behind: all that comes later comes from the thread that has
    /// seen this return.
    GoesFirst,
    /// The thread waits.
    Wait,
}

/// Only the default streams, the legacy one and a thread's own, have synchronous copies; what is in
/// a stream that the program made nobody expects to be done before it was waited for. If several
/// threads give the device work, nobody knows which of it came after the copy, and what did not
/// must not wait for it: the copy may stand behind that very work.
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
