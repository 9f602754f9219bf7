//! Requirements of the software GPU on the system (`OUTHAUL_SOFT_NEEDS`), which mimic those of
//! other drivers. If a requirement is not met, calls fail like those drivers' calls. Tests use this
//! to simulate a node whose cell forbids something that its driver needs.

use crate::driver::system::error::{Error, Result};
use std::fs::File;
use std::path::PathBuf;

/// A requirement of the driver on the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// `cuInit` must be able to read the file.
    File(PathBuf),
    /// A new context must be able to start a process.
    Process,
}

impl Need {
    /// Parses paths and the word `process`, separated by commas.
    pub fn parse_all(text: &str) -> Option<Vec<Need>> {
        let need = |word: &str| match word {
            "process" => Some(Need::Process),
            path => path.starts_with('/').then(|| Need::File(path.into())),
        };
        text.split(',').filter(|word| !word.is_empty()).map(need).collect()
    }

    /// Fails if `cuInit` cannot meet the requirement.
    pub fn is_met_at_start(&self) -> Result<()> {
        match self {
            Need::File(path) => File::open(path).map(drop).map_err(|_| Error::OperatingSystem),
            Need::Process => Ok(()),
        }
    }

    /// Fails if a new context cannot meet the requirement.
    pub fn is_met_by_context(&self) -> Result<()> {
        match self {
            Need::File(_) => Ok(()),
            Need::Process => start_process(),
        }
    }
}

/// Starts a process that exits at once, and waits for it.
fn start_process() -> Result<()> {
    // SAFETY: the child exits at once, and the parent waits for it.
    unsafe {
        match libc::fork() {
            -1 => return Err(Error::OperatingSystem),
            0 => libc::_exit(0),
            child => libc::waitpid(child, std::ptr::null_mut(), 0),
        }
    };
    Ok(())
}
