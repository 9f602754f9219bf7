//! Launches: checks a launch's shape, and runs its grid.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use crate::driver::code::module::compile_error;
use crate::driver::device::{BLOCK_DIM_MAX, Device, GRID_DIM_MAX, THREADS_PER_BLOCK_MAX};
use crate::driver::objects::code::cluster;
use crate::driver::objects::code::function::Function;
use crate::driver::objects::code::kernel_call::{KernelCall, Shape};
use crate::driver::objects::code::occupancy;
use crate::driver::objects::graphs::task::Task;
use crate::driver::objects::memory::overhead::Owner;
use crate::driver::objects::streams::context::Context;
use crate::driver::objects::streams::stream::{Length, Returns, Stream};
use crate::driver::state;
use crate::driver::state::Driver;
use crate::driver::streams::output::Console;
use crate::driver::system::error::{Error, Result};
use crate::engine::{self, Fault};

impl KernelCall {
    /// Runs the grid.
    pub fn run(&self) -> Result<()> {
        let (function, shape) = (&self.function, &self.shape);
        let context = state::started().and_then(|driver| driver.slot(self.context()).ok());
        let context = context.and_then(|slot| slot.context().ok());
        let heap_bytes_max =
            context.map_or(0, |context| context.fix_limits(function.kernel.runtime_use()));
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
            heap_bytes_max,
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

/// Returns CUDA's error for a grid that ended with a fault.
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
    /// Returns a launch that is ready for submission. Fails for all errors that can be detected
    /// now.
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

    /// Takes memory for the heap and the print buffer that a context's kernels use, at the first
    /// launch of such a kernel.
    fn take_runtime_memory(&self, context: &Context) -> Result<()> {
        let (heap_bytes, print_bytes) = context.used_limits();
        if self.overheads.context_bytes == 0 || heap_bytes + print_bytes == 0 {
            return Ok(());
        }
        self.take_overhead(Owner::KernelHeap(context.handle), context, heap_bytes)?;
        self.take_overhead(Owner::PrintBuffer(context.handle), context, print_bytes)
    }

    /// Enqueues a launch in a stream.
    pub fn launch(&self, stream: &Stream, call: KernelCall) -> Result<()> {
        if stream.context()?.handle != call.context() {
            return Err(Error::InvalidHandle);
        }
        if stream.capture().is_none() {
            let context = stream.context()?;
            context.fix_limits(call.function.kernel.runtime_use());
            self.take_runtime_memory(&context)?;
        }
        let waits = self.settings.launch_blocking && stream.capture().is_none();
        stream.submit(Task::Kernel(Arc::new(call)), Returns::AtOnce(Length::Long))?;
        if waits { stream.synchronize() } else { Ok(()) }
    }
}
