//! Tells systemd that a service is ready, where it asked to be told.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

const VARIABLE: &str = "NOTIFY_SOCKET";
const READY: &[u8] = b"READY=1";

/// That the service answers from now on. Who starts it by hand has nobody to be told.
pub fn ready() {
    let Some(place) = std::env::var_os(VARIABLE) else { return };
    let address = match place.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name),
        None => SocketAddr::from_pathname(&place),
    };
    // Without the word systemd waits, and ends the service in its time.
    let _ = address.and_then(|address| UnixDatagram::unbound()?.send_to_addr(READY, &address));
}
