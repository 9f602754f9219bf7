//! The environment variables that configure the software GPU, read once in `cuInit`.
//!
//! If a value cannot be parsed, `cuInit` fails with a line on stderr, because a typo must not
//! silently select another configuration. `CUDA_MODULE_LOADING`, `CUDA_LAUNCH_BLOCKING` and
//! `CUDA_VISIBLE_DEVICES` have their usual meanings.

use crate::driver::system::requirements::Need;
use crate::driver::system::uuid::uuid_of;
use outhaul_abi::loading::visible_devices::{RepeatedDevice, visible_devices};
use std::path::PathBuf;
use std::time::Duration;

const DEVICES_MAX: u32 = 64;
const GIB: u64 = 1 << 30;
const LIMIT_SECONDS_MAX: f64 = 1e6;
const MEMORY_DEFAULT: u64 = 4 * GIB;
/// Default compute capability. Such a device also runs code for older devices, and frameworks
/// contain code compiled for new ones.
const CAPABILITY_DEFAULT: (u32, u32) = (12, 0);

/// The software GPU's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Number of devices.
    pub devices: u32,
    /// Memory per device, in bytes.
    pub memory_bytes: u64,
    /// Device memory that a context takes, in bytes. Unless it is 0, stacks, heaps, streams, code
    /// and executable graphs take some too.
    pub context_bytes: u64,
    /// File that records the GPU's memory use. Processes that name the same file share the memory.
    pub shared_gpu: Option<PathBuf>,
    /// Compute capability: major and minor.
    pub capability: (u32, u32),
    /// Whether libraries are parsed when they are loaded.
    pub eager_loading: bool,
    /// Whether a launch returns only when its kernel has ended.
    pub launch_blocking: bool,
    /// Whether copies run exactly as early and as late as observed with NVIDIA's driver.
    pub like_nvidias: bool,
    /// Whether rejected code and errors are logged on stderr.
    pub log: bool,
    /// Whether kernels are compiled with memory checks.
    pub check: bool,
    /// Maximum run time of a kernel. A kernel that runs longer ends with a fault.
    pub time_limit: Option<Duration>,
    /// Requirements that calls check, and without which they fail.
    pub needs: Vec<Need>,
    /// Physical ordinals of the devices that the program sees, in the program's order.
    pub visible: std::result::Result<Vec<u32>, RepeatedDevice>,
}

impl Settings {
    /// Reads the settings from the environment.
    pub fn from_environment() -> Result<Settings, String> {
        Settings::from_lookup(|name| std::env::var(name).ok(), ram_bytes())
    }

    fn from_lookup(get: impl Fn(&str) -> Option<String>, ram: u64) -> Result<Settings, String> {
        let complain =
            |name: &str, value: &str, form: &str| format!("{name}={value}: expected {form}");
        let devices = match get("OUTHAUL_SOFT_DEVICES") {
            None => 1,
            Some(text) => text
                .parse()
                .ok()
                .filter(|n| *n <= DEVICES_MAX)
                .ok_or_else(|| complain("OUTHAUL_SOFT_DEVICES", &text, "a number up to 64"))?,
        };
        let memory_bytes = match get("OUTHAUL_SOFT_MEMORY") {
            None => MEMORY_DEFAULT.min(ram / 2),
            Some(text) => parse_bytes(&text).ok_or_else(|| {
                complain("OUTHAUL_SOFT_MEMORY", &text, "a size such as 4GiB or 512MiB")
            })?,
        };
        let context_bytes = match get("OUTHAUL_SOFT_CONTEXT") {
            None => 0,
            Some(text) => parse_bytes(&text)
                .ok_or_else(|| complain("OUTHAUL_SOFT_CONTEXT", &text, "a size such as 64MiB"))?,
        };
        let capability = match get("OUTHAUL_SOFT_CC") {
            None => CAPABILITY_DEFAULT,
            Some(text) => parse_capability(&text).ok_or_else(|| {
                complain("OUTHAUL_SOFT_CC", &text, "a compute capability such as 7.5")
            })?,
        };
        let time_limit = match get("OUTHAUL_SOFT_LIMIT_S") {
            None => None,
            Some(text) => {
                let seconds = text
                    .parse()
                    .ok()
                    .filter(|seconds| *seconds > 0.0 && *seconds <= LIMIT_SECONDS_MAX);
                let seconds = seconds.ok_or_else(|| {
                    complain("OUTHAUL_SOFT_LIMIT_S", &text, "seconds such as 10 or 0.5")
                })?;
                Some(Duration::from_secs_f64(seconds))
            }
        };
        let needs = get("OUTHAUL_SOFT_NEEDS").unwrap_or_default();
        let needs = Need::parse_all(&needs).ok_or_else(|| {
            complain(
                "OUTHAUL_SOFT_NEEDS",
                &needs,
                "paths that begin with / and `process`, with commas between",
            )
        })?;
        Ok(Settings {
            devices,
            memory_bytes,
            context_bytes,
            shared_gpu: get("OUTHAUL_SOFT_CARD").filter(|path| !path.is_empty()).map(PathBuf::from),
            capability,
            eager_loading: get("CUDA_MODULE_LOADING")
                .is_some_and(|v| v.eq_ignore_ascii_case("EAGER")),
            launch_blocking: get("CUDA_LAUNCH_BLOCKING").is_some_and(|v| v == "1"),
            like_nvidias: get("OUTHAUL_SOFT_LIKE_NVIDIAS")
                .is_some_and(|v| !v.is_empty() && v != "0"),
            log: get("OUTHAUL_LOG").is_some_and(|v| !v.is_empty() && v != "0"),
            time_limit,
            check: get("OUTHAUL_SOFT_CHECK").is_some_and(|v| !v.is_empty() && v != "0"),
            needs,
            visible: visible(get("CUDA_VISIBLE_DEVICES").as_deref(), devices),
        })
    }
}

fn visible(list: Option<&str>, devices: u32) -> std::result::Result<Vec<u32>, RepeatedDevice> {
    let uuids: Vec<_> = (0..devices).map(uuid_of).collect();
    Ok(visible_devices(list, &uuids)?.into_iter().map(|ordinal| ordinal as u32).collect())
}

fn parse_capability(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    let (major, minor) = (major.parse().ok()?, minor.parse().ok()?);
    ((3..100).contains(&major) && minor < 10).then_some((major, minor))
}

fn parse_bytes(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let unit = match text[digits..].trim() {
        "" | "B" => 1,
        "KiB" | "K" => 1 << 10,
        "MiB" | "M" => 1 << 20,
        "GiB" | "G" => GIB,
        "TiB" | "T" => 1 << 40,
        _ => return None,
    };
    text[..digits].parse::<u64>().ok()?.checked_mul(unit).filter(|n| *n > 0)
}

fn ram_bytes() -> u64 {
    // SAFETY: sysconf takes no pointers.
    let (pages, page) =
        unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    u64::try_from(pages).unwrap_or(0).saturating_mul(u64::try_from(page).unwrap_or(0)).max(GIB)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> Result<Settings, String> {
        let pairs: Vec<(String, String)> =
            pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        Settings::from_lookup(
            move |name| pairs.iter().find(|(k, _)| k == name).map(|(_, v)| v.clone()),
            16 * GIB,
        )
    }

    #[test]
    fn defaults_and_overrides() {
        let plain = settings(&[]).unwrap();
        assert_eq!((plain.devices, plain.memory_bytes, plain.capability), (1, 4 * GIB, (12, 0)));
        let set = settings(&[
            ("OUTHAUL_SOFT_DEVICES", "3"),
            ("OUTHAUL_SOFT_MEMORY", "512MiB"),
            ("OUTHAUL_SOFT_CC", "9.0"),
            ("OUTHAUL_SOFT_CONTEXT", "64MiB"),
            ("CUDA_MODULE_LOADING", "eager"),
        ])
        .unwrap();
        assert_eq!((set.devices, set.memory_bytes, set.capability), (3, 512 << 20, (9, 0)));
        assert!(set.eager_loading);
        assert_eq!((plain.context_bytes, set.context_bytes), (0, 64 << 20));
        assert_eq!(set.visible.as_deref(), Ok(&[0, 1, 2][..]));
    }

    #[test]
    fn mistakes_are_reported_with_the_variable() {
        for (name, value) in [
            ("OUTHAUL_SOFT_DEVICES", "many"),
            ("OUTHAUL_SOFT_MEMORY", "4 gigs"),
            ("OUTHAUL_SOFT_CONTEXT", "large"),
            ("OUTHAUL_SOFT_CC", "75"),
            ("OUTHAUL_SOFT_LIMIT_S", "-1"),
            ("OUTHAUL_SOFT_NEEDS", "/etc/passwd,luck"),
        ] {
            assert!(settings(&[(name, value)]).unwrap_err().contains(name));
        }
    }
}
