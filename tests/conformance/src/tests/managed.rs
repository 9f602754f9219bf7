//! Memory that program and device access at the same address. The program accesses the memory only
//! while the device is idle, which every device permits.

use crate::gpu::{Done, Gpu, Outcome, cu, fail, same};
use crate::tests::Test;
use outhaul_abi::types::*;
use std::ffi::c_void;
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

pub const TESTS: &[Test] = &[
    ("managed/written_by_turns", by_turns),
    ("managed/copied_and_filled", copied),
    ("managed/several_and_again", several),
    ("managed/pages_of_both", pages_of_both),
    ("managed/read_and_written_by_system_calls", system_calls),
    ("managed/locked_by_the_program", locked),
    ("managed/attached_to_a_stream", attached),
    ("managed/threads_with_streams_of_their_own", threads),
    ("managed/threads_that_wait_for_all_at_once", waiting_for_all),
    ("managed/prefetched_and_advised", prefetched),
    ("managed/more_than_16_gib", more_than_16_gib),
    ("managed/what_is_known_of_it", known),
    ("managed/refused", refused),
    ("managed/beside_a_graph_without_kernels", beside_graph),
    ("managed/a_host_function_before_much_work", before_much_work),
    ("mapped/a_host_function_before_much_work", mapped_before_much_work),
    ("mapped/written_by_the_device", mapped),
    ("mapped/filled_by_the_device", filled),
    ("mapped/registered", registered),
    ("mapped/registered_and_then_taken_away", taken_away),
    ("mapped/not_there_to_be_registered", not_there),
];

const MANAGED_MEMORY: i32 = 83;
const CAN_MAP_HOST_MEMORY: i32 = 19;
const ATTACH_GLOBAL: u32 = 1;
const HOST_ALLOC_DEVICEMAP: u32 = 2;
const WORDS: usize = 5000;
const PAGE_WORDS: usize = 1024;

fn managed(gpu: &Gpu, words: usize) -> Result<&'static mut [u32], Outcome> {
    if gpu.attribute(MANAGED_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device has no managed memory".into()));
    }
    let mut address = 0;
    cu!(gpu.cuMemAllocManaged(&mut address, words * 4, ATTACH_GLOBAL)).ok()?;
    // SAFETY: the driver allocated this number of bytes, and the program may access them.
    Ok(unsafe { std::slice::from_raw_parts_mut(address as *mut u32, words) })
}

fn address(memory: &[u32]) -> CUdeviceptr {
    memory.as_ptr() as CUdeviceptr
}

fn by_turns(gpu: &Gpu) -> Done {
    let memory = managed(gpu, WORDS)?;
    let add = gpu.function(gpu.module()?, "add")?;
    for (i, word) in memory.iter_mut().enumerate() {
        *word = i as u32;
    }
    for round in 1..4u32 {
        gpu.launch(add, (20, 256), CUstream::NULL, address(memory), &[WORDS as u32, 100]).ok()?;
        gpu.synchronize().ok()?;
        let expected: Vec<u32> = (0..WORDS as u32)
            .map(|i| i + round * 100 + if i == 7 { round - 1 } else { 0 })
            .collect();
        same("after the device", memory.to_vec(), expected)?;
        memory[7] += 1;
    }
    cu!(gpu.cuMemFree_v2(address(memory))).ok().map_err(Into::into)
}

fn copied(gpu: &Gpu) -> Done {
    let memory = managed(gpu, WORDS)?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    memory.fill(3);
    same("a copy from it", gpu.read(address(memory), 2)?, vec![3, 3])?;
    gpu.write(address(memory) + 4, &[9])?;
    gpu.synchronize().ok()?;
    same("a copy to it", memory[..3].to_vec(), vec![3, 9, 3])?;
    cu!(gpu.cuMemsetD32Async(address(memory), 5, WORDS, stream)).ok()?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("filled", (memory[0], memory[WORDS - 1]), (5, 5))
}

fn several(gpu: &Gpu) -> Done {
    let fill = gpu.function(gpu.module()?, "fill")?;
    for round in 0..3 {
        let (first, second) = (managed(gpu, WORDS)?, managed(gpu, 10)?);
        gpu.launch(fill, (20, 256), CUstream::NULL, address(first), &[WORDS as u32, round]).ok()?;
        gpu.launch(fill, (1, 32), CUstream::NULL, address(second), &[10, 50 + round]).ok()?;
        let event = gpu.event(0)?;
        cu!(gpu.cuEventRecord(event, CUstream::NULL)).ok()?;
        cu!(gpu.cuEventSynchronize(event)).ok()?;
        same("one", first[WORDS - 1], round + WORDS as u32 - 1)?;
        same("the other", second[9], 59 + round)?;
        cu!(gpu.cuMemFree_v2(address(first))).ok()?;
        cu!(gpu.cuMemFree_v2(address(second))).ok()?;
    }
    Ok(())
}

/// Program and device write different pages of one allocation in turn.
fn pages_of_both(gpu: &Gpu) -> Done {
    const PAGES: usize = 1600;
    let memory = managed(gpu, PAGES * PAGE_WORDS)?;
    let fill = gpu.function(gpu.module()?, "fill")?;
    let mut expected = vec![0u32; memory.len()];
    for round in 0..12u32 {
        for page in (round as usize % 7..PAGES).step_by(7) {
            let word = page * PAGE_WORDS + round as usize * 80;
            (memory[word], expected[word]) = (round + 1, round + 1);
        }
        for page in ((round as usize + 3) % 7..PAGES).step_by(70) {
            let first = page * PAGE_WORDS;
            let value = round * 10_000 + page as u32;
            gpu.launch(
                fill,
                (4, 256),
                CUstream::NULL,
                address(&memory[first..]),
                &[PAGE_WORDS as u32, value],
            )
            .ok()?;
            expected[first..first + PAGE_WORDS]
                .iter_mut()
                .zip(value..)
                .for_each(|(word, value)| *word = value);
        }
        gpu.synchronize().ok()?;
        // The program does not read all pages each time, so that unread pages must also be right
        // later.
        let looked_at = if round % 3 == 2 { 0..PAGES } else { 200..300 };
        for page in looked_at {
            let words = page * PAGE_WORDS..(page + 1) * PAGE_WORDS;
            if memory[words.clone()] != expected[words] {
                return fail(format!("page {page} is wrong in round {round}"));
            }
        }
    }
    Ok(())
}

/// System calls read the data that the device wrote, and write the data that the device reads.
fn system_calls(gpu: &Gpu) -> Done {
    const WORDS: usize = 100_000;
    const BYTES: usize = WORDS * 4;
    let memory = managed(gpu, WORDS)?;
    let (fill, add) = (gpu.function(gpu.module()?, "fill")?, gpu.function(gpu.module()?, "add")?);
    // SAFETY: the name is a C string, and no other code uses the descriptor.
    let file = unsafe { std::fs::File::from_raw_fd(libc::memfd_create(c"managed".as_ptr(), 0)) };
    for round in 1..4u32 {
        gpu.launch(fill, (400, 256), CUstream::NULL, address(memory), &[WORDS as u32, round])
            .ok()?;
        gpu.synchronize().ok()?;
        // SAFETY: the memory is valid for reads of `BYTES` bytes.
        let written = unsafe { libc::pwrite(file.as_raw_fd(), memory.as_ptr().cast(), BYTES, 0) };
        same("bytes written", written, BYTES as isize)?;
        gpu.launch(add, (400, 256), CUstream::NULL, address(memory), &[WORDS as u32, 1]).ok()?;
        gpu.synchronize().ok()?;
        // Restores the previous content, except for the first word.
        // SAFETY: as above.
        let read =
            unsafe { libc::pread(file.as_raw_fd(), memory[1..].as_mut_ptr().cast(), BYTES - 4, 4) };
        same("bytes read", read, BYTES as isize - 4)?;
        gpu.launch(add, (400, 256), CUstream::NULL, address(memory), &[WORDS as u32, 5]).ok()?;
        gpu.synchronize().ok()?;
        same(
            "after all",
            (memory[0], memory[1], memory[WORDS - 1]),
            (round + 6, round + 6, round + WORDS as u32 + 4),
        )?;
    }
    Ok(())
}

/// The program owns memory that is attached to a stream while other streams run. The program also
/// owns memory that is attached to the host.
fn attached(gpu: &Gpu) -> Done {
    let (memory, hosts, other) = (managed(gpu, WORDS)?, managed(gpu, WORDS)?, gpu.alloc(4096)?);
    let (stream, busy) =
        (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let add = gpu.function(gpu.module()?, "add")?;
    let attach = |memory: &[u32], flags| {
        cu!(gpu.cuStreamAttachMemAsync(stream, address(memory), 0, flags)).ok()
    };
    attach(memory, values::MEM_ATTACH_SINGLE)?;
    attach(hosts, values::MEM_ATTACH_HOST)?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    for round in 1..5u32 {
        gpu.launch(add, (4, 256), busy, other, &[1024, 1]).ok()?;
        memory.fill(round * 100);
        hosts[WORDS - 1] = round;
        gpu.launch(add, (20, 256), stream, address(memory), &[WORDS as u32, 7]).ok()?;
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
        same(
            "after the device",
            (memory[0], memory[WORDS - 1]),
            (round * 100 + 7, round * 100 + 7),
        )?;
    }
    same("what is the program's", hosts[WORDS - 1], 4)?;
    attach(hosts, values::MEM_ATTACH_GLOBAL)?;
    gpu.launch(add, (20, 256), busy, address(hosts), &[WORDS as u32, 1]).ok()?;
    cu!(gpu.cuStreamSynchronize(busy)).ok()?;
    same("what every stream may use again", (hosts[0], hosts[WORDS - 1]), (1, 5))
}

/// Each thread writes memory that is attached to its stream, lets a kernel change the memory, and
/// reads the memory. All threads do this concurrently.
fn threads(gpu: &Gpu) -> Done {
    const THREADS: usize = 4;
    const SIZES: [usize; 3] = [300, 40_000, 700_000];
    let add = gpu.function(gpu.module()?, "add")?;
    let mine: Vec<_> = (0..THREADS)
        .map(|_| {
            Ok((
                gpu.stream(values::STREAM_NON_BLOCKING)?,
                SIZES.iter().map(|words| managed(gpu, *words)).collect::<Result<Vec<_>, _>>()?,
            ))
        })
        .collect::<Result<_, Outcome>>()?;
    std::thread::scope(|scope| {
        let work = |(stream, pieces): (CUstream, Vec<&'static mut [u32]>), thread: u32| {
            cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
            let mut pieces = pieces;
            for round in 0..12u32 {
                for memory in &mut pieces {
                    let flags = if round % 2 == 0 {
                        values::MEM_ATTACH_HOST
                    } else {
                        values::MEM_ATTACH_SINGLE
                    };
                    cu!(gpu.cuStreamAttachMemAsync(stream, address(memory), 0, flags)).ok()?;
                    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
                    let first = thread * 1000 + round;
                    memory.iter_mut().zip(first..).for_each(|(word, value)| *word = value);
                    cu!(gpu.cuStreamAttachMemAsync(
                        stream,
                        address(memory),
                        0,
                        values::MEM_ATTACH_SINGLE
                    ))
                    .ok()?;
                    let blocks = memory.len().div_ceil(1024) as u32;
                    gpu.launch(
                        add,
                        (blocks, 1024),
                        stream,
                        address(memory),
                        &[memory.len() as u32, 5],
                    )
                    .ok()?;
                    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
                    if let Some(at) =
                        memory.iter().zip(first + 5..).position(|(word, value)| *word != value)
                    {
                        return fail(format!(
                            "word {at} of {} is {} in round {round} of thread {thread}",
                            memory.len(),
                            memory[at]
                        ));
                    }
                }
            }
            Ok(())
        };
        let threads: Vec<_> =
            mine.into_iter().zip(0..).map(|(mine, i)| scope.spawn(move || work(mine, i))).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| fail("a thread panicked")))
    })
}

/// All threads submit work, and then all wait for the device at once. A thread that has waited
/// finds the results of all kernels, and writes while other threads still wait.
fn waiting_for_all(gpu: &Gpu) -> Done {
    const THREADS: usize = 4;
    const PAGES: usize = 40;
    let add = gpu.function(gpu.module()?, "add")?;
    let memory = managed(gpu, THREADS * PAGES * PAGE_WORDS)?;
    let (first, words) = (address(memory), PAGES * PAGE_WORDS);
    let barrier = std::sync::Barrier::new(THREADS);
    let word = |thread: usize, at: usize| (first as *mut u32).wrapping_add(thread * words + at);
    let work = |thread: usize| {
        let mut wrong = None;
        cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
        let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
        for round in 1..40u32 {
            barrier.wait();
            let posted = gpu.launch(
                add,
                (words as u32 / 256, 256),
                stream,
                first + (thread * words * 4) as u64,
                &[words as u32, 1],
            );
            barrier.wait();
            let waited = gpu.synchronize();
            let page = round as usize % PAGES * PAGE_WORDS;
            for other in 0..THREADS {
                // SAFETY: no thread writes this word of the memory now.
                let found = unsafe { word(other, page + 5).read_volatile() };
                if found != round {
                    wrong = wrong.or(Some(format!(
                        "thread {thread} finds {found} of thread {other} in round {round}"
                    )));
                }
            }
            // SAFETY: only this thread uses this word of the memory.
            let own = unsafe { word(thread, page + 9).read_volatile() };
            // SAFETY: as above.
            unsafe { word(thread, page + 9).write_volatile(own + 1000) };
            if posted != CUresult::SUCCESS || waited != CUresult::SUCCESS {
                wrong = wrong.or(Some(format!("{posted} and {waited} in round {round}")));
            }
        }
        wrong.map_or(Ok(()), fail)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..THREADS).map(|thread| scope.spawn(move || work(thread))).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| fail("a thread panicked")))
    })?;
    // The kernels add 1 to every word in each of 39 rounds. The program adds 1000 to a word of one
    // page per round.
    let own = |page: usize| memory[page * PAGE_WORDS + 9];
    same("what the program wrote", (own(0), own(1), own(39)), (39, 1039, 1039))
}

fn prefetched(gpu: &Gpu) -> Done {
    const WORDS: usize = 1 << 20;
    const LAST_PREFETCH_LOCATION: i32 = 4;
    const PREFERRED_LOCATION: i32 = 2;
    const SET_PREFERRED_LOCATION: i32 = 3;
    let memory = managed(gpu, WORDS)?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let add = gpu.function(gpu.module()?, "add")?;
    let ask = |what| {
        let mut value = 77i32;
        cu!(gpu.cuMemRangeGetAttribute(
            (&raw mut value).cast(),
            4,
            what,
            address(memory),
            WORDS * 4
        ))
        .ok()
        .map(|()| value)
    };
    let prefetch = |to| match cu!(gpu.cuMemPrefetchAsync(address(memory), WORDS * 4, to, stream)) {
        CUresult::INVALID_DEVICE => Err(Outcome::Skipped("the device takes no prefetches".into())),
        other => other.ok().map_err(Outcome::from),
    };
    same("no place was preferred", ask(PREFERRED_LOCATION)?, values::DEVICE_INVALID)?;
    for round in 0..6u32 {
        if round == 3 {
            cu!(gpu.cuMemAdvise(
                address(memory),
                WORDS * 4,
                SET_PREFERRED_LOCATION,
                values::DEVICE_CPU
            ))
            .ok()?;
            same("preferred", ask(PREFERRED_LOCATION)?, values::DEVICE_CPU)?;
        }
        // SAFETY: the memory has this number of words, and no other thread accesses it.
        unsafe { std::slice::from_raw_parts_mut(memory.as_ptr().cast_mut(), WORDS) }.fill(round);
        prefetch(0)?;
        same("at the device", ask(LAST_PREFETCH_LOCATION)?, 0)?;
        gpu.launch(add, (WORDS as u32 / 256, 256), stream, address(memory), &[WORDS as u32, 1])
            .ok()?;
        if round % 2 == 0 {
            prefetch(values::DEVICE_CPU)?;
            same("at the host", ask(LAST_PREFETCH_LOCATION)?, values::DEVICE_CPU)?;
        }
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
        if let Some(at) = memory.iter().position(|word| *word != round + 1) {
            return fail(format!("word {at} is {} in round {round}", memory[at]));
        }
    }
    Ok(())
}

fn more_than_16_gib(gpu: &Gpu) -> Done {
    const BYTES: usize = 20 << 30;
    const PLACES: [usize; 3] = [0, BYTES / 8, BYTES / 4 - 256];
    let (mut free, mut total) = (0, 0);
    cu!(gpu.cuMemGetInfo_v2(&mut free, &mut total)).ok()?;
    if free < BYTES + (4 << 30) {
        return Err(Outcome::Skipped("the device has less memory".into()));
    }
    let memory = managed(gpu, BYTES / 4)?;
    let add = gpu.function(gpu.module()?, "add")?;
    for round in 1..3u32 {
        // Runs before all kernels, because the device owns the memory from the first kernel on.
        for at in PLACES {
            memory[at] += 10;
        }
        for at in PLACES {
            gpu.launch(add, (1, 256), CUstream::NULL, address(&memory[at..]), &[256, 1]).ok()?;
        }
        gpu.synchronize().ok()?;
        same("the end", (memory[BYTES / 4 - 256], memory[BYTES / 4 - 1]), (round * 11, round))?;
        same("the beginning", (memory[0], memory[255], memory[256]), (round * 11, round, 0))?;
        same("the middle", (memory[BYTES / 8 - 1], memory[BYTES / 8]), (0, round * 11))?;
    }
    cu!(gpu.cuMemFree_v2(address(memory))).ok().map_err(Into::into)
}

fn known(gpu: &Gpu) -> Done {
    const IS_MANAGED: i32 = 8;
    let memory = managed(gpu, WORDS)?;
    let mut is = 0u32;
    cu!(gpu.cuPointerGetAttribute((&raw mut is).cast(), IS_MANAGED, address(memory) + 40)).ok()?;
    same("managed", is & 1, 1)?;
    let plain = gpu.alloc(4)?;
    cu!(gpu.cuPointerGetAttribute((&raw mut is).cast(), IS_MANAGED, plain)).ok()?;
    same("device memory is managed", is & 1, 0)
}

fn refused(gpu: &Gpu) -> Done {
    managed(gpu, 1)?;
    let mut place = 0;
    same(
        "no bytes",
        cu!(gpu.cuMemAllocManaged(&mut place, 0, ATTACH_GLOBAL)),
        CUresult::INVALID_VALUE,
    )?;
    same("no flags", cu!(gpu.cuMemAllocManaged(&mut place, 4096, 0)), CUresult::INVALID_VALUE)?;
    same(
        "no place",
        cu!(gpu.cuMemAllocManaged(std::ptr::null_mut(), 4096, ATTACH_GLOBAL)),
        CUresult::INVALID_VALUE,
    )
}

fn pinned(gpu: &Gpu) -> Result<&'static mut [u32], Outcome> {
    if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device cannot reach host memory".into()));
    }
    let mut host: *mut c_void = std::ptr::null_mut();
    cu!(gpu.cuMemHostAlloc(&mut host, WORDS * 4, HOST_ALLOC_DEVICEMAP)).ok()?;
    // SAFETY: the driver allocated this number of bytes.
    Ok(unsafe { std::slice::from_raw_parts_mut(host.cast(), WORDS) })
}

fn device_pointer(gpu: &Gpu, memory: &mut [u32]) -> Result<CUdeviceptr, Outcome> {
    let mut address = 0;
    cu!(gpu.cuMemHostGetDevicePointer_v2(&mut address, memory.as_mut_ptr().cast(), 0)).ok()?;
    Ok(address)
}

fn mapped(gpu: &Gpu) -> Done {
    let memory = pinned(gpu)?;
    memory.fill(1);
    let device = device_pointer(gpu, memory)?;
    same("the device's address", device, address(memory))?;
    let add = gpu.function(gpu.module()?, "add")?;
    for round in 1..4 {
        gpu.launch(add, (20, 256), CUstream::NULL, device, &[WORDS as u32, 10]).ok()?;
        gpu.synchronize().ok()?;
        same(
            "after the device",
            (memory[0], memory[WORDS - 1]),
            (1 + 11 * round - round, 1 + 11 * round - 1),
        )?;
        memory[WORDS - 1] += 1;
    }
    cu!(gpu.cuMemFreeHost(memory.as_mut_ptr().cast())).ok().map_err(Into::into)
}

/// Does not ask for the device address.
fn filled(gpu: &Gpu) -> Done {
    let memory = pinned(gpu)?;
    memory.fill(1);
    cu!(gpu.cuMemsetD32Async(address(memory) + 8, 7, 2, CUstream::NULL)).ok()?;
    gpu.synchronize().ok()?;
    same("filled", memory[..5].to_vec(), vec![1, 1, 7, 7, 1])
}

/// Programs that need steady times lock all of their memory.
fn locked(gpu: &Gpu) -> Done {
    let memory = managed(gpu, 64 * PAGE_WORDS)?;
    // SAFETY: this changes no contents. NVIDIA's driver may refuse it.
    unsafe { libc::mlock(memory.as_ptr().cast(), size_of_val(memory)) };
    for value in 1..4 {
        memory.fill(100);
        let half = memory.len() / 2;
        cu!(gpu.cuMemsetD32Async(address(memory), value, half, CUstream::NULL)).ok()?;
        gpu.synchronize().ok()?;
        let right = memory[..half].iter().filter(|word| **word == value).count();
        same("words of the device", right, half)?;
        let right = memory[half..].iter().filter(|word| **word == 100).count();
        same("words of the program", right, half)?;
    }
    Ok(())
}

fn registered(gpu: &Gpu) -> Done {
    if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device cannot reach host memory".into()));
    }
    let layout = std::alloc::Layout::from_size_align(1 << 16, 4096).expect("a power of two");
    // SAFETY: the layout is not empty, and the memory is never freed.
    let memory = unsafe {
        std::slice::from_raw_parts_mut(
            std::alloc::alloc_zeroed(layout).cast::<u32>(),
            (1 << 16) / 4,
        )
    };
    cu!(gpu.cuMemHostRegister_v2(memory.as_mut_ptr().cast(), 1 << 16, HOST_ALLOC_DEVICEMAP))
        .ok()?;
    let device = device_pointer(gpu, memory)?;
    let fill = gpu.function(gpu.module()?, "fill")?;
    gpu.launch(fill, (4, 256), CUstream::NULL, device, &[1024, 30]).ok()?;
    gpu.synchronize().ok()?;
    same("after the device", (memory[0], memory[1023], memory[1024]), (30, 1053, 0))?;
    cu!(gpu.cuMemHostUnregister(memory.as_mut_ptr().cast())).ok().map_err(Into::into)
}

/// Pages of the program, each of which it may unmap.
struct OwnPages {
    start: *mut c_void,
    count: usize,
}

impl OwnPages {
    fn new(count: usize) -> OwnPages {
        let both = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: creates a mapping, and replaces none.
        let start =
            unsafe { libc::mmap(std::ptr::null_mut(), count * PAGE_WORDS * 4, both, flags, -1, 0) };
        OwnPages { start, count }
    }

    fn page(&self, number: usize) -> *mut c_void {
        self.start.wrapping_byte_add(number * PAGE_WORDS * 4)
    }

    fn protect(&self, number: usize, protection: i32) {
        // SAFETY: no reference to the page exists.
        unsafe { libc::mprotect(self.page(number), PAGE_WORDS * 4, protection) };
    }

    fn unmap(&self, number: usize) {
        // SAFETY: no reference to the page exists.
        unsafe { libc::munmap(self.page(number), PAGE_WORDS * 4) };
    }

    fn register(&self, gpu: &Gpu, flags: u32) -> CUresult {
        cu!(gpu.cuMemHostRegister_v2(self.start, self.count * PAGE_WORDS * 4, flags))
    }
}

/// The program unmaps and protects registered memory while kernels use the rest of it.
fn taken_away(gpu: &Gpu) -> Done {
    if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device cannot reach host memory".into()));
    }
    let pages = OwnPages::new(64);
    pages.register(gpu, HOST_ALLOC_DEVICEMAP).ok()?;
    let mut device = 0;
    cu!(gpu.cuMemHostGetDevicePointer_v2(&mut device, pages.start, 0)).ok()?;
    let fill = gpu.function(gpu.module()?, "fill")?;
    let first = pages.start.cast::<u32>();
    let fills_first_page = |value: u32| -> Done {
        gpu.launch(fill, (4, 256), CUstream::NULL, device, &[1024, value]).ok()?;
        gpu.synchronize().ok()?;
        // SAFETY: the program has not unmapped the first page, and the device is idle.
        let seen = unsafe { (first.read(), first.add(PAGE_WORDS - 1).read()) };
        same("after the device", seen, (value, value + 1023))
    };
    fills_first_page(10)?;
    pages.unmap(20);
    fills_first_page(20)?;
    pages.protect(21, libc::PROT_NONE);
    fills_first_page(30)?;
    pages.protect(22, libc::PROT_READ);
    (30..pages.count).for_each(|page| pages.unmap(page));
    fills_first_page(40)?;
    cu!(gpu.cuMemHostUnregister(pages.start)).ok()?;
    gpu.synchronize().ok().map_err(Into::into)
}

fn not_there(gpu: &Gpu) -> Done {
    const READ_ONLY: u32 = 8;
    let pages = OwnPages::new(3);
    let registered = |flags| {
        let done = pages.register(gpu, flags);
        if done == CUresult::SUCCESS {
            cu!(gpu.cuMemHostUnregister(pages.start)).ok()?;
        }
        Ok::<_, Outcome>(done)
    };
    same("ordinary memory", registered(0)?, CUresult::SUCCESS)?;
    pages.protect(1, libc::PROT_READ);
    same("readable memory", registered(0)?, CUresult::INVALID_VALUE)?;
    same("readable memory that is only read", registered(READ_ONLY)?, CUresult::SUCCESS)?;
    pages.protect(1, libc::PROT_NONE);
    same("protected memory", registered(READ_ONLY)?, CUresult::INVALID_VALUE)?;
    pages.unmap(1);
    same("memory with a hole", registered(0)?, CUresult::INVALID_VALUE)?;
    pages.unmap(0);
    same("no memory", registered(0)?, CUresult::INVALID_VALUE)
}

/// The program may use managed memory while a graph fills only other memory.
fn beside_graph(gpu: &Gpu) -> Done {
    let (memory, other) = (managed(gpu, WORDS)?, gpu.alloc(64)?);
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let add = gpu.function(gpu.module()?, "add")?;
    gpu.begin_capture(stream)?;
    cu!(gpu.cuMemsetD32Async(other, 1, 16, stream)).ok()?;
    let exec = gpu.instantiate(gpu.end_capture(stream)?)?;
    for round in 1..4 {
        cu!(gpu.cuGraphLaunch(exec, stream)).ok()?;
        memory[9] = round * 10;
        gpu.launch(add, (20, 256), stream, address(memory), &[WORDS as u32, 1]).ok()?;
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
        same("after the device", (memory[8], memory[9]), (round, round * 10 + 1))?;
    }
    Ok(())
}

/// A host function is followed by more kernels than the node keeps in flight. The function reads
/// the data that the device wrote before it, and later work reads the function's data. The program
/// submits all work while the function runs.
fn much_work(gpu: &Gpu, memory: &mut [u32]) -> Done {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    unsafe extern "C" fn double(word: *mut c_void) {
        // The duration varies, so that the function sometimes ends while the program submits work.
        let round = CALLS.fetch_add(1, SeqCst);
        std::thread::sleep(std::time::Duration::from_micros(150 * (round % 16)));
        // SAFETY: no other code accesses this word at this time.
        unsafe { word.cast::<u32>().write(word.cast::<u32>().read().wrapping_mul(2)) };
    }
    let (work, other) = (gpu.alloc(1 << 20)?, gpu.alloc(64)?);
    let (stream, second) = (gpu.stream(0)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let add = gpu.function(gpu.module()?, "add")?;
    memory[5] = 1;
    let mut expected: u32 = 1;
    for _ in 0..16 {
        gpu.launch(add, (1, 32), stream, address(memory), &[6, 3]).ok()?;
        cu!(gpu.cuLaunchHostFunc(stream, Some(double), std::ptr::from_mut(&mut memory[5]).cast()))
            .ok()?;
        gpu.launch(add, (1, 32), stream, address(memory), &[6, 1]).ok()?;
        for _ in 0..150 {
            gpu.launch(add, (8, 256), stream, work, &[1 << 11, 1]).ok()?;
        }
        gpu.launch(add, (1, 32), second, other, &[16, 1]).ok()?;
        cu!(gpu.cuStreamSynchronize(second)).ok()?;
        gpu.synchronize().ok()?;
        expected = expected.wrapping_add(3).wrapping_mul(2) + 1;
        same("what both wrote", memory[5], expected)?;
    }
    Ok(())
}

fn before_much_work(gpu: &Gpu) -> Done {
    much_work(gpu, managed(gpu, WORDS)?)
}

fn mapped_before_much_work(gpu: &Gpu) -> Done {
    let memory = pinned(gpu)?;
    device_pointer(gpu, memory)?;
    much_work(gpu, memory)?;
    // Repeats the test with more memory than the client sends without a request.
    let mut host: *mut c_void = std::ptr::null_mut();
    cu!(gpu.cuMemHostAlloc(&mut host, 1 << 20, HOST_ALLOC_DEVICEMAP)).ok()?;
    // SAFETY: the driver allocated this number of bytes.
    let memory = unsafe { std::slice::from_raw_parts_mut(host.cast(), WORDS) };
    device_pointer(gpu, memory)?;
    much_work(gpu, memory)
}
