//! Half precision in software: conversions between f16, bf16 and wider types in every rounding mode
//! of PTX.

/// The rounding mode for a result that the type cannot represent exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Round {
    Nearest,
    Zero,
    Down,
    Up,
    /// To nearest, ties away from zero.
    Away,
}

impl Round {
    /// Returns whether rounding adds one unit to the magnitude of the kept bits. `rest` holds the
    /// discarded bits, and `half` is the value of half a unit. `odd` is the lowest kept bit.
    fn steps(self, negative: bool, odd: bool, rest: u64, half: u64) -> bool {
        match self {
            Round::Nearest => rest > half || (rest == half && odd),
            Round::Away => rest >= half,
            Round::Zero => false,
            Round::Down => negative && rest != 0,
            Round::Up => !negative && rest != 0,
        }
    }
}

/// Converts f16 to f32, exactly.
pub fn f16_to_f32(half: u16) -> f32 {
    let sign = u32::from(half >> 15) << 31;
    let (exponent, fraction) = (u32::from(half >> 10) & 31, u32::from(half) & 0x3FF);
    match exponent {
        0 => {
            let value = fraction as f32 / (1 << 24) as f32;
            f32::from_bits(value.to_bits() | sign)
        }
        31 => f32::from_bits(sign | 0x7F80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

/// Converts bf16 to f32, exactly.
pub fn bf16_to_f32(half: u16) -> f32 {
    f32::from_bits(u32::from(half) << 16)
}

/// Converts f64 to f16 with one rounding. A result computed in f64 is therefore rounded correctly.
pub fn f64_to_f16(value: f64, round: Round) -> u16 {
    small_float(value, round, 10, -14, 15)
}

/// Converts f64 to bf16 with one rounding.
pub fn f64_to_bf16(value: f64, round: Round) -> u16 {
    small_float(value, round, 7, -126, 127)
}

fn small_float(
    value: f64,
    round: Round,
    fraction_bits: u32,
    exponent_min: i32,
    exponent_max: i32,
) -> u16 {
    let bits = value.to_bits();
    let negative = bits >> 63 != 0;
    let sign = u16::from(negative) << 15;
    let infinity = ((2 * exponent_max + 1) as u16) << fraction_bits;
    if value.is_nan() {
        return 0x7FFF;
    }
    if value.is_infinite() {
        return sign | infinity;
    }
    if value == 0.0 {
        return sign;
    }
    let exponent = ((bits >> 52) as i32 & 0x7FF) - 1023;
    let fraction = bits & ((1 << 52) - 1) | if exponent == -1023 { 0 } else { 1 << 52 };
    // Exponent of the result's last place, clamped for subnormals.
    let place = exponent.max(exponent_min);
    let cut = (52 - fraction_bits as i32 + (place - exponent)) as u32;
    let (kept, rest, half) = if cut > 62 {
        (0, 1, 2)
    } else {
        (fraction >> cut, fraction & ((1 << cut) - 1), 1u64 << (cut - 1))
    };
    let kept = kept + u64::from(round.steps(negative, kept & 1 != 0, rest, half));
    let biased = if place == exponent_min && kept < 1 << fraction_bits {
        kept
    } else {
        kept + (((place - exponent_min) as u64) << fraction_bits)
    };
    within(biased, infinity, negative, round)
}

/// Returns the bits of a half. A value beyond the range becomes infinity or the largest finite
/// number, as the rounding mode says.
fn within(biased: u64, infinity: u16, negative: bool, round: Round) -> u16 {
    let sign = u16::from(negative) << 15;
    if biased >= u64::from(infinity) {
        let saturates = matches!(
            (round, negative),
            (Round::Zero, _) | (Round::Down, false) | (Round::Up, true)
        );
        return sign | if saturates { infinity - 1 } else { infinity };
    }
    sign | biased as u16
}

/// Converts an integer to f16 with one rounding. A conversion through f64 would round twice,
/// because f64 does not hold all bits of every integer.
pub fn int_as_f16(negative: bool, magnitude: u64, round: Round) -> u16 {
    small_int(negative, magnitude, round, 10, 15)
}

/// Converts an integer to bf16 with one rounding.
pub fn int_as_bf16(negative: bool, magnitude: u64, round: Round) -> u16 {
    small_int(negative, magnitude, round, 7, 127)
}

fn small_int(
    negative: bool,
    magnitude: u64,
    round: Round,
    fraction_bits: u32,
    exponent_max: u32,
) -> u16 {
    let Some(exponent) = magnitude.checked_ilog2() else { return 0 };
    let cut = exponent.saturating_sub(fraction_bits);
    let rest = magnitude & ((1 << cut) - 1);
    // If no bits are discarded, `half` must exceed `rest`.
    let half = if cut == 0 { 1 } else { 1 << (cut - 1) };
    let kept = if cut == 0 { magnitude << (fraction_bits - exponent) } else { magnitude >> cut };
    let kept = kept + u64::from(round.steps(negative, kept & 1 != 0, rest, half));
    let biased = kept + (u64::from(exponent + exponent_max - 1) << fraction_bits);
    within(biased, ((2 * exponent_max + 1) as u16) << fraction_bits, negative, round)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_f16_survives_the_way_through_f32() {
        for half in 0..=u16::MAX {
            let value = f16_to_f32(half);
            if !value.is_nan() {
                assert_eq!(f64_to_f16(f64::from(value), Round::Nearest), half, "{half:#06x}");
            }
        }
    }

    #[test]
    fn every_bf16_survives_the_way_through_f32() {
        for half in 0..=u16::MAX {
            let value = bf16_to_f32(half);
            if !value.is_nan() {
                assert_eq!(f64_to_bf16(f64::from(value), Round::Zero), half, "{half:#06x}");
            }
        }
    }

    #[test]
    fn rounding_has_a_direction() {
        let between = 1.0 + 1.0 / 4096.0;
        assert_eq!(f64_to_f16(between, Round::Nearest), 0x3C00);
        assert_eq!(f64_to_f16(between, Round::Up), 0x3C01);
        assert_eq!(f64_to_f16(-between, Round::Up), 0xBC00);
        assert_eq!(f64_to_f16(-between, Round::Down), 0xBC01);
        assert_eq!(f64_to_f16(65520.0, Round::Nearest), 0x7C00);
        assert_eq!(f64_to_f16(65520.0, Round::Zero), 0x7BFF);
    }
}
