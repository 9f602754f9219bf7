//! Kernel faults: the driver reports them, they are permanent, and the process survives.

use super::Test;
use crate::gpu::{Done, Gpu, cu, same};
use outhaul_abi::types::*;

pub const TESTS: &[Test] = &[
    ("fault/illegal_address_is_sticky", illegal),
    ("fault/in_a_graph", in_a_graph),
    ("fault/outlives_a_reset", outlives_a_reset),
];

fn break_context(gpu: &Gpu) -> Done {
    let function = gpu.function(gpu.module()?, "wild")?;
    gpu.launch(function, (1, 1), CUstream::NULL, 0x10, &[]).ok()?;
    same("the synchronisation", gpu.synchronize(), CUresult::ILLEGAL_ADDRESS)
}

fn illegal(gpu: &Gpu) -> Done {
    break_context(gpu)?;
    let mut address = 0;
    same(
        "an allocation after it",
        // SAFETY: the out-pointer refers to a local.
        unsafe { gpu.driver.cuMemAlloc_v2(&mut address, 16) },
        CUresult::ILLEGAL_ADDRESS,
    )?;
    same("again", gpu.synchronize(), CUresult::ILLEGAL_ADDRESS)?;
    let mut count = 0;
    // SAFETY: the out-pointer refers to a local.
    same(
        "what needs no context",
        unsafe { gpu.driver.cuDeviceGetCount(&mut count) },
        CUresult::SUCCESS,
    )
}

/// Graph nodes after the fault do not run, and no call waits for them forever.
fn in_a_graph(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let module = gpu.module()?;
    let (wild, event) = (gpu.function(module, "wild")?, gpu.event(values::EVENT_DISABLE_TIMING)?);
    gpu.begin_capture(stream)?;
    gpu.launch(wild, (1, 1), stream, 0x10, &[]).ok()?;
    let external = 1;
    cu!(gpu.cuEventRecordWithFlags(event, stream, external)).ok()?;
    let exec = gpu.instantiate(gpu.end_capture(stream)?)?;
    cu!(gpu.cuGraphLaunch(exec, stream)).ok()?;
    same("the stream", cu!(gpu.cuStreamSynchronize(stream)), CUresult::ILLEGAL_ADDRESS)?;
    same("the event", cu!(gpu.cuEventSynchronize(event)), CUresult::ILLEGAL_ADDRESS)?;
    same("the context", gpu.synchronize(), CUresult::ILLEGAL_ADDRESS)
}

/// A reset does not end the fault. Only a new process recovers.
fn outlives_a_reset(gpu: &Gpu) -> Done {
    break_context(gpu)?;
    // The driver may report the fault in the reset call itself.
    let _ = cu!(gpu.cuDevicePrimaryCtxReset_v2(0));
    let mut context = CUcontext::NULL;
    // SAFETY: the out-pointer refers to a local.
    let mut outcome = unsafe { gpu.driver.cuDevicePrimaryCtxRetain(&mut context, 0) };
    if outcome == CUresult::SUCCESS {
        outcome = cu!(gpu.cuCtxSetCurrent(context));
    }
    if outcome == CUresult::SUCCESS {
        outcome = gpu.synchronize();
    }
    same("work after the reset", outcome, CUresult::ILLEGAL_ADDRESS)
}
