//! Contexts: primary contexts, created contexts, and the current context of each thread.

use super::Test;
use crate::gpu::{Done, Gpu, cu, fail, same};
use outhaul_abi::types::*;
use std::sync::Barrier;

pub const TESTS: &[Test] = &[
    ("context/primary_is_one", primary),
    ("context/primary_state", primary_state),
    ("context/stack", stack),
    ("context/threads_start_without_one", threads),
    ("context/none_is_an_error", none),
    ("context/events_and_streams_need_none", need_none),
    ("context/reset_and_again", reset),
    ("context/what_goes_with_a_reset", gone_with_a_reset),
    ("context/events_go_with_it", events_go_with_it),
    ("context/events_destroyed_while_another_thread_destroys_it", events_destroyed_beside),
    ("context/retained_while_another_thread_releases", retained_while_released),
    ("context/limits", limits),
    ("context/keeps_its_preference_for_caches", keeps_its_preference_for_caches),
];

fn current(gpu: &Gpu) -> Result<CUcontext, CUresult> {
    let mut context = CUcontext::NULL;
    // SAFETY: the out-pointer refers to a local.
    unsafe { gpu.driver.cuCtxGetCurrent(&mut context) }.ok()?;
    Ok(context)
}

fn primary(gpu: &Gpu) -> Done {
    let mut again = CUcontext::NULL;
    // SAFETY: the out-pointer refers to a local.
    unsafe {
        gpu.driver.cuDevicePrimaryCtxRetain(&mut again, 0).ok()?;
        same("the primary context", again, gpu.context)?;
        gpu.driver.cuDevicePrimaryCtxRelease_v2(0).ok()?;
    }
    same("what is current", current(gpu)?, gpu.context)
}

fn primary_state(gpu: &Gpu) -> Done {
    let (mut flags, mut active) = (0, -1);
    // SAFETY: all out-pointers refer to locals.
    unsafe { gpu.driver.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active) }.ok()?;
    same("active", active, 1)
}

fn stack(gpu: &Gpu) -> Done {
    let (mut made, mut popped) = (CUcontext::NULL, CUcontext::NULL);
    // SAFETY: all out-pointers refer to locals.
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
        same("ids are equal", a == b, false)?;
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
    // SAFETY: all out-pointers refer to locals.
    unsafe {
        gpu.driver.cuCtxSetCurrent(CUcontext::NULL).ok()?;
        same("an allocation", gpu.driver.cuMemAlloc_v2(&mut address, 16), CUresult::INVALID_CONTEXT)
    }
}

/// Queries events without a current context, as PyTorch's thread that pins batches does.
fn need_none(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let (mut start, mut end) = (CUevent::NULL, CUevent::NULL);
    cu!(gpu.cuEventCreate(&mut start, 0)).ok()?;
    cu!(gpu.cuEventCreate(&mut end, 0)).ok()?;
    cu!(gpu.cuEventRecord(start, stream)).ok()?;
    cu!(gpu.cuEventRecord(end, stream)).ok()?;
    let in_a_thread = || {
        let mut milliseconds = -1.0;
        same("the context", current(gpu), Ok(CUcontext::NULL))?;
        let queried = cu!(gpu.cuEventQuery(end));
        same("a query", matches!(queried, CUresult::SUCCESS | CUresult::NOT_READY), true)?;
        same("a wait", cu!(gpu.cuEventSynchronize(end)), CUresult::SUCCESS)?;
        same("a query after it", cu!(gpu.cuEventQuery(end)), CUresult::SUCCESS)?;
        let elapsed = cu!(gpu.cuEventElapsedTime_v2(&mut milliseconds, start, end));
        same("elapsed", (elapsed, milliseconds >= 0.0), (CUresult::SUCCESS, true))?;
        same("a record", cu!(gpu.cuEventRecord(end, stream)), CUresult::SUCCESS)?;
        same("a stream's wait", cu!(gpu.cuStreamWaitEvent(stream, end, 0)), CUresult::SUCCESS)?;
        same("a wait for a stream", cu!(gpu.cuStreamSynchronize(stream)), CUresult::SUCCESS)?;
        same("its query", cu!(gpu.cuStreamQuery(stream)), CUresult::SUCCESS)?;
        same("destroyed", cu!(gpu.cuEventDestroy_v2(start)), CUresult::SUCCESS)
    };
    std::thread::scope(|scope| scope.spawn(in_a_thread).join())
        .unwrap_or_else(|_| fail("the thread panicked"))
}

fn reset(gpu: &Gpu) -> Done {
    gpu.alloc(1 << 20)?;
    let mut context = CUcontext::NULL;
    // SAFETY: all out-pointers refer to locals.
    unsafe {
        gpu.driver.cuDevicePrimaryCtxReset_v2(0).ok()?;
        gpu.driver.cuDevicePrimaryCtxRetain(&mut context, 0).ok()?;
        gpu.driver.cuCtxSetCurrent(context).ok()?;
    }
    let memory = gpu.alloc(64)?;
    gpu.write(memory, &[1, 2, 3])?;
    same("memory after a reset", gpu.read(memory, 3)?, vec![1, 2, 3])
}

/// Managed memory, registrations, captures and limits end with their context. The next context has
/// none of them.
fn gone_with_a_reset(gpu: &Gpu) -> Done {
    const STACK_SIZE: i32 = 0;
    let (mut managed, mut context, mut first, mut stack) = (0, CUcontext::NULL, 0, 0);
    let host = vec![0u32; 16 << 10];
    let page = (host.as_ptr() as usize).next_multiple_of(4096) as *mut std::ffi::c_void;
    cu!(gpu.cuCtxGetLimit(&mut first, STACK_SIZE)).ok()?;
    for _ in 0..2 {
        cu!(gpu.cuMemAllocManaged(&mut managed, 1 << 16, values::MEM_ATTACH_GLOBAL)).ok()?;
        cu!(gpu.cuMemsetD32Async(managed, 5, 100, CUstream::NULL)).ok()?;
        gpu.synchronize().ok()?;
        cu!(gpu.cuMemHostRegister_v2(page, 8192, 0)).ok()?;
        gpu.begin_capture(gpu.stream(values::STREAM_NON_BLOCKING)?)?;
        cu!(gpu.cuCtxSetLimit(STACK_SIZE, 4 * first)).ok()?;
        cu!(gpu.cuDevicePrimaryCtxReset_v2(0)).ok()?;
        cu!(gpu.cuDevicePrimaryCtxRetain(&mut context, 0)).ok()?;
        cu!(gpu.cuCtxSetCurrent(context)).ok()?;
        cu!(gpu.cuCtxGetLimit(&mut stack, STACK_SIZE)).ok()?;
        same("the stack of a new context", stack, first)?;
        let memory = gpu.alloc(64)?;
        gpu.write(memory, &[1, 2, 3])?;
        cu!(gpu.cuStreamSynchronize(gpu.stream(values::STREAM_NON_BLOCKING)?)).ok()?;
        gpu.synchronize().ok()?;
        same("memory after a reset", gpu.read(memory, 3)?, vec![1, 2, 3])?;
    }
    Ok(())
}

fn events_go_with_it(gpu: &Gpu) -> Done {
    let mut context = CUcontext::NULL;
    cu!(gpu.cuCtxCreate_v2(&mut context, 0, 0)).ok()?;
    let (event, before) = (gpu.event(0)?, gpu.event(0)?);
    let mut ms = 0.0;
    cu!(gpu.cuEventRecord(before, CUstream::NULL)).ok()?;
    cu!(gpu.cuEventRecord(event, CUstream::NULL)).ok()?;
    cu!(gpu.cuEventSynchronize(event)).ok()?;
    cu!(gpu.cuEventElapsedTime(&mut ms, before, event)).ok()?;
    cu!(gpu.cuCtxDestroy_v2(context)).ok()?;
    same("asked about", cu!(gpu.cuEventQuery(event)), CUresult::CONTEXT_IS_DESTROYED)?;
    same("waited for", cu!(gpu.cuEventSynchronize(event)), CUresult::CONTEXT_IS_DESTROYED)?;
    same("destroyed", cu!(gpu.cuEventDestroy_v2(event)), CUresult::CONTEXT_IS_DESTROYED)?;
    cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
    let (start, end) = (gpu.event(0)?, gpu.event(0)?);
    cu!(gpu.cuEventRecord(start, CUstream::NULL)).ok()?;
    cu!(gpu.cuEventRecord(end, CUstream::NULL)).ok()?;
    cu!(gpu.cuEventSynchronize(end)).ok()?;
    cu!(gpu.cuEventElapsedTime(&mut ms, start, end)).ok()?;
    same("another context", gpu.synchronize(), CUresult::SUCCESS)
}

fn events_destroyed_beside(gpu: &Gpu) -> Done {
    // A GPU takes a third of a second to create and destroy a context.
    const ROUNDS: u32 = 8;
    for _ in 0..ROUNDS {
        let mut context = CUcontext::NULL;
        cu!(gpu.cuCtxCreate_v2(&mut context, 0, 0)).ok()?;
        let mut events = [CUevent::NULL; 8];
        events.iter_mut().try_for_each(|event| gpu.event(0).map(|made| *event = made))?;
        cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
        let both = Barrier::new(2);
        let (destroyed, ended) = std::thread::scope(|scope| {
            let destroying = scope.spawn(|| {
                both.wait();
                events.map(|event| cu!(gpu.cuEventDestroy_v2(event)))
            });
            both.wait();
            let ended = cu!(gpu.cuCtxDestroy_v2(context));
            (destroying.join(), ended)
        });
        same("the end of the context", ended, CUresult::SUCCESS)?;
        let expected = [CUresult::SUCCESS, CUresult::CONTEXT_IS_DESTROYED];
        let destroyed = destroyed.unwrap_or([CUresult::UNKNOWN; 8]);
        same("expected codes", destroyed.iter().all(|code| expected.contains(code)), true)?;
        same("another context", gpu.synchronize(), CUresult::SUCCESS)?;
    }
    Ok(())
}

fn retained_while_released(gpu: &Gpu) -> Done {
    // A GPU takes a third of a second to create and destroy a context.
    const ROUNDS: u32 = 8;
    // The suite's own reference would keep the context alive.
    cu!(gpu.cuDevicePrimaryCtxReset_v2(0)).ok()?;
    let use_it = |value: u32| -> Done {
        let (mut context, mut memory, mut found) = (CUcontext::NULL, 0, [0u32; 4]);
        cu!(gpu.cuDevicePrimaryCtxRetain(&mut context, 0)).ok()?;
        cu!(gpu.cuCtxSetCurrent(context)).ok()?;
        cu!(gpu.cuMemAlloc_v2(&mut memory, 16)).ok()?;
        cu!(gpu.cuMemsetD32_v2(memory, value, 4)).ok()?;
        cu!(gpu.cuMemcpyDtoH_v2(found.as_mut_ptr().cast(), memory, 16)).ok()?;
        cu!(gpu.cuMemFree_v2(memory)).ok()?;
        cu!(gpu.cuDevicePrimaryCtxRelease_v2(0)).ok()?;
        same("what was written", found, [value; 4])
    };
    std::thread::scope(|scope| {
        let threads = [1, 2, 3].map(|thread| {
            scope.spawn(move || (0..ROUNDS).try_for_each(|round| use_it(1000 * thread + round)))
        });
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| fail("a thread panicked")))
            .fold(Ok(()), Done::and)
    })
}

fn keeps_its_preference_for_caches(gpu: &Gpu) -> Done {
    const NONE: i32 = 0;
    const PREFER_L1: i32 = 2;
    for config in [PREFER_L1, NONE] {
        let mut found = -1;
        cu!(gpu.cuCtxSetCacheConfig(config)).ok()?;
        cu!(gpu.cuCtxGetCacheConfig(&mut found)).ok()?;
        same("the preference that was set", found, config)?;
    }
    for unknown in [-1, 4, 7] {
        let refused = cu!(gpu.cuCtxSetCacheConfig(unknown));
        same("an unknown preference", refused, CUresult::INVALID_VALUE)?;
        let refused = cu!(gpu.cuCtxSetSharedMemConfig(unknown));
        same("an unknown width of banks", refused, CUresult::INVALID_VALUE)?;
    }
    Ok(())
}

fn limits(gpu: &Gpu) -> Done {
    const STACK_SIZE: i32 = 0;
    const NOT_A_LIMIT: i32 = 99;
    let mut value = 0;
    // SAFETY: the out-pointer refers to a local.
    unsafe {
        gpu.driver.cuCtxSetLimit(STACK_SIZE, 4096).ok()?;
        gpu.driver.cuCtxGetLimit(&mut value, STACK_SIZE).ok()?;
        same("at least what was set", value >= 4096, true)?;
        same(
            "no such limit",
            gpu.driver.cuCtxGetLimit(&mut value, NOT_A_LIMIT) == CUresult::SUCCESS,
            false,
        )
    }
}
