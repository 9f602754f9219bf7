//! The libcuda.so.1 that executes a node's sessions. Apart from the choice of its path, no code
//! depends on which library it is.

use outhaul_abi::Driver;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The user's choice of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The machine's own driver if it finds a GPU, otherwise the software GPU.
    Auto,
    /// The software GPU.
    Soft,
    /// The driver library at this path.
    Library(PathBuf),
}

impl FromStr for Choice {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Choice, Self::Err> {
        Ok(match text {
            "auto" => Choice::Auto,
            "soft" => Choice::Soft,
            path => Choice::Library(path.into()),
        })
    }
}

/// Why a library cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// No usable driver with a GPU was found, for this reason.
    #[error("{0}; name a libcuda.so.1 with --gpu PATH, or use --gpu soft")]
    Unusable(String),
}

/// Returns the path of the library to open; `soft` finds the software GPU's library.
pub fn resolve<E>(
    choice: &Choice,
    soft: impl FnOnce() -> Result<PathBuf, E>,
) -> Result<PathBuf, E> {
    match choice {
        Choice::Soft => soft(),
        Choice::Library(path) => Ok(path.clone()),
        Choice::Auto => {
            let system = PathBuf::from("libcuda.so.1");
            if finds_a_gpu(&system).is_ok() { Ok(system) } else { soft() }
        }
    }
}

/// Opens the library, initializes it, and returns its number of devices. Fails if it finds none.
pub fn finds_a_gpu(path: &Path) -> Result<i32, GpuError> {
    let driver = Driver::open(path).map_err(|e| GpuError::Unusable(e.to_string()))?;
    let mut count = 0;
    // SAFETY: cuInit takes no pointers, and the out-pointer refers to a local.
    let result =
        unsafe { driver.cuInit(0).ok().and_then(|()| driver.cuDeviceGetCount(&mut count).ok()) };
    match result {
        Ok(()) if count > 0 => Ok(count),
        Ok(()) => Err(GpuError::Unusable(format!("{} finds no GPU", path.display()))),
        Err(error) => {
            Err(GpuError::Unusable(format!("{} does not start: {error}", path.display())))
        }
    }
}
