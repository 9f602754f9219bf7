//! Arithmetic on the bytes or halves of a register: the video instructions that compilers emit for
//! CUDA's SIMD intrinsics.

/// An operation. The discriminants are part of the interface to compiled code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Lane {
    Add,
    Sub,
    Average,
    AbsoluteDifference,
    Min,
    Max,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Lane {
    /// Returns the operation with this PTX name.
    pub fn parse(text: &str) -> Option<Lane> {
        Some(match text {
            "add" => Lane::Add,
            "sub" => Lane::Sub,
            "avrg" => Lane::Average,
            "absdiff" => Lane::AbsoluteDifference,
            "min" => Lane::Min,
            "max" => Lane::Max,
            "eq" => Lane::Equal,
            "ne" => Lane::NotEqual,
            "lt" => Lane::Less,
            "le" => Lane::LessOrEqual,
            "gt" => Lane::Greater,
            "ge" => Lane::GreaterOrEqual,
            _ => return None,
        })
    }

    fn number(number: u32) -> Lane {
        use Lane::{Average, Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual, Sub};
        let all = [
            Lane::Add,
            Sub,
            Average,
            Lane::AbsoluteDifference,
            Lane::Min,
            Lane::Max,
            Equal,
            NotEqual,
            Less,
            LessOrEqual,
            Greater,
        ];
        all.get(number as usize).copied().unwrap_or(GreaterOrEqual)
    }

    fn apply(self, a: i32, b: i32) -> i32 {
        match self {
            Lane::Add => a + b,
            Lane::Sub => a - b,
            Lane::Average => (a + b + i32::from(a + b >= 0)) >> 1,
            Lane::AbsoluteDifference => (a - b).abs(),
            Lane::Min => a.min(b),
            Lane::Max => a.max(b),
            Lane::Equal => i32::from(a == b),
            Lane::NotEqual => i32::from(a != b),
            Lane::Less => i32::from(a < b),
            Lane::LessOrEqual => i32::from(a <= b),
            Lane::Greater => i32::from(a > b),
            Lane::GreaterOrEqual => i32::from(a >= b),
        }
    }
}

/// A form of a video instruction.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// The operation.
    pub lane: Lane,
    /// Bits in each part of the register: 8 or 16.
    pub bits: u32,
    /// Whether each operand is signed.
    pub signed: [bool; 2],
    /// Whether the result is signed.
    pub signed_result: bool,
    /// Whether the result saturates.
    pub saturate: bool,
    /// Whether negative results become zero.
    pub relu: bool,
    /// Whether the results of all parts are added to a third operand.
    pub accumulate: bool,
}

impl Form {
    /// Packs the form into one number, for compiled code.
    pub fn pack(self) -> u32 {
        let flags = [
            self.signed[0],
            self.signed[1],
            self.signed_result,
            self.saturate,
            self.relu,
            self.accumulate,
        ];
        flags.iter().enumerate().fold(self.lane as u32 | self.bits << 8, |packed, (at, flag)| {
            packed | u32::from(*flag) << (16 + at)
        })
    }

    fn unpack(packed: u32) -> Form {
        let flag = |at: u32| packed >> (16 + at) & 1 != 0;
        Form {
            lane: Lane::number(packed & 0xFF),
            bits: (packed >> 8 & 0xFF).clamp(8, 16),
            signed: [flag(0), flag(1)],
            signed_result: flag(2),
            saturate: flag(3),
            relu: flag(4),
            accumulate: flag(5),
        }
    }
}

/// Applies an operation to each part of the registers `a` and `b`.
pub extern "C" fn lanes(packed: u32, a: u32, b: u32, c: u32) -> u32 {
    let form = Form::unpack(packed);
    let bits = form.bits;
    let part = |value: u32, at: u32, signed: bool| {
        let top = value >> (at * bits) << (32 - bits);
        if signed { top as i32 >> (32 - bits) } else { (top >> (32 - bits)) as i32 }
    };
    let (low, high) = if form.signed_result {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    };
    let mut result = if form.accumulate { c } else { 0 };
    for at in 0..32 / bits {
        let mut value = form.lane.apply(part(a, at, form.signed[0]), part(b, at, form.signed[1]));
        if form.saturate {
            value = value.clamp(low, high);
        }
        if form.relu {
            value = value.max(0);
        }
        if form.accumulate {
            result = result.wrapping_add(value as u32);
        } else {
            result |= (value as u32 & ((1 << bits) - 1)) << (at * bits);
        }
    }
    result
}

/// Implements `cvt.pack`: clamps two numbers to `bits` bits each. They form the low bits of the
/// result, and the lowest bits of `c` fill the bits above them.
pub extern "C" fn pack(bits_and_signs: u32, a: u32, b: u32, c: u32) -> u32 {
    let (bits, signed, signed_source) =
        (bits_and_signs & 0xFF, bits_and_signs >> 8 & 1 != 0, bits_and_signs >> 9 & 1 != 0);
    let (low, high) = if signed {
        (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1)
    } else {
        (0, (1i64 << bits) - 1)
    };
    let clamp = |value: u32| {
        let wide = if signed_source { i64::from(value as i32) } else { i64::from(value) };
        (wide.clamp(low, high) as u32) & ((1 << bits) - 1)
    };
    let kept = if 2 * bits >= 32 { 0 } else { c << (2 * bits) };
    kept | clamp(a) << bits | clamp(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: Form = Form {
        lane: Lane::Add,
        bits: 8,
        signed: [false; 2],
        signed_result: false,
        saturate: false,
        relu: false,
        accumulate: false,
    };

    #[test]
    fn lanes_do_not_carry_into_each_other() {
        assert_eq!(lanes(BYTES.pack(), 0x01FF_80FF, 0x0101_8001, 0), 0x0200_0000);
        assert_eq!(
            lanes(Form { saturate: true, ..BYTES }.pack(), 0x01FF_80FF, 0x0101_8001, 0),
            0x02FF_FFFF
        );
    }

    #[test]
    fn differences_add_up() {
        let form = Form { lane: Lane::AbsoluteDifference, accumulate: true, ..BYTES };
        assert_eq!(lanes(form.pack(), 0x0A00_FF05, 0x0501_0005, 1000), 1000 + 5 + 1 + 255);
        let signed = Form { signed: [true; 2], ..form };
        assert_eq!(lanes(signed.pack(), 0x0000_00FF, 0x0000_0001, 0), 2);
    }

    #[test]
    fn packing_clamps() {
        let unsigned_bytes_of_signed = 8 | 1 << 9;
        assert_eq!(pack(unsigned_bytes_of_signed, 300, -5i32 as u32, 0x1234), 0x1234_FF00);
        let signed_halves = 16 | 1 << 8 | 1 << 9;
        assert_eq!(pack(signed_halves, 100_000, -100_000i32 as u32, 0), 0x7FFF_8000);
    }
}
