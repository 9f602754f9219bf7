//! What the software GPU is told to need of the system (`OUTHAUL_SOFT_NEEDS`), as other drivers do:
//! without it a call fails as theirs do. It shows what a node does with a driver that a cell is too
//! narrow for.

use super::error::{Error, Result};
use std::fs::File;
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// `cuInit` reads the file.
    File(PathBuf),
    /// A context starts a process.
    Process,
}

impl Need {
    /// Paths and the word `process`, with commas between.
    pub fn parse_all(text: &str) -> Option<Vec<Need>> {
        let need = |word: &str| match word {
            "process" => Some(Need::Process),
            path => path.starts_with('/').then(|| Need::File(path.into())),
        };
        text.split(',').filter(|word| !word.is_empty()).map(need).collect()
    }

    /// By `cuInit`.
    pub fn is_met_at_start(&self) -> Result<()> {
        match self {
            Need::File(path) => File::open(path).map(drop).map_err(|_| Error::OperatingSystem),
            Need::Process => Ok(()),
        }
    }

    /// By a context that is made.
    pub fn is_met_by_context(&self) -> Result<()> {
        match self {
            Need::File(_) => Ok(()),
            Need::Process => start_process(),
        }
    }
}

/// One that ends at once.
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
