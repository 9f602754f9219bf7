//! Parses the address on which a node or a pool listens.

use std::net::{SocketAddr, ToSocketAddrs};

/// Returns the first address to which HOST:PORT resolves.
pub fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let wrong = |reason: String| format!("{reason}; write HOST:PORT, for example 127.0.0.1:7654");
    text.to_socket_addrs()
        .map_err(|e| wrong(e.to_string()))?
        .next()
        .ok_or_else(|| wrong("the name has no address".into()))
}
