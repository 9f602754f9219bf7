//! How copies are cut and which path they take, by their size. Settings override the
//! numbers for measurements: `outhaul bench pieces` sweeps them to find the best. Numbers out of
//! bounds are clamped.

use outhaul_transport::os::tune_settings;
use outhaul_wire::limits::{BULK_PIECE_BYTES_MIN, PIECE_BYTES};
use std::sync::LazyLock;

/// Smallest copy for the bulk lanes. Below it one lane is about as fast, since more threads would
/// have to wake up.
const BY_LANES_FROM_BYTES: usize = 1 << 20;
/// Largest copy into the queue. Up to here copying costs less than waiting until the writer has
/// read in place.
const COPIED_BYTES_MAX: usize = 64 << 10;
/// Smallest row of a box that bulk lanes read and write in place: each row costs part of a system
/// call.
pub const LANE_ROW_BYTES_MIN: usize = 4 << 10;

/// The numbers in force.
pub struct CopySizes {
    /// Size of all pieces on bulk lanes, whatever the copy's size.
    pub piece_bytes: Option<usize>,
    /// Smallest copy for the bulk lanes.
    pub by_lanes_from_bytes: usize,
    /// Largest copy into the queue.
    pub copied_bytes_max: usize,
}

/// The numbers in force, with what the environment overrides.
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

/// How a copy is cut: into pieces of one size, which the lanes take in turn.
#[derive(Clone, Copy, PartialEq)]
pub struct Cut {
    /// Number of lanes.
    pub lanes: u16,
    /// Bytes of a piece.
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
