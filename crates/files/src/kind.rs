//! Names the kind of a file in errors.

use std::fs::{FileType, Metadata};
use std::io;
use std::os::unix::fs::FileTypeExt;

fn described(kind: FileType) -> &'static str {
    if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_block_device() || kind.is_char_device() {
        "a device"
    } else {
        "a regular file"
    }
}

/// Fails if the path leads to something other than a regular file.
pub fn check_regular(found: &Metadata) -> io::Result<()> {
    if found.is_file() { Ok(()) } else { Err(refused(found)) }
}

/// Returns the error about something that is not a regular file.
pub fn refused(found: &Metadata) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("it is {}; name a regular file", described(found.file_type())),
    )
}
