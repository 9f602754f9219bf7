//! The certificate with which a node proves its name, and those with which a client checks that
//! proof.

use super::record::{self, invalid};
use rustls::client::Resumption;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Name of the variable with the path of the pool's certificate, with which clients check nodes.
pub const CA_VARIABLE: &str = "OUTHAUL_CA";

/// A node's certificate and key.
#[derive(Clone)]
pub struct Identity(pub(super) Arc<ServerConfig>);

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

/// The certificates with which a client checks nodes.
#[derive(Clone)]
pub(crate) struct Trust(pub(super) Arc<ClientConfig>);

static CA_FILE: OnceLock<PathBuf> = OnceLock::new();

/// Sets the file with the pool's certificate for this process. This file takes precedence over
/// `OUTHAUL_CA`.
pub fn trust(ca_file: PathBuf) {
    let _ = CA_FILE.set(ca_file);
}

/// Returns the path of the pool's certificate, if known.
pub fn ca_file() -> Option<PathBuf> {
    CA_FILE.get().cloned().or_else(|| std::env::var_os(CA_VARIABLE).map(PathBuf::from))
}

impl Trust {
    /// Reads the pool's certificate, which this process trusts. Fails if its path is unknown.
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

    /// Makes a `Trust` in the certificates in a PEM text.
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

/// Splits an address into the name that its node must prove, if any, and the rest.
pub(crate) fn split(address: &str) -> (Option<&str>, &str) {
    address.split_once('@').map_or((None, address), |(name, address)| (Some(name), address))
}
