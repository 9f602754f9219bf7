//! Requirements that the software GPU has of the system (`OUTHAUL_SOFT_NEEDS`), like other drivers.
//! If one is not met, calls fail as theirs do. This tests a node whose cell does not allow what its
//! driver needs.

use crate::driver::system::error::{Error, Result};
use std::fs::File;
use std::path::PathBuf;

/// A requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// `cuInit` reads the file.
    File(PathBuf),
    /// A new context starts a process.
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

    /// Fails if `cuInit` misses this requirement.
    pub fn is_met_at_start(&self) -> Result<()> {
        match self {
            Need::File(path) => File::open(path).map(drop).map_err(|_| Error::OperatingSystem),
            Need::Process => Ok(()),
        }
    }

    /// Fails if a new context misses this requirement.
    pub fn is_met_by_context(&self) -> Result<()> {
        match self {
            Need::File(_) => Ok(()),
            Need::Process => start_process(),
        }
    }
}

/// Starts a process that ends at once.
fn start_process() -> Result<()> {
    // SAFETY: the child only ends; the parent waits for it.
    unsafe {
        match libc::fork() {
            -1 => return Err(Error::OperatingSystem),
            0 => libc::_exit(0),
            child => libc::waitpid(child, std::ptr::null_mut(), 0),
        }
    };
    Ok(())
}
