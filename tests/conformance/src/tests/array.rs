//! Arrays: descriptors, and copies into, out of and between arrays.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, fail, same};
use outhaul_abi::types::*;
use std::ffi::c_void;

pub const TESTS: &[Test] = &[
    ("array/descriptors", descriptors),
    ("array/refused_shapes", refused),
    ("array/rows", rows),
    ("array/boxes", boxes),
    ("array/volumes_and_layers", volumes),
    ("array/large", large),
    ("array/in_stream_order", in_stream_order),
    ("array/past_the_end", past_the_end),
    ("array/mipmapped", mipmapped),
    ("array/kinds_that_a_device_may_lack", optional_kinds),
];

/// Element format with one float channel.
pub const FLOAT: (CUarray_format, u32) = (values::FORMAT_FLOAT, 1);

/// Returns a descriptor that consists of zeros.
pub fn zeroed<T: Plain>() -> T {
    // SAFETY: all-zero bytes are valid for a descriptor of numbers and pointers.
    unsafe { std::mem::zeroed() }
}

/// Returns an array descriptor.
pub fn shape(
    [width, height, depth]: [usize; 3],
    (format, channels): (CUarray_format, u32),
    flags: u32,
) -> CUDA_ARRAY3D_DESCRIPTOR {
    CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Depth: depth,
        Format: format,
        NumChannels: channels,
        Flags: flags,
        pad: 0,
    }
}

/// Creates an array.
pub fn create(gpu: &Gpu, descriptor: &CUDA_ARRAY3D_DESCRIPTOR) -> Result<CUarray, CUresult> {
    let mut array = CUarray::NULL;
    // SAFETY: the out-pointer refers to a local, and the driver reads the descriptor during the
    // call.
    unsafe { gpu.driver.cuArray3DCreate_v2(&mut array, descriptor) }.ok()?;
    Ok(array)
}

/// One side of a copy. Positions and widths are in bytes.
#[derive(Clone, Copy)]
pub enum Side {
    Array(CUarray, [usize; 3]),
    /// Address, row pitch in bytes, and rows per slice.
    Device(CUdeviceptr, usize, usize),
    Host(*mut c_void, usize, usize),
}

/// Returns the description of a three-dimensional copy.
pub fn description(to: Side, from: Side, [width, height, depth]: [usize; 3]) -> CUDA_MEMCPY3D {
    let mut c: CUDA_MEMCPY3D = zeroed();
    (c.WidthInBytes, c.Height, c.Depth) = (width, height, depth);
    match to {
        Side::Array(array, at) => {
            (c.dstMemoryType, c.dstArray) = (values::MEMORYTYPE_ARRAY, array);
            [c.dstXInBytes, c.dstY, c.dstZ] = at;
        }
        Side::Device(address, pitch, rows) => {
            (c.dstMemoryType, c.dstDevice, c.dstPitch, c.dstHeight) =
                (values::MEMORYTYPE_DEVICE, address, pitch, rows);
        }
        Side::Host(p, pitch, rows) => {
            (c.dstMemoryType, c.dstHost, c.dstPitch, c.dstHeight) =
                (values::MEMORYTYPE_HOST, p, pitch, rows)
        }
    }
    match from {
        Side::Array(array, at) => {
            (c.srcMemoryType, c.srcArray) = (values::MEMORYTYPE_ARRAY, array);
            [c.srcXInBytes, c.srcY, c.srcZ] = at;
        }
        Side::Device(address, pitch, rows) => {
            (c.srcMemoryType, c.srcDevice, c.srcPitch, c.srcHeight) =
                (values::MEMORYTYPE_DEVICE, address, pitch, rows);
        }
        Side::Host(p, pitch, rows) => {
            (c.srcMemoryType, c.srcHost, c.srcPitch, c.srcHeight) =
                (values::MEMORYTYPE_HOST, p, pitch, rows)
        }
    }
    c
}

/// Copies a box.
pub fn copy(gpu: &Gpu, to: Side, from: Side, size: [usize; 3]) -> CUresult {
    // SAFETY: both boxes are inside their memory, or the driver rejects the copy.
    unsafe { gpu.driver.cuMemcpy3D_v2(&description(to, from, size)) }
}

fn pattern(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect()
}

fn host(words: &[u32], row_bytes: usize, rows: usize) -> Side {
    Side::Host(words.as_ptr().cast_mut().cast(), row_bytes, rows)
}

/// Fills a whole array with contiguous words.
pub fn fill(
    gpu: &Gpu,
    array: CUarray,
    words: &[u32],
    [row_bytes, rows, slices]: [usize; 3],
) -> Done {
    Ok(copy(
        gpu,
        Side::Array(array, [0; 3]),
        host(words, row_bytes, rows),
        [row_bytes, rows, slices],
    )
    .ok()?)
}

/// Returns the contents of a whole array.
pub fn contents(
    gpu: &Gpu,
    array: CUarray,
    [row_bytes, rows, slices]: [usize; 3],
) -> Result<Vec<u32>, Outcome> {
    let back = vec![0u32; row_bytes * rows * slices / 4];
    copy(gpu, host(&back, row_bytes, rows), Side::Array(array, [0; 3]), [row_bytes, rows, slices])
        .ok()?;
    Ok(back)
}

fn descriptors(gpu: &Gpu) -> Done {
    let layered = values::ARRAY3D_LAYERED;
    let shapes = [
        shape([300, 0, 0], FLOAT, 0),
        shape([64, 48, 0], (values::FORMAT_UNSIGNED_INT8, 4), values::ARRAY3D_SURFACE_LDST),
        shape([16, 8, 4], (values::FORMAT_HALF, 2), 0),
        shape([32, 0, 5], (values::FORMAT_SIGNED_INT16, 1), layered),
        shape([32, 16, 5], FLOAT, layered),
        shape([16, 16, 6], FLOAT, values::ARRAY3D_CUBEMAP),
    ];
    for wanted in shapes {
        let array = create(gpu, &wanted)?;
        let mut found: CUDA_ARRAY3D_DESCRIPTOR = zeroed();
        let mut flat: CUDA_ARRAY_DESCRIPTOR = zeroed();
        // SAFETY: all out-pointers refer to locals, and the test no longer uses the array.
        unsafe {
            gpu.driver.cuArray3DGetDescriptor_v2(&mut found, array).ok()?;
            gpu.driver.cuArrayGetDescriptor_v2(&mut flat, array).ok()?;
            gpu.driver.cuArrayDestroy(array).ok()?;
        }
        same(
            "the extents",
            [found.Width, found.Height, found.Depth],
            [wanted.Width, wanted.Height, wanted.Depth],
        )?;
        same(
            "the elements",
            (found.Format, found.NumChannels),
            (wanted.Format, wanted.NumChannels),
        )?;
        same("the flags", found.Flags, wanted.Flags)?;
        same("width and height", [flat.Width, flat.Height], [wanted.Width, wanted.Height])?;
    }
    let mut array = CUarray::NULL;
    let plain = CUDA_ARRAY_DESCRIPTOR {
        Width: 20,
        Height: 10,
        Format: values::FORMAT_FLOAT,
        NumChannels: 2,
    };
    let mut found: CUDA_ARRAY_DESCRIPTOR = zeroed();
    // SAFETY: all out-pointers refer to locals.
    unsafe {
        gpu.driver.cuArrayCreate_v2(&mut array, &plain).ok()?;
        gpu.driver.cuArrayGetDescriptor_v2(&mut found, array).ok()?;
    }
    same(
        "an array of two dimensions",
        [found.Width, found.Height, found.NumChannels as usize],
        [20, 10, 2],
    )
}

fn refused(gpu: &Gpu) -> Done {
    let bad = [
        ("no width", shape([0, 4, 0], FLOAT, 0)),
        ("three channels", shape([4, 4, 0], (values::FORMAT_FLOAT, 3), 0)),
        ("a cube of five faces", shape([4, 4, 5], FLOAT, values::ARRAY3D_CUBEMAP)),
        ("too wide", shape([1 << 24, 0, 0], FLOAT, 0)),
    ];
    for (what, descriptor) in bad {
        same(what, create(gpu, &descriptor), Err(CUresult::INVALID_VALUE))?;
    }
    Ok(())
}

/// Checks that the driver can create arrays whose memory is mapped later, if the device reports
/// support.
fn optional_kinds(gpu: &Gpu) -> Done {
    const SPARSE_SUPPORTED: i32 = 112;
    const DEFERRED_MAPPING_SUPPORTED: i32 = 121;
    for (attribute, flag) in [
        (SPARSE_SUPPORTED, values::ARRAY3D_SPARSE),
        (DEFERRED_MAPPING_SUPPORTED, values::ARRAY3D_DEFERRED_MAPPING),
    ] {
        let made = create(gpu, &shape([4096, 4096, 0], FLOAT, flag));
        if gpu.attribute(attribute)? == 1 {
            same(&format!("an array with flag {flag:#x}"), made.is_ok(), true)?;
        }
    }
    Ok(())
}

fn rows(gpu: &Gpu) -> Done {
    let (first, second) =
        (create(gpu, &shape([256, 0, 0], FLOAT, 0))?, create(gpu, &shape([256, 0, 0], FLOAT, 0))?);
    let memory = gpu.alloc(1024)?;
    let data = pattern(256);
    let mut back = vec![0u32; 100];
    // SAFETY: both sides of each copy have these bytes.
    unsafe {
        gpu.driver.cuMemcpyHtoA_v2(first, 0, data.as_ptr().cast(), 1024).ok()?;
        gpu.driver.cuMemcpyAtoA_v2(second, 400, first, 40, 400).ok()?;
        gpu.driver.cuMemcpyAtoH_v2(back.as_mut_ptr().cast(), second, 400, 400).ok()?;
    }
    same("from one array to another", back, data[10..110].to_vec())?;
    // SAFETY: as above.
    unsafe {
        gpu.driver.cuMemcpyAtoD_v2(memory, first, 16, 512).ok()?;
        gpu.driver.cuMemcpyDtoA_v2(second, 0, memory + 4, 256).ok()?;
    }
    same("from an array to memory", gpu.read(memory, 128)?, data[4..132].to_vec())?;
    same("from memory to an array", contents(gpu, second, [256, 1, 1])?, data[5..69].to_vec())
}

fn boxes(gpu: &Gpu) -> Done {
    let size = [32 * 4, 20, 1];
    let array = create(gpu, &shape([32, 20, 0], FLOAT, 0))?;
    let data = pattern(32 * 20);
    fill(gpu, array, &data, size)?;
    same("the whole array", contents(gpu, array, size)? == data, true)?;
    let mut window = vec![0u32; 16 * 7];
    let mut c: CUDA_MEMCPY2D = zeroed();
    (c.srcMemoryType, c.srcArray, c.srcXInBytes, c.srcY) = (values::MEMORYTYPE_ARRAY, array, 12, 5);
    (c.dstMemoryType, c.dstHost, c.dstPitch) =
        (values::MEMORYTYPE_HOST, window.as_mut_ptr().cast(), 64);
    (c.WidthInBytes, c.Height) = (40, 7);
    // SAFETY: both boxes are inside their memory.
    unsafe { gpu.driver.cuMemcpy2D_v2(&c) }.ok()?;
    for row in 0..7 {
        same("a row of the window", &window[row * 16..][..10], &data[(row + 5) * 32 + 3..][..10])?;
        same("next to the window", window[row * 16 + 10], 0)?;
    }
    let (memory, other) = (gpu.alloc(64 * 20)?, create(gpu, &shape([16, 20, 0], FLOAT, 0))?);
    copy(gpu, Side::Device(memory, 64, 20), Side::Array(array, [64, 0, 0]), [64, 20, 1]).ok()?;
    copy(gpu, Side::Array(other, [0; 3]), Side::Device(memory, 64, 20), [64, 20, 1]).ok()?;
    copy(gpu, Side::Array(array, [0, 0, 0]), Side::Array(other, [0; 3]), [64, 20, 1]).ok()?;
    let right = |row: usize| data[row * 32 + 16..][..16].to_vec();
    let expected: Vec<u32> = (0..20).flat_map(|row| [right(row), right(row)].concat()).collect();
    same("the right half on the left", contents(gpu, array, size)? == expected, true)
}

fn volumes(gpu: &Gpu) -> Done {
    for flags in [0, values::ARRAY3D_LAYERED] {
        let array = create(gpu, &shape([8, 6, 5], FLOAT, flags))?;
        let data = pattern(8 * 6 * 5);
        fill(gpu, array, &data, [32, 6, 5])?;
        let back = vec![0u32; 4 * 3 * 2];
        copy(gpu, host(&back, 16, 3), Side::Array(array, [8, 2, 3]), [16, 3, 2]).ok()?;
        let expected: Vec<u32> = (3..5)
            .flat_map(|z| (2..5).flat_map(move |y| (2..6).map(move |x| (z * 6 + y) * 8 + x)))
            .map(|i| data[i])
            .collect();
        same("a box inside", back, expected)?;
    }
    let lines = create(gpu, &shape([8, 0, 3], FLOAT, values::ARRAY3D_LAYERED))?;
    let data = pattern(24);
    fill(gpu, lines, &data, [32, 1, 3])?;
    same("layers of one row", contents(gpu, lines, [32, 1, 3])?, data)
}

/// Copies rows of 16 KiB, 12 MiB in total.
fn large(gpu: &Gpu) -> Done {
    let array = create(gpu, &shape([1024, 768, 0], (values::FORMAT_FLOAT, 4), 0))?;
    let data = pattern(1024 * 768 * 4);
    fill(gpu, array, &data, [16 << 10, 768, 1])?;
    same("12 MiB there and back", contents(gpu, array, [16 << 10, 768, 1])? == data, true)
}

/// A copy from an array returns the data of the previous copy in the stream, and of a kernel before
/// that copy.
fn in_stream_order(gpu: &Gpu) -> Done {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let array = create(gpu, &shape([1024, 0, 0], (values::FORMAT_UNSIGNED_INT32, 1), 0))?;
    let memory = gpu.alloc(4096)?;
    let module = gpu.module()?;
    let function = gpu.function(module, "fill")?;
    let mut pinned: *mut c_void = std::ptr::null_mut();
    // SAFETY: the pinned memory has this size, and the test reads it after the synchronisation.
    let words = unsafe {
        gpu.driver.cuMemHostAlloc(&mut pinned, 4096, 0).ok()?;
        std::slice::from_raw_parts(pinned.cast::<u32>(), 1024)
    };
    for round in 0..4u32 {
        gpu.launch(function, (4, 256), stream, memory, &[1024, round * 100]).ok()?;
        let to =
            description(Side::Array(array, [0; 3]), Side::Device(memory, 4096, 1), [4096, 1, 1]);
        // SAFETY: both boxes are inside their memory.
        unsafe {
            gpu.driver.cuMemcpy3DAsync_v2(&to, stream).ok()?;
            gpu.driver.cuMemcpyAtoHAsync_v2(pinned, array, 0, 4096, stream).ok()?;
            gpu.driver.cuStreamSynchronize(stream).ok()?;
        }
        same(
            "the round's first and last",
            (words[0], words[1023]),
            (round * 100, round * 100 + 1023),
        )?;
    }
    Ok(())
}

fn past_the_end(gpu: &Gpu) -> Done {
    let array = create(gpu, &shape([16, 8, 0], FLOAT, 0))?;
    let data = vec![0u32; 64 * 9];
    for (what, at, size) in [
        ("rows too long", [0, 0, 0], [68, 1, 1]),
        ("a row too many", [0, 0, 0], [64, 9, 1]),
        ("shifted out", [4, 0, 0], [64, 8, 1]),
        ("a second slice", [0, 0, 1], [64, 8, 1]),
    ] {
        same(
            what,
            copy(gpu, Side::Array(array, at), host(&data, 68, 9), size),
            CUresult::INVALID_VALUE,
        )?;
    }
    Ok(())
}

fn mipmapped(gpu: &Gpu) -> Done {
    let mut mipmapped = CUmipmappedArray::NULL;
    // SAFETY: the out-pointer refers to a local, and the driver reads the descriptor during the
    // call.
    unsafe { gpu.driver.cuMipmappedArrayCreate(&mut mipmapped, &shape([16, 4, 0], FLOAT, 0), 3) }
        .ok()?;
    let level = |n: u32| {
        let mut array = CUarray::NULL;
        // SAFETY: the out-pointer refers to a local.
        unsafe { gpu.driver.cuMipmappedArrayGetLevel(&mut array, mipmapped, n) }
            .ok()
            .map(|()| array)
    };
    for (n, size) in [(0u32, [16, 4]), (1, [8, 2]), (2, [4, 1])] {
        let array = level(n)?;
        let mut found: CUDA_ARRAY3D_DESCRIPTOR = zeroed();
        // SAFETY: the out-pointer refers to a local.
        unsafe { gpu.driver.cuArray3DGetDescriptor_v2(&mut found, array) }.ok()?;
        same("a level's extents", [found.Width, found.Height], size)?;
        fill(gpu, array, &pattern(size[0] * size[1]), [size[0] * 4, size[1], 1])?;
    }
    for (n, size) in [(0u32, [16, 4]), (1, [8, 2]), (2, [4, 1])] {
        same(
            "a level's contents",
            contents(gpu, level(n)?, [size[0] * 4, size[1], 1])?,
            pattern(size[0] * size[1]),
        )?;
    }
    if level(3).is_ok() {
        return fail("a level beyond the last exists");
    }
    // SAFETY: the test no longer uses the array.
    Ok(unsafe { gpu.driver.cuMipmappedArrayDestroy(mipmapped) }.ok()?)
}
