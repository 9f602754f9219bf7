//! Arrays and mipmapped arrays, as the client knows them.

use crate::objects::context::Context;
use outhaul_abi::types::*;
use outhaul_lock::Mutex;
use std::sync::Weak;

/// An array, or a level of a mipmapped array.
pub struct Array {
    /// The handle that the program holds.
    pub handle: u64,
    pub context: Weak<Context>,
    /// Size and format, as a three-dimensional descriptor.
    pub descriptor: CUDA_ARRAY3D_DESCRIPTOR,
    /// Whether the array is a level, which the driver destroys with its mipmapped array.
    pub is_level: bool,
}

/// A mipmapped array.
pub struct MipmappedArray {
    /// The handle that the program holds.
    pub handle: u64,
    pub context: Weak<Context>,
    pub descriptor: CUDA_ARRAY3D_DESCRIPTOR,
    /// Handles of the levels that the program asked for. A level keeps its handle.
    pub levels: Mutex<Vec<Option<u64>>>,
}
