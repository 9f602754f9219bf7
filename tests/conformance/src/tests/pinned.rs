//! Copies from and to pinned memory, in stream order. Any operation may read the memory, at any
//! time.

use super::Test;
use super::array::{FLOAT, create, shape};
use crate::gpu::{Done, Gpu, same};
use outhaul_abi::types::*;
use std::ffi::c_void;

pub const TESTS: &[Test] = &[
    ("pinned/copy_behind_a_copy", behind),
    ("pinned/synchronous_copies_wait", synchronous),
    ("pinned/boxes", boxes),
    ("pinned/any_place_inside", inside),
    ("pinned/between_arrays_and_memory", arrays),
    ("pinned/many_and_again", many),
];

const WORDS: usize = 1024;

/// Returns newly allocated pinned memory of `words` words.
fn pinned(gpu: &Gpu, words: usize) -> Result<&'static mut [u32], CUresult> {
    let mut host: *mut c_void = std::ptr::null_mut();
    // SAFETY: the out-pointer refers to a local, and the memory lives until a test frees it.
    unsafe {
        gpu.driver.cuMemHostAlloc(&mut host, words * 4, 0).ok()?;
        Ok(std::slice::from_raw_parts_mut(host.cast(), words))
    }
}

/// The device receives the data that earlier work in the same stream wrote to the host.
fn behind(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let module = gpu.module()?;
    let (from, to) = (gpu.alloc(WORDS * 4)?, gpu.alloc(WORDS * 4)?);
    let slow = gpu.alloc(4)?;
    let host = pinned(gpu, WORDS)?;
    gpu.launch(gpu.function(module, "spin")?, (1, 1), stream, slow, &[300_000]).ok()?;
    gpu.launch(gpu.function(module, "fill")?, (4, 256), stream, from, &[WORDS as u32, 77]).ok()?;
    // SAFETY: the pinned memory has this size, and the test reads it after the synchronisation.
    unsafe {
        gpu.driver.cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), from, WORDS * 4, stream).ok()?;
        gpu.driver.cuMemcpyHtoDAsync_v2(to, host.as_ptr().cast(), WORDS * 4, stream).ok()?;
        gpu.driver.cuStreamSynchronize(stream).ok()?;
    }
    same("on the host", (host[0], host[WORDS - 1]), (77, 77 + WORDS as u32 - 1))?;
    same("back on the device", gpu.read(to, 2)?, vec![77, 78])
}

/// The default stream waits for a blocking stream's work. A synchronous copy is complete when the
/// call returns.
fn synchronous(gpu: &Gpu) -> Done {
    let stream = gpu.stream(0)?;
    let module = gpu.module()?;
    let (from, to) = (gpu.alloc(WORDS * 4)?, gpu.alloc(WORDS * 4)?);
    let slow = gpu.alloc(4)?;
    let host = pinned(gpu, WORDS)?;
    host.fill(1);
    gpu.launch(gpu.function(module, "spin")?, (1, 1), stream, slow, &[300_000]).ok()?;
    gpu.launch(gpu.function(module, "fill")?, (4, 256), stream, from, &[WORDS as u32, 5]).ok()?;
    // SAFETY: the pinned memory has this size. Each synchronous copy is complete before the test
    // accesses the memory.
    unsafe {
        gpu.driver.cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), from, WORDS * 4, stream).ok()?;
        gpu.driver.cuMemcpyHtoD_v2(to, host.as_ptr().cast(), WORDS * 4).ok()?;
    }
    host.fill(2);
    same("what the device wrote before", gpu.read(to, 2)?, vec![5, 6])?;
    // SAFETY: as above.
    unsafe { gpu.driver.cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), to, WORDS * 4) }.ok()?;
    same("at the return", host[WORDS - 1], 5 + WORDS as u32 - 1)
}

fn boxes(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(64 * 16)?;
    let host = pinned(gpu, WORDS)?;
    for (i, word) in host.iter_mut().enumerate() {
        *word = i as u32;
    }
    // SAFETY: all-zero bytes are valid for a descriptor of numbers and pointers.
    let (mut to, mut back): (CUDA_MEMCPY2D, CUDA_MEMCPY2D) =
        unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
    // Copies eight 16-byte rows with a source pitch of 128 bytes and a target pitch of 64 bytes.
    (to.srcMemoryType, to.srcHost, to.srcPitch) =
        (values::MEMORYTYPE_HOST, host.as_ptr().cast(), 128);
    (to.srcXInBytes, to.srcY) = (32, 2);
    (to.dstMemoryType, to.dstDevice, to.dstPitch) = (values::MEMORYTYPE_DEVICE, memory, 64);
    (to.WidthInBytes, to.Height) = (16, 8);
    (back.srcMemoryType, back.srcDevice, back.srcPitch) = (values::MEMORYTYPE_DEVICE, memory, 64);
    (back.dstMemoryType, back.dstHost, back.dstPitch) =
        (values::MEMORYTYPE_HOST, host.as_mut_ptr().cast(), 256);
    (back.WidthInBytes, back.Height) = (16, 8);
    // SAFETY: both boxes are inside their memory.
    unsafe {
        gpu.driver.cuMemcpy2D_v2(&to).ok()?;
        gpu.driver.cuMemcpy2D_v2(&back).ok()?;
    }
    for row in 0..8 {
        let first = ((row + 2) * 32 + 8) as u32;
        same("a row", &host[row * 64..][..4], &[first, first + 1, first + 2, first + 3])?;
        same("beside it", host[row * 64 + 4], (row * 64 + 4) as u32)?;
    }
    Ok(())
}

fn inside(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let memory = gpu.alloc(12)?;
    let host = pinned(gpu, WORDS)?;
    host[WORDS - 3..].copy_from_slice(&[7, 8, 9]);
    // SAFETY: the ranges are the memory's last three words and its first word.
    unsafe {
        gpu.driver
            .cuMemcpyHtoDAsync_v2(memory, host[WORDS - 3..].as_ptr().cast(), 12, stream)
            .ok()?;
        gpu.driver.cuMemcpyDtoHAsync_v2(host.as_mut_ptr().cast(), memory + 4, 4, stream).ok()?;
        gpu.driver.cuStreamSynchronize(stream).ok()?;
    }
    same("the device", gpu.read(memory, 3)?, vec![7, 8, 9])?;
    same("the first word and the one after it", (host[0], host[1]), (8, 0))
}

/// Makes four copies through two pinned buffers, with an array between them. Each copy reads the
/// previous copy's data.
fn arrays(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let module = gpu.module()?;
    let (from, to, slow) = (gpu.alloc(WORDS * 4)?, gpu.alloc(WORDS * 4)?, gpu.alloc(4)?);
    let array = create(gpu, &shape([WORDS, 0, 0], FLOAT, 0))?;
    let (first, second) = (pinned(gpu, WORDS)?, pinned(gpu, WORDS)?);
    gpu.launch(gpu.function(module, "spin")?, (1, 1), stream, slow, &[300_000]).ok()?;
    gpu.launch(gpu.function(module, "fill")?, (4, 256), stream, from, &[WORDS as u32, 31]).ok()?;
    // SAFETY: the pinned memory has this size, and the test reads it after the synchronisation.
    unsafe {
        gpu.driver.cuMemcpyDtoHAsync_v2(first.as_mut_ptr().cast(), from, WORDS * 4, stream).ok()?;
        gpu.driver.cuMemcpyHtoAAsync_v2(array, 0, first.as_ptr().cast(), WORDS * 4, stream).ok()?;
        gpu.driver
            .cuMemcpyAtoHAsync_v2(second.as_mut_ptr().cast(), array, 0, WORDS * 4, stream)
            .ok()?;
        gpu.driver.cuMemcpyHtoDAsync_v2(to, second.as_ptr().cast(), WORDS * 4, stream).ok()?;
        gpu.driver.cuStreamSynchronize(stream).ok()?;
    }
    same("at the end", gpu.read(to, 2)?, vec![31, 32])
}

fn many(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(WORDS * 4)?;
    for round in 0..50 {
        let host = pinned(gpu, WORDS)?;
        host.fill(round);
        // SAFETY: the memory is freed once, after the copy from it is complete.
        unsafe {
            gpu.driver
                .cuMemcpyHtoDAsync_v2(memory, host.as_ptr().cast(), WORDS * 4, CUstream::NULL)
                .ok()?;
            gpu.synchronize().ok()?;
            gpu.driver.cuMemFreeHost(host.as_mut_ptr().cast()).ok()?;
        }
        same("a round", gpu.read(memory + (WORDS as u64 - 1) * 4, 1)?, vec![round])?;
    }
    Ok(())
}
