//! Which options of the JIT compiler are numbers. All others are addresses, of which neither end
//! may take the other's word, or results.

use std::ops::RangeInclusive;

const NUMBERS: [RangeInclusive<i32>; 3] = [0..=1, 7..=16, 20..=24];

pub fn is_number(option: i32) -> bool {
    NUMBERS.iter().any(|numbers| numbers.contains(&option))
}
