//! Parses links by name: rate and delay between a client and a node. Other modules create the
//! links.

use std::str::FromStr;
use std::time::Duration;

/// Time through one store-and-forward switch of 10 Gb/s: 1.2 us to receive a full frame, and at
/// least as much inside the switch.
const HOP: Duration = Duration::from_micros(5);
const HOPS_MAX: u32 = 16;
const RATE_GBITS_MAX: f64 = 1000.0;
const RATE_GBITS_MIN: f64 = 0.001;
const ROUND_TRIP_MAX: Duration = Duration::from_secs(2);

/// Links that one can buy or that were measured, for --list.
pub const PROFILES: [(&str, &str); 11] = [
    ("memory", "client and node on one machine, shared memory"),
    ("loopback", "client and node on one machine, TCP, not shaped"),
    (
        "tls",
        "the same over TLS, as with a node of a pool with an identity; may be added to what is \
        shaped",
    ),
    (
        "0.4g",
        "rCUDA (2013), table IV: 392 to 439 Mb/s from iperf to a node whose network port is slow",
    ),
    ("0.94g", "rCUDA (2013), table IV: 940 Mb/s from iperf, Gigabit Ethernet between two servers"),
    (
        "10g",
        "10 Gb Ethernet: remote GPUs for VR (2018) with one cable; VMware's study of Bitfusion, \
        VMXNET3",
    ),
    ("20g", "remote GPUs for VR (2018) with two cables"),
    ("25g", "25 Gb Ethernet"),
    ("80g", "the raw rate of PCIe 2.0 x16"),
    ("100g", "100 Gb Ethernet: VMware's study of Bitfusion, RoCE"),
    (
        "hops:0 to hops:3",
        "a relay and as many switches between, 5 us each way for each; rtt:200us adds any round \
        trip",
    ),
];

/// A link between a client and a node.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkKind {
    pub name: String,
    /// Whether the link is shared memory, which has no rate and no delay.
    pub memory: bool,
    pub sealed: bool,
    pub bits_per_s: Option<f64>,
    /// Number of switches that the delay includes.
    pub hops: u32,
    /// Delay in each direction. With none, no relay adds its own delay.
    pub delay: Option<Duration>,
}

impl FromStr for LinkKind {
    type Err = String;

    /// Parses parts joined by `+`: `memory`, `loopback`, `10g`, `rtt:200us`, `hops:2`.
    fn from_str(name: &str) -> Result<LinkKind, String> {
        let mut link = LinkKind {
            name: name.into(),
            memory: false,
            sealed: false,
            bits_per_s: None,
            hops: 0,
            delay: None,
        };
        if name == "memory" {
            return Ok(LinkKind { memory: true, ..link });
        }
        for part in name.split('+') {
            if let Some(hops) = part.strip_prefix("hops:") {
                let hops = hops
                    .parse()
                    .ok()
                    .filter(|hops| *hops <= HOPS_MAX)
                    .ok_or(format!("'{part}': write hops:0 to hops:{HOPS_MAX}"))?;
                link.hops += hops;
                link.delay = Some(link.delay.unwrap_or_default() + HOP * hops);
            } else if let Some(text) = part.strip_prefix("rtt:") {
                let added = round_trip(text)
                    .ok_or(format!("'{part}': write rtt:200us or rtt:1.5ms, at most 2 s"))?
                    / 2;
                link.delay = Some(link.delay.unwrap_or_default() + added);
            } else if let Some(gbits) = part.strip_suffix('g') {
                link.bits_per_s = Some(
                    rate(gbits)
                        .ok_or(format!("'{part}': write a rate in Gb/s as in 0.94g or 25g"))?,
                );
            } else if part == "tls" {
                link.sealed = true;
            } else if part != "loopback" {
                return Err(format!(
                    "'{part}' is not a link: write memory, loopback, tls, 10g, rtt:200us, hops:2, \
                    or several with + between"
                ));
            }
        }
        Ok(link)
    }
}

/// Parses a rate in Gb/s, and returns bits per second.
pub fn rate(gbits: &str) -> Option<f64> {
    gbits
        .parse()
        .ok()
        .filter(|g| (RATE_GBITS_MIN..=RATE_GBITS_MAX).contains(g))
        .map(|g: f64| g * 1e9)
}

/// Parses a time with its unit, `us` or `ms`.
pub fn round_trip(text: &str) -> Option<Duration> {
    let (number, us) = match (text.strip_suffix("us"), text.strip_suffix("ms")) {
        (Some(number), _) => (number, 1.0),
        (_, Some(number)) => (number, 1e3),
        _ => return None,
    };
    let seconds = number.parse::<f64>().ok()? * us / 1e6;
    Duration::try_from_secs_f64(seconds).ok().filter(|time| *time <= ROUND_TRIP_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up() {
        let link: LinkKind = "10g+hops:2+rtt:200us".parse().unwrap();
        assert_eq!(
            (link.bits_per_s, link.delay, link.memory),
            (Some(1e10), Some(Duration::from_micros(110)), false)
        );
        let plain: LinkKind = "loopback".parse().unwrap();
        assert_eq!((plain.bits_per_s, plain.delay), (None, None));
        assert!("10g+tls".parse::<LinkKind>().unwrap().sealed && !plain.sealed);
        assert!("memory".parse::<LinkKind>().unwrap().memory);
        assert_eq!("0.94g".parse::<LinkKind>().unwrap().bits_per_s, Some(0.94e9));
    }

    #[test]
    fn an_error_names_the_invalid_link() {
        for wrong in [
            "",
            "10",
            "memory+10g",
            "0g",
            "NaNg",
            "infg",
            "rtt:5",
            "rtt:-1us",
            "rtt:1e9ms",
            "hops:x",
            "hops:99",
        ] {
            let error = wrong.parse::<LinkKind>().unwrap_err();
            assert!(error.contains("write"), "{wrong}: {error}");
        }
    }
}
