//! Folders and files of keys and state. Only their owner can read them, and nobody else can
//! exchange them: their folder belongs to this user or to root, and others cannot write to it.

use crate::kind::check_regular;
use std::fs::{self, DirBuilder, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Permissions of a private file.
pub const FILE_MODE: u32 = 0o600;
/// Permissions of a private folder.
pub const FOLDER_MODE: u32 = 0o700;
/// Bits of the permissions of users other than the owner.
const OTHERS: u32 = 0o077;

/// Returns the number of the user as whom this process runs.
pub(crate) fn own_user() -> u32 {
    // SAFETY: the call takes no arguments.
    unsafe { libc::geteuid() }
}

/// Returns whether the file belongs to this user or to root, who could do worse without it.
pub fn is_trusted(found: &Metadata) -> bool {
    found.uid() == 0 || found.uid() == own_user()
}

fn check_owner(found: &Metadata) -> io::Result<()> {
    if is_trusted(found) {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!(
            "it belongs to user {}, who could exchange what is in it, and this process runs as \
             user {}; run as that user, or name a path of your own",
            found.uid(),
            own_user()
        ),
    ))
}

/// Creates a folder that only this user can enter, and its missing parents likewise. An existing
/// folder remains as it is.
///
/// # Errors
/// The folder cannot be created.
pub fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path)
}

/// Creates a folder for private files, if necessary, and makes sure that only this user can enter
/// it. Returns whether others could before. `is_ours` says which names Outhaul gives to what it
/// keeps in such a folder. A folder with anything else keeps its permissions: others may need it.
///
/// # Errors
/// The folder belongs to another user, cannot be created, or is open to others and has other files.
pub fn private_folder(path: &Path, is_ours: impl Fn(&str) -> bool) -> io::Result<bool> {
    make_folder(path)?;
    let found = fs::metadata(path)?;
    check_owner(&found)?;
    if found.uid() != own_user() || found.mode() & OTHERS == 0 {
        return check_state_folder(path).map(|()| false);
    }
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name();
        if !name.to_str().is_some_and(&is_ours) {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                format!(
                    "other users can enter it, and it has {name:?}, which is not Outhaul's, so its \
                    permissions were left; name a new folder"
                ),
            ));
        }
    }
    fs::set_permissions(path, Permissions::from_mode(FOLDER_MODE)).map(|()| true)
}

/// Creates a folder that a user chose for a private file, if necessary, and checks it as
/// `check_state_folder` does.
///
/// # Errors
/// As of `check_state_folder`; or the folder cannot be created.
pub fn state_folder(path: &Path) -> io::Result<()> {
    make_folder(path)?;
    check_state_folder(path)
}

/// Checks that no other user can exchange the files in a folder. Root is trusted, and so is the
/// group that has the number of the owner: many systems make such a group for each user.
///
/// # Errors
/// The folder belongs to another user, or others can write to it.
pub fn check_state_folder(path: &Path) -> io::Result<()> {
    let found = fs::metadata(path)?;
    check_owner(&found)?;
    let own_group = found.gid() == own_user() || found.gid() == 0;
    if found.mode() & 0o002 == 0 && (own_group || found.mode() & 0o020 == 0) {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        "other users can write to it and exchange the files there; use another folder, or end \
         that with `chmod go-w`",
    ))
}

/// Makes sure that a file is regular, and that only its owner can read it. Returns whether others
/// could before. A missing file remains missing. If root gave this user a file to read, its
/// permissions remain.
///
/// # Errors
/// The path leads to something else, the file belongs to another user, or others can write to it.
pub fn narrow(path: &Path) -> io::Result<bool> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        found => found?,
    };
    check_regular(&found)?;
    check_owner(&found)?;
    if found.uid() == own_user() {
        let is_wide = found.mode() & OTHERS != 0;
        // A file that needs no change is not opened: closing it would end this process's locks.
        if is_wide {
            crate::open(path)?.set_permissions(Permissions::from_mode(FILE_MODE))?;
        }
        return Ok(is_wide);
    }
    if found.mode() & 0o022 == 0 {
        return Ok(false);
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        "other users can write to it; end that with `chmod go-w`",
    ))
}

/// Narrows a folder and the files in it that are Outhaul's, as `is_ours` says by their names.
/// Returns the paths that others could read before.
///
/// # Errors
/// As of `private_folder` and `narrow`; or the folder cannot be read.
pub fn narrow_folder(path: &Path, is_ours: impl Fn(&str) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut narrowed = Vec::new();
    if private_folder(path, &is_ours)? {
        narrowed.push(path.to_owned());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let is_one = entry.file_name().to_str().is_some_and(&is_ours);
        if is_one && entry.file_type()?.is_file() && narrow(&entry.path())? {
            narrowed.push(entry.path());
        }
    }
    Ok(narrowed)
}

/// Creates an empty private file, or narrows an existing one. Returns whether others could read it
/// before. For libraries that open a file by its path.
///
/// # Errors
/// As of `narrow`; or the file cannot be created.
pub fn claim(path: &Path) -> io::Result<bool> {
    match OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => narrow(path),
        created => created.map(|_| false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TemporaryFolder;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    fn any(_: &str) -> bool {
        true
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn private_folders_and_files_are_their_owners_alone() {
        let folder = TemporaryFolder::new("files").unwrap();
        let (outer, inner) = (folder.path().join("outer"), folder.path().join("outer/inner"));
        assert!(!private_folder(&inner, any).unwrap());
        assert_eq!((mode(&outer), mode(&inner)), (0o700, 0o700));
        set_mode(&inner, 0o755);
        assert!(private_folder(&inner, any).unwrap() && mode(&inner) == 0o700);
        let file = inner.join("file");
        assert!(!narrow(&file).unwrap() && !file.exists());
        assert!(!claim(&file).unwrap() && mode(&file) == 0o600);
        set_mode(&file, 0o644);
        assert!(claim(&file).unwrap() && mode(&file) == 0o600);
        assert!(!claim(&file).unwrap());
        assert!(claim(&inner).is_err(), "a folder is no file");
        set_mode(&file, 0o640);
        set_mode(&inner, 0o750);
        assert_eq!(narrow_folder(&inner, any).unwrap(), [inner.clone(), file.clone()]);
        assert!(narrow_folder(&inner, any).unwrap().is_empty() && mode(&file) == 0o600);
        std::os::unix::fs::symlink(&file, inner.join("link")).unwrap();
        assert!(claim(&inner.join("link")).is_err());
    }

    #[test]
    fn a_folder_with_other_files_keeps_its_permissions_and_they_keep_theirs() {
        let folder = TemporaryFolder::new("files").unwrap();
        let (ours, other) = (folder.path().join("token"), folder.path().join("thesis"));
        for file in [&ours, &other] {
            fs::write(file, "").unwrap();
            set_mode(file, 0o644);
        }
        let is_ours = |name: &str| name == "token";
        set_mode(folder.path(), 0o755);
        let refusal = private_folder(folder.path(), is_ours).unwrap_err().to_string();
        assert!(refusal.contains("thesis") && refusal.contains("name a new folder"), "{refusal}");
        assert!(narrow_folder(folder.path(), is_ours).is_err());
        assert_eq!([folder.path(), &ours, &other].map(mode), [0o755, 0o644, 0o644]);
        set_mode(folder.path(), 0o700);
        assert_eq!(narrow_folder(folder.path(), is_ours).unwrap(), std::slice::from_ref(&ours));
        assert_eq!([&ours, &other].map(|file| mode(file)), [0o600, 0o644]);
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_refused() {
        let folder = TemporaryFolder::new("files").unwrap();
        state_folder(&folder.path().join("new/folder")).unwrap();
        set_mode(folder.path(), 0o755);
        state_folder(folder.path()).unwrap();
        for open in [0o777, 0o1777, 0o702] {
            set_mode(folder.path(), open);
            let refusal = state_folder(folder.path()).unwrap_err().to_string();
            assert!(refusal.contains("other users can write"), "{open:o}: {refusal}");
        }
        let strangers = own_user() + 1;
        // Only root can give a folder or a file away.
        if own_user() == 0 {
            set_mode(folder.path(), 0o770);
            std::os::unix::fs::chown(folder.path(), None, Some(strangers)).unwrap();
            assert!(state_folder(folder.path()).is_err(), "a group of others");
            set_mode(folder.path(), 0o700);
            std::os::unix::fs::chown(folder.path(), Some(strangers), None).unwrap();
            let refusal = private_folder(folder.path(), any).unwrap_err().to_string();
            assert!(refusal.contains("belongs to user 1"), "{refusal}");
            let file = folder.path().join("file");
            fs::write(&file, "").unwrap();
            std::os::unix::fs::chown(&file, Some(strangers), None).unwrap();
            assert!(narrow(&file).unwrap_err().to_string().contains("belongs to user 1"));
        }
    }
}
