//! Compression of pieces with zstd, where the connection is the bottleneck. The sender decides for
//! each piece, by three measurements: the connection's rate, this machine's compression rate, and
//! how much a sample of the piece shrinks.
//!
//! The sender compresses a copy of the piece, because a program may write to its memory while the
//! transfer is in progress. A connection of a machine to itself never carries packed pieces,
//! because the CPUs limit its rate and compression needs them too. Deliberately absent: streams and
//! dictionaries. Each piece is complete, and its reader knows its length.

use crate::network::throughput::{Pace, PaceMeter};
use crate::os::tune_settings;
use std::time::Instant;
use zstd::bulk::{Compressor, Decompressor};

const SETTING: &str = "compression";
/// The compression level. Higher levels are slower than links on which compression pays.
const LEVEL: i32 = 1;
/// Rate above which a connection is not the bottleneck, because several such connections are faster
/// than the compression.
const LANE_BYTES_PER_SECOND_MAX: f64 = 150e6;
/// Assumed compression rate before the first measurement: that of text at `LEVEL`.
const PACKED_BYTES_PER_SECOND: f64 = 300e6;
/// Number of evenly spaced parts in a piece's sample.
const SAMPLE_PARTS: usize = 4;
const SAMPLE_PART_BYTES: usize = 4 << 10;
/// Smallest piece that is considered for compression.
const PIECE_BYTES_MIN: usize = 8 * SAMPLE_PARTS * SAMPLE_PART_BYTES;
/// Upper bound on a packed piece's time, compression included, relative to a plain piece's. The
/// bound is below 1 because a wrong estimate must not cost time.
const WORTH_MAX: f64 = 0.8;
/// Smallest amount of data, and shortest busy time, from which a connection's rate is computed.
const MEASURED_BYTES: u64 = 256 << 10;
const MEASURED_US: u64 = 1_000;
/// Weight of a rate's newest measurement; the earlier measurements have the rest.
const NEWS: f64 = 0.5;
/// Part of the gap to the default rate by which a low measured rate recovers with each plain piece.
/// The measured rate may be low because other threads used the CPUs. The sample's own rate would
/// mislead, because the CPU's caches are cold then.
const FORGOTTEN: f64 = 0.125;

/// Returns whether pieces may be compressed: `compression=auto` of OUTHAUL_TUNE, the default, or
/// `compression=off`. Fails for any other value.
pub fn is_packing_wanted() -> Result<bool, String> {
    match tune_settings::value(SETTING).unwrap_or_default().as_str() {
        "" | "auto" => Ok(true),
        "off" => Ok(false),
        other => Err(format!(
            "{}: {SETTING} is '{other}', which is not auto or off",
            tune_settings::VARIABLE
        )),
    }
}

/// Compresses pieces for the writer of one connection.
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
    /// Returns None for a connection of this machine to itself, or if memory for a compressor is
    /// lacking.
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

    /// Compresses `parts`. Returns None if the compressed bytes would not arrive sooner than
    /// `parts`.
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

    /// Compresses `plain`. Returns the compressed size, and the rate in bytes of `plain` per
    /// second.
    fn compress(&mut self) -> Option<(usize, f64)> {
        let start = Instant::now();
        self.packed
            .resize(zstd::zstd_safe::compress_bound(self.plain.len()).max(self.packed.len()), 0);
        let count = self.compressor.compress_to_buffer(&self.plain, &mut self.packed[..]).ok()?;
        Some((count, self.plain.len() as f64 / start.elapsed().as_secs_f64().max(1e-9)))
    }

    /// Measures the connection's rate. Time in which the other side's receive window was full does
    /// not count, because the connection was not the bottleneck then.
    fn measure(&mut self) {
        let Some(now) = self.meter.read() else { return };
        if now.delivered_bytes < self.seen.delivered_bytes {
            // The figures belong to a new connection.
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

/// Returns whether compression pays. It assumes that a piece is compressed first and sent
/// afterwards, without overlap.
fn is_worth_it(lane_bytes_per_s: f64, packed_bytes_per_s: f64, shrinks_to: f64) -> bool {
    lane_bytes_per_s / packed_bytes_per_s + shrinks_to < WORTH_MAX
}

/// Copies evenly spaced parts of the `bytes` bytes in `parts` to `into`.
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

/// Decompresses `packed` into `place`. Never writes beyond `place`, even if `packed` is malformed.
/// Returns whether the decompressed bytes fill `place` exactly.
pub fn unpack(packed: &[u8], place: &mut [u8]) -> bool {
    let unpacked = Decompressor::new()
        .and_then(|mut decompressor| decompressor.decompress_to_buffer(packed, place));
    unpacked.is_ok_and(|count| count == place.len())
}

#[cfg(test)]
mod tests;
