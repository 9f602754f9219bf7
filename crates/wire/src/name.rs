//! The one rule for the names that people and programs give: to users, groups, tenants, nodes,
//! leases, tokens and contexts. Names appear in tables, logs, URLs, headers and shells, so they
//! have few characters.

/// The most characters of a name.
pub const NAME_CHARACTERS_MAX: usize = 64;
/// The characters of names besides letters and digits of ASCII.
pub const PUNCTUATION: &str = ".-_@";

/// A text that is not a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{text}' cannot name a {what}; a name has 1 to {NAME_CHARACTERS_MAX} letters (A to Z, a to \
    z), digits and {PUNCTUATION}, and begins with a letter, a digit or _"
)]
pub struct NameError {
    /// The kind of thing that the text was to name.
    what: &'static str,
    /// The beginning of the text, without control characters.
    text: String,
}

/// Checks a name. `what` says what it names, for the error: `user`, for example.
///
/// # Errors
/// The text is empty, too long, or has another character. Or it begins with one that makes it an
/// option of a command, a hidden file, or the folder `..`.
pub fn check_name(what: &'static str, text: &str) -> Result<(), NameError> {
    let fits = (1..=NAME_CHARACTERS_MAX).contains(&text.len()) && text.chars().all(is_plain);
    if fits && text.starts_with(is_first) {
        return Ok(());
    }
    let shown = text.chars().take(NAME_CHARACTERS_MAX + 1).collect::<String>();
    Err(NameError { what, text: shown.escape_debug().to_string() })
}

/// Spells a text with the characters of names: each other character becomes `_` and its number in
/// Unicode, in hexadecimal digits. So different texts rarely get the same name, and none is lost.
/// The result may be too long.
pub fn spelled(text: &str) -> String {
    let mut name = String::new();
    for (position, c) in text.chars().enumerate() {
        if is_plain(c) && (position > 0 || is_first(c)) {
            name.push(c);
        } else {
            name.push_str(&format!("_{:x}", u32::from(c)));
        }
    }
    name
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || PUNCTUATION.contains(c)
}

fn is_first(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_few_characters_and_the_error_says_which() {
        let longest = "a".repeat(NAME_CHARACTERS_MAX);
        for name in ["a", "7", "_apt", "a.", "alice@example.org", "gpu-7.rack_2", longest.as_str()]
        {
            check_name("user", name).unwrap();
        }
        let too_long = longest.clone() + "a";
        let hostile = ["", "jürgen", "CORP\\alice", "a b", "a/b", "a\nb", "\u{202e}b", &too_long];
        for text in hostile.into_iter().chain([".", "..", ".ssh", "-x", "--help", "@a"]) {
            let error = check_name("user", text).unwrap_err().to_string();
            assert!(error.contains("cannot name a user") && error.contains("1 to 64"), "{error}");
            assert!(!error.contains(['\n', '\u{202e}']), "{error}");
        }
    }

    #[test]
    fn any_text_is_spelled_as_a_name_and_names_stay() {
        assert_eq!(spelled("alice@example.org"), "alice@example.org");
        assert_eq!(spelled("jürgen"), "j_fcrgen");
        assert_eq!(spelled("CORP\\alice"), "CORP_5calice");
        assert_ne!(spelled("jürgen"), spelled("jörgen"));
        assert_eq!((spelled("-x").as_str(), spelled("..").as_str()), ("_2dx", "_2e."));
        for text in ["Ж", "@", "-", "a b", "\u{0}", "🙂"] {
            check_name("user", &spelled(text)).unwrap();
        }
    }
}
