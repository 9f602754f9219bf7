//! A sum over text, by which files and messages are compared.

/// Computes FNV-1a over lines that are not comments, so that client and node still fit together
/// after a change of comments only.
pub fn fnv1a(text: &str) -> u64 {
    let lines = text.lines().map(str::trim).filter(|l| !l.starts_with("//"));
    lines.flat_map(|l| l.bytes().chain([b'\n'])).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
