//! Pinned memory that kernels access by its plain address, which they receive in many ways. Program
//! and kernel write the memory in turn, or concurrently while the kernel runs.

use super::Test;
use super::array::{FLOAT, create, shape};
use crate::gpu::{Done, Gpu, Outcome, cu, fail, same};
use crate::kernels::BESIDE;
use outhaul_abi::types::*;
use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicU32, Ordering::Acquire, Ordering::Release, Ordering::SeqCst};
use std::time::{Duration, Instant};

pub const TESTS: &[Test] = &[
    ("reach/a_kernel_fills_pinned_memory", filled),
    ("reach/a_kernel_waits_for_the_program", |gpu| each_memory(gpu, polled)),
    ("reach/the_program_sees_a_kernel_count", |gpu| each_memory(gpu, counted)),
    ("reach/an_address_in_device_memory", |gpu| each_memory(gpu, through_memory)),
    ("reach/an_address_inside_of_a_row", row),
    ("reach/an_address_in_other_pinned_memory", in_pinned_memory),
    ("reach/an_address_in_a_graphs_node", |gpu| each_memory(gpu, by_node)),
    ("reach/an_address_in_a_captured_launch", |gpu| each_memory(gpu, captured)),
    ("reach/values_of_streams", |gpu| each_memory(gpu, values_of_streams)),
    ("reach/items_for_a_kernel", |gpu| each_memory(gpu, consumed)),
    ("reach/items_from_a_kernel", |gpu| each_memory(gpu, produced)),
    ("reach/items_beside_much_memory", beside_much),
    ("reach/words_of_both_here_and_there_in_much_memory", here_and_there),
    ("reach/what_a_copy_has_yet_to_bring", brought),
    ("reach/what_a_copy_brings_while_another_thread_has_it_reached", brought_meanwhile),
    ("reach/registered_side_by_side", side_by_side),
    ("reach/what_a_graph_copies", by_graph),
    ("reach/behind_a_graphs_copies", behind_graphs),
    ("reach/two_threads_wait_for_one_kernel", together),
    ("reach/freed_and_allocated_again", again),
    ("reach/freed_before_the_kernel_has_run", freed_at_once),
    ("reach/registered_in_each_way", registered_in_each_way),
    ("reach/registered_again", registered_again),
    ("reach/registered_neighbours_in_a_page", neighbours),
    ("reach/freed_memory_faults", nowhere),
];

const CAN_MAP_HOST_MEMORY: i32 = 19;
const PAGEABLE_MEMORY_ACCESS: i32 = 88;
const PORTABLE: u32 = 1;
const DEVICEMAP: u32 = 2;
const BYTES: usize = 64 << 10;
const LIMIT: Duration = Duration::from_secs(5);
const LIMIT_NS: u64 = LIMIT.as_nanos() as u64;
const SEEN: u32 = 1;

const SLOTS: u32 = 32;
const PUT: usize = 0;
const TAKEN: usize = 16;
const FIRST_SLOT: usize = 32;

type Words = &'static [AtomicU32];

fn allocated(gpu: &Gpu, bytes: usize, flags: u32) -> Result<Words, Outcome> {
    let mut host: *mut c_void = std::ptr::null_mut();
    cu!(gpu.cuMemHostAlloc(&mut host, bytes, flags)).ok()?;
    // SAFETY: the driver allocated this number of bytes, which are zeros.
    Ok(unsafe { std::slice::from_raw_parts(host.cast(), bytes / 4) })
}

/// Returns registered memory of the program, which does not begin at a page boundary.
fn registered(gpu: &Gpu) -> Result<Words, Outcome> {
    let words: Words = (0..BYTES / 4 + 2048).map(|_| AtomicU32::new(0)).collect::<Vec<_>>().leak();
    let page = (words.as_ptr() as usize).next_multiple_of(4096) - words.as_ptr() as usize;
    let words = &words[page / 4..][..BYTES / 4];
    cu!(gpu.cuMemHostRegister_v2(words.as_ptr().cast_mut().cast(), BYTES, DEVICEMAP)).ok()?;
    Ok(words)
}

fn each_memory(gpu: &Gpu, test: fn(&Gpu, Words) -> Done) -> Done {
    if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device cannot reach host memory".into()));
    }
    let named = |name: &'static str, done: Done| {
        done.map_err(|outcome| match outcome {
            Outcome::Failed(why) => Outcome::Failed(format!("{name}: {why}")),
            skipped => skipped,
        })
    };
    named("pinned", test(gpu, allocated(gpu, BYTES, 0)?))?;
    named("portable and mapped", test(gpu, allocated(gpu, BYTES, PORTABLE | DEVICEMAP)?))
}

/// A stream writes a value that the program sees while the stream runs on, and waits for one that
/// the program stores. The operations come one by one, and as a batch.
fn values_of_streams(gpu: &Gpu, words: Words) -> Done {
    const SUPPORTED: i32 = 122;
    const GEQ: u32 = 0;
    const WAIT_32: u64 = 1;
    const WRITE_32: u64 = 2;
    if gpu.attribute(SUPPORTED)? == 0 {
        return Err(Outcome::Skipped("streams of this device have no values".into()));
    }
    let at = |word: usize| words[word..].as_ptr() as u64;
    for is_batch in [false, true] {
        words[..3].iter().for_each(|word| word.store(0, SeqCst));
        let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
        if is_batch {
            let operation = |kind, word, value| CUstreamBatchMemOpParams {
                words: [kind, at(word), value, 0, 0, 0],
            };
            let mut operations =
                [operation(WRITE_32, 1, 99), operation(WAIT_32, 0, 1), operation(WRITE_32, 2, 77)];
            cu!(gpu.cuStreamBatchMemOp_v2(stream, 3, operations.as_mut_ptr(), 0)).ok()?;
        } else {
            cu!(gpu.cuStreamWriteValue32_v2(stream, at(1), 99, 0)).ok()?;
            cu!(gpu.cuStreamWaitValue32_v2(stream, at(0), 1, GEQ)).ok()?;
            cu!(gpu.cuStreamWriteValue32_v2(stream, at(2), 77, 0)).ok()?;
        }
        wait_for(&words[1], 99)?;
        same("the stream", cu!(gpu.cuStreamQuery(stream)), CUresult::NOT_READY)?;
        same("the value behind the wait", words[2].load(Acquire), 0)?;
        words[0].store(1, Release);
        wait_for(&words[2], 77)?;
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    }
    Ok(())
}

fn wait_for(word: &AtomicU32, value: u32) -> Done {
    let start = Instant::now();
    while word.load(Acquire) != value {
        if start.elapsed() > LIMIT {
            return fail(format!("{value} did not come"));
        }
        std::thread::sleep(Duration::from_micros(100));
    }
    Ok(())
}

/// Runs all tests for allocated memory with registered memory.
fn registered_in_each_way(gpu: &Gpu) -> Done {
    if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device cannot reach host memory".into()));
    }
    let ways: [fn(&Gpu, Words) -> Done; 7] =
        [polled, counted, through_memory, by_node, captured, consumed, produced];
    ways.iter().try_for_each(|way| way(gpu, registered(gpu)?))
}

/// Uses two registered ranges in one page, and one that begins in that page.
fn neighbours(gpu: &Gpu) -> Done {
    if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device cannot reach host memory".into()));
    }
    let words: Words = (0..4096).map(|_| AtomicU32::new(0)).collect::<Vec<_>>().leak();
    let page = ((words.as_ptr() as usize).next_multiple_of(4096) - words.as_ptr() as usize) / 4;
    let pieces: [Words; 3] =
        [&words[page + 10..][..200], &words[page + 300..][..100], &words[page + 900..][..500]];
    let fill = gpu.function(gpu.module()?, "fill")?;
    let filled = |piece: Words, first: u32| -> Done {
        let mut device = 0;
        cu!(gpu.cuMemHostGetDevicePointer_v2(&mut device, piece.as_ptr().cast_mut().cast(), 0))
            .ok()?;
        gpu.launch(fill, (2, 256), CUstream::NULL, device, &[piece.len() as u32, first]).ok()?;
        gpu.synchronize().ok()?;
        let right =
            piece.iter().zip(first..).filter(|(word, value)| word.load(Acquire) == *value).count();
        same("words that a kernel wrote", right, piece.len())
    };
    for piece in pieces {
        cu!(gpu.cuMemHostRegister_v2(piece.as_ptr().cast_mut().cast(), piece.len() * 4, DEVICEMAP))
            .ok()?;
        filled(piece, 1000)?;
    }
    for gone in 0..pieces.len() {
        cu!(gpu.cuMemHostUnregister(pieces[gone].as_ptr().cast_mut().cast())).ok()?;
        pieces[gone + 1..].iter().try_for_each(|piece| filled(piece, 2000 + gone as u32))?;
    }
    // A range is registered again next to a range that stayed registered. The old content must not
    // reappear.
    let (stays, comes) = (pieces[1], pieces[0]);
    let register = |piece: Words| {
        cu!(gpu.cuMemHostRegister_v2(piece.as_ptr().cast_mut().cast(), piece.len() * 4, DEVICEMAP))
            .ok()
    };
    let unregister =
        |piece: Words| cu!(gpu.cuMemHostUnregister(piece.as_ptr().cast_mut().cast())).ok();
    register(stays)?;
    filled(stays, 3000)?;
    register(comes)?;
    filled(comes, 4000)?;
    unregister(comes)?;
    comes.iter().for_each(|word| word.store(0, Release));
    register(comes)?;
    let add = gpu.function(gpu.module()?, "add")?;
    let mut device = 0;
    cu!(gpu.cuMemHostGetDevicePointer_v2(&mut device, comes.as_ptr().cast_mut().cast(), 0)).ok()?;
    gpu.launch(add, (1, 256), CUstream::NULL, device, &[comes.len() as u32, 1]).ok()?;
    gpu.synchronize().ok()?;
    same(
        "words that came again",
        comes.iter().filter(|word| word.load(Acquire) == 1).count(),
        comes.len(),
    )?;
    unregister(comes)?;
    Ok(unregister(stays)?)
}

/// A kernel is the first to use memory while a copy to the memory is still running in another
/// stream.
fn brought(gpu: &Gpu) -> Done {
    if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device cannot reach host memory".into()));
    }
    const COUNT: usize = 2 << 20;
    let (copying, looking) =
        (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let event = gpu.event(values::EVENT_DISABLE_TIMING)?;
    let add = gpu.function(gpu.module()?, "add")?;
    let memory = gpu.alloc(COUNT * 4)?;
    for round in 1..=4 {
        let words = allocated(gpu, COUNT * 4, 0)?;
        let last = &words[COUNT - 256..];
        cu!(gpu.cuMemsetD32Async(memory, round * 100, COUNT, copying)).ok()?;
        cu!(gpu.cuMemcpyDtoHAsync_v2(words.as_ptr().cast_mut().cast(), memory, COUNT * 4, copying))
            .ok()?;
        cu!(gpu.cuEventRecord(event, copying)).ok()?;
        cu!(gpu.cuStreamWaitEvent(looking, event, 0)).ok()?;
        gpu.launch(add, (1, 256), looking, address(&last[0]), &[256, 1]).ok()?;
        cu!(gpu.cuStreamSynchronize(looking)).ok()?;
        let right = last.iter().filter(|word| word.load(SeqCst) == round * 100 + 1).count();
        same(
            "the copy's words, and the kernel's after it",
            (words[0].load(SeqCst), right),
            (round * 100, 256),
        )?;
    }
    Ok(())
}

/// One thread copies to memory while another thread's kernel is the first to use the memory. A
/// kernel after both reads the copied data, which comes from memory or from an array.
fn brought_meanwhile(gpu: &Gpu) -> Done {
    if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device cannot reach host memory".into()));
    }
    const ROUNDS: u32 = 60;
    const COUNT: usize = 256;
    let (copying, looking) =
        (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let (module, event, slow, memory) =
        (gpu.module()?, gpu.event(0)?, gpu.alloc(4)?, gpu.alloc(COUNT * 4)?);
    let (add, spin) = (gpu.function(module, "add")?, gpu.function(module, "spin")?);
    let array = create(gpu, &shape([COUNT, 0, 0], FLOAT, 0))?;
    for round in 1..=ROUNDS {
        let words = allocated(gpu, COUNT * 8, 0)?;
        let host: *mut c_void = words.as_ptr().cast_mut().cast();
        gpu.write(memory, &[round; COUNT])?;
        cu!(gpu.cuMemcpyDtoA_v2(array, 0, memory, COUNT * 4)).ok()?;
        gpu.synchronize().ok()?;
        let begin = std::sync::Barrier::new(2);
        // The address is a number here, because the thread cannot take a pointer.
        let host = host as usize;
        let copy = || -> Done {
            cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
            begin.wait();
            gpu.launch(spin, (1, 1), copying, slow, &[300]).ok()?;
            match round % 2 {
                0 => cu!(gpu.cuMemcpyDtoHAsync_v2(host as *mut c_void, memory, COUNT * 4, copying))
                    .ok()?,
                _ => {
                    cu!(gpu.cuMemcpyAtoHAsync_v2(host as *mut c_void, array, 0, COUNT * 4, copying))
                        .ok()?
                }
            }
            Ok(cu!(gpu.cuEventRecord(event, copying)).ok()?)
        };
        std::thread::scope(|scope| {
            let copied = scope.spawn(copy);
            begin.wait();
            let launched =
                gpu.launch(add, (1, 256), looking, address(&words[COUNT]), &[COUNT as u32, 1]).ok();
            copied.join().unwrap_or_else(|_| fail("the thread that copies panicked"))?;
            Ok::<(), Outcome>(launched?)
        })?;
        cu!(gpu.cuStreamWaitEvent(looking, event, 0)).ok()?;
        gpu.launch(add, (1, 256), looking, address(&words[0]), &[COUNT as u32, 1]).ok()?;
        cu!(gpu.cuStreamSynchronize(looking)).ok()?;
        let right = words[..COUNT].iter().filter(|word| word.load(SeqCst) == round + 1).count();
        same("round, and the copy's words with what was added", (round, right), (round, COUNT))?;
        // The kernel has used the memory. A synchronous copy from the array is complete when the
        // call returns, whatever earlier work the device had.
        gpu.launch(spin, (1, 1), CUstream::NULL, slow, &[3_000]).ok()?;
        cu!(gpu.cuMemcpyAtoH_v2(host as *mut c_void, array, 0, COUNT * 4)).ok()?;
        let right = words[..COUNT].iter().filter(|word| word.load(SeqCst) == round).count();
        same("round, and the words of a synchronous copy", (round, right), (round, COUNT))?;
        cu!(gpu.cuMemFreeHost(host as *mut c_void)).ok()?;
    }
    Ok(())
}

/// Uses two adjacent allocations. The program writes both before a kernel uses them.
fn side_by_side(gpu: &Gpu) -> Done {
    if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device cannot reach host memory".into()));
    }
    let both: Words =
        (0..2 * BYTES / 4 + 1024).map(|_| AtomicU32::new(0)).collect::<Vec<_>>().leak();
    let page = (both.as_ptr() as usize).next_multiple_of(4096) - both.as_ptr() as usize;
    let both = &both[page / 4..][..2 * BYTES / 4];
    let add = gpu.function(gpu.module()?, "add")?;
    let halves = [&both[..BYTES / 4], &both[BYTES / 4..]];
    for half in halves {
        cu!(gpu.cuMemHostRegister_v2(half.as_ptr().cast_mut().cast(), BYTES, DEVICEMAP)).ok()?;
        let mut device = 0;
        cu!(gpu.cuMemHostGetDevicePointer_v2(&mut device, half.as_ptr().cast_mut().cast(), 0))
            .ok()?;
    }
    both.iter().for_each(|word| word.store(7, SeqCst));
    for half in halves {
        gpu.launch(
            add,
            ((BYTES / 4 / 256) as u32, 256),
            CUstream::NULL,
            address(&half[0]),
            &[(BYTES / 4) as u32, 1],
        )
        .ok()?;
    }
    gpu.synchronize().ok()?;
    let right = both.iter().filter(|word| word.load(SeqCst) == 8).count();
    same("words", right, both.len())?;
    halves.iter().try_for_each(|half| {
        Ok(cu!(gpu.cuMemHostUnregister(half.as_ptr().cast_mut().cast())).ok()?)
    })
}

/// A kernel follows a graph's copy to memory that no kernel has used before. If the order cannot be
/// kept, the client rejects the launch, and no stale data is visible.
fn by_graph(gpu: &Gpu) -> Done {
    if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device cannot reach host memory".into()));
    }
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let add = gpu.function(gpu.module()?, "add")?;
    let (memory, words) = (gpu.alloc(BYTES)?, allocated(gpu, BYTES, 0)?);
    gpu.begin_capture(stream)?;
    cu!(gpu.cuMemcpyDtoHAsync_v2(words.as_ptr().cast_mut().cast(), memory, BYTES, stream)).ok()?;
    match gpu.launch(
        add,
        ((BYTES / 4 / 256) as u32, 256),
        stream,
        address(&words[0]),
        &[(BYTES / 4) as u32, 1],
    ) {
        CUresult::NOT_PERMITTED => return Ok(()),
        other => other.ok()?,
    }
    let exec = gpu.instantiate(gpu.end_capture(stream)?)?;
    for round in 1..=3 {
        cu!(gpu.cuMemsetD32Async(memory, round * 100, BYTES / 4, stream)).ok()?;
        gpu.replay(exec, stream)?;
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
        let right = words.iter().filter(|word| word.load(SeqCst) == round * 100 + 1).count();
        same("the copy's words, and the kernel's after it", right, BYTES / 4)?;
    }
    Ok(())
}

/// Kernels outside graphs use memory that graphs copied before any kernel used it. A kernel after a
/// graph's copy to the memory reads the copied data. A graph's copy from the memory reads the
/// kernel's data. The program does not wait in between.
fn behind_graphs(gpu: &Gpu) -> Done {
    if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device cannot reach host memory".into()));
    }
    const COUNT: usize = 1 << 18;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let add = gpu.function(gpu.module()?, "add")?;
    let (from, to, words) =
        (gpu.alloc(COUNT * 4)?, gpu.alloc(COUNT * 4)?, allocated(gpu, COUNT * 4, 0)?);
    let (spin, counter, seen) =
        (gpu.function(gpu.module()?, "spin")?, gpu.alloc(4)?, gpu.alloc(COUNT * 4)?);
    gpu.begin_capture(stream)?;
    cu!(gpu.cuMemcpyDtoHAsync_v2(words.as_ptr().cast_mut().cast(), from, COUNT * 4, stream))
        .ok()?;
    let to_host = gpu.instantiate(gpu.end_capture(stream)?)?;
    gpu.begin_capture(stream)?;
    cu!(gpu.cuMemcpyHtoDAsync_v2(to, words.as_ptr().cast(), COUNT * 4, stream)).ok()?;
    let to_device = gpu.instantiate(gpu.end_capture(stream)?)?;
    for round in 1..=4 {
        // The spin lets the program submit later work long before this work is done.
        gpu.launch(spin, (1, 1), stream, counter, &[400_000]).ok()?;
        cu!(gpu.cuMemsetD32Async(from, round * 100, COUNT, stream)).ok()?;
        gpu.replay(to_host, stream)?;
        cu!(gpu.cuMemcpyAsync(seen, address(&words[0]), COUNT * 4, stream)).ok()?;
        gpu.launch(
            add,
            ((COUNT / 256) as u32, 256),
            stream,
            address(&words[0]),
            &[COUNT as u32, 1],
        )
        .ok()?;
        gpu.replay(to_device, stream)?;
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
        let right = words.iter().filter(|word| word.load(SeqCst) == round * 100 + 1).count();
        same("the kernel's words on the host", right, COUNT)?;
        let right = gpu.read(seen, COUNT)?.iter().filter(|word| **word == round * 100).count();
        same("what the device saw of the copy", right, COUNT)?;
        let right = gpu.read(to, COUNT)?.iter().filter(|word| **word == round * 100 + 1).count();
        same("and on the device", right, COUNT)?;
    }
    Ok(())
}

/// One thread learns that a stream is done while another waits for its context. Both read the
/// kernel's data.
fn together(gpu: &Gpu) -> Done {
    if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device cannot reach host memory".into()));
    }
    const COUNT: usize = BYTES / 4;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let add = gpu.function(gpu.module()?, "add")?;
    let words = allocated(gpu, BYTES, 0)?;
    let much = allocated(gpu, 16 * BYTES, DEVICEMAP)?;
    let mut context = CUcontext::NULL;
    cu!(gpu.cuCtxGetCurrent(&mut context)).ok()?;
    for round in 1..=200 {
        gpu.launch(add, (COUNT as u32 / 256, 256), stream, address(&words[0]), &[COUNT as u32, 1])
            .ok()?;
        gpu.launch(add, (1, 1), stream, address(&much[round as usize * 1024]), &[1, round]).ok()?;
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                cu!(gpu.cuCtxSetCurrent(context)).ok().and_then(|()| gpu.synchronize().ok())
            });
            while cu!(gpu.cuStreamQuery(stream)) == CUresult::NOT_READY {}
            let right = words.iter().filter(|word| word.load(SeqCst) == round).count();
            same("the words", (right, much[round as usize * 1024].load(SeqCst)), (COUNT, round))?;
            other.join().unwrap_or(Err(CUresult::UNKNOWN)).map_err(Outcome::from)
        })?;
    }
    Ok(())
}

fn address(word: &AtomicU32) -> u64 {
    std::ptr::from_ref(word) as u64
}

fn function(gpu: &Gpu, name: &str) -> Result<CUfunction, Outcome> {
    let text = CString::new(BESIDE).expect("PTX holds no NUL");
    let mut module = CUmodule::NULL;
    cu!(gpu.cuModuleLoadData(&mut module, text.as_ptr().cast())).ok()?;
    gpu.function(module, name)
}

fn launch(gpu: &Gpu, function: CUfunction, stream: CUstream, params: [u64; 4]) -> Done {
    let mut params = params;
    let mut places: Vec<*mut c_void> =
        params.iter_mut().map(|param| std::ptr::from_mut(param).cast()).collect();
    let none = std::ptr::null_mut();
    Ok(cu!(gpu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, places.as_mut_ptr(), none))
        .ok()?)
}

/// Waits until a word has the expected value.
fn await_word(what: &str, word: &AtomicU32, is: impl Fn(u32) -> bool) -> Result<u32, Outcome> {
    let start = Instant::now();
    loop {
        let now = word.load(Acquire);
        if is(now) {
            return Ok(now);
        }
        if start.elapsed() > LIMIT {
            return fail(format!("{what}: it is {now} after {} s", LIMIT.as_secs()));
        }
        std::thread::yield_now();
    }
}

/// Sleeps briefly, without waiting for the device.
fn a_moment() {
    std::thread::sleep(Duration::from_millis(20));
}

fn filled(gpu: &Gpu) -> Done {
    let words = allocated(gpu, BYTES, 0)?;
    words[1000].store(5, SeqCst);
    let module = gpu.module()?;
    gpu.launch(
        gpu.function(module, "fill")?,
        (4, 256),
        CUstream::NULL,
        address(&words[0]),
        &[1000, 30],
    )
    .ok()?;
    gpu.launch(
        gpu.function(module, "add")?,
        (1, 32),
        CUstream::NULL,
        address(&words[1000]),
        &[1, 2],
    )
    .ok()?;
    gpu.synchronize().ok()?;
    same("after the device", [0, 999, 1000].map(|i| words[i].load(SeqCst)), [30, 1029, 7])
}

fn polled(gpu: &Gpu, words: Words) -> Done {
    let (poll, out) = (function(gpu, "poll")?, gpu.alloc(8)?);
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    for round in 1..20 {
        launch(gpu, poll, stream, [address(&words[7]), round, out, LIMIT_NS])?;
        if round < 4 {
            a_moment();
        }
        words[7].store(round as u32, SeqCst);
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
        same("the flag", gpu.read(out, 1)?, vec![SEEN])?;
    }
    Ok(())
}

fn counted(gpu: &Gpu, words: Words) -> Done {
    let (count, out) = (function(gpu, "count")?, gpu.alloc(8)?);
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    launch(gpu, count, stream, [address(&words[3]), address(&words[999]), out, 2 * LIMIT_NS])?;
    let first = await_word("the counter", &words[3], |now| now > 0)?;
    await_word("the counter continues", &words[3], |now| now > first)?;
    words[999].store(1, SeqCst);
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("the end", gpu.read(out, 1)?, vec![SEEN])
}

/// Launches `poll_through` and sets the flag.
fn find_flag(gpu: &Gpu, place: CUdeviceptr, flag: &AtomicU32) -> Done {
    let (poll, out) = (function(gpu, "poll_through")?, gpu.alloc(8)?);
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    launch(gpu, poll, stream, [place, 9, out, LIMIT_NS])?;
    a_moment();
    flag.store(9, SeqCst);
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("the flag", gpu.read(out, 1)?, vec![SEEN])
}

fn through_memory(gpu: &Gpu, words: Words) -> Done {
    let flag = &words[BYTES / 4 - 1];
    let (low, high) = (address(flag) as u32, (address(flag) >> 32) as u32);
    let place = gpu.alloc(64)?;
    gpu.write(place, &[1, 2, 3, 4, low, high, 7, 8])?;
    find_flag(gpu, place + 16, flag)
}

/// The copy begins at an offset that holds no address, and its rows have gaps.
fn row(gpu: &Gpu) -> Done {
    let flag = &allocated(gpu, BYTES, 0)?[5];
    let (low, high) = (address(flag) as u32, (address(flag) >> 32) as u32);
    let place = gpu.alloc(256)?;
    let rows = [[1, 2, 3, 0], [1, low, high, 0]];
    // SAFETY: all-zero bytes are valid for a descriptor of numbers and pointers.
    let mut copy: CUDA_MEMCPY2D = unsafe { std::mem::zeroed() };
    (copy.srcMemoryType, copy.srcHost, copy.srcPitch) =
        (values::MEMORYTYPE_HOST, rows.as_ptr().cast(), 16);
    (copy.dstMemoryType, copy.dstDevice, copy.dstPitch) =
        (values::MEMORYTYPE_DEVICE, place + 4, 64);
    (copy.WidthInBytes, copy.Height) = (12, 2);
    cu!(gpu.cuMemcpy2D_v2(&copy)).ok()?;
    find_flag(gpu, place + 72, flag)
}

/// A kernel receives the head of a linked list. The program has asked for the device addresses of
/// all its parts.
fn in_pinned_memory(gpu: &Gpu) -> Done {
    let (head, between) = (allocated(gpu, BYTES, 0)?, allocated(gpu, 100, DEVICEMAP)?);
    let flag = &allocated(gpu, 1 << 20, 0)?[200_000];
    for words in [head, between] {
        let mut device = 0;
        cu!(gpu.cuMemHostGetDevicePointer_v2(&mut device, words.as_ptr().cast_mut().cast(), 0))
            .ok()?;
        same("the device's pointer", device, address(&words[0]))?;
    }
    let put = |at: &[AtomicU32], word: &AtomicU32| {
        at[0].store(address(word) as u32, SeqCst);
        at[1].store((address(word) >> 32) as u32, SeqCst);
    };
    put(&head[6..], flag);
    put(&between[2..], &head[0]);
    let (fill, stream) = (gpu.function(gpu.module()?, "fill")?, CUstream::NULL);
    gpu.launch(fill, (1, 1), stream, address(&between[10]), &[1, 5]).ok()?;
    find_flag(gpu, address(&head[6]), flag)
}

/// Program and device write different words of the same pages in turn.
fn here_and_there(gpu: &Gpu) -> Done {
    const WORDS: usize = 2 << 20;
    let (words, add) = (allocated(gpu, 4 * WORDS, 0)?, gpu.function(gpu.module()?, "add")?);
    let mut expected = vec![0; WORDS];
    let mut at = 1;
    for round in 1..200u32 {
        at = (at * 69_069 + 12_345) % (WORDS - 2);
        let (own, devices) = (at + (round as usize & 1), at + 1 - (round as usize & 1));
        words[own].fetch_add(round, SeqCst);
        gpu.launch(add, (1, 32), CUstream::NULL, address(&words[own]), &[1, 1]).ok()?;
        gpu.launch(add, (1, 32), CUstream::NULL, address(&words[devices]), &[1, round]).ok()?;
        expected[own] += round + 1;
        expected[devices] += round;
        if round % 3 == 0 {
            gpu.synchronize().ok()?;
            let found = [own, devices].map(|at| words[at].load(SeqCst));
            same("two words", found, [expected[own], expected[devices]])?;
        }
    }
    gpu.synchronize().ok()?;
    let wrong = (0..WORDS).find(|at| words[*at].load(SeqCst) != expected[*at]);
    same("a word that is wrong", wrong, None)
}

fn wait_in_graph(gpu: &Gpu, graph: CUgraph, out: CUdeviceptr, flag: &AtomicU32) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let exec = gpu.instantiate(graph)?;
    for _ in 0..3 {
        flag.store(0, SeqCst);
        cu!(gpu.cuGraphLaunch(exec, stream)).ok()?;
        a_moment();
        flag.store(3, SeqCst);
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
        same("the flag", gpu.read(out, 1)?, vec![SEEN])?;
    }
    Ok(())
}

fn by_node(gpu: &Gpu, words: Words) -> Done {
    let out = gpu.alloc(8)?;
    let mut params = [address(&words[11]), 3, out, LIMIT_NS];
    let mut places = params.each_mut().map(|param| std::ptr::from_mut(param).cast::<c_void>());
    let (mut graph, mut node) = (CUgraph::NULL, CUgraphNode::NULL);
    cu!(gpu.cuGraphCreate(&mut graph, 0)).ok()?;
    // SAFETY: all-zero bytes are valid for a struct of numbers and pointers.
    let mut kernel: CUDA_KERNEL_NODE_PARAMS = unsafe { std::mem::zeroed() };
    (kernel.func, kernel.kernelParams) = (function(gpu, "poll")?, places.as_mut_ptr());
    (kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ) = (1, 1, 1);
    (kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ) = (1, 1, 1);
    cu!(gpu.cuGraphAddKernelNode_v2(&mut node, graph, std::ptr::null(), 0, &kernel)).ok()?;
    wait_in_graph(gpu, graph, out, &words[11])
}

fn captured(gpu: &Gpu, words: Words) -> Done {
    let (poll, out) = (function(gpu, "poll")?, gpu.alloc(8)?);
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    gpu.begin_capture(stream)?;
    launch(gpu, poll, stream, [address(&words[11]), 3, out, LIMIT_NS])?;
    wait_in_graph(gpu, gpu.end_capture(stream)?, out, &words[11])
}

const ITEMS: u32 = 3000;

fn put_items(ring: Words) -> Done {
    for i in 0..ITEMS {
        await_word("items that were taken", &ring[TAKEN], |taken| i - taken < SLOTS)?;
        let slot = FIRST_SLOT + (i % SLOTS) as usize * 2;
        ring[slot].store(i + 1, Release);
        ring[slot + 1].store(!(i + 1), Release);
        ring[PUT].store(i + 1, Release);
    }
    Ok(())
}

fn take_items(ring: Words) -> Done {
    for i in 0..ITEMS {
        await_word("items that were put in", &ring[PUT], |put| put > i)?;
        let slot = FIRST_SLOT + (i % SLOTS) as usize * 2;
        let item = (ring[slot].load(Acquire), ring[slot + 1].load(Acquire));
        same("an item", item, (i + 1, !(i + 1)))?;
        ring[TAKEN].store(i + 1, Release);
    }
    Ok(())
}

fn consumed(gpu: &Gpu, ring: Words) -> Done {
    let (consume, out) = (function(gpu, "consume")?, gpu.alloc(8)?);
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    launch(gpu, consume, stream, [address(&ring[0]), ITEMS.into(), out, 3 * LIMIT_NS])?;
    put_items(ring)?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("the end, and items that were wrong", gpu.read(out, 2)?, vec![SEEN, 0])?;
    same("items that were taken", ring[TAKEN].load(SeqCst), ITEMS)
}

fn produced(gpu: &Gpu, ring: Words) -> Done {
    let (produce, out) = (function(gpu, "produce")?, gpu.alloc(8)?);
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    launch(gpu, produce, stream, [address(&ring[0]), ITEMS.into(), out, 3 * LIMIT_NS])?;
    take_items(ring)?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("the end", gpu.read(out, 1)?, vec![SEEN])
}

/// Uses more memory than the client sends without a request, and more than it polls continuously.
fn beside_much(gpu: &Gpu) -> Done {
    let (some, much) = (allocated(gpu, 1 << 20, 0)?, allocated(gpu, 8 << 20, 0)?);
    much[0].store(7, SeqCst);
    much[(8 << 18) - 1].store(8, SeqCst);
    let fill = gpu.function(gpu.module()?, "fill")?;
    gpu.launch(fill, (4, 256), CUstream::NULL, address(&some[0]), &[1000, 30]).ok()?;
    gpu.launch(fill, (4, 256), CUstream::NULL, address(&much[1 << 20]), &[1000, 60]).ok()?;
    gpu.synchronize().ok()?;
    same("some", (some[0].load(SeqCst), some[999].load(SeqCst)), (30, 1029))?;
    let last = (8 << 18) - 1;
    same(
        "much",
        [0, 1 << 20, (1 << 20) + 999, last].map(|i| much[i].load(SeqCst)),
        [7, 60, 1059, 8],
    )?;
    // The last word of the large memory has also arrived.
    gpu.launch(
        gpu.function(gpu.module()?, "add")?,
        (1, 32),
        CUstream::NULL,
        address(&much[last]),
        &[1, 1],
    )
    .ok()?;
    gpu.synchronize().ok()?;
    same("the last of much", much[last].load(SeqCst), 9)?;
    consumed(gpu, allocated(gpu, BYTES, 0)?)?;
    produced(gpu, allocated(gpu, BYTES, 0)?)
}

fn again(gpu: &Gpu) -> Done {
    let (poll, out) = (function(gpu, "poll")?, gpu.alloc(8)?);
    for round in 1..20 {
        let words = allocated(gpu, BYTES, 0)?;
        same("fresh memory", words[40].load(SeqCst), 0)?;
        launch(gpu, poll, CUstream::NULL, [address(&words[40]), round, out, LIMIT_NS])?;
        words[40].store(round as u32, SeqCst);
        gpu.synchronize().ok()?;
        same("the flag", gpu.read(out, 1)?, vec![SEEN])?;
        cu!(gpu.cuMemFreeHost(words.as_ptr().cast_mut().cast())).ok()?;
    }
    Ok(())
}

/// A kernel reads the data that the program wrote before the launch, although the program frees the
/// memory right after the launch.
fn freed_at_once(gpu: &Gpu) -> Done {
    let (poll, out) = (function(gpu, "poll")?, gpu.alloc(8)?);
    for round in 1..20 {
        let words = allocated(gpu, 4 * BYTES, 0)?;
        words[40].store(round as u32, SeqCst);
        launch(gpu, poll, CUstream::NULL, [address(&words[40]), round, out, LIMIT_NS])?;
        cu!(gpu.cuMemFreeHost(words.as_ptr().cast_mut().cast())).ok()?;
        gpu.synchronize().ok()?;
        same("the flag", gpu.read(out, 1)?, vec![SEEN])?;
    }
    Ok(())
}

/// Registers memory again at the same address, after only the program used the memory.
fn registered_again(gpu: &Gpu) -> Done {
    let (add, words) = (gpu.function(gpu.module()?, "add")?, registered(gpu)?);
    let start = words.as_ptr().cast_mut().cast::<c_void>();
    for round in 0..10u32 {
        words[0].store(round * 100, SeqCst);
        gpu.launch(add, (1, 32), CUstream::NULL, address(&words[0]), &[1, 5]).ok()?;
        gpu.synchronize().ok()?;
        cu!(gpu.cuMemHostUnregister(start)).ok()?;
        same("what the device left", words[0].load(SeqCst), round * 100 + 5)?;
        words[0].store(1, SeqCst);
        cu!(gpu.cuMemHostRegister_v2(start, BYTES, DEVICEMAP)).ok()?;
    }
    Ok(())
}

/// A kernel cannot access freed memory.
fn nowhere(gpu: &Gpu) -> Done {
    if gpu.attribute(PAGEABLE_MEMORY_ACCESS)? != 0 {
        return Err(Outcome::Skipped("the device reaches all of the program's memory".into()));
    }
    let words = allocated(gpu, BYTES, 0)?;
    gpu.launch(
        gpu.function(gpu.module()?, "wild")?,
        (1, 1),
        CUstream::NULL,
        address(&words[0]),
        &[],
    )
    .ok()?;
    gpu.synchronize().ok()?;
    same("pinned", words[0].load(SeqCst), 1)?;
    let gone = address(&words[0]);
    cu!(gpu.cuMemFreeHost(words.as_ptr().cast_mut().cast())).ok()?;
    gpu.launch(gpu.function(gpu.module()?, "wild")?, (1, 1), CUstream::NULL, gone, &[]).ok()?;
    same("freed", gpu.synchronize(), CUresult::ILLEGAL_ADDRESS)
}
