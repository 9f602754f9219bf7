//! Launching: checks of the shape, and the task that runs a grid.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use super::cluster;
use super::device::{BLOCK_DIM_MAX, Device, GRID_DIM_MAX, THREADS_PER_BLOCK_MAX};
use super::error::{Error, Result};
use super::function::Function;
use super::module::compile_error;
use super::occupancy;
use super::output::Console;
use super::state::{self, Driver};
use super::stream::{Length, Returns, Stream};
use super::task::Task;
use crate::engine::{self, Fault};

/// What a program asks for, apart from the kernel and its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared_bytes: u32,
    pub cooperative: bool,
    /// Blocks of a cluster.
    pub cluster: Option<[u32; 3]>,
}

/// One launch, checked: everything that running the grid needs.
pub struct KernelCall {
    /// By which handle the program names the kernel.
    pub handle: u64,
    pub function: Arc<Function>,
    pub shape: Shape,
    params: Vec<u8>,
    param_addresses: OnceLock<Vec<u64>>,
}

impl KernelCall {
    /// Handle of the context that it runs in.
    pub fn context(&self) -> u64 {
        self.function.module.context
    }

    /// The same launch with the attributes of another: whether it is cooperative, and its clusters.
    pub fn with_attributes_of(&self, other: &KernelCall) -> Result<KernelCall> {
        self.with_attributes(other.shape.cooperative, other.shape.cluster)
    }

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

    /// Where each parameter's value is, for as long as the call lives.
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

    pub fn run(&self) -> Result<()> {
        let (function, shape) = (&self.function, &self.shape);
        let launch = engine::Launch {
            instance: &function.module.instance,
            kernel: &function.kernel,
            grid: shape.grid,
            block: shape.block,
            cluster: shape.cluster,
            dynamic_shared_bytes: shape.dynamic_shared_bytes,
            params: &self.params,
            cooperative: shape.cooperative,
            output: &Console,
            time_limit: state::started().and_then(|driver| driver.settings.time_limit),
            checker: state::started()
                .and_then(|driver| driver.check.as_ref())
                .map(|check| check as &dyn engine::Checker),
        };
        engine::run(&launch).map_err(|fault| {
            if let Some(driver) = state::started() {
                driver.log(&format!("kernel {}: {fault}", function.kernel.name));
            }
            fault_error(&fault)
        })
    }
}

impl Shape {
    pub fn threads(&self) -> u64 {
        self.block.iter().map(|n| u64::from(*n)).product()
    }

    fn check(&self, function: &Function, device: &Device) -> Result<()> {
        let within = |sizes: [u32; 3], limits: [u32; 3]| {
            sizes.iter().zip(limits).all(|(size, limit)| (1..=limit).contains(size))
        };
        let threads_max = THREADS_PER_BLOCK_MAX.min(function.kernel.max_threads_per_block);
        if !within(self.grid, GRID_DIM_MAX)
            || !within(self.block, BLOCK_DIM_MAX)
            || self.threads() > u64::from(threads_max)
        {
            return Err(Error::InvalidValue);
        }
        let shared_max = function.tuning.max_dynamic_shared_bytes.load(Ordering::Relaxed);
        if self.dynamic_shared_bytes > shared_max
            || function.kernel.required_block.is_some_and(|block| block != self.block)
        {
            return Err(Error::InvalidValue);
        }
        if self.cooperative {
            let resident = occupancy::blocks(
                function,
                self.threads() as u32,
                u64::from(self.dynamic_shared_bytes),
            )
            .saturating_mul(device.multiprocessors());
            let blocks: u64 = self.grid.iter().map(|n| u64::from(*n)).product();
            if blocks > u64::from(resident) {
                return Err(Error::CooperativeLaunchTooLarge);
            }
        }
        Ok(())
    }
}

/// The number by which CUDA reports a grid that ended early.
fn fault_error(fault: &Fault) -> Error {
    match fault {
        Fault::Trap => Error::LaunchFailed,
        Fault::Assert => Error::AssertFailed,
        Fault::IllegalAddress { .. } => Error::IllegalAddress,
        Fault::Misaligned { .. } => Error::Misaligned,
        Fault::StackOverflow { .. } => Error::StackOverflow,
        Fault::TimeLimit | Fault::Deadlock { .. } => Error::LaunchTimeout,
        Fault::InvalidLaunch(_) => Error::InvalidValue,
        Fault::OutOfMemory => Error::OutOfMemory,
        Fault::Compile(error) => {
            state::started().map_or_else(|| compile_error(error), |driver| driver.refused(error))
        }
    }
}

impl Driver {
    /// A launch to come. Everything that can be known to be wrong is reported now.
    pub fn kernel_call(
        &self,
        handle: u64,
        function: Arc<Function>,
        mut shape: Shape,
        params: Vec<u8>,
    ) -> Result<KernelCall> {
        let context = self.slot(function.module.context)?.context()?;
        context.check()?;
        shape.check(&function, self.device(context.device)?)?;
        shape.cluster = cluster::shape_in(&function, shape.cluster, shape.grid)?;
        self.prepare(&function.kernel)?;
        Ok(KernelCall { handle, function, shape, params, param_addresses: OnceLock::new() })
    }

    pub fn launch(&self, stream: &Stream, call: KernelCall) -> Result<()> {
        if stream.context()?.handle != call.context() {
            return Err(Error::InvalidHandle);
        }
        let waits = self.settings.launch_blocking && stream.capture().is_none();
        stream.submit(Task::Kernel(Arc::new(call)), Returns::AtOnce(Length::Long))?;
        if waits { stream.synchronize() } else { Ok(()) }
    }
}
