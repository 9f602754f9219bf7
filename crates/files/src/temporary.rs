//! Temporary folders with random names, which only this user can enter.

use crate::private::FOLDER_MODE;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Number of random bytes of a name.
const NAME_BYTES: usize = 8;

/// Returns a name that nobody can guess: 16 hexadecimal digits.
///
/// # Errors
/// The operating system provides no random numbers.
pub fn random_name() -> io::Result<String> {
    let mut bytes = [0; NAME_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A temporary folder; dropping the value deletes it with its contents.
#[derive(Debug)]
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Creates a folder `outhaul-PURPOSE-RANDOM` in the folder for temporary files.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn new(purpose: &str) -> io::Result<TemporaryFolder> {
        TemporaryFolder::within(&std::env::temp_dir(), purpose)
    }

    /// Creates such a folder in the folder `parent`.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn within(parent: &Path, purpose: &str) -> io::Result<TemporaryFolder> {
        let path = parent.join(format!("outhaul-{purpose}-{}", random_name()?));
        // This fails if anything has that path, even a link.
        DirBuilder::new().mode(FOLDER_MODE).create(&path).map(|()| TemporaryFolder(path))
    }

    /// Returns the folder's path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_temporary_folder_is_private_and_goes_away() {
        let outer = TemporaryFolder::new("files").unwrap();
        let [a, b] = [(); 2].map(|()| TemporaryFolder::within(outer.path(), "bench").unwrap());
        assert_ne!(a.path(), b.path(), "names cannot be guessed");
        assert_eq!(a.path().metadata().unwrap().mode() & 0o777, 0o700);
        std::fs::write(a.path().join("file"), "").unwrap();
        let path = a.path().to_owned();
        drop(a);
        assert!(!path.exists() && b.path().exists());
    }
}
