//! Temporary folders with random names, which only this user can enter, and temporary files without
//! names.

use crate::private::{FILE_MODE, FOLDER_MODE, own_user};
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

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

/// The age after which a folder that no process has locked counts as abandoned: its process was
/// killed. A younger one may be about to be locked.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A temporary folder; dropping the value deletes it with its contents. If the process is killed,
/// a later process that makes such a folder deletes it.
#[derive(Debug)]
pub struct TemporaryFolder {
    path: PathBuf,
    /// The locked folder. Linux unlocks it when the process ends.
    _lock: Option<File>,
}

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
        let prefix = format!("outhaul-{purpose}-");
        delete_abandoned(parent, &prefix);
        let path = parent.join(prefix + &random_name()?);
        let mut folders = folders();
        // This fails if anything has that path, even a link.
        DirBuilder::new().mode(FOLDER_MODE).create(&path)?;
        folders.push(path.clone());
        let lock = File::open(&path).ok().filter(|folder| folder.try_lock().is_ok());
        Ok(TemporaryFolder { path, _lock: lock })
    }

    /// Returns the folder's path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        folders().retain(|path| *path != self.path);
        delete(&self.path);
    }
}

/// Deletes all temporary folders of this process, which must end then: no thread can create or drop
/// one any more.
pub fn delete_temporary_folders() {
    let folders = folders();
    folders.iter().for_each(|path| delete(path));
    std::mem::forget(folders);
}

/// Deletes this user's folders in `parent` whose processes were killed.
fn delete_abandoned(parent: &Path, prefix: &str) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(prefix));
        let is_ours = random.is_some_and(is_random_name);
        if is_ours && entry.metadata().is_ok_and(|found| is_own_folder(&found)) {
            let path = entry.path();
            let lock = File::open(&path).ok().filter(|folder| folder.try_lock().is_ok());
            lock.iter().for_each(|_| delete(&path));
        }
    }
}

fn is_random_name(text: &str) -> bool {
    text.len() == 2 * NAME_BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns whether this is a private folder of this user, and old.
fn is_own_folder(found: &Metadata) -> bool {
    let age = found.modified().ok().and_then(|modified| modified.elapsed().ok());
    found.is_dir()
        && found.uid() == own_user()
        && found.mode() & 0o777 == FOLDER_MODE
        && age.is_some_and(|age| age > ABANDONED)
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
    use std::time::SystemTime;

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
    fn a_folder_whose_process_was_killed_goes_with_the_next_one() {
        let outer = TemporaryFolder::new("files").unwrap();
        let make = |purpose: &str| TemporaryFolder::within(outer.path(), purpose).unwrap();
        let age = |path: &Path| {
            let before = SystemTime::now() - 2 * ABANDONED;
            File::open(path).unwrap().set_modified(before).unwrap();
        };
        let (used, other) = (make("bench"), make("other"));
        let killed = outer.path().join("outhaul-bench-0123456789abcdef");
        let new = outer.path().join("outhaul-bench-0123456789abcde0");
        let similar = outer.path().join("outhaul-bench-results");
        for path in [&killed, &new, &similar] {
            DirBuilder::new().mode(FOLDER_MODE).create(path).unwrap();
            fs::write(path.join("file"), "").unwrap();
        }
        [used.path(), other.path(), &killed, &similar].into_iter().for_each(age);
        let _next = make("bench");
        assert!(!killed.exists());
        assert!([used.path(), other.path(), &new, &similar].iter().all(|path| path.exists()));
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
