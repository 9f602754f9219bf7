//! The steps before and after device work that may use managed memory, or pinned memory that the
//! device can reach. Before such work the client sends the device what the program has written.

use crate::driver::state::driver;
use crate::managed::registry::in_use;
use crate::managed::state::{ManagedState, forget_work_in_progress};
use crate::objects::streams::stream::Stream;
use outhaul_abi::types::CUresult;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether `note_in_graphs` was called. The flag is never reset, which costs only a few waits.
static IN_GRAPHS: AtomicBool = AtomicBool::new(false);

/// Notes that graphs copy from or to memory that became reachable only after the graphs were
/// created. Such copies run on the client, and are not ordered with the device's accesses.
pub fn note_in_graphs() {
    IN_GRAPHS.store(true, Relaxed);
}

/// Prepares for work in `stream` that may use all shared memory.
pub fn before_work(stream: &Stream) {
    before(|state| state.begin(stream, |_| true, false));
}

/// Prepares for work in an unknown stream.
pub fn before_any_work() {
    before(ManagedState::begin_anywhere);
}

/// Prepares for a command that does not use managed memory. Later work must still see what the
/// program wrote to pinned memory before the command.
pub fn before_mark() {
    before(|_| Ok(()));
}

/// Prepares for a kernel with the parameters `params`. Until a wait for the kernel, the program may
/// not write to memory that the kernel may use. During a capture the program keeps that right,
/// because a captured kernel does not run yet.
pub fn before_kernel(stream: &Stream, params: &[u8]) {
    before(|state| {
        let named = state.named(params);
        let ends_turn = driver().is_ok_and(|driver| !driver.captures.any());
        state.begin(
            stream,
            |(start, region)| region.is_for(stream) || named.contains(start),
            ends_turn,
        )
    });
}

fn before(begin: impl FnOnce(&mut ManagedState) -> Result<(), CUresult>) {
    if in_use()
        && let Ok(driver) = driver()
    {
        // Waiting during a capture would invalidate the capture.
        if IN_GRAPHS.load(Relaxed) && !driver.captures.any() {
            driver.captures.wait_for_launches();
        }
        forget_work_in_progress();
        // Ignores errors, because the work itself reports a lost session.
        let _ = begin(&mut driver.managed.lock());
        for session in &driver.sessions {
            let _ = session.replicas.before_work(session);
        }
    }
}

/// Notes that the calling thread has posted work to `stream`, up to `position`.
pub fn note_posted(stream: &Stream, position: u64) {
    if in_use()
        && let Ok(driver) = driver()
    {
        driver.managed.note_posted(stream, position);
    }
}

/// Notes that work was posted to `stream` that may use shared pinned memory.
pub fn note_work(stream: &Arc<Stream>) {
    if in_use() {
        let session = stream.target.session;
        session.replicas.note_work(session, stream);
    }
}
