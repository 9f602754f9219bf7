//! Checks whether the program that `outhaul run` is about to exec can load Outhaul's libcuda.so.1,
//! as far as the program's file shows. Does not guess about programs that the program starts. The
//! witness reports at the end whether any program loaded the library.

use crate::check::elf::Elf;
use crate::error::Obstacle;
use crate::install::DRIVER;
use std::ffi::{CString, OsStr};
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

const SET_USER: u32 = 0o4000;
const SET_GROUP: u32 = 0o2000;
/// Maximum bytes that Linux reads of a script's first line.
const SHEBANG_BYTES_MAX: u64 = 256;

/// Returns what prevents the command's file from loading the library, if anything does. Returns
/// none for a missing file too, because `exec` reports that better.
pub fn obstacle(command: &OsStr, driver: &Path) -> Option<Obstacle> {
    let file = find(command)?;
    match interpreter(&file) {
        // A script's interpreter may be static or use musl, because the script may only start other
        // programs.
        Some(interpreter) => of_file(&interpreter, driver)
            .filter(|obstacle| !matches!(obstacle, Obstacle::Static | Obstacle::Musl)),
        None => of_file(&file, driver),
    }
}

fn of_file(file: &Path, driver: &Path) -> Option<Obstacle> {
    let elf = Elf::read(file)?;
    if !elf.is_64_bit {
        return Some(Obstacle::Narrow);
    }
    if !elf.is_native {
        return Some(Obstacle::Foreign);
    }
    if is_privileged(file) {
        return Some(Obstacle::Privileged);
    }
    match &elf.interpreter {
        // A file without an interpreter is static, unless it has a soname: then it is the loader
        // itself.
        None if elf.soname.is_none() => return Some(Obstacle::Static),
        Some(loader) if loader.contains("ld-musl") => return Some(Obstacle::Musl),
        _ => {}
    }
    let named = elf.needed.iter().find(|name| name.contains('/') && name.ends_with(DRIVER));
    named
        .cloned()
        .map(Obstacle::NamedDriver)
        .or_else(|| own_driver(&elf, file, driver).map(Obstacle::OwnDriver))
}

/// Returns the RPATH folder in which the program finds a driver other than Outhaul's.
fn own_driver(elf: &Elf, file: &Path, driver: &Path) -> Option<PathBuf> {
    let real = file.canonicalize().ok()?;
    let origin = real.parent()?.to_str()?;
    let folders = elf
        .rpath
        .as_deref()?
        .split(':')
        .map(|folder| folder.replace("${ORIGIN}", origin).replace("$ORIGIN", origin));
    let identity = |path: &Path| path.metadata().map(|found| (found.dev(), found.ino())).ok();
    let ours = identity(&driver.join(DRIVER));
    folders
        .map(PathBuf::from)
        .find(|folder| identity(&folder.join(DRIVER)).is_some_and(|found| Some(found) != ours))
}

/// Returns whether the loader will ignore the library path, because running the file changes the
/// user, the group or the capabilities.
fn is_privileged(file: &Path) -> bool {
    let Ok(found) = file.metadata() else { return false };
    let mode = found.permissions().mode();
    // SAFETY: takes no pointers.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    let changes = (mode & SET_USER != 0 && found.uid() != user)
        || (mode & SET_GROUP != 0 && found.gid() != group);
    changes || (user != 0 && has_capabilities(file))
}

fn has_capabilities(file: &Path) -> bool {
    let Ok(path) = CString::new(file.as_os_str().as_bytes()) else { return false };
    // SAFETY: both strings end in NUL; with a null buffer of size 0, the call writes nothing.
    unsafe {
        libc::getxattr(path.as_ptr(), c"security.capability".as_ptr(), std::ptr::null_mut(), 0) > 0
    }
}

/// Finds a command's file as `exec` does.
fn find(command: &OsStr) -> Option<PathBuf> {
    if command.as_bytes().contains(&b'/') {
        return Some(command.into());
    }
    let path = std::env::var_os("PATH")?;
    let is_program = |file: &PathBuf| {
        file.metadata()
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(&path).map(|folder| folder.join(command)).find(is_program)
}

/// Returns the interpreter of a script.
fn interpreter(file: &Path) -> Option<PathBuf> {
    let mut start = Vec::new();
    std::fs::File::open(file).ok()?.take(SHEBANG_BYTES_MAX).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let word = line.split(|byte| byte.is_ascii_whitespace()).find(|word| !word.is_empty())?;
    Some(std::ffi::OsString::from_vec(word.to_vec()).into())
}
