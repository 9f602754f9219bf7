//! Tensor maps. The driver encodes them for the copy engine of compute capability 9.0 and later.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, same};
use outhaul_abi::types::*;

pub const TESTS: &[Test] =
    &[("tensor_map/encoding", encoding), ("tensor_map/bad_arguments", bad_arguments)];

const TENSOR_MAPS: i32 = 127;
const FLOAT32: CUtensorMapDataType = 7;

fn needs_copy_engine(gpu: &Gpu) -> Done {
    if gpu.attribute(TENSOR_MAPS)? == 0 {
        Err(Outcome::Skipped("the device has no tensor maps".into()))
    } else {
        Ok(())
    }
}

/// A matrix of 64 by 32 floats, which is divided into tiles of 16 by 8.
struct Tiled {
    rank: u32,
    address: CUdeviceptr,
    dims: *const u64,
    tile: [u32; 2],
}

const DIMS: [u64; 2] = [64, 32];

impl Tiled {
    fn new(address: CUdeviceptr) -> Tiled {
        Tiled { rank: 2, address, dims: DIMS.as_ptr(), tile: [16, 8] }
    }

    fn encode(&self, gpu: &Gpu) -> Result<[u64; 16], CUresult> {
        let (strides, steps) = ([256u64], [1u32; 2]);
        let mut map = CUtensorMap { opaque: [0; 16] };
        // SAFETY: the arrays have the lengths that a rank of up to two requires. The driver rejects
        // other ranks.
        unsafe {
            gpu.driver.cuTensorMapEncodeTiled(
                &mut map,
                FLOAT32,
                self.rank,
                self.address,
                self.dims,
                strides.as_ptr(),
                self.tile.as_ptr(),
                steps.as_ptr(),
                0,
                0,
                0,
                0,
            )
        }
        .ok()?;
        Ok(map.opaque)
    }
}

fn encoding(gpu: &Gpu) -> Done {
    needs_copy_engine(gpu)?;
    let (first, second) = (gpu.alloc(1 << 16)?, gpu.alloc(1 << 16)?);
    let (map, other) = (Tiled::new(first).encode(gpu)?, Tiled::new(second).encode(gpu)?);
    same("the same map twice", Tiled::new(first).encode(gpu)?, map)?;
    same("an empty map", map == [0; 16], false)?;
    same("another tensor's map is equal", map == other, false)?;
    let mut moved = CUtensorMap { opaque: map };
    // SAFETY: the pointer refers to a local tensor map.
    unsafe { gpu.driver.cuTensorMapReplaceAddress(&mut moved, second) }.ok()?;
    same("the map with the other's address", moved.opaque, other)
}

fn bad_arguments(gpu: &Gpu) -> Done {
    needs_copy_engine(gpu)?;
    let memory = gpu.alloc(1 << 16)?;
    let good = || Tiled::new(memory);
    let bad = [
        ("no dimensions", Tiled { rank: 0, ..good() }),
        ("an address that is not aligned", Tiled { address: memory + 4, ..good() }),
        ("no sizes", Tiled { dims: std::ptr::null(), ..good() }),
        ("an empty tile", Tiled { tile: [0, 8], ..good() }),
        ("a tile that is too wide", Tiled { tile: [512, 8], ..good() }),
    ];
    for (what, tiled) in bad {
        same(what, tiled.encode(gpu), Err(CUresult::INVALID_VALUE))?;
    }
    Ok(())
}
