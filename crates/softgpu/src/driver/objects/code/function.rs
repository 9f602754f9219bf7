//! Functions: a module's kernels, with the attributes that a program may set and query.

use outhaul_lock::Mutex;
use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};

use outhaul_abi::code::legacy_launch::LaunchState;

use crate::driver::device::{Device, Limits, SHARED_BYTES_DEFAULT};
use crate::driver::objects::code::module::Module;
use crate::driver::system::error::{Error, Result};
use crate::engine;

const CACHE_CONFIG_LAST: i32 = 3;
const CLUSTER_POLICY_LAST: i32 = 2;

/// A `CUfunction`.
pub struct Function {
    /// The function's module.
    pub module: Arc<Module>,
    /// The compiled kernel.
    pub kernel: Arc<engine::Kernel>,
    /// Attributes that the program may set.
    pub tuning: Arc<Tuning>,
    /// The function's name.
    pub name: CString,
    /// Block shape and parameters for launches that do not pass their own.
    pub launch_state: Mutex<LaunchState>,
}

/// The attributes that a program may set.
pub struct Tuning {
    /// Maximum dynamic shared memory per launch.
    pub max_dynamic_shared_bytes: AtomicU32,
    /// The device's limits.
    pub limits: Limits,
    carveout: AtomicI32,
    cache_config: AtomicI32,
    /// Cluster shape in blocks, or zeros until the program sets the shape.
    cluster: [AtomicU32; 3],
    larger_clusters: AtomicBool,
    cluster_policy: AtomicI32,
}

impl Tuning {
    /// Returns the initial attributes of a kernel.
    pub fn of(kernel: &engine::Kernel, limits: Limits) -> Tuning {
        Tuning {
            max_dynamic_shared_bytes: AtomicU32::new(
                SHARED_BYTES_DEFAULT.saturating_sub(kernel.static_shared_bytes),
            ),
            limits,
            carveout: AtomicI32::new(-1),
            cache_config: AtomicI32::new(0),
            cluster: Default::default(),
            larger_clusters: AtomicBool::new(false),
            cluster_policy: AtomicI32::new(0),
        }
    }

    /// Implements `cuFuncSetAttribute`.
    pub fn set(&self, kernel: &engine::Kernel, attribute: i32, value: i32) -> Result<()> {
        match attribute {
            8 => {
                let value = u32::try_from(value).map_err(|_| Error::InvalidValue)?;
                if value > self.limits.shared_bytes_optin.saturating_sub(kernel.static_shared_bytes)
                {
                    return Err(Error::InvalidValue);
                }
                self.max_dynamic_shared_bytes.store(value, Ordering::Relaxed);
            }
            9 if (-1..=100).contains(&value) => self.carveout.store(value, Ordering::Relaxed),
            11..=15 if self.limits.cluster_blocks == 0 => return Err(Error::NotSupported),
            11..=13 if kernel.cluster.required.is_some() => return Err(Error::InvalidValue),
            11..=13 => {
                let blocks = u32::try_from(value).map_err(|_| Error::InvalidValue)?;
                self.cluster[attribute as usize - 11].store(blocks, Ordering::Relaxed);
            }
            14 if (0..=1).contains(&value) => {
                self.larger_clusters.store(value != 0, Ordering::Relaxed)
            }
            15 if (0..=CLUSTER_POLICY_LAST).contains(&value) => {
                self.cluster_policy.store(value, Ordering::Relaxed)
            }
            _ => return Err(Error::InvalidValue),
        }
        Ok(())
    }

    /// Sets the preferred cache configuration.
    pub fn set_cache_config(&self, config: i32) -> Result<()> {
        if !(0..=CACHE_CONFIG_LAST).contains(&config) {
            return Err(Error::InvalidValue);
        }
        self.cache_config.store(config, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the cluster shape in blocks, if the kernel or the program fixes one.
    pub fn cluster(&self, kernel: &engine::Kernel) -> Option<[u32; 3]> {
        let set = self.cluster.each_ref().map(|n| n.load(Ordering::Relaxed));
        kernel.cluster.required.or((set != [0; 3]).then_some(set))
    }

    /// Returns whether clusters may exceed the size that every device supports.
    pub fn allows_larger_clusters(&self) -> bool {
        self.larger_clusters.load(Ordering::Relaxed)
    }

    /// Implements `cuFuncGetAttribute`.
    pub fn get(&self, kernel: &engine::Kernel, device: &Device, attribute: i32) -> Result<i32> {
        let value = match attribute {
            0 => kernel.max_threads_per_block,
            1 => kernel.static_shared_bytes,
            2 => kernel.const_bytes,
            3 => kernel.local_bytes,
            4 => kernel.registers,
            5 => kernel.sm,
            6 => device.capability.0 * 10 + device.capability.1,
            7 => 0,
            10 => u32::from(kernel.cluster.explicit),
            11..=13 => self.cluster(kernel).map_or(0, |shape| shape[attribute as usize - 11]),
            14 => u32::from(self.allows_larger_clusters()),
            15 => return Ok(self.cluster_policy.load(Ordering::Relaxed)),
            8 => self.max_dynamic_shared_bytes.load(Ordering::Relaxed),
            9 => return Ok(self.carveout.load(Ordering::Relaxed)),
            _ => return Err(Error::InvalidValue),
        };
        i32::try_from(value).map_err(|_| Error::InvalidValue)
    }
}

/// Returns a parameter's offset and size. Fails for an index past the last parameter; programs
/// count parameters that way.
pub fn param_info(kernel: &engine::Kernel, index: usize) -> Result<(usize, usize)> {
    let param = kernel.params.get(index).ok_or(Error::InvalidValue)?;
    Ok((param.offset_bytes as usize, param.size_bytes as usize))
}

impl Function {
    /// Creates a function.
    pub fn new(module: Arc<Module>, kernel: Arc<engine::Kernel>, tuning: Arc<Tuning>) -> Function {
        let name = CString::new(kernel.name.as_str()).unwrap_or_default();
        Function { module, kernel, tuning, name, launch_state: Mutex::default() }
    }
}
