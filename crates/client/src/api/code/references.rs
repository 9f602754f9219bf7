//! Texture and surface references: module variables that a launch binds with their current
//! settings. The node's driver keeps the settings, so each query asks the node.

use crate::api::arguments::CudaResult;
use crate::base::slab::Slab;
use crate::driver::state::driver;
use crate::marshal;
use crate::objects::code::module::Module;
use crate::objects::code::texture_references::Reference;
use crate::objects::context_stack;
use crate::objects::context_stack::{call, post};
use outhaul_abi::types::*;
use outhaul_wire::messages::{
    ReferenceArray, ReferenceFind, TextureReferenceCreate, TextureReferenceDestroy,
};
use std::ffi::CStr;
use std::sync::Arc;

/// Returns the texture reference of a module variable.
pub fn texture_in(module: Arc<Module>, name: &CStr) -> Result<CUtexref, CUresult> {
    Ok(CUtexref(find(&driver()?.texture_references, &module, name, false)? as usize))
}

/// Returns the surface reference of a module variable.
pub fn surface_in(module: Arc<Module>, name: &CStr) -> Result<CUsurfref, CUresult> {
    Ok(CUsurfref(find(&driver()?.surface_references, &module, name, true)? as usize))
}

/// Returns the handle of a module variable's reference. Every call for a variable returns the same
/// handle.
fn find(
    known: &Slab<Reference>,
    module: &Module,
    name: &CStr,
    surface: bool,
) -> Result<u64, CUresult> {
    let (module, name) = (module.handle, name.to_string_lossy().into_owned());
    if let Some(found) =
        known.all().into_iter().find(|found| found.module == module && found.name == name)
    {
        return Ok(found.handle);
    }
    let handle = known.reserve_on(context_stack::target()?.session.number)?;
    let found = call(&ReferenceFind { module, name: &name, surface, reference: handle })
        .and_then(|answer| answer.ok());
    found.inspect_err(|_| known.release(handle))?;
    known.fill(handle, Reference { handle, module, name });
    Ok(handle)
}

/// Creates a texture reference without a module variable.
pub fn create() -> Result<CUtexref, CUresult> {
    let known = &driver()?.texture_references;
    let handle = known.reserve_on(context_stack::target()?.session.number)?;
    let made = call(&TextureReferenceCreate { reference: handle }).and_then(|answer| answer.ok());
    made.inspect_err(|_| known.release(handle))?;
    known.fill(handle, Reference { handle, module: 0, name: String::new() });
    Ok(CUtexref(handle as usize))
}

/// Destroys a texture reference.
pub fn destroy(reference: u64) -> CudaResult {
    driver()?.texture_references.remove(reference);
    post(&TextureReferenceDestroy { reference })
}

fn array_of(reference: u64, which: u8) -> Result<usize, CUresult> {
    call(&ReferenceArray { reference, which })?.read(|reply| Ok(reply.array as usize))
}

/// Returns the array of a texture reference.
pub fn texture_array(reference: u64) -> Result<CUarray, CUresult> {
    array_of(reference, 0).map(CUarray)
}

/// Returns the mipmapped array of a texture reference.
pub fn mipmapped_array(reference: u64) -> Result<CUmipmappedArray, CUresult> {
    array_of(reference, 1).map(CUmipmappedArray)
}

/// Returns the array of a surface reference.
pub fn surface_array(reference: u64) -> Result<CUarray, CUresult> {
    array_of(reference, 2).map(CUarray)
}

/// Only checks the handles, because a launch binds a module's references anyway.
pub unsafe fn cuParamSetTexRef(
    function: CUfunction,
    _unit: i32,
    reference: CUtexref,
) -> CudaResult {
    marshal::function(function)?;
    marshal::texref(reference).map(drop)
}
