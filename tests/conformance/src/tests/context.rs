//! Contexts: primary contexts, created contexts, and the current context of each thread.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, fail, same};
use outhaul_abi::types::*;
use std::ffi::CString;
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
    ("context/reset_again_and_again", reset_again),
    ("context/events_go_with_it", events_go_with_it),
    ("context/events_destroyed_while_another_thread_destroys_it", events_destroyed_beside),
    ("context/retained_while_another_thread_releases", retained_while_released),
    ("context/limits", limits),
    ("context/limits_that_are_refused", refused_limits),
    ("context/limits_of_what_a_kernel_has_used", late_limits),
    ("context/kernels_allocate_up_to_their_limit", heap_limit),
    ("context/keeps_its_preference_for_caches", keeps_its_preference_for_caches),
];

/// Numbers of limits (`CUlimit`), and one that is none.
const STACK_SIZE: i32 = 0;
const PRINTF_FIFO: i32 = 1;
const MALLOC_HEAP: i32 = 2;
const L2_FETCH: i32 = 5;
const NOT_A_LIMIT: i32 = 99;

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

/// After a reset, a second one and a third change nothing. Calls with objects of the context fail.
/// Its references remain: the program must release each.
fn reset_again(gpu: &Gpu) -> Done {
    let (memory, event) = (gpu.alloc(64)?, gpu.event(0)?);
    let (module, stream) = (gpu.module()?, gpu.stream(0)?);
    for resets in [1, 2] {
        for _ in 0..resets {
            cu!(gpu.cuDevicePrimaryCtxReset_v2(0)).ok()?;
        }
        let (mut flags, mut active, mut device) = (0, -1, -1);
        cu!(gpu.cuDevicePrimaryCtxGetState(0, &mut flags, &mut active)).ok()?;
        same("active", active, 0)?;
        same("the current context", current(gpu)?, gpu.context)?;
        cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
        cu!(gpu.cuCtxGetDevice(&mut device)).ok()?;
        same("its device", device, 0)?;
        let (mut id, mut other, mut value) = (0, 0, 0);
        let mut function = CUfunction::NULL;
        let refused = [
            ("its number", cu!(gpu.cuCtxGetId(gpu.context, &mut id))),
            ("a wait", cu!(gpu.cuCtxSynchronize())),
            ("an allocation", cu!(gpu.cuMemAlloc_v2(&mut other, 64))),
            ("a limit", cu!(gpu.cuCtxGetLimit(&mut value, STACK_SIZE))),
            ("setting a limit", cu!(gpu.cuCtxSetLimit(STACK_SIZE, 4096))),
            ("a query of an event", cu!(gpu.cuEventQuery(event))),
        ];
        for (what, code) in refused {
            same(what, code, CUresult::CONTEXT_IS_DESTROYED)?;
        }
        let name = c"fill".as_ptr();
        let refused = [
            ("a fill", cu!(gpu.cuMemsetD8_v2(memory, 0, 64))),
            ("a free", cu!(gpu.cuMemFree_v2(memory))),
            ("a query of a stream", cu!(gpu.cuStreamQuery(stream))),
            ("a wait for a stream", cu!(gpu.cuStreamSynchronize(stream))),
            ("a function", cu!(gpu.cuModuleGetFunction(&mut function, module, name))),
            ("an unload", cu!(gpu.cuModuleUnload(module))),
        ];
        for (what, code) in refused {
            same(what, code == CUresult::SUCCESS, false)?;
        }
    }
    let mut again = CUcontext::NULL;
    cu!(gpu.cuDevicePrimaryCtxRetain(&mut again, 0)).ok()?;
    same("the handle", again, gpu.context)?;
    let memory = gpu.alloc(64)?;
    gpu.write(memory, &[1, 2, 3])?;
    same("memory after resets", gpu.read(memory, 3)?, vec![1, 2, 3])?;
    let release = || cu!(gpu.cuDevicePrimaryCtxRelease_v2(0));
    let released = [release(), release(), release()];
    same("releases", released, [CUresult::SUCCESS, CUresult::SUCCESS, CUresult::INVALID_CONTEXT])
}

/// Managed memory, registrations, captures and limits end with their context. The next context has
/// none of them.
fn gone_with_a_reset(gpu: &Gpu) -> Done {
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
    cu!(gpu.cuDevicePrimaryCtxRelease_v2(0)).ok()?;
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

/// Limits that are too large, or that do not exist, are refused and change nothing.
fn refused_limits(gpu: &Gpu) -> Done {
    const SYNC_DEPTH: i32 = 3;
    const CAPABILITY_MAJOR: i32 = 75;
    let limit = |id| {
        let mut value = 0;
        (cu!(gpu.cuCtxGetLimit(&mut value, id)), value)
    };
    for (id, value) in [(STACK_SIZE, 512 << 10), (STACK_SIZE, 1 << 40), (L2_FETCH, 129)] {
        let before = limit(id);
        same("a limit", cu!(gpu.cuCtxSetLimit(id, value)), CUresult::INVALID_VALUE)?;
        same("the limit after it", limit(id), before)?;
    }
    for unknown in [-1, NOT_A_LIMIT] {
        let code = cu!(gpu.cuCtxSetLimit(unknown, 0));
        same("an unknown limit", (code, limit(unknown).0), (CUresult(1), CUresult(1)))?;
    }
    if gpu.attribute(CAPABILITY_MAJOR)? >= 9 {
        let code = cu!(gpu.cuCtxSetLimit(SYNC_DEPTH, 2));
        same("a depth", (code, limit(SYNC_DEPTH).0), (CUresult(215), CUresult(215)))?;
    }
    Ok(())
}

/// `plain(p)` writes. `allocates(p, bytes)` writes the address of new memory, or 0. `prints(p)`
/// prints a line without characters.
const USES_LIMITS: &str = r#"
.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);
.global .align 1 .b8 text[1] = {0};
.visible .entry plain(.param .u64 p, .param .u32 bytes)
{
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [p];
    cvta.to.global.u64 %d1, %d0;
    st.global.u64 [%d1], 1;
    ret;
}
.func (.param .b64 r) allocate(.param .b64 n)
{
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [n];
    {
    .param .b64 bytes;
    .param .b64 address;
    st.param.b64 [bytes], %d0;
    call (address), malloc, (bytes);
    ld.param.b64 %d1, [address];
    }
    st.param.b64 [r], %d1;
    ret;
}
.visible .entry allocates(.param .u64 p, .param .u32 bytes)
{
    .reg .b32 %r<1>;
    .reg .b64 %d<4>;
    ld.param.u64 %d0, [p];
    ld.param.u32 %r0, [bytes];
    cvt.u64.u32 %d1, %r0;
    cvta.to.global.u64 %d2, %d0;
    {
    .param .b64 n;
    .param .b64 address;
    st.param.b64 [n], %d1;
    call (address), allocate, (n);
    ld.param.b64 %d3, [address];
    }
    st.global.u64 [%d2], %d3;
    ret;
}
.visible .entry prints(.param .u64 p, .param .u32 bytes)
{
    .reg .b64 %d<2>;
    mov.u64 %d0, text;
    cvta.global.u64 %d1, %d0;
    {
    .param .b64 format;
    .param .b64 values;
    .param .b32 count;
    st.param.b64 [format], %d1;
    st.param.b64 [values], 0;
    call (count), vprintf, (format, values);
    }
    ret;
}
"#;

fn kernel(gpu: &Gpu, name: &str) -> Result<CUfunction, Outcome> {
    let (mut module, text) = (CUmodule::NULL, CString::new(USES_LIMITS).expect("no NUL"));
    cu!(gpu.cuModuleLoadData(&mut module, text.as_ptr().cast())).ok()?;
    gpu.function(module, name)
}

/// The heap and the FIFO of printf can be set until a kernel that uses them was launched. Other
/// kernels of the same module do not use them.
fn late_limits(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(8)?;
    let set = || [PRINTF_FIFO, MALLOC_HEAP].map(|id| cu!(gpu.cuCtxSetLimit(id, 16 << 20)).0);
    for (name, expected) in [("plain", [0, 0]), ("allocates", [0, 1]), ("prints", [1, 1])] {
        let function = kernel(gpu, name)?;
        same("limits before all launches, or as before", set()[0], 0)?;
        gpu.launch(function, (1, 1), CUstream::NULL, memory, &[64]).ok()?;
        same(name, set(), expected)?;
        gpu.synchronize().ok()?;
        same(name, set(), expected)?;
    }
    let (mut context, mut value) = (CUcontext::NULL, 0);
    cu!(gpu.cuCtxGetLimit(&mut value, MALLOC_HEAP)).ok()?;
    same("the heap", value >= 16 << 20, true)?;
    cu!(gpu.cuDevicePrimaryCtxReset_v2(0)).ok()?;
    cu!(gpu.cuDevicePrimaryCtxRetain(&mut context, 0)).ok()?;
    same("after a reset", set(), [0, 0])
}

/// A kernel gets an allocation that the heap's first size does not hold, once the heap is larger.
fn heap_limit(gpu: &Gpu) -> Done {
    const BYTES: u32 = 24 << 20;
    let (memory, function) = (gpu.alloc(8)?, kernel(gpu, "allocates")?);
    cu!(gpu.cuCtxSetLimit(MALLOC_HEAP, 64 << 20)).ok()?;
    for (bytes, fits) in [(BYTES, true), (128 << 20, false)] {
        gpu.launch(function, (1, 1), CUstream::NULL, memory, &[bytes]).ok()?;
        gpu.synchronize().ok()?;
        same("an allocation", gpu.read(memory, 2)? != [0, 0], fits)?;
    }
    Ok(())
}

fn limits(gpu: &Gpu) -> Done {
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
