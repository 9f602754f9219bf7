//! Session folders: a driver's temporary files are in the folder of its session, which is deleted
//! with the session. A node's folder contains the folders of its sessions, and one parent folder
//! contains the folders of a user's nodes. Folder names are random, and a session cannot list the
//! folders of others, so it can only use a name that it has received.

use crate::log::log_event;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Name of the variable with the session's folder, for the worker. The software GPU keeps data in
/// that folder that its processes share.
pub const VARIABLE: &str = "OUTHAUL_SOFT_EVENTS";
const PRIVATE: u32 = 0o700;
/// Name of the lock file, which a node keeps locked as long as it runs.
const LOCK: &str = "lock";
/// Number of attempts to create a folder, because another node that starts may delete a new folder
/// as abandoned.
const TRIES: usize = 8;

/// A node's folder.
pub struct Scratch {
    path: PathBuf,
    lock: File,
}

/// A session's folder; dropping the value deletes the folder.
pub struct Folder(PathBuf);

impl Scratch {
    /// Creates a node's folder, and deletes the folders of nodes that were killed.
    pub fn open() -> io::Result<Scratch> {
        // SAFETY: takes no arguments.
        let user = unsafe { libc::geteuid() };
        Scratch::of_user(&std::env::temp_dir(), user)
    }

    /// Creates a node's folder in `temporary`. Another user may have taken the name of this user's
    /// folder. Then the node gets a folder with a name that nobody can guess, and finds no folders
    /// of other nodes.
    fn of_user(temporary: &Path, user: u32) -> io::Result<Scratch> {
        let root = temporary.join(format!("outhaul-{user}"));
        Scratch::within(&root, user).or_else(|error| {
            let apart = temporary.join(format!("outhaul-{user}-{}", outhaul_files::random_name()?));
            log_event(&format!("{error}; the node uses {} instead", apart.display()));
            Scratch::within(&apart, user)
        })
    }

    /// Creates a node's folder inside `root`. Rejects a root that other users own or can access.
    fn within(root: &Path, user: u32) -> io::Result<Scratch> {
        match fs::DirBuilder::new().mode(PRIVATE).create(root) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let found = fs::symlink_metadata(root)?;
        if !found.is_dir() || found.uid() != user || found.mode() & 0o077 != 0 {
            return Err(io::Error::other(format!(
                "another user owns {} or has access to it",
                root.display()
            )));
        }
        sweep(root);
        for _ in 0..TRIES {
            let path = make(root)?;
            let locked =
                outhaul_files::create(&path.join(LOCK)).and_then(|lock| lock.lock().map(|()| lock));
            match locked {
                Ok(lock) if path.join(LOCK).exists() => return Ok(Scratch { path, lock }),
                _ => {}
            }
        }
        Err(io::Error::other(format!("no folder can be made in {}", root.display())))
    }

    /// Takes over the folder of a listener that is gone. Every process with a copy of the
    /// descriptor holds the lock.
    pub fn adopt(path: PathBuf, lock: OwnedFd) -> Scratch {
        Scratch { path, lock: lock.into() }
    }

    /// Returns the folder's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the lock, to send it to another process.
    pub fn lock(&self) -> BorrowedFd<'_> {
        self.lock.as_fd()
    }

    /// Creates a folder for a session.
    pub fn folder(&self) -> io::Result<Folder> {
        make(&self.path).map(Folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Deletes abandoned folders. A folder without a lock file is still being created.
fn sweep(root: &Path) {
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        let Ok(lock) = File::open(entry.path().join(LOCK)) else { continue };
        if lock.try_lock().is_ok() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn make(root: &Path) -> io::Result<PathBuf> {
    let path = root.join(outhaul_files::random_name()?);
    fs::DirBuilder::new().mode(PRIVATE).create(&path).map(|()| path)
}

impl Folder {
    /// Takes over the folder of a session that continues.
    pub fn adopt(path: PathBuf) -> Folder {
        Folder(path)
    }

    /// Returns the folder's path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn folders_go_with_their_sessions_and_those_of_killed_nodes_with_the_next_one() {
        let root = std::env::temp_dir().join(format!("outhaul-scratch-{}", std::process::id()));
        // SAFETY: takes no arguments.
        let user = unsafe { libc::geteuid() };
        let killed = Scratch::within(&root, user).unwrap();
        let left = killed.folder().unwrap().path().to_owned();
        assert!(!left.exists(), "its session has ended");
        let (path, kept) = (killed.path.clone(), Scratch::within(&root, user).unwrap());
        assert!(path.exists(), "that node runs");
        // The test unlocks the file as if the node were killed.
        killed.lock.unlock().unwrap();
        drop(Scratch::within(&root, user).unwrap());
        assert!(!path.exists() && kept.path.exists());
        fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(Scratch::within(&root, user).is_err(), "others may read it");
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_name_that_another_user_took_stops_no_node() {
        let temporary = outhaul_files::TemporaryFolder::new("scratch").unwrap();
        // SAFETY: takes no arguments.
        let user = unsafe { libc::geteuid() };
        let taken = temporary.path().join(format!("outhaul-{user}"));
        std::os::unix::fs::symlink("/tmp", &taken).unwrap();
        let scratch = Scratch::of_user(temporary.path(), user).unwrap();
        assert!(scratch.path().starts_with(temporary.path()) && !scratch.path().starts_with(taken));
        assert!(scratch.folder().is_ok());
    }
}
