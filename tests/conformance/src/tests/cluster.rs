//! Clusters of blocks: other blocks' shared memory, cluster attributes of launches and functions,
//! and launches that the call rejects.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, fail, same};
use outhaul_abi::types::*;
use std::ffi::{CString, c_void};

pub const TESTS: &[Test] = &[
    ("cluster/blocks_read_each_other", blocks_read_each_other),
    ("cluster/function_attributes", function_attributes),
    ("cluster/larger_than_portable", larger_than_portable),
    ("cluster/refused_at_the_call", refused_at_the_call),
    ("cluster/occupancy", occupancy),
    ("cluster/captured", captured),
];

const CLUSTER_LAUNCH: i32 = 120;
const CLUSTER_DIMENSION: i32 = 4;
const CLUSTER_MUST_BE_SET: i32 = 10;
const CLUSTER_WIDTH: i32 = 11;
const LARGER_CLUSTERS: i32 = 14;

/// `next(p)`: p[block] = rank of the next block in the cluster, plus 256 times the cluster's
/// number. The next block writes its rank to its own shared memory. `pairs(p)` does the same in
/// clusters of two.
const MODULE: &str = r#"
.version 8.0
.target sm_90
.address_size 64

.visible .entry next(.param .u64 p) { BODY }

.visible .entry pairs(.param .u64 p)
.explicitcluster
.reqnctapercluster 2, 1, 1
{ BODY }
"#;

const BODY: &str = r#"
    .shared .align 4 .u32 box;
    .reg .b32 %r<6>;
    .reg .b64 %d<3>;
    .reg .pred %q;
    mov.u32 %r0, %cluster_ctarank;
    mov.u32 %r1, %cluster_nctarank;
    st.shared.u32 [box], %r0;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    add.u32 %r2, %r0, 1;
    rem.u32 %r2, %r2, %r1;
    mov.u32 %r3, box;
    mapa.shared::cluster.u32 %r3, %r3, %r2;
    ld.shared::cluster.u32 %r4, [%r3];
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    mov.u32 %r2, %clusterid.x;
    mad.lo.u32 %r4, %r2, 256, %r4;
    mov.u32 %r5, %ctaid.x;
    ld.param.u64 %d0, [p];
    mul.wide.u32 %d1, %r5, 4;
    add.s64 %d2, %d0, %d1;
    st.global.u32 [%d2], %r4;
    ret;
"#;

/// Returns the words that `next` and `pairs` must write.
fn expected(blocks: u32, cluster: u32) -> Vec<u32> {
    (0..blocks).map(|block| (block + 1) % cluster + 256 * (block / cluster)).collect()
}

struct Kernels {
    next: CUfunction,
    pairs: CUfunction,
    buffer: CUdeviceptr,
}

impl Kernels {
    fn load(gpu: &Gpu) -> Result<Kernels, Outcome> {
        if gpu.attribute(CLUSTER_LAUNCH)? == 0 {
            return Err(Outcome::Skipped("the device has no clusters".into()));
        }
        let text = CString::new(MODULE.replace("BODY", BODY)).expect("PTX holds no NUL");
        let mut module = CUmodule::NULL;
        cu!(gpu.cuModuleLoadData(&mut module, text.as_ptr().cast())).ok()?;
        Ok(Kernels {
            next: gpu.function(module, "next")?,
            pairs: gpu.function(module, "pairs")?,
            buffer: gpu.alloc(64 * 4)?,
        })
    }

    /// Launches the kernel in clusters of the given size, or without cluster attributes.
    fn launch(
        &self,
        gpu: &Gpu,
        function: CUfunction,
        blocks: u32,
        cluster: Option<u32>,
        stream: CUstream,
    ) -> CUresult {
        let mut address = self.buffer;
        let mut params: [*mut c_void; 1] = [(&raw mut address).cast()];
        let attributes = attributes(cluster);
        let config = config(blocks, stream, &attributes);
        cu!(gpu.cuLaunchKernelEx(&config, function, params.as_mut_ptr(), std::ptr::null_mut()))
    }

    fn expect(
        &self,
        gpu: &Gpu,
        function: CUfunction,
        blocks: u32,
        cluster: Option<u32>,
        size: u32,
    ) -> Done {
        gpu.write(self.buffer, &[u32::MAX; 64])?;
        self.launch(gpu, function, blocks, cluster, CUstream::NULL).ok()?;
        same("the ranks", gpu.read(self.buffer, blocks as usize)?, expected(blocks, size))
    }
}

fn attributes(cluster: Option<u32>) -> Vec<CUlaunchAttribute> {
    let value = |blocks: u32| [u64::from(blocks) | 1 << 32, 1, 0, 0, 0, 0, 0, 0];
    cluster
        .map(|blocks| CUlaunchAttribute {
            id: CLUSTER_DIMENSION,
            pad: [0; 4],
            value: value(blocks),
        })
        .into_iter()
        .collect()
}

fn config(blocks: u32, stream: CUstream, attributes: &[CUlaunchAttribute]) -> CUlaunchConfig {
    CUlaunchConfig {
        gridDimX: blocks,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 64,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        hStream: stream,
        attrs: attributes.as_ptr(),
        numAttrs: attributes.len() as u32,
    }
}

fn blocks_read_each_other(gpu: &Gpu) -> Done {
    let kernels = Kernels::load(gpu)?;
    for cluster in [1, 2, 4, 8] {
        kernels.expect(gpu, kernels.next, 16, Some(cluster), cluster)?;
    }
    kernels.expect(gpu, kernels.next, 5, None, 1)?;
    kernels.expect(gpu, kernels.pairs, 6, None, 2)?;
    kernels.expect(gpu, kernels.pairs, 6, Some(2), 2)
}

fn attribute_of(gpu: &Gpu, function: CUfunction, attribute: i32) -> Result<i32, Outcome> {
    let mut value = -1;
    cu!(gpu.cuFuncGetAttribute(&mut value, attribute, function)).ok()?;
    Ok(value)
}

fn function_attributes(gpu: &Gpu) -> Done {
    let kernels = Kernels::load(gpu)?;
    same("the width of pairs", attribute_of(gpu, kernels.pairs, CLUSTER_WIDTH)?, 2)?;
    same("whether pairs need clusters", attribute_of(gpu, kernels.pairs, CLUSTER_MUST_BE_SET)?, 1)?;
    same("the width of next", attribute_of(gpu, kernels.next, CLUSTER_WIDTH)?, 0)?;
    same("whether next needs clusters", attribute_of(gpu, kernels.next, CLUSTER_MUST_BE_SET)?, 0)?;
    same(
        "setting what is compiled in",
        cu!(gpu.cuFuncSetAttribute(kernels.pairs, CLUSTER_WIDTH, 4)),
        CUresult::INVALID_VALUE,
    )?;
    for (axis, blocks) in (0..).zip([4, 1, 1]) {
        cu!(gpu.cuFuncSetAttribute(kernels.next, CLUSTER_WIDTH + axis, blocks)).ok()?;
    }
    kernels.expect(gpu, kernels.next, 8, None, 4)
}

fn larger_than_portable(gpu: &Gpu) -> Done {
    let kernels = Kernels::load(gpu)?;
    if kernels.launch(gpu, kernels.next, 16, Some(16), CUstream::NULL) == CUresult::SUCCESS {
        return fail("a cluster of 16 blocks was launched without permission");
    }
    cu!(gpu.cuFuncSetAttribute(kernels.next, LARGER_CLUSTERS, 1)).ok()?;
    let (attributes, mut largest) = (attributes(Some(1)), 0);
    cu!(gpu.cuOccupancyMaxPotentialClusterSize(
        &mut largest,
        kernels.next,
        &config(16, CUstream::NULL, &attributes)
    ))
    .ok()?;
    if largest < 16 {
        return Err(Outcome::Skipped(format!("the largest cluster has {largest} blocks")));
    }
    kernels.expect(gpu, kernels.next, 32, Some(16), 16)
}

fn refused_at_the_call(gpu: &Gpu) -> Done {
    let kernels = Kernels::load(gpu)?;
    let cases = [
        (kernels.next, 6, Some(4)),
        (kernels.next, 64, Some(64)),
        (kernels.pairs, 3, None),
        (kernels.pairs, 8, Some(4)),
    ];
    for (function, blocks, cluster) in cases {
        if kernels.launch(gpu, function, blocks, cluster, CUstream::NULL) == CUresult::SUCCESS {
            return fail(format!("{blocks} blocks in clusters of {cluster:?} were launched"));
        }
        // A rejected launch has no later effect.
        kernels.expect(gpu, kernels.next, 4, Some(4), 4)?;
    }
    Ok(())
}

fn occupancy(gpu: &Gpu) -> Done {
    let kernels = Kernels::load(gpu)?;
    let (pairs, mut largest, mut resident) = (attributes(Some(2)), 0, 0);
    let config = config(8, CUstream::NULL, &pairs);
    cu!(gpu.cuOccupancyMaxPotentialClusterSize(&mut largest, kernels.next, &config)).ok()?;
    same("the largest portable cluster", largest, 8)?;
    cu!(gpu.cuOccupancyMaxPotentialClusterSize(&mut largest, kernels.pairs, &config)).ok()?;
    same("the largest cluster for pairs, whatever is compiled in", largest, 8)?;
    cu!(gpu.cuOccupancyMaxActiveClusters(&mut resident, kernels.next, &config)).ok()?;
    if resident < 1 { fail("no cluster fits") } else { Ok(()) }
}

fn captured(gpu: &Gpu) -> Done {
    let kernels = Kernels::load(gpu)?;
    let stream = gpu.stream(1)?;
    gpu.begin_capture(stream)?;
    kernels.launch(gpu, kernels.next, 8, Some(4), stream).ok()?;
    let exec = gpu.end_capture(stream).and_then(|graph| gpu.instantiate(graph))?;
    gpu.replay(exec, stream)?;
    same("the ranks", gpu.read(kernels.buffer, 8)?, expected(8, 4))
}
