//! Modules and libraries. The client reduces an image to code for the session's devices, and
//! identifies it by its hash. The image is sent only if the node does not have it.

use crate::api::arguments::{CudaResult, name, put};
use crate::api::code::functions::lookup;
use crate::driver::contexts;
use crate::driver::handles;
use crate::driver::handles::{library, module};
use crate::driver::memory::context_synchronize;
use crate::driver::state::{Driver, driver};
use crate::marshal;
use crate::objects::code::function::Function;
use crate::objects::code::image::Image;
use crate::objects::code::jit_options::Options;
use crate::objects::code::module::{Described, Module};
use crate::objects::code::module_source::Source;
use crate::objects::context_stack;
use crate::objects::context_stack::call;
use outhaul_abi::types::*;
use outhaul_wire::messages::{GetGlobal, LibraryGetModule, ListFunctions, ModuleUnload};
use std::ffi::{CStr, c_char, c_void};
use std::sync::{Arc, Weak};

const LOADING_EAGER: i32 = 1;
const LOADING_LAZY: i32 = 2;

fn load_image(parcel: Image, options: Options, library: bool) -> Result<Arc<Module>, CUresult> {
    let driver = driver()?;
    let context =
        if library { context_stack::current().ok() } else { Some(context_stack::current()?) };
    let target = context.as_ref().map_or_else(contexts::target_or_none, |c| Ok(c.target()))?;
    let (slab, node) =
        if library { (&driver.libraries, 0) } else { (&driver.modules, target.session.number) };
    let handle = slab.reserve_on(node)?;
    let mut source = Source { parcel, options };
    let described = source.load(handle, target, library).inspect_err(|_| slab.release(handle))?;
    // The program may free its log buffers after the call.
    source.options.forget_logs();
    let context =
        if library { Weak::new() } else { context.as_ref().map_or(Weak::new(), Arc::downgrade) };
    let source = (library && driver.sessions.len() > 1).then_some(source);
    Ok(slab.fill(handle, Module::new(handle, context, library, source, target, described)))
}

/// Loads a module from an image in memory.
///
/// # Safety
/// `image` is null or points to an image of a kind that the driver knows. `options` and `values`
/// are null or valid for `count` entries.
pub unsafe fn load(
    image: *const c_void,
    count: u32,
    options: *mut CUjit_option,
    values: *mut *mut c_void,
) -> Result<CUmodule, CUresult> {
    // SAFETY: the caller upholds this function's contract.
    let module =
        unsafe { load_image(Image::at(image)?, Options::new(count, options, values), false)? };
    Ok(CUmodule(module.handle as usize))
}

/// Returns a file's content.
fn read_file(path: *const c_char) -> Result<Vec<u8>, CUresult> {
    // SAFETY: the program guarantees that `path` is null or a C string.
    let path = unsafe { name(path) }?.to_str().map_err(|_| CUresult::INVALID_VALUE)?;
    std::fs::read(path).map_err(|_| CUresult::FILE_NOT_FOUND)
}

pub unsafe fn cuModuleLoad(out: *mut CUmodule, path: *const c_char) -> CudaResult {
    let bytes = read_file(path)?;
    marshal::not_null(out)?;
    let none = std::ptr::null_mut();
    // SAFETY: there are no options; the program's out-pointer for a handle.
    unsafe {
        let options = Options::new(0, none, none.cast());
        let module = load_image(Image::of_file(&bytes)?, options, false)?;
        put(out, CUmodule(module.handle as usize))
    }
}

/// Loads a library. Ignores the library options, because none of them changes what is loaded.
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
    // SAFETY: the program guarantees what `load_image` and `put` require of the image, the options
    // and `out`.
    unsafe {
        let library = load_image(Image::at(code)?, Options::new(count, options, values), true)?;
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
    marshal::not_null(out)?;
    // SAFETY: the program guarantees the options and `out`.
    unsafe {
        let options = Options::new(count, options, values);
        let library = load_image(Image::of_file(&bytes)?, options, true)?;
        put(out, CUlibrary(library.handle as usize))
    }
}

pub unsafe fn cuModuleGetLoadingMode(mode: *mut CUmoduleLoadingMode) -> CudaResult {
    driver()?;
    let eager =
        std::env::var_os("CUDA_MODULE_LOADING").is_some_and(|v| v.eq_ignore_ascii_case("EAGER"));
    // SAFETY: the program's out-pointer for a mode.
    unsafe { put(mode, if eager { LOADING_EAGER } else { LOADING_LAZY }) }
}

// ---- unloading ----

/// Removes a module from the tables, together with everything that was looked up in it.
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

/// Unloads a module or a library.
pub fn unload(module: Arc<Module>) -> CudaResult {
    let driver = driver()?;
    context_synchronize::synchronize_before_release(driver);
    forget(driver, &module);
    let known_to = driver.sessions.iter().filter(|session| module.nodes.has(session));
    // A thread may have no context at exit, and unloading a library needs none.
    let results: Vec<CudaResult> = known_to
        .map(|session| {
            context_stack::target_in(session)
                .post(&ModuleUnload { module: module.handle, library: module.library })
        })
        .collect();
    results.into_iter().collect()
}

/// Returns a library by its handle, even if the calling thread's node does not know it.
pub fn loaded_library(handle: CUlibrary) -> Result<Arc<Module>, CUresult> {
    driver()?.libraries.get(handle.0 as u64).ok_or(CUresult::INVALID_HANDLE)
}

/// Returns the current context's module of a library. Creates the module on the first call.
pub fn of_library(handle: CUlibrary) -> Result<CUmodule, CUresult> {
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
    Ok(CUmodule(module.handle as usize))
}

pub unsafe fn cuFuncGetModule(out: *mut CUmodule, handle: CUfunction) -> CudaResult {
    let driver = driver()?;
    let owner = driver.function(handle.0 as u64)?.module;
    if driver.libraries.get(owner).is_some() {
        // SAFETY: the program's out-pointer for a handle.
        return unsafe { put(out, of_library(CUlibrary(owner as usize))?) };
    }
    // SAFETY: the program's out-pointer for a handle.
    unsafe { put(out, CUmodule(owner as usize)) }
}

// ---- variables ----

/// Returns a variable's address and its size in bytes. Asks the node only once per variable.
pub fn global(module: Arc<Module>, variable: &CStr) -> Result<(CUdeviceptr, usize), CUresult> {
    let variable = variable.to_string_lossy();
    let target = context_stack::target()?;
    if let Some(found) = module.variable(target, &variable) {
        return Ok((found.address, found.bytes as usize));
    }
    let message = GetGlobal { module: module.handle, name: &variable };
    let (address, bytes) = target.call(&message)?.read(|reply| Ok((reply.address, reply.bytes)))?;
    module.note_variable(target, &variable, address, bytes);
    Ok((address, bytes as usize))
}

// ---- enumeration ----

/// Always fails, because the devices report that they do not support unified function pointers.
pub unsafe fn cuLibraryGetUnifiedFunction(
    _out: *mut *mut c_void,
    handle: CUlibrary,
    symbol: *const c_char,
) -> CudaResult {
    library(handle)?;
    // SAFETY: the program guarantees that `symbol` is null or a C string.
    unsafe { name(symbol) }?;
    Err(CUresult::INVALID_VALUE)
}

fn names_in(module: &Module) -> Result<Vec<String>, CUresult> {
    call(&ListFunctions { module: module.handle })?
        .read(|reply| Ok(reply.names.0.iter().map(|n| n.name.to_owned()).collect()))
}

/// Returns the handles of all functions in a module.
pub fn all_functions(handle: CUmodule) -> Result<Vec<CUfunction>, CUresult> {
    let module = module(handle)?;
    names_in(&module)?
        .iter()
        .map(|name| Ok(CUfunction(lookup(&module, name)?.handle as usize)))
        .collect()
}

/// Returns the number of functions in a module.
pub fn function_count(module: Arc<Module>) -> Result<u32, CUresult> {
    Ok(names_in(&module)?.len() as u32)
}

/// Writes the handles of up to `count` functions of a module.
///
/// # Safety
/// `out` is null or valid for writes of `count` handles. `T` is a handle type with the layout of
/// `usize`.
pub unsafe fn enumerate<T>(module: Arc<Module>, out: *mut T, count: u32) -> CudaResult {
    if out.is_null() || count == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    for (i, name) in names_in(&module)?.iter().take(count as usize).enumerate() {
        // SAFETY: the caller upholds this function's contract.
        unsafe { out.cast::<usize>().add(i).write(lookup(&module, name)?.handle as usize) };
    }
    Ok(())
}
