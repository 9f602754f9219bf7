//! The driver as a whole: initialisation, version, errors, and entry point lookup.

use std::ffi::{c_char, c_void};

use outhaul_abi::export_tables::export_table;
use outhaul_abi::loading::proc_address;
use outhaul_abi::loading::proc_address::Status;
use outhaul_abi::types::*;

use crate::driver::abi::host::{DRIVER_VERSION, SoftHost};
use crate::driver::api::arguments::{name, put, put_if};
use crate::driver::state;
use crate::driver::system::error::{Error, Result};
use crate::generated::exports;

pub unsafe fn cuInit(flags: u32) -> Result<()> {
    if flags != 0 {
        return Err(Error::InvalidValue);
    }
    state::initialize()?;
    export_table::install(&SoftHost);
    Ok(())
}

pub unsafe fn cuDriverGetVersion(driverVersion: *mut i32) -> Result<()> {
    put(driverVersion, DRIVER_VERSION)
}

pub unsafe fn cuGetErrorName(error: CUresult, pStr: *mut *const c_char) -> Result<()> {
    put(pStr, error.name().map_or(std::ptr::null(), |name| name.as_ptr()))?;
    error.name().map(drop).ok_or(Error::InvalidValue)
}

pub unsafe fn cuGetErrorString(error: CUresult, pStr: *mut *const c_char) -> Result<()> {
    put(pStr, error.text().map_or(std::ptr::null(), |text| text.as_ptr()))?;
    error.text().map(drop).ok_or(Error::InvalidValue)
}

pub unsafe fn cuGetExportTable(
    ppExportTable: *mut *const c_void,
    pExportTableId: *const CUuuid,
) -> Result<()> {
    // SAFETY: the caller upholds the contract about both pointers.
    match unsafe { export_table::get(ppExportTable, pExportTableId) } {
        CUresult::SUCCESS => Ok(()),
        _ => Err(Error::InvalidValue),
    }
}

/// Looks up an entry point. If the symbol has none, the status says why.
fn lookup(
    symbol: *const c_char,
    pfn: *mut *mut c_void,
    version: i32,
    flags: u64,
) -> Result<Status> {
    put(pfn, std::ptr::null_mut())?;
    let version = u32::try_from(version).map_err(|_| Error::InvalidValue)?;
    if version > DRIVER_VERSION as u32 {
        return Err(Error::InvalidValue);
    }
    match proc_address::find(name(symbol)?, version, flags, exports::address) {
        Ok(address) => {
            put(pfn, address.cast_mut())?;
            Ok(Status::Found)
        }
        Err(status) => Ok(status),
    }
}

pub unsafe fn cuGetProcAddress(
    symbol: *const c_char,
    pfn: *mut *mut c_void,
    driverVersion: i32,
    flags: u64,
) -> Result<()> {
    match lookup(symbol, pfn, driverVersion, flags)? {
        Status::Found => Ok(()),
        _ => Err(Error::NotFound),
    }
}

pub unsafe fn cuGetProcAddress_v2(
    symbol: *const c_char,
    pfn: *mut *mut c_void,
    driverVersion: i32,
    flags: u64,
    symbolFound: *mut CUdriverProcAddressQueryResult,
) -> Result<()> {
    let status = lookup(symbol, pfn, driverVersion, flags)?;
    put_if(symbolFound, status as i32);
    Ok(())
}

pub unsafe fn cuProfilerStart() -> Result<()> {
    Ok(())
}

pub unsafe fn cuProfilerStop() -> Result<()> {
    Ok(())
}
