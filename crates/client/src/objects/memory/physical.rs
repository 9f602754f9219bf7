//! Physical memory, which the program creates and maps at addresses of its choice.

use outhaul_abi::types::*;
use outhaul_lock::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;

/// Memory that the program creates and maps where it wants.
pub struct Physical {
    /// The handle that the program holds.
    pub handle: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// Bytes of the session's grant: none if another session created it.
    pub charged_bytes: u64,
    /// Properties that the program gave.
    pub properties: CUmemAllocationProp,
    /// The program's references to the handle.
    pub references: AtomicU32,
    /// Addresses where it is mapped, with the access that was set, by device.
    pub mapped: Mutex<BTreeMap<u64, BTreeMap<CUdevice, CUmemAccess_flags>>>,
}

impl Physical {
    /// Describes memory that the worker has or will have. It is not mapped.
    pub fn new(
        handle: u64,
        bytes: u64,
        charged_bytes: u64,
        properties: CUmemAllocationProp,
    ) -> Physical {
        Physical {
            handle,
            bytes,
            charged_bytes,
            properties,
            references: AtomicU32::new(1),
            mapped: Mutex::default(),
        }
    }
}

// SAFETY: the properties contain a pointer that is only for another system, and is never followed.
unsafe impl Send for Physical {}
// SAFETY: as above.
unsafe impl Sync for Physical {}
