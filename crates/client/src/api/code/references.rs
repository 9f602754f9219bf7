//! Texture and surface references: variables of modules, which a launch binds as they are set. The
//! node's driver keeps the settings, and each query asks it.

use super::module;
use crate::api::arguments::{Done, name, put};
use crate::base::slab::Slab;
use crate::marshal;
use crate::objects::code::references::Reference;
use crate::objects::commands::{ask, call, post};
use crate::objects::context;
use crate::objects::driver::driver;
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
    let module = module::module(of)?.handle;
    // SAFETY: the caller's promise.
    let name = unsafe { name(symbol) }?.to_string_lossy().into_owned();
    if let Some(found) =
        known.all().into_iter().find(|found| found.module == module && found.name == name)
    {
        return Ok(found.handle);
    }
    let handle = known.reserve_on(context::place()?.session.number)?;
    let found = ask(&ReferenceFind { module, name: &name, surface, reference: handle })
        .and_then(|(status, _)| status.ok());
    found.inspect_err(|_| known.release(handle))?;
    known.fill(handle, Reference { handle, module, name });
    Ok(handle)
}

pub unsafe fn cuModuleGetTexRef(out: *mut CUtexref, of: CUmodule, symbol: *const c_char) -> Done {
    marshal::not_null(out.cast_const())?;
    // SAFETY: the program passes a C string, and room for a handle.
    unsafe { put(out, CUtexref(find(&driver()?.texture_references, of, symbol, false)? as usize)) }
}

pub unsafe fn cuModuleGetSurfRef(out: *mut CUsurfref, of: CUmodule, symbol: *const c_char) -> Done {
    marshal::not_null(out.cast_const())?;
    // SAFETY: the program passes a C string, and room for a handle.
    unsafe { put(out, CUsurfref(find(&driver()?.surface_references, of, symbol, true)? as usize)) }
}

pub unsafe fn cuTexRefCreate(out: *mut CUtexref) -> Done {
    marshal::not_null(out.cast_const())?;
    let known = &driver()?.texture_references;
    let handle = known.reserve_on(context::place()?.session.number)?;
    let made =
        ask(&TextureReferenceCreate { reference: handle }).and_then(|(status, _)| status.ok());
    made.inspect_err(|_| known.release(handle))?;
    known.fill(handle, Reference { handle, module: 0, name: String::new() });
    // SAFETY: not null, and the program promises room.
    unsafe { put(out, CUtexref(handle as usize)) }
}

pub unsafe fn cuTexRefDestroy(reference: CUtexref) -> Done {
    let handle = marshal::texref(reference)?;
    driver()?.texture_references.remove(handle);
    post(&TextureReferenceDestroy { reference: handle })
}

fn array_of(reference: u64, which: u8) -> Result<usize, CUresult> {
    call(&ReferenceArray { reference, which }, |reply| Ok(reply.array as usize))
}

pub unsafe fn cuTexRefGetArray(out: *mut CUarray, reference: CUtexref) -> Done {
    // SAFETY: the program's place for a handle.
    unsafe { put(out, CUarray(array_of(marshal::texref(reference)?, 0)?)) }
}

pub unsafe fn cuTexRefGetMipmappedArray(out: *mut CUmipmappedArray, reference: CUtexref) -> Done {
    // SAFETY: the program's place for a handle.
    unsafe { put(out, CUmipmappedArray(array_of(marshal::texref(reference)?, 1)?)) }
}

pub unsafe fn cuSurfRefGetArray(out: *mut CUarray, reference: CUsurfref) -> Done {
    // SAFETY: the program's place for a handle.
    unsafe { put(out, CUarray(array_of(marshal::surfref(reference)?, 2)?)) }
}

/// Checks the handles. A launch binds a module's references by itself.
pub unsafe fn cuParamSetTexRef(function: CUfunction, _unit: i32, reference: CUtexref) -> Done {
    marshal::function(function)?;
    marshal::texref(reference).map(drop)
}
