//! Batches of copies: contiguous copies, boxes, and copies with arrays.

use super::Test;
use super::array::{FLOAT, contents, create, fill, shape, zeroed};
use crate::gpu::{Done, Gpu, Outcome, same};
use outhaul_abi::types::*;

pub const TESTS: &[Test] =
    &[("batch/flat", flat), ("batch/boxes_and_arrays", boxes), ("batch/refused", refused)];

fn needs_batches(gpu: &Gpu) -> Done {
    let mut version = 0;
    // SAFETY: the out-pointer refers to a local.
    unsafe { gpu.driver.cuDriverGetVersion(&mut version) }.ok()?;
    if version >= 12080 {
        Ok(())
    } else {
        Err(Outcome::Skipped(format!("driver {version} has no batches")))
    }
}

fn ordered(order: i32) -> CUmemcpyAttributes {
    CUmemcpyAttributes { srcAccessOrder: order, ..zeroed() }
}

/// Copies to the device from memory that the program frees after the call, within the device, and
/// back.
fn flat(gpu: &Gpu) -> Done {
    needs_batches(gpu)?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let (a, b, c) = (gpu.alloc(4096)?, gpu.alloc(4096)?, gpu.alloc(4096)?);
    gpu.write(c, &(0..1024).map(|i| i * 3).collect::<Vec<_>>())?;
    let mut words: Vec<u32> = (0..1024).collect();
    let attributes = [
        ordered(values::SRC_ACCESS_ORDER_DURING_API_CALL),
        ordered(values::SRC_ACCESS_ORDER_STREAM),
    ];
    let (to, from) = ([a, b], [words.as_ptr() as u64, c + 2048]);
    // SAFETY: both sides of each copy have these bytes, and the arrays have the lengths passed.
    unsafe {
        let sizes = [4096, 2048];
        let (to, from, sizes, starts) = (to.as_ptr(), from.as_ptr(), sizes.as_ptr(), [0usize, 1]);
        let mut failed = 0;
        gpu.driver
            .cuMemcpyBatchAsync(
                to,
                from,
                sizes,
                2,
                attributes.as_ptr(),
                starts.as_ptr(),
                2,
                &mut failed,
                stream,
            )
            .ok()?;
    }
    words.fill(0);
    // SAFETY: the call only waits.
    unsafe { gpu.driver.cuStreamSynchronize(stream) }.ok()?;
    same("from the host", gpu.read(a, 1024)?, (0..1024).collect())?;
    same("on the device", gpu.read(b, 512)?, (512..1024).map(|i| i * 3).collect())
}

fn pointer(address: u64, row: u64, rows: u64) -> CUmemcpy3DOperand {
    CUmemcpy3DOperand { type_: values::OPERAND_TYPE_POINTER, pad: 0, op: [address, row, rows, 0] }
}

fn in_array(array: CUarray, [x, y, z]: [u64; 3]) -> CUmemcpy3DOperand {
    CUmemcpy3DOperand { type_: values::OPERAND_TYPE_ARRAY, pad: 0, op: [array.0 as u64, x, y, z] }
}

fn operation(
    to: CUmemcpy3DOperand,
    from: CUmemcpy3DOperand,
    [width, height, depth]: [usize; 3],
) -> CUDA_MEMCPY3D_BATCH_OP {
    let order = values::SRC_ACCESS_ORDER_STREAM;
    CUDA_MEMCPY3D_BATCH_OP {
        src: from,
        dst: to,
        width,
        height,
        depth,
        srcAccessOrder: order,
        flags: 0,
    }
}

/// Extents are in elements if an array takes part, else in bytes.
fn boxes(gpu: &Gpu) -> Done {
    needs_batches(gpu)?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let array = create(gpu, &shape([8, 4, 0], FLOAT, 0))?;
    fill(gpu, array, &[0; 32], [32, 4, 1])?;
    let (memory, other) = (gpu.alloc(1024)?, gpu.alloc(1024)?);
    gpu.write(memory, &(0..256).collect::<Vec<_>>())?;
    gpu.write(other, &[0; 256])?;
    let ops = [
        operation(in_array(array, [2, 1, 0]), pointer(memory, 16, 0), [4, 2, 1]),
        operation(pointer(other, 64, 0), pointer(memory + 128, 128, 0), [8, 3, 1]),
    ];
    // SAFETY: the boxes are inside their memory, and the list has the length passed.
    unsafe {
        let mut failed = 0;
        gpu.driver.cuMemcpy3DBatchAsync(2, ops.as_ptr(), &mut failed, 0, stream).ok()?;
        gpu.driver.cuStreamSynchronize(stream).ok()?;
    }
    let found = contents(gpu, array, [32, 4, 1])?;
    same(
        "rows of the array",
        [&found[8..16], &found[16..24]].concat(),
        vec![0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 16, 17, 18, 19, 0, 0],
    )?;
    let found = gpu.read(other, 48)?;
    same(
        "rows of memory",
        [found[0], found[1], found[2], found[16], found[33]],
        [32, 33, 0, 64, 97],
    )
}

fn refused(gpu: &Gpu) -> Done {
    needs_batches(gpu)?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let memory = gpu.alloc(4096)?;
    let good = operation(pointer(memory, 0, 0), pointer(memory + 2048, 0, 0), [16, 1, 1]);
    let batch = |ops: &[CUDA_MEMCPY3D_BATCH_OP], stream| {
        let mut failed = 0;
        // SAFETY: the boxes are inside their memory, or the driver rejects the copy. The list has
        // the length passed.
        unsafe { gpu.driver.cuMemcpy3DBatchAsync(ops.len(), ops.as_ptr(), &mut failed, 0, stream) }
    };
    same("the legacy stream is taken", batch(&[good], CUstream::NULL) == CUresult::SUCCESS, false)?;
    let unordered = CUDA_MEMCPY3D_BATCH_OP { srcAccessOrder: 0, ..good };
    same("no access order", batch(&[good, unordered], stream), CUresult::INVALID_VALUE)?;
    let empty = CUDA_MEMCPY3D_BATCH_OP { height: 0, ..good };
    same("no rows", batch(&[empty], stream), CUresult::INVALID_VALUE)
}
