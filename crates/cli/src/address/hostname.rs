//! Names of machines.

/// Returns this machine's name, or `node` if the machine has none.
pub fn hostname() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "node".to_owned() } else { name.trim().to_owned() }
}

/// Returns whether a machine's name or address may have this character, besides the colons and
/// brackets of an IPv6 address.
pub fn is_of_host(c: char) -> bool {
    c.is_ascii_alphanumeric() || ".-_%".contains(c)
}
