//! Copies: contiguous, boxes, large, asynchronous, and copies that the driver rejects.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, same};
use outhaul_abi::types::*;
use std::ffi::c_void;

const CAN_MAP_HOST_MEMORY: i32 = 19;
const MANAGED_MEMORY: i32 = 83;

pub const TESTS: &[Test] = &[
    ("copy/every_size", sizes),
    ("copy/large_and_odd", large),
    ("copy/more_than_a_node_stages", more_than_staged),
    ("copy/boxes", boxes),
    ("copy/large_tiles", tiles),
    ("copy/volumes", volumes),
    ("copy/between_contexts", between_contexts),
    ("copy/on_the_device", on_device),
    ("copy/by_address_alone", unified),
    ("copy/past_the_end", past_the_end),
    ("copy/nothing", nothing),
    ("copy/host_and_back_in_one_stream", round_trips),
    ("copy/large_over_large", overlapping),
    ("copy/there_when_it_returns", there_when_it_returns),
    ("copy/there_when_it_returns_behind_a_kernel", there_behind_a_kernel),
    ("copy/what_came_before_a_synchronous_one", before_synchronous),
    ("copy/sources_of_what_came_before_a_synchronous_one", sources_before_synchronous),
    ("copy/what_a_synchronous_one_reads", read_by_synchronous),
    ("copy/within_the_host_behind_a_host_function", within_the_host),
    ("copy/what_came_before_a_free_behind_other_waits", before_a_free_and_waits),
    ("copy/what_a_graph_writes_while_another_thread_copies", graph_while_another_copies),
    ("copy/what_came_before_a_free", before_free),
];

fn pattern(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect()
}

/// Copies more than the node's staging memory holds. Over a link, the copy passes through that
/// memory.
fn more_than_staged(gpu: &Gpu) -> Done {
    const COUNT: usize = 40 << 20;
    let memory = gpu.alloc(COUNT * 4)?;
    let pinned = gpu.pinned(COUNT)?;
    for round in 1..=2 {
        cu!(gpu.cuMemsetD32_v2(memory, round, COUNT)).ok()?;
        cu!(gpu.cuMemcpyDtoHAsync_v2(
            pinned.as_mut_ptr().cast(),
            memory,
            COUNT * 4,
            CUstream::NULL
        ))
        .ok()?;
        gpu.synchronize().ok()?;
        same("all of it", pinned.iter().all(|word| *word == round), true)?;
    }
    Ok(())
}

fn sizes(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(1 << 20)?;
    for count in [1, 2, 7, 1000, 16_384, 16_385, 100_000] {
        let data = pattern(count);
        gpu.write(memory, &data)?;
        same("the same bytes back", gpu.read(memory, count)? == data, true)?;
    }
    Ok(())
}

fn large(gpu: &Gpu) -> Done {
    let count = (9 << 20) / 4 + 3;
    let memory = gpu.alloc(count * 4 + 8)?;
    let data = pattern(count);
    gpu.write(memory + 8, &data)?;
    same("9 MiB and a little", gpu.read(memory + 8, count)? == data, true)
}

fn zeroed<T: Plain>() -> T {
    // SAFETY: all-zero bytes are valid for a descriptor of numbers and pointers.
    unsafe { std::mem::zeroed() }
}

fn boxes(gpu: &Gpu) -> Done {
    let (mut memory, mut pitch) = (0, 0);
    let (width, height) = (52, 37);
    // SAFETY: all out-pointers refer to locals.
    unsafe { gpu.driver.cuMemAllocPitch_v2(&mut memory, &mut pitch, width, height, 4) }.ok()?;
    let data = pattern(width * height / 4);
    let mut to: CUDA_MEMCPY2D = zeroed();
    (to.srcMemoryType, to.srcHost, to.srcPitch) =
        (values::MEMORYTYPE_HOST, data.as_ptr().cast(), width);
    (to.dstMemoryType, to.dstDevice, to.dstPitch) = (values::MEMORYTYPE_DEVICE, memory, pitch);
    (to.WidthInBytes, to.Height) = (width, height);
    let mut back = vec![0u32; 64 * 10];
    let mut from: CUDA_MEMCPY2D = zeroed();
    (from.srcMemoryType, from.srcDevice, from.srcPitch, from.srcXInBytes, from.srcY) =
        (values::MEMORYTYPE_DEVICE, memory, pitch, 8, 3);
    (from.dstMemoryType, from.dstHost, from.dstPitch) =
        (values::MEMORYTYPE_HOST, back.as_mut_ptr().cast(), 256);
    (from.WidthInBytes, from.Height) = (16, 10);
    // SAFETY: both boxes are inside their memory.
    unsafe {
        gpu.driver.cuMemcpy2D_v2(&to).ok()?;
        gpu.driver.cuMemcpy2D_v2(&from).ok()?;
    }
    for row in 0..10 {
        let expected = &data[(row + 3) * 13 + 2..][..4];
        same("a row of the window", &back[row * 64..][..4], expected)?;
        same("next to the window", back[row * 64 + 4], 0)?;
    }
    Ok(())
}

/// Copies tiles of host matrices to separate device matrices, and back to another position. The
/// tiles are large enough for a copy in several pieces.
fn tiles(gpu: &Gpu) -> Done {
    const PITCH: usize = 20_004;
    let at = |row: usize, column: usize| (row * PITCH + column) / 4;
    // The sizes give rows that the client sends unchanged, rows that are too short for that, and
    // rows with small gaps.
    for (width, height) in [(12_340, 1501), (1000, 4000), (PITCH - 4, 301)] {
        let words = at(height + 2, 0);
        let (host, back, beside) = (gpu.pinned(words)?, gpu.pinned(words)?, pattern(words));
        let memory = gpu.alloc(width * height)?;
        for stream in [None, Some(gpu.stream(values::STREAM_NON_BLOCKING)?)] {
            host.copy_from_slice(&beside);
            back.fill(0);
            let mut to: CUDA_MEMCPY2D = zeroed();
            (to.srcMemoryType, to.srcHost, to.srcPitch) =
                (values::MEMORYTYPE_HOST, host.as_ptr().cast(), PITCH);
            (to.srcXInBytes, to.srcY, to.WidthInBytes, to.Height) = (4, 1, width, height);
            (to.dstMemoryType, to.dstDevice, to.dstPitch) =
                (values::MEMORYTYPE_DEVICE, memory, width);
            let mut from: CUDA_MEMCPY2D = zeroed();
            (from.srcMemoryType, from.srcDevice, from.srcPitch) =
                (values::MEMORYTYPE_DEVICE, memory, width);
            (from.dstMemoryType, from.dstHost, from.dstPitch) =
                (values::MEMORYTYPE_HOST, back.as_mut_ptr().cast(), PITCH);
            (from.dstY, from.WidthInBytes, from.Height) = (2, width, height);
            match stream {
                Some(stream) => {
                    cu!(gpu.cuMemcpy2DAsync_v2(&to, stream)).ok()?;
                    cu!(gpu.cuMemcpy2DAsync_v2(&from, stream)).ok()?;
                    cu!(gpu.cuStreamSynchronize(stream)).ok()?;
                }
                None => {
                    cu!(gpu.cuMemcpy2D_v2(&to)).ok()?;
                    // The call has returned, so the program may change the host memory again.
                    host.fill(0);
                    cu!(gpu.cuMemcpy2D_v2(&from)).ok()?;
                }
            }
            let flat = gpu.read(memory, width * height / 4)?;
            for row in 0..height {
                let expected = &beside[at(row + 1, 4)..][..width / 4];
                same(
                    "a row on the device",
                    &flat[row * width / 4..][..width / 4] == expected,
                    true,
                )?;
                same(
                    "a row that came back",
                    &back[at(row + 2, 0)..][..width / 4] == expected,
                    true,
                )?;
                same(
                    "between the rows",
                    back[at(row + 2, width)..at(row + 3, 0)].iter().all(|word| *word == 0),
                    true,
                )?;
            }
            same("before the tile", back[..at(2, 0)].iter().all(|word| *word == 0), true)?;
        }
        cu!(gpu.cuMemFree_v2(memory)).ok()?;
    }
    Ok(())
}

fn volumes(gpu: &Gpu) -> Done {
    let (width, height, depth) = (20usize, 6usize, 5usize);
    let memory = gpu.alloc(64 * 8 * depth)?;
    let data = pattern(width * height * depth / 4);
    let mut copy: CUDA_MEMCPY3D = zeroed();
    (copy.srcMemoryType, copy.srcHost, copy.srcPitch, copy.srcHeight) =
        (values::MEMORYTYPE_HOST, data.as_ptr().cast(), width, height);
    (copy.dstMemoryType, copy.dstDevice, copy.dstPitch, copy.dstHeight) =
        (values::MEMORYTYPE_DEVICE, memory, 64, 8);
    (copy.WidthInBytes, copy.Height, copy.Depth) = (width, height, depth);
    // SAFETY: both boxes are inside their memory.
    unsafe { gpu.driver.cuMemcpy3D_v2(&copy) }.ok()?;
    for (z, y) in (0..depth).flat_map(|z| (0..height).map(move |y| (z, y))) {
        let found = gpu.read(memory + ((z * 8 + y) * 64) as u64, 5)?;
        same("a row of a slice", found, data[(z * height + y) * 5..][..5].to_vec())?;
    }
    Ok(())
}

/// Copies from a context to itself with functions for two devices.
fn between_contexts(gpu: &Gpu) -> Done {
    let (from, to) = (gpu.alloc(64 * 8)?, gpu.alloc(64 * 8)?);
    gpu.write(from, &pattern(128))?;
    gpu.write(to, &[0; 128])?;
    let mut copy: CUDA_MEMCPY3D_PEER = zeroed();
    (copy.srcMemoryType, copy.srcDevice, copy.srcPitch, copy.srcHeight) =
        (values::MEMORYTYPE_DEVICE, from, 64, 4);
    (copy.dstMemoryType, copy.dstDevice, copy.dstPitch, copy.dstHeight) =
        (values::MEMORYTYPE_DEVICE, to, 64, 4);
    (copy.srcContext, copy.dstContext, copy.srcXInBytes, copy.srcZ) =
        (gpu.context, gpu.context, 16, 1);
    (copy.WidthInBytes, copy.Height, copy.Depth) = (8, 3, 1);
    // SAFETY: both boxes are inside their memory.
    unsafe { gpu.driver.cuMemcpy3DPeer(&copy) }.ok()?;
    let (found, data) = (gpu.read(to, 128)?, pattern(128));
    for row in 0..3 {
        same(
            "a row",
            found[row * 16..][..3].to_vec(),
            vec![data[(row + 4) * 16 + 4], data[(row + 4) * 16 + 5], 0],
        )?;
    }
    Ok(())
}

fn on_device(gpu: &Gpu) -> Done {
    let (a, b) = (gpu.alloc(8192)?, gpu.alloc(8192)?);
    let data = pattern(2048);
    gpu.write(a, &data)?;
    // SAFETY: both ranges are inside their allocations.
    unsafe { gpu.driver.cuMemcpyDtoD_v2(b + 4, a, 8188) }.ok()?;
    same("moved by a word", gpu.read(b + 4, 2047)?, data[..2047].to_vec())
}

fn unified(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(256)?;
    let data = pattern(64);
    let mut back = vec![0u32; 64];
    // SAFETY: both sides of each copy have 256 bytes.
    unsafe {
        gpu.driver.cuMemcpy(memory, data.as_ptr() as u64, 256).ok()?;
        gpu.driver.cuMemcpy(back.as_mut_ptr() as u64, memory, 256).ok()?;
    }
    same("there and back", back, data)
}

fn past_the_end(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(4 << 20)?;
    let data = vec![0u8; (4 << 20) + 4];
    // SAFETY: the driver rejects copies that exceed the allocation.
    let result = unsafe { gpu.driver.cuMemcpyHtoD_v2(memory, data.as_ptr().cast(), data.len()) };
    same("four bytes too many", result, CUresult::INVALID_VALUE)
}

fn nothing(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(64)?;
    // SAFETY: copies of zero bytes do not access memory.
    unsafe {
        gpu.driver.cuMemcpyHtoD_v2(memory, std::ptr::null(), 0).ok()?;
        Ok(gpu.driver.cuMemcpyDtoD_v2(memory, memory, 0).ok()?)
    }
}

/// If asynchronous copies write to overlapping ranges, the last copy's bytes remain. This holds for
/// all sizes and divisions of the copies.
fn overlapping(gpu: &Gpu) -> Done {
    const WORDS: usize = 4 << 20;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let (ones, twos) = (gpu.alloc(WORDS * 4)?, gpu.alloc(WORDS * 4)?);
    let mut host = vec![0u32; WORDS];
    let place = host.as_mut_ptr();
    // SAFETY: the ranges are inside the allocations and the vector. The vector is registered, and
    // the test reads it after the synchronisation.
    unsafe {
        gpu.driver.cuMemsetD32_v2(ones, 1, WORDS).ok()?;
        gpu.driver.cuMemsetD32_v2(twos, 2, WORDS).ok()?;
        // The non-blocking stream does not wait for the default stream.
        gpu.driver.cuCtxSynchronize().ok()?;
        gpu.driver.cuMemHostRegister_v2(place.cast(), WORDS * 4, 0).ok()?;
        for _ in 0..5 {
            gpu.driver.cuMemcpyDtoHAsync_v2(place.cast(), twos, WORDS * 4, stream).ok()?;
            gpu.driver.cuMemcpyDtoHAsync_v2(place.cast(), ones, WORDS * 4, stream).ok()?;
            gpu.driver
                .cuMemcpyDtoHAsync_v2(place.add(1_000_001).cast(), twos, 6 << 20, stream)
                .ok()?;
            gpu.driver.cuMemcpyDtoHAsync_v2(place.add(1_000_002).cast(), ones, 4, stream).ok()?;
        }
        gpu.driver.cuStreamSynchronize(stream).ok()?;
        gpu.driver.cuMemHostUnregister(place.cast()).ok()?;
    }
    let end = 1_000_001 + (6 << 20) / 4;
    let expected = |i: usize| if (1_000_001..end).contains(&i) && i != 1_000_002 { 2 } else { 1 };
    same("words that differ", (0..WORDS).filter(|i| host[*i] != expected(*i)).count(), 0)
}

/// Each copy reads the data that the previous copy in the stream wrote, on either side.
fn round_trips(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let memory = gpu.alloc(1 << 20)?;
    let module = gpu.module()?;
    let add = gpu.function(module, "add")?;
    let mut host: *mut c_void = std::ptr::null_mut();
    let count = 1 << 18;
    // SAFETY: the pinned memory has this size and lives until the synchronisation.
    let words = unsafe {
        gpu.driver.cuMemHostAlloc(&mut host, 1 << 20, 0).ok()?;
        std::slice::from_raw_parts_mut(host.cast::<u32>(), count)
    };
    words.copy_from_slice(&pattern(count));
    for _ in 0..8 {
        // SAFETY: as above.
        unsafe { gpu.driver.cuMemcpyHtoDAsync_v2(memory, host, 1 << 20, stream) }.ok()?;
        gpu.launch(add, (1024, 256), stream, memory, &[count as u32, 1]).ok()?;
        // SAFETY: as above.
        unsafe { gpu.driver.cuMemcpyDtoHAsync_v2(host, memory, 1 << 20, stream) }.ok()?;
    }
    // SAFETY: the call only waits.
    unsafe { gpu.driver.cuStreamSynchronize(stream) }.ok()?;
    let expected: Vec<u32> = pattern(count).iter().map(|v| v.wrapping_add(8)).collect();
    same("eight times one", words == expected.as_slice(), true)
}

/// A synchronous copy from pinned memory is complete when the call returns. Streams that never wait
/// for the default stream can read the data.
fn there_when_it_returns(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let add = gpu.function(gpu.module()?, "add")?;
    for words in [1000, 100_000, 2 << 20] {
        let (host, back) = (gpu.pinned(words)?, gpu.pinned(words)?);
        let memory = gpu.alloc(words * 4)?;
        for round in 1..=4 {
            host.fill(round * 1000);
            cu!(gpu.cuMemcpyHtoD_v2(memory, host.as_ptr().cast(), words * 4)).ok()?;
            gpu.launch(add, (words as u32 / 256 + 1, 256), stream, memory, &[words as u32, 1])
                .ok()?;
            cu!(gpu.cuMemcpyDtoHAsync_v2(back.as_mut_ptr().cast(), memory, words * 4, stream))
                .ok()?;
            cu!(gpu.cuStreamSynchronize(stream)).ok()?;
            same(
                "words that differ",
                back.iter().filter(|word| **word != round * 1000 + 1).count(),
                0,
            )?;
        }
        cu!(gpu.cuMemFree_v2(memory)).ok()?;
    }
    Ok(())
}

/// A synchronous copy may have to wait for work in the default stream. After the call returns,
/// kernels, graphs and copies in non-blocking streams find the data. This holds for new streams and
/// for streams with earlier work.
fn there_behind_a_kernel(gpu: &Gpu) -> Done {
    const WORDS: usize = 1000;
    const STEPS: u32 = 200_000;
    let module = gpu.module()?;
    let (add, spin) = (gpu.function(module, "add")?, gpu.function(module, "spin")?);
    let (memory, back) = (gpu.alloc(WORDS * 4)?, gpu.pinned(WORDS)?);
    let (shape, arguments) = ((WORDS as u32 / 256 + 1, 256), [WORDS as u32, 1]);
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    cu!(gpu.cuStreamBeginCapture_v2(stream, values::STREAM_CAPTURE_MODE_RELAXED)).ok()?;
    gpu.launch(add, shape, stream, memory, &arguments).ok()?;
    let mut graph = CUgraph::NULL;
    let mut exec = CUgraphExec::NULL;
    cu!(gpu.cuStreamEndCapture(stream, &mut graph)).ok()?;
    cu!(gpu.cuGraphInstantiateWithFlags(&mut exec, graph, 0)).ok()?;
    for round in 1..=12 {
        let host = [round * 1000; WORDS];
        let new = gpu.stream(values::STREAM_NON_BLOCKING)?;
        let used = if round % 2 == 0 { stream } else { new };
        gpu.launch(spin, (1, 1), CUstream::NULL, memory, &[STEPS, 0]).ok()?;
        cu!(gpu.cuMemcpyHtoD_v2(memory, host.as_ptr().cast(), WORDS * 4)).ok()?;
        let added = match round % 3 {
            0 => gpu.launch(add, shape, used, memory, &arguments).ok().map(|()| 1),
            1 => cu!(gpu.cuGraphLaunch(exec, used)).ok().map(|()| 1),
            _ => Ok(0),
        }?;
        cu!(gpu.cuMemcpyDtoHAsync_v2(back.as_mut_ptr().cast(), memory, WORDS * 4, used)).ok()?;
        cu!(gpu.cuStreamSynchronize(used)).ok()?;
        same(
            "words that differ",
            back.iter().filter(|word| **word != round * 1000 + added).count(),
            0,
        )?;
        cu!(gpu.cuStreamDestroy_v2(new)).ok()?;
    }
    Ok(())
}

/// A synchronous copy to the device, of any size, follows all earlier work in the stream.
/// Afterwards the program finds that work's results in its own memory without another wait. Copies
/// and kernels both write such results.
fn before_synchronous(gpu: &Gpu) -> Done {
    const COUNT: usize = 2 << 20;
    const MAPPED: usize = 1 << 14;
    let blocking = gpu.stream(0)?;
    let (big, small) = (gpu.alloc(COUNT * 4)?, gpu.alloc(16)?);
    let (brought, few) = (gpu.pinned(COUNT)?, gpu.pinned(4)?);
    let add = gpu.function(gpu.module()?, "add")?;
    let mapped =
        if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 { &mut [] } else { gpu.pinned(MAPPED)? };
    for (stream, round) in [CUstream::NULL, blocking, CUstream::NULL, blocking].into_iter().zip(1..)
    {
        cu!(gpu.cuMemsetD32Async(big, round, COUNT, stream)).ok()?;
        cu!(gpu.cuMemcpyDtoHAsync_v2(brought.as_mut_ptr().cast(), big, COUNT * 4, stream)).ok()?;
        cu!(gpu.cuMemcpyHtoD_v2(small, few.as_ptr().cast(), 16)).ok()?;
        same(
            "words that a copy brought",
            brought.iter().filter(|word| **word == round).count(),
            COUNT,
        )?;
        if mapped.is_empty() {
            continue;
        }
        cu!(gpu.cuMemsetD32Async(big, 0, COUNT, stream)).ok()?;
        gpu.launch(
            add,
            (MAPPED as u32 / 256, 256),
            stream,
            mapped.as_ptr() as u64,
            &[MAPPED as u32, 1],
        )
        .ok()?;
        cu!(gpu.cuMemcpyHtoD_v2(small, few.as_ptr().cast(), 16)).ok()?;
        // SAFETY: the kernel that wrote the words has ended.
        let right = mapped
            .iter()
            .filter(|word| unsafe { std::ptr::from_ref(*word).read_volatile() } == round)
            .count();
        same("words that a kernel wrote", right, MAPPED)?;
    }
    Ok(())
}

/// A synchronous copy to the device follows all earlier work in its stream. So the program may at
/// once overwrite pinned memory that earlier copies read.
fn sources_before_synchronous(gpu: &Gpu) -> Done {
    const COUNT: usize = 16 << 20;
    let blocking = gpu.stream(0)?;
    let (big, small) = (gpu.alloc(COUNT * 4)?, gpu.alloc(16)?);
    let (source, pageable) = (gpu.pinned(COUNT)?, [0u32; 4]);
    let few = gpu.pinned(4)?;
    let sources = [pageable.as_ptr(), few.as_ptr()];
    for (stream, round) in
        [CUstream::NULL, blocking, CUstream::NULL, blocking].into_iter().zip(1u32..)
    {
        source.fill(round);
        cu!(gpu.cuMemcpyHtoDAsync_v2(big, source.as_ptr().cast(), COUNT * 4, stream)).ok()?;
        cu!(gpu.cuMemcpyHtoD_v2(small, sources[round as usize / 3].cast(), 16)).ok()?;
        source.fill(0);
        gpu.synchronize().ok()?;
        let right = gpu.read(big, COUNT)?.iter().filter(|word| **word == round).count();
        same("words as they were at the copy", right, COUNT)?;
    }
    Ok(())
}

/// A synchronous copy in the default stream waits for blocking streams. So the copy reads the
/// pinned memory that a kernel in such a stream wrote, even if the copy reads only a few bytes.
fn read_by_synchronous(gpu: &Gpu) -> Done {
    const STEPS: u32 = 100_000;
    if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device cannot reach host memory".into()));
    }
    let (stream, spin) = (gpu.stream(0)?, gpu.function(gpu.module()?, "spin")?);
    let (mapped, memory) = (gpu.pinned(1 << 12)?, gpu.alloc(1 << 14)?);
    // SAFETY: all-zero bytes are valid for a struct of numbers and pointers.
    let mut rows: CUDA_MEMCPY2D = unsafe { std::mem::zeroed() };
    (rows.srcMemoryType, rows.srcHost, rows.srcPitch) =
        (values::MEMORYTYPE_HOST, mapped.as_ptr().cast(), 64);
    (rows.dstMemoryType, rows.dstDevice, rows.dstPitch) = (values::MEMORYTYPE_DEVICE, memory, 16);
    (rows.WidthInBytes, rows.Height) = (16, 8);
    let source = mapped.as_ptr();
    let ways: [(&str, &dyn Fn() -> CUresult); 4] = [
        ("16 bytes", &|| cu!(gpu.cuMemcpyHtoD_v2(memory, source.cast(), 16))),
        ("16 KiB", &|| cu!(gpu.cuMemcpyHtoD_v2(memory, source.cast(), 1 << 14))),
        ("by its address", &|| cu!(gpu.cuMemcpy(memory, source as u64, 16))),
        ("rows", &|| cu!(gpu.cuMemcpy2D_v2(&rows))),
    ];
    for (round, (name, copy)) in (1..).zip(ways) {
        gpu.launch(spin, (1, 1), stream, source as u64, &[STEPS]).ok()?;
        copy().ok()?;
        same(name, gpu.read(memory, 1)?[0], STEPS * round)?;
    }
    Ok(())
}

/// The stream's work needs another thread of the program. So a wait that blocks this thread must
/// let the other thread run.
fn within_the_host(gpu: &Gpu) -> Done {
    unsafe extern "C" fn late(words: *mut c_void) {
        std::thread::sleep(std::time::Duration::from_millis(20));
        // SAFETY: the test passes words that live until its end.
        unsafe { words.cast::<u32>().write_volatile(7) };
    }
    if gpu.attribute(CAN_MAP_HOST_MEMORY)? == 0 || gpu.attribute(MANAGED_MEMORY)? == 0 {
        return Err(Outcome::Skipped("the device cannot reach host memory".into()));
    }
    let (stream, fill) = (gpu.stream(0)?, gpu.function(gpu.module()?, "fill")?);
    let mut managed = 0;
    cu!(gpu.cuMemAllocManaged(&mut managed, 4096, values::MEM_ATTACH_GLOBAL)).ok()?;
    let (mapped, pinned) = (gpu.pinned(1024)?, gpu.pinned(1024)?);
    gpu.launch(fill, (1, 256), stream, mapped.as_ptr() as u64, &[256, 1]).ok()?;
    gpu.synchronize().ok()?;
    for (to, from) in [(pinned.as_ptr(), mapped.as_ptr()), (mapped.as_ptr(), pinned.as_ptr())] {
        cu!(gpu.cuLaunchHostFunc(stream, Some(late), from.cast_mut().cast())).ok()?;
        cu!(gpu.cuMemcpyAsync(to as u64, from as u64, 1024, stream)).ok()?;
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
        // SAFETY: the pinned memory has this size.
        same("what the function wrote", unsafe { to.read_volatile() }, 7)?;
        // SAFETY: as above.
        unsafe { to.cast_mut().write_volatile(0) };
    }
    cu!(gpu.cuMemFree_v2(managed)).ok().map_err(Into::into)
}

/// A free of memory that was not allocated in stream order waits for the device.
fn before_free(gpu: &Gpu) -> Done {
    const COUNT: usize = 2 << 20;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let (big, brought) = (gpu.alloc(COUNT * 4)?, gpu.pinned(COUNT)?);
    for round in 1..=3 {
        let freed = gpu.alloc(1 << 20)?;
        cu!(gpu.cuMemsetD32Async(freed, 1, 1, stream)).ok()?;
        cu!(gpu.cuMemsetD32Async(big, round, COUNT, stream)).ok()?;
        cu!(gpu.cuMemcpyDtoHAsync_v2(brought.as_mut_ptr().cast(), big, COUNT * 4, stream)).ok()?;
        cu!(gpu.cuMemFree_v2(freed)).ok()?;
        same(
            "words that a copy brought",
            brought.iter().filter(|word| **word == round).count(),
            COUNT,
        )?;
    }
    Ok(())
}

/// Like `before_free`, with a wait for the legacy stream in between. The legacy stream does not
/// wait for non-blocking streams.
fn before_a_free_and_waits(gpu: &Gpu) -> Done {
    const STEPS: u32 = 3_000_000;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let spin = gpu.function(gpu.module()?, "spin")?;
    let (counter, freed) = (gpu.alloc(4)?, gpu.alloc(4)?);
    let result = gpu.pinned(1)?.as_mut_ptr();
    gpu.write(counter, &[0])?;
    // SAFETY: the pinned memory has one word, and no copy to it is in flight.
    unsafe { result.write_volatile(0) };
    gpu.launch(spin, (1, 1), stream, counter, &[STEPS]).ok()?;
    cu!(gpu.cuMemcpyDtoHAsync_v2(result.cast(), counter, 4, stream)).ok()?;
    gpu.read(freed, 1)?;
    cu!(gpu.cuMemFree_v2(freed)).ok()?;
    // SAFETY: as above.
    same("what the kernel counted", unsafe { result.read_volatile() }, STEPS)
}

/// A graph writes to pinned memory, and a later copy in its stream reads the memory. At that time
/// another thread makes an unrelated copy.
fn graph_while_another_copies(gpu: &Gpu) -> Done {
    const STEPS: u32 = 5_000_000;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let spin = gpu.function(gpu.module()?, "spin")?;
    let (counter, other, copied) = (gpu.alloc(4)?, gpu.alloc(4)?, gpu.alloc(4)?);
    let result = gpu.pinned(1)?.as_mut_ptr();
    gpu.begin_capture(stream)?;
    cu!(gpu.cuMemsetD32Async(counter, 0, 1, stream)).ok()?;
    gpu.launch(spin, (1, 1), stream, counter, &[STEPS]).ok()?;
    cu!(gpu.cuMemcpyDtoHAsync_v2(result.cast(), counter, 4, stream)).ok()?;
    let graph = gpu.instantiate(gpu.end_capture(stream)?)?;
    for _ in 0..3 {
        cu!(gpu.cuMemsetD32Async(copied, 0, 1, stream)).ok()?;
        gpu.synchronize().ok()?;
        // SAFETY: the pinned memory has one word, and no copy to it is in flight.
        unsafe { result.write_volatile(0) };
        cu!(gpu.cuGraphLaunch(graph, stream)).ok()?;
        std::thread::scope(|scope| {
            let another = scope.spawn(|| {
                cu!(gpu.cuCtxSetCurrent(gpu.context)).ok()?;
                gpu.write(other, &[1])
            });
            std::thread::sleep(std::time::Duration::from_millis(3));
            cu!(gpu.cuMemcpyHtoDAsync_v2(copied, result.cast(), 4, stream)).ok()?;
            cu!(gpu.cuStreamSynchronize(stream)).ok()?;
            same("what came after the graph", gpu.read(copied, 1)?, vec![STEPS])?;
            another.join().unwrap_or_else(|_| crate::gpu::fail("the other thread panicked"))
        })?;
    }
    Ok(())
}
