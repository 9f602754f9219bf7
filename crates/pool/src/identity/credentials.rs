//! A node's or user's folder for one pool. The folder contains the pool's own certificate, which
//! identifies the pool, and the holder's proof of identity.

use crate::error::Error;
use crate::identity::node_name::node_of;
use crate::identity::secret::{broken, is_file_of_identity, read_secret};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::Path;

const CA: &str = "ca.pem";
const CERTIFICATE: &str = "certificate.pem";
const KEY: &str = "key.pem";
const TOKEN: &str = "token";

/// The credentials of one node or user in one pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The pool's own certificate.
    pub ca_pem: String,
    /// The holder's proof of identity.
    pub proof: Proof,
}

/// A proof of identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// The certificate of a node or of the pool.
    Certificate {
        /// The certificates, starting with the holder's.
        chain_pem: String,
        /// The private key.
        key_pem: String,
    },
    /// A user's token.
    Token(String),
}

impl Credentials {
    /// Loads the credentials in a folder, if there are any.
    ///
    /// # Errors
    /// The credentials cannot be read, or others can exchange them.
    pub fn load(folder: &Path) -> Result<Option<Credentials>, Error> {
        match outhaul_files::check_state_folder(folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            checked => checked.map_err(|error| broken(folder, error))?,
        }
        let read = |name: &str| {
            let path = folder.join(name);
            let text = read_secret(&path)?.map(String::from_utf8).transpose();
            text.map_err(|error| broken(&path, error))
        };
        let Some(ca_pem) = read(CA)? else { return Ok(None) };
        let proof = match (read(CERTIFICATE)?, read(KEY)?, read(TOKEN)?) {
            (Some(chain_pem), Some(key_pem), _) => Proof::Certificate { chain_pem, key_pem },
            (_, _, Some(token)) => Proof::Token(token.trim().to_owned()),
            _ => return Ok(None),
        };
        Ok(Some(Credentials { ca_pem, proof }))
    }

    /// Writes the credentials and replaces earlier ones.
    ///
    /// # Errors
    /// The folder belongs to another user, or cannot be written.
    pub fn save(&self, folder: &Path) -> Result<(), Error> {
        outhaul_files::private_folder(folder, is_file_of_identity)
            .map_err(|error| broken(folder, error))?;
        let replace = |name: &str, text: &str| {
            let path = folder.join(name);
            outhaul_files::write_private(&path, text.as_bytes())
                .map_err(|error| broken(&path, error))
        };
        replace(CA, &self.ca_pem)?;
        match &self.proof {
            Proof::Certificate { chain_pem, key_pem } => {
                replace(KEY, key_pem)?;
                replace(CERTIFICATE, chain_pem)
            }
            Proof::Token(token) => replace(TOKEN, token),
        }
    }

    /// Returns the path of the pool's certificate in a folder that contains saved credentials.
    pub fn ca_file(folder: &Path) -> std::path::PathBuf {
        folder.join(CA)
    }

    /// Returns the node's name, if these are a node's credentials.
    ///
    /// # Errors
    /// The certificate cannot be read.
    pub fn node_name(&self) -> Result<Option<String>, Error> {
        let Proof::Certificate { chain_pem, .. } = &self.proof else { return Ok(None) };
        let chain = certificates(chain_pem)?;
        let certificate = webpki::EndEntityCert::try_from(&chain[0])
            .map_err(|error| Error::Identity(format!("a certificate: {error}")))?;
        Ok(node_of(&certificate))
    }

    /// Returns the certificates and the key in the form that TLS needs, unless the proof is a
    /// token.
    ///
    /// # Errors
    /// The certificates or the key cannot be read.
    pub fn certificate(&self) -> Result<Option<Certified>, Error> {
        let Proof::Certificate { chain_pem, key_pem } = &self.proof else { return Ok(None) };
        let failed = |error: rustls::pki_types::pem::Error| {
            Error::Identity(format!("a certificate cannot be read: {error}"))
        };
        let chain = certificates(chain_pem)?;
        Ok(Some((chain, PrivateKeyDer::from_pem_slice(key_pem.as_bytes()).map_err(failed)?)))
    }
}

/// A chain of certificates, and the private key of the first one.
pub type Certified = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// Parses all certificates in a text.
///
/// # Errors
/// The text contains no certificate or an unreadable one.
pub fn certificates(pem: &str) -> Result<Vec<CertificateDer<'static>>, Error> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    let all =
        all.map_err(|error| Error::Identity(format!("a certificate cannot be read: {error}")))?;
    if all.is_empty() { Err(Error::Identity("a certificate is missing".into())) } else { Ok(all) }
}
