//! Faults of kernels: reported, sticky, and survived by the process.

use super::Test;
use crate::gpu::{Done, Gpu, same};
use outhaul_abi::types::*;

pub const TESTS: &[Test] = &[("fault/illegal_address_is_sticky", illegal)];

fn break_context(gpu: &Gpu) -> Done {
    let function = gpu.function(gpu.module()?, "wild")?;
    gpu.launch(function, (1, 1), CUstream::NULL, 0x10, &[]).ok()?;
    same("the synchronisation", gpu.synchronize(), CUresult::ILLEGAL_ADDRESS)
}

fn illegal(gpu: &Gpu) -> Done {
    break_context(gpu)?;
    let mut address = 0;
    // SAFETY: the address goes to a local.
    same("an allocation after it", unsafe { gpu.driver.cuMemAlloc_v2(&mut address, 16) }, CUresult::ILLEGAL_ADDRESS)?;
    same("again", gpu.synchronize(), CUresult::ILLEGAL_ADDRESS)?;
    let mut count = 0;
    // SAFETY: the count goes to a local.
    same("what needs no context", unsafe { gpu.driver.cuDeviceGetCount(&mut count) }, CUresult::SUCCESS)
}
