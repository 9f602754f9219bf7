//! Lookup by handle of modules, arrays, physical memory, and module references.

use crate::driver::contexts;
use crate::driver::other_node::check_object;
use crate::driver::state::{Driver, driver};
use crate::objects::code::module::Module;
use crate::objects::context::Context;
use crate::objects::memory::arrays::{Array, MipmappedArray};
use crate::objects::memory::physical::Physical;
use outhaul_abi::types::*;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Weak};

/// Returns the module of a handle.
pub fn module(handle: CUmodule) -> Result<Arc<Module>, CUresult> {
    let module = driver()?.modules.get(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)?;
    check_object(module.handle)?;
    Ok(module)
}

/// Returns the library of a handle. First makes sure that the calling thread's node has loaded it.
pub fn library(handle: CUlibrary) -> Result<Arc<Module>, CUresult> {
    let library = driver()?.libraries.get(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)?;
    library.learn(contexts::target_or_none()?)?;
    Ok(library)
}

/// Returns the array of a handle.
pub fn array(handle: CUarray) -> Result<Arc<Array>, CUresult> {
    let array = driver()?.arrays.get(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)?;
    check_object(array.handle)?;
    Ok(array)
}

/// Returns the mipmapped array of a handle.
pub fn mipmapped_array(handle: CUmipmappedArray) -> Result<Arc<MipmappedArray>, CUresult> {
    let mipmapped =
        driver()?.mipmapped_arrays.get(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)?;
    check_object(mipmapped.handle)?;
    Ok(mipmapped)
}

/// Returns the physical memory of a handle to which the program holds a reference.
pub fn physical(handle: CUmemGenericAllocationHandle) -> Result<Arc<Physical>, CUresult> {
    let found = driver()?.physical.get(handle);
    found.filter(|memory| memory.references.load(SeqCst) > 0).ok_or(CUresult::INVALID_VALUE)
}

/// Returns the physical memory that is mapped at address `start`.
pub fn mapped_at(driver: &Driver, start: u64) -> Option<Arc<Physical>> {
    driver.physical.all().into_iter().find(|p| p.mapped.lock().contains_key(&start))
}

/// Removes from the tables the arrays of a context that is ending.
pub fn forget_arrays(driver: &Driver, context: &Weak<Context>) {
    for array in driver.arrays.all().into_iter().filter(|a| a.context.ptr_eq(context)) {
        driver.arrays.remove(array.handle);
    }
    for mipmapped in driver.mipmapped_arrays.all().into_iter().filter(|a| a.context.ptr_eq(context))
    {
        driver.mipmapped_arrays.remove(mipmapped.handle);
    }
}

/// Removes from the tables the texture and surface references of a module that is unloaded.
pub fn forget_references(of: u64) {
    let Ok(driver) = driver() else { return };
    for known in [&driver.texture_references, &driver.surface_references] {
        for gone in known.all().into_iter().filter(|found| found.module == of) {
            known.remove(gone.handle);
        }
    }
}
