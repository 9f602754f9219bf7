//! Functions of the library itself: initialisation, versions, errors.

#![allow(non_snake_case, clippy::missing_safety_doc)]

use super::entry::{CudaResult, code_of, driver, initialize, put, put_text, shut_down};
use crate::driver::state::Driver;
use outhaul_abi::nvml::{nvmlEventSet_t, nvmlReturn_t};
use outhaul_wire::messages::NvmlDriverVersion;
use std::ffi::c_char;

/// Handle of all event sets; they are all empty.
const EMPTY_SET: nvmlEventSet_t = nvmlEventSet_t(1);

pub unsafe fn nvmlInit() -> CudaResult {
    initialize()
}

pub unsafe fn nvmlInit_v2() -> CudaResult {
    initialize()
}

/// Initialises NVML, and ignores the flags because they skip work that this library does not do.
pub unsafe fn nvmlInitWithFlags(_flags: u32) -> CudaResult {
    initialize()
}

pub unsafe fn nvmlShutdown() -> CudaResult {
    shut_down()
}

/// Returns the text of a code. Unlike other NVML functions, this one returns no code.
#[unsafe(no_mangle)]
pub extern "C" fn nvmlErrorString(result: nvmlReturn_t) -> *const c_char {
    result.text().as_ptr()
}

/// Returns the driver version of the first node.
pub fn driver_version(driver: &Driver) -> Result<String, nvmlReturn_t> {
    let asked = driver.sessions[0].call_apart(&NvmlDriverVersion {});
    asked.and_then(|answer| answer.read(|reply| Ok(reply.text.to_owned()))).map_err(code_of)
}

pub unsafe fn nvmlSystemGetDriverVersion(version: *mut c_char, length: u32) -> CudaResult {
    // SAFETY: the program guarantees that `version` is null or valid for writes of `length` bytes.
    unsafe { put_text(version, length, &driver_version(driver()?)?) }
}

/// Writes CUDA's major version, followed by the driver's version.
pub unsafe fn nvmlSystemGetNVMLVersion(version: *mut c_char, length: u32) -> CudaResult {
    let driver = driver()?;
    let text = format!("{}.{}", driver.facts.driver_version / 1000, driver_version(driver)?);
    // SAFETY: the program guarantees that `version` is null or valid for writes of `length` bytes.
    unsafe { put_text(version, length, &text) }
}

pub unsafe fn nvmlSystemGetCudaDriverVersion(version: *mut i32) -> CudaResult {
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(version, driver()?.facts.driver_version) }
}

pub unsafe fn nvmlSystemGetCudaDriverVersion_v2(version: *mut i32) -> CudaResult {
    // SAFETY: both functions have the same contract.
    unsafe { nvmlSystemGetCudaDriverVersion(version) }
}

/// Writes the name of a process on this machine, because the session's process runs here.
pub unsafe fn nvmlSystemGetProcessName(pid: u32, name: *mut c_char, length: u32) -> CudaResult {
    driver()?;
    let line =
        std::fs::read(format!("/proc/{pid}/cmdline")).map_err(|_| nvmlReturn_t::NOT_FOUND)?;
    let program = line.split(|byte| *byte == 0).next().unwrap_or_default();
    // SAFETY: the program guarantees that `name` is null or valid for writes of `length` bytes.
    unsafe { put_text(name, length, &String::from_utf8_lossy(program)) }
}

/// Writes an event set, because nvidia-smi creates one before all other calls. The set is always
/// empty, because device events are not supported.
pub unsafe fn nvmlEventSetCreate(set: *mut nvmlEventSet_t) -> CudaResult {
    driver()?;
    // SAFETY: the program's out-pointer for a handle.
    unsafe { put(set, EMPTY_SET) }
}

pub unsafe fn nvmlEventSetFree(set: nvmlEventSet_t) -> CudaResult {
    driver()?;
    if set == EMPTY_SET { Ok(()) } else { Err(nvmlReturn_t::INVALID_ARGUMENT) }
}
