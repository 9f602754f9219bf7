//! Tensor maps of Hopper's copy engine. Only the driver knows their encoding, so the worker's makes
//! them; the tensor's address is the same on both sides. Encoding one is a generated call.

use super::Done;
use crate::session::call_memo;
use outhaul_abi::types::*;
use outhaul_wire::messages::TensorMapReplaceAddress;

pub unsafe fn cuTensorMapReplaceAddress(map: *mut CUtensorMap, address: CUdeviceptr) -> Done {
    if map.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, and the program promises a tensor map. It need not lie as cuda.h aligns it.
    let before = unsafe { map.read_unaligned() };
    call_memo(&TensorMapReplaceAddress { map: before.opaque, address }, |reply| {
        // SAFETY: as above.
        unsafe { map.write_unaligned(CUtensorMap { opaque: reply.map }) };
        Ok(())
    })
}
