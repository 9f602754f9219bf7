//! Levels of the spec. Each message belongs to the level that introduced it, and never changes
//! after its release (`spec/ops.lock`). So a release also knows all earlier levels. Two sides agree
//! on the newest level that both know.

pub use crate::messages::LEVELS;

/// Checksum of the newest level.
pub const SPEC_HASH: u64 = LEVELS[LEVELS.len() - 1].1;

/// Returns the level with this checksum, if this release knows it.
pub fn level_of(sum: u64) -> Option<u16> {
    level_among(LEVELS, sum)
}

fn level_among(levels: &[(u16, u64)], sum: u64) -> Option<u16> {
    levels.iter().find(|(_, known)| *known == sum).map(|(level, _)| *level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_knows_its_own_level_and_those_before() {
        assert_eq!(level_of(SPEC_HASH), LEVELS.last().map(|(level, _)| *level));
        let levels = [(1, 0xa), (2, 0xb)];
        assert_eq!([0xa, 0xb, 0xc].map(|sum| level_among(&levels, sum)), [Some(1), Some(2), None]);
    }
}
