//! A checksum of text, for comparing files and messages.

/// Computes FNV-1a over all lines except comments. A change of comments only keeps client and node
/// compatible.
/// after a change of comments only.
pub fn fnv1a(text: &str) -> u64 {
    let lines = text.lines().map(str::trim).filter(|l| !l.starts_with("//"));
    lines.flat_map(|l| l.bytes().chain([b'\n'])).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
