//! Freed memory must not be reused before the device has done the work that was submitted before
//! the free. A wait for other work, in another thread or context, must not change that.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, same};
use outhaul_abi::types::values::*;
use outhaul_abi::types::*;
use std::ffi::c_void;
use std::time::{Duration, Instant};

pub const TESTS: &[Test] = &[
    ("reuse/freed_while_two_threads_wait", freed_while_two_wait),
    ("reuse/freed_into_a_pool_while_a_thread_waits", pooled_while_one_waits),
    ("reuse/freed_while_another_context_waits", freed_in_another_context),
    ("reuse/freed_into_a_pool_while_another_context_waits", pooled_in_another_context),
    ("reuse/a_pool_after_a_reset", pooled_before_a_reset),
    ("reuse/freed_into_a_pool_in_a_stream_whose_handle_comes_again", pooled_in_a_stream_of_old),
    ("reuse/of_a_context_that_ends", of_a_context_that_ends),
];

const BLOCK_WORDS: usize = 16;
const MEMORY_POOLS_SUPPORTED: i32 = 115;
const POOL_RELEASE_THRESHOLD: i32 = 4;
/// Number of blocks to allocate after a free. If the freed block is available, it is one of them.
const TAKEN: usize = 32;

/// Kernels that write to a block for as long as they run.
struct Writer<'a> {
    gpu: &'a Gpu,
    spin: CUfunction,
    turns_per_ms: f64,
}

impl<'a> Writer<'a> {
    fn new(gpu: &'a Gpu) -> Result<Writer<'a>, Outcome> {
        const TURNS: u32 = 100_000;
        let spin = gpu.function(gpu.module()?, "spin")?;
        let (memory, mut took) = (gpu.alloc(4)?, Duration::ZERO);
        // The first launch takes longer, because it loads the kernel.
        for _ in 0..2 {
            let start = Instant::now();
            gpu.launch(spin, (1, 1), CUstream::NULL, memory, &[TURNS]).ok()?;
            gpu.synchronize().ok()?;
            took = start.elapsed();
        }
        Ok(Writer { gpu, spin, turns_per_ms: f64::from(TURNS) / took.as_secs_f64() / 1000.0 })
    }

    fn write_for(&self, ms: u32, memory: CUdeviceptr, stream: CUstream) -> Done {
        let turns = (self.turns_per_ms * f64::from(ms)) as u32;
        Ok(self.gpu.launch(self.spin, (1, 1), stream, memory, &[turns]).ok()?)
    }
}

fn pause(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms));
}

/// Checks that blocks keep their data after `writing` has ended.
fn keep_what_they_hold(
    gpu: &Gpu,
    blocks: &[CUdeviceptr],
    stream: CUstream,
    writing: impl FnOnce() -> CUresult,
) -> Done {
    for block in blocks {
        cu!(gpu.cuMemsetD32Async(*block, 7, BLOCK_WORDS, stream)).ok()?;
    }
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    writing().ok()?;
    blocks.iter().try_for_each(|block| {
        same("a block taken after the free", gpu.read(*block, BLOCK_WORDS)?, vec![7; BLOCK_WORDS])
    })
}

fn take(gpu: &Gpu) -> Result<Vec<CUdeviceptr>, Outcome> {
    (0..TAKEN).map(|_| gpu.alloc(BLOCK_WORDS * 4)).collect()
}

/// Starts a thread that waits for the whole context.
fn waiting<'s>(
    scope: &'s std::thread::Scope<'s, '_>,
    gpu: &'s Gpu,
) -> std::thread::ScopedJoinHandle<'s, CUresult> {
    scope.spawn(move || match cu!(gpu.cuCtxSetCurrent(gpu.context)) {
        CUresult::SUCCESS => gpu.synchronize(),
        other => other,
    })
}

fn freed_while_two_wait(gpu: &Gpu) -> Done {
    let writer = Writer::new(gpu)?;
    let [slow, stream, writing] = [
        gpu.stream(STREAM_NON_BLOCKING)?,
        gpu.stream(STREAM_NON_BLOCKING)?,
        gpu.stream(STREAM_NON_BLOCKING)?,
    ];
    let counter = gpu.alloc(4)?;
    // Both threads may report this memory as free after they have waited.
    cu!(gpu.cuMemFree_v2(gpu.alloc(BLOCK_WORDS * 4)?)).ok()?;
    std::thread::scope(|scope| {
        writer.write_for(50, counter, slow)?;
        let first = waiting(scope, gpu);
        pause(20);
        writer.write_for(100, counter, slow)?;
        let second = waiting(scope, gpu);
        pause(10);
        first.join().unwrap_or(CUresult::UNKNOWN).ok()?;
        let freed = gpu.alloc(BLOCK_WORDS * 4)?;
        writer.write_for(300, freed, writing)?;
        cu!(gpu.cuMemFree_v2(freed)).ok()?;
        second.join().unwrap_or(CUresult::UNKNOWN).ok()?;
        keep_what_they_hold(gpu, &take(gpu)?, stream, || cu!(gpu.cuStreamSynchronize(writing)))
    })
}

/// Makes the device's pool keep freed memory.
fn keep_pool(gpu: &Gpu) -> Done {
    if gpu.attribute(MEMORY_POOLS_SUPPORTED)? == 0 {
        return Err(Outcome::Skipped("the device has no memory pools".into()));
    }
    let (mut pool, mut all) = (CUmemoryPool::NULL, u64::MAX);
    cu!(gpu.cuDeviceGetDefaultMemPool(&mut pool, 0)).ok()?;
    Ok(cu!(gpu.cuMemPoolSetAttribute(
        pool,
        POOL_RELEASE_THRESHOLD,
        (&raw mut all).cast::<c_void>()
    ))
    .ok()?)
}

fn take_from_pool(gpu: &Gpu, stream: CUstream) -> Result<Vec<CUdeviceptr>, Outcome> {
    let take = |_| {
        let mut block = 0;
        cu!(gpu.cuMemAllocAsync(&mut block, BLOCK_WORDS * 4, stream)).ok()?;
        Ok(block)
    };
    (0..TAKEN).map(take).collect()
}

fn pooled_while_one_waits(gpu: &Gpu) -> Done {
    keep_pool(gpu)?;
    let writer = Writer::new(gpu)?;
    let (stream, writing) = (gpu.stream(STREAM_NON_BLOCKING)?, gpu.stream(STREAM_NON_BLOCKING)?);
    let mut freed = 0;
    cu!(gpu.cuMemAllocAsync(&mut freed, BLOCK_WORDS * 4, writing)).ok()?;
    std::thread::scope(|scope| {
        writer.write_for(50, freed, writing)?;
        let wait = scope.spawn(|| match cu!(gpu.cuCtxSetCurrent(gpu.context)) {
            CUresult::SUCCESS => cu!(gpu.cuStreamSynchronize(writing)),
            other => other,
        });
        pause(20);
        writer.write_for(300, freed, writing)?;
        cu!(gpu.cuMemFreeAsync(freed, writing)).ok()?;
        wait.join().unwrap_or(CUresult::UNKNOWN).ok()?;
        keep_what_they_hold(gpu, &take_from_pool(gpu, stream)?, stream, || {
            cu!(gpu.cuStreamSynchronize(writing))
        })
    })
}

/// Creates another context on the device and makes it current.
fn another_context(gpu: &Gpu) -> Result<CUcontext, Outcome> {
    let mut other = CUcontext::NULL;
    cu!(gpu.cuCtxCreate_v2(&mut other, 0, 0)).ok()?;
    Ok(other)
}

fn freed_in_another_context(gpu: &Gpu) -> Done {
    let stream = gpu.stream(STREAM_NON_BLOCKING)?;
    let other = another_context(gpu)?;
    let writer = Writer::new(gpu)?;
    let freed = gpu.alloc(BLOCK_WORDS * 4)?;
    writer.write_for(300, freed, gpu.stream(STREAM_NON_BLOCKING)?)?;
    cu!(gpu.cuMemFree_v2(freed)).ok()?;
    cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
    gpu.synchronize().ok()?;
    let blocks = take(gpu)?;
    keep_what_they_hold(gpu, &blocks, stream, || {
        match cu!(gpu.cuCtxSetCurrent(other)) {
            CUresult::SUCCESS => gpu.synchronize(),
            failed => return failed,
        };
        cu!(gpu.cuCtxSetCurrent(gpu.context))
    })
}

fn pooled_in_another_context(gpu: &Gpu) -> Done {
    keep_pool(gpu)?;
    let stream = gpu.stream(STREAM_NON_BLOCKING)?;
    let other = another_context(gpu)?;
    let writer = Writer::new(gpu)?;
    let mut freed = 0;
    // Uses the legacy stream. Each context has its own.
    cu!(gpu.cuMemAllocAsync(&mut freed, BLOCK_WORDS * 4, CUstream::NULL)).ok()?;
    writer.write_for(300, freed, CUstream::NULL)?;
    cu!(gpu.cuMemFreeAsync(freed, CUstream::NULL)).ok()?;
    cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
    gpu.synchronize().ok()?;
    let mut blocks = take_from_pool(gpu, stream)?;
    blocks.extend(take_from_pool(gpu, CUstream::NULL)?);
    cu!(gpu.cuStreamSynchronize(CUstream::NULL)).ok()?;
    keep_what_they_hold(gpu, &blocks, stream, || {
        match cu!(gpu.cuCtxSetCurrent(other)) {
            CUresult::SUCCESS => gpu.synchronize(),
            failed => return failed,
        };
        cu!(gpu.cuCtxSetCurrent(gpu.context))
    })
}

/// A context's end frees memory that a pool keeps. The next context gets valid memory.
fn pooled_before_a_reset(gpu: &Gpu) -> Done {
    keep_pool(gpu)?;
    let kept = take_from_pool(gpu, CUstream::NULL)?;
    for block in kept {
        cu!(gpu.cuMemFreeAsync(block, CUstream::NULL)).ok()?;
    }
    gpu.synchronize().ok()?;
    let mut context = CUcontext::NULL;
    cu!(gpu.cuDevicePrimaryCtxReset_v2(0)).ok()?;
    cu!(gpu.cuDevicePrimaryCtxRetain(&mut context, 0)).ok()?;
    cu!(gpu.cuCtxSetCurrent(context)).ok()?;
    let stream = gpu.stream(STREAM_NON_BLOCKING)?;
    keep_what_they_hold(gpu, &take_from_pool(gpu, stream)?, stream, || CUresult::SUCCESS)
}

/// Uses more streams than the generation numbers in a handle distinguish.
fn pooled_in_a_stream_of_old(gpu: &Gpu) -> Done {
    const STREAMS: usize = 600;
    keep_pool(gpu)?;
    let writer = Writer::new(gpu)?;
    let (stream, old) = (gpu.stream(STREAM_NON_BLOCKING)?, gpu.stream(STREAM_NON_BLOCKING)?);
    let mut freed = 0;
    cu!(gpu.cuMemAllocAsync(&mut freed, BLOCK_WORDS * 4, old)).ok()?;
    writer.write_for(400, freed, old)?;
    cu!(gpu.cuMemFreeAsync(freed, old)).ok()?;
    let over = gpu.event(EVENT_DISABLE_TIMING)?;
    cu!(gpu.cuEventRecord(over, old)).ok()?;
    cu!(gpu.cuStreamDestroy_v2(old)).ok()?;
    let mut blocks = Vec::new();
    for _ in 0..STREAMS {
        let next = gpu.stream(STREAM_NON_BLOCKING)?;
        if next == old {
            blocks.extend(take_from_pool(gpu, next)?);
            cu!(gpu.cuStreamSynchronize(next)).ok()?;
        }
        cu!(gpu.cuStreamDestroy_v2(next)).ok()?;
    }
    keep_what_they_hold(gpu, &blocks, stream, || cu!(gpu.cuEventSynchronize(over)))
}

/// A context ends while its kernels write, and another context allocates memory at that moment.
fn of_a_context_that_ends(gpu: &Gpu) -> Done {
    let stream = gpu.stream(STREAM_NON_BLOCKING)?;
    // A GPU takes a while to create and destroy a context.
    let since = Instant::now();
    for _ in (0..20).take_while(|_| since.elapsed().as_secs() < 8) {
        let other = another_context(gpu)?;
        let writer = Writer::new(gpu)?;
        let written = take(gpu)?;
        let writing = gpu.stream(STREAM_NON_BLOCKING)?;
        for block in written {
            writer.write_for(1, block, writing)?;
        }
        cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
        std::thread::scope(|scope| {
            let end = scope.spawn(|| cu!(gpu.cuCtxDestroy_v2(other)));
            let blocks = (0..20).map(|_| take(gpu)).collect::<Result<Vec<_>, _>>()?.concat();
            let kept = keep_what_they_hold(gpu, &blocks, stream, || {
                end.join().unwrap_or(CUresult::UNKNOWN)
            });
            for block in blocks {
                cu!(gpu.cuMemFree_v2(block)).ok()?;
            }
            kept
        })?;
    }
    Ok(())
}
