//! Thread block clusters: derives a launch's clusters from the launch and its kernel, and checks
//! that the device supports them.

use crate::driver::objects::code::function::Function;
use crate::driver::objects::code::occupancy;
use crate::driver::system::error::{Error, Result};

/// Maximum cluster size, in blocks, on every device that supports clusters. Only kernels that opt
/// in get larger clusters.
const PORTABLE_BLOCKS_MAX: u32 = 8;

/// Returns the maximum number of blocks per cluster with which the function may be launched.
pub fn blocks_max(function: &Function) -> u32 {
    let device = function.tuning.limits.cluster_blocks;
    let usual = if function.tuning.allows_larger_clusters() {
        device
    } else {
        device.min(PORTABLE_BLOCKS_MAX)
    };
    usual.min(function.kernel.cluster.blocks_max.unwrap_or(u32::MAX))
}

/// Returns the cluster shape, in blocks, if the launch or its function asks for clusters.
pub fn shape(function: &Function, asked: Option<[u32; 3]>) -> Result<Option<[u32; 3]>> {
    let asked = asked.filter(|shape| *shape != [0; 3]);
    let required = function.tuning.cluster(&function.kernel);
    let Some(shape) = asked.or(required) else {
        return if function.kernel.cluster.explicit {
            Err(Error::InvalidClusterSize)
        } else {
            Ok(None)
        };
    };
    if function.tuning.limits.cluster_blocks == 0 {
        return if shape == [1; 3] { Ok(None) } else { Err(Error::NotSupported) };
    }
    let blocks = shape.iter().fold(1_u32, |product, n| product.saturating_mul(*n));
    if !(1..=blocks_max(function)).contains(&blocks)
        || required.is_some_and(|required| required != shape)
    {
        return Err(Error::InvalidClusterSize);
    }
    Ok(Some(shape))
}

/// Returns the cluster shape as [`shape`] does, and fails unless the grid consists of whole
/// clusters.
pub fn shape_in(
    function: &Function,
    asked: Option<[u32; 3]>,
    grid: [u32; 3],
) -> Result<Option<[u32; 3]>> {
    let found = shape(function, asked)?;
    let whole =
        found.is_none_or(|shape| grid.iter().zip(shape).all(|(grid, n)| grid.is_multiple_of(n)));
    if whole { Ok(found) } else { Err(Error::InvalidClusterSize) }
}

/// Returns the number of clusters that are resident at once. The number is at least one if any
/// block fits, because a cluster's blocks can take turns on one core.
pub fn resident(
    function: &Function,
    asked: Option<[u32; 3]>,
    block_size: u32,
    shared_bytes: u64,
    multiprocessors: u32,
) -> Result<u32> {
    let shape = shape(function, asked)?.ok_or(Error::InvalidValue)?;
    let blocks = occupancy::blocks(function, block_size, shared_bytes);
    Ok(if blocks == 0 {
        0
    } else {
        (blocks * multiprocessors / shape.iter().product::<u32>()).max(1)
    })
}

/// Returns the size, in blocks, of the largest cluster of blocks of `block_size` threads and
/// `shared_bytes` of shared memory. The kernel's own cluster attributes do not matter.
pub fn largest(function: &Function, block_size: u32, shared_bytes: u64) -> Result<u32> {
    if function.tuning.limits.cluster_blocks == 0 {
        return Err(Error::NotSupported);
    }
    Ok(if occupancy::blocks(function, block_size, shared_bytes) == 0 {
        0
    } else {
        blocks_max(function)
    })
}
