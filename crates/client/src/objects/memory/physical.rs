//! Physical memory, which the program creates and maps at addresses of its choice.

use outhaul_abi::types::*;
use outhaul_lock::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;

/// Memory that the program creates and maps at addresses of its choice.
pub struct Physical {
    /// The handle that the program holds.
    pub handle: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// Bytes that count against the session's grant; 0 if another session created the memory.
    pub charged_bytes: u64,
    /// Properties that the program passed.
    pub properties: CUmemAllocationProp,
    /// Number of references to the handle that the program holds. While mappings exist, the program
    /// may take a new reference after it has released the last one.
    pub references: AtomicU32,
    /// Addresses where the memory is mapped, each with the access that the program set by device.
    pub mapped: Mutex<BTreeMap<u64, BTreeMap<CUdevice, CUmemAccess_flags>>>,
}

impl Physical {
    /// Creates the description of unmapped memory, which the worker has or will have.
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

// SAFETY: the properties contain a pointer that only Windows uses; the client never dereferences
// it.
unsafe impl Send for Physical {}
// SAFETY: as above.
unsafe impl Sync for Physical {}
