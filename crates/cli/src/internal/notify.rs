//! Tells systemd that a service is ready, if systemd asked for it.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

const VARIABLE: &str = "NOTIFY_SOCKET";
const READY: &[u8] = b"READY=1";

/// Tells systemd that the service now answers. Does nothing if systemd did not start the service.
pub fn ready() {
    let Some(place) = std::env::var_os(VARIABLE) else { return };
    let address = match place.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name),
        None => SocketAddr::from_pathname(&place),
    };
    // If this fails, systemd keeps waiting and ends the service after its timeout.
    let _ = address.and_then(|address| UnixDatagram::unbound()?.send_to_addr(READY, &address));
}
