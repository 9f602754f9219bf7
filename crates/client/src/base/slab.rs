//! A table of objects of one kind that assigns their handles. It detects handles that are stale or
//! were never valid.

use outhaul_abi::types::CUresult;
use outhaul_lock::RwLock;
use outhaul_wire::handle::{Handle, HandleKind, INDEX_MAX};
use std::sync::Arc;

/// A table of objects of one kind.
pub struct Slab<T> {
    kind: HandleKind,
    slots: RwLock<Slots<T>>,
}

struct Slots<T> {
    slots: Vec<SlabEntry<T>>,
    free: Vec<u32>,
}

struct SlabEntry<T> {
    generation: u8,
    node: u8,
    value: Option<Arc<T>>,
}

impl<T> SlabEntry<T> {
    fn is(&self, handle: Handle) -> bool {
        (self.generation, self.node) == (handle.generation, handle.node)
    }
}

impl<T> Slab<T> {
    /// Creates an empty table.
    pub fn new(kind: HandleKind) -> Slab<T> {
        Slab { kind, slots: RwLock::new(Slots { slots: Vec::new(), free: Vec::new() }) }
    }

    /// Adds the object that `make` creates from its own handle. The object belongs to no particular
    /// node.
    pub fn insert(&self, make: impl FnOnce(u64) -> T) -> Result<Arc<T>, CUresult> {
        self.insert_on(0, make)
    }

    /// Adds an object as `insert` does, but one that belongs to `node`.
    pub fn insert_on(&self, node: u8, make: impl FnOnce(u64) -> T) -> Result<Arc<T>, CUresult> {
        let handle = self.reserve_on(node)?;
        Ok(self.fill(handle, make(handle)))
    }

    /// Reserves a handle. The caller then adds the object with `fill`, or puts the handle back with
    /// `release`.
    pub fn reserve(&self) -> Result<u64, CUresult> {
        self.reserve_on(0)
    }

    /// Reserves a handle as `reserve` does, but for an object that belongs to `node`.
    pub fn reserve_on(&self, node: u8) -> Result<u64, CUresult> {
        let mut slots = self.slots.write();
        let index = match slots.free.pop() {
            Some(index) => index,
            None if slots.slots.len() > INDEX_MAX as usize => return Err(CUresult::OUT_OF_MEMORY),
            None => {
                slots.slots.push(SlabEntry { generation: 0, node, value: None });
                slots.slots.len() as u32 - 1
            }
        };
        let slot = &mut slots.slots[index as usize];
        slot.node = node;
        Ok(Handle { kind: self.kind, node, index, generation: slot.generation }.pack())
    }

    /// Adds the object of a reserved handle, and returns the object.
    pub fn fill(&self, handle: u64, value: T) -> Arc<T> {
        let value = Arc::new(value);
        if let Some(handle) = Handle::unpack(handle) {
            self.slots.write().slots[handle.index as usize].value = Some(value.clone());
        }
        value
    }

    /// Puts a reserved handle without an object back into the table.
    pub fn release(&self, handle: u64) {
        if let Some(handle) = Handle::unpack(handle) {
            let mut slots = self.slots.write();
            let slot = &mut slots.slots[handle.index as usize];
            slot.generation = slot.generation.wrapping_add(1);
            slots.free.push(handle.index);
        }
    }

    /// Returns the object of a handle, or `None` if the handle is stale or invalid.
    pub fn get(&self, handle: u64) -> Option<Arc<T>> {
        let handle = Handle::unpack(handle).filter(|h| h.kind == self.kind)?;
        let slots = self.slots.read();
        let slot = slots.slots.get(handle.index as usize)?;
        if slot.is(handle) { slot.value.clone() } else { None }
    }

    /// Removes the object of a handle, and returns the object.
    pub fn remove(&self, handle: u64) -> Option<Arc<T>> {
        let handle = Handle::unpack(handle).filter(|h| h.kind == self.kind)?;
        let mut slots = self.slots.write();
        let slot = slots.slots.get_mut(handle.index as usize)?;
        if !slot.is(handle) {
            return None;
        }
        let value = slot.value.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        slots.free.push(handle.index);
        Some(value)
    }

    /// Returns all objects.
    pub fn all(&self) -> Vec<Arc<T>> {
        self.slots.read().slots.iter().filter_map(|s| s.value.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_handle_is_not_its_successor() {
        let slab = Slab::new(HandleKind::Event);
        let first = *slab.insert(|handle| handle).unwrap();
        assert!(slab.get(first).is_some() && slab.get(first + 1).is_none());
        assert!(slab.remove(first).is_some() && slab.remove(first).is_none());
        let second = *slab.insert_on(3, |handle| handle).unwrap();
        assert_ne!(first, second);
        assert!(slab.get(second & !(3 << 28)).is_none(), "it belongs to another node");
        assert!(slab.get(first).is_none() && slab.get(second).is_some());
    }
}
