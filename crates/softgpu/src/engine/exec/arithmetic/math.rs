//! Arithmetic for which the code generator has no instruction: approximations, directed rounding,
//! half precision, and atomic float operations.

use std::arch::asm;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::half::{
    Round, bf16_to_f32, f16_to_f32, f64_to_bf16, f64_to_f16, int_as_bf16, int_as_f16,
};

/// Atomically replaces the 16 bytes at `place` if they equal `high:low`, or in any case if `always`
/// is not 0. Stores the previous bytes in `old`.
pub unsafe extern "C" fn exchange128(
    place: *mut u128,
    low: u64,
    high: u64,
    new_low: u64,
    new_high: u64,
    old: *mut u128,
    always: u32,
) {
    let (mut low, mut high) = (low, high);
    loop {
        let (compared_low, compared_high) = (low, high);
        // SAFETY: the code generator checked that the processor has this instruction. A bad address
        // faults like any bad access of the kernel.
        unsafe {
            asm!(
                "xchg rbx, {new_low}", "lock cmpxchg16b [{place}]", "mov rbx, {new_low}",
                new_low = inout(reg) new_low => _, place = in(reg) place, in("rcx") new_high,
                inout("rax") low, inout("rdx") high,
                options(nostack)
            );
            if always == 0 || (low, high) == (compared_low, compared_high) {
                *old = u128::from(low) | u128::from(high) << 64;
                return;
            }
        }
    }
}

/// Bits of every f32 NaN that a GPU's arithmetic produces.
pub const NAN: u32 = 0x7FFF_FFFF;

/// Returns the bits of an arithmetic result. Every NaN becomes [`NAN`].
pub fn number(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

/// Approximates 2 to the power `x`.
pub extern "C" fn ex2(x: f32) -> f32 {
    x.exp2()
}

/// Approximates the logarithm to base 2.
pub extern "C" fn lg2(x: f32) -> f32 {
    x.log2()
}

/// Approximates the sine.
pub extern "C" fn sin(x: f32) -> f32 {
    x.sin()
}

/// Approximates the cosine.
pub extern "C" fn cos(x: f32) -> f32 {
    x.cos()
}

/// Approximates the hyperbolic tangent.
pub extern "C" fn tanh(x: f32) -> f32 {
    x.tanh()
}

/// Returns `a * b + c`, rounded once.
pub extern "C" fn fma32(a: f32, b: f32, c: f32) -> f32 {
    a.mul_add(b, c)
}

/// Returns `a * b + c`, rounded once.
pub extern "C" fn fma64(a: f64, b: f64, c: f64) -> f64 {
    a.mul_add(b, c)
}

/// Returns a value for MXCSR that masks all exceptions and selects the rounding mode `round`.
fn control(round: u32) -> u32 {
    0x1F80
        | match round {
            1 => 3 << 13,
            2 => 1 << 13,
            3 => 2 << 13,
            _ => 0,
        }
}

const NEAREST: u32 = 0x1F80;

/// Defines an operation that sets the rounding mode and restores the default mode afterwards.
macro_rules! directed {
    ($name:ident, $ty:ty, $code:literal) => {
        /// Computes the operation in rounding mode `round`.
        pub extern "C" fn $name(round: u32, a: $ty, b: $ty, c: $ty) -> $ty {
            let (mode, mut result) = (control(round), a);
            // SAFETY: the rounding mode changes only for the one instruction in the middle.
            unsafe {
                asm!(
                    "ldmxcsr [{mode}]", $code, "ldmxcsr [{nearest}]",
                    mode = in(reg) &mode, nearest = in(reg) &NEAREST,
                    a = inout(xmm_reg) result, b = in(xmm_reg) b, c = in(xmm_reg) c,
                    options(nostack, readonly)
                );
            }
            result
        }
    };
}

directed!(add32, f32, "addss {a}, {b} /* {c} */");
directed!(mul32, f32, "mulss {a}, {b} /* {c} */");
directed!(div32, f32, "divss {a}, {b} /* {c} */");
directed!(sqrt32, f32, "sqrtss {a}, {a} /* {b} {c} */");
directed!(fused32, f32, "vfmadd213ss {a}, {b}, {c}");
directed!(add64, f64, "addsd {a}, {b} /* {c} */");
directed!(mul64, f64, "mulsd {a}, {b} /* {c} */");
directed!(div64, f64, "divsd {a}, {b} /* {c} */");
directed!(sqrt64, f64, "sqrtsd {a}, {a} /* {b} {c} */");
directed!(fused64, f64, "vfmadd213sd {a}, {b}, {c}");

/// Converts f64 to f32 in rounding mode `round`.
pub extern "C" fn narrow(round: u32, value: f64) -> f32 {
    let (mode, mut result) = (control(round), 0f32);
    // SAFETY: the rounding mode changes only for the one instruction in the middle.
    unsafe {
        asm!(
            "ldmxcsr [{mode}]", "cvtsd2ss {result}, {value}", "ldmxcsr [{nearest}]",
            mode = in(reg) &mode, nearest = in(reg) &NEAREST, result = inout(xmm_reg) result,
            value = in(xmm_reg) value,
            options(nostack, readonly)
        );
    }
    result
}

/// Defines a conversion from integer to float with a rounding mode. If an unsigned value has its
/// top bit set, the conversion halves the value and keeps the lost bit as a sticky bit.
macro_rules! from_int {
    ($name:ident, $ty:ty, $code:literal) => {
        /// Converts an integer to float in rounding mode `round`.
        pub extern "C" fn $name(round: u32, value: u64, signed: u32) -> $ty {
            let folded = signed == 0 && value >> 63 != 0;
            let input = if folded { value >> 1 | value & 1 } else { value };
            let (mode, mut result) = (control(round), 0 as $ty);
            // SAFETY: the rounding mode changes only for the one instruction in the middle.
            unsafe {
                asm!(
                    "ldmxcsr [{mode}]", $code, "ldmxcsr [{nearest}]",
                    mode = in(reg) &mode, nearest = in(reg) &NEAREST,
                    result = inout(xmm_reg) result, value = in(reg) input,
                    options(nostack, readonly)
                );
            }
            if folded { result * 2.0 } else { result }
        }
    };
}

from_int!(int_to_f32, f32, "cvtsi2ss {result}, {value}");
from_int!(int_to_f64, f64, "cvtsi2sd {result}, {value}");

fn rounding(round: u32) -> Round {
    [Round::Nearest, Round::Zero, Round::Down, Round::Up, Round::Away][round as usize % 5]
}

/// Converts f16 to f32.
pub extern "C" fn widen_f16(half: u32) -> f32 {
    f16_to_f32(half as u16)
}

/// Converts an integer to f16.
pub extern "C" fn int_to_f16(round: u32, value: u64, signed: u32) -> u32 {
    let negative = signed != 0 && value >> 63 != 0;
    u32::from(int_as_f16(
        negative,
        if negative { value.wrapping_neg() } else { value },
        rounding(round),
    ))
}

/// Converts an integer to bf16.
pub extern "C" fn int_to_bf16(round: u32, value: u64, signed: u32) -> u32 {
    let negative = signed != 0 && value >> 63 != 0;
    u32::from(int_as_bf16(
        negative,
        if negative { value.wrapping_neg() } else { value },
        rounding(round),
    ))
}

/// Returns `a * b + c`, rounded to odd. The product must be exact. If the sum is not exact, the
/// result is the neighbouring number whose last bit is set.
pub extern "C" fn fused_to_odd(a: f64, b: f64, c: f64) -> f64 {
    let product = a * b;
    let sum = product + c;
    if !sum.is_finite() {
        return sum;
    }
    // The exact rounding error of the sum (Knuth's two-sum).
    let part = sum - product;
    let lost = (product - (sum - part)) + (c - part);
    if lost == 0.0 || sum.to_bits() & 1 != 0 {
        return sum;
    }
    let away = (lost > 0.0) == (sum > 0.0);
    f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

/// Converts f64 to f16.
pub extern "C" fn narrow_f16(round: u32, value: f64) -> u32 {
    u32::from(f64_to_f16(value, rounding(round)))
}

/// Converts f64 to bf16.
pub extern "C" fn narrow_bf16(round: u32, value: f64) -> u32 {
    u32::from(f64_to_bf16(value, rounding(round)))
}

/// Rounds to tf32, which has a fraction of 10 bits. Ties round away from zero unless `round`
/// selects another mode.
///
/// If `finite` is not 0, numbers beyond the range become the largest finite number.
pub extern "C" fn narrow_tf32(round: u32, value: f32, finite: u32) -> f32 {
    const LARGEST: u32 = 0x7F7F_E000;
    let bits = value.to_bits();
    if value.is_nan() || (value.is_infinite() && finite == 0) {
        return value;
    }
    let add = match rounding(round) {
        Round::Zero => 0,
        Round::Nearest => 0xFFF + (bits >> 13 & 1),
        _ => 0x1000,
    };
    let rounded = bits.wrapping_add(add) & !0x1FFF;
    let beyond = finite != 0 && rounded & 0x7FFF_FFFF > LARGEST;
    f32::from_bits(if beyond { bits & 1 << 31 | LARGEST } else { rounded })
}

/// An atomic update by compare-and-swap. The discriminants are part of the interface to compiled
/// code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Update {
    AddF32,
    AddF64,
    AddF16,
    AddBf16,
    AddF16x2,
    AddBf16x2,
    Inc,
    Dec,
    MinF32,
    MaxF32,
}

/// Atomically updates the value at `address` and returns the previous value.
pub unsafe extern "C" fn update(what: Update, address: u64, operand: u64) -> u64 {
    // SAFETY: the address comes from the kernel, and a bad one faults like any bad access of the
    // kernel. On x86, atomic accesses of different sizes may be mixed.
    unsafe {
        match what {
            Update::AddF64 => {
                let cell = &*(address as *const AtomicU64);
                let add = |old| Some((f64::from_bits(old) + f64::from_bits(operand)).to_bits());
                cell.fetch_update(Ordering::SeqCst, Ordering::SeqCst, add).unwrap_or_default()
            }
            Update::AddF16 | Update::AddBf16 => {
                let cell = &*(address as *const AtomicU16);
                let add = |old| Some(add_half(old, operand as u16, what == Update::AddF16));
                u64::from(
                    cell.fetch_update(Ordering::SeqCst, Ordering::SeqCst, add).unwrap_or_default(),
                )
            }
            _ => {
                let cell = &*(address as *const AtomicU32);
                let next = |old| Some(next32(what, old, operand as u32));
                u64::from(
                    cell.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next).unwrap_or_default(),
                )
            }
        }
    }
}

fn next32(what: Update, old: u32, operand: u32) -> u32 {
    let (a, b) = (f32::from_bits(old), f32::from_bits(operand));
    match what {
        Update::AddF32 => number(a + b),
        Update::MinF32 => number(a.min(b)),
        Update::MaxF32 => number(a.max(b)),
        Update::Inc if old >= operand => 0,
        Update::Inc => old + 1,
        Update::Dec if old == 0 || old > operand => operand,
        Update::Dec => old - 1,
        _ => {
            let f16 = what == Update::AddF16x2;
            let low = add_half(old as u16, operand as u16, f16);
            let high = add_half((old >> 16) as u16, (operand >> 16) as u16, f16);
            u32::from(low) | u32::from(high) << 16
        }
    }
}

fn add_half(a: u16, b: u16, f16: bool) -> u16 {
    if f16 {
        f64_to_f16(f64::from(f16_to_f32(a)) + f64::from(f16_to_f32(b)), Round::Nearest)
    } else {
        f64_to_bf16(f64::from(bf16_to_f32(a)) + f64::from(bf16_to_f32(b)), Round::Nearest)
    }
}

/// Implements `fns`: returns the position of the n-th set bit of `mask`, counted from `base`. The
/// sign of `offset` gives the direction.
pub extern "C" fn find_nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    if offset == 0 {
        return if mask >> (base & 31) & 1 != 0 { base } else { u32::MAX };
    }
    let step = offset.signum();
    let mut left = offset.unsigned_abs();
    let mut position = base as i64;
    while (0..32).contains(&position) {
        if mask >> position & 1 != 0 {
            left -= 1;
            if left == 0 {
                return position as u32;
            }
        }
        position += i64::from(step);
    }
    u32::MAX
}

/// Returns the real-time clock in nanoseconds, which is the same for all threads.
pub extern "C" fn nanoseconds() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writes.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Returns a counter that runs at about a GPU's clock rate.
pub extern "C" fn clock() -> u64 {
    // SAFETY: every x86-64 processor has a time stamp counter.
    unsafe { std::arch::x86_64::_rdtsc() }
}
