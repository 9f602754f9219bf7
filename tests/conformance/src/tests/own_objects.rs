//! Threads that create, use and destroy objects of their own at the same time. No thread notices
//! what the others do.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, fail, same};
use outhaul_abi::types::values::*;
use outhaul_abi::types::*;

pub const TESTS: &[Test] = &[
    ("crowd/events_of_their_own", events),
    ("crowd/streams_of_their_own", streams),
    ("crowd/contexts_of_their_own", contexts),
    ("crowd/memory_pools_of_their_own", memory_pools),
    ("crowd/default_streams_that_end_with_their_context", default_streams),
];

const THREADS: u32 = 4;
const ROUNDS: u32 = 100;
const MEMORY_POOLS_SUPPORTED: i32 = 115;

/// Runs `body` in several threads with the number of the thread. Then checks that the context still
/// works.
fn in_threads(gpu: &Gpu, body: impl Fn(u32) -> Done + Sync) -> Done {
    let body = &body;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                scope.spawn(move || {
                    cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
                    body(thread)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| fail("a thread panicked")))
            .fold(Ok(()), Done::and)
    })?;
    same("the context afterwards", gpu.synchronize(), CUresult::SUCCESS)
}

fn events(gpu: &Gpu) -> Done {
    in_threads(gpu, |thread| {
        let stream = gpu.stream(STREAM_NON_BLOCKING)?;
        (0..ROUNDS).try_for_each(|round| {
            let flags = if (thread + round) % 2 == 0 { EVENT_BLOCKING_SYNC } else { 0 };
            let (start, end) = (gpu.event(flags)?, gpu.event(0)?);
            let mut milliseconds = -1.0;
            cu!(gpu.cuEventRecord(start, stream)).ok()?;
            cu!(gpu.cuEventRecord(end, stream)).ok()?;
            cu!(gpu.cuEventSynchronize(end)).ok()?;
            cu!(gpu.cuEventElapsedTime(&mut milliseconds, start, end)).ok()?;
            same("no negative time", milliseconds >= 0.0, true)?;
            cu!(gpu.cuEventDestroy_v2(start)).ok()?;
            Ok(cu!(gpu.cuEventDestroy_v2(end)).ok()?)
        })
    })
}

/// Fills four words in a stream, and reads them back in the stream.
fn fill_and_read(gpu: &Gpu, stream: CUstream, memory: CUdeviceptr, value: u32) -> Done {
    let mut found = [0u32; 4];
    cu!(gpu.cuMemsetD32Async(memory, value, found.len(), stream)).ok()?;
    cu!(gpu.cuMemcpyDtoHAsync_v2(found.as_mut_ptr().cast(), memory, 16, stream)).ok()?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("what the thread wrote", found, [value; 4])
}

fn streams(gpu: &Gpu) -> Done {
    in_threads(gpu, |thread| {
        let memory = gpu.alloc(16)?;
        (0..ROUNDS).try_for_each(|round| {
            let (one, other) = (gpu.stream(STREAM_NON_BLOCKING)?, gpu.stream(0)?);
            let event = gpu.event(EVENT_DISABLE_TIMING)?;
            cu!(gpu.cuMemsetD32Async(memory, 1, 4, one)).ok()?;
            cu!(gpu.cuEventRecord(event, one)).ok()?;
            cu!(gpu.cuStreamWaitEvent(other, event, 0)).ok()?;
            // The waits for the event, and the work in the stream, outlive both.
            cu!(gpu.cuEventDestroy_v2(event)).ok()?;
            cu!(gpu.cuStreamDestroy_v2(one)).ok()?;
            fill_and_read(gpu, other, memory, 1000 * thread + round)?;
            Ok(cu!(gpu.cuStreamDestroy_v2(other)).ok()?)
        })
    })
}

fn contexts(gpu: &Gpu) -> Done {
    // A GPU takes a third of a second to create and destroy a context.
    const CONTEXTS: u32 = 4;
    in_threads(gpu, |thread| {
        (0..CONTEXTS).try_for_each(|round| {
            let (mut context, mut ended) = (CUcontext::NULL, CUcontext::NULL);
            cu!(gpu.cuCtxCreate_v2(&mut context, 0, 0)).ok()?;
            let (memory, stream) = (gpu.alloc(16)?, gpu.stream(0)?);
            let event = gpu.event(0)?;
            fill_and_read(gpu, stream, memory, 1000 * thread + round)?;
            cu!(gpu.cuEventRecord(event, stream)).ok()?;
            cu!(gpu.cuEventSynchronize(event)).ok()?;
            // Memory that is freed while work may use it is unmapped later.
            cu!(gpu.cuMemsetD32Async(memory, 7, 4, stream)).ok()?;
            cu!(gpu.cuMemFree_v2(memory)).ok()?;
            cu!(gpu.cuCtxPopCurrent_v2(&mut ended)).ok()?;
            Ok(cu!(gpu.cuCtxDestroy_v2(context)).ok()?)
        })
    })
}

fn memory_pools(gpu: &Gpu) -> Done {
    if gpu.attribute(MEMORY_POOLS_SUPPORTED)? == 0 {
        return Err(Outcome::Skipped("the device has no memory pools".into()));
    }
    in_threads(gpu, |thread| {
        let stream = gpu.stream(STREAM_NON_BLOCKING)?;
        // SAFETY: all-zero bytes are valid for a struct of numbers.
        let mut properties: CUmemPoolProps = unsafe { std::mem::zeroed() };
        properties.allocType = MEM_ALLOCATION_TYPE_PINNED;
        properties.location = CUmemLocation { type_: MEM_LOCATION_TYPE_DEVICE, id: 0 };
        (0..ROUNDS).try_for_each(|round| {
            let (mut pool, mut memory) = (CUmemoryPool::NULL, 0);
            cu!(gpu.cuMemPoolCreate(&mut pool, &properties)).ok()?;
            let bytes = 16 << (round % 18);
            cu!(gpu.cuMemAllocFromPoolAsync(&mut memory, bytes, pool, stream)).ok()?;
            fill_and_read(gpu, stream, memory, 1000 * thread + round)?;
            cu!(gpu.cuMemFreeAsync(memory, stream)).ok()?;
            Ok(cu!(gpu.cuMemPoolDestroy(pool)).ok()?)
        })
    })
}

/// The default streams of threads end with the threads, while another thread destroys the context.
fn default_streams(gpu: &Gpu) -> Done {
    const CONTEXTS: u32 = 8;
    for round in 0..CONTEXTS {
        let mut context = CUcontext::NULL;
        cu!(gpu.cuCtxCreate_v2(&mut context, 0, 0)).ok()?;
        let memory = gpu.alloc(16)?;
        cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
        let ready = std::sync::Barrier::new(THREADS as usize + 1);
        let ended = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|_| {
                    scope.spawn(|| {
                        let used = cu!(gpu.cuCtxSetCurrent(context)).ok().and_then(|()| {
                            cu!(gpu.cuMemsetD32Async(memory, round, 4, CUstream::PER_THREAD)).ok()
                        });
                        ready.wait();
                        used
                    })
                })
                .collect();
            ready.wait();
            let ended = cu!(gpu.cuCtxDestroy_v2(context)).ok();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or(Err(CUresult::UNKNOWN)))
                .fold(ended, Result::and)
        });
        ended?;
        same("another context", gpu.synchronize(), CUresult::SUCCESS)?;
    }
    Ok(())
}
