//! Guarantees of waits: when a wait ends, all data that CUDA orders before the wait has arrived in
//! the program's memory. This includes copies to the host in other streams.

use super::Test;
use crate::gpu::{Done, Gpu, cu, same};
use outhaul_abi::types::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

pub const TESTS: &[Test] = &[
    ("arrival/in_a_host_function_before_more_than_the_driver_takes", before_much),
    ("arrival/behind_an_event_in_the_legacy_stream", |gpu| each_memory(gpu, legacy_event)),
    ("arrival/behind_the_legacy_stream", |gpu| each_memory(gpu, legacy_stream)),
    ("arrival/behind_a_stream_that_waited_for_others", |gpu| each_memory(gpu, joined_stream)),
    ("arrival/behind_an_event_of_a_stream_that_waited", |gpu| each_memory(gpu, joined_event)),
    ("arrival/behind_a_synchronous_copy", |gpu| each_memory(gpu, synchronous_copy)),
    ("arrival/behind_another_copy_of_the_joining_stream", |gpu| each_memory(gpu, joined_copy)),
    ("arrival/behind_an_event_that_is_asked_for", |gpu| each_memory(gpu, queried_event)),
    ("arrival/behind_a_stream_that_is_asked_for", |gpu| each_memory(gpu, queried_stream)),
    ("arrival/before_a_host_function", |gpu| each_memory(gpu, host_function)),
    ("arrival/behind_a_graph", |gpu| each_memory(gpu, graph)),
    ("arrival/behind_a_word_that_another_stream_wrote", |gpu| each_memory(gpu, word)),
    ("arrival/of_streams_that_were_destroyed", |gpu| each_memory(gpu, destroyed)),
    ("arrival/before_memory_is_unregistered", unregistered),
    ("arrival/from_where_a_destroyed_stream_wrote", from_there),
    ("arrival/before_a_copy_within_the_host", within_the_host),
    ("arrival/before_a_host_function_while_memory_of_captured_copies_ends", beside_ends),
];

const STREAMS: usize = 4;
const WORDS_EACH: usize = 1 << 19;
const WORDS: usize = STREAMS * WORDS_EACH;
const ROUNDS: u32 = 6;

/// Streams that fill parts of an allocation and copy them to the host, and a stream that waits for
/// all of them.
struct Fork<'g> {
    gpu: &'g Gpu,
    memory: CUdeviceptr,
    host: *mut u32,
    streams: Vec<CUstream>,
    joining: CUstream,
    event: CUevent,
}

impl<'g> Fork<'g> {
    fn new(gpu: &'g Gpu, host: *mut u32) -> Result<Fork<'g>, crate::gpu::Outcome> {
        Ok(Fork {
            gpu,
            memory: gpu.alloc(WORDS * 4)?,
            host,
            streams: Vec::new(),
            joining: gpu.stream(values::STREAM_NON_BLOCKING)?,
            event: gpu.event(values::EVENT_DISABLE_TIMING)?,
        })
    }

    /// Makes two copies to the same target in each stream. The second copy's data must remain.
    fn begin(&mut self, round: u32) -> Done {
        let gpu = self.gpu;
        self.streams = (0..STREAMS).map(|_| gpu.stream(0)).collect::<Result<_, _>>()?;
        for value in [round * 1000 + 500, round * 1000] {
            for (i, stream) in self.streams.iter().enumerate() {
                let from = self.memory + (i * WORDS_EACH * 4) as u64;
                cu!(gpu.cuMemsetD32Async(from, value + i as u32, WORDS_EACH, *stream)).ok()?;
            }
            for (i, stream) in self.streams.iter().enumerate() {
                let from = self.memory + (i * WORDS_EACH * 4) as u64;
                let to = self.host.wrapping_add(i * WORDS_EACH).cast();
                cu!(gpu.cuMemcpyDtoHAsync_v2(to, from, WORDS_EACH * 4, *stream)).ok()?;
            }
        }
        Ok(())
    }

    /// Makes the joining stream wait for all other streams.
    fn join(&self) -> Done {
        let gpu = self.gpu;
        for stream in &self.streams {
            cu!(gpu.cuEventRecord(self.event, *stream)).ok()?;
            cu!(gpu.cuStreamWaitEvent(self.joining, self.event, 0)).ok()?;
        }
        Ok(())
    }

    fn is_all_there(&self, round: u32) -> bool {
        (0..WORDS).all(|i| {
            // SAFETY: the offset is inside the memory, which nobody writes after the wait.
            let word = unsafe { self.host.add(i).read_volatile() };
            word == round * 1000 + (i / WORDS_EACH) as u32
        })
    }

    fn end(&mut self) -> Done {
        let gpu = self.gpu;
        gpu.synchronize().ok()?;
        self.streams.drain(..).try_for_each(|s| Ok(cu!(gpu.cuStreamDestroy_v2(s)).ok()?))
    }
}

/// A host function finds the data that was copied before it, even if much work is queued after it.
/// NVIDIA's driver then makes the launch wait inside its call, and other calls with it.
fn before_much(gpu: &Gpu) -> Done {
    const WORDS: usize = 1 << 14;
    static WRONG: AtomicUsize = AtomicUsize::new(usize::MAX);
    unsafe extern "C" fn check_words(words: *mut c_void) {
        // SAFETY: the pointer refers to the test's pinned memory, to which the stream copied.
        let words = unsafe { std::slice::from_raw_parts(words.cast::<u32>(), WORDS) };
        WRONG.store(words.iter().filter(|word| **word != 7).count(), SeqCst);
    }
    let module = gpu.module()?;
    let (add, spin) = (gpu.function(module, "add")?, gpu.function(module, "spin")?);
    let (stream, other) =
        (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let (memory, slow) = (gpu.alloc(WORDS * 4)?, gpu.alloc(4)?);
    let (first, second) = (gpu.pinned(WORDS)?, gpu.pinned(WORDS)?);
    cu!(gpu.cuMemsetD32Async(memory, 7, WORDS, other)).ok()?;
    // Uses as many steps as take the device a third of a second.
    let since = Instant::now();
    gpu.launch(spin, (1, 1), stream, slow, &[100_000]).ok()?;
    gpu.synchronize().ok()?;
    let steps = (100_000.0 * 0.3 / since.elapsed().as_secs_f64()).min(300e6) as u32;
    gpu.launch(spin, (1, 1), other, slow, &[steps / 2 * 3]).ok()?;
    cu!(gpu.cuMemcpyDtoHAsync_v2(second.as_mut_ptr().cast(), memory, WORDS * 4, other)).ok()?;
    gpu.launch(spin, (1, 1), stream, slow, &[steps]).ok()?;
    cu!(gpu.cuMemcpyDtoHAsync_v2(first.as_mut_ptr().cast(), memory, WORDS * 4, stream)).ok()?;
    cu!(gpu.cuLaunchHostFunc(stream, Some(check_words), first.as_mut_ptr().cast())).ok()?;
    for _ in 0..1500 {
        gpu.launch(add, (1, 32), stream, slow, &[1, 1]).ok()?;
    }
    gpu.synchronize().ok()?;
    same(
        "words that the function found wrong, and that came",
        (WRONG.load(SeqCst), second[0]),
        (0, 7),
    )
}

/// Runs several rounds with pinned memory, and with registered memory.
fn each_memory(gpu: &Gpu, wait: fn(&mut Fork<'_>) -> Done) -> Done {
    rounds(gpu, gpu.pinned(WORDS)?.as_mut_ptr(), wait)?;
    let mut pages = vec![0u32; WORDS];
    let host = pages.as_mut_ptr();
    cu!(gpu.cuMemHostRegister_v2(host.cast(), WORDS * 4, 0)).ok()?;
    rounds(gpu, host, wait)?;
    Ok(cu!(gpu.cuMemHostUnregister(host.cast())).ok()?)
}

fn rounds(gpu: &Gpu, host: *mut u32, wait: fn(&mut Fork<'_>) -> Done) -> Done {
    let mut fork = Fork::new(gpu, host)?;
    for round in 1..=ROUNDS {
        fork.begin(round)?;
        wait(&mut fork)?;
        same("all is there", fork.is_all_there(round), true)?;
        fork.end()?;
    }
    Ok(())
}

fn legacy_event(fork: &mut Fork<'_>) -> Done {
    let gpu = fork.gpu;
    cu!(gpu.cuEventRecord(fork.event, CUstream::LEGACY)).ok()?;
    Ok(cu!(gpu.cuEventSynchronize(fork.event)).ok()?)
}

fn legacy_stream(fork: &mut Fork<'_>) -> Done {
    let gpu = fork.gpu;
    Ok(cu!(gpu.cuStreamSynchronize(CUstream::LEGACY)).ok()?)
}

fn joined_stream(fork: &mut Fork<'_>) -> Done {
    let gpu = fork.gpu;
    fork.join()?;
    Ok(cu!(gpu.cuStreamSynchronize(fork.joining)).ok()?)
}

fn joined_event(fork: &mut Fork<'_>) -> Done {
    let gpu = fork.gpu;
    fork.join()?;
    cu!(gpu.cuEventRecord(fork.event, fork.joining)).ok()?;
    Ok(cu!(gpu.cuEventSynchronize(fork.event)).ok()?)
}

/// Copies in the legacy stream, which waits for the other streams.
fn synchronous_copy(fork: &mut Fork<'_>) -> Done {
    fork.gpu.read(fork.memory, 1).map(drop)
}

/// The arrival of this copy does not prove the arrival of the data for which the stream waited.
fn joined_copy(fork: &mut Fork<'_>) -> Done {
    let gpu = fork.gpu;
    let small = gpu.pinned(1)?;
    fork.join()?;
    cu!(gpu.cuMemcpyDtoHAsync_v2(small.as_mut_ptr().cast(), fork.memory, 4, fork.joining)).ok()?;
    Ok(cu!(gpu.cuStreamSynchronize(fork.joining)).ok()?)
}

fn queried_event(fork: &mut Fork<'_>) -> Done {
    let gpu = fork.gpu;
    cu!(gpu.cuEventRecord(fork.event, CUstream::LEGACY)).ok()?;
    until_ready(|| cu!(gpu.cuEventQuery(fork.event)))
}

fn queried_stream(fork: &mut Fork<'_>) -> Done {
    let gpu = fork.gpu;
    fork.join()?;
    until_ready(|| cu!(gpu.cuStreamQuery(fork.joining)))
}

fn until_ready(ask: impl Fn() -> CUresult) -> Done {
    loop {
        match ask() {
            CUresult::NOT_READY => std::thread::yield_now(),
            other => return Ok(other.ok()?),
        }
    }
}

/// The host function itself reads the memory.
fn host_function(fork: &mut Fork<'_>) -> Done {
    static CALLED: AtomicBool = AtomicBool::new(false);
    static LAST: AtomicBool = AtomicBool::new(false);
    unsafe extern "C" fn check_words(host: *mut c_void) {
        let host = host.cast::<u32>();
        let at = |i: usize| {
            // SAFETY: the offset is inside the memory, which lives until the function has run.
            unsafe { host.add(i).read_volatile() }
        };
        let value = at(0);
        let is_there = |i: usize| at(i) == value + (i / WORDS_EACH) as u32;
        LAST.store(value.is_multiple_of(1000) && (0..WORDS).all(is_there), SeqCst);
        CALLED.store(true, SeqCst);
    }
    let gpu = fork.gpu;
    CALLED.store(false, SeqCst);
    fork.join()?;
    cu!(gpu.cuLaunchHostFunc(fork.joining, Some(check_words), fork.host.cast())).ok()?;
    while !CALLED.load(SeqCst) {
        std::thread::yield_now();
    }
    same("the function saw all", LAST.load(SeqCst), true)
}

/// Launches a graph in the joining stream that contains only a fill.
fn graph(fork: &mut Fork<'_>) -> Done {
    let gpu = fork.gpu;
    let other = gpu.alloc(4)?;
    gpu.begin_capture(fork.joining)?;
    cu!(gpu.cuMemsetD32Async(other, 1, 1, fork.joining)).ok()?;
    let exec = gpu.instantiate(gpu.end_capture(fork.joining)?)?;
    fork.join()?;
    gpu.replay(exec, fork.joining)
}

/// Waits for a stream that waits for a word in memory. The stream's copy is submitted before the
/// word is written.
fn word(fork: &mut Fork<'_>) -> Done {
    let gpu = fork.gpu;
    let (flag, small) = (gpu.alloc(4)?, gpu.pinned(1)?);
    // The priority gives the stream its own hardware queue. In a shared queue it would block the
    // stream for which it waits.
    let mut second = CUstream::NULL;
    cu!(gpu.cuStreamCreateWithPriority(&mut second, values::STREAM_NON_BLOCKING, -5)).ok()?;
    gpu.write(flag, &[0])?;
    gpu.synchronize().ok()?;
    cu!(gpu.cuStreamWaitValue32_v2(second, flag, 1, 0)).ok()?;
    cu!(gpu.cuMemcpyDtoHAsync_v2(small.as_mut_ptr().cast(), fork.memory, 4, second)).ok()?;
    fork.join()?;
    cu!(gpu.cuStreamWriteValue32_v2(fork.joining, flag, 1, 0)).ok()?;
    Ok(cu!(gpu.cuStreamSynchronize(second)).ok()?)
}

fn destroyed(fork: &mut Fork<'_>) -> Done {
    let gpu = fork.gpu;
    fork.join()?;
    // A destroyed stream's work continues to its end.
    for stream in fork.streams.drain(..) {
        cu!(gpu.cuStreamDestroy_v2(stream)).ok()?;
    }
    Ok(cu!(gpu.cuStreamSynchronize(fork.joining)).ok()?)
}

fn map(bytes: usize) -> *mut c_void {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping does not affect existing memory.
    unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) }
}

/// The program may unmap memory as soon as it has waited and unregistered the memory.
fn unregistered(gpu: &Gpu) -> Done {
    for round in 1..=ROUNDS {
        let pages = map(WORDS * 4);
        same("mapped", pages == libc::MAP_FAILED, false)?;
        cu!(gpu.cuMemHostRegister_v2(pages, WORDS * 4, 0)).ok()?;
        let mut fork = Fork::new(gpu, pages.cast())?;
        fork.begin(round)?;
        legacy_event(&mut fork)?;
        cu!(gpu.cuMemHostUnregister(pages)).ok()?;
        // SAFETY: the pages were mapped above, and no code uses them from now on.
        unsafe { libc::munmap(pages, WORDS * 4) };
        fork.end()?;
    }
    Ok(())
}

/// Copies from memory that a stream wrote, after the program destroyed the stream.
fn from_there(gpu: &Gpu) -> Done {
    let (memory, other) = (gpu.alloc(WORDS * 4)?, gpu.alloc(WORDS * 4)?);
    let host = gpu.pinned(WORDS)?;
    for round in 1..=ROUNDS {
        cu!(gpu.cuMemsetD32_v2(memory, round, WORDS)).ok()?;
        let stream = gpu.stream(0)?;
        cu!(gpu.cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), memory, WORDS * 4, stream)).ok()?;
        cu!(gpu.cuStreamDestroy_v2(stream)).ok()?;
        cu!(gpu.cuMemcpyHtoD_v2(other, host.as_ptr().cast(), WORDS * 4)).ok()?;
        same("copied on", gpu.read(other, WORDS)?.iter().all(|word| *word == round), true)?;
    }
    Ok(())
}

/// A copy within host memory runs in stream order, and also after work in the legacy stream.
fn within_the_host(gpu: &Gpu) -> Done {
    static DONE: AtomicBool = AtomicBool::new(false);
    unsafe extern "C" fn write(word: *mut c_void) {
        std::thread::sleep(std::time::Duration::from_millis(20));
        // SAFETY: the word lives until the program has waited.
        unsafe { word.cast::<u32>().write_volatile(7) };
        DONE.store(true, SeqCst);
    }
    let (from, to) = (gpu.pinned(16)?, gpu.pinned(16)?);
    let stream = gpu.stream(0)?;
    for _ in 0..3 {
        (from[0], to[0]) = (0, 0);
        DONE.store(false, SeqCst);
        cu!(gpu.cuLaunchHostFunc(CUstream::LEGACY, Some(write), from.as_mut_ptr().cast())).ok()?;
        cu!(gpu.cuMemcpyAsync(to.as_mut_ptr() as u64, from.as_ptr() as u64, 64, stream)).ok()?;
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
        // SAFETY: the word is live. The read is volatile so that the compiler cannot assume the
        // value.
        let found = unsafe { to.as_ptr().read_volatile() };
        same("the function's word", (DONE.load(SeqCst), found), (true, 7))?;
    }
    Ok(())
}

/// The memory of a captured copy is freed while a host function waits. All operations that wait for
/// the device then also wait. New copies still arrive before the next host function runs.
fn beside_ends(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(4096)?;
    let (mut host, captured) = (vec![0u32; 1024], gpu.pinned(1024)?);
    let (calls, copies) =
        (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    for round in 1..=ROUNDS {
        gpu.begin_capture(copies)?;
        cu!(gpu.cuMemcpyDtoHAsync_v2(captured.as_mut_ptr().cast(), memory, 4096, copies)).ok()?;
        let graph = gpu.end_capture(copies)?;
        let exec = gpu.instantiate(graph)?;
        gpu.replay(exec, copies)?;
        cu!(gpu.cuGraphExecDestroy(exec)).ok()?;
        cu!(gpu.cuGraphDestroy(graph)).ok()?;

        let seen =
            Seen { gate: AtomicBool::new(false), host: host.as_ptr(), first: AtomicUsize::new(0) };
        cu!(gpu.cuLaunchHostFunc(calls, Some(pass_gate), (&raw const seen).cast_mut().cast()))
            .ok()?;
        cu!(gpu.cuLaunchHostFunc(calls, Some(check_words), (&raw const seen).cast_mut().cast()))
            .ok()?;
        let mut empty = CUgraph::NULL;
        cu!(gpu.cuGraphCreate(&mut empty, 0)).ok()?;
        cu!(gpu.cuGraphDestroy(empty)).ok()?;
        std::thread::sleep(Duration::from_millis(5));
        cu!(gpu.cuMemsetD32Async(memory, round, 1024, copies)).ok()?;
        cu!(gpu.cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), memory, 4096, copies)).ok()?;
        cu!(gpu.cuStreamSynchronize(copies)).ok()?;
        seen.gate.store(true, SeqCst);
        cu!(gpu.cuStreamSynchronize(calls)).ok()?;
        same("what the host function saw", seen.first.load(SeqCst), round as usize)?;
    }
    Ok(())
}

struct Seen {
    gate: AtomicBool,
    host: *const u32,
    first: AtomicUsize,
}

unsafe extern "C" fn pass_gate(seen: *mut c_void) {
    // SAFETY: the test waits for this function before the round ends.
    let seen = unsafe { &*seen.cast::<Seen>() };
    while !seen.gate.load(SeqCst) {
        std::thread::sleep(Duration::from_micros(50));
    }
}

unsafe extern "C" fn check_words(seen: *mut c_void) {
    // SAFETY: as above, and the copy is complete.
    unsafe { (*seen.cast::<Seen>()).first.store(*(*seen.cast::<Seen>()).host as usize, SeqCst) };
}
