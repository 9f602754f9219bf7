//! Writes results to files.

use crate::error::Error;
use std::path::Path;

/// Writes results as JSON.
pub fn write_json(file: &Path, results: &impl serde::Serialize) -> Result<(), Error> {
    write(
        file,
        serde_json::to_string_pretty(results).map_err(|error| Error::Bench(error.to_string()))?
            + "\n",
    )
}

/// Writes text or a picture to a file. Replaces an existing file; a pipe or a device such as
/// /dev/stdout gets the content.
pub fn write(file: &Path, content: impl AsRef<[u8]>) -> Result<(), Error> {
    outhaul_files::write_report(file, content.as_ref())
        .map_err(|error| Error::Io { doing: format!("cannot write {}", file.display()), error })
}
