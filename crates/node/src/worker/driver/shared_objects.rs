//! The session's memory and events that other sessions of the node may adopt, each under a random
//! key. An object can be adopted until its `Share` is dropped.

use crate::worker::io::frame::Refusal;
use outhaul_abi::types::{CUipcEventHandle, CUresult, CUuuid};
use outhaul_lock::Mutex;
use outhaul_transport::Key;
use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// Maximum number of shared objects, each of which may need one of this process's descriptors.
const SHARED_MAX: usize = 512;

/// An object that other sessions may adopt.
pub enum Shared {
    Memory {
        /// The memory's descriptor.
        descriptor: OwnedFd,
        /// The device's UUID, because another node on this machine may number the device
        /// differently.
        uuid: CUuuid,
        /// Size in bytes.
        bytes: u64,
    },
    /// An event, by the driver's own handle. Without a random key, other programs of the machine
    /// could use the handle.
    Event(CUipcEventHandle),
}

/// The session's objects that other sessions may adopt, by key.
#[derive(Clone, Default)]
pub struct SharedObjects(Arc<Mutex<HashMap<Key, Shared>>>);

/// A shared object. Sharing ends when this value is dropped.
pub struct Share {
    /// The object's key.
    pub key: Key,
    objects: SharedObjects,
}

impl Drop for Share {
    fn drop(&mut self) {
        self.objects.0.lock().remove(&self.key);
    }
}

impl SharedObjects {
    /// Stores an object under a random key.
    pub fn insert(&self, shared: Shared) -> Result<Share, Refusal> {
        let key = random()?;
        let mut all = self.0.lock();
        if all.len() >= SHARED_MAX {
            return Err(Refusal::Driver(CUresult::OUT_OF_MEMORY));
        }
        all.insert(key, shared);
        Ok(Share { key, objects: self.clone() })
    }

    /// Returns the words and the descriptor that describe the object under `key`.
    pub fn find(&self, key: &Key) -> Option<(Vec<u8>, Option<OwnedFd>)> {
        let all = self.0.lock();
        Some(match all.get(key)? {
            Shared::Memory { descriptor, uuid, bytes } => (
                [&uuid.bytes[..], &bytes.to_le_bytes()].concat(),
                Some(descriptor.try_clone().ok()?),
            ),
            Shared::Event(handle) => (handle.reserved.to_vec(), None),
        })
    }
}

/// Returns random bytes from Linux, which a program cannot guess.
pub fn random<const N: usize>() -> Result<[u8; N], CUresult> {
    let mut bytes = [0; N];
    // SAFETY: `bytes` is valid for writes of `N` bytes.
    let filled = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), N, 0) };
    if filled == N as isize { Ok(bytes) } else { Err(CUresult::OPERATING_SYSTEM) }
}
