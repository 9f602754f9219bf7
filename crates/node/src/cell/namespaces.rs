//! A network of the worker's own, in which there is nothing: neither ports nor other programs'
//! sockets, whatever the kernel's Landlock knows of. Connections that it was given are not touched
//! by that. Without root's rights it takes a namespace of users too.

use std::fs;
use std::io;

pub fn leave() -> Result<(), String> {
    let left = match unshare(libc::CLONE_NEWNET) {
        Err(error) if error.raw_os_error() == Some(libc::EPERM) => leave_with_users(),
        done => done,
    };
    left.map_err(|error| error.to_string())
}

/// The user stays who it is, in a namespace where nobody else is.
fn leave_with_users() -> io::Result<()> {
    // SAFETY: take no arguments.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

fn unshare(what: libc::c_int) -> io::Result<()> {
    // SAFETY: takes plain numbers.
    if unsafe { libc::unshare(what) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
