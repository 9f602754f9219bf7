//! The number of bulk lanes that a session opens and the number that copies use. The lanes should
//! keep the link's bandwidth-delay product in flight. With more lanes, the shares become uneven and
//! the lanes slow each other. A copy is complete only when its slowest piece has arrived.

use crate::base::log;
use outhaul_transport::{FAR_MIN, Pace, PaceMeter};
use outhaul_wire::handshake::LANE_BULK;
use outhaul_wire::limits::LANES_MAX;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Minimum number of lanes, and the number to a near node.
const LANES: u16 = 4;
/// Bandwidth that the lanes to a far node can carry together, if the link can: 10 Gb/s.
const FAR_BYTES_PER_SECOND: u64 = 1_250_000_000;
/// Upper bound on the bytes in flight on one connection with Linux's default settings. The send
/// buffer is 4 MiB, of which Linux's own bookkeeping takes more than a third.
const WINDOW_BYTES: u64 = 2_500_000;
/// Factor for the measured bandwidth, which may be low because the session used too few lanes.
const HEADROOM: u64 = 2;
/// Upper bound on a slow link's bandwidth: 2 Gb/s. One connection can carry several times as much.
const SLOW_BYTES_PER_SECOND_MAX: u64 = 250_000_000;
/// Number of bytes to send before each judgement. For a far node the number is at least
/// `SAMPLE_WINDOWS` windows of each lane, so that the lanes are past slow start.
const SAMPLE_BYTES: u64 = 32 << 20;
const SAMPLE_WINDOWS: u64 = 2;

/// Returns the number of lanes to open, from the round-trip time to the node if known.
pub fn lanes_to_open(round_trip: Option<Duration>) -> u16 {
    let far = round_trip.filter(|time| *time >= FAR_MIN);
    far.map_or(LANES, |time| {
        lanes_for(FAR_BYTES_PER_SECOND, time.as_micros() as u64, LANES_MAX - LANE_BULK)
    })
}

fn lanes_for(bytes_per_s: u64, round_trip_us: u64, lanes_max: u16) -> u16 {
    let windows = bytes_per_s.saturating_mul(round_trip_us).div_ceil(1_000_000 * WINDOW_BYTES);
    windows.clamp(LANES.min(lanes_max).into(), lanes_max.into()) as u16
}

/// Measures the link of a session, and chooses the number of lanes that copies use.
pub struct LinkPace {
    /// One meter per lane. Empty if the user chose the number of lanes, and in shared memory.
    meters: Vec<PaceMeter>,
    /// Number of bytes that the lanes received since the last judgement.
    sent_bytes: AtomicU64,
    /// Number of lanes that copies use.
    lanes: AtomicU16,
}

impl LinkPace {
    /// Creates a `LinkPace` that lets copies use all lanes.
    pub fn new(lanes: u16, meters: Vec<PaceMeter>) -> LinkPace {
        LinkPace { meters, sent_bytes: AtomicU64::new(0), lanes: AtomicU16::new(lanes) }
    }

    /// Returns the number of lanes that copies use now.
    pub fn lanes(&self) -> u16 {
        self.lanes.load(Relaxed)
    }

    /// Counts bytes that the lanes are about to send. Judges the link after enough bytes.
    pub fn count(&self, bytes: usize) {
        let open = self.meters.len() as u16;
        let sample_bytes = if open > LANES {
            SAMPLE_BYTES.max(SAMPLE_WINDOWS * WINDOW_BYTES * u64::from(open))
        } else {
            SAMPLE_BYTES
        };
        if open == 0 || self.sent_bytes.fetch_add(bytes as u64, Relaxed) < sample_bytes {
            return;
        }
        self.sent_bytes.store(0, Relaxed);
        let readings: Vec<_> = self.meters.iter().filter_map(PaceMeter::read).collect();
        let Some(lanes) = judge(&readings, self.lanes()) else { return };
        if self.lanes.swap(lanes, Relaxed) != lanes {
            log::note(|| match lanes {
                1 => "the link carries less than 2 Gb/s: large copies go on one connection from \
                now on (OUTHAUL_LANES=4 keeps four)"
                    .into(),
                _ => format!(
                    "large copies go by {lanes} of {open} connections from now on, by what the \
                    link has carried (OUTHAUL_LANES keeps a number)"
                ),
            });
        }
    }
}

/// Returns the number of lanes to use, if the measurements suffice. `lanes` holds each lane's
/// measurements; copies use the first `used` of them. The lanes are busy at the same time, so the
/// link's bandwidth is their sum.
fn judge(lanes: &[Pace], used: u16) -> Option<u16> {
    let round_trip_us = lanes.iter().map(|lane| u64::from(lane.round_trip_us_min)).max()?;
    if u128::from(round_trip_us) >= FAR_MIN.as_micros() {
        // A longer average would include times when connections were in slow start or waited for
        // the end of a copy.
        let bytes_per_s = lanes.iter().take(used.into()).map(|lane| lane.bytes_per_s).sum::<u64>();
        return (bytes_per_s > 0).then(|| {
            lanes_for(bytes_per_s.saturating_mul(HEADROOM), round_trip_us, lanes.len() as u16)
        });
    }
    let delivered_bytes = lanes.iter().map(|lane| lane.delivered_bytes).sum::<u64>();
    let busy_us = lanes.iter().map(|lane| lane.busy_us).max().unwrap_or(0).max(1);
    let is_slow = delivered_bytes.saturating_mul(1_000_000) / busy_us <= SLOW_BYTES_PER_SECOND_MAX;
    (delivered_bytes >= SAMPLE_BYTES / 2 && is_slow).then_some(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_grow_with_the_delay_up_to_the_limit_of_the_node() {
        let over = |ms: u64| lanes_to_open(Some(Duration::from_millis(ms)));
        assert_eq!(
            [over(0), over(4), over(10), over(30), over(80), over(2000)],
            [4, 4, 5, 15, 32, 32]
        );
        assert_eq!(lanes_to_open(None), 4);
    }

    #[test]
    fn a_near_link_is_judged_by_the_sum_of_its_lanes() {
        let lanes = |delivered_bytes, busy_us| {
            vec![Pace { delivered_bytes, busy_us, round_trip_us_min: 50, ..Pace::default() }; 4]
        };
        // 40 MB in 0.35 s correspond to a link of 0.94 Gb/s, and 40 MB in 34 ms to one of 10 Gb/s.
        assert_eq!(judge(&lanes(10_000_000, 350_000), 4), Some(1));
        assert_eq!(judge(&lanes(10_000_000, 34_000), 4), None);
        assert_eq!(judge(&lanes(1_000_000, 35_000), 4), None, "a short sample");
        assert_eq!(judge(&[], 0), None);
    }

    #[test]
    fn a_far_link_uses_as_many_lanes_as_it_has_filled() {
        // The round trip takes 30 ms, and each connection sends all its data at its beginning.
        let lanes = |bytes_per_s| {
            vec![
                Pace {
                    bytes_per_s,
                    busy_us: 10_000_000,
                    round_trip_us_min: 30_000,
                    ..Pace::default()
                };
                15
            ]
        };
        assert_eq!(judge(&lanes(8_000_000), 15), Some(4), "1 Gb/s");
        assert_eq!(judge(&lanes(80_000_000), 15), Some(15), "10 Gb/s");
        assert_eq!(
            judge(&lanes(80_000_000), 4),
            Some(8),
            "the windows of four are the limit, so there may be more"
        );
        assert_eq!(judge(&lanes(0), 15), None);
    }
}
