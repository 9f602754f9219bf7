//! Reads regular files. Opening a pipe would wait for a writer, and reading a device may have no
//! end, so both are refused.

use crate::kind::check_regular;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a regular file for reading.
///
/// # Errors
/// The path leads to something else, such as a link or a pipe, or the file cannot be read.
pub fn open(path: &Path) -> io::Result<File> {
    // Opening a device may have effects, so this check comes first. The second one is about the
    // file that was opened.
    check_regular(&fs::symlink_metadata(path)?)?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(path)?;
    check_regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads a whole regular file of at most `bytes_max` bytes.
///
/// # Errors
/// As of `open`; or the file is larger.
pub fn read(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let bytes = file.metadata()?.len();
    let mut content = Vec::new();
    if bytes <= bytes_max {
        // Another process may still extend the file.
        content.reserve_exact(bytes as usize + 1);
        file.take(bytes_max + 1).read_to_end(&mut content)?;
    }
    if bytes > bytes_max || content.len() as u64 > bytes_max {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it has more than {bytes_max} bytes, which is not Outhaul's file"),
        ));
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TemporaryFolder;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    #[test]
    fn only_a_regular_file_within_its_limit_is_read() {
        let folder = TemporaryFolder::new("files").unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), b"12345").unwrap();
        assert_eq!(read(&at("file"), 5).unwrap(), b"12345");
        assert_eq!(read(&at("file"), 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        symlink(at("file"), at("link")).unwrap();
        symlink("/dev/zero", at("endless")).unwrap();
        assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let _socket = UnixListener::bind(at("socket")).unwrap();
        let words = |path: &Path| read(path, 5).unwrap_err().to_string();
        assert!(words(&at("link")).contains("a symbolic link"));
        assert!(words(&at("endless")).contains("a symbolic link"));
        assert!(words(&at("pipe")).contains("a pipe"), "{}", words(&at("pipe")));
        assert!(words(&at("socket")).contains("a socket"));
        assert!(words(Path::new("/dev/zero")).contains("a device"));
        assert!(words(folder.path()).contains("a folder"));
        assert_eq!(read(&at("absent"), 5).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
