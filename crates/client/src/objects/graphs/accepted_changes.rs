//! Changes of nodes that the node's driver has accepted. The client sends an equal change without
//! waiting for the answer, because the driver accepts it again. The first change of a node waits,
//! so that a wrong one fails in the call itself.

use outhaul_lock::Mutex;
use std::collections::HashSet;

/// Maximum number of remembered changes. Beyond it the memory starts anew, which costs a wait for
/// each change.
const CHANGES_MAX: usize = 1 << 16;

/// A change: the executable graph or 0, the node, the kind, and the kernel or 0.
pub type Change = (u64, u64, i32, u64);

/// The remembered changes of all graphs.
#[derive(Default)]
pub struct AcceptedChanges {
    known: Mutex<HashSet<Change>>,
}

impl AcceptedChanges {
    /// Returns whether the driver has accepted an equal change.
    pub fn contains(&self, change: Change) -> bool {
        self.known.lock().contains(&change)
    }

    /// Notes that the driver has accepted the change.
    pub fn note(&self, change: Change) {
        let mut known = self.known.lock();
        if known.len() >= CHANGES_MAX {
            known.clear();
        }
        known.insert(change);
    }

    /// Forgets all changes, because a graph or a node is destroyed.
    pub fn forget(&self) {
        self.known.lock().clear();
    }
}
