//! Secrets: random digits, hashes of keys, and files that only their owner can read.

use crate::error::Error;
use std::path::Path;

/// Maximum number of bytes of a key, a token or a chain of certificates.
const SECRET_BYTES_MAX: u64 = 1 << 20;

/// The files of a pool's identity, and of the credentials of a node or a user.
const FILES: [&str; 7] =
    ["ca.pem", "ca-key.pem", "token-key.der", "certificate.pem", "key.pem", "token", "addresses"];

/// Returns whether a file of this name in a folder of an identity or of credentials is Outhaul's.
pub fn is_file_of_identity(name: &str) -> bool {
    FILES.contains(&name) || outhaul_files::is_partial(name)
}

/// Returns the hash of a lease's key.
pub fn key_hash(key: &str) -> String {
    blake3::hash(key.as_bytes()).to_hex().to_string()
}

/// Returns `digits` random hexadecimal digits.
///
/// # Errors
/// The operating system provides no random numbers.
pub fn random_digits(digits: usize) -> Result<String, std::io::Error> {
    let mut bytes = vec![0u8; digits.div_ceil(2)];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()[..digits].to_owned())
}

/// Reads a file of an identity's folder. Others must not be able to exchange it.
pub(super) fn read_secret(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match outhaul_files::read(path, SECRET_BYTES_MAX) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(broken(path, error)),
    }
}

/// Returns the error about a file or folder of an identity.
pub(super) fn broken(path: &Path, reason: impl std::fmt::Display) -> Error {
    Error::Identity(format!("{}: {reason}", path.display()))
}
