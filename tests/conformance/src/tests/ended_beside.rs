//! Objects that one thread ends while other threads use them, or their like. Only a call that names
//! an object that has ended may fail. Nothing that was freed remains counted.

use super::Test;
use crate::gpu::{Done, Gpu, cu, fail, same};
use outhaul_abi::types::values::*;
use outhaul_abi::types::*;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

pub const TESTS: &[Test] = &[
    ("beside/managed_memory_freed_while_others_wait", managed_freed),
    ("beside/physical_memory_released_while_mapped", physical_released),
    ("beside/pooled_memory_freed_twice", pooled_freed_twice),
    ("beside/pooled_memory_freed_in_both_ways", pooled_freed_in_both_ways),
    ("beside/library_unloaded_while_looked_up", library_unloaded),
    ("beside/context_that_was_reset", context_reset),
];

const ROUNDS: usize = 60;
const MANAGED_MEMORY: i32 = 83;
const VIRTUAL_MEMORY_SUPPORTED: i32 = 102;
const MEMORY_POOLS_SUPPORTED: i32 = 115;
const POOL_USED_MEM_CURRENT: i32 = 7;

/// Runs `body` in threads that begin at the same time, each with its number.
fn threads(gpu: &Gpu, number: u32, body: impl Fn(u32) -> Done + Sync) -> Done {
    let begin = Barrier::new(number as usize);
    std::thread::scope(|scope| {
        let hands: Vec<_> = (0..number)
            .map(|i| {
                let (begin, body) = (&begin, &body);
                scope.spawn(move || {
                    let current = cu!(gpu.cuCtxSetCurrent(gpu.context)).ok();
                    begin.wait();
                    current?;
                    body(i)
                })
            })
            .collect();
        hands.into_iter().try_for_each(|hand| match hand.join() {
            Ok(done) => done,
            Err(_) => fail("a thread panicked"),
        })
    })
}

/// A thread's wait must not look into managed memory that another thread frees meanwhile.
fn managed_freed(gpu: &Gpu) -> Done {
    if gpu.attribute(MANAGED_MEMORY)? == 0 {
        return Ok(());
    }
    let fill = gpu.function(gpu.module()?, "fill")?;
    threads(gpu, 3, |i| {
        let stream = gpu.stream(STREAM_NON_BLOCKING)?;
        for round in 0..ROUNDS as u32 {
            let mut memory = 0;
            if i == 0 {
                cu!(gpu.cuMemAllocManaged(&mut memory, 8192, MEM_ATTACH_GLOBAL)).ok()?;
            } else {
                memory = gpu.alloc(8192)?;
            }
            gpu.launch(fill, (1, 64), stream, memory, &[16, round]).ok()?;
            cu!(gpu.cuStreamSynchronize(stream)).ok()?;
            if i > 0 {
                let expected: Vec<u32> = (round..round + 16).collect();
                same("what the kernel wrote", gpu.read(memory, 16)?, expected)?;
            }
            cu!(gpu.cuMemFree_v2(memory)).ok()?;
        }
        Ok(cu!(gpu.cuStreamDestroy_v2(stream)).ok()?)
    })
}

fn pinned_on_device() -> CUmemAllocationProp {
    // SAFETY: zeros are valid values of all members.
    let mut properties: CUmemAllocationProp = unsafe { std::mem::zeroed() };
    properties.type_ = MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type_ = MEM_LOCATION_TYPE_DEVICE;
    properties
}

/// Memory is freed once, whether the release or the last unmap comes last.
fn physical_released(gpu: &Gpu) -> Done {
    if gpu.attribute(VIRTUAL_MEMORY_SUPPORTED)? == 0 {
        return Ok(());
    }
    let properties = pinned_on_device();
    let (mut page, mut address) = (0, 0);
    cu!(gpu.cuMemGetAllocationGranularity(&mut page, &properties, 0)).ok()?;
    cu!(gpu.cuMemAddressReserve(&mut address, page, 0, 0, 0)).ok()?;
    let (shown, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    threads(gpu, 2, |i| {
        if i == 0 {
            let result = (0..20 * ROUNDS).try_for_each(|_| {
                let (properties, mut memory) = (pinned_on_device(), 0);
                cu!(gpu.cuMemCreate(&mut memory, page, &properties, 0)).ok()?;
                shown.store(memory, SeqCst);
                cu!(gpu.cuMemRelease(memory)).ok()
            });
            is_over.store(true, SeqCst);
            return Ok(result?);
        }
        while !is_over.load(SeqCst) {
            match cu!(gpu.cuMemMap(address, page, 0, shown.load(SeqCst), 0)) {
                CUresult::SUCCESS => cu!(gpu.cuMemUnmap(address, page)).ok()?,
                code => same("memory that has ended", code, CUresult::INVALID_VALUE)?,
            }
        }
        Ok(())
    })?;
    cu!(gpu.cuMemAddressFree(address, page)).ok()?;
    gpu.synchronize().ok()?;
    let memory = gpu.alloc(64)?;
    gpu.write(memory, &[1, 2, 3])?;
    same("other memory", gpu.read(memory, 3)?, vec![1, 2, 3])
}

/// Of two frees of one block, one at most succeeds, and the pool counts it once.
fn pooled_freed_twice(gpu: &Gpu) -> Done {
    if gpu.attribute(MEMORY_POOLS_SUPPORTED)? == 0 {
        return Ok(());
    }
    let (stream, shown) = (gpu.stream(STREAM_NON_BLOCKING)?, AtomicU64::new(0));
    let is_over = AtomicBool::new(false);
    threads(gpu, 3, |i| {
        if i > 0 {
            while !is_over.load(SeqCst) {
                cu!(gpu.cuMemFreeAsync(shown.load(SeqCst), stream));
            }
            return Ok(());
        }
        let result = (0..20 * ROUNDS).try_for_each(|_| {
            let mut block = 0;
            cu!(gpu.cuMemAllocAsync(&mut block, 4096, stream)).ok()?;
            shown.store(block, SeqCst);
            cu!(gpu.cuMemFreeAsync(block, stream));
            Ok(())
        });
        is_over.store(true, SeqCst);
        result
    })?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    let (mut pool, mut used) = (CUmemoryPool::NULL, 0u64);
    cu!(gpu.cuDeviceGetDefaultMemPool(&mut pool, 0)).ok()?;
    cu!(gpu.cuMemPoolGetAttribute(
        pool,
        POOL_USED_MEM_CURRENT,
        std::ptr::from_mut(&mut used).cast()
    ))
    .ok()?;
    same("bytes in use", used, 0)
}

/// Memory that was freed in stream order cannot be freed again, and its pool hands it out again.
fn pooled_freed_in_both_ways(gpu: &Gpu) -> Done {
    if gpu.attribute(MEMORY_POOLS_SUPPORTED)? == 0 {
        return Ok(());
    }
    let (mut first, mut pooled) = (0, 0);
    cu!(gpu.cuMemAllocAsync(&mut first, 1 << 20, CUstream::NULL)).ok()?;
    cu!(gpu.cuMemFreeAsync(first, CUstream::NULL)).ok()?;
    same("a second free", cu!(gpu.cuMemFree_v2(first)), CUresult::INVALID_VALUE)?;
    cu!(gpu.cuMemAllocAsync(&mut pooled, 1 << 20, CUstream::NULL)).ok()?;
    let plain = gpu.alloc(1 << 20)?;
    gpu.write(pooled, &[1; 100])?;
    gpu.write(plain, &[2; 100])?;
    same("memory of the pool", gpu.read(pooled, 100)?, vec![1; 100])?;
    same("other memory", gpu.read(plain, 100)?, vec![2; 100])?;
    cu!(gpu.cuMemFree_v2(pooled)).ok()?;
    same("a third free", cu!(gpu.cuMemFreeAsync(pooled, CUstream::NULL)), CUresult::INVALID_VALUE)
}

/// A thread may look up a library's kernel just before another thread unloads the library.
fn library_unloaded(gpu: &Gpu) -> Done {
    let text = std::ffi::CString::new(crate::kernels::MODULE).expect("PTX holds no NUL");
    let (shown, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    threads(gpu, 3, |i| {
        if i > 0 {
            while !is_over.load(SeqCst) {
                let (mut kernel, mut function) = (CUkernel::NULL, CUfunction::NULL);
                let library = CUlibrary(shown.load(SeqCst) as usize);
                if cu!(gpu.cuLibraryGetKernel(&mut kernel, library, c"fill".as_ptr()))
                    == CUresult::SUCCESS
                {
                    cu!(gpu.cuKernelGetFunction(&mut function, kernel));
                }
            }
            return Ok(());
        }
        let result = (0..ROUNDS).try_for_each(|_| {
            let mut library = CUlibrary::NULL;
            let none = std::ptr::null_mut();
            let (no_options, no_values) = (none, std::ptr::null_mut());
            cu!(gpu.cuLibraryLoadData(
                &mut library,
                text.as_ptr().cast(),
                no_options,
                no_values,
                0,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                0
            ));
            shown.store(library.0 as u64, SeqCst);
            std::thread::yield_now();
            cu!(gpu.cuLibraryUnload(library));
            Ok(())
        });
        is_over.store(true, SeqCst);
        result
    })?;
    // Errors of the calls above may arrive only now, each in a call of its own.
    (0..100 * ROUNDS).find(|_| gpu.synchronize() == CUresult::SUCCESS);
    let memory = gpu.alloc(64)?;
    gpu.write(memory, &[1, 2, 3])?;
    same("other memory", gpu.read(memory, 3)?, vec![1, 2, 3])
}

/// Calls fail at once in a context that was reset, and do not disturb the next context.
fn context_reset(gpu: &Gpu) -> Done {
    let mut graph = CUgraph::NULL;
    let mut exec = CUgraphExec::NULL;
    cu!(gpu.cuGraphCreate(&mut graph, 0)).ok()?;
    cu!(gpu.cuGraphInstantiateWithFlags(&mut exec, graph, 0)).ok()?;
    cu!(gpu.cuDevicePrimaryCtxReset_v2(0)).ok()?;
    let (mut stream, mut event, mut memory) = (CUstream::NULL, CUevent::NULL, 0);
    let found = [
        cu!(gpu.cuStreamCreate(&mut stream, 0)),
        cu!(gpu.cuEventCreate(&mut event, 0)),
        cu!(gpu.cuMemAlloc_v2(&mut memory, 64)),
        cu!(gpu.cuGraphLaunch(exec, CUstream::NULL)),
        cu!(gpu.cuStreamQuery(CUstream::PER_THREAD)),
        cu!(gpu.cuCtxSynchronize()),
    ];
    let mut context = CUcontext::NULL;
    cu!(gpu.cuDevicePrimaryCtxRetain(&mut context, 0)).ok()?;
    cu!(gpu.cuCtxSetCurrent(context)).ok()?;
    let fill = gpu.function(gpu.module()?, "fill")?;
    let memory = gpu.alloc(64)?;
    gpu.launch(fill, (1, 64), CUstream::NULL, memory, &[16, 9]).ok()?;
    same("what a kernel wrote", gpu.read(memory, 16)?, (9..25).collect())?;
    same("calls in a context that was reset", found, [CUresult::CONTEXT_IS_DESTROYED; 6])
}
