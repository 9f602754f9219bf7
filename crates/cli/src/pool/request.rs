//! Command-line options for what to lease from a pool.

use outhaul_pool::model::lease::{Amount, Ask, FrameRate};
use outhaul_transport::GRACE_VARIABLE;

/// Resources per GPU. Default: a whole GPU. If only --memory or --share is given, the other gets
/// the same fraction.
#[derive(clap::Args)]
pub struct Wish {
    /// Number of GPUs [default: 1].
    #[arg(short = 'n', long, value_name = "N")]
    gpus: Option<u32>,
    /// Memory per GPU.
    #[arg(long, value_name = "10GiB|25%", value_parser = amount)]
    memory: Option<Amount>,
    /// Share of each GPU's time.
    #[arg(long, value_name = "50%", value_parser = percent)]
    share: Option<u32>,
    /// Frames per second to keep.
    #[arg(long, value_name = "N", requires = "frame_ms")]
    frames: Option<u32>,
    /// GPU time per frame, in milliseconds, on a GPU in the program's own machine.
    #[arg(long, value_name = "MS", requires = "frames")]
    frame_ms: Option<f64>,
    /// Part of the GPU's model name.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Priority in the queue, higher first: -128 to 127 [default: 0].
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    priority: Option<i8>,
    /// End the lease this long after it was granted.
    #[arg(long, value_name = "2h", value_parser = seconds)]
    time: Option<u64>,
    /// Release the lease when no program has used it for this long.
    #[arg(long, value_name = "10m", value_parser = seconds)]
    release_after: Option<u64>,
    /// End the lease and its programs when these have done nothing for this long.
    #[arg(long, value_name = "30m", value_parser = seconds)]
    kill_after: Option<u64>,
    /// Wait this long for the node when a connection breaks; the node may wait for less. With 0s
    /// the program ends at once [default: OUTHAUL_GRACE, or 2m].
    #[arg(long, value_name = "10m", value_parser = seconds_or_none)]
    grace: Option<u64>,
}

impl Wish {
    /// The first option that was given.
    pub fn flag(&self) -> Option<&'static str> {
        let flags = [
            ("-n", self.gpus.is_some()),
            ("--memory", self.memory.is_some()),
            ("--share", self.share.is_some()),
            ("--frames", self.frames.is_some()),
            ("--model", self.model.is_some()),
            ("--priority", self.priority.is_some()),
            ("--time", self.time.is_some()),
            ("--release-after", self.release_after.is_some()),
            ("--kill-after", self.kill_after.is_some()),
            ("--grace", self.grace.is_some()),
        ];
        flags.into_iter().find_map(|(flag, given)| given.then_some(flag))
    }

    /// Environment variables for the program.
    pub fn variables(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.grace.map(|seconds| (GRACE_VARIABLE, seconds.to_string())).into_iter()
    }

    pub fn ask(&self, ttl_s: u32) -> Ask {
        let frames = self
            .frames
            .zip(self.frame_ms)
            .map(|(per_s, reference_ms)| FrameRate { per_s, reference_ms });
        Ask {
            gpus: self.gpus.unwrap_or(1),
            memory: self.memory,
            share_percent: self.share,
            frames,
            model: self.model.clone(),
            priority: self.priority.unwrap_or(0),
            ttl_s,
            seconds_max: self.time,
            release_after_s: self.release_after,
            kill_after_s: self.kill_after,
            grace_s: self.grace,
        }
    }
}

/// Parses bytes with a unit, or a percentage.
fn amount(text: &str) -> Result<Amount, String> {
    match percent(text) {
        Ok(percent) => Ok(Amount::Percent(percent)),
        Err(_) => bytes(text).map(Amount::Bytes),
    }
}

/// Parses bytes, with or without a unit.
pub fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("'{text}' is not an amount of memory; write 10GiB, 512MiB or 25%");
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kib" | "k" => 1 << 10,
        "mib" | "m" => 1 << 20,
        "gib" | "g" => 1 << 30,
        "tib" | "t" => 1 << 40,
        _ => return Err(wrong()),
    };
    let bytes = number.parse::<f64>().map_err(|_| wrong())? * unit as f64;
    if bytes >= 1.0 && bytes < u64::MAX as f64 { Ok(bytes as u64) } else { Err(wrong()) }
}

fn percent(text: &str) -> Result<u32, String> {
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
