//! Whether the link is one that a single connection fills. There, bulk lanes get uneven shares, and a copy is whole when its slowest piece is: the lane of
//! commands alone is faster.

use crate::log;
use outhaul_transport::{Pace, PaceMeter};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// 2 Gb/s: one connection carries several times that much where the network does.
const SLOW_BYTES_PER_SECOND_MAX: u64 = 250_000_000;
/// A longer line is filled sooner by several connections.
const ROUND_TRIP_US_MAX: u32 = 5_000;
/// What must have been sent for a judgement.
const SAMPLE_BYTES: u64 = 32 << 20;

pub struct LinkPace {
    meters: Vec<PaceMeter>,
    /// Given to the lanes since the link was last looked at.
    sent_bytes: AtomicU64,
    slow: AtomicBool,
}

impl LinkPace {
    pub fn new(meters: Vec<PaceMeter>) -> LinkPace {
        LinkPace { meters, sent_bytes: AtomicU64::new(0), slow: AtomicBool::new(false) }
    }

    /// So many bytes are about to be sent on the lanes together.
    pub fn count(&self, bytes: usize) {
        if self.sent_bytes.fetch_add(bytes as u64, Relaxed) < SAMPLE_BYTES {
            return;
        }
        self.sent_bytes.store(0, Relaxed);
        let readings: Vec<_> = self.meters.iter().filter_map(PaceMeter::read).collect();
        if fills_with_one(&readings) && !self.slow.swap(true, Relaxed) {
            log::note(|| {
                "the link carries less than 2 Gb/s: large copies go on one connection from now on (OUTHAUL_LANES=4 keeps four)".into()
            });
        }
    }

    /// From the first judgement that says so, for the session's life.
    pub fn is_slow(&self) -> bool {
        self.slow.load(Relaxed)
    }
}

/// `lanes` has what each of them carried. They are busy together, so the link is as fast as all of them.
fn fills_with_one(lanes: &[Pace]) -> bool {
    let delivered_bytes: u64 = lanes.iter().map(|lane| lane.delivered_bytes).sum();
    let busy_us = lanes.iter().map(|lane| lane.busy_us).max().unwrap_or(0).max(1);
    let is_near = lanes.iter().all(|lane| lane.round_trip_us_min <= ROUND_TRIP_US_MAX);
    is_near && delivered_bytes >= SAMPLE_BYTES / 2 && delivered_bytes.saturating_mul(1_000_000) / busy_us <= SLOW_BYTES_PER_SECOND_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(delivered_bytes: u64, busy_us: u64, round_trip_us_min: u32) -> [Pace; 4] {
        [Pace { delivered_bytes, busy_us, round_trip_us_min }; 4]
    }

    #[test]
    fn a_link_is_slow_by_what_all_lanes_carry_together() {
        // 40 MB in 0.35 s, as over 0.94 Gb/s; in 34 ms, as over 10 Gb/s.
        assert!(fills_with_one(&lanes(10_000_000, 350_000, 50)));
        assert!(!fills_with_one(&lanes(10_000_000, 34_000, 50)));
    }

    #[test]
    fn neither_a_long_line_nor_a_short_sample_is_judged() {
        assert!(!fills_with_one(&lanes(10_000_000, 350_000, 20_000)));
        assert!(!fills_with_one(&lanes(1_000_000, 35_000, 50)));
        assert!(!fills_with_one(&[]));
    }
}
