//! Temporary folders for what nodes and programs of a measurement write.

use crate::error::Error;
use outhaul_files::TemporaryFolder;
use std::path::Path;

/// Creates a folder for the nodes' caches. Dropping it deletes it.
pub fn for_caches() -> Result<TemporaryFolder, Error> {
    within(&std::env::temp_dir())
}

/// Creates a folder in `parent`. Dropping it deletes it.
pub fn within(parent: &Path) -> Result<TemporaryFolder, Error> {
    TemporaryFolder::within(parent, "bench").map_err(|error| Error::Io {
        doing: format!("cannot make a folder in {}", parent.display()),
        error,
    })
}
