//! Order of work: streams, events, host functions, and threads.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, same};
use outhaul_abi::types::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};

pub const TESTS: &[Test] = &[
    ("stream/order_within", order),
    ("stream/legacy_waits_for_all", legacy),
    ("stream/a_free_stands_in_the_legacy_stream", legacy_free),
    ("stream/waits_across", across),
    ("stream/events_in_time", timing),
    ("stream/queries", queries),
    ("stream/host_functions_in_order", host_functions),
    ("stream/host_functions_see_the_data", host_data),
    ("stream/destroyed_with_work", destroyed),
    ("stream/what_a_stream_is", describe),
    ("stream/garbage_handles", garbage),
    ("stream/batched_memory_operations", batched),
    ("stream/many_threads", threads),
    ("stream/synchronised_by_others_too", beside_others),
    ("stream/an_event_recorded_anew_while_another_thread_waits", recorded_anew),
    ("stream/an_event_recorded_elsewhere_while_a_thread_waits", recorded_elsewhere),
    ("stream/an_event_answers_while_another_thread_records_it", answers_while_recorded),
];

fn order(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let module = gpu.module()?;
    let (fill, add) = (gpu.function(module, "fill")?, gpu.function(module, "add")?);
    let memory = gpu.alloc(1024)?;
    gpu.launch(fill, (1, 256), stream, memory, &[256, 0]).ok()?;
    for _ in 0..500 {
        gpu.launch(add, (1, 256), stream, memory, &[256, 1]).ok()?;
    }
    // SAFETY: the call only waits.
    unsafe { gpu.driver.cuStreamSynchronize(stream) }.ok()?;
    same("all of them", gpu.read(memory, 256)?, (500..756).collect())
}

fn legacy(gpu: &Gpu) -> Done {
    let stream = gpu.stream(0)?;
    let module = gpu.module()?;
    let memory = gpu.alloc(4)?;
    gpu.write(memory, &[0])?;
    gpu.launch(gpu.function(module, "spin")?, (1, 1), stream, memory, &[300_000]).ok()?;
    // The copy runs in the legacy stream, which waits for blocking streams.
    same("after the other stream", gpu.read(memory, 1)?, vec![300_000])
}

fn legacy_free(gpu: &Gpu) -> Done {
    let (a, b) = (gpu.stream(0)?, gpu.stream(0)?);
    let spin = gpu.function(gpu.module()?, "spin")?;
    let (memory, seen) = (gpu.alloc(4)?, gpu.alloc(4)?);
    for _ in 0..5 {
        let mut other = 0;
        cu!(gpu.cuMemAllocAsync(&mut other, 4096, CUstream::NULL)).ok()?;
        gpu.write(memory, &[0])?;
        gpu.launch(spin, (1, 1), a, memory, &[300_000]).ok()?;
        cu!(gpu.cuMemFreeAsync(other, CUstream::NULL)).ok()?;
        cu!(gpu.cuMemcpyDtoDAsync_v2(seen, memory, 4, b)).ok()?;
        same("after the free", gpu.read(seen, 1)?, vec![300_000])?;
    }
    Ok(())
}

fn across(gpu: &Gpu) -> Done {
    let (a, b) =
        (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let module = gpu.module()?;
    let (spin, add) = (gpu.function(module, "spin")?, gpu.function(module, "add")?);
    let memory = gpu.alloc(4)?;
    let event = gpu.event(values::EVENT_DISABLE_TIMING)?;
    gpu.write(memory, &[0])?;
    gpu.launch(spin, (1, 1), a, memory, &[300_000]).ok()?;
    // SAFETY: all handles are live.
    unsafe {
        gpu.driver.cuEventRecord(event, a).ok()?;
        gpu.driver.cuStreamWaitEvent(b, event, 0).ok()?;
    }
    gpu.launch(add, (1, 1), b, memory, &[1, 5]).ok()?;
    // SAFETY: the call only waits.
    unsafe { gpu.driver.cuStreamSynchronize(b) }.ok()?;
    same("after the event", gpu.read(memory, 1)?, vec![300_005])
}

fn timing(gpu: &Gpu) -> Done {
    let (start, end, plain) =
        (gpu.event(0)?, gpu.event(0)?, gpu.event(values::EVENT_DISABLE_TIMING)?);
    let module = gpu.module()?;
    let memory = gpu.alloc(4)?;
    let mut ms = -1.0;
    // SAFETY: all handles are live, and the out-pointer refers to a local.
    unsafe {
        same(
            "before any record",
            gpu.driver.cuEventElapsedTime(&mut ms, start, end),
            CUresult::INVALID_HANDLE,
        )?;
        gpu.driver.cuEventRecord(start, CUstream::NULL).ok()?;
        gpu.launch(gpu.function(module, "spin")?, (1, 1), CUstream::NULL, memory, &[100_000])
            .ok()?;
        gpu.driver.cuEventRecord(end, CUstream::NULL).ok()?;
        gpu.driver.cuEventRecord(plain, CUstream::NULL).ok()?;
        gpu.driver.cuEventSynchronize(end).ok()?;
        gpu.driver.cuEventElapsedTime(&mut ms, start, end).ok()?;
        same("a plausible time", ms > 0.0 && ms < 10_000.0, true)?;
        same(
            "without timing",
            gpu.driver.cuEventElapsedTime(&mut ms, start, plain),
            CUresult::INVALID_HANDLE,
        )
    }
}

/// Waits until the word is set. The test submits this host function.
unsafe extern "C" fn wait_until_set(word: *mut c_void) {
    // SAFETY: the test waits for this function before it leaves.
    let word = unsafe { &*word.cast::<AtomicBool>() };
    while !word.load(SeqCst) {
        std::thread::sleep(Duration::from_micros(50));
    }
}

fn queries(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let event = gpu.event(0)?;
    let may_end = AtomicBool::new(false);
    // SAFETY: all handles are live, and the word lives until the stream is done.
    unsafe {
        same("an event never recorded", gpu.driver.cuEventQuery(event), CUresult::SUCCESS)?;
        same("an empty stream", gpu.driver.cuStreamQuery(stream), CUresult::SUCCESS)?;
        let word = (&raw const may_end).cast_mut().cast();
        gpu.driver.cuLaunchHostFunc(stream, Some(wait_until_set), word).ok()?;
        gpu.driver.cuEventRecord(event, stream).ok()?;
        let found = [gpu.driver.cuStreamQuery(stream), gpu.driver.cuEventQuery(event)];
        may_end.store(true, SeqCst);
        gpu.driver.cuEventSynchronize(event).ok()?;
        same("a stream at work", found[0], CUresult::NOT_READY)?;
        same("an event to come", found[1], CUresult::NOT_READY)?;
        same("an event that came", gpu.driver.cuEventQuery(event), CUresult::SUCCESS)?;
        same("a stream at rest", gpu.driver.cuStreamQuery(stream), CUresult::SUCCESS)
    }
}

static TURN: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn take_turn(expected: *mut c_void) {
    let _ = TURN.compare_exchange(expected as u32, expected as u32 + 1, SeqCst, SeqCst);
}

fn host_functions(gpu: &Gpu) -> Done {
    let stream = gpu.stream(0)?;
    for i in 0..50usize {
        // SAFETY: the host function takes a number in place of a pointer.
        unsafe { gpu.driver.cuLaunchHostFunc(stream, Some(take_turn), i as *mut c_void) }.ok()?;
    }
    // SAFETY: the call only waits.
    unsafe { gpu.driver.cuStreamSynchronize(stream) }.ok()?;
    same("turns", TURN.load(SeqCst), 50)
}

static SEEN: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn read_and_write(words: *mut c_void) {
    let words = words.cast::<u32>();
    // SAFETY: the test passes 1024 words that are valid for writes, and no other code accesses them
    // now.
    unsafe {
        SEEN.store(words.add(1023).read(), SeqCst);
        words.write(4711);
    }
}

fn host_data(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let module = gpu.module()?;
    let memory = gpu.alloc(4096)?;
    let mut host: *mut c_void = std::ptr::null_mut();
    // SAFETY: the pinned memory has 4096 bytes and lives until the synchronisation.
    unsafe {
        gpu.driver.cuMemHostAlloc(&mut host, 4096, 0).ok()?;
        gpu.launch(gpu.function(module, "fill")?, (4, 256), stream, memory, &[1024, 1000]).ok()?;
        gpu.driver.cuMemcpyDtoHAsync_v2(host, memory, 4096, stream).ok()?;
        gpu.driver.cuLaunchHostFunc(stream, Some(read_and_write), host).ok()?;
        gpu.driver.cuMemcpyHtoDAsync_v2(memory, host, 4096, stream).ok()?;
        gpu.driver.cuStreamSynchronize(stream).ok()?;
    }
    same("what the function saw", SEEN.load(SeqCst), 2023)?;
    same("what it wrote", gpu.read(memory, 2)?, vec![4711, 1001])
}

fn destroyed(gpu: &Gpu) -> Done {
    let stream = gpu.stream(0)?;
    let module = gpu.module()?;
    let memory = gpu.alloc(4)?;
    gpu.write(memory, &[0])?;
    gpu.launch(gpu.function(module, "spin")?, (1, 1), stream, memory, &[300_000]).ok()?;
    // SAFETY: the stream's work continues to its end.
    unsafe { gpu.driver.cuStreamDestroy_v2(stream) }.ok()?;
    same("the context waits", gpu.synchronize(), CUresult::SUCCESS)?;
    same("the work was done", gpu.read(memory, 1)?, vec![300_000])
}

fn describe(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let (mut flags, mut context, mut a, mut b, mut capturing) = (9, CUcontext::NULL, 0, 0, 9);
    // SAFETY: all out-pointers refer to locals.
    unsafe {
        gpu.driver.cuStreamGetFlags(stream, &mut flags).ok()?;
        gpu.driver.cuStreamGetCtx(stream, &mut context).ok()?;
        gpu.driver.cuStreamGetId(stream, &mut a).ok()?;
        gpu.driver.cuStreamGetId(gpu.stream(0)?, &mut b).ok()?;
        gpu.driver.cuStreamIsCapturing(stream, &mut capturing).ok()?;
    }
    same("flags", flags, values::STREAM_NON_BLOCKING)?;
    same("context", context, gpu.context)?;
    same("ids are equal", a == b, false)?;
    same("capturing", capturing, 0)
}

fn garbage(gpu: &Gpu) -> Done {
    let mut out = CUevent::NULL;
    // SAFETY: the driver checks these handles.
    unsafe {
        same(
            "flags that do not exist",
            gpu.driver.cuEventCreate(&mut out, 0x8000),
            CUresult::INVALID_VALUE,
        )?;
        same(
            "a place that does not exist",
            gpu.driver.cuEventCreate(std::ptr::null_mut(), 0),
            CUresult::INVALID_VALUE,
        )?;
        same(
            "a null event",
            gpu.driver.cuEventRecord(CUevent::NULL, CUstream::NULL),
            CUresult::INVALID_HANDLE,
        )
    }
}

fn threads(gpu: &Gpu) -> Done {
    let module = gpu.module()?;
    let (fill, add) = (gpu.function(module, "fill")?, gpu.function(module, "add")?);
    let work = |value: u32| -> Done {
        // SAFETY: the context is live.
        unsafe { gpu.driver.cuCtxSetCurrent(gpu.context) }.ok()?;
        let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
        for round in 0..20 {
            let memory = gpu.alloc(40_000)?;
            gpu.launch(fill, (40, 256), stream, memory, &[10_000, value]).ok()?;
            gpu.launch(add, (40, 256), stream, memory, &[10_000, round]).ok()?;
            let mut back = vec![0u32; 10_000];
            // SAFETY: the vector is valid for writes, and the test reads it after the
            // synchronisation.
            unsafe {
                gpu.driver
                    .cuMemcpyDtoHAsync_v2(back.as_mut_ptr().cast(), memory, 40_000, stream)
                    .ok()?;
                gpu.driver.cuStreamSynchronize(stream).ok()?;
                gpu.driver.cuMemFree_v2(memory).ok()?;
            }
            same("a round", back.iter().zip(value + round..).all(|(a, b)| *a == b), true)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|i| scope.spawn(move || work(i * 1000))).collect();
        threads
            .into_iter()
            .try_for_each(|t| t.join().unwrap_or_else(|_| crate::gpu::fail("a thread panicked")))
    })
}

/// A wait covers all work that its own thread submitted, even if other threads learn of earlier
/// progress from their own waits.
fn beside_others(gpu: &Gpu) -> Done {
    const ROUNDS: u32 = 400;
    // If other processes also need the CPUs, each handover between the four threads takes as long
    // as a time slice.
    const LONG_ENOUGH: Duration = Duration::from_secs(5);
    const WORDS: usize = 10_000;
    let start = Instant::now();
    let fill = gpu.function(gpu.module()?, "fill")?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let other = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let (memory, host) = (gpu.alloc(WORDS * 4)?, gpu.pinned(WORDS)?);
    let over = AtomicU32::new(0);
    // Submits many small commands during the waits, so that the threads disturb each other.
    let wait = |on_stream: bool| {
        cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
        let (own, event) =
            (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.event(values::EVENT_DISABLE_TIMING)?);
        while over.load(SeqCst) == 0 {
            (0..50).try_for_each(|_| cu!(gpu.cuEventRecord(event, own)).ok())?;
            if on_stream { cu!(gpu.cuStreamSynchronize(stream)) } else { gpu.synchronize() }
                .ok()?;
        }
        Ok(())
    };
    let mut give = || -> Done {
        for round in (0..ROUNDS).take_while(|_| start.elapsed() < LONG_ENOUGH) {
            gpu.launch(fill, (40, 256), stream, memory, &[WORDS as u32, round]).ok()?;
            if round % 2 == 0 {
                cu!(gpu.cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), memory, WORDS * 4, stream))
                    .ok()?;
                cu!(gpu.cuStreamSynchronize(stream)).ok()?;
            } else {
                // Makes a copy in another stream, which depends only on that wait.
                cu!(gpu.cuStreamSynchronize(stream)).ok()?;
                cu!(gpu.cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), memory, WORDS * 4, other))
                    .ok()?;
                cu!(gpu.cuStreamSynchronize(other)).ok()?;
            }
            // SAFETY: the reference is valid. The read is volatile because the device writes the
            // memory.
            let last = unsafe { std::ptr::read_volatile(&host[WORDS - 1]) };
            same("the last word of a round", last, round + WORDS as u32 - 1)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = [false, true, false]
            .into_iter()
            .map(|on_stream| scope.spawn(move || wait(on_stream)))
            .collect();
        let result = give();
        over.store(1, SeqCst);
        let others = others
            .into_iter()
            .try_for_each(|t| t.join().unwrap_or_else(|_| crate::gpu::fail("a thread panicked")));
        result.and(others)
    })
}

fn memory_operation(operation: u64, address: CUdeviceptr, value: u64) -> CUstreamBatchMemOpParams {
    CUstreamBatchMemOpParams { words: [operation, address, value, 0, 0, 0] }
}

/// One batched call writes and waits, and another stream ends the wait.
fn batched(gpu: &Gpu) -> Done {
    const SUPPORTED_64: i32 = 122;
    const WAIT_32: u64 = 1;
    const WRITE_32: u64 = 2;
    const WRITE_64: u64 = 5;
    if gpu.attribute(SUPPORTED_64)? == 0 {
        return Err(Outcome::Skipped("streams have no memory operations of 64 bits".into()));
    }
    let (memory, held, other) = (
        gpu.alloc(64)?,
        gpu.stream(values::STREAM_NON_BLOCKING)?,
        gpu.stream(values::STREAM_NON_BLOCKING)?,
    );
    gpu.write(memory, &[0; 16])?;
    gpu.synchronize().ok()?;
    let mut batch = [
        memory_operation(WRITE_32, memory + 4, 11),
        memory_operation(WAIT_32, memory, 3),
        memory_operation(WRITE_64, memory + 8, 0x0000_0022_0000_0021),
    ];
    cu!(gpu.cuStreamBatchMemOp_v2(held, 3, batch.as_mut_ptr(), 0)).ok()?;
    same("held up", cu!(gpu.cuStreamQuery(held)), CUresult::NOT_READY)?;
    let mut go = [memory_operation(WRITE_32, memory, 3)];
    cu!(gpu.cuStreamBatchMemOp_v2(other, 1, go.as_mut_ptr(), 0)).ok()?;
    cu!(gpu.cuStreamSynchronize(held)).ok()?;
    same("the words", gpu.read(memory, 4)?, vec![3, 11, 0x21, 0x22])?;
    let mut many: Vec<_> =
        (0..16).map(|i| memory_operation(WRITE_32, memory + 4 * i, 100 + i)).collect();
    cu!(gpu.cuStreamBatchMemOp_v2(held, 16, many.as_mut_ptr(), 0)).ok()?;
    cu!(gpu.cuStreamSynchronize(held)).ok()?;
    same("all of a longer batch", gpu.read(memory, 16)?, (100..116).collect())
}

/// A thread that waits for an event's previous record does not shorten another thread's wait.
fn recorded_anew(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let event = gpu.event(values::EVENT_DISABLE_TIMING)?;
    let spin = gpu.function(gpu.module()?, "spin")?;
    let memory = gpu.alloc(4)?;
    let result = gpu.pinned(1)?.as_mut_ptr();
    let mut context = CUcontext::NULL;
    cu!(gpu.cuCtxGetCurrent(&mut context)).ok()?;
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let others = [(); 6].map(|()| {
            scope.spawn(|| {
                cu!(gpu.cuCtxSetCurrent(context)).ok()?;
                while !over.load(SeqCst) {
                    cu!(gpu.cuEventSynchronize(event)).ok()?;
                }
                Ok::<(), CUresult>(())
            })
        });
        let recorded = (1..400).try_for_each(|round| {
            cu!(gpu.cuMemsetD32Async(memory, 0, 1, stream)).ok()?;
            gpu.launch(spin, (1, 1), stream, memory, &[10 * round]).ok()?;
            cu!(gpu.cuMemcpyDtoHAsync_v2(result.cast(), memory, 4, stream)).ok()?;
            cu!(gpu.cuEventRecord(event, stream)).ok()?;
            cu!(gpu.cuEventSynchronize(event)).ok()?;
            // SAFETY: the pinned memory has one word, and no copy to it is in flight.
            same("what the kernel counted", unsafe { result.read_volatile() }, 10 * round)
        });
        over.store(true, SeqCst);
        let waits = others
            .into_iter()
            .map(|other| other.join().unwrap_or(Err(CUresult::UNKNOWN)).map_err(Outcome::from));
        waits.fold(recorded, Done::and)
    })
}

/// A wait for an event ends because the event is recorded again in an idle stream. This does not
/// prove that the first stream is done.
fn recorded_elsewhere(gpu: &Gpu) -> Done {
    const COUNT: u32 = 300_000;
    let (busy, idle) =
        (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let event = gpu.event(values::EVENT_DISABLE_TIMING)?;
    let spin = gpu.function(gpu.module()?, "spin")?;
    let memory = gpu.alloc(4)?;
    let result = gpu.pinned(1)?.as_mut_ptr();
    for _ in 0..40 {
        gpu.write(memory, &[0])?;
        // SAFETY: the pinned memory has one word, and no copy to it is in flight.
        unsafe { result.write_volatile(0) };
        gpu.launch(spin, (1, 1), busy, memory, &[COUNT]).ok()?;
        cu!(gpu.cuMemcpyDtoHAsync_v2(result.cast(), memory, 4, busy)).ok()?;
        cu!(gpu.cuEventRecord(event, busy)).ok()?;
        std::thread::scope(|scope| {
            let anew = scope.spawn(|| match cu!(gpu.cuCtxSetCurrent(gpu.context)) {
                CUresult::SUCCESS => cu!(gpu.cuEventRecord(event, idle)),
                other => other,
            });
            cu!(gpu.cuEventSynchronize(event)).ok()?;
            cu!(gpu.cuStreamSynchronize(busy)).ok()?;
            // SAFETY: as above.
            same("what the kernel counted", unsafe { result.read_volatile() }, COUNT)?;
            Ok::<(), Outcome>(anew.join().unwrap_or(CUresult::UNKNOWN).ok()?)
        })?;
    }
    Ok(())
}

/// A graph uses pinned memory that the device can access only later, and waits for this thread.
/// Another thread's work may have to wait for the graph, although a query of the work's event must
/// return.
fn answers_while_recorded(gpu: &Gpu) -> Done {
    let (graphs, other) =
        (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let (event, memory) = (gpu.event(values::EVENT_DISABLE_TIMING)?, gpu.alloc(64)?);
    let pinned: *mut c_void = gpu.pinned(16)?.as_mut_ptr().cast();
    let (may_end, records) = (AtomicBool::new(false), AtomicBool::new(false));
    let word: *mut c_void = (&raw const may_end).cast_mut().cast();
    gpu.begin_capture(graphs)?;
    cu!(gpu.cuLaunchHostFunc(graphs, Some(wait_until_set), word)).ok()?;
    cu!(gpu.cuMemcpyHtoDAsync_v2(memory, pinned, 64, graphs)).ok()?;
    let exec = gpu.instantiate(gpu.end_capture(graphs)?)?;
    let mut reached = 0;
    cu!(gpu.cuMemHostGetDevicePointer_v2(&mut reached, pinned, 0)).ok()?;
    cu!(gpu.cuEventRecord(event, other)).ok()?;
    cu!(gpu.cuStreamSynchronize(other)).ok()?;
    cu!(gpu.cuGraphLaunch(exec, graphs)).ok()?;
    let record = || {
        cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
        records.store(true, SeqCst);
        cu!(gpu.cuEventRecord(event, other)).ok()
    };
    let asked = std::thread::scope(|scope| {
        let recording = scope.spawn(record);
        while !records.load(SeqCst) {
            std::thread::yield_now();
        }
        let asked = (0..1000).try_for_each(|_| {
            std::thread::yield_now();
            match cu!(gpu.cuEventQuery(event)) {
                CUresult::NOT_READY => Ok(()),
                answer => answer.ok(),
            }
        });
        may_end.store(true, SeqCst);
        recording.join().unwrap_or(Err(CUresult::UNKNOWN)).and(asked)
    });
    asked?;
    Ok(cu!(gpu.cuStreamSynchronize(graphs)).ok()?)
}
