//! Arrays and mipmapped arrays, as the client knows them.

use crate::objects::context::{Context, object};
use crate::objects::driver::{Driver, driver};
use outhaul_abi::types::*;
use outhaul_lock::Mutex;
use std::sync::{Arc, Weak};

/// An array, or a level of a mipmapped array.
pub struct Array {
    /// What the program holds.
    pub handle: u64,
    pub context: Weak<Context>,
    /// Size and format, as in the later form of descriptions.
    pub descriptor: CUDA_ARRAY3D_DESCRIPTOR,
    /// Whether it is a level, which ends with its mipmapped array.
    pub is_level: bool,
}

/// A mipmapped array.
pub struct MipmappedArray {
    /// What the program holds.
    pub handle: u64,
    pub context: Weak<Context>,
    pub descriptor: CUDA_ARRAY3D_DESCRIPTOR,
    /// Handles of the levels that were asked for. A level keeps its handle.
    pub levels: Mutex<Vec<Option<u64>>>,
}

/// Returns the array of a handle.
pub fn resolve(handle: CUarray) -> Result<Arc<Array>, CUresult> {
    let array = driver()?.arrays.get(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)?;
    object(array.handle)?;
    Ok(array)
}

/// Returns the mipmapped array of a handle.
pub fn resolve_mipmapped(handle: CUmipmappedArray) -> Result<Arc<MipmappedArray>, CUresult> {
    let mipmapped =
        driver()?.mipmapped_arrays.get(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)?;
    object(mipmapped.handle)?;
    Ok(mipmapped)
}

/// Forgets the arrays of a context that is ending.
pub fn forget_all(driver: &Driver, context: &Weak<Context>) {
    for array in driver.arrays.all().into_iter().filter(|a| a.context.ptr_eq(context)) {
        driver.arrays.remove(array.handle);
    }
    for mipmapped in driver.mipmapped_arrays.all().into_iter().filter(|a| a.context.ptr_eq(context))
    {
        driver.mipmapped_arrays.remove(mipmapped.handle);
    }
}
