//! Contexts: primary, created, current per thread.

use super::Test;
use crate::gpu::{Done, Gpu, same};
use outhaul_abi::types::*;

pub const TESTS: &[Test] = &[
    ("context/primary_is_one", primary),
    ("context/primary_state", primary_state),
    ("context/stack", stack),
    ("context/threads_start_without_one", threads),
    ("context/none_is_an_error", none),
    ("context/reset_and_again", reset),
    ("context/limits", limits),
];

fn current(gpu: &Gpu) -> Result<CUcontext, CUresult> {
    let mut context = CUcontext::NULL;
    // SAFETY: the handle goes to a local.
    unsafe { gpu.driver.cuCtxGetCurrent(&mut context) }.ok()?;
    Ok(context)
}

fn primary(gpu: &Gpu) -> Done {
    let mut again = CUcontext::NULL;
    // SAFETY: the handle goes to a local.
    unsafe {
        gpu.driver.cuDevicePrimaryCtxRetain(&mut again, 0).ok()?;
        same("the primary context", again, gpu.context)?;
        gpu.driver.cuDevicePrimaryCtxRelease_v2(0).ok()?;
    }
    same("what is current", current(gpu)?, gpu.context)
}

fn primary_state(gpu: &Gpu) -> Done {
    let (mut flags, mut active) = (0, -1);
    // SAFETY: results go to locals.
    unsafe { gpu.driver.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active) }.ok()?;
    same("active", active, 1)
}

fn stack(gpu: &Gpu) -> Done {
    let (mut made, mut popped) = (CUcontext::NULL, CUcontext::NULL);
    // SAFETY: handles go to locals.
    unsafe {
        gpu.driver.cuCtxCreate_v2(&mut made, 0, 0).ok()?;
        same("created is current", current(gpu)?, made)?;
        gpu.driver.cuCtxPopCurrent_v2(&mut popped).ok()?;
        same("popped", popped, made)?;
        same("below it", current(gpu)?, gpu.context)?;
        gpu.driver.cuCtxPushCurrent_v2(made).ok()?;
        let (mut a, mut b) = (0, 0);
        gpu.driver.cuCtxGetId(made, &mut a).ok()?;
        gpu.driver.cuCtxGetId(gpu.context, &mut b).ok()?;
        same("ids are one", a == b, false)?;
        gpu.driver.cuCtxDestroy_v2(made).ok()?;
    }
    same("after destruction", current(gpu)?, gpu.context)
}

fn threads(gpu: &Gpu) -> Done {
    let elsewhere = std::thread::scope(|s| s.spawn(|| current(gpu)).join());
    same("in a new thread", elsewhere.unwrap_or(Err(CUresult::UNKNOWN)), Ok(CUcontext::NULL))
}

fn none(gpu: &Gpu) -> Done {
    let mut address = 0;
    // SAFETY: results go to locals.
    unsafe {
        gpu.driver.cuCtxSetCurrent(CUcontext::NULL).ok()?;
        same("an allocation", gpu.driver.cuMemAlloc_v2(&mut address, 16), CUresult::INVALID_CONTEXT)
    }
}

fn reset(gpu: &Gpu) -> Done {
    gpu.alloc(1 << 20)?;
    let mut context = CUcontext::NULL;
    // SAFETY: results go to locals.
    unsafe {
        gpu.driver.cuDevicePrimaryCtxReset_v2(0).ok()?;
        gpu.driver.cuDevicePrimaryCtxRetain(&mut context, 0).ok()?;
        gpu.driver.cuCtxSetCurrent(context).ok()?;
    }
    let memory = gpu.alloc(64)?;
    gpu.write(memory, &[1, 2, 3])?;
    same("memory after a reset", gpu.read(memory, 3)?, vec![1, 2, 3])
}

fn limits(gpu: &Gpu) -> Done {
    const STACK_SIZE: i32 = 0;
    const NOT_A_LIMIT: i32 = 99;
    let mut value = 0;
    // SAFETY: the value goes to a local.
    unsafe {
        gpu.driver.cuCtxSetLimit(STACK_SIZE, 4096).ok()?;
        gpu.driver.cuCtxGetLimit(&mut value, STACK_SIZE).ok()?;
        same("at least what was set", value >= 4096, true)?;
        same("no such limit", gpu.driver.cuCtxGetLimit(&mut value, NOT_A_LIMIT) == CUresult::SUCCESS, false)
    }
}
