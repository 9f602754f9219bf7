//! Module loading, and queries of a module's functions and variables.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use outhaul_abi::types::*;

use crate::driver::api::arguments::{name, put, put_if, read_file, text};
use crate::driver::objects::code::jit::Logs;
use crate::driver::objects::code::module::Module;
use crate::driver::state::driver;
use crate::driver::streams::output;
use crate::driver::system::error::{Error, Result};

const LOADING_EAGER: i32 = 1;
const LOADING_LAZY: i32 = 2;

fn find(module: CUmodule) -> Result<Arc<Module>> {
    driver()?.modules.get(module.0 as u64).ok_or(Error::InvalidHandle)
}

pub unsafe fn cuModuleGetLoadingMode(mode: *mut CUmoduleLoadingMode) -> Result<()> {
    put(mode, if driver()?.settings.eager_loading { LOADING_EAGER } else { LOADING_LAZY })
}

fn load(module: *mut CUmodule, texts: Result<Vec<String>>, logs: &Logs) -> Result<()> {
    let driver = driver()?;
    let context = driver.current()?;
    if module.is_null() {
        return Err(Error::InvalidValue);
    }
    let loaded = texts.and_then(|texts| {
        let program = driver.parse(&texts)?;
        driver.compile(&program)?;
        driver.load_module(&context, program, 0, &[])
    });
    logs.write(&loaded);
    put(module, CUmodule(loaded?.handle as usize))
}

pub unsafe fn cuModuleLoadData(module: *mut CUmodule, image: *const c_void) -> Result<()> {
    // SAFETY: the caller upholds the contract about the image.
    load(module, unsafe { driver()?.image_texts(image) }, &Logs::default())
}

pub unsafe fn cuModuleLoadDataEx(
    module: *mut CUmodule,
    image: *const c_void,
    numOptions: u32,
    options: *mut CUjit_option,
    optionValues: *mut *mut c_void,
) -> Result<()> {
    // SAFETY: the caller upholds the contract about the arrays.
    let logs = unsafe { Logs::read(numOptions, options, optionValues) }?;
    // SAFETY: the caller upholds the contract about the image.
    load(module, unsafe { driver()?.image_texts(image) }, &logs)
}

pub unsafe fn cuModuleLoadFatBinary(module: *mut CUmodule, fatCubin: *const c_void) -> Result<()> {
    // SAFETY: the caller upholds the contract about the image.
    unsafe { cuModuleLoadData(module, fatCubin) }
}

pub unsafe fn cuModuleLoad(module: *mut CUmodule, fname: *const c_char) -> Result<()> {
    let bytes = read_file(text(fname)?)?;
    load(module, driver()?.image_texts_of(&bytes), &Logs::default())
}

pub unsafe fn cuModuleUnload(hmod: CUmodule) -> Result<()> {
    let driver = driver()?;
    let context = driver.current()?;
    // Unloading destroys the module's variables, so no work may still use them.
    context.synchronize_holding_up()?;
    output::flush();
    driver.unload_module(hmod.0 as u64)
}

pub unsafe fn cuModuleGetFunction(
    hfunc: *mut CUfunction,
    hmod: CUmodule,
    name_: *const c_char,
) -> Result<()> {
    let handle = driver()?.module_function(&find(hmod)?, name(name_)?)?;
    put(hfunc, CUfunction(handle as usize))
}

pub unsafe fn cuModuleGetFunctionCount(count: *mut u32, hmod: CUmodule) -> Result<()> {
    put(count, find(hmod)?.program.kernels().count() as u32)
}

pub unsafe fn cuModuleEnumerateFunctions(
    functions: *mut CUfunction,
    numFunctions: u32,
    hmod: CUmodule,
) -> Result<()> {
    let (driver, module) = (driver()?, find(hmod)?);
    if functions.is_null() {
        return Err(Error::InvalidValue);
    }
    for (index, kernel) in module.program.kernels().take(numFunctions as usize).enumerate() {
        let handle = driver.module_function(&module, &kernel.name)?;
        // SAFETY: the program guarantees that `functions` is valid for writes of `numFunctions`
        // handles.
        put(unsafe { functions.add(index) }, CUfunction(handle as usize))?;
    }
    Ok(())
}

pub unsafe fn cuModuleGetGlobal_v2(
    dptr: *mut CUdeviceptr,
    bytes: *mut usize,
    hmod: CUmodule,
    name_: *const c_char,
) -> Result<()> {
    let (address, size) = find(hmod)?.global(name(name_)?)?;
    put_if(dptr, address);
    put_if(bytes, size as usize);
    Ok(())
}
