//! Times of day of this machine, for people.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the current time, in milliseconds since 1970.
pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

fn local(at_ms: u64) -> libc::tm {
    // SAFETY: `seconds` and `time` are locals, valid for reads and for writes.
    unsafe {
        let (seconds, mut time) = ((at_ms / 1000) as libc::time_t, std::mem::zeroed::<libc::tm>());
        libc::localtime_r(&raw const seconds, &raw mut time);
        time
    }
}

fn date(time: &libc::tm) -> String {
    format!("{}-{:02}-{:02}", time.tm_year + 1900, time.tm_mon + 1, time.tm_mday)
}

/// Formats a local time, in milliseconds since 1970: today's without the date, another with it.
pub fn time_of_day(at_ms: u64) -> String {
    let (time, today) = (local(at_ms), local(now_ms()));
    let clock = format!("{:02}:{:02}", time.tm_hour, time.tm_min);
    let is_today = (time.tm_year, time.tm_yday) == (today.tm_year, today.tm_yday);
    if is_today { clock } else { format!("{} {clock}", date(&time)) }
}

/// Formats a local date and time with seconds, from milliseconds since 1970.
pub fn date_and_time(at_ms: u64) -> String {
    let time = local(at_ms);
    format!("{} {:02}:{:02}:{:02}", date(&time), time.tm_hour, time.tm_min, time.tm_sec)
}

/// Parses a local date, a date and a time, a time of today, or a duration before now. Returns
/// milliseconds since 1970.
pub fn since(text: &str) -> Result<u64, String> {
    if let Ok(seconds) = crate::quantity::seconds(text) {
        return Ok(now_ms().saturating_sub(seconds.saturating_mul(1000)));
    }
    let wrong = || {
        format!(
            "'{text}' is not a time; write a duration before now (90s, 10m, 2h, 1d), a time \
            (14:05), a date (2026-11-28), or both ('2026-11-28 14:05')"
        )
    };
    let words: Vec<&str> = text.split(' ').collect();
    let (day, clock) = match words[..] {
        [day, clock] => (Some(day), Some(clock)),
        [word] if word.contains(':') => (None, Some(word)),
        [word] => (Some(word), None),
        _ => return Err(wrong()),
    };
    let numbers = |text: &str, by: char, most: &[i32]| -> Option<Vec<i32>> {
        let numbers: Vec<i32> = text
            .split(by)
            .map(|number| number.parse().ok().filter(|number| *number >= 0))
            .collect::<Option<_>>()?;
        let is_valid = numbers.len() == most.len() && numbers.iter().zip(most).all(|(n, m)| n <= m);
        is_valid.then_some(numbers)
    };
    let mut time = local(now_ms());
    (time.tm_hour, time.tm_min, time.tm_sec, time.tm_isdst) = (0, 0, 0, -1);
    if let Some(day) = day {
        let parts = numbers(day, '-', &[9999, 12, 31]).ok_or_else(wrong)?;
        if parts[0] < 1970 || parts[1] < 1 || parts[2] < 1 {
            return Err(wrong());
        }
        (time.tm_year, time.tm_mon, time.tm_mday) = (parts[0] - 1900, parts[1] - 1, parts[2]);
    }
    if let Some(clock) = clock {
        let parts = numbers(clock, ':', &[23, 59])
            .or_else(|| numbers(clock, ':', &[23, 59, 59]))
            .ok_or_else(wrong)?;
        (time.tm_hour, time.tm_min) = (parts[0], parts[1]);
        time.tm_sec = parts.get(2).copied().unwrap_or(0);
    }
    // SAFETY: `time` is a local, valid for reads and for writes.
    let seconds = unsafe { libc::mktime(&raw mut time) };
    u64::try_from(seconds).map(|seconds| seconds * 1000).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_was_printed_is_read_back_and_nonsense_is_named() {
        let now_ms = now_ms() / 1000 * 1000;
        assert_eq!(since(&date_and_time(now_ms)), Ok(now_ms));
        let minute = since(&time_of_day(now_ms)).unwrap();
        assert!(now_ms - 60_000 < minute && minute <= now_ms);
        assert!(since("2026-11-28").unwrap() < since("2026-11-28 00:01").unwrap());
        for nonsense in ["", "yesterday", "25:00", "2026-13-01", "1-2", "14:05 2026-11-28", "::"] {
            assert!(since(nonsense).is_err(), "{nonsense}");
        }
    }
}
