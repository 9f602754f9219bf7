//! Checks a launch's clusters in the call itself, as far as possible without asking the node.

use crate::api::arguments::CudaResult;
use crate::driver::state::driver;
use crate::objects::code::kernel_facts::Facts;
use crate::objects::context_stack;
use outhaul_abi::types::*;

const CLUSTER_LAUNCH: i32 = 120;
const CLUSTER_DIMENSION: i32 = 4;
/// Cluster size that every device with cluster support accepts. A larger cluster needs a kernel
/// that allows it, and only the node's driver knows the limit.
const PORTABLE_BLOCKS_MAX: u64 = 8;

/// Returns the cluster shape that the launch's attributes request. Ignores a shape of zeros.
fn asked(attributes: &[u8]) -> Option<[u32; 3]> {
    let word = |record: &[u8], at: usize| {
        u32::from_le_bytes(record[at..at + 4].try_into().expect("four bytes"))
    };
    let mut records = attributes.chunks_exact(size_of::<CUlaunchAttribute>());
    let record = records.rfind(|record| word(record, 0) as i32 == CLUSTER_DIMENSION)?;
    Some([8, 12, 16].map(|at| word(record, at))).filter(|shape| *shape != [0; 3])
}

/// Checks a launch's cluster shape against the kernel and the current context's device.
pub fn check(function: &Facts, grid: [u32; 3], attributes: &[u8]) -> CudaResult {
    let required = function.cluster();
    let Some(shape) = asked(attributes).or(required) else {
        return if function.needs_clusters() {
            Err(CUresult::INVALID_CLUSTER_SIZE)
        } else {
            Ok(())
        };
    };
    let device = driver()?.facts.device(context_stack::with_current(|c| Ok(c.device))?)?;
    if device.attribute(CLUSTER_LAUNCH).unwrap_or(0) == 0 {
        return if shape == [1; 3] { Ok(()) } else { Err(CUresult::NOT_SUPPORTED) };
    }
    let blocks = shape.iter().fold(1_u64, |product, n| product.saturating_mul(u64::from(*n)));
    let fits = blocks > 0
        && (blocks <= PORTABLE_BLOCKS_MAX || function.allows_larger_clusters())
        && required.is_none_or(|required| required == shape)
        && grid.iter().zip(shape).all(|(grid, n)| grid.is_multiple_of(n));
    if fits { Ok(()) } else { Err(CUresult::INVALID_CLUSTER_SIZE) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_found_among_other_attributes() {
        let record = |id: i32, value: [u64; 2]| {
            let mut bytes = vec![0; size_of::<CUlaunchAttribute>()];
            bytes[..4].copy_from_slice(&id.to_le_bytes());
            bytes[8..16].copy_from_slice(&value[0].to_le_bytes());
            bytes[16..24].copy_from_slice(&value[1].to_le_bytes());
            bytes
        };
        assert_eq!(
            asked(&[record(2, [1, 0]), record(4, [3 | 2 << 32, 1])].concat()),
            Some([3, 2, 1])
        );
        assert_eq!(asked(&record(4, [0, 0])), None);
        assert_eq!(asked(&record(2, [1, 0])), None);
    }
}
