//! Lines on stderr about the progress of a command.

use std::fmt::Display;
use std::io::Write;

/// Prints a line. The command continues even if nobody reads stderr any more.
pub fn say(words: impl Display) {
    let _ = std::io::stderr().write_all(format!("outhaul: {words}\n").as_bytes());
}
