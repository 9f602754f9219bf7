//! Libraries and their kernels.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use outhaul_abi::types::*;

use crate::driver::api::arguments::{name, put, put_if, read_file, text};
use crate::driver::objects::code::function::param_info;
use crate::driver::objects::code::jit::Logs;
use crate::driver::objects::code::library::{Kernel, Library};
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

fn find(library: CUlibrary) -> Result<Arc<Library>> {
    driver()?.libraries.get(library.0 as u64).ok_or(Error::InvalidHandle)
}

fn find_kernel(kernel: CUkernel) -> Result<Arc<Kernel>> {
    driver()?.kernels.get(kernel.0 as u64).ok_or(Error::InvalidHandle)
}

fn load(library: *mut CUlibrary, texts: Result<Vec<String>>, logs: &Logs) -> Result<()> {
    let driver = driver()?;
    if library.is_null() {
        return Err(Error::InvalidValue);
    }
    let loaded = texts.and_then(|texts| driver.load_library(texts, logs.wanted()));
    logs.write(&loaded);
    put(library, CUlibrary(loaded? as usize))
}

/// Ignores the library options, which state how long the image lives, because the texts are copied.
pub unsafe fn cuLibraryLoadData(
    library: *mut CUlibrary,
    code: *const c_void,
    jitOptions: *mut CUjit_option,
    jitOptionsValues: *mut *mut c_void,
    numJitOptions: u32,
    _libraryOptions: *mut CUlibraryOption,
    _libraryOptionValues: *mut *mut c_void,
    _numLibraryOptions: u32,
) -> Result<()> {
    // SAFETY: the caller upholds the contract about the arrays.
    let logs = unsafe { Logs::read(numJitOptions, jitOptions, jitOptionsValues) }?;
    // SAFETY: the caller upholds the contract about the image.
    load(library, unsafe { driver()?.image_texts(code) }, &logs)
}

pub unsafe fn cuLibraryLoadFromFile(
    library: *mut CUlibrary,
    fileName: *const c_char,
    jitOptions: *mut CUjit_option,
    jitOptionsValues: *mut *mut c_void,
    numJitOptions: u32,
    _libraryOptions: *mut CUlibraryOption,
    _libraryOptionValues: *mut *mut c_void,
    _numLibraryOptions: u32,
) -> Result<()> {
    // SAFETY: the caller upholds the contract about the arrays.
    let logs = unsafe { Logs::read(numJitOptions, jitOptions, jitOptionsValues) }?;
    let bytes = read_file(text(fileName)?)?;
    load(library, driver()?.image_texts_of(&bytes), &logs)
}

pub unsafe fn cuLibraryUnload(library: CUlibrary) -> Result<()> {
    let driver = driver()?;
    if let Ok(context) = driver.current() {
        // Unloading destroys the variables, so no work may still use them.
        context.synchronize_holding_up()?;
    }
    driver.unload_library(library.0 as u64)
}

/// Always fails, because devices report that they share no functions with the host program.
pub unsafe fn cuLibraryGetUnifiedFunction(
    _fptr: *mut *mut c_void,
    library: CUlibrary,
    symbol: *const c_char,
) -> Result<()> {
    driver()?.libraries.get(library.0 as u64).ok_or(Error::InvalidHandle)?;
    name(symbol)?;
    Err(Error::InvalidValue)
}

pub unsafe fn cuLibraryGetKernel(
    pKernel: *mut CUkernel,
    library: CUlibrary,
    name_: *const c_char,
) -> Result<()> {
    let handle = driver()?.library_kernel(&find(library)?, name(name_)?)?;
    put(pKernel, CUkernel(handle as usize))
}

pub unsafe fn cuLibraryGetKernelCount(count: *mut u32, lib: CUlibrary) -> Result<()> {
    put(count, find(lib)?.program(driver()?)?.kernels().count() as u32)
}

pub unsafe fn cuLibraryEnumerateKernels(
    kernels: *mut CUkernel,
    numKernels: u32,
    lib: CUlibrary,
) -> Result<()> {
    let (driver, library) = (driver()?, find(lib)?);
    if kernels.is_null() {
        return Err(Error::InvalidValue);
    }
    let program = library.program(driver)?;
    for (index, kernel) in program.kernels().take(numKernels as usize).enumerate() {
        let handle = driver.library_kernel(&library, &kernel.name)?;
        // SAFETY: the program guarantees that `kernels` is valid for writes of `numKernels`
        // handles.
        put(unsafe { kernels.add(index) }, CUkernel(handle as usize))?;
    }
    Ok(())
}

pub unsafe fn cuLibraryGetModule(pMod: *mut CUmodule, library: CUlibrary) -> Result<()> {
    let driver = driver()?;
    let context = driver.current()?;
    put(pMod, CUmodule(driver.library_module(&*find(library)?, &context)?.handle as usize))
}

pub unsafe fn cuLibraryGetGlobal(
    dptr: *mut CUdeviceptr,
    bytes: *mut usize,
    library: CUlibrary,
    name_: *const c_char,
) -> Result<()> {
    let driver = driver()?;
    let context = driver.current()?;
    let (address, size) =
        driver.library_module(&*find(library)?, &context)?.global(name(name_)?)?;
    put_if(dptr, address);
    put_if(bytes, size as usize);
    Ok(())
}

pub unsafe fn cuKernelGetFunction(pFunc: *mut CUfunction, kernel: CUkernel) -> Result<()> {
    let handle = driver()?.kernel_function(&*find_kernel(kernel)?)?;
    put(pFunc, CUfunction(handle as usize))
}

pub unsafe fn cuKernelGetLibrary(pLib: *mut CUlibrary, kernel: CUkernel) -> Result<()> {
    put(pLib, CUlibrary(find_kernel(kernel)?.library.handle as usize))
}

pub unsafe fn cuKernelGetName(name_: *mut *const c_char, hfunc: CUkernel) -> Result<()> {
    put(name_, find_kernel(hfunc)?.name.as_ptr())
}

pub unsafe fn cuKernelGetParamInfo(
    kernel: CUkernel,
    paramIndex: usize,
    paramOffset: *mut usize,
    paramSize: *mut usize,
) -> Result<()> {
    let (offset, size) = param_info(&find_kernel(kernel)?.kernel, paramIndex)?;
    put(paramOffset, offset)?;
    put_if(paramSize, size);
    Ok(())
}

/// Returns the attribute of any device, because all software GPUs of a process are equal.
pub unsafe fn cuKernelGetAttribute(
    pi: *mut i32,
    attrib: CUfunction_attribute,
    kernel: CUkernel,
    dev: CUdevice,
) -> Result<()> {
    let found = find_kernel(kernel)?;
    put(pi, found.tuning(dev)?.get(&found.kernel, driver()?.device(dev)?, attrib)?)
}

pub unsafe fn cuKernelSetAttribute(
    attrib: CUfunction_attribute,
    val: i32,
    kernel: CUkernel,
    dev: CUdevice,
) -> Result<()> {
    let found = find_kernel(kernel)?;
    found.tuning(dev)?.set(&found.kernel, attrib, val)
}

pub unsafe fn cuKernelSetCacheConfig(
    kernel: CUkernel,
    config: CUfunc_cache,
    dev: CUdevice,
) -> Result<()> {
    find_kernel(kernel)?.tuning(dev)?.set_cache_config(config)
}
