//! Random names and keys.

/// Returns 16 random bytes, for a unique name of a session or a key that cannot be guessed.
pub fn random() -> [u8; 16] {
    let mut name = [0; 16];
    // SAFETY: the buffer is a local of the length that is passed.
    let filled = unsafe { libc::getrandom(name.as_mut_ptr().cast(), name.len(), 0) };
    if filled != name.len() as isize {
        let now =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        name[..8].copy_from_slice(&(now.as_nanos() as u64).to_le_bytes());
        name[8..12].copy_from_slice(&std::process::id().to_le_bytes());
    }
    name
}
