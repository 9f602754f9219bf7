//! How much of a device's memory this process has, as the driver counts it. A driver library may
//! say so itself, as the software GPU does; otherwise NVML does.

use crate::worker::driver::sensors::LazySensors;
use crate::worker::log::log;
use outhaul_abi::Library;
use outhaul_abi::types::{CUdevice, CUresult};
use std::path::Path;
use std::sync::{Arc, Once};

/// A driver library's own answer: `bytes` of `device` that the process has.
type Own = unsafe extern "C" fn(bytes: *mut u64, device: CUdevice) -> CUresult;

/// The driver library's or NVML's answers for this process.
pub struct ProcessMemory {
    own: Option<Own>,
    sensors: Arc<LazySensors>,
    is_missing: Once,
}

impl ProcessMemory {
    /// Finds what answers: the driver library at `path`, or the sensors.
    pub fn of(path: &Path, sensors: Arc<LazySensors>) -> ProcessMemory {
        let own = Library::open(path).ok().and_then(|library| {
            // SAFETY: a driver library that exports this name gives it this type.
            unsafe { library.symbol(c"outhaulProcessMemory") }
        });
        ProcessMemory { own, sensors, is_missing: Once::new() }
    }

    /// Returns how many bytes of the device the process has, or `None` if nothing says so.
    pub fn bytes(&self, device: CUdevice) -> Option<u64> {
        let Some(own) = self.own else { return self.sensors.get()?.own_bytes(device) };
        let mut bytes = 0;
        // SAFETY: the out-pointer is a local.
        unsafe { own(&mut bytes, device) }.ok().ok().map(|()| bytes)
    }

    /// Logs once that the process, which has a context, is told nothing.
    pub fn report_missing(&self) {
        self.is_missing.call_once(|| {
            log("NVML does not say how much GPU memory this process has (it is missing, or its \
                process ids are another container's), so the session's limit does not count its \
                contexts, code and variables; run the node where nvidia-smi lists its workers")
        });
    }
}
