//! Tables that give objects their handles and check them on the way back in.
//!
//! CUDA's handles are pointers and a program may pass anything. Here a handle is a number that
//! names its kind and is never used twice, so a stale or invented handle is an error, not a crash.
//! Deliberately absent: raw pointers to objects.

use outhaul_lock::RwLock;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Every kind of object that a program holds by handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Kind {
    Context = 1,
    Stream,
    Event,
    Module,
    Function,
    Library,
    Kernel,
    Link,
    Pool,
    Physical,
    Graph,
    GraphNode,
    GraphExec,
    UserObject,
    Array,
    MipmappedArray,
}

/// Above every user-space address, so that a handle is never mistaken for memory, and
/// non-canonical, so that a program that dereferences one faults at once.
const HANDLE_BASE: u64 = 0x4f48_0000_0000_0000;
const KIND_SHIFT: u32 = 40;
/// Handles are multiples of 16, as the pointers that programs expect would be.
const HANDLE_STEP: u64 = 16;

pub struct Table<T> {
    kind: Kind,
    next: AtomicU64,
    entries: RwLock<HashMap<u64, Arc<T>>>,
}

impl<T> Table<T> {
    pub fn new(kind: Kind) -> Self {
        Table { kind, next: AtomicU64::new(1), entries: RwLock::new(HashMap::new()) }
    }

    /// Makes the object from the handle it will have, for objects that know their own name.
    pub fn insert_with(&self, make: impl FnOnce(u64) -> T) -> Arc<T> {
        let handle = HANDLE_BASE
            + ((self.kind as u64) << KIND_SHIFT)
            + self.next.fetch_add(1, Ordering::Relaxed) * HANDLE_STEP;
        let object = Arc::new(make(handle));
        self.write().insert(handle, Arc::clone(&object));
        object
    }

    /// As `insert_with`, for objects that may not come to be.
    pub fn try_insert_with<E>(&self, make: impl FnOnce(u64) -> Result<T, E>) -> Result<Arc<T>, E> {
        let handle = HANDLE_BASE
            + ((self.kind as u64) << KIND_SHIFT)
            + self.next.fetch_add(1, Ordering::Relaxed) * HANDLE_STEP;
        let object = Arc::new(make(handle)?);
        self.write().insert(handle, Arc::clone(&object));
        Ok(object)
    }

    pub fn insert(&self, object: T) -> u64 {
        let mut given = 0;
        self.insert_with(|handle| {
            given = handle;
            object
        });
        given
    }

    pub fn get(&self, handle: u64) -> Option<Arc<T>> {
        self.read().get(&handle).cloned()
    }

    /// The handle of an object, if it still has one.
    pub fn find(&self, object: &Arc<T>) -> Option<u64> {
        self.read().iter().find(|(_, entry)| Arc::ptr_eq(entry, object)).map(|(handle, _)| *handle)
    }

    pub fn remove(&self, handle: u64) -> Option<Arc<T>> {
        self.write().remove(&handle)
    }

    /// Removes every object that `gone` says yes to, and hands them over.
    pub fn drain_matching(&self, gone: impl Fn(&T) -> bool) -> Vec<Arc<T>> {
        self.write().extract_if(|_, object| gone(object)).map(|(_, object)| object).collect()
    }

    fn read(&self) -> outhaul_lock::RwLockReadGuard<'_, HashMap<u64, Arc<T>>> {
        self.entries.read()
    }

    fn write(&self) -> outhaul_lock::RwLockWriteGuard<'_, HashMap<u64, Arc<T>>> {
        self.entries.write()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_never_reused_and_never_cross_kinds() {
        let streams = Table::new(Kind::Stream);
        let events: Table<u32> = Table::new(Kind::Event);
        let first = streams.insert(1_u32);
        assert_eq!(streams.get(first).as_deref(), Some(&1));
        assert!(events.get(first).is_none());
        streams.remove(first);
        assert!(streams.get(first).is_none());
        assert_ne!(streams.insert(2), first);
        assert!(streams.get(0).is_none() && streams.get(0xdead_beef).is_none());
    }
}
