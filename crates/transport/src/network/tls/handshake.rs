//! TLS's handshake, until both sides have the two directions' secrets. The handshake reads no byte
//! beyond its last record, so another process can read the rest.

use super::identity::{Identity, Trust};
use super::record::{self, Keys, SECRET_BYTES, invalid};
use crate::os::deadline::Deadline;
use crate::os::send::Sending;
use rustls::pki_types::ServerName;
use rustls::{CertificateError, ClientConnection, ConnectionCommon, KeyLog, ServerConnection};
use std::io::{self, Read};
use std::net::TcpStream;
use std::sync::{Arc, OnceLock};

/// The domain of node names in pools' certificates.
pub(super) const NODE_DOMAIN: &str = ".node.outhaul";
/// Largest number of records that the other side may send in a handshake.
const RECORDS_MAX: usize = 32;

/// The two directions' secrets, which rustls logs.
#[derive(Debug, Default)]
struct Secrets {
    clients: OnceLock<[u8; SECRET_BYTES]>,
    servers: OnceLock<[u8; SECRET_BYTES]>,
}

impl KeyLog for Secrets {
    fn log(&self, label: &str, _client_random: &[u8], secret: &[u8]) {
        let place = match label {
            "CLIENT_TRAFFIC_SECRET_0" => &self.clients,
            "SERVER_TRAFFIC_SECRET_0" => &self.servers,
            _ => return,
        };
        let _ = secret.try_into().map(|secret| place.set(secret));
    }
}

impl Secrets {
    fn keys(&self, client: bool) -> io::Result<Keys> {
        let both = self
            .clients
            .get()
            .zip(self.servers.get())
            .ok_or_else(|| invalid("TLS agreed on no secrets"))?;
        let (send, receive) = if client { both } else { (both.1, both.0) };
        Ok(Keys::new(*send, *receive))
    }
}

/// Performs the client's side of a handshake. The node must prove that its name is `name`.
pub fn call(stream: &TcpStream, trust: &Trust, name: &str, deadline: Deadline) -> io::Result<Keys> {
    let secrets = Arc::new(Secrets::default());
    let mut config = (*trust.0).clone();
    config.key_log = secrets.clone();
    let host = ServerName::try_from(format!("{name}{NODE_DOMAIN}"))
        .map_err(|_| invalid(format!("'{name}' is not a valid name of a node")))?;
    shake(&mut *ClientConnection::new(config.into(), host).map_err(invalid)?, stream, deadline)?;
    secrets.keys(true)
}

/// Performs the node's side of a handshake.
pub fn answer(stream: &TcpStream, identity: &Identity, deadline: Deadline) -> io::Result<Keys> {
    let secrets = Arc::new(Secrets::default());
    let mut config = (*identity.0).clone();
    config.key_log = secrets.clone();
    shake(&mut *ServerConnection::new(config.into()).map_err(invalid)?, stream, deadline)?;
    secrets.keys(false)
}

fn shake<D>(
    connection: &mut ConnectionCommon<D>,
    stream: &TcpStream,
    deadline: Deadline,
) -> io::Result<()> {
    let mut timely = deadline.on(stream);
    let mut bytes = Vec::new();
    for _ in 0..RECORDS_MAX {
        while connection.wants_write() {
            connection.write_tls(&mut Sending(stream))?;
        }
        if !connection.is_handshaking() {
            return Ok(());
        }
        bytes.resize(record::HEADER_BYTES, 0);
        timely.read_exact(&mut bytes)?;
        let length = record::length(&bytes)?;
        bytes.resize(record::HEADER_BYTES + length, 0);
        timely.read_exact(&mut bytes[record::HEADER_BYTES..])?;
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            connection.read_tls(&mut rest)?;
            if let Err(error) = connection.process_new_packets() {
                // Send the alert, so that the other side learns of the error too.
                let _ = connection.write_tls(&mut Sending(stream));
                return Err(invalid(describe(&error)));
            }
        }
    }
    Err(invalid("the handshake does not end"))
}

/// Describes the error, and suggests a remedy to the user.
fn describe(error: &rustls::Error) -> String {
    use CertificateError::{Expired, ExpiredContext, NotValidYet, NotValidYetContext};
    match error {
        rustls::Error::InvalidCertificate(
            Expired | ExpiredContext { .. } | NotValidYet | NotValidYetContext { .. },
        ) => {
            format!("{error}; is the clock of this machine right?")
        }
        rustls::Error::InvalidCertificate(
            CertificateError::UnknownIssuer | CertificateError::BadSignature,
        ) => {
            format!("{error}: the node's certificate is not of this pool")
        }
        _ => error.to_string(),
    }
}
