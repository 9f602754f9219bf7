//! Queries about pointers.

use std::ffi::c_void;

use outhaul_abi::types::values::{
    MEM_ACCESS_FLAGS_PROT_READWRITE, MEMORYTYPE_DEVICE, MEMORYTYPE_HOST,
};
use outhaul_abi::types::*;

use crate::driver::api::arguments::{put, take_all};
use crate::driver::objects::memory::ranges::{Origin, Range};
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

/// The value of `CU_DEVICE_INVALID`.
const NO_DEVICE: i32 = -2;

fn write_attribute(data: *mut c_void, attribute: i32, address: u64, range: &Range) -> Result<()> {
    let host = range.origin.is_host();
    let flag = |value: bool| put(data.cast::<u32>(), u32::from(value));
    match attribute {
        1 => put(data.cast::<u64>(), range.context),
        2 => put(data.cast::<i32>(), if host { MEMORYTYPE_HOST } else { MEMORYTYPE_DEVICE }),
        3 => put(data.cast::<u64>(), address),
        4 if host || range.origin.is_managed() => put(data.cast::<u64>(), address),
        // Device memory has no host pointer, and there are no peer-to-peer tokens here.
        4 | 5 => Err(Error::InvalidValue),
        6 => flag(true),
        7 => put(data.cast::<u64>(), range.id),
        8 => flag(range.origin.is_managed()),
        10 | 15 | 21 => flag(false),
        9 => put(data.cast::<i32>(), range.device),
        11 | 19 => put(data.cast::<u64>(), range.base),
        12 | 18 => put(data.cast::<usize>(), range.bytes as usize),
        13 => flag(true),
        14 => put(data.cast::<u64>(), u64::from(matches!(range.origin, Origin::Mapped(_)))),
        16 => put(data.cast::<i32>(), MEM_ACCESS_FLAGS_PROT_READWRITE),
        17 => put(data.cast::<u64>(), if let Origin::Pool(pool) = range.origin { pool } else { 0 }),
        20 => put(data.cast::<u64>(), range.id),
        _ => Err(Error::InvalidValue),
    }
}

pub unsafe fn cuPointerGetAttribute(
    data: *mut c_void,
    attribute: CUpointer_attribute,
    ptr: CUdeviceptr,
) -> Result<()> {
    let driver = driver()?;
    driver.current()?;
    let range = driver.ranges.containing(ptr).ok_or(Error::InvalidValue)?;
    write_attribute(data, attribute, ptr, &range)
}

/// Reports zeros, not an error, for attributes that an address does not have.
pub unsafe fn cuPointerGetAttributes(
    numAttributes: u32,
    attributes: *mut CUpointer_attribute,
    data: *mut *mut c_void,
    ptr: CUdeviceptr,
) -> Result<()> {
    let driver = driver()?;
    driver.current()?;
    let attributes = take_all(attributes.cast_const(), numAttributes as usize)?;
    let places = take_all(data.cast_const(), numAttributes as usize)?;
    let range = driver.ranges.containing(ptr);
    for (attribute, place) in attributes.into_iter().zip(places) {
        let known = range
            .as_ref()
            .is_some_and(|range| write_attribute(place, attribute, ptr, range).is_ok());
        if known {
            continue;
        }
        match attribute {
            1 | 3 | 4 | 7 | 11 | 12 | 14 | 17..=20 => put(place.cast::<u64>(), 0)?,
            9 => put(place.cast::<i32>(), NO_DEVICE)?,
            2 | 6 | 8 | 10 | 13 | 15 | 16 | 21 => put(place.cast::<u32>(), 0)?,
            _ => return Err(Error::InvalidValue),
        }
    }
    Ok(())
}

/// Accepts only `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`, which has no effect, because copies are always
/// ordered that way.
pub unsafe fn cuPointerSetAttribute(
    value: *const c_void,
    attribute: CUpointer_attribute,
    ptr: CUdeviceptr,
) -> Result<()> {
    let driver = driver()?;
    driver.current()?;
    if value.is_null() || attribute != 6 || driver.ranges.containing(ptr).is_none() {
        return Err(Error::InvalidValue);
    }
    Ok(())
}
