//! Writes whole files: a new file next to the old one takes its name once it is complete and on
//! disk. Nobody can prepare the new file, since its name is random and it must not exist.

use crate::kind::{check_regular, refused};
use crate::private::FILE_MODE;
use crate::temporary::random_name;
use std::ffi::{CString, OsString};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The end of the names of files that are being written.
const PARTIAL: &str = ".partial";
/// Permissions of a report, of which the process's umask takes some away.
const REPORT_MODE: u32 = 0o666;

/// Creates a file that only its owner can read.
///
/// # Errors
/// Something has that path already, even a link to nothing; or the file cannot be created.
pub fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).mode(FILE_MODE).open(path)
}

/// A file that is being written. If it is dropped before `commit`, or its process ends, nothing
/// remains of it. On file systems without nameless files, a signal leaves a file `.NAME.*.partial`.
pub struct Replacement {
    file: File,
    partial: PathBuf,
    /// Whether the file has the name `partial` now.
    is_named: bool,
    path: PathBuf,
}

impl Replacement {
    /// Begins a private file that will be at `path`.
    ///
    /// # Errors
    /// Something other than a regular file is at `path`, or its folder cannot be written.
    pub fn private(path: &Path) -> io::Result<Replacement> {
        Replacement::begin(path, FILE_MODE)
    }

    fn begin(path: &Path, mode: u32) -> io::Result<Replacement> {
        check_replaceable(path)?;
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let mut partial = OsString::from(".");
        partial.push(name);
        partial.push(format!(".{}{PARTIAL}", random_name()?));
        let partial = path.with_file_name(partial);
        let options = || {
            let mut options = OpenOptions::new();
            options.read(true).write(true).mode(mode);
            options
        };
        let nameless = options().custom_flags(libc::O_TMPFILE).open(folder_of(path));
        let (file, is_named) = match nameless.ok().filter(can_be_named) {
            Some(file) => (file, false),
            None => (options().create_new(true).open(&partial)?, true),
        };
        Ok(Replacement { file, partial, is_named, path: path.to_owned() })
    }

    /// Returns the open file, for reading and writing.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives the file its name. It survives a power failure then.
    ///
    /// # Errors
    /// The file cannot be written to disk or renamed.
    pub fn commit(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        check_replaceable(&self.path)?;
        if !self.is_named {
            // Only renaming replaces a file, and only a name can be renamed.
            name(&self.file, &self.partial)?;
            self.is_named = true;
        }
        fs::rename(&self.partial, &self.path)?;
        self.is_named = false;
        sync_folder(&self.path)
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if self.is_named {
            let _ = fs::remove_file(&self.partial);
        }
    }
}

/// Returns whether a file's name is that of a file which was being written when its process ended.
pub fn is_partial(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(PARTIAL)
}

/// Returns the path by which this process reaches an open file.
fn open_path(file: &File) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// Returns whether `name` can give the file a name: where /proc is missing, it cannot.
fn can_be_named(file: &File) -> bool {
    Path::new(&open_path(file)).exists()
}

/// Gives a nameless file a name.
fn name(file: &File, path: &Path) -> io::Result<()> {
    let [from, to] = [open_path(file).into_bytes(), path.as_os_str().as_bytes().to_vec()]
        .map(|path| CString::new(path).map_err(io::Error::from));
    let (from, to) = (from?, to?);
    let (here, follow) = (libc::AT_FDCWD, libc::AT_SYMLINK_FOLLOW);
    // SAFETY: both paths are C strings that outlive the call.
    match unsafe { libc::linkat(here, from.as_ptr(), here, to.as_ptr(), follow) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn check_replaceable(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        found => check_regular(&found?),
    }
}

/// Writes the folder's entry for a new name to disk.
fn sync_folder(path: &Path) -> io::Result<()> {
    match File::open(folder_of(path)).and_then(|folder| folder.sync_all()) {
        // Some file systems cannot sync a folder, and some folders cannot be read.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::PermissionDenied
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// Writes a private file, and replaces an earlier one.
///
/// # Errors
/// Something other than a regular file is at `path`, or the file cannot be written.
pub fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut replacement = Replacement::private(path)?;
    replacement.file().write_all(content)?;
    replacement.commit()
}

/// Creates a folder for reports that a user asked for, with the permissions that the user's other
/// folders get.
///
/// # Errors
/// The folder cannot be created.
pub fn report_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Writes a report that a user asked for at `path`. It replaces a regular file, also behind a link,
/// and keeps its permissions. A pipe or a device such as /dev/stdout just gets the content.
///
/// # Errors
/// A folder, a socket or a disk is at `path`, or the file cannot be written.
pub fn write_report(path: &Path, content: &[u8]) -> io::Result<()> {
    let (path, mode) = match fs::metadata(path) {
        Ok(found) if found.file_type().is_fifo() || found.file_type().is_char_device() => {
            return OpenOptions::new().write(true).open(path)?.write_all(content);
        }
        Ok(found) if found.is_file() => (fs::canonicalize(path)?, Some(found.mode())),
        Ok(found) => return Err(refused(&found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => (path.to_owned(), None),
        Err(error) => return Err(error),
    };
    let mut replacement = Replacement::begin(&path, REPORT_MODE)?;
    if let Some(mode) = mode {
        replacement.file().set_permissions(Permissions::from_mode(mode & 0o777))?;
    }
    replacement.file().write_all(content)?;
    replacement.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TemporaryFolder;
    use std::os::unix::fs::symlink;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().mode() & 0o777
    }

    fn names(folder: &Path) -> Vec<String> {
        let found = fs::read_dir(folder).unwrap().flatten();
        let mut names: Vec<_> =
            found.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_private_file_is_replaced_as_a_whole_and_anything_else_is_left() {
        let folder = TemporaryFolder::new("files").unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "old").unwrap();
        fs::set_permissions(at("file"), Permissions::from_mode(0o644)).unwrap();
        let mut half = Replacement::private(&at("file")).unwrap();
        half.file().write_all(b"ha").unwrap();
        assert!(half.is_named || names(folder.path()) == ["file"], "a signal would leave nothing");
        drop(half);
        assert_eq!(fs::read(at("file")).unwrap(), b"old");
        write_private(&at("file"), b"new").unwrap();
        assert_eq!((fs::read(at("file")).unwrap(), mode(&at("file"))), (b"new".to_vec(), 0o600));
        symlink(at("file"), at("link")).unwrap();
        symlink(at("nowhere"), at("dangling")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        for name in ["link", "dangling", "folder"] {
            let refusal = write_private(&at(name), b"x").unwrap_err().to_string();
            assert!(refusal.contains("name a regular file"), "{name}: {refusal}");
            assert!(create(&at(name)).is_err(), "{name}");
        }
        assert!(write_private(Path::new("/dev/full"), b"x").is_err());
        assert_eq!(fs::read(at("file")).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["dangling", "file", "folder", "link"]);
    }

    #[test]
    fn a_report_keeps_permissions_and_goes_into_pipes() {
        let folder = TemporaryFolder::new("files").unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "old").unwrap();
        fs::set_permissions(at("file"), Permissions::from_mode(0o640)).unwrap();
        symlink("file", at("link")).unwrap();
        write_report(&at("link"), b"new").unwrap();
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        assert_eq!((fs::read(at("file")).unwrap(), mode(&at("file"))), (b"new".to_vec(), 0o640));
        write_report(Path::new("/dev/null"), b"new").unwrap();
        assert_eq!(
            write_report(Path::new("/dev/full"), b"new").unwrap_err().kind(),
            io::ErrorKind::StorageFull
        );
        symlink("nowhere", at("dangling")).unwrap();
        assert!(write_report(&at("dangling"), b"new").is_err());
        assert!(write_report(folder.path(), b"new").is_err());
        assert_eq!(names(folder.path()), ["dangling", "file", "link"]);
    }
}
