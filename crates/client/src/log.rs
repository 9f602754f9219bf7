//! The few words that the library may say. By default: why there is no GPU, and that a session was
//! lost. With OUTHAUL_LOG=1 more, and with OUTHAUL_LOG=2 each function that was looked up and is
//! not there.

use std::io::Write;
use std::sync::OnceLock;

pub fn verbose() -> bool {
    static VERBOSE: OnceLock<bool> = OnceLock::new();
    *VERBOSE.get_or_init(|| std::env::var_os("OUTHAUL_LOG").is_some_and(|v| v != "0"))
}

/// Runtimes look up every function that there is, so this is much.
pub fn names_all() -> bool {
    static ALL: OnceLock<bool> = OnceLock::new();
    *ALL.get_or_init(|| std::env::var_os("OUTHAUL_LOG").is_some_and(|v| v == "2"))
}

/// Something that the user must know to go on.
pub fn warn(message: &str) {
    // Nobody may be reading, which is no reason for a thread of the library to die.
    let _ = std::io::stderr().write_all(format!("outhaul: {message}\n").as_bytes());
}

/// Something that helps to find out why.
pub fn note(message: impl FnOnce() -> String) {
    if verbose() {
        warn(&message());
    }
}
