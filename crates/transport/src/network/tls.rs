//! Lanes over TLS 1.3. rustls does the handshake. After it, this module reads and writes the
//! records itself: the two directions share nothing, so each half of a lane has its own, and a
//! listener passes them to a worker as two secrets.
//!
//! A node proves with a certificate which node of its pool it is. A client proves who it is in its
//! hello.

mod handshake;
mod record;
mod stream;

pub(crate) use handshake::{answer, call};
pub(crate) use record::{KEYS_BYTES, Keys};
pub(crate) use stream::{Opened, Sealed, Tls};

use rustls::client::Resumption;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{CertificateError, ClientConfig, RootCertStore, ServerConfig};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Name of the variable with the file of the pool's certificate, by which clients check nodes.
pub const CA_VARIABLE: &str = "OUTHAUL_CA";
/// The domain of node names in the certificates of pools.
const NODE_DOMAIN: &str = ".node.outhaul";

fn invalid(reason: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.to_string())
}

/// A node's certificate and key.
#[derive(Clone)]
pub struct Identity(Arc<ServerConfig>);

impl Identity {
    /// Reads a certificate chain and its key, both in PEM.
    pub fn new(chain_pem: &str, key_pem: &str) -> io::Result<Identity> {
        let chain: Vec<_> = CertificateDer::pem_slice_iter(chain_pem.as_bytes())
            .collect::<Result<_, _>>()
            .map_err(invalid)?;
        let key = PrivateKeyDer::from_pem_slice(key_pem.as_bytes()).map_err(invalid)?;
        let builder = ServerConfig::builder_with_provider(record::provider().into());
        let builder =
            builder.with_protocol_versions(&[&rustls::version::TLS13]).map_err(invalid)?;
        let mut config =
            builder.with_no_client_auth().with_single_cert(chain, key).map_err(invalid)?;
        // After the handshake, only the lane's own bytes may follow.
        config.send_tls13_tickets = 0;
        Ok(Identity(config.into()))
    }
}

/// The certificates by which a client checks nodes.
#[derive(Clone)]
pub(crate) struct Trust(Arc<ClientConfig>);

static CA_FILE: OnceLock<PathBuf> = OnceLock::new();

/// Sets the file with the pool's certificate for this process, whatever the environment says.
pub fn trust(ca_file: PathBuf) {
    let _ = CA_FILE.set(ca_file);
}

/// Returns the file with the pool's certificate, if it is known.
pub fn ca_file() -> Option<PathBuf> {
    CA_FILE.get().cloned().or_else(|| std::env::var_os(CA_VARIABLE).map(PathBuf::from))
}

impl Trust {
    /// Reads the certificate that this process trusts. Fails if no file is known.
    pub fn of_this_process() -> io::Result<Trust> {
        let file = ca_file().ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::NotFound,
                format!("{CA_VARIABLE} does not name a file with a pool's certificate"),
            )
        })?;
        let pem = std::fs::read(&file).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", file.display()))
        })?;
        Trust::new(&pem)
    }

    /// Trusts the certificates in this PEM text.
    pub fn new(ca_pem: &[u8]) -> io::Result<Trust> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(ca_pem) {
            roots.add(certificate.map_err(invalid)?).map_err(invalid)?;
        }
        let builder = ClientConfig::builder_with_provider(record::provider().into());
        let builder =
            builder.with_protocol_versions(&[&rustls::version::TLS13]).map_err(invalid)?;
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        config.resumption = Resumption::disabled();
        Ok(Trust(config.into()))
    }
}

/// Splits an address into the name that its node must prove, if there is one, and the rest.
pub(crate) fn split(address: &str) -> (Option<&str>, &str) {
    address.split_once('@').map_or((None, address), |(name, address)| (Some(name), address))
}

/// Describes the error and what the user may do about it.
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

#[cfg(test)]
pub(crate) mod tests;
