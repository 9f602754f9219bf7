//! Parses quantities in options (bytes, percentages, durations), and counts things in words.

pub use outhaul_bench::byte_sizes::bytes;
use outhaul_pool::model::lease::Amount;
use std::fmt::Display;

/// Returns a number of things: "1 GPU", "2 GPUs", "0.5 GPUs".
pub fn counted(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    let ending = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// Parses bytes with a unit, or a percentage.
pub fn amount(text: &str) -> Result<Amount, String> {
    match percent(text) {
        Ok(percent) => Ok(Amount::Percent(percent)),
        Err(_) => bytes(text).map(Amount::Bytes),
    }
}

/// Parses a percentage.
pub fn percent(text: &str) -> Result<u32, String> {
    let number = text.strip_suffix('%').and_then(|number| number.trim().parse().ok());
    number
        .filter(|percent| (1..=100).contains(percent))
        .ok_or_else(|| format!("'{text}' is not a percentage; write 1% to 100%"))
}

/// Parses a duration.
pub fn seconds(text: &str) -> Result<u64, String> {
    let wrong = || format!("'{text}' is not a duration; write 90s, 10m, 2h or 1d");
    let (number, unit) =
        text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let unit = match unit {
        "s" | "" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return Err(wrong()),
    };
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(unit))
        .filter(|seconds| *seconds > 0)
        .ok_or_else(wrong)
}

/// Parses a duration that may be zero.
pub fn seconds_or_none(text: &str) -> Result<u64, String> {
    if matches!(text, "0" | "0s") { Ok(0) } else { seconds(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_has_no_ending() {
        let words =
            [counted(0, "GPU"), counted(1, "GPU"), counted(1.0, "GPU"), counted(0.5, "GPU")];
        assert_eq!(words, ["0 GPUs", "1 GPU", "1 GPU", "0.5 GPUs"]);
    }

    #[test]
    fn no_time_at_all_is_a_duration_only_where_it_has_a_meaning() {
        assert!(seconds("0s").is_err());
        assert_eq!(
            (seconds_or_none("0s"), seconds_or_none("0"), seconds_or_none("2m")),
            (Ok(0), Ok(0), Ok(120))
        );
        assert!(seconds_or_none("0x").is_err());
    }

    #[test]
    fn amounts_and_durations_are_read_and_nonsense_is_named() {
        assert_eq!(
            (amount("25%"), amount("10GiB"), amount("1.5g")),
            (Ok(Amount::Percent(25)), Ok(Amount::Bytes(10 << 30)), Ok(Amount::Bytes(3 << 29)))
        );
        assert_eq!((seconds("90"), seconds("10m"), seconds("1d")), (Ok(90), Ok(600), Ok(86_400)));
        for nonsense in ["", "0%", "101%", "10XB", "-1GiB", "GiB"] {
            assert!(amount(nonsense).is_err(), "{nonsense}");
        }
        for nonsense in ["", "0", "m", "10y", "99999999999999999999s"] {
            assert!(seconds(nonsense).is_err(), "{nonsense}");
        }
    }
}
