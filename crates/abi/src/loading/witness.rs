//! A message to `outhaul run` that a program has loaded one of our libraries. A program that does
//! not load one never uses a GPU of ours, and otherwise the user would not notice.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// Name of the variable with the name of the socket that waits for the message.
pub const VARIABLE: &str = "OUTHAUL_WITNESS";
/// The message.
pub const LOADED: &[u8] = b"loaded";

/// Sends the message; runs when the library is loaded. If the socket is gone, that does not matter.
pub extern "C" fn announce_load() {
    let Ok(name) = std::env::var(VARIABLE) else { return };
    let socket =
        UnixDatagram::unbound().and_then(|socket| socket.set_nonblocking(true).map(|()| socket));
    if let (Ok(socket), Ok(address)) = (socket, SocketAddr::from_abstract_name(name)) {
        let _ = socket.send_to_addr(LOADED, &address);
    }
}
