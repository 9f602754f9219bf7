//! The wall of a network namespace: the worker gets its own empty network, without ports or other
//! programs' sockets. The wall works without Landlock. The worker can still use the connections
//! that it inherited. Without root's rights, the worker also needs a user namespace.

use std::fs;
use std::io;

/// Moves this process into its own, empty network.
pub fn leave() -> Result<(), String> {
    let left = match unshare(libc::CLONE_NEWNET) {
        Err(error) if error.raw_os_error() == Some(libc::EPERM) => leave_with_users(),
        done => done,
    };
    left.map_err(|error| error.to_string())
}

/// Moves this process into its own network and user namespace. The user remains the same, but no
/// other user exists there.
fn leave_with_users() -> io::Result<()> {
    // SAFETY: both calls take no arguments.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

fn unshare(flags: libc::c_int) -> io::Result<()> {
    // SAFETY: takes only numbers.
    if unsafe { libc::unshare(flags) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
