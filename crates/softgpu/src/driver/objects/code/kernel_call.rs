//! Kernel launches that have been checked.

use crate::driver::objects::code::cluster;
use crate::driver::objects::code::function::Function;
use crate::driver::system::error::Result;
use std::sync::{Arc, OnceLock};

/// The arguments of a launch, without the kernel and its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Grid size in blocks.
    pub grid: [u32; 3],
    /// Block size in threads.
    pub block: [u32; 3],
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_shared_bytes: u32,
    /// Whether all blocks must be resident at once.
    pub cooperative: bool,
    /// Cluster shape in blocks.
    pub cluster: Option<[u32; 3]>,
}

/// A checked launch, with everything that is needed to run the grid.
pub struct KernelCall {
    /// The handle with which the program named the kernel.
    pub handle: u64,
    /// The function to run.
    pub function: Arc<Function>,
    /// The launch's arguments.
    pub shape: Shape,
    /// The parameter buffer.
    pub params: Vec<u8>,
    /// Address of each parameter, set when the program first requests the addresses.
    pub param_addresses: OnceLock<Vec<u64>>,
}

impl Shape {
    /// Returns the number of threads per block.
    pub fn threads(&self) -> u64 {
        self.block.iter().map(|n| u64::from(*n)).product()
    }
}

impl KernelCall {
    /// Returns the handle of the launch's context.
    pub fn context(&self) -> u64 {
        self.function.module.context
    }

    /// Returns a copy of this launch with the attributes of `other`: its cooperative flag and its
    /// clusters.
    pub fn with_attributes_of(&self, other: &KernelCall) -> Result<KernelCall> {
        self.with_attributes(other.shape.cooperative, other.shape.cluster)
    }

    /// Returns a copy of this launch with the given attributes.
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

    /// Returns the address of each parameter's value. The addresses are valid while `self` lives.
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
