//! Checked launches of kernels.

use crate::driver::objects::code::cluster;
use crate::driver::objects::code::function::Function;
use crate::driver::system::error::Result;
use std::sync::{Arc, OnceLock};

/// The arguments of a launch, apart from the kernel and its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Size of dynamic shared memory.
    pub dynamic_shared_bytes: u32,
    /// Whether all blocks must be resident at once.
    pub cooperative: bool,
    /// Blocks of a cluster.
    pub cluster: Option<[u32; 3]>,
}

/// A checked launch, with everything that running the grid needs.
pub struct KernelCall {
    /// Handle by which the program named the kernel.
    pub handle: u64,
    /// Function to run.
    pub function: Arc<Function>,
    /// Arguments of the launch.
    pub shape: Shape,
    /// Parameter buffer.
    pub params: Vec<u8>,
    /// Address of each parameter, once the program has asked for them.
    pub param_addresses: OnceLock<Vec<u64>>,
}

impl Shape {
    /// Returns the threads of a block.
    pub fn threads(&self) -> u64 {
        self.block.iter().map(|n| u64::from(*n)).product()
    }
}

impl KernelCall {
    /// Returns the handle of the context in which it runs.
    pub fn context(&self) -> u64 {
        self.function.module.context
    }

    /// Returns the same launch with the attributes of another: whether it is cooperative, and its
    /// clusters.
    pub fn with_attributes_of(&self, other: &KernelCall) -> Result<KernelCall> {
        self.with_attributes(other.shape.cooperative, other.shape.cluster)
    }

    /// Returns the same launch with these attributes.
    pub fn with_attributes(
        &self,
        cooperative: bool,
        cluster: Option<[u32; 3]>,
    ) -> Result<KernelCall> {
        let cluster = cluster::shape_in(&self.function, cluster, self.shape.grid)?;
        let (function, params) = (Arc::clone(&self.function), self.params.clone());
        let shape = Shape { cooperative, cluster, ..self.shape };
        Ok(KernelCall {
            handle: self.handle,
            function,
            shape,
            params,
            param_addresses: OnceLock::new(),
        })
    }

    /// Returns the address of each parameter's value. The addresses are valid while the call lives.
    pub fn param_addresses(&self) -> &[u64] {
        let first = self.params.as_ptr().expose_provenance() as u64;
        self.param_addresses.get_or_init(|| {
            self.function
                .kernel
                .params
                .iter()
                .map(|param| first + u64::from(param.offset_bytes))
                .collect()
        })
    }
}
