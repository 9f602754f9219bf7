//! Physical memory of the virtual-memory API, and its mappings. The memory is an unnamed shared
//! file, so its bytes can be mapped at several addresses and in several processes, as on a GPU.

use crate::driver::objects::memory::heap::Heap;
use crate::driver::objects::memory::pages::Access;
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// A `CUmemGenericAllocationHandle`.
pub struct Allocation {
    /// The physical memory behind the handle.
    pub memory: Arc<Physical>,
}

/// Physical memory. It counts against its device until its last handle and its last mapping are
/// gone.
pub struct Physical {
    /// Size in bytes.
    pub bytes: u64,
    /// Ordinal of the device.
    pub device: i32,
    /// Whether the memory was created for export.
    pub is_exportable: bool,
    /// The file that holds the memory.
    pub fd: OwnedFd,
    /// The device's heap, which counts the memory.
    pub heap: Arc<Heap>,
}

/// A mapping of physical memory.
pub struct Mapping {
    /// The mapped memory.
    pub memory: Arc<Physical>,
    /// Size in bytes.
    pub bytes: u64,
    /// Permitted accesses of each device.
    pub access: BTreeMap<i32, Access>,
}

impl Drop for Physical {
    fn drop(&mut self) {
        self.heap.discharge(self.bytes);
    }
}
