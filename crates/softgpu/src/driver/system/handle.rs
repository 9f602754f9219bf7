//! Tables that give objects their handles and check the handles that programs pass.
//!
//! CUDA's handles are pointers, and a program may pass anything. Here a handle is a number that
//! includes its kind and is never reused. Therefore a stale or invented handle is an error, not a
//! crash. Deliberately absent: raw pointers to objects.

use outhaul_lock::RwLock;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The kinds of objects that a program holds by handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum HandleKind {
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

/// Base of all handles. It is above every user-space address, so a handle is never mistaken for
/// memory. It is non-canonical, so a program that dereferences a handle faults at once.
const HANDLE_BASE: u64 = 0x4f48_0000_0000_0000;
const KIND_SHIFT: u32 = 40;
/// Distance between handles. Handles are multiples of 16, like the pointers that programs expect.
const HANDLE_STEP: u64 = 16;

/// A table of objects by handle.
pub struct Table<T> {
    kind: HandleKind,
    next: AtomicU64,
    entries: RwLock<HashMap<u64, Arc<T>>>,
}

impl<T> Table<T> {
    /// Returns an empty table.
    pub fn new(kind: HandleKind) -> Self {
        Table { kind, next: AtomicU64::new(1), entries: RwLock::new(HashMap::new()) }
    }

    /// Adds an object that `make` creates from its future handle. For objects that store their own
    /// handle.
    pub fn insert_with(&self, make: impl FnOnce(u64) -> T) -> Arc<T> {
        let handle = HANDLE_BASE
            + ((self.kind as u64) << KIND_SHIFT)
            + self.next.fetch_add(1, Ordering::Relaxed) * HANDLE_STEP;
        let object = Arc::new(make(handle));
        self.write().insert(handle, Arc::clone(&object));
        object
    }

    /// Adds an object like `insert_with`, unless `make` fails.
    pub fn try_insert_with<E>(&self, make: impl FnOnce(u64) -> Result<T, E>) -> Result<Arc<T>, E> {
        let handle = HANDLE_BASE
            + ((self.kind as u64) << KIND_SHIFT)
            + self.next.fetch_add(1, Ordering::Relaxed) * HANDLE_STEP;
        let object = Arc::new(make(handle)?);
        self.write().insert(handle, Arc::clone(&object));
        Ok(object)
    }

    /// Adds an object and returns its handle.
    pub fn insert(&self, object: T) -> u64 {
        let mut given = 0;
        self.insert_with(|handle| {
            given = handle;
            object
        });
        given
    }

    /// Returns the object with the given handle.
    pub fn get(&self, handle: u64) -> Option<Arc<T>> {
        self.read().get(&handle).cloned()
    }

    /// Returns an object's handle, if the object still has one.
    pub fn find(&self, object: &Arc<T>) -> Option<u64> {
        self.read().iter().find(|(_, entry)| Arc::ptr_eq(entry, object)).map(|(handle, _)| *handle)
    }

    /// Removes and returns the object with the given handle.
    pub fn remove(&self, handle: u64) -> Option<Arc<T>> {
        self.write().remove(&handle)
    }

    /// Removes and returns every object for which `gone` returns true.
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
        let streams = Table::new(HandleKind::Stream);
        let events: Table<u32> = Table::new(HandleKind::Event);
        let first = streams.insert(1_u32);
        assert_eq!(streams.get(first).as_deref(), Some(&1));
        assert!(events.get(first).is_none());
        streams.remove(first);
        assert!(streams.get(first).is_none());
        assert_ne!(streams.insert(2), first);
        assert!(streams.get(0).is_none() && streams.get(0xdead_beef).is_none());
    }
}
