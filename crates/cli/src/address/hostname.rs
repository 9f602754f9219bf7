//! The name of this machine.

/// Returns this machine's name, or `node` if the machine has none.
pub fn hostname() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "node".to_owned() } else { name.trim().to_owned() }
}
