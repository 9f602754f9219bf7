//! Temporary folders with random names, which only this user can enter, and temporary files without
//! names.

use crate::private::{FILE_MODE, FOLDER_MODE};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

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

/// The temporary folders that this process has now.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// How often a folder is deleted in which another process creates files meanwhile.
const DELETIONS_MAX: u32 = 8;

fn folders() -> MutexGuard<'static, Vec<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
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
        let mut folders = folders();
        // This fails if anything has that path, even a link.
        DirBuilder::new().mode(FOLDER_MODE).create(&path)?;
        folders.push(path.clone());
        Ok(TemporaryFolder(path))
    }

    /// Returns the folder's path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        folders().retain(|path| *path != self.0);
        delete(&self.0);
    }
}

/// Deletes all temporary folders of this process, which must end then: no thread can create or drop
/// one any more.
pub fn delete_temporary_folders() {
    let folders = folders();
    folders.iter().for_each(|path| delete(path));
    std::mem::forget(folders);
}

fn delete(folder: &Path) {
    for _ in 0..DELETIONS_MAX {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
            _ => return,
        }
    }
}

/// Creates a private file without a name, for reading and writing. It is gone with the last process
/// that has it open.
///
/// # Errors
/// The folder for temporary files cannot be written.
pub fn temporary_file() -> io::Result<File> {
    let path = std::env::temp_dir().join(format!("outhaul-{}", random_name()?));
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create_new(true).mode(FILE_MODE).open(&path)?;
    fs::remove_file(&path).map(|()| file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Seek, Write};
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_temporary_folder_is_private_and_goes_away() {
        let outer = TemporaryFolder::new("files").unwrap();
        let [a, b] = [(); 2].map(|()| TemporaryFolder::within(outer.path(), "bench").unwrap());
        assert_ne!(a.path(), b.path(), "names cannot be guessed");
        assert_eq!(a.path().metadata().unwrap().mode() & 0o777, 0o700);
        std::fs::write(a.path().join("file"), "").unwrap();
        let path = a.path().to_owned();
        assert!(folders().contains(&path), "a signal would delete it");
        drop(a);
        assert!(!path.exists() && b.path().exists() && !folders().contains(&path));
    }

    #[test]
    fn a_temporary_file_has_no_name_and_keeps_its_content() {
        let mut file = temporary_file().unwrap();
        file.write_all(b"content").unwrap();
        file.rewind().unwrap();
        let mut content = String::new();
        file.read_to_string(&mut content).unwrap();
        let metadata = file.metadata().unwrap();
        assert_eq!((content.as_str(), metadata.nlink()), ("content", 0));
    }
}
