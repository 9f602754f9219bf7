//! A word to `outhaul run` that a program has loaded one of our libraries. A program that never
//! does so runs on no GPU of ours, and nobody else would say so.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// Names the socket on which the word is waited for.
pub const VARIABLE: &str = "OUTHAUL_WITNESS";
pub const LOADED: &[u8] = b"loaded";

/// Runs when the library is loaded. Nobody may be listening any more, which is no matter.
pub extern "C" fn tell() {
    let Ok(name) = std::env::var(VARIABLE) else { return };
    let socket =
        UnixDatagram::unbound().and_then(|socket| socket.set_nonblocking(true).map(|()| socket));
    if let (Ok(socket), Ok(address)) = (socket, SocketAddr::from_abstract_name(name)) {
        let _ = socket.send_to_addr(LOADED, &address);
    }
}
