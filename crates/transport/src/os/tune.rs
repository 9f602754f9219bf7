//! `OUTHAUL_TUNE`: settings for experiments and for unusual machines, as `KEY=VALUE,KEY=VALUE`. A
//! program that needs none of them runs as it should.

/// Name of the variable.
pub const VARIABLE: &str = "OUTHAUL_TUNE";
/// The keys that some part of Outhaul reads. `docs/commands.md` explains them.
const KEYS: [&str; 11] = [
    "arena-base",
    "compression",
    "copied-bytes",
    "digests",
    "idle-scans",
    "lanes-from-bytes",
    "managed",
    "piece-bytes",
    "relay",
    "spin",
    "stats",
];

/// Returns the value of a key. If the variable has it twice, the last one counts.
pub fn value(key: &str) -> Option<String> {
    debug_assert!(KEYS.contains(&key), "{key} is not in KEYS");
    value_in(&std::env::var(VARIABLE).ok()?, key).map(str::to_owned)
}

/// Whether a key has a value other than 0.
pub fn is_on(key: &str) -> bool {
    value(key).is_some_and(|value| value != "0")
}

/// Returns the variable's value with one more setting, for a program that is to be started.
pub fn with(key: &str, value: &str) -> String {
    let before = std::env::var(VARIABLE).unwrap_or_default();
    let separator = if before.is_empty() { "" } else { "," };
    format!("{before}{separator}{key}={value}")
}

/// Fails if the variable has an entry that no part of Outhaul reads.
pub fn check() -> Result<(), String> {
    let text = std::env::var(VARIABLE).unwrap_or_default();
    match entries(&text).find(|(key, value)| value.is_none() || !KEYS.contains(key)) {
        None => Ok(()),
        Some((key, _)) => Err(format!(
            "{VARIABLE} has '{key}', which is not a KEY=VALUE that is known; the keys are {}",
            KEYS.join(", ")
        )),
    }
}

fn value_in<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    entries(text).filter(|(name, _)| *name == key).last()?.1
}

fn entries(text: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| match part.split_once('=') {
        Some((key, value)) => (key, Some(value)),
        None => (part, None),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_key_counts() {
        let text = "spin=0, relay=1,,spin=1,odd";
        assert_eq!(value_in(text, "spin"), Some("1"));
        assert_eq!((value_in(text, "odd"), value_in(text, "stats")), (None, None));
        assert_eq!(entries(text).count(), 4);
    }
}
