//! What a node or a user holds of a pool: the pool's own certificate, by which it is known again,
//! and a proof of who they are. It lies in a folder.

use super::authority::{node_of, write_secret};
use crate::error::Error;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::fs;
use std::path::Path;

const CA: &str = "ca.pem";
const CERTIFICATE: &str = "certificate.pem";
const KEY: &str = "key.pem";
const TOKEN: &str = "token";

/// Of one node or user in one pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passport {
    /// The pool's own certificate.
    pub ca_pem: String,
    /// Who they are.
    pub proof: Proof,
}

/// Who somebody is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// A node, or the pool.
    Certificate {
        /// For its key.
        chain_pem: String,
        /// Its key.
        key_pem: String,
    },
    /// A user.
    Token(String),
}

fn broken(path: &Path, reason: impl std::fmt::Display) -> Error {
    Error::Identity(format!("{}: {reason}", path.display()))
}

impl Passport {
    /// The one in a folder, if there is one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn load(folder: &Path) -> Result<Option<Passport>, Error> {
        let read = |name: &str| match fs::read_to_string(folder.join(name)) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(broken(&folder.join(name), error)),
        };
        let Some(ca_pem) = read(CA)? else { return Ok(None) };
        let proof = match (read(CERTIFICATE)?, read(KEY)?, read(TOKEN)?) {
            (Some(chain_pem), Some(key_pem), _) => Proof::Certificate { chain_pem, key_pem },
            (_, _, Some(token)) => Proof::Token(token.trim().to_owned()),
            _ => return Ok(None),
        };
        Ok(Some(Passport { ca_pem, proof }))
    }

    /// Writes it, in the place of what was there.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn save(&self, folder: &Path) -> Result<(), Error> {
        fs::create_dir_all(folder).map_err(|error| broken(folder, error))?;
        let replace = |name: &str, text: &str| {
            let (path, fresh) = (folder.join(name), folder.join(format!("{name}.new")));
            let _ = fs::remove_file(&fresh);
            write_secret(&fresh, text.as_bytes())?;
            fs::rename(&fresh, &path).map_err(|error| broken(&path, error))
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

    /// The file with the pool's certificate, in a folder that a passport was saved in.
    pub fn ca_file(folder: &Path) -> std::path::PathBuf {
        folder.join(CA)
    }

    /// The node that it is of, if it is a node's.
    ///
    /// # Errors
    /// When its certificate cannot be read.
    pub fn node_name(&self) -> Result<Option<String>, Error> {
        let Proof::Certificate { chain_pem, .. } = &self.proof else { return Ok(None) };
        let chain = certificates(chain_pem)?;
        let certificate = webpki::EndEntityCert::try_from(&chain[0])
            .map_err(|error| Error::Identity(format!("a certificate: {error}")))?;
        Ok(node_of(&certificate))
    }

    /// Certificates and key as TLS wants them.
    ///
    /// # Errors
    /// When they are none.
    pub fn certificate(&self) -> Result<Option<Certified>, Error> {
        let Proof::Certificate { chain_pem, key_pem } = &self.proof else { return Ok(None) };
        let failed = |error: rustls::pki_types::pem::Error| {
            Error::Identity(format!("a certificate cannot be read: {error}"))
        };
        let chain = certificates(chain_pem)?;
        Ok(Some((chain, PrivateKeyDer::from_pem_slice(key_pem.as_bytes()).map_err(failed)?)))
    }
}

/// Certificates and the key that the first of them is for.
pub type Certified = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// The certificates in a text.
///
/// # Errors
/// When it holds none.
pub fn certificates(pem: &str) -> Result<Vec<CertificateDer<'static>>, Error> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    let all =
        all.map_err(|error| Error::Identity(format!("a certificate cannot be read: {error}")))?;
    if all.is_empty() {
        Err(Error::Identity("there is no certificate where one should be".into()))
    } else {
        Ok(all)
    }
}
