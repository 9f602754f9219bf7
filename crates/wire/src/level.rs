//! Levels: what of the spec a release speaks. Each message belongs to the level that brought it,
//! and stays what it was when that was released (`spec/ops.lock`). So a release speaks every level
//! before its own one too, and two sides agree on the newest that both know.

pub use crate::messages::LEVELS;

/// Names the newest.
pub const SPEC_HASH: u64 = LEVELS[LEVELS.len() - 1].1;

/// Which of this release's levels has the sum.
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
