//! Interface of the library that serves the export tables: the client, or the software GPU.

use crate::types::{CUcontext, CUdevice, CUfunction, CUmodule, CUresult, CUuuid};
use std::sync::OnceLock;

/// A device as cudart's integrity check gets it from the public functions.
#[derive(Clone, Debug)]
pub struct DeviceIdentity {
    /// UUID of the device.
    pub uuid: [u8; 16],
    /// PCI domain of the device.
    pub pci_domain: i32,
    /// PCI bus of the device.
    pub pci_bus: i32,
    /// PCI device number of the device.
    pub pci_device: i32,
}

/// The functions that the tables need from their library.
pub trait Host: Send + Sync {
    /// Returns the CUDA version that the library reports, for instance 12010 for 12.1.
    fn driver_version(&self) -> u32;
    /// Returns the devices in the order of their ordinals.
    fn devices(&self) -> Vec<DeviceIdentity>;
    /// Returns the device's primary context, without creating or retaining it.
    fn primary_context(&self, device: CUdevice) -> Result<CUcontext, CUresult>;
    /// Returns the calling thread's context, or NULL if it has none.
    fn current_context(&self) -> CUcontext;
    /// Returns the number that cuCtxGetId returns; NULL means the current context.
    fn context_id(&self, context: CUcontext) -> Result<u64, CUresult>;
    /// Returns a module's functions. Fails with INVALID_HANDLE if the module does not exist.
    fn module_functions(&self, module: CUmodule) -> Result<Vec<CUfunction>, CUresult>;
    /// Notes that a program requested a table that the library does not serve.
    fn refused(&self, id: &CUuuid);
    /// Notes that a program called a table slot whose meaning is unknown.
    fn refused_slot(&self, id: &[u8; 16], slot: u32);
}

/// The library that serves the tables, once it is set.
pub(crate) static HOST: OnceLock<&'static dyn Host> = OnceLock::new();

/// Sets the library that serves the tables. Only the first call has an effect.
pub fn install(host: &'static dyn Host) {
    let _ = HOST.set(host);
}
