//! How many bulk lanes a session has, and by how many of them copies go: as many as it takes to have on its way what the link carries, by its rate times its
//! delay. More get uneven shares and take from one another, and a copy is whole when its slowest piece is.

use crate::log;
use outhaul_transport::{FAR_MIN, Pace, PaceMeter};
use outhaul_wire::handshake::LANE_BULK;
use outhaul_wire::limits::LANES_MAX;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Nearby.
const LANES: u16 = 4;
/// Far away, what the lanes of a session are to carry together if the link does: 10 Gb/s.
const FAR_BYTES_PER_SECOND: u64 = 1_250_000_000;
/// What one connection has on its way at most where Linux is as it comes: its send buffer is 4 MiB, and a good third of that is the kernel's own bookkeeping.
const WINDOW_BYTES: u64 = 2_500_000;
/// Times what the lanes have been seen to carry: they may have been too few.
const HEADROOM: u64 = 2;
/// 2 Gb/s: one connection carries several times that much where the network does.
const SLOW_BYTES_PER_SECOND_MAX: u64 = 250_000_000;
/// What must have been sent for a judgement; far away, as many windows of all lanes, so that they are past their slow start.
const SAMPLE_BYTES: u64 = 32 << 20;
const SAMPLE_WINDOWS: u64 = 2;

/// By the round trip of a connection to the node, if one is known.
pub fn lanes_to_open(round_trip: Option<Duration>) -> u16 {
    let far = round_trip.filter(|time| *time >= FAR_MIN);
    far.map_or(LANES, |time| lanes_for(FAR_BYTES_PER_SECOND, time.as_micros() as u64, LANES_MAX - LANE_BULK))
}

fn lanes_for(bytes_per_s: u64, round_trip_us: u64, lanes_max: u16) -> u16 {
    let windows = bytes_per_s.saturating_mul(round_trip_us).div_ceil(1_000_000 * WINDOW_BYTES);
    windows.clamp(LANES.min(lanes_max).into(), lanes_max.into()) as u16
}

pub struct LinkPace {
    /// Empty where the number of lanes was asked for, and in shared memory.
    meters: Vec<PaceMeter>,
    /// Given to the lanes since the link was last looked at.
    sent_bytes: AtomicU64,
    /// How many lanes copies go by.
    lanes: AtomicU16,
    /// What the lanes had carried when they were last looked at.
    seen: Mutex<Vec<Pace>>,
}

impl LinkPace {
    pub fn new(lanes: u16, meters: Vec<PaceMeter>) -> LinkPace {
        LinkPace { meters, sent_bytes: AtomicU64::new(0), lanes: AtomicU16::new(lanes), seen: Mutex::default() }
    }

    pub fn lanes(&self) -> u16 {
        self.lanes.load(Relaxed)
    }

    /// So many bytes are about to be sent on the lanes together.
    pub fn count(&self, bytes: usize) {
        let open = self.meters.len() as u16;
        let sample_bytes = if open > LANES { SAMPLE_BYTES.max(SAMPLE_WINDOWS * WINDOW_BYTES * u64::from(open)) } else { SAMPLE_BYTES };
        if open == 0 || self.sent_bytes.fetch_add(bytes as u64, Relaxed) < sample_bytes {
            return;
        }
        self.sent_bytes.store(0, Relaxed);
        let readings: Vec<_> = self.meters.iter().filter_map(PaceMeter::read).collect();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.resize(readings.len(), Pace::default());
        let Some(lanes) = judge(&readings, &seen, sample_bytes) else { return };
        *seen = readings;
        if self.lanes.swap(lanes, Relaxed) != lanes {
            log::note(|| match lanes {
                1 => "the link carries less than 2 Gb/s: large copies go on one connection from now on (OUTHAUL_LANES=4 keeps four)".into(),
                _ => format!(
                    "large copies go by {lanes} of {open} connections from now on, by what the link has carried (OUTHAUL_LANES keeps a number)"
                ),
            });
        }
    }
}

/// How many lanes to use, if that can be said. `lanes` has what each of them carried, `before` what it had when that was last said. They are busy together,
/// so the link is as fast as all of them.
fn judge(lanes: &[Pace], before: &[Pace], sample_bytes: u64) -> Option<u16> {
    let carried = |lanes: &[Pace]| lanes.iter().map(|lane| lane.delivered_bytes).sum::<u64>();
    let round_trip_us = lanes.iter().map(|lane| u64::from(lane.round_trip_us_min)).max()?;
    let bytes_per_s = |bytes: u64, busy_us: Option<u64>| bytes.saturating_mul(1_000_000) / busy_us.unwrap_or(0).max(1);
    if u128::from(round_trip_us) < FAR_MIN.as_micros() {
        // Of the whole session: that a link is slow stays so.
        let bytes = carried(lanes);
        let is_slow = bytes_per_s(bytes, lanes.iter().map(|lane| lane.busy_us).max()) <= SLOW_BYTES_PER_SECOND_MAX;
        return (bytes >= sample_bytes / 2 && is_slow).then_some(1);
    }
    let bytes = carried(lanes).saturating_sub(carried(before));
    let busy_us = lanes.iter().zip(before).map(|(lane, before)| lane.busy_us.saturating_sub(before.busy_us)).max();
    let rate = bytes_per_s(bytes, busy_us).saturating_mul(HEADROOM);
    (bytes >= sample_bytes / 2).then(|| lanes_for(rate, round_trip_us, lanes.len() as u16))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(count: usize, delivered_bytes: u64, busy_us: u64, round_trip_us_min: u32) -> Vec<Pace> {
        vec![Pace { delivered_bytes, busy_us, held_up_us: 0, round_trip_us_min }; count]
    }

    fn judged(lanes: &[Pace]) -> Option<u16> {
        judge(lanes, &vec![Pace::default(); lanes.len()], SAMPLE_BYTES)
    }

    #[test]
    fn lanes_grow_with_the_delay_and_no_further_than_a_node_lets_them() {
        let over = |ms: u64| lanes_to_open(Some(Duration::from_millis(ms)));
        assert_eq!([over(0), over(4), over(10), over(30), over(80), over(2000)], [4, 4, 5, 15, 32, 32]);
        assert_eq!(lanes_to_open(None), 4);
    }

    #[test]
    fn a_near_link_is_slow_by_what_all_lanes_carry_together() {
        // 40 MB in 0.35 s, as over 0.94 Gb/s; in 34 ms, as over 10 Gb/s.
        assert_eq!(judged(&lanes(4, 10_000_000, 350_000, 50)), Some(1));
        assert_eq!(judged(&lanes(4, 10_000_000, 34_000, 50)), None);
        assert_eq!(judged(&lanes(4, 1_000_000, 35_000, 50)), None, "a short sample");
        assert_eq!(judged(&[]), None);
    }

    #[test]
    fn far_away_as_many_lanes_are_used_as_the_link_has_shown_to_fill() {
        // 150 MB at 1 Gb/s, and at 10 Gb/s, 30 ms away.
        assert_eq!(judged(&lanes(15, 10_000_000, 1_200_000, 30_000)), Some(4));
        assert_eq!(judged(&lanes(15, 10_000_000, 120_000, 30_000)), Some(15));
        // By four lanes since: their windows were the limit, so there may be more.
        let before = lanes(15, 10_000_000, 1_200_000, 30_000);
        let mut now = before.clone();
        now.iter_mut().take(4).for_each(|lane| (lane.delivered_bytes, lane.busy_us) = (90_000_000, 2_200_000));
        assert_eq!(judge(&now, &before, SAMPLE_BYTES), Some(8));
    }
}
