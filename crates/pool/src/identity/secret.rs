//! Secrets: random digits, hashes of keys, and files that only their owner can read.

use crate::error::Error;
use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

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

/// Writes a new file that only its owner can read; never overwrites a file.
pub(super) fn write_secret(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .map_err(|error| Error::Identity(format!("{}: {error}", path.display())))
}
