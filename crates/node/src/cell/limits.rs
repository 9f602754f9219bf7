//! The wall of resource limits. Deliberately absent: a limit on processes, because `calls.rs`
//! allows a worker to start none. Also absent: a limit on memory, because a driver reserves more
//! addresses than the machine has memory. Control groups limit memory.

use std::io;

/// Largest number of descriptors. Lanes, devices and shared objects have their own limits, which
/// together are far below this number.
const DESCRIPTORS_MAX: libc::rlim_t = 16_384;
const LIMITS: [(libc::__rlimit_resource_t, libc::rlim_t); 4] = [
    (libc::RLIMIT_NOFILE, DESCRIPTORS_MAX),
    (libc::RLIMIT_CORE, 0),
    (libc::RLIMIT_RTPRIO, 0),
    (libc::RLIMIT_MSGQUEUE, 0),
];

/// Sets the limits of this process.
pub fn set() -> Result<(), String> {
    LIMITS
        .into_iter()
        .try_for_each(|(resource, max)| lower(resource, max))
        .map_err(|error| error.to_string())
}

fn lower(resource: libc::__rlimit_resource_t, max: libc::rlim_t) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls take a pointer to a local.
    let set = unsafe {
        if libc::getrlimit(resource, &mut limit) != 0 {
            return Err(io::Error::last_os_error());
        }
        let max = limit.rlim_max.min(max);
        libc::setrlimit(
            resource,
            &libc::rlimit { rlim_cur: limit.rlim_cur.min(max), rlim_max: max },
        )
    };
    if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
