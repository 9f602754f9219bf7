//! Lanes over TLS 1.3. The handshake is rustls's; what follows it are records, whose two directions
//! share nothing: each half of a lane has its own, and a listener hands them to a worker as two
//! secrets. A node proves by a certificate which of its pool's it is; a client proves itself by
//! what its hello says.

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

/// The file with the certificate of the pool's authority, by which clients know its nodes.
pub const CA_VARIABLE: &str = "OUTHAUL_CA";
/// The domain that names of nodes lie in, by which pools certify them.
const NODE_DOMAIN: &str = ".node.outhaul";

fn invalid(reason: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.to_string())
}

/// What a node shows of itself.
#[derive(Clone)]
pub struct Identity(Arc<ServerConfig>);

impl Identity {
    /// By a certificate and its key.
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
        // Nothing but the lane's own bytes comes after the handshake.
        config.send_tls13_tickets = 0;
        Ok(Identity(config.into()))
    }
}

/// What a client knows nodes by.
#[derive(Clone)]
pub(crate) struct Trust(Arc<ClientConfig>);

static CA_FILE: OnceLock<PathBuf> = OnceLock::new();

/// For this process the authority's certificate lies here, whatever the environment says.
pub fn trust(ca_file: PathBuf) {
    let _ = CA_FILE.set(ca_file);
}

/// Where the authority's certificate lies, if that is known.
pub fn ca_file() -> Option<PathBuf> {
    CA_FILE.get().cloned().or_else(|| std::env::var_os(CA_VARIABLE).map(PathBuf::from))
}

impl Trust {
    pub fn of_this_process() -> io::Result<Trust> {
        let file = ca_file().ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::NotFound,
                format!("{CA_VARIABLE} names no certificate of a pool"),
            )
        })?;
        let pem = std::fs::read(&file).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", file.display()))
        })?;
        Trust::new(&pem)
    }

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

/// The name before an address, which its node must prove to have, and the rest.
pub(crate) fn split(address: &str) -> (Option<&str>, &str) {
    address.split_once('@').map_or((None, address), |(name, address)| (Some(name), address))
}

/// What is wrong with the other side, in words, with what may be done.
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
            format!("{error}: its certificate is not of this pool")
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
pub(crate) mod tests;
