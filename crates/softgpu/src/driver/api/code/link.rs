//! Run-time linking of PTX.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use outhaul_abi::types::*;

use crate::driver::api::arguments::{put, put_if, read_file, text};
use crate::driver::objects::code::jit::Logs;
use crate::driver::objects::code::link::JitLink;
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

fn find(state: CUlinkState) -> Result<Arc<JitLink>> {
    driver()?.links.get(state.0 as u64).ok_or(Error::InvalidHandle)
}

pub unsafe fn cuLinkCreate_v2(
    numOptions: u32,
    options: *mut CUjit_option,
    optionValues: *mut *mut c_void,
    stateOut: *mut CUlinkState,
) -> Result<()> {
    let driver = driver()?;
    driver.current()?;
    // SAFETY: the caller upholds the contract about the arrays, which CUDA requires it to keep
    // until cuLinkDestroy.
    let logs = unsafe { Logs::read(numOptions, options, optionValues) }?;
    if stateOut.is_null() {
        return Err(Error::InvalidValue);
    }
    put(stateOut, CUlinkState(driver.links.insert(JitLink::new(logs)) as usize))
}

pub unsafe fn cuLinkAddData_v2(
    state: CUlinkState,
    type_: CUjitInputType,
    data: *mut c_void,
    size: usize,
    _name: *const c_char,
    _numOptions: u32,
    _options: *mut CUjit_option,
    _optionValues: *mut *mut c_void,
) -> Result<()> {
    let link = find(state)?;
    if data.is_null() || size == 0 {
        return Err(Error::InvalidValue);
    }
    // SAFETY: the program guarantees that `data` is valid for reads of `size` bytes.
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>().cast_const(), size) };
    link.add(driver()?, type_, bytes)
}

pub unsafe fn cuLinkAddFile_v2(
    state: CUlinkState,
    type_: CUjitInputType,
    path: *const c_char,
    _numOptions: u32,
    _options: *mut CUjit_option,
    _optionValues: *mut *mut c_void,
) -> Result<()> {
    let link = find(state)?;
    let bytes = read_file(text(path)?)?;
    link.add(driver()?, type_, &bytes)
}

pub unsafe fn cuLinkComplete(
    state: CUlinkState,
    cubinOut: *mut *mut c_void,
    sizeOut: *mut usize,
) -> Result<()> {
    let link = find(state)?;
    let image = link.complete(driver()?)?;
    put(cubinOut, image.as_ptr().cast_mut().cast())?;
    put_if(sizeOut, image.len());
    Ok(())
}

pub unsafe fn cuLinkDestroy(state: CUlinkState) -> Result<()> {
    driver()?.links.remove(state.0 as u64).map(drop).ok_or(Error::InvalidHandle)
}
