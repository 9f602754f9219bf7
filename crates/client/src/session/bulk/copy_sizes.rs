//! Thresholds by which a copy's size decides its path and its division into pieces. Settings
//! override the numbers for measurements: `outhaul bench pieces` tries many to find the best.
//! Numbers out of bounds are clamped.

use outhaul_transport::os::tune_settings;
use outhaul_wire::limits::{BULK_PIECE_BYTES_MIN, PIECE_BYTES};
use std::sync::LazyLock;

/// Smallest copy that uses the bulk lanes. For smaller copies the command lane is about as
/// fast, because waking more threads takes time.
const BY_LANES_FROM_BYTES: usize = 1 << 20;
/// Largest copy whose bytes go into the queue. Up to this size copying costs less than waiting
/// until the writer has read the bytes in place.
const COPIED_BYTES_MAX: usize = 64 << 10;
/// Smallest row that the bulk lanes read and write in place. Smaller rows are slow because each row
/// costs part of a system call.
pub const LANE_ROW_BYTES_MIN: usize = 4 << 10;

/// The thresholds in force.
pub struct CopySizes {
    /// Size of all pieces on bulk lanes, if a setting fixes it.
    pub piece_bytes: Option<usize>,
    /// Smallest copy that uses the bulk lanes.
    pub by_lanes_from_bytes: usize,
    /// Largest copy whose bytes go into the queue.
    pub copied_bytes_max: usize,
}

/// The thresholds in force, including those that the environment overrides.
pub static COPY_SIZES: LazyLock<CopySizes> = LazyLock::new(|| CopySizes::of(tune_settings::value));

impl CopySizes {
    fn of(setting: impl Fn(&str) -> Option<String>) -> CopySizes {
        let number = |name| setting(name).and_then(|text| text.parse::<usize>().ok());
        let piece_bytes = number("piece-bytes")
            .map(|bytes| bytes.clamp(BULK_PIECE_BYTES_MIN as usize, PIECE_BYTES));
        CopySizes {
            piece_bytes,
            by_lanes_from_bytes: number("lanes-from-bytes").unwrap_or(BY_LANES_FROM_BYTES),
            copied_bytes_max: number("copied-bytes").unwrap_or(COPIED_BYTES_MAX).min(PIECE_BYTES),
        }
    }
}

/// How a copy is divided: into pieces of equal size, which the lanes carry in round-robin order.
#[derive(Clone, Copy, PartialEq)]
pub struct Cut {
    /// Number of lanes.
    pub lanes: u16,
    /// Size of a piece in bytes.
    pub piece_bytes: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_from_the_environment_are_bounded() {
        let sizes = CopySizes::of(|_| None);
        assert_eq!(
            (sizes.piece_bytes, sizes.by_lanes_from_bytes, sizes.copied_bytes_max),
            (None, 1 << 20, 64 << 10)
        );
        let most = CopySizes::of(|_| Some(usize::MAX.to_string()));
        assert_eq!((most.piece_bytes, most.copied_bytes_max), (Some(PIECE_BYTES), PIECE_BYTES));
        assert_eq!(
            CopySizes::of(|_| Some("1".into())).piece_bytes,
            Some(BULK_PIECE_BYTES_MIN as usize)
        );
        assert_eq!(CopySizes::of(|_| Some("many".into())).piece_bytes, None);
    }
}
