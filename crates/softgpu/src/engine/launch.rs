//! Checks a launch and runs the grid on the pool.

use super::exec::blocks::cluster::BLOCKS_MAX;
use super::exec::blocks::job::{Plan, Start};
use super::exec::blocks::limits::THREADS_MAX;
use super::exec::blocks::pool;
use super::fault::Fault;
use super::host::{Checker, Output};
use super::program::{Instance, Kernel};
use std::time::Duration;

/// Maximum shared memory per block in bytes, static and dynamic together.
const SHARED_BYTES_MAX: u64 = 227 << 10;

/// The arguments of a launch.
pub struct Launch<'a> {
    /// Program instance with the addresses of its global variables.
    pub instance: &'a Instance,
    /// Kernel to launch.
    pub kernel: &'a Kernel,
    /// Blocks in the grid, by dimension.
    pub grid: [u32; 3],
    /// Threads in a block, by dimension.
    pub block: [u32; 3],
    /// Blocks in a cluster, as the launch requests. If `None`, the kernel decides.
    pub cluster: Option<[u32; 3]>,
    /// Size of dynamic shared memory, in bytes.
    pub dynamic_shared_bytes: u32,
    /// Kernel parameters.
    pub params: &'a [u8],
    /// Whether all blocks must be resident at once.
    pub cooperative: bool,
    /// Receiver for the kernel's output.
    pub output: &'a dyn Output,
    /// Maximum size of the heap for `malloc` in kernels, in bytes.
    pub heap_bytes_max: u64,
    /// Checker for memory accesses. The program must be parsed for checking.
    pub checker: Option<&'a dyn Checker>,
    /// Maximum run time.
    pub time_limit: Option<Duration>,
}

/// Runs a grid and returns when every block is done. Fails if the kernel does not permit the
/// launch.
pub fn run(launch: &Launch<'_>) -> Result<(), Fault> {
    let kernel = launch.kernel;
    let invalid = |why: String| Err(Fault::InvalidLaunch(why));
    let threads: u64 = launch.block.iter().map(|&n| u64::from(n)).product();
    if threads == 0
        || threads > THREADS_MAX as u64
        || launch.block.iter().any(|&n| n > THREADS_MAX as u32)
    {
        return invalid(format!("{threads} threads per block"));
    }
    if launch.grid[1] > 65535 || launch.grid[2] > 65535 {
        return invalid(format!("a grid of {:?}", launch.grid));
    }
    if kernel.required_block.is_some_and(|required| required != launch.block) {
        return invalid(format!("{} wants blocks of {:?}", kernel.name, kernel.required_block));
    }
    if launch.params.len() < kernel.param_bytes as usize {
        return invalid(format!(
            "{} bytes of parameters, {} wanted",
            launch.params.len(),
            kernel.param_bytes
        ));
    }
    let shared_bytes =
        u64::from(kernel.static_shared_bytes) + u64::from(launch.dynamic_shared_bytes);
    if shared_bytes > SHARED_BYTES_MAX {
        return invalid(format!("{shared_bytes} bytes of shared memory"));
    }
    let cluster = launch.cluster.or(kernel.cluster.required);
    let fits = |shape: [u32; 3]| {
        let blocks = shape.iter().fold(1_u32, |product, &n| product.saturating_mul(n));
        (1..=BLOCKS_MAX).contains(&blocks)
            && launch.grid.iter().zip(shape).all(|(grid, n)| grid.is_multiple_of(n))
    };
    if cluster.is_some_and(|shape| !fits(shape))
        || kernel.cluster.required.is_some_and(|required| cluster != Some(required))
    {
        return invalid(format!("clusters of {cluster:?} in a grid of {:?}", launch.grid));
    }
    let code = kernel.compiled(launch.block).map_err(Fault::Compile)?;
    // SAFETY: the code was generated for exactly this entry and lives as long as the kernel's
    // program.
    let start = unsafe { Start::new(code.address, code.by_block) };
    pool::run(&Plan {
        start,
        grid: launch.grid,
        block: launch.block,
        cluster,
        static_shared_bytes: kernel.static_shared_bytes,
        dynamic_bytes: launch.dynamic_shared_bytes,
        globals: launch.instance.addresses(),
        cooperative: launch.cooperative,
        stack_bytes: code.stack_bytes,
        frame_bytes: code.frame_bytes,
        output: launch.output,
        params: launch.params,
        name: &kernel.name,
        checker: launch.checker,
        heap_bytes_max: launch.heap_bytes_max,
        time_limit: launch.time_limit,
    })
}
