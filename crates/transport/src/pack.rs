//! Pieces that travel packed, by zstd, where the connection is what holds them up. Whoever sends
//! decides for each piece: by how fast the connection has been, how fast packing is here, and how
//! much a sample of the piece shrinks. What is packed is a copy, since a program may write to its
//! memory while a copy from there is on its way. A connection of a machine to itself never carries
//! packed pieces: its rate is the processors', which packing needs too. Deliberately absent:
//! streams and dictionaries. Each piece is a whole of its own, and its reader knows how long it is.

use crate::pace::{Pace, PaceMeter};
use std::time::Instant;
use zstd::bulk::{Compressor, Decompressor};

const VARIABLE: &str = "OUTHAUL_COMPRESSION";
/// Higher levels are slower than links on which packing is worth it.
const LEVEL: i32 = 1;
/// A connection that is faster than this is not what holds pieces up: several such are faster than
/// what processors pack.
const LANE_BYTES_PER_SECOND_MAX: f64 = 150e6;
/// Of zstd at this level on text, until it has been measured here.
const PACKED_BYTES_PER_SECOND: f64 = 300e6;
/// What is packed to see whether a piece shrinks: so many parts of it, evenly spread.
const SAMPLE_PARTS: usize = 4;
const SAMPLE_PART_BYTES: usize = 4 << 10;
/// Smaller pieces are not worth a look.
const PIECE_BYTES_MIN: usize = 8 * SAMPLE_PARTS * SAMPLE_PART_BYTES;
/// The time of a packed piece by that of a plain one, packing included, from which it is not
/// packed: a guess must not cost.
const WORTH_MAX: f64 = 0.8;
/// What a connection must have carried, and for how long, for its rate to be known.
const MEASURED_BYTES: u64 = 256 << 10;
const MEASURED_US: u64 = 1_000;
/// Of a rate that was measured anew; the older ones have the rest.
const NEWS: f64 = 0.5;
/// What a rate that was measured while others had the processors loses of that with each piece that
/// goes plain. A sample's own rate would not do: it is that of cold caches.
const FORGOTTEN: f64 = 0.125;

/// What OUTHAUL_COMPRESSION says: `auto`, which is what it is unless set, or `off`.
pub fn is_packing_wanted() -> Result<bool, String> {
    match std::env::var(VARIABLE).unwrap_or_default().as_str() {
        "" | "auto" => Ok(true),
        "off" => Ok(false),
        other => Err(format!("{VARIABLE} is '{other}', which is neither auto nor off")),
    }
}

/// Of one connection, for whoever writes to it.
pub struct Packer {
    meter: PaceMeter,
    seen: Pace,
    lane_bytes_per_s: Option<f64>,
    packed_bytes_per_s: f64,
    compressor: Compressor<'static>,
    plain: Vec<u8>,
    packed: Vec<u8>,
}

impl Packer {
    /// None for a connection of this machine to itself, or without memory for it.
    pub fn new(meter: PaceMeter) -> Option<Packer> {
        if meter.is_at_home() {
            return None;
        }
        Some(Packer {
            meter,
            seen: Pace::default(),
            lane_bytes_per_s: None,
            packed_bytes_per_s: PACKED_BYTES_PER_SECOND,
            compressor: Compressor::new(LEVEL).ok()?,
            plain: Vec::new(),
            packed: Vec::new(),
        })
    }

    /// What is to travel in place of these bytes, if it is there sooner.
    pub fn pack<'p>(&'p mut self, parts: &[&[u8]]) -> Option<&'p [u8]> {
        let bytes = parts.iter().map(|part| part.len()).sum::<usize>();
        self.measure();
        let lane = self.lane_bytes_per_s.filter(|rate| *rate <= LANE_BYTES_PER_SECOND_MAX)?;
        if bytes < PIECE_BYTES_MIN {
            return None;
        }
        sample(parts, bytes, &mut self.plain);
        let (sampled, _) = self.compress()?;
        if !is_worth_it(lane, self.packed_bytes_per_s, sampled as f64 / self.plain.len() as f64) {
            self.packed_bytes_per_s +=
                FORGOTTEN * (PACKED_BYTES_PER_SECOND - self.packed_bytes_per_s).max(0.0);
            return None;
        }
        self.plain.clear();
        parts.iter().for_each(|part| self.plain.extend_from_slice(part));
        let (count, bytes_per_s) = self.compress()?;
        self.packed_bytes_per_s += NEWS * (bytes_per_s - self.packed_bytes_per_s);
        ((count as f64) < WORTH_MAX * bytes as f64).then(|| &self.packed[..count])
    }

    /// Packs what is in `plain`. How many bytes it became, and how many of those before in a
    /// second.
    fn compress(&mut self) -> Option<(usize, f64)> {
        let start = Instant::now();
        self.packed
            .resize(zstd::zstd_safe::compress_bound(self.plain.len()).max(self.packed.len()), 0);
        let count = self.compressor.compress_to_buffer(&self.plain, &mut self.packed[..]).ok()?;
        Some((count, self.plain.len() as f64 / start.elapsed().as_secs_f64().max(1e-9)))
    }

    /// While the other side had no room it was not the connection that held anything up.
    fn measure(&mut self) {
        let Some(now) = self.meter.read() else { return };
        if now.delivered_bytes < self.seen.delivered_bytes {
            // Of another connection.
            self.seen = Pace::default();
        }
        let delivered_bytes = now.delivered_bytes.saturating_sub(self.seen.delivered_bytes);
        let held_up_us = now.held_up_us.saturating_sub(self.seen.held_up_us);
        let busy_us = now.busy_us.saturating_sub(self.seen.busy_us).saturating_sub(held_up_us);
        if delivered_bytes < MEASURED_BYTES || busy_us < MEASURED_US {
            return;
        }
        self.seen = now;
        let rate = delivered_bytes as f64 * 1e6 / busy_us as f64;
        self.lane_bytes_per_s =
            Some(self.lane_bytes_per_s.map_or(rate, |known| known + NEWS * (rate - known)));
    }
}

/// Packed bytes are packed first and travel then: what overlaps of that is not counted on.
fn is_worth_it(lane_bytes_per_s: f64, packed_bytes_per_s: f64, shrinks_to: f64) -> bool {
    lane_bytes_per_s / packed_bytes_per_s + shrinks_to < WORTH_MAX
}

/// Some of the bytes, from all over them.
fn sample(parts: &[&[u8]], bytes: usize, into: &mut Vec<u8>) {
    into.clear();
    for number in 0..SAMPLE_PARTS {
        let mut skip = number * (bytes - SAMPLE_PART_BYTES) / (SAMPLE_PARTS - 1);
        let mut left = SAMPLE_PART_BYTES;
        for part in parts {
            let start = skip.min(part.len());
            let count = left.min(part.len() - start);
            into.extend_from_slice(&part[start..start + count]);
            (skip, left) = (skip - start, left - count);
        }
    }
}

/// Unpacks into a place of the right length. Nothing is written beyond it, whatever the packed
/// bytes say. Whether they were just that long.
pub fn unpack(packed: &[u8], place: &mut [u8]) -> bool {
    let unpacked = Decompressor::new()
        .and_then(|mut decompressor| decompressor.decompress_to_buffer(packed, place));
    unpacked.is_ok_and(|count| count == place.len())
}

#[cfg(test)]
mod tests;
