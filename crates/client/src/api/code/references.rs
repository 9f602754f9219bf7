//! Texture and surface references: variables of modules, which a launch binds as they are set. The
//! node's driver keeps the settings, and each query asks it.

use crate::api::arguments::{CudaResult, name, put};
use crate::base::slab::Slab;
use crate::driver::handles;
use crate::driver::state::driver;
use crate::marshal;
use crate::objects::code::references::Reference;
use crate::objects::context_stack;
use crate::objects::context_stack::target;
use outhaul_abi::types::*;
use outhaul_wire::messages::{
    ReferenceArray, ReferenceFind, TextureReferenceCreate, TextureReferenceDestroy,
};
use std::ffi::c_char;

/// Returns the handle of a variable's reference, the same each time.
///
/// # Safety
/// `symbol` is null or a C string.
unsafe fn find(
    known: &Slab<Reference>,
    of: CUmodule,
    symbol: *const c_char,
    surface: bool,
) -> Result<u64, CUresult> {
    let module = handles::module(of)?.handle;
    // SAFETY: the caller's promise.
    let name = unsafe { name(symbol) }?.to_string_lossy().into_owned();
    if let Some(found) =
        known.all().into_iter().find(|found| found.module == module && found.name == name)
    {
        return Ok(found.handle);
    }
    let handle = known.reserve_on(context_stack::target()?.session.number)?;
    let found = target()?
        .call(&ReferenceFind { module, name: &name, surface, reference: handle })
        .and_then(|answer| answer.ok());
    found.inspect_err(|_| known.release(handle))?;
    known.fill(handle, Reference { handle, module, name });
    Ok(handle)
}

pub unsafe fn cuModuleGetTexRef(
    out: *mut CUtexref,
    of: CUmodule,
    symbol: *const c_char,
) -> CudaResult {
    marshal::not_null(out.cast_const())?;
    // SAFETY: the program passes a C string, and room for a handle.
    unsafe { put(out, CUtexref(find(&driver()?.texture_references, of, symbol, false)? as usize)) }
}

pub unsafe fn cuModuleGetSurfRef(
    out: *mut CUsurfref,
    of: CUmodule,
    symbol: *const c_char,
) -> CudaResult {
    marshal::not_null(out.cast_const())?;
    // SAFETY: the program passes a C string, and room for a handle.
    unsafe { put(out, CUsurfref(find(&driver()?.surface_references, of, symbol, true)? as usize)) }
}

pub unsafe fn cuTexRefCreate(out: *mut CUtexref) -> CudaResult {
    marshal::not_null(out.cast_const())?;
    let known = &driver()?.texture_references;
    let handle = known.reserve_on(context_stack::target()?.session.number)?;
    let made = target()?
        .call(&TextureReferenceCreate { reference: handle })
        .and_then(|answer| answer.ok());
    made.inspect_err(|_| known.release(handle))?;
    known.fill(handle, Reference { handle, module: 0, name: String::new() });
    // SAFETY: not null, and the program promises room.
    unsafe { put(out, CUtexref(handle as usize)) }
}

pub unsafe fn cuTexRefDestroy(reference: CUtexref) -> CudaResult {
    let handle = marshal::texref(reference)?;
    driver()?.texture_references.remove(handle);
    target()?.post(&TextureReferenceDestroy { reference: handle })
}

fn array_of(reference: u64, which: u8) -> Result<usize, CUresult> {
    target()?.call(&ReferenceArray { reference, which })?.read(|reply| Ok(reply.array as usize))
}

pub unsafe fn cuTexRefGetArray(out: *mut CUarray, reference: CUtexref) -> CudaResult {
    // SAFETY: the program's place for a handle.
    unsafe { put(out, CUarray(array_of(marshal::texref(reference)?, 0)?)) }
}

pub unsafe fn cuTexRefGetMipmappedArray(
    out: *mut CUmipmappedArray,
    reference: CUtexref,
) -> CudaResult {
    // SAFETY: the program's place for a handle.
    unsafe { put(out, CUmipmappedArray(array_of(marshal::texref(reference)?, 1)?)) }
}

pub unsafe fn cuSurfRefGetArray(out: *mut CUarray, reference: CUsurfref) -> CudaResult {
    // SAFETY: the program's place for a handle.
    unsafe { put(out, CUarray(array_of(marshal::surfref(reference)?, 2)?)) }
}

/// Checks the handles. A launch binds a module's references by itself.
pub unsafe fn cuParamSetTexRef(
    function: CUfunction,
    _unit: i32,
    reference: CUtexref,
) -> CudaResult {
    marshal::function(function)?;
    marshal::texref(reference).map(drop)
}
