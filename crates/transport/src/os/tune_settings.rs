//! `OUTHAUL_TUNE`: settings for experiments and for unusual machines, as `KEY=VALUE,KEY=VALUE`.
//! Programs run correctly without any setting.

use std::env::VarError;

/// Name of the variable.
pub const VARIABLE: &str = "OUTHAUL_TUNE";

/// The values that a key takes.
#[derive(Clone, Copy)]
enum Values {
    /// 0 or 1.
    Flag,
    /// One of these words.
    Words(&'static [&'static str]),
    /// A number that is not negative.
    Number,
    /// A text that the code that reads it checks.
    Text,
}

/// The keys that Outhaul reads. `docs/commands.md` explains them.
const KEYS: [(&str, Values); 11] = [
    ("arena-base", Values::Text),
    ("compression", Values::Words(&["auto", "off"])),
    ("copied-bytes", Values::Number),
    ("digests", Values::Words(&["device", "here"])),
    ("idle-scans", Values::Number),
    ("lanes-from-bytes", Values::Number),
    ("managed", Values::Words(&["faults", "writes", "nothing"])),
    ("piece-bytes", Values::Number),
    ("relay", Values::Flag),
    ("spin", Values::Flag),
    ("stats", Values::Flag),
];
/// Variables of earlier builds, and the keys that replace them.
const REPLACED: [(&str, &str); 11] = [
    ("OUTHAUL_ARENA_BASE", "arena-base"),
    ("OUTHAUL_COMPRESSION", "compression"),
    ("OUTHAUL_COPIED_BYTES", "copied-bytes"),
    ("OUTHAUL_DIGESTS", "digests"),
    ("OUTHAUL_IDLE_LOOKS", "idle-scans"),
    ("OUTHAUL_LANES_FROM_BYTES", "lanes-from-bytes"),
    ("OUTHAUL_LOOK", "spin"),
    ("OUTHAUL_MANAGED", "managed"),
    ("OUTHAUL_PIECE_BYTES", "piece-bytes"),
    ("OUTHAUL_RELAY", "relay"),
    ("OUTHAUL_STATS", "stats"),
];

/// Returns the value of `key`. If the variable contains `key` several times, the last value counts.
pub fn value(key: &str) -> Option<String> {
    debug_assert!(KEYS.iter().any(|(known, _)| *known == key), "{key} is not in KEYS");
    value_in(&std::env::var(VARIABLE).ok()?, key).map(str::to_owned)
}

/// Returns whether `key` has a value other than 0.
pub fn is_on(key: &str) -> bool {
    value(key).is_some_and(|value| value != "0")
}

/// Returns the variable's value with one more setting, for a program to start.
pub fn with(key: &str, value: &str) -> String {
    let before = std::env::var(VARIABLE).unwrap_or_default();
    let separator = if before.is_empty() { "" } else { "," };
    format!("{before}{separator}{key}={value}")
}

/// Fails if the variable has a key that no part of Outhaul reads, or a value that its key does not
/// take. Also fails if a variable is set that a setting has replaced.
pub fn check() -> Result<(), String> {
    for (old, key) in REPLACED {
        if let Some(value) = std::env::var_os(old) {
            return Err(format!(
                "{old} is not read any more: unset it, and set {VARIABLE}={key}={} if you need it",
                value.display()
            ));
        }
    }
    match std::env::var(VARIABLE) {
        Ok(text) => entries(&text).try_for_each(check_entry),
        Err(VarError::NotPresent) => Ok(()),
        Err(error @ VarError::NotUnicode(_)) => Err(format!("{VARIABLE}: {error}")),
    }
}

fn check_entry((key, value): (&str, Option<&str>)) -> Result<(), String> {
    let known = KEYS.iter().find(|(known, _)| *known == key);
    let (Some((_, values)), Some(value)) = (known, value) else {
        let keys = KEYS.map(|(key, _)| key).join(", ");
        return Err(format!(
            "{VARIABLE} has '{key}', which is not a KEY=VALUE that is known; the keys are {keys}"
        ));
    };
    let expected = match values {
        Values::Flag if !["0", "1"].contains(&value) => "0 or 1".to_owned(),
        Values::Words(words) if !words.contains(&value) => words.join(" or "),
        Values::Number if value.parse::<u64>().is_err() => "a number".to_owned(),
        _ => return Ok(()),
    };
    Err(format!("{VARIABLE}: {key} is '{value}', which is not {expected}"))
}

fn value_in<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    entries(text).filter(|(name, _)| *name == key).last()?.1
}

fn entries(text: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| match part.split_once('=') {
        Some((key, value)) => (key.trim(), Some(value.trim())),
        None => (part, None),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_key_counts() {
        let text = "spin=0, relay=1,,spin = 1,odd";
        assert_eq!(value_in(text, "spin"), Some("1"));
        assert_eq!((value_in(text, "odd"), value_in(text, "stats")), (None, None));
        assert_eq!(entries(text).count(), 4);
    }

    #[test]
    fn keys_and_values_that_nothing_reads_are_refused() {
        for good in ["spin=0", "managed=nothing", "piece-bytes=65536", "arena-base=0x1"] {
            assert_eq!(entries(good).try_for_each(check_entry), Ok(()), "{good}");
        }
        for bad in ["spin=yes", "managed=nuthing", "piece-bytes=1K", "spin", "spinn=1", "=1"] {
            assert!(entries(bad).try_for_each(check_entry).is_err(), "{bad}");
        }
    }
}
