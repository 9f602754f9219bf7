//! Temporary folders for what nodes and programs of a measurement write.

use crate::error::Error;
use outhaul_files::TemporaryFolder;
use std::io;
use std::path::Path;

const PURPOSE: &str = "bench";

/// Creates a folder for the nodes' caches. Dropping it deletes it.
pub fn for_caches() -> Result<TemporaryFolder, Error> {
    TemporaryFolder::new(PURPOSE).map_err(failed)
}

/// Creates a folder in `parent`. Dropping it deletes it.
pub fn within(parent: &Path) -> Result<TemporaryFolder, Error> {
    TemporaryFolder::within(parent, PURPOSE).map_err(failed)
}

fn failed(error: io::Error) -> Error {
    Error::Io { doing: "cannot make a temporary folder".into(), error }
}
