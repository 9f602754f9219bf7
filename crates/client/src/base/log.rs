//! The messages of the library. By default it prints why there is no GPU, that a session was lost,
//! and other problems that the user must know. With OUTHAUL_LOG=1 it also prints notes, and with
//! OUTHAUL_LOG=2 each function that the program looked up and that does not exist.

use std::io::Write;
use std::sync::OnceLock;

/// Most characters of a warning. So much fits a pipe from which no process reads, so the thread
/// that says why a session ended does not block.
const WARNING_CHARS_MAX: usize = 1_000;
/// Most characters of a note. Compilers' logs are long.
const NOTE_CHARS_MAX: usize = 16_000;

/// Whether notes are printed.
pub fn verbose() -> bool {
    static VERBOSE: OnceLock<bool> = OnceLock::new();
    *VERBOSE.get_or_init(|| std::env::var_os("OUTHAUL_LOG").is_some_and(|v| v != "0"))
}

/// Whether missing functions are printed. Runtimes look up every function, so these are many.
pub fn names_all() -> bool {
    static ALL: OnceLock<bool> = OnceLock::new();
    *ALL.get_or_init(|| std::env::var_os("OUTHAUL_LOG").is_some_and(|v| v == "2"))
}

/// Prints what the user must know to continue.
pub fn warn(message: &str) {
    write(message, WARNING_CHARS_MAX);
}

/// Prints what helps to find a cause, if the user wants notes.
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
    fn text_of_a_node_cannot_control_the_terminal_or_forge_lines() {
        assert_eq!(
            line("lost (\u{1b}[2Jgone\nouthaul: run this)", 100),
            "outhaul: lost (\\u{1b}[2Jgone\n         outhaul: run this)\n"
        );
        assert_eq!(line("abcdef", 3), "outhaul: abc...\n");
        assert_eq!(line("abc", 3), "outhaul: abc\n");
    }
}
