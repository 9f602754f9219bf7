//! Converts ABI structs to and from bytes, and names to C strings.

use super::frame::Refusal;
use outhaul_abi::nvml::*;
use outhaul_abi::types::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY_MEMORY_REQUIREMENTS, CUDA_RESOURCE_VIEW_DESC,
    CUDA_TEXTURE_DESC, CUborderColor, CUdevResource, CUmemAllocationProp, CUstreamAttrValue,
    CUstreamBatchMemOpParams, CUtensorMap,
};
use std::ffi::CString;

/// Types for which every bit pattern is a valid value.
///
/// # Safety
/// The type fulfils the contract of `outhaul_abi::types::Plain`, or is a primitive number.
pub unsafe trait Bits: Copy {}

macro_rules! bits {
    ($($ty:ty)*) => {$(
        // SAFETY: a number, or a `repr(C)` struct of numbers.
        unsafe impl Bits for $ty {}
    )*};
}

bits! {
    i32 u32 u64 usize f32 CUmemAllocationProp CUstreamAttrValue CUtensorMap
    CUDA_ARRAY_MEMORY_REQUIREMENTS CUDA_TEXTURE_DESC
    CUDA_ARRAY_DESCRIPTOR CUborderColor CUDA_RESOURCE_VIEW_DESC CUdevResource
    CUstreamBatchMemOpParams nvmlUtilization_t nvmlViolationTime_t nvmlMemory_t nvmlBAR1Memory_t
    nvmlRowRemapperHistogramValues_t nvmlPciInfo_t nvmlPciInfoExt_v1_t nvmlFBCStats_t
    nvmlMarginTemperature_v1_t
    nvmlDeviceAddressingMode_v1_t nvmlPdi_v1_t nvmlRepairStatus_v1_t nvmlDeviceCapabilities_v1_t
    nvmlPciInfo_v2_t
    nvmlEccSramErrorStatus_v1_t
}

/// Reads a struct. Returns an error if `bytes` has the wrong length.
pub fn read<T: Bits>(bytes: &[u8]) -> Result<T, Refusal> {
    if bytes.len() != size_of::<T>() {
        return Err(Refusal::Violation(format!(
            "a struct of {} bytes came as {}",
            size_of::<T>(),
            bytes.len()
        )));
    }
    // SAFETY: the length is right, every bit pattern is a valid `T`, and the read is unaligned.
    Ok(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
}

/// Reads an array. Returns an error if `bytes` has the wrong length.
pub fn read_array<T: Bits>(bytes: &[u8], count: usize) -> Result<Vec<T>, Refusal> {
    if count.checked_mul(size_of::<T>()) != Some(bytes.len()) {
        return Err(Refusal::Violation(format!(
            "{count} numbers of {} bytes came as {} bytes",
            size_of::<T>(),
            bytes.len()
        )));
    }
    bytes.chunks_exact(size_of::<T>()).map(read).collect()
}

/// Returns a struct in which all bytes are zero.
pub fn zero<T: Bits>() -> T {
    // SAFETY: every bit pattern is a valid `T`.
    unsafe { std::mem::zeroed() }
}

/// Returns a struct's bytes.
pub fn bytes<T: Bits>(value: &T) -> &[u8] {
    // SAFETY: a `T` is plain data of its own size; `zero` initialized any padding.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) }
}

/// Converts a name to a C string.
pub fn c_name(name: &str) -> Result<CString, Refusal> {
    CString::new(name).map_err(|_| Refusal::Violation("a name holds a NUL".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_has_the_stated_length() {
        let bytes = [1, 0, 0, 0, 2, 0, 0, 0];
        assert_eq!(read_array::<u32>(&bytes, 2).unwrap(), [1, 2]);
        assert!(read_array::<u64>(&[], 0).unwrap().is_empty());
        for count in [0, 1, 3, usize::MAX / 2] {
            assert!(
                matches!(read_array::<u32>(&bytes, count), Err(Refusal::Violation(_))),
                "{count}"
            );
        }
    }
}
