//! The log of a listener and of a pool. It writes a line for each event to stderr, as text for
//! people or as JSON for log collectors. A single write outputs each line, so that it does not mix
//! with workers' lines, which have the same format.

use std::io::Write;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// Name of the variable with the format of the log: `text` or `json`.
pub const FORMAT_VARIABLE: &str = "OUTHAUL_LOG_FORMAT";

/// Logs an event.
pub fn log_event(message: &str) {
    static IS_JSON: OnceLock<bool> = OnceLock::new();
    let is_json = *IS_JSON
        .get_or_init(|| std::env::var_os(FORMAT_VARIABLE).is_some_and(|format| format == "json"));
    let line =
        if is_json { as_json(SystemTime::now(), message) } else { format!("outhaul: {message}\n") };
    // If stderr is closed, the event is lost.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

fn as_json(at: SystemTime, message: &str) -> String {
    let at_ms = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    let line = serde_json::json!({ "time": rfc3339(at_ms), "program": "outhaul",
        "process": std::process::id(), "message": message });
    line.to_string() + "\n"
}

/// Formats a time in milliseconds since 1970 as date and time of day in UTC.
fn rfc3339(at_ms: u64) -> String {
    let (days, of_day_ms) = (at_ms / 86_400_000, at_ms % 86_400_000);
    // Years begin in March here, so that a leap day is the last day of its year.
    let (era, of_era) = ((days + 719_468) / 146_097, (days + 719_468) % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second, ms) =
        (of_day_ms / 3_600_000, of_day_ms / 60_000 % 60, of_day_ms / 1000 % 60, of_day_ms % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn each_line_is_one_json_object() {
        let line =
            as_json(UNIX_EPOCH + Duration::from_millis(1_709_210_096_007), "a \"quoted\"\nline");
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(
            (value["time"].as_str(), value["message"].as_str()),
            (Some("2024-02-29T12:34:56.007Z"), Some("a \"quoted\"\nline"))
        );
        assert_eq!(line.lines().count(), 1);
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (at_ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(rfc3339(at_ms), text);
        }
    }
}
