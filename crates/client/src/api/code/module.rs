//! Modules and libraries. An image is reduced to the code for the target, named by its hash, and
//! sent only if the node does not have it.

use crate::api::arguments::{CudaResult, name, put};
use crate::api::code::functions::look_up;
use crate::driver::contexts;
use crate::driver::handles;
use crate::driver::handles::{library, module};
use crate::driver::memory::synchronize;
use crate::driver::state::{Driver, driver};
use crate::objects::code::function::Function;
use crate::objects::code::image::Image;
use crate::objects::code::jit_options::Options;
use crate::objects::code::module::{Described, Module};
use crate::objects::code::source::Source;
use crate::objects::context_stack;
use crate::objects::context_stack::target;
use outhaul_abi::types::*;
use outhaul_wire::messages::{GetGlobal, LibraryGetModule, ListFunctions, ModuleUnload};
use std::borrow::Cow;
use std::ffi::{c_char, c_void};
use std::sync::{Arc, Weak};

const LOADING_EAGER: i32 = 1;
const LOADING_LAZY: i32 = 2;

fn load(parcel: Image, options: Options, library: bool) -> Result<Arc<Module>, CUresult> {
    let driver = driver()?;
    let context =
        if library { context_stack::current().ok() } else { Some(context_stack::current()?) };
    let target = context.as_ref().map_or_else(contexts::target_or_none, |c| Ok(c.target()))?;
    let (slab, node) =
        if library { (&driver.libraries, 0) } else { (&driver.modules, target.session.number) };
    let handle = slab.reserve_on(node)?;
    let mut source = Source { parcel, options };
    let described = source.load(handle, target, library).inspect_err(|_| slab.release(handle))?;
    // The program's buffers are its own again.
    source.options.forget_logs();
    let context =
        if library { Weak::new() } else { context.as_ref().map_or(Weak::new(), Arc::downgrade) };
    let source = (library && driver.sessions.len() > 1).then_some(source);
    Ok(slab.fill(handle, Module::new(handle, context, library, source, target, described)))
}

pub unsafe fn cuModuleLoadData(out: *mut CUmodule, image: *const c_void) -> CudaResult {
    // SAFETY: passed on.
    unsafe { cuModuleLoadDataEx(out, image, 0, std::ptr::null_mut(), std::ptr::null_mut()) }
}

pub unsafe fn cuModuleLoadDataEx(
    out: *mut CUmodule,
    image: *const c_void,
    count: u32,
    options: *mut CUjit_option,
    values: *mut *mut c_void,
) -> CudaResult {
    if out.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: the program's image, options and place.
    unsafe {
        let module = load(Image::at(image)?, Options::new(count, options, values), false)?;
        put(out, CUmodule(module.handle as usize))
    }
}

pub unsafe fn cuModuleLoadFatBinary(out: *mut CUmodule, image: *const c_void) -> CudaResult {
    // SAFETY: passed on.
    unsafe { cuModuleLoadData(out, image) }
}

/// Returns a file's content, with the NUL that PTX needs.
fn read_file(path: *const c_char) -> Result<Vec<u8>, CUresult> {
    // SAFETY: the program passes a C string.
    let path = unsafe { name(path) }?.to_str().map_err(|_| CUresult::INVALID_VALUE)?;
    let mut bytes = std::fs::read(path).map_err(|_| CUresult::FILE_NOT_FOUND)?;
    bytes.push(0);
    Ok(bytes)
}

pub unsafe fn cuModuleLoad(out: *mut CUmodule, path: *const c_char) -> CudaResult {
    let bytes = read_file(path)?;
    // SAFETY: the file's content lives through the call; an image with a wrong size is detected as
    // far as the file reaches.
    unsafe { cuModuleLoadData(out, bytes.as_ptr().cast()) }
}

/// Loads a library. `values` of its options may be null, and none of them changes what is loaded.
pub unsafe fn cuLibraryLoadData(
    out: *mut CUlibrary,
    code: *const c_void,
    options: *mut CUjit_option,
    values: *mut *mut c_void,
    count: u32,
    _library_options: *mut CUlibraryOption,
    _library_values: *mut *mut c_void,
    _library_count: u32,
) -> CudaResult {
    if out.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: the program's image, options and place.
    unsafe {
        let library = load(Image::at(code)?, Options::new(count, options, values), true)?;
        put(out, CUlibrary(library.handle as usize))
    }
}

pub unsafe fn cuLibraryLoadFromFile(
    out: *mut CUlibrary,
    path: *const c_char,
    options: *mut CUjit_option,
    values: *mut *mut c_void,
    count: u32,
    _library_options: *mut CUlibraryOption,
    _library_values: *mut *mut c_void,
    _library_count: u32,
) -> CudaResult {
    let bytes = read_file(path)?;
    let none = std::ptr::null_mut();
    // SAFETY: as for cuModuleLoad.
    unsafe {
        cuLibraryLoadData(out, bytes.as_ptr().cast(), options, values, count, none, none.cast(), 0)
    }
}

pub unsafe fn cuModuleGetLoadingMode(mode: *mut CUmoduleLoadingMode) -> CudaResult {
    driver()?;
    let eager =
        std::env::var_os("CUDA_MODULE_LOADING").is_some_and(|v| v.eq_ignore_ascii_case("EAGER"));
    // SAFETY: the program's place for a mode.
    unsafe { put(mode, if eager { LOADING_EAGER } else { LOADING_LAZY }) }
}

// ---- unloading ----

/// Removes a module and all that was looked up in it from the tables.
pub fn forget(driver: &Driver, module: &Module) {
    let slab = if module.library { &driver.libraries } else { &driver.modules };
    slab.remove(module.handle);
    handles::forget_references(module.handle);
    for (_, function) in module.functions.lock().drain() {
        forget_function(driver, &function);
    }
    for (_, variable) in module.globals().drain() {
        variable.session.globals.lock().remove(&variable.address);
        crate::api::memory::managed::displace(driver, variable.address);
    }
    for inner in module.inner.all().into_iter().filter_map(|inner| driver.modules.get(inner)) {
        forget(driver, &inner);
    }
}

fn forget_function(driver: &Driver, function: &Function) {
    driver.functions.remove(function.handle);
    driver.kernels.remove(function.handle);
    for inner in function.inner.all() {
        driver.functions.remove(inner);
    }
}

fn unload(module: &Module) -> CudaResult {
    let driver = driver()?;
    synchronize::settle_turns(driver);
    forget(driver, module);
    let known_to = driver.sessions.iter().filter(|session| module.nodes.has(session));
    // At exit a thread may have no context any more. A library does not need one.
    let results: Vec<CudaResult> = known_to
        .map(|session| {
            context_stack::target_in(session)
                .post(&ModuleUnload { module: module.handle, library: module.library })
        })
        .collect();
    results.into_iter().collect()
}

pub unsafe fn cuModuleUnload(handle: CUmodule) -> CudaResult {
    unload(&*module(handle)?)
}

pub unsafe fn cuLibraryUnload(handle: CUlibrary) -> CudaResult {
    unload(&*driver()?.libraries.get(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)?)
}

pub unsafe fn cuLibraryGetModule(out: *mut CUmodule, handle: CUlibrary) -> CudaResult {
    let driver = driver()?;
    let library = library(handle)?;
    let context = context_stack::current()?;
    let target = context.target();
    let known = driver.modules.get(library.inner.get(target));
    let module = match known {
        Some(module) => module,
        None => {
            let make = |handle| {
                Module::new(
                    handle,
                    Arc::downgrade(&context),
                    false,
                    None,
                    target,
                    Described::default(),
                )
            };
            let module = driver.modules.insert_on(target.session.number, make)?;
            target.post(&LibraryGetModule { library: library.handle, module: module.handle })?;
            library.inner.set(target, module.handle);
            module
        }
    };
    // SAFETY: the program's target for a handle.
    unsafe { put(out, CUmodule(module.handle as usize)) }
}

pub unsafe fn cuFuncGetModule(out: *mut CUmodule, handle: CUfunction) -> CudaResult {
    let driver = driver()?;
    let owner = driver.function(handle.0 as u64)?.module;
    if driver.libraries.get(owner).is_some() {
        // SAFETY: the program's place for a handle.
        return unsafe { cuLibraryGetModule(out, CUlibrary(owner as usize)) };
    }
    // SAFETY: the program's place for a handle.
    unsafe { put(out, CUmodule(owner as usize)) }
}

// ---- variables ----

/// Looks up a variable. The node is asked once per variable.
unsafe fn global(
    module: &Module,
    address: *mut CUdeviceptr,
    bytes: *mut usize,
    variable: *const c_char,
) -> CudaResult {
    // SAFETY: the program passes a C string.
    let variable: Cow<'_, str> = unsafe { name(variable) }?.to_string_lossy();
    let target = context_stack::target()?;
    let found = match module.variable(target, &variable) {
        Some(found) => (found.address, found.bytes),
        None => {
            let found = target
                .call(&GetGlobal { module: module.handle, name: &variable })?
                .read(|reply| Ok((reply.address, reply.bytes)))?;
            module.note_variable(target, &variable, found.0, found.1);
            found
        }
    };
    // SAFETY: null, or the program's places.
    unsafe {
        if !address.is_null() {
            address.write(found.0);
        }
        if !bytes.is_null() {
            bytes.write(found.1 as usize);
        }
    }
    Ok(())
}

pub unsafe fn cuModuleGetGlobal_v2(
    address: *mut CUdeviceptr,
    bytes: *mut usize,
    handle: CUmodule,
    variable: *const c_char,
) -> CudaResult {
    // SAFETY: the program's promise.
    unsafe { global(&*module(handle)?, address, bytes, variable) }
}

pub unsafe fn cuLibraryGetGlobal(
    address: *mut CUdeviceptr,
    bytes: *mut usize,
    handle: CUlibrary,
    variable: *const c_char,
) -> CudaResult {
    // SAFETY: the program's promise.
    unsafe { global(&*library(handle)?, address, bytes, variable) }
}

// ---- enumeration ----

/// Always fails: the devices report that they share no functions with the program.
pub unsafe fn cuLibraryGetUnifiedFunction(
    _out: *mut *mut c_void,
    handle: CUlibrary,
    symbol: *const c_char,
) -> CudaResult {
    library(handle)?;
    // SAFETY: the program passes a C string.
    unsafe { name(symbol) }?;
    Err(CUresult::INVALID_VALUE)
}

fn names_in(module: &Module) -> Result<Vec<String>, CUresult> {
    target()?
        .call(&ListFunctions { module: module.handle })?
        .read(|reply| Ok(reply.names.0.iter().map(|n| n.name.to_owned()).collect()))
}

/// Returns all functions of a module.
pub fn all_functions(handle: CUmodule) -> Result<Vec<CUfunction>, CUresult> {
    let module = module(handle)?;
    names_in(&module)?
        .iter()
        .map(|name| Ok(CUfunction(look_up(&module, name)?.handle as usize)))
        .collect()
}

pub unsafe fn cuModuleGetFunctionCount(count: *mut u32, handle: CUmodule) -> CudaResult {
    // SAFETY: the program's place for a number.
    unsafe { put(count, names_in(&*module(handle)?)?.len() as u32) }
}

pub unsafe fn cuLibraryGetKernelCount(count: *mut u32, handle: CUlibrary) -> CudaResult {
    // SAFETY: the program's place for a number.
    unsafe { put(count, names_in(&*library(handle)?)?.len() as u32) }
}

/// Writes the handles of a module's functions.
///
/// # Safety
/// `out` has room for `count` handles.
unsafe fn enumerate(module: &Module, out: *mut usize, count: u32) -> CudaResult {
    if out.is_null() || count == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    for (i, name) in names_in(module)?.iter().take(count as usize).enumerate() {
        // SAFETY: the caller's promise.
        unsafe { out.add(i).write(look_up(module, name)?.handle as usize) };
    }
    Ok(())
}

pub unsafe fn cuModuleEnumerateFunctions(
    out: *mut CUfunction,
    count: u32,
    handle: CUmodule,
) -> CudaResult {
    // SAFETY: the program promises room; a handle is a transparent number.
    unsafe { enumerate(&*module(handle)?, out.cast(), count) }
}

pub unsafe fn cuLibraryEnumerateKernels(
    out: *mut CUkernel,
    count: u32,
    handle: CUlibrary,
) -> CudaResult {
    // SAFETY: the program promises room; a handle is a transparent number.
    unsafe { enumerate(&*library(handle)?, out.cast(), count) }
}
