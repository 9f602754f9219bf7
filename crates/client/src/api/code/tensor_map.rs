//! Tensor maps for Hopper's copy engine. Only the driver knows their encoding, so the worker's
//! driver creates them. A tensor has the same address on both sides. Encoding a map is a generated
//! call.

use crate::api::arguments::CudaResult;
use crate::driver::answer_cache::call_cached;
use outhaul_abi::types::*;
use outhaul_wire::messages::TensorMapReplaceAddress;

pub unsafe fn cuTensorMapReplaceAddress(map: *mut CUtensorMap, address: CUdeviceptr) -> CudaResult {
    if map.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: checked for null; the program guarantees a tensor map, which may have less alignment
    // than cuda.h requires.
    let before = unsafe { map.read_unaligned() };
    call_cached(&TensorMapReplaceAddress { map: before.opaque, address }, |reply| {
        // SAFETY: the program guarantees that `map` is valid for writes.
        unsafe { map.write_unaligned(CUtensorMap { opaque: reply.map }) };
        Ok(())
    })
}
