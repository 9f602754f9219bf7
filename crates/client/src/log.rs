//! The few words that the library may say. By default: why there is no GPU, and that a session was
//! lost. With OUTHAUL_LOG=1 more, and with OUTHAUL_LOG=2 each function that was looked up and is
//! not there.

use std::io::Write;
use std::sync::OnceLock;

/// A pipe that nobody empties has room for so much, so the thread that says why a session ended
/// does not wait there.
const WARNING_CHARS_MAX: usize = 1_000;
/// Compilers' logs are long.
const NOTE_CHARS_MAX: usize = 16_000;

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
    write(message, WARNING_CHARS_MAX);
}

/// Something that helps to find out why.
pub fn note(message: impl FnOnce() -> String) {
    if verbose() {
        write(&message(), NOTE_CHARS_MAX);
    }
}

fn write(message: &str, chars_max: usize) {
    // If the program's stderr is closed, the library's thread continues.
    let _ = std::io::stderr().write_all(line(message, chars_max).as_bytes());
}

/// Returns the message as the library prints it. Parts of it may come from the node, so it is cut,
/// its control characters cannot reach a terminal, and each further line is indented.
fn line(message: &str, chars_max: usize) -> String {
    let mut text = String::from("outhaul: ");
    let mut chars = message.chars();
    for one in chars.by_ref().take(chars_max) {
        match one {
            '\n' => text.push_str("\n         "),
            '\t' => text.push(one),
            _ if one.is_control() => text.extend(one.escape_default()),
            _ => text.push(one),
        }
    }
    text.push_str(if chars.next().is_some() { "...\n" } else { "\n" });
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nodes_words_neither_reach_the_terminal_nor_pass_for_other_lines() {
        assert_eq!(
            line("lost (\u{1b}[2Jgone\nouthaul: run this)", 100),
            "outhaul: lost (\\u{1b}[2Jgone\n         outhaul: run this)\n"
        );
        assert_eq!(line("abcdef", 3), "outhaul: abc...\n");
        assert_eq!(line("abc", 3), "outhaul: abc\n");
    }
}
