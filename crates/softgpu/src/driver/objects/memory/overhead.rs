//! Device memory that a real driver takes by itself: for contexts, stacks, heaps, streams, code and
//! executable graphs. The software GPU needs none of it. It takes some only if a setting gives the
//! size of a context, so that tests see how programs and nodes cope. The ratios are an H200's.

use crate::driver::lock;
use crate::driver::objects::memory::heap::Heap;
use crate::driver::system::error::Result;
use outhaul_lock::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// Memory of a stream in bytes.
pub const STREAM_BYTES: u64 = 512 << 10;
/// Memory of loaded code in bytes.
pub const CODE_BYTES: u64 = 2 << 20;
/// Memory of a node of an executable graph in bytes.
pub const GRAPH_NODE_BYTES: u64 = 112 << 10;

/// An object for which the driver takes memory, by its handle. Limits have their context's.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owner {
    Context(u64),
    Stacks(u64),
    KernelHeap(u64),
    PrintBuffer(u64),
    Stream(u64),
    Module(u64),
    Graph(u64),
}

/// The memory that the driver has taken.
pub struct Overheads {
    /// Size of a context in bytes; 0: nothing takes memory.
    pub context_bytes: u64,
    taken: Mutex<HashMap<Owner, Taken>>,
}

struct Taken {
    heap: Arc<Heap>,
    bytes: u64,
    /// Handle of the context with which the memory is given back.
    context: u64,
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.heap.discharge(self.bytes);
    }
}

impl Overheads {
    /// Returns the overheads of a driver whose contexts take this much.
    pub fn new(context_bytes: u64) -> Overheads {
        Overheads { context_bytes, taken: Mutex::default() }
    }

    /// Takes `bytes` bytes for an owner, in place of what was taken for it, until the context ends.
    pub fn take(&self, owner: Owner, heap: &Arc<Heap>, context: u64, bytes: u64) -> Result<()> {
        if self.context_bytes == 0 {
            return Ok(());
        }
        let mut taken = lock(&self.taken);
        let before = taken.get(&owner).map_or(0, |taken| taken.bytes);
        heap.charge(bytes.saturating_sub(before))?;
        heap.discharge(before.saturating_sub(bytes));
        taken.entry(owner).and_modify(|taken| taken.bytes = bytes).or_insert_with(|| Taken {
            heap: heap.clone(),
            bytes,
            context,
        });
        Ok(())
    }

    /// Gives back what was taken for an owner.
    pub fn give_back(&self, owner: Owner) {
        lock(&self.taken).remove(&owner);
    }

    /// Gives back all that ends with a context.
    pub fn end_context(&self, context: u64) {
        lock(&self.taken).retain(|_, taken| taken.context != context);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_taken_once_for_each_owner_and_ends_with_its_context() {
        let heap = Arc::new(Heap::new(64 << 20, None).unwrap());
        let (none, some) = (Overheads::new(0), Overheads::new(8 << 20));
        let used = || (64 << 20) - heap.free_bytes();
        none.take(Owner::Stream(1), &heap, 9, STREAM_BYTES).unwrap();
        assert_eq!(used(), 0);
        some.take(Owner::Context(9), &heap, 9, 8 << 20).unwrap();
        some.take(Owner::Context(9), &heap, 9, 8 << 20).unwrap();
        some.take(Owner::Stacks(9), &heap, 9, 4 << 20).unwrap();
        some.take(Owner::Stacks(9), &heap, 9, 1 << 20).unwrap();
        some.take(Owner::Graph(5), &heap, 0, 3 << 20).unwrap();
        assert!(some.take(Owner::Stacks(9), &heap, 9, 60 << 20).is_err());
        assert_eq!(used(), 12 << 20);
        some.end_context(9);
        assert_eq!(used(), 3 << 20);
        some.give_back(Owner::Graph(5));
        assert_eq!(used(), 0);
    }
}
