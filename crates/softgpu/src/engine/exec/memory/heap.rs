//! The device heap for `malloc` and `free` in kernels.

use outhaul_lock::Mutex;
use std::alloc::{Layout, alloc, dealloc};
use std::collections::HashMap;

#[derive(Default)]
struct Heap {
    blocks: Option<HashMap<u64, Layout>>,
    used_bytes: u64,
}

static HEAP: Mutex<Heap> = Mutex::new(Heap { blocks: None, used_bytes: 0 });

/// Returns the address of new memory, or 0 if the heap would then hold more than `heap_bytes_max`.
pub fn allocate(bytes: u64, heap_bytes_max: u64) -> u64 {
    let mut heap = HEAP.lock();
    let bytes = bytes.max(1);
    if bytes > heap_bytes_max.saturating_sub(heap.used_bytes) {
        return 0;
    }
    let Ok(layout) = Layout::from_size_align(bytes as usize, 16) else { return 0 };
    // SAFETY: the size is not zero.
    let address = unsafe { alloc(layout) } as u64;
    if address != 0 {
        heap.used_bytes += bytes;
        heap.blocks.get_or_insert_default().insert(address, layout);
    }
    address
}

/// Returns whether a single allocation holds all of the bytes.
pub fn holds(address: u64, bytes: u32) -> bool {
    let heap = HEAP.lock();
    let end = address.saturating_add(u64::from(bytes));
    heap.blocks
        .iter()
        .flatten()
        .any(|(base, layout)| address >= *base && end <= base + layout.size() as u64)
}

/// Frees memory. Ignores an address that [`allocate`] did not return.
pub fn release(address: u64) {
    let mut heap = HEAP.lock();
    if let Some(layout) = heap.blocks.as_mut().and_then(|blocks| blocks.remove(&address)) {
        heap.used_bytes -= layout.size() as u64;
        // SAFETY: the address is in the map. So `alloc` returned it with this layout, and it was
        // not freed since.
        unsafe { dealloc(address as *mut u8, layout) };
    }
}
