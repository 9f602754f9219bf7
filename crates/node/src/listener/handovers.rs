//! The workers' handover sockets, by the names of their sessions. A name belongs to one session
//! until that session has ended, so an eavesdropper cannot begin another session with the name.

use outhaul_lock::{Mutex, MutexGuard};
use outhaul_transport::{Caller, Connection, HandoverSocket};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::sync::Arc;

/// The names of sessions, and their workers' handover sockets.
#[derive(Default)]
pub struct Handovers(Mutex<HashMap<[u8; 16], Option<HandoverSocket>>>);

/// A session's name, which becomes free when this value is dropped.
pub struct Name {
    handovers: Arc<Handovers>,
    /// The name.
    pub bytes: [u8; 16],
}

impl Handovers {
    fn names(&self) -> MutexGuard<'_, HashMap<[u8; 16], Option<HandoverSocket>>> {
        self.0.lock()
    }

    /// Reserves a name. Returns None if another session has that name.
    pub fn name(self: &Arc<Handovers>, bytes: [u8; 16]) -> Option<Name> {
        let mut names = self.names();
        let Entry::Vacant(free) = names.entry(bytes) else { return None };
        free.insert(None);
        Some(Name { handovers: self.clone(), bytes })
    }

    /// Hands `connection` to the worker of the session `name`. Returns None if no such session has
    /// a worker.
    pub fn give(
        &self,
        name: &[u8; 16],
        caller: Caller,
        connection: &Connection,
    ) -> Option<io::Result<()>> {
        Some(self.names().get(name)?.as_ref()?.give(caller, connection))
    }
}

impl Name {
    /// Sets the worker's socket, to which the listener hands connections for this name from now on.
    pub fn leads_to(&self, handover: HandoverSocket) {
        self.handovers.names().insert(self.bytes, Some(handover));
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        self.handovers.names().remove(&self.bytes);
    }
}
