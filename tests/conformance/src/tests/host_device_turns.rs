//! Contents of managed and mapped memory that host and device use in turn: after every kind of
//! wait, after copies, in callbacks, and in graphs.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, fail, same};
use outhaul_abi::types::*;
use std::ffi::{CString, c_void};

pub const TESTS: &[Test] = &[
    ("managed/every_way_to_wait", waits),
    ("managed/copies_and_fills", copies),
    ("managed/a_host_callback_has_its_turn", callback),
    ("managed/a_host_callback_before_more_than_the_driver_takes", before_much),
    ("managed/graphs_with_host_functions_one_behind_the_other", graphs_that_call),
    ("managed/pinned_memory_ends_between_host_functions", freed_between),
    ("managed/modules_end_between_host_functions", unloaded_between),
    ("managed/streams_modules_and_graphs_are_made_between_host_functions", made_between),
    ("managed/running_graphs_end_between_host_functions", destroyed_between),
    (
        "managed/streams_are_made_behind_host_functions_of_streams_that_are_gone_or_capture",
        made_behind,
    ),
    ("managed/streams_are_made_beside_host_functions_of_another_context", made_beside),
    ("managed/a_graph_sees_what_the_host_wrote", graph),
    ("managed/many_pieces", many),
    ("managed/a_large_piece", large),
    ("managed/a_librarys_variable", variable),
    ("managed/hints", hints),
    ("managed/bad_arguments", bad_arguments),
    ("mapped/the_host_writes_between_launches", between),
    ("mapped/both_sides_of_one_page", both),
    ("mapped/copies_behind_kernels", mapped_copies),
    ("mapped/a_graph", mapped_graph),
    ("mapped/freed_and_again", again),
    ("mapped/bad_arguments", bad_pointers),
];

const WORDS: usize = 3000;
const MANAGED_MEMORY: i32 = 83;
const CONCURRENT_ACCESS: i32 = 89;
const CAN_MAP_HOST_MEMORY: i32 = 19;

/// Returns managed memory of `words` words, as a device address and a slice for the host.
fn global(gpu: &Gpu, words: usize) -> Result<(CUdeviceptr, &'static mut [u32]), Outcome> {
    if gpu.attribute(MANAGED_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device has no managed memory".into()));
    }
    let mut address = 0;
    cu!(gpu.cuMemAllocManaged(&mut address, words * 4, values::MEM_ATTACH_GLOBAL)).ok()?;
    // SAFETY: the managed memory has this size and lives until the test frees it.
    Ok((address, unsafe { std::slice::from_raw_parts_mut(address as *mut u32, words) }))
}

/// Returns pinned memory, as a slice for the host and a device address.
fn mapped(gpu: &Gpu, words: usize) -> Result<(&'static mut [u32], CUdeviceptr), Outcome> {
    if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device cannot map host memory".into()));
    }
    let (mut host, mut device): (*mut c_void, _) = (std::ptr::null_mut(), 0);
    cu!(gpu.cuMemHostAlloc(&mut host, words * 4, values::MEMHOSTALLOC_DEVICEMAP)).ok()?;
    cu!(gpu.cuMemHostGetDevicePointer_v2(&mut device, host, 0)).ok()?;
    // SAFETY: the pinned memory has this size and lives until the test frees it.
    Ok((unsafe { std::slice::from_raw_parts_mut(host.cast(), words) }, device))
}

fn count_up(words: &mut [u32], first: u32) {
    words.iter_mut().zip(first..).for_each(|(word, value)| *word = value);
}

fn counts_up(what: &str, words: &[u32], first: u32) -> Done {
    match words.iter().zip(first..).position(|(word, value)| *word != value) {
        None => Ok(()),
        Some(at) => {
            fail(format!("{what}: word {at} is {}, expected {}", words[at], first + at as u32))
        }
    }
}

fn waits(gpu: &Gpu) -> Done {
    let module = gpu.module()?;
    let (fill, stream) = (gpu.function(module, "fill")?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let (address, words) = global(gpu, WORDS)?;
    let other = gpu.alloc(WORDS * 4)?;
    let event = gpu.event(0)?;
    let launch = |value: u32| -> Done {
        gpu.launch(fill, (12, 256), stream, address, &[WORDS as u32, value]).ok()?;
        Ok(cu!(gpu.cuEventRecord(event, stream)).ok()?)
    };
    launch(10)?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    counts_up("after the stream", words, 10)?;
    launch(20)?;
    cu!(gpu.cuEventSynchronize(event)).ok()?;
    counts_up("after the event", words, 20)?;
    launch(30)?;
    while cu!(gpu.cuEventQuery(event)) == CUresult::NOT_READY {}
    counts_up("after the event's query", words, 30)?;
    launch(40)?;
    while cu!(gpu.cuStreamQuery(stream)) == CUresult::NOT_READY {}
    counts_up("after the stream's query", words, 40)?;
    gpu.launch(fill, (12, 256), CUstream::NULL, address, &[WORDS as u32, 50]).ok()?;
    gpu.read(other, 1)?;
    counts_up("after a synchronous copy", words, 50)
}

fn copies(gpu: &Gpu) -> Done {
    let (address, words) = global(gpu, WORDS)?;
    let (other, others) = global(gpu, WORDS)?;
    let memory = gpu.alloc(WORDS * 4)?;
    let mut plain = vec![0u32; WORDS];
    count_up(&mut plain, 5);
    gpu.write(address, &plain)?;
    counts_up("copied to as the device's", words, 5)?;
    count_up(words, 6);
    counts_up("copied from as the device's", &gpu.read(address, WORDS)?, 6)?;
    // Copies as host memory, and with functions that infer the memory kind from the addresses.
    let bytes = WORDS * 4;
    cu!(gpu.cuMemcpyHtoD_v2(memory, words.as_ptr().cast(), bytes)).ok()?;
    counts_up("copied from as the host's", &gpu.read(memory, WORDS)?, 6)?;
    count_up(&mut plain, 7);
    gpu.write(memory, &plain)?;
    cu!(gpu.cuMemcpyDtoH_v2(others.as_mut_ptr().cast(), memory, bytes)).ok()?;
    counts_up("copied to as the host's", others, 7)?;
    cu!(gpu.cuMemcpy(address, other, bytes)).ok()?;
    gpu.synchronize().ok()?;
    counts_up("between two pieces", words, 7)?;
    cu!(gpu.cuMemsetD32_v2(address, 9, WORDS)).ok()?;
    gpu.synchronize().ok()?;
    same("filled", (words[0], words[WORDS - 1]), (9, 9))
}

unsafe extern "C" fn double(words: *mut c_void) {
    // SAFETY: the test passes `WORDS` words.
    let words = unsafe { std::slice::from_raw_parts_mut(words.cast::<u32>(), WORDS) };
    words.iter_mut().for_each(|word| *word *= 2);
}

unsafe extern "C" fn add_one(words: *mut c_void) {
    // SAFETY: the test passes `WORDS` words.
    let words = unsafe { std::slice::from_raw_parts_mut(words.cast::<u32>(), WORDS) };
    words.iter_mut().for_each(|word| *word += 1);
}

/// While a callback runs, its stream counts as idle.
fn callback(gpu: &Gpu) -> Done {
    let module = gpu.module()?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let (address, words) = global(gpu, WORDS)?;
    words.fill(1);
    let add = gpu.function(module, "add")?;
    gpu.launch(add, (12, 256), stream, address, &[WORDS as u32, 10]).ok()?;
    cu!(gpu.cuLaunchHostFunc(stream, Some(double), words.as_mut_ptr().cast())).ok()?;
    gpu.launch(add, (12, 256), stream, address, &[WORDS as u32, 3]).ok()?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("after kernel, callback, kernel", (words[0], words[WORDS - 1]), (25, 25))
}

/// Submits more work than NVIDIA's driver queues, so that the launch waits inside its call. The
/// callback must not wait for the launch.
fn before_much(gpu: &Gpu) -> Done {
    const LAUNCHES: u32 = 1500;
    let module = gpu.module()?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let (address, words) = global(gpu, WORDS)?;
    words.fill(1);
    let (add, spin) = (gpu.function(module, "add")?, gpu.function(module, "spin")?);
    gpu.launch(spin, (1, 1), stream, gpu.alloc(4)?, &[2_000_000]).ok()?;
    cu!(gpu.cuLaunchHostFunc(stream, Some(double), words.as_mut_ptr().cast())).ok()?;
    for _ in 0..LAUNCHES {
        gpu.launch(add, (12, 256), stream, address, &[WORDS as u32, 1]).ok()?;
    }
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("after callback and kernels", (words[0], words[WORDS - 1]), (2 + LAUNCHES, 2 + LAUNCHES))
}

/// In the driver, a free of pinned memory waits for the device. Over a network the program
/// continues in the meantime.
fn freed_between(gpu: &Gpu) -> Done {
    const ROUNDS: u32 = 20;
    const BYTES: usize = 4 << 20;
    let module = gpu.module()?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let (_, words) = global(gpu, WORDS)?;
    words.fill(1);
    let (spin, slow) = (gpu.function(module, "spin")?, gpu.alloc(BYTES)?);
    for _ in 0..ROUNDS {
        let mut pinned = std::ptr::null_mut();
        cu!(gpu.cuMemHostAlloc(&mut pinned, BYTES, 0)).ok()?;
        cu!(gpu.cuMemcpyHtoDAsync_v2(slow, pinned, BYTES, stream)).ok()?;
        gpu.launch(spin, (1, 1), stream, slow, &[20_000]).ok()?;
        cu!(gpu.cuLaunchHostFunc(stream, Some(add_one), words.as_mut_ptr().cast())).ok()?;
        cu!(gpu.cuMemFreeHost(pinned)).ok()?;
    }
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("words", (words[0], words[WORDS - 1]), (1 + ROUNDS, 1 + ROUNDS))
}

/// Unloading a module may also wait.
fn unloaded_between(gpu: &Gpu) -> Done {
    const ROUNDS: u32 = 20;
    let (stream, slow) = (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.alloc(4)?);
    let (_, words) = global(gpu, WORDS)?;
    words.fill(1);
    for _ in 0..ROUNDS {
        let module = gpu.module()?;
        gpu.launch(gpu.function(module, "spin")?, (1, 1), stream, slow, &[20_000]).ok()?;
        cu!(gpu.cuLaunchHostFunc(stream, Some(add_one), words.as_mut_ptr().cast())).ok()?;
        cu!(gpu.cuModuleUnload(module)).ok()?;
    }
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("words", (words[0], words[WORDS - 1]), (1 + ROUNDS, 1 + ROUNDS))
}

/// Creating a module, an executable graph, or one of many streams may also wait.
fn made_between(gpu: &Gpu) -> Done {
    const ROUNDS: u32 = 40;
    let module = gpu.module()?;
    let (stream, other) =
        (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let (spin, slow) = (gpu.function(module, "spin")?, gpu.alloc(4)?);
    let (_, words) = global(gpu, WORDS)?;
    words.fill(1);
    gpu.begin_capture(other)?;
    gpu.launch(spin, (1, 1), other, slow, &[1]).ok()?;
    let graph = gpu.end_capture(other)?;
    for _ in 0..ROUNDS {
        gpu.launch(spin, (1, 1), stream, slow, &[2_000]).ok()?;
        cu!(gpu.cuLaunchHostFunc(stream, Some(add_one), words.as_mut_ptr().cast())).ok()?;
        gpu.stream(values::STREAM_NON_BLOCKING)?;
        gpu.module()?;
        gpu.instantiate(graph)?;
    }
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("words", (words[0], words[WORDS - 1]), (1 + ROUNDS, 1 + ROUNDS))
}

/// Destroying a running executable graph may also wait.
fn destroyed_between(gpu: &Gpu) -> Done {
    const ROUNDS: u32 = 20;
    let module = gpu.module()?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let (add, spin, slow) =
        (gpu.function(module, "add")?, gpu.function(module, "spin")?, gpu.alloc(4)?);
    let (address, words) = global(gpu, WORDS)?;
    words.fill(1);
    gpu.begin_capture(stream)?;
    gpu.launch(spin, (1, 1), stream, slow, &[2_000]).ok()?;
    cu!(gpu.cuLaunchHostFunc(stream, Some(add_one), words.as_mut_ptr().cast())).ok()?;
    gpu.launch(add, (12, 256), stream, address, &[WORDS as u32, 1]).ok()?;
    let graph = gpu.end_capture(stream)?;
    for _ in 0..ROUNDS {
        let exec = gpu.instantiate(graph)?;
        cu!(gpu.cuGraphLaunch(exec, stream)).ok()?;
        cu!(gpu.cuGraphExecDestroy(exec)).ok()?;
    }
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("words", (words[0], words[WORDS - 1]), (1 + 2 * ROUNDS, 1 + 2 * ROUNDS))
}

/// A stream's host functions also run while the program destroys the stream or captures it.
fn made_behind(gpu: &Gpu) -> Done {
    const ROUNDS: u32 = 10;
    const STREAMS: u32 = 40;
    let module = gpu.module()?;
    let (spin, slow) = (gpu.function(module, "spin")?, gpu.alloc(4)?);
    let (_, words) = global(gpu, WORDS)?;
    words.fill(1);
    // With this many streams, creating another one may wait.
    for _ in 0..STREAMS {
        gpu.stream(values::STREAM_NON_BLOCKING)?;
    }
    for _ in 0..ROUNDS {
        for ends in [true, false] {
            let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
            gpu.launch(spin, (1, 1), stream, slow, &[2_000]).ok()?;
            cu!(gpu.cuLaunchHostFunc(stream, Some(add_one), words.as_mut_ptr().cast())).ok()?;
            if ends {
                cu!(gpu.cuStreamDestroy_v2(stream)).ok()?;
                gpu.stream(values::STREAM_NON_BLOCKING)?;
            } else {
                gpu.begin_capture(stream)?;
                gpu.stream(values::STREAM_NON_BLOCKING)?;
                gpu.end_capture(stream)?;
            }
            gpu.synchronize().ok()?;
        }
    }
    same("words", (words[0], words[WORDS - 1]), (1 + 2 * ROUNDS, 1 + 2 * ROUNDS))
}

/// Host functions of one context run while another context is current. A wait for them that cannot
/// succeed takes ten seconds.
fn made_beside(gpu: &Gpu) -> Done {
    const ROUNDS: u32 = 5;
    let (_, words) = global(gpu, WORDS)?;
    words.fill(1);
    let mut other = CUcontext::NULL;
    cu!(gpu.cuCtxCreate_v2(&mut other, 0, 0)).ok()?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    for _ in 0..ROUNDS {
        cu!(gpu.cuCtxSetCurrent(other)).ok()?;
        cu!(gpu.cuLaunchHostFunc(stream, Some(add_one), words.as_mut_ptr().cast())).ok()?;
        cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
        gpu.stream(values::STREAM_NON_BLOCKING)?;
    }
    cu!(gpu.cuCtxSetCurrent(other)).ok()?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("words", (words[0], words[WORDS - 1]), (1 + ROUNDS, 1 + ROUNDS))
}

/// Launches a graph again while the graph still runs. The graph calls the program.
fn graphs_that_call(gpu: &Gpu) -> Done {
    const LAUNCHES: u32 = 40;
    let module = gpu.module()?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let (address, words) = global(gpu, WORDS)?;
    words.fill(0);
    let (add, spin, slow) =
        (gpu.function(module, "add")?, gpu.function(module, "spin")?, gpu.alloc(4)?);
    let mut calls = vec![0u32; WORDS];
    gpu.begin_capture(stream)?;
    gpu.launch(spin, (1, 1), stream, slow, &[20_000]).ok()?;
    cu!(gpu.cuLaunchHostFunc(stream, Some(count_one), calls.as_mut_ptr().cast())).ok()?;
    gpu.launch(add, (12, 256), stream, address, &[WORDS as u32, 1]).ok()?;
    let graph = gpu.end_capture(stream)?;
    let exec = gpu.instantiate(graph)?;
    for _ in 0..LAUNCHES {
        cu!(gpu.cuGraphLaunch(exec, stream)).ok()?;
    }
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("calls, and words", (calls[0], words[0], words[WORDS - 1]), (LAUNCHES, LAUNCHES, LAUNCHES))
}

unsafe extern "C" fn count_one(calls: *mut c_void) {
    // SAFETY: the test passes a word that no other code accesses at this time.
    unsafe { *calls.cast::<u32>() += 1 };
}

fn graph(gpu: &Gpu) -> Done {
    let module = gpu.module()?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let (address, words) = global(gpu, WORDS)?;
    gpu.begin_capture(stream)?;
    gpu.launch(gpu.function(module, "add")?, (12, 256), stream, address, &[WORDS as u32, 10])
        .ok()?;
    let graph = gpu.end_capture(stream)?;
    let exec = gpu.instantiate(graph)?;
    for first in [5, 50] {
        count_up(words, first);
        gpu.replay(exec, stream)?;
        counts_up("after a launch", words, first + 10)?;
    }
    Ok(())
}

fn many(gpu: &Gpu) -> Done {
    let module = gpu.module()?;
    let add = gpu.function(module, "add")?;
    for round in 0..2 {
        let mut pieces = Vec::new();
        for i in 0..200 {
            let (address, words) = global(gpu, 1 + i)?;
            words.fill(i as u32);
            pieces.push((address, words));
        }
        for (address, words) in &pieces {
            gpu.launch(add, (1, 256), CUstream::NULL, *address, &[words.len() as u32, 7 + round])
                .ok()?;
        }
        gpu.synchronize().ok()?;
        for (i, (address, words)) in pieces.into_iter().enumerate() {
            same("the last word of a piece", words[i], i as u32 + 7 + round)?;
            cu!(gpu.cuMemFree_v2(address)).ok()?;
        }
    }
    Ok(())
}

/// Uses more memory than a message and a staging buffer hold.
fn large(gpu: &Gpu) -> Done {
    const LARGE: usize = 5 << 20;
    let module = gpu.module()?;
    let (address, words) = global(gpu, LARGE)?;
    count_up(words, 1);
    gpu.launch(
        gpu.function(module, "add")?,
        (LARGE as u32 / 256, 256),
        CUstream::NULL,
        address,
        &[LARGE as u32, 4],
    )
    .ok()?;
    gpu.synchronize().ok()?;
    counts_up("all of it", words, 5)?;
    words[LARGE - 1] = 0;
    gpu.launch(
        gpu.function(module, "add")?,
        (1, 256),
        CUstream::NULL,
        address + (LARGE as u64 - 1) * 4,
        &[1, 4],
    )
    .ok()?;
    gpu.synchronize().ok()?;
    same("its end", (words[LARGE - 2], words[LARGE - 1]), (LARGE as u32 + 3, 4))
}

fn variable(gpu: &Gpu) -> Done {
    global(gpu, 1)?;
    let text = ".version 6.4\n.target sm_75\n.address_size 64\n\
        .visible .global .attribute(.managed) .align 4 .u32 shared = 7;\n\
        .visible .global .attribute(.managed) .align 4 .b8 more[9000];\n\
        .visible .entry increment()\n{\n\
        .reg .b32 %r<2>;\n\
        ld.global.u32 %r0, [shared];\nadd.u32 %r1, %r0, 1;\nst.global.u32 [shared], \
        %r1;\nst.global.u32 [more + 8996], %r1;\nret;\n}\n";
    let text = CString::new(text).expect("no NUL");
    let (mut library, mut module) = (CUlibrary::NULL, CUmodule::NULL);
    let none = std::ptr::null_mut();
    cu!(gpu.cuLibraryLoadData(
        &mut library,
        text.as_ptr().cast(),
        none,
        none.cast(),
        0,
        none.cast(),
        none.cast(),
        0
    ))
    .ok()?;
    cu!(gpu.cuLibraryGetModule(&mut module, library)).ok()?;
    let find = |name: &std::ffi::CStr| {
        let (mut address, mut bytes) = (0, 0);
        cu!(gpu.cuLibraryGetManaged(&mut address, &mut bytes, library, name.as_ptr()))
            .ok()
            .map(|()| (address, bytes))
    };
    let ((shared, bytes), (more, more_bytes)) = (find(c"shared")?, find(c"more")?);
    same("sizes", (bytes, more_bytes), (4, 9000))?;
    gpu.synchronize().ok()?;
    let (shared, more) = (shared as *mut u32, (more + 8996) as *mut u32);
    // SAFETY: the managed variables have these sizes, and the test accesses them while the device
    // is idle.
    unsafe {
        same("its first value", shared.read(), 7)?;
        shared.write(20);
        let increment = gpu.function(module, "increment")?;
        gpu.driver
            .cuLaunchKernel(
                increment,
                1,
                1,
                1,
                1,
                1,
                1,
                0,
                CUstream::NULL,
                none.cast(),
                none.cast(),
            )
            .ok()?;
        gpu.synchronize().ok()?;
        same("after the device", (shared.read(), more.read()), (21, 21))?;
        gpu.driver.cuLibraryUnload(library).ok()?;
    }
    Ok(())
}

/// A device that cannot share managed memory may reject hints that refer to it.
fn hints(gpu: &Gpu) -> Done {
    const CPU: CUdevice = -1;
    const READ_MOSTLY: i32 = 1;
    const PREFERRED_LOCATION: i32 = 3;
    const LAST_PREFETCH: i32 = 4;
    let (address, words) = global(gpu, 1 << 20)?;
    let bytes = size_of_val(words);
    words.fill(6);
    let ask = |attribute: i32| {
        let mut value = 77i32;
        cu!(gpu.cuMemRangeGetAttribute((&raw mut value).cast(), 4, attribute, address, bytes))
            .ok()
            .map(|()| value)
    };
    cu!(gpu.cuMemAdvise(address, bytes, READ_MOSTLY, 0)).ok()?;
    same("mostly read", ask(1)?, 1)?;
    cu!(gpu.cuMemAdvise(address, bytes, 2, 0)).ok()?;
    same("no more", ask(1)?, 0)?;
    let concurrent = gpu.attribute(CONCURRENT_ACCESS)? != 0;
    let given = |result: CUresult| match result {
        CUresult::INVALID_DEVICE if !concurrent => Ok(false),
        other => other.ok().map(|()| true),
    };
    if given(cu!(gpu.cuMemAdvise(address, bytes, PREFERRED_LOCATION, 0)))? {
        same("preferred", ask(2)?, 0)?;
    }
    if given(cu!(gpu.cuMemPrefetchAsync(address, bytes, 0, CUstream::NULL)))? {
        gpu.synchronize().ok()?;
        same("fetched to", ask(LAST_PREFETCH)?, 0)?;
    }
    if given(cu!(gpu.cuMemPrefetchAsync(address, bytes, CPU, CUstream::NULL)))? {
        gpu.synchronize().ok()?;
        same("fetched to", ask(LAST_PREFETCH)?, CPU)?;
    }
    gpu.synchronize().ok()?;
    same("what it holds", (words[0], words[words.len() - 1]), (6, 6))
}

fn bad_arguments(gpu: &Gpu) -> Done {
    let (address, _) = global(gpu, WORDS)?;
    let bad = CUresult::INVALID_VALUE;
    let mut other = 0;
    same("no bytes", cu!(gpu.cuMemAllocManaged(&mut other, 0, values::MEM_ATTACH_GLOBAL)), bad)?;
    same("no flags", cu!(gpu.cuMemAllocManaged(&mut other, 64, 0)), bad)?;
    same(
        "to one stream",
        cu!(gpu.cuMemAllocManaged(&mut other, 64, values::MEM_ATTACH_SINGLE)),
        bad,
    )?;
    same("an unknown advice", cu!(gpu.cuMemAdvise(address, 64, 99, 0)), bad)?;
    same("freeing its middle", cu!(gpu.cuMemFree_v2(address + 512)), bad)?;
    let mut library = CUlibrary::NULL;
    let text = CString::new(crate::kernels::MODULE).expect("no NUL");
    let none = std::ptr::null_mut();
    cu!(gpu.cuLibraryLoadData(
        &mut library,
        text.as_ptr().cast(),
        none,
        none.cast(),
        0,
        none.cast(),
        none.cast(),
        0
    ))
    .ok()?;
    let mut bytes = 0;
    same(
        "a variable that is not managed",
        cu!(gpu.cuLibraryGetManaged(&mut other, &mut bytes, library, c"counter".as_ptr())),
        CUresult::NOT_FOUND,
    )
}

/// Copies run in stream order and read the data that earlier kernels wrote.
fn mapped_copies(gpu: &Gpu) -> Done {
    let (words, device) = mapped(gpu, WORDS)?;
    let module = gpu.module()?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let (slow, memory) = (gpu.alloc(4)?, gpu.alloc(WORDS * 4)?);
    let host: *mut c_void = words.as_mut_ptr().cast();
    gpu.launch(gpu.function(module, "spin")?, (1, 1), stream, slow, &[300_000]).ok()?;
    gpu.launch(gpu.function(module, "fill")?, (12, 256), stream, device, &[WORDS as u32, 40])
        .ok()?;
    cu!(gpu.cuMemcpyHtoDAsync_v2(memory, host, WORDS * 4, stream)).ok()?;
    gpu.launch(gpu.function(module, "add")?, (12, 256), stream, memory, &[WORDS as u32, 2]).ok()?;
    cu!(gpu.cuMemcpyDtoHAsync_v2(host, memory, WORDS * 4, stream)).ok()?;
    gpu.launch(gpu.function(module, "add")?, (12, 256), stream, device, &[WORDS as u32, 100])
        .ok()?;
    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
    same("at the end", (words[0], words[WORDS - 1]), (142, 142 + WORDS as u32 - 1))?;
    same("on the device", gpu.read(memory, 2)?, vec![42, 43])
}

fn mapped_graph(gpu: &Gpu) -> Done {
    let (words, device) = mapped(gpu, WORDS)?;
    let module = gpu.module()?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    gpu.begin_capture(stream)?;
    gpu.launch(gpu.function(module, "add")?, (12, 256), stream, device, &[WORDS as u32, 10])
        .ok()?;
    let graph = gpu.end_capture(stream)?;
    let exec = gpu.instantiate(graph)?;
    for first in [5, 50] {
        count_up(words, first);
        gpu.replay(exec, stream)?;
        same(
            "after a launch",
            (words[0], words[WORDS - 1]),
            (first + 10, first + 10 + WORDS as u32 - 1),
        )?;
    }
    Ok(())
}

fn again(gpu: &Gpu) -> Done {
    let module = gpu.module()?;
    for round in 0..20 {
        let (words, device) = mapped(gpu, WORDS)?;
        gpu.launch(
            gpu.function(module, "fill")?,
            (12, 256),
            CUstream::NULL,
            device,
            &[WORDS as u32, round],
        )
        .ok()?;
        gpu.synchronize().ok()?;
        same("a round", words[WORDS - 1], round + WORDS as u32 - 1)?;
        cu!(gpu.cuMemFreeHost(words.as_mut_ptr().cast())).ok()?;
    }
    Ok(())
}

fn bad_pointers(gpu: &Gpu) -> Done {
    let (words, device) = mapped(gpu, WORDS)?;
    let (mut other, mut unknown) = (0, 0u32);
    let bad = CUresult::INVALID_VALUE;
    same(
        "unknown memory",
        cu!(gpu.cuMemHostGetDevicePointer_v2(&mut other, (&raw mut unknown).cast(), 0)),
        bad,
    )?;
    same(
        "flags",
        cu!(gpu.cuMemHostGetDevicePointer_v2(&mut other, words.as_mut_ptr().cast(), 1)),
        bad,
    )?;
    let mut kind = 0i32;
    cu!(gpu.cuPointerGetAttribute((&raw mut kind).cast(), 2, device)).ok()?;
    same("it is the host's", kind, values::MEMORYTYPE_HOST)
}

/// The host prepares the next buffer while the device works on the current one.
fn between(gpu: &Gpu) -> Done {
    let (first, on_device) = mapped(gpu, WORDS)?;
    let (second, second_on_device) = mapped(gpu, WORDS)?;
    let module = gpu.module()?;
    let (add, spin) = (gpu.function(module, "add")?, gpu.function(module, "spin")?);
    let slow = gpu.alloc(4)?;
    first.fill(1);
    gpu.launch(spin, (1, 1), CUstream::NULL, slow, &[300_000]).ok()?;
    gpu.launch(add, (12, 256), CUstream::NULL, on_device, &[WORDS as u32, 10]).ok()?;
    second.fill(2);
    gpu.launch(add, (12, 256), CUstream::NULL, second_on_device, &[WORDS as u32, 10]).ok()?;
    gpu.synchronize().ok()?;
    same("both", (first[WORDS - 1], second[WORDS - 1]), (11, 12))
}

/// The host and the device may write adjacent words at any time.
fn both(gpu: &Gpu) -> Done {
    let (words, device) = mapped(gpu, 16)?;
    let module = gpu.module()?;
    let spin = gpu.function(module, "spin")?;
    for round in 1..=20 {
        gpu.launch(spin, (1, 1), CUstream::NULL, device, &[20_000]).ok()?;
        words[1] = round;
    }
    gpu.synchronize().ok()?;
    same("the host's, and the device's", (words[1], words[0]), (20, 400_000))
}
