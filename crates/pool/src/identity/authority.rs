//! The authority of a pool: one key certifies nodes and the pool itself, another signs tokens. Only
//! the pool's machines have the folder with both keys.

use super::credentials::{Credentials, Proof};
use super::token::{self, Claims, Grant, User};
use crate::error::Error;
use crate::identity::node_name::{NODE_DOMAIN, check_node_name, node_host};
use crate::identity::secret::{broken, is_file_of_identity, random_digits, read_secret};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, PKCS_ECDSA_P256_SHA256, PublicKeyData, SignatureAlgorithm,
};
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use std::fs::File;
use std::path::{Path, PathBuf};
use time::OffsetDateTime;

const CA: &str = "ca.pem";
const CA_KEY: &str = "ca-key.pem";
const TOKEN_KEY: &str = "token-key.der";
const CA_YEARS: u64 = 20;
/// How long a node's certificate is valid, in days.
pub const NODE_DAYS: u64 = 365;
const DAY_S: u64 = 86_400;
/// How far before its creation a certificate becomes valid, in seconds, because clocks differ.
const BACKDATED_S: u64 = 3600;
const ID_DIGITS: usize = 16;
/// The length of an uncompressed point on P-256.
const KEY_BYTES: usize = 65;

/// The authority of a pool.
pub struct Authority {
    /// The pool's own certificate.
    pub ca_pem: String,
    issuer: Issuer<'static, KeyPair>,
    tokens: Ed25519KeyPair,
}

/// A public key that a request contains.
struct Sent(Vec<u8>);

impl PublicKeyData for Sent {
    fn der_bytes(&self) -> &[u8] {
        &self.0
    }

    fn algorithm(&self) -> &'static SignatureAlgorithm {
        &PKCS_ECDSA_P256_SHA256
    }
}

/// Returns the fingerprint of a pool's certificate. Tokens name their pool by this fingerprint.
pub fn fingerprint(ca_pem: &str) -> String {
    blake3::hash(ca_pem.as_bytes()).to_hex().to_string()
}

impl Authority {
    /// Creates an authority in a folder that has none.
    ///
    /// # Errors
    /// The folder has an authority already or cannot be written.
    pub fn create(folder: &Path, now_s: u64) -> Result<Authority, Error> {
        outhaul_files::private_folder(folder, is_file_of_identity)
            .map_err(|error| broken(folder, error))?;
        // Of two processes, the second waits here, and then finds the identity of the first.
        let lock = File::open(folder).map_err(|error| broken(folder, error))?;
        lock.lock().map_err(|error| broken(folder, error))?;
        if folder.join(CA).exists() {
            return Err(Error::Identity(format!(
                "{} holds a pool's identity already; nothing was changed",
                folder.display()
            )));
        }
        let key = KeyPair::generate().map_err(|error| broken(folder, error))?;
        let params = own(&key, now_s)?;
        let ca = params.self_signed(&key).map_err(|error| broken(folder, error))?;
        let tokens = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new())
            .map_err(|error| broken(folder, error))?;
        let write = |name: &str, content: &[u8]| {
            let path = folder.join(name);
            outhaul_files::write_private(&path, content).map_err(|error| broken(&path, error))
        };
        write(CA_KEY, key.serialize_pem().as_bytes())?;
        write(TOKEN_KEY, tokens.as_ref())?;
        // The certificate is written last, so that a folder that contains it is complete. Keys
        // without it are of a process that was ended here, and nothing knows them.
        write(CA, ca.pem().as_bytes())?;
        Authority::open(folder)
    }

    /// Opens the authority in a folder.
    ///
    /// # Errors
    /// A file of the authority is missing or invalid, or others can exchange it.
    pub fn open(folder: &Path) -> Result<Authority, Error> {
        outhaul_files::check_state_folder(folder).map_err(|error| broken(folder, error))?;
        let read = |name: &str| {
            let path = folder.join(name);
            let bytes = read_secret(&path)?.ok_or_else(|| broken(&path, "it is missing"))?;
            Ok::<_, Error>((path, bytes))
        };
        let (path, ca) = read(CA)?;
        let ca_pem = String::from_utf8(ca).map_err(|error| broken(&path, error))?;
        let (path, key) = read(CA_KEY)?;
        let key = KeyPair::from_pem(&String::from_utf8_lossy(&key))
            .map_err(|error| broken(&path, error))?;
        let (path, tokens) = read(TOKEN_KEY)?;
        let tokens = Ed25519KeyPair::from_pkcs8(&tokens).map_err(|error| broken(&path, error))?;
        let issuer = Issuer::new(own(&key, 0)?, key);
        Ok(Authority { ca_pem, issuer, tokens })
    }

    /// Returns whether `folder` contains an authority.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(CA).exists()
    }

    /// Certifies the node `name`, whose public key is given in hexadecimal digits.
    ///
    /// # Errors
    /// The name or the key is invalid.
    pub fn certify_node(&self, name: &str, public_key: &str, now_s: u64) -> Result<String, Error> {
        let wrong = || {
            Error::Asked(
                "this is not a public key; send an uncompressed point on P-256, in hexadecimal \
                digits"
                    .into(),
            )
        };
        let digits = public_key.as_bytes();
        if digits.len() != 2 * KEY_BYTES || !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(wrong());
        }
        let byte = |at: usize| u8::from_str_radix(&public_key[at..at + 2], 16).unwrap_or(0);
        let key: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect();
        if key[0] != 4 {
            return Err(wrong());
        }
        check_node_name(name)?;
        let usages = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        self.certify(vec![node_host(name)], usages, &Sent(key), now_s)
    }

    /// Makes a key and a certificate for the node `name`.
    ///
    /// # Errors
    /// The name is invalid.
    pub fn node_credentials(&self, name: &str, now_s: u64) -> Result<Credentials, Error> {
        let key = KeyPair::generate().map_err(|error| Error::Identity(error.to_string()))?;
        let digits: String = key.der_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let chain_pem = self.certify_node(name, &digits, now_s)?;
        Ok(Credentials {
            ca_pem: self.ca_pem.clone(),
            proof: Proof::Certificate { chain_pem, key_pem: key.serialize_pem() },
        })
    }

    /// Makes a key and a certificate for the pool's own listener at the host names and addresses
    /// `names`.
    ///
    /// # Errors
    /// A name is invalid.
    pub fn certify_pool(&self, names: Vec<String>, now_s: u64) -> Result<Credentials, Error> {
        if let Some(name) =
            names.iter().find(|name| name.to_ascii_lowercase().ends_with(NODE_DOMAIN))
        {
            return Err(Error::Identity(format!("'{name}' is a node's name; choose another")));
        }
        let key = KeyPair::generate().map_err(|error| Error::Identity(error.to_string()))?;
        let chain_pem =
            self.certify(names, vec![ExtendedKeyUsagePurpose::ServerAuth], &key, now_s)?;
        Ok(Credentials {
            ca_pem: self.ca_pem.clone(),
            proof: Proof::Certificate { chain_pem, key_pem: key.serialize_pem() },
        })
    }

    fn certify(
        &self,
        names: Vec<String>,
        usages: Vec<ExtendedKeyUsagePurpose>,
        key: &impl PublicKeyData,
        now_s: u64,
    ) -> Result<String, Error> {
        let failed = |error: rcgen::Error| {
            Error::Identity(format!("cannot make a certificate for {}: {error}", names.join(", ")))
        };
        let mut params = CertificateParams::new(names.clone()).map_err(failed)?;
        params.distinguished_name = named(&names[0]);
        params.not_before = moment(now_s.saturating_sub(BACKDATED_S));
        params.not_after = moment(now_s + NODE_DAYS * DAY_S);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = usages;
        params.use_authority_key_identifier_extension = true;
        Ok(params.signed_by(key, &self.issuer).map_err(failed)?.pem())
    }

    /// Issues a token that is valid for `life_s` seconds.
    ///
    /// # Errors
    /// The operating system provides no random numbers.
    pub fn issue(&self, grant: Grant, now_s: u64, life_s: u64) -> Result<String, Error> {
        let id = random_digits(ID_DIGITS).map_err(|error| Error::Identity(error.to_string()))?;
        let expires_s = now_s.saturating_add(life_s);
        Ok(token::sign(
            &self.tokens,
            &Claims { id, pool: fingerprint(&self.ca_pem), issued_s: now_s, expires_s, grant },
        ))
    }

    /// Issues a user's token. The token is valid for the user's token lifetime, but at most until
    /// the user's tokens may no longer be renewed.
    ///
    /// # Errors
    /// The user's tokens may no longer be renewed.
    pub fn issue_to(&self, user: &User, now_s: u64) -> Result<String, Error> {
        let left_s = user.until_s.saturating_sub(now_s);
        if left_s == 0 {
            return Err(Error::Unknown(format!(
                "the time of user {} is over; ask for another join token",
                user.name
            )));
        }
        self.issue(Grant::User(user.clone()), now_s, user.life_s.min(left_s))
    }

    /// Returns the claims of a token, if this pool made it and it is valid now.
    ///
    /// # Errors
    /// `Unknown`, with the reason.
    pub fn read(&self, text: &str, now_s: u64) -> Result<Claims, Error> {
        token::read(self.tokens.public_key().as_ref(), text, now_s)
    }
}

/// Returns the parameters of the authority's own certificate, derived from `key`.
fn own(key: &KeyPair, now_s: u64) -> Result<CertificateParams, Error> {
    let mut params = CertificateParams::new(Vec::<String>::new())
        .map_err(|error| Error::Identity(error.to_string()))?;
    let digits = blake3::hash(key.der_bytes()).to_hex();
    params.distinguished_name = named(&format!("Outhaul pool {}", &digits[..ID_DIGITS]));
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.not_before = moment(now_s.saturating_sub(BACKDATED_S));
    params.not_after = moment(now_s + CA_YEARS * NODE_DAYS * DAY_S);
    Ok(params)
}

fn named(name: &str) -> DistinguishedName {
    let mut distinguished = DistinguishedName::new();
    distinguished.push(DnType::CommonName, name);
    distinguished
}

fn moment(at_s: u64) -> OffsetDateTime {
    i64::try_from(at_s)
        .ok()
        .and_then(|at_s| OffsetDateTime::from_unix_timestamp(at_s).ok())
        .unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

/// Returns the folder of a pool's identity, which is in the same folder as the pool's store.
pub fn folder_beside(store: &Path) -> PathBuf {
    store.with_file_name("identity")
}
