//! Tells which options of the JIT compiler are numbers. All others are results or addresses, which
//! neither side may accept from the other.

use std::ops::RangeInclusive;

const NUMBERS: [RangeInclusive<i32>; 3] = [0..=1, 7..=16, 20..=24];

/// Returns whether the option is a number.
pub fn is_number(option: i32) -> bool {
    NUMBERS.iter().any(|numbers| numbers.contains(&option))
}
