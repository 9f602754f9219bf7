//! Folders of this machine that hold a user's files.

use crate::error::Error;
use std::path::PathBuf;

/// Returns the folder that the environment variable names, or else the folder `otherwise` in the
/// user's home folder.
pub fn base(variable: &'static str, otherwise: &str) -> Result<PathBuf, Error> {
    let folder = |variable: &str| {
        std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
    };
    folder(variable)
        .or_else(|| folder("HOME").map(|home| home.join(otherwise)))
        .ok_or(Error::NoFolder(variable))
}
