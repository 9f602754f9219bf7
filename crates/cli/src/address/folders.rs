//! Folders of this machine that hold a user's files.

use crate::error::Error;
use outhaul_node::log::log_event;
use outhaul_pool::identity::secret::is_file_of_identity;
use std::path::{Path, PathBuf};

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

/// Makes sure that only this user can read a folder of credentials, if it exists. Logs what others
/// could read before.
pub fn keep_private(folder: &Path) -> Result<(), Error> {
    if !folder.exists() {
        return Ok(());
    }
    let narrowed = outhaul_files::narrow_folder(folder, is_file_of_identity).map_err(|error| {
        Error::Io { doing: format!("cannot use the keys in {}", folder.display()), error }
    })?;
    log_narrowed(&narrowed);
    Ok(())
}

/// Logs that other users could read these paths until now.
pub fn log_narrowed(narrowed: &[PathBuf]) {
    for path in narrowed {
        log_event(&format!(
            "{} could be read by other users; now only its owner can read it",
            path.display()
        ));
    }
}
