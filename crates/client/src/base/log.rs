//! The library's log. By default it prints why no GPU is available, that a session was lost, and
//! other problems that the user must know. With OUTHAUL_LOG=1 it also prints notes. With
//! OUTHAUL_LOG=2 it also prints each function that the program looks up in vain.

use std::io::Write;
use std::sync::OnceLock;

/// Maximum number of characters of a warning. A warning of this length fits a pipe that no process
/// reads. So the thread that reports the end of a session does not block.
const WARNING_CHARS_MAX: usize = 1_000;
/// Maximum number of characters of a note. Compiler logs are long.
const NOTE_CHARS_MAX: usize = 16_000;

/// Returns whether notes are printed.
pub fn verbose() -> bool {
    static VERBOSE: OnceLock<bool> = OnceLock::new();
    *VERBOSE.get_or_init(|| std::env::var_os("OUTHAUL_LOG").is_some_and(|v| v != "0"))
}

/// Returns whether lookups of missing functions are printed. They are many, because runtimes look
/// up every function.
pub fn names_all() -> bool {
    static ALL: OnceLock<bool> = OnceLock::new();
    *ALL.get_or_init(|| std::env::var_os("OUTHAUL_LOG").is_some_and(|v| v == "2"))
}

/// Prints a problem that the user must know.
pub fn warn(message: &str) {
    write(message, WARNING_CHARS_MAX);
}

/// Prints a note that helps to find a cause, if the user asked for notes.
pub fn note(message: impl FnOnce() -> String) {
    if verbose() {
        write(&message(), NOTE_CHARS_MAX);
    }
}

fn write(message: &str, chars_max: usize) {
    // The write may fail because the program closed its stderr; the library continues without the
    // message.
    let _ = std::io::stderr().write_all(line(message, chars_max).as_bytes());
}

/// Formats a message for stderr. Text from a node may be hostile, so the function truncates it,
/// escapes control characters, and indents continuation lines.
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
