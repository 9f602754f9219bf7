//! Lanes over TLS 1.3. rustls does the handshake. Afterwards, this module reads and writes the
//! records itself. The two directions share nothing, so each half of a lane owns one direction. A
//! listener passes them to a worker as two secrets.
//!
//! A node proves with a certificate which node of its pool it is. A client proves its identity in
//! its hello.

mod handshake;
mod identity;
mod record;
mod stream;

pub(crate) use handshake::{answer, call};
pub use identity::{CA_VARIABLE, Identity, ca_file, trust};
pub(crate) use identity::{Trust, split};
pub(crate) use record::{KEYS_BYTES, Keys};
pub(crate) use stream::{Opened, Sealed, Tls};

#[cfg(test)]
pub(crate) mod tests;
