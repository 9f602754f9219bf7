//! A message to `outhaul run` that a program has loaded one of our libraries. A program that loads
//! none never uses a remote GPU, and without this message the user would not notice.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// Environment variable that contains the name of the socket on which `outhaul run` listens.
pub const VARIABLE: &str = "OUTHAUL_WITNESS";
/// Content of the message.
pub const LOADED: &[u8] = b"loaded";

/// Sends the message when the library is loaded. Ignores errors, because the socket may be closed.
pub extern "C" fn announce_load() {
    let Ok(name) = std::env::var(VARIABLE) else { return };
    let socket =
        UnixDatagram::unbound().and_then(|socket| socket.set_nonblocking(true).map(|()| socket));
    if let (Ok(socket), Ok(address)) = (socket, SocketAddr::from_abstract_name(name)) {
        let _ = socket.send_to_addr(LOADED, &address);
    }
}
