//! Physical memory of the virtual-memory API, and where it is mapped. It is an unnamed shared file,
//! so the same bytes can be mapped at several addresses and in several processes, as on a GPU.

use crate::driver::objects::memory::heap::Heap;
use crate::driver::objects::memory::pages::Access;
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// A `CUmemGenericAllocationHandle`.
pub struct Allocation {
    /// The memory.
    pub memory: Arc<Physical>,
}

/// Physical memory. It counts against its device until the last handle and the last mapping are
/// gone.
pub struct Physical {
    /// Size in bytes.
    pub bytes: u64,
    /// Ordinal of the device.
    pub device: i32,
    /// Whether it was created for export.
    pub is_exportable: bool,
    /// File that holds it.
    pub fd: OwnedFd,
    /// Memory of the device, which counts it.
    pub heap: Arc<Heap>,
}

/// A mapped range.
pub struct Mapping {
    /// The memory.
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
