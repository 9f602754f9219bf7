//! Nodes that know an object such as a function or a module, and the object's handles by context.

use crate::session::{Session, Target};
use outhaul_lock::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// Set of the nodes that know an object, one bit per node.
#[derive(Default)]
pub struct Nodes(AtomicU32);

impl Nodes {
    /// Returns whether the session's node knows the object.
    pub fn has(&self, session: &Session) -> bool {
        self.0.load(SeqCst) >> session.number & 1 == 1
    }

    /// Notes that the session's node knows the object.
    pub fn add(&self, session: &Session) {
        self.0.fetch_or(1 << session.number, SeqCst);
    }
}

/// A library's CUmodules or a kernel's CUfunctions, by the index of the context that asked.
#[derive(Default)]
pub struct Inner(Mutex<HashMap<u16, u64>>);

impl Inner {
    /// Returns the handle in `target`'s context, or 0.
    pub fn get(&self, target: Target) -> u64 {
        self.lock().get(&target.context).copied().unwrap_or(0)
    }

    /// Remembers the handle in `target`'s context.
    pub fn set(&self, target: Target, handle: u64) {
        self.lock().insert(target.context, handle);
    }

    /// Returns all handles.
    pub fn all(&self) -> Vec<u64> {
        self.lock().values().copied().collect()
    }

    fn lock(&self) -> outhaul_lock::MutexGuard<'_, HashMap<u16, u64>> {
        self.0.lock()
    }
}
