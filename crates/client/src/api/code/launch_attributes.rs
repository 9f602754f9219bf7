//! The attributes of a launch configuration, in the form that messages use.

use outhaul_abi::types::*;

const ATTRIBUTES_MAX: u32 = 32;

/// Returns the attribute records of a launch configuration as bytes for a message.
///
/// # Safety
/// `config.attrs` is null or valid for reads of `config.numAttrs` records.
pub unsafe fn attribute_bytes(config: &CUlaunchConfig) -> Result<&[u8], CUresult> {
    if config.numAttrs == 0 {
        return Ok(&[]);
    }
    if config.attrs.is_null() || config.numAttrs > ATTRIBUTES_MAX {
        return Err(CUresult::INVALID_VALUE);
    }
    let bytes = config.numAttrs as usize * size_of::<CUlaunchAttribute>();
    // SAFETY: checked for null; the caller guarantees `numAttrs` readable records, which are plain
    // data.
    Ok(unsafe { std::slice::from_raw_parts(config.attrs.cast(), bytes) })
}
