//! The wall around privileges. If a node runs as root, its workers run as root without root's
//! rights. No program that a worker executes can give it more rights.

use std::io;

/// Version number of capget(2)'s third interface.
const VERSION: u32 = 0x2008_0522;
/// Rights to open files regardless of their modes, because a library or a code cache may be in a
/// user's home.
const OPENS_FILES: u32 = 1 << CAP_DAC_OVERRIDE | 1 << CAP_DAC_READ_SEARCH;
const CAP_DAC_OVERRIDE: u32 = 1;
const CAP_DAC_READ_SEARCH: u32 = 2;
/// Highest number of a right; Linux's bit masks have 64 bits.
const RIGHTS_MAX: libc::c_ulong = 63;

#[repr(C)]
struct Header {
    version: u32,
    process: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Rights {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// Drops all rights. With `opens_files`, the process keeps the right to ignore file modes, because
/// another wall restricts its files.
pub fn drop_all(opens_files: bool) -> Result<(), String> {
    drop_rights(if opens_files { OPENS_FILES } else { 0 }).map_err(|error| error.to_string())
}

fn drop_rights(kept: u32) -> io::Result<()> {
    let check =
        |result: libc::c_long| if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) };
    let mut header = Header { version: VERSION, process: 0 };
    let mut rights = [Rights::default(); 2];
    // SAFETY: the calls take numbers, and structures as capget(2) describes them for this version:
    // a header, and the rights in two parts.
    unsafe {
        check(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0).into())?;
        // A right that Linux does not have, or that a process without root may not drop, cannot be
        // used either.
        for right in 0..=RIGHTS_MAX {
            libc::prctl(libc::PR_CAPBSET_DROP, right, 0, 0, 0);
        }
        libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
        check(libc::syscall(libc::SYS_capget, &raw mut header, rights.as_mut_ptr()))?;
        let held = rights[0].permitted & kept;
        rights = [Rights { effective: held, permitted: held, inheritable: 0 }, Rights::default()];
        check(libc::syscall(libc::SYS_capset, &raw mut header, rights.as_ptr()))
    }
}
