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

/// Writes text to a file. Replaces an existing file.
pub fn write(file: &Path, text: String) -> Result<(), Error> {
    std::fs::write(file, text)
        .map_err(|error| Error::Io { doing: format!("cannot write {}", file.display()), error })
}
