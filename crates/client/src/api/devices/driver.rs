//! Initialisation, versions, errors, function lookup, export tables, profiler.

use crate::api::arguments::{CudaResult, name, put};
use crate::base::log;
use crate::driver::contexts;
use crate::driver::state::{connected, driver, is_forked};
use crate::generated::exports::address;
use crate::objects::context_stack;
use crate::sessions::{connect, initialize};
use outhaul_abi::export_tables::export_table;
use outhaul_abi::export_tables::export_table::{DeviceIdentity, Host};
use outhaul_abi::loading::proc_address;
use outhaul_abi::loading::proc_address::Status;
use outhaul_abi::types::*;
use std::ffi::{c_char, c_void};

/// Implements cuInit. Rejects flags, because CUDA defines none.
pub fn init(flags: u32) -> CudaResult {
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    initialize()
}

pub unsafe fn cuDriverGetVersion(version: *mut i32) -> CudaResult {
    if is_forked() {
        return Err(CUresult::NOT_INITIALIZED);
    }
    // cudart asks before cuInit. Without a node the version is unknown.
    // SAFETY: the program's out-pointer for a number.
    unsafe { put(version, connect()?.facts.driver_version) }
}

pub unsafe fn cuGetErrorName(error: CUresult, text: *mut *const c_char) -> CudaResult {
    let known = error.name().map_or(std::ptr::null(), |n| n.as_ptr());
    // SAFETY: the program's out-pointer for a pointer.
    unsafe { put(text, known) }?;
    if known.is_null() { Err(CUresult::INVALID_VALUE) } else { Ok(()) }
}

pub unsafe fn cuGetErrorString(error: CUresult, text: *mut *const c_char) -> CudaResult {
    let known = error.text().map_or(std::ptr::null(), |n| n.as_ptr());
    // SAFETY: the program's out-pointer for a pointer.
    unsafe { put(text, known) }?;
    if known.is_null() { Err(CUresult::INVALID_VALUE) } else { Ok(()) }
}

/// Looks up a function by name. cudart first looks up an empty name, and accepts the error.
unsafe fn lookup(
    symbol: *const c_char,
    version: i32,
    flags: u64,
) -> Result<Result<*const c_void, Status>, CUresult> {
    // SAFETY: the program guarantees that `symbol` is null or a C string.
    let symbol = unsafe { name(symbol) }?.to_str().map_err(|_| CUresult::INVALID_VALUE)?;
    let newest = connected().map_or(i32::MAX, |s| s.facts.driver_version);
    if version > newest && newest >= 13000 {
        return Err(CUresult::INVALID_VALUE);
    }
    let found = proc_address::find(symbol, version.max(0) as u32, flags, address);
    if found.is_err() && log::names_all() && !symbol.is_empty() {
        log::note(|| format!("cuGetProcAddress: {symbol} at {version} is not supported remotely"));
    }
    Ok(found)
}

pub unsafe fn cuGetProcAddress(
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: i32,
    flags: u64,
) -> CudaResult {
    // SAFETY: the program guarantees that the pointers are null or valid as CUDA requires.
    unsafe {
        match lookup(symbol, version, flags)? {
            Ok(found) => put(function, found.cast_mut()),
            Err(_) => {
                put(function, std::ptr::null_mut())?;
                Err(CUresult::NOT_FOUND)
            }
        }
    }
}

pub unsafe fn cuGetProcAddress_v2(
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: i32,
    flags: u64,
    status: *mut CUdriverProcAddressQueryResult,
) -> CudaResult {
    // SAFETY: the program guarantees that the pointers are null or valid as CUDA requires.
    unsafe {
        let found = lookup(symbol, version, flags)?;
        if !status.is_null() {
            status.write(found.as_ref().err().copied().unwrap_or(Status::Found) as i32);
        }
        put(function, found.map_or(std::ptr::null_mut(), <*const c_void>::cast_mut))
    }
}

pub unsafe fn cuGetExportTable(table: *mut *const c_void, id: *const CUuuid) -> CudaResult {
    export_table::install(&TableHost);
    // SAFETY: the program guarantees that the pointers are null or valid as CUDA requires.
    unsafe { export_table::get(table, id) }.ok()
}

pub unsafe fn cuProfilerInitialize(
    _config: *const c_char,
    _output: *const c_char,
    _mode: CUoutput_mode,
) -> CudaResult {
    Ok(())
}

pub unsafe fn cuProfilerStart() -> CudaResult {
    Ok(())
}

pub unsafe fn cuProfilerStop() -> CudaResult {
    Ok(())
}

/// The driver, as the export tables see it.
pub struct TableHost;

impl Host for TableHost {
    fn driver_version(&self) -> u32 {
        connected().map_or(0, |s| s.facts.driver_version as u32)
    }

    fn devices(&self) -> Vec<DeviceIdentity> {
        connected()
            .map(|s| s.facts.devices.iter().map(|d| d.identity()).collect())
            .unwrap_or_default()
    }

    fn primary_context(&self, device: CUdevice) -> Result<CUcontext, CUresult> {
        let driver = driver()?;
        driver.facts.device(device)?;
        let primary = driver.primaries[device as usize].lock();
        Ok(primary.context.abi())
    }

    fn current_context(&self) -> CUcontext {
        context_stack::current_handle()
    }

    fn context_id(&self, handle: CUcontext) -> Result<u64, CUresult> {
        Ok(contexts::resolve_or_current(handle)?.id)
    }

    fn module_functions(&self, module: CUmodule) -> Result<Vec<CUfunction>, CUresult> {
        crate::api::code::module::all_functions(module)
    }

    fn refused(&self, id: &CUuuid) {
        // Runtimes request the tables of tools as a matter of course, so only a verbose log names
        // them.
        if log::names_all() {
            log::note(|| {
                format!(
                    "export table {} is not served",
                    id.bytes.map(|b| format!("{b:02x}")).concat()
                )
            });
        }
    }

    fn refused_slot(&self, id: &[u8; 16], slot: u32) {
        log::note(|| {
            format!(
                "slot {slot} of export table {} is not known",
                id.map(|b| format!("{b:02x}")).concat()
            )
        });
    }
}
