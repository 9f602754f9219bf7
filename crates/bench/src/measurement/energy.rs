//! Reads energy meters: the GPU's through the libnvidia-ml.so.1 that the loader finds, and the
//! host's if Linux permits it. If a meter is missing, its result is missing too.

use crate::measurement::case::Power;
use outhaul_abi::nvml::{Nvml, nvmlDevice_t};
use std::path::{Path, PathBuf};

/// Folder of the CPU packages' counters.
const PACKAGES: &str = "/sys/class/powercap";

/// The meters of the GPU and of the host.
pub struct Meters {
    nvml: Option<(Nvml, nvmlDevice_t)>,
    packages: Vec<PathBuf>,
}

/// The counters of all meters at one time.
pub struct Reading {
    gpu_mj: Option<u64>,
    /// Counter of each package in microjoules. The counters wrap around at a maximum.
    host_uj: Vec<Option<u64>>,
}

impl Meters {
    /// Opens the meters that exist.
    pub fn open() -> Meters {
        Meters { nvml: open_nvml(), packages: packages(Path::new(PACKAGES)) }
    }

    /// Reads all counters.
    pub fn read(&self) -> Reading {
        let gpu_mj = self.nvml.as_ref().and_then(|(nvml, device)| {
            let mut mj = 0;
            // SAFETY: the out-pointer is to a local.
            unsafe { nvml.nvmlDeviceGetTotalEnergyConsumption(*device, &mut mj) }
                .ok()
                .ok()
                .map(|()| mj)
        });
        let number = |path: &PathBuf| std::fs::read_to_string(path).ok()?.trim().parse().ok();
        Reading { gpu_mj, host_uj: self.packages.iter().map(number).collect() }
    }
}

impl Reading {
    /// Returns the average power since an earlier reading.
    pub fn since(&self, before: &Reading, seconds: f64) -> Power {
        let gpu_w = self
            .gpu_mj
            .zip(before.gpu_mj)
            .map(|(after, before)| after.saturating_sub(before) as f64 / 1e3 / seconds);
        let packages: Option<Vec<u64>> = self
            .host_uj
            .iter()
            .zip(&before.host_uj)
            .map(|(after, before)| (*after)?.checked_sub((*before)?))
            .collect();
        let host_w = packages
            .filter(|uj| !uj.is_empty())
            .map(|uj| uj.iter().sum::<u64>() as f64 / 1e6 / seconds);
        Power { gpu_w, host_w }
    }
}

fn open_nvml() -> Option<(Nvml, nvmlDevice_t)> {
    let nvml = Nvml::open(Path::new("libnvidia-ml.so.1")).ok()?;
    let mut device = nvmlDevice_t::default();
    // SAFETY: the out-pointer is to a local.
    unsafe {
        nvml.nvmlInit_v2().ok().ok()?;
        nvml.nvmlDeviceGetHandleByIndex_v2(0, &mut device).ok().ok()?;
    }
    Some((nvml, device))
}

/// Returns the folders of the CPU packages' counters. A package's counter includes those of its
/// parts.
fn packages(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let is_package = |name: &str| name.starts_with("intel-rapl:") && name.matches(':').count() == 1;
    entries
        .flatten()
        .filter(|e| e.file_name().to_str().is_some_and(is_package))
        .map(|e| e.path().join("energy_uj"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_is_energy_over_time_and_a_counter_that_wrapped_gives_nothing() {
        let before =
            Reading { gpu_mj: Some(1_000), host_uj: vec![Some(5_000_000), Some(1_000_000)] };
        let after =
            Reading { gpu_mj: Some(61_000), host_uj: vec![Some(25_000_000), Some(11_000_000)] };
        let power = after.since(&before, 2.0);
        assert_eq!((power.gpu_w, power.host_w), (Some(30.0), Some(15.0)));
        let wrapped = Reading { gpu_mj: None, host_uj: vec![Some(1), Some(2_000_000)] };
        let power = wrapped.since(&before, 2.0);
        assert_eq!((power.gpu_w, power.host_w), (None, None));
    }
}
