//! The attributes of a launch configuration, as messages carry them.

use outhaul_abi::types::*;

const ATTRIBUTES_MAX: u32 = 32;

/// Returns the attribute records of a launch configuration, as in messages.
///
/// # Safety
/// The configuration's attributes are readable.
pub unsafe fn attribute_bytes(config: &CUlaunchConfig) -> Result<&[u8], CUresult> {
    if config.numAttrs == 0 {
        return Ok(&[]);
    }
    if config.attrs.is_null() || config.numAttrs > ATTRIBUTES_MAX {
        return Err(CUresult::INVALID_VALUE);
    }
    let bytes = config.numAttrs as usize * size_of::<CUlaunchAttribute>();
    // SAFETY: not null; the caller promises `numAttrs` records of plain data.
    Ok(unsafe { std::slice::from_raw_parts(config.attrs.cast(), bytes) })
}
