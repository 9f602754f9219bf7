//! The results of instructions according to the PTX manual, implemented plainly and independently:
//! integers as `i128`, floats by the host's arithmetic, halves by rounding an exact value. It uses
//! no part of the engine.

use outhaul_softgpu::engine::{Ty, TypeKind};

use crate::opcode::Op;

/// Bits of the f32 NaN that arithmetic of a GPU produces.
pub const NAN32: u32 = 0x7FFF_FFFF;
/// Bits that represent every f64 NaN.
pub const NAN64: u64 = 0x7FF8_0000_0000_0000;

/// The result, and the predicate that is written with it.
pub type Outcome = (u64, bool);

/// Computes an instruction. Returns `None` for an unknown one.
pub fn evaluate(op: &Op, a: &[u64]) -> Option<Outcome> {
    if op.name == "cvt" {
        return convert(op, a).map(plain);
    }
    if matches!(op.name, "setp" | "set" | "testp" | "selp" | "slct") {
        return choose(op, a);
    }
    let result = op.types.first().copied();
    match (op.name, result) {
        ("not", Some(Ty::PRED)) => Some(plain(u64::from(a[0] == 0))),
        (_, Some(ty)) if op.types.len() == 2 && ty == Ty::F32 => mixed(op, a).map(plain),
        (
            _,
            Some(Ty {
                kind: TypeKind::Float | TypeKind::Bf16 | TypeKind::F16x2 | TypeKind::Bf16x2,
                ..
            }),
        ) => float(op, a).map(plain),
        ("lop3", _) => Some(lop3(op, a)),
        _ if op.name.starts_with('v') || op.has("u16x2") || op.has("s16x2") => {
            lanes(op, a).map(plain)
        }
        _ => whole(op, a).map(plain),
    }
}

fn plain(value: u64) -> Outcome {
    (value, false)
}

/// Returns a number with the lowest bits set.
pub fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Returns the number that these bits represent in a type.
fn number(ty: Ty, value: u64) -> i128 {
    let value = value & mask(ty.bits);
    let negative = ty.kind == TypeKind::Signed && value >> (ty.bits - 1) & 1 != 0;
    i128::from(value) - if negative { 1 << ty.bits } else { 0 }
}

fn least(ty: Ty) -> i128 {
    if ty.kind == TypeKind::Signed { -(1 << (ty.bits - 1)) } else { 0 }
}

fn most(ty: Ty) -> i128 {
    (1 << (ty.bits - u32::from(ty.kind == TypeKind::Signed))) - 1
}

fn whole(op: &Op, a: &[u64]) -> Option<u64> {
    let ty = *op.types.first()?;
    let n = |index: usize| number(ty, a[index]);
    let word = |index: usize| a[index] & 0xFFFF_FFFF;
    let bits = i128::from(ty.bits);
    let shifted = |value: i128, by: u64| if by >= 100 { 0 } else { value << by };
    // A product of two unsigned 64-bit numbers has 128 bits, one more than i128. Only its bits
    // matter.
    let product = || n(0).wrapping_mul(n(1));
    let part = |product: i128| if op.has("hi") { product >> bits } else { product };
    let low24 = |index: usize| number(Ty { bits: 24, ..ty }, a[index]);
    let part24 = || if op.has("hi") { (low24(0) * low24(1)) >> 16 } else { low24(0) * low24(1) };
    let clamped = |value: i128| value.clamp(least(ty), most(ty));
    let cut = |value: i128| number(ty, value as u64);
    let value: i128 = match op.name {
        "add" if op.has("sat") => clamped(n(0) + n(1)),
        "sub" if op.has("sat") => clamped(n(0) - n(1)),
        "add" => n(0) + n(1),
        "sub" => n(0) - n(1),
        "mul" => part(product()),
        "mad" if op.has("wide") => {
            product().wrapping_add(number(Ty { bits: 2 * ty.bits, ..ty }, a[2]))
        }
        "mad" if op.has("sat") => clamped(cut(part(product())) + n(2)),
        "mad" => part(product()).wrapping_add(n(2)),
        "mul24" => part24(),
        "mad24" if op.has("sat") => clamped(cut(part24()) + n(2)),
        "mad24" => part24() + n(2),
        "sad" => n(2) + (n(0) - n(1)).abs(),
        "div" => n(0).checked_div(n(1)).unwrap_or(-1),
        "rem" => n(0).checked_rem(n(1)).unwrap_or(n(0)),
        "abs" => n(0).abs(),
        "neg" => -n(0),
        "min" | "max" => {
            let found = if op.name == "min" { n(0).min(n(1)) } else { n(0).max(n(1)) };
            if op.has("relu") { found.max(0) } else { found }
        }
        "popc" => (a[0] & mask(ty.bits)).count_ones().into(),
        "clz" => i128::from((a[0] & mask(ty.bits)).leading_zeros()) - (64 - bits),
        "brev" => ((a[0] & mask(ty.bits)).reverse_bits() >> (64 - bits)).into(),
        "bfind" => {
            let seen = if n(0) < 0 { !n(0) } else { n(0) };
            match (seen, seen.checked_ilog2()) {
                (0, _) | (_, None) => -1,
                (_, Some(top)) if op.has("shiftamt") => bits - 1 - i128::from(top),
                (_, Some(top)) => top.into(),
            }
        }
        "bfe" => extract(ty, a),
        "bfi" => insert(ty, a),
        "szext" => {
            let length = if op.has("wrap") { word(1) & 31 } else { word(1).min(32) } as u32;
            if length == 0 { 0 } else { number(Ty { bits: length, ..ty }, a[0]) }
        }
        "bmsk" => {
            let (start, length) =
                if op.has("wrap") { (word(0) & 31, word(1) & 31) } else { (word(0), word(1)) };
            let ones = if length >= 32 { 0xFFFF_FFFF } else { (1 << length) - 1 };
            shifted(ones, start)
        }
        "fns" => find(a[0] as u32, a[1] as u32, a[2] as i32)?,
        "dp4a" | "dp2a" => dot(op, a),
        "and" => (a[0] & a[1]).into(),
        "or" => (a[0] | a[1]).into(),
        "xor" => (a[0] ^ a[1]).into(),
        "not" => (!a[0]).into(),
        "cnot" => i128::from(a[0] & mask(ty.bits) == 0),
        "shl" => shifted(n(0), word(1).min(64)),
        "shr" => n(0) >> word(1).min(100),
        "shf" => {
            let by = if op.has("clamp") { word(2).min(32) } else { word(2) & 31 };
            let both = i128::from(word(1)) << 32 | i128::from(word(0));
            if op.has("l") { (both << by) >> 32 } else { both >> by }
        }
        "prmt" => permute(op, a).into(),
        "mov" => a[0].into(),
        _ => return None,
    };
    let width = match op.name {
        _ if op.has("wide") => 2 * ty.bits,
        "popc" | "clz" | "bfind" | "dp4a" | "dp2a" => 32,
        _ => ty.bits,
    };
    Some(value as u64 & mask(width))
}

fn extract(ty: Ty, a: &[u64]) -> i128 {
    let cut = if ty.bits == 64 { 0xFFFF_FFFF } else { 0xFF };
    let (start, length) = (a[1] & cut, a[2] & cut);
    let last = u64::from(ty.bits) - 1;
    let bit = |place: u64| a[0] >> place & 1;
    let sign = if ty.kind != TypeKind::Signed || length == 0 {
        0
    } else {
        bit((start + length - 1).min(last))
    };
    let read = |place: u64| {
        if place < length && start + place <= last { bit(start + place) } else { sign }
    };
    (0..=last).map(|place| i128::from(read(place)) << place).sum()
}

fn insert(ty: Ty, a: &[u64]) -> i128 {
    let cut = if ty.bits == 64 { 0xFFFF_FFFF } else { 0xFF };
    let (start, length) = (a[2] & cut, a[3] & cut);
    let inside = |place: u64| place >= start && place - start < length;
    let bit =
        |place: u64| if inside(place) { a[0] >> (place - start) & 1 } else { a[1] >> place & 1 };
    (0..u64::from(ty.bits)).map(|place| i128::from(bit(place)) << place).sum()
}

/// Returns the position of the n-th one of a mask, counted upwards or downwards from a base.
fn find(bits: u32, base: u32, n: i32) -> Option<i128> {
    if base > 31 {
        return None;
    }
    let ones = |places: &mut dyn Iterator<Item = u32>, nth: u32| {
        places.filter(|place| bits >> place & 1 != 0).nth(nth as usize)
    };
    let found = match n {
        0 => (bits >> base & 1 != 0).then_some(base),
        1.. => ones(&mut (base..32), n as u32 - 1),
        _ => ones(&mut (0..=base).rev(), n.unsigned_abs() - 1),
    };
    Some(found.map_or(-1, i128::from))
}

fn dot(op: &Op, a: &[u64]) -> i128 {
    let (count, bits, first) =
        if op.name == "dp4a" { (4, 8, 0) } else { (2, 16, if op.has("hi") { 2 } else { 0 }) };
    let of = |ty: Ty, value: u64, bits: u32, index: u32| {
        number(Ty { bits, ..ty }, value >> (bits * index))
    };
    let sum: i128 = (0..count)
        .map(|i| of(op.types[0], a[0], bits, i) * of(op.types[1], a[1], 8, i + first))
        .sum();
    sum + i128::from(a[2])
}

fn permute(op: &Op, a: &[u64]) -> u64 {
    let bytes: Vec<u64> = (0..8)
        .map(|i| if i < 4 { a[0] >> (8 * i) & 255 } else { a[1] >> (8 * (i - 4)) & 255 })
        .collect();
    let s = a[2] & 3;
    let mode = op.words.first().copied().unwrap_or("");
    let byte = |i: u64| {
        let pick = match mode {
            "f4e" => s + i,
            "b4e" => (s + 8 - i) & 7,
            "rc8" => s,
            "ecl" => s.max(i),
            "ecr" => s.min(i),
            "rc16" => (s & 1) * 2 + (i & 1),
            _ => a[2] >> (4 * i) & 15,
        };
        let found = bytes[pick as usize & 7];
        if mode.is_empty() && pick & 8 != 0 {
            if found & 128 != 0 { 255 } else { 0 }
        } else {
            found
        }
    };
    (0..4).map(|i| byte(i) << (8 * i)).sum()
}

fn lop3(op: &Op, a: &[u64]) -> Outcome {
    let bit = |place: u32| {
        a[3] >> (4 * (a[0] >> place & 1) + 2 * (a[1] >> place & 1) + (a[2] >> place & 1)) & 1
    };
    let value: u64 = (0..32).map(|place| bit(place) << place).sum();
    let with = a.get(4).is_some_and(|p| *p != 0);
    (value, if op.has("or") { value != 0 || with } else { value != 0 && with })
}

fn lanes(op: &Op, a: &[u64]) -> Option<u64> {
    let (bits, signs) = match op.name.strip_prefix('v') {
        Some(name) => (
            if name.ends_with('2') { 16 } else { 8 },
            op.types.iter().map(|ty| ty.kind == TypeKind::Signed).collect::<Vec<_>>(),
        ),
        None => (16, vec![op.has("s16x2"); 3]),
    };
    let name = op.name.trim_start_matches('v').trim_end_matches(['2', '4']);
    let ty = |signed: bool| Ty {
        kind: if signed { TypeKind::Signed } else { TypeKind::Unsigned },
        bits,
    };
    let (first, second) =
        if name == "set" { (ty(signs[0]), ty(signs[1])) } else { (ty(signs[1]), ty(signs[2])) };
    let result = if name == "set" { ty(false) } else { ty(signs[0]) };
    let (mut out, mut sum) = (0, 0);
    for lane in 0..32 / bits {
        let (x, y) = (number(first, a[0] >> (lane * bits)), number(second, a[1] >> (lane * bits)));
        let mut value = match name {
            "add" => x + y,
            "sub" => x - y,
            "avrg" => (x + y + i128::from(x + y >= 0)) >> 1,
            "absdiff" => (x - y).abs(),
            "min" => x.min(y),
            "max" => x.max(y),
            "set" => i128::from(compare(
                op.words.iter().find(|word| word.len() == 2)?,
                x.partial_cmp(&y),
            )?),
            _ => return None,
        };
        if op.has("relu") {
            value = value.max(0);
        }
        sum += value;
        let value = if op.has("sat") { value.clamp(least(result), most(result)) } else { value };
        out |= (value as u64 & mask(bits)) << (lane * bits);
    }
    // The third operand is added with a sum, and otherwise supplies the lanes that are not written.
    // All lanes are written here.
    Some(if op.name.starts_with('v') && op.has("add") {
        (sum + i128::from(a[2])) as u64 & mask(32)
    } else {
        out
    })
}

fn compare(relation: &str, order: Option<std::cmp::Ordering>) -> Option<bool> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    Some(match (relation, order) {
        ("num", order) => order.is_some(),
        ("nan", order) => order.is_none(),
        ("equ" | "neu" | "ltu" | "leu" | "gtu" | "geu", None) => true,
        ("eq" | "ne" | "lt" | "le" | "gt" | "ge", None) => false,
        ("eq" | "equ", Some(order)) => order == Equal,
        ("ne" | "neu", Some(order)) => order != Equal,
        ("lt" | "lo" | "ltu", Some(order)) => order == Less,
        ("le" | "ls" | "leu", Some(order)) => order != Greater,
        ("gt" | "hi" | "gtu", Some(order)) => order == Greater,
        ("ge" | "hs" | "geu", Some(order)) => order != Less,
        _ => return None,
    })
}

/// Computes `setp`, `set`, `testp`, `selp` and `slct`.
fn choose(op: &Op, a: &[u64]) -> Option<Outcome> {
    let ty = *op.types.last()?;
    match op.name {
        "selp" => return Some(plain(if a[2] != 0 { a[0] } else { a[1] })),
        "slct" => {
            let first =
                if ty == Ty::F32 { flush(op, ty, a[2]) >= 0.0 } else { number(ty, a[2]) >= 0 };
            return Some(plain(if first { a[0] } else { a[1] }));
        }
        "testp" => return Some(plain(u64::from(property(op.words[0], ty, a[0])?))),
        _ => {}
    }
    let packed = matches!(ty.kind, TypeKind::F16x2 | TypeKind::Bf16x2);
    let lane = lane_of(ty);
    let with = |holds: bool| match (op.word(&["and", "or", "xor"]), a.get(2)) {
        (Some("and"), Some(c)) => holds && *c != 0,
        (Some("or"), Some(c)) => holds || *c != 0,
        (Some("xor"), Some(c)) => holds != (*c != 0),
        _ => holds,
    };
    let holds = |shift: u32| {
        let (x, y) = (a[0] >> shift, a[1] >> shift);
        let order = if is_float(lane) {
            flush(op, lane, x).partial_cmp(&flush(op, lane, y))
        } else {
            number(ty, x).partial_cmp(&number(ty, y))
        };
        compare(op.words[0], order)
    };
    let first = holds(0)?;
    if op.name == "setp" {
        let second = if packed { holds(16)? } else { !first };
        return Some((u64::from(with(first)), with(second)));
    }
    let to = op.types[0];
    let yes = match (to.kind, to.bits) {
        (TypeKind::Float, 32) => 0x3F80_0000,
        (TypeKind::Float, 16) | (TypeKind::F16x2, _) => 0x3C00,
        (TypeKind::Bf16 | TypeKind::Bf16x2, _) => 0x3F80,
        _ if packed => 0xFFFF,
        _ => mask(to.bits),
    };
    let of = |holds: bool| if with(holds) { yes } else { 0 };
    Some(plain(if packed { of(first) | of(holds(16)?) << 16 } else { of(first) }))
}

fn property(word: &str, ty: Ty, bits: u64) -> Option<bool> {
    let class = if ty.bits == 32 {
        f32::from_bits(bits as u32).classify()
    } else {
        f64::from_bits(bits).classify()
    };
    use std::num::FpCategory::{Infinite, Nan, Normal, Subnormal, Zero};
    Some(match word {
        "finite" => !matches!(class, Nan | Infinite),
        "infinite" => class == Infinite,
        "number" => class != Nan,
        "notanumber" => class == Nan,
        "normal" => matches!(class, Normal | Zero),
        "subnormal" => class == Subnormal,
        _ => return None,
    })
}

fn is_float(ty: Ty) -> bool {
    matches!(ty.kind, TypeKind::Float | TypeKind::Bf16)
}

fn lane_of(ty: Ty) -> Ty {
    match ty.kind {
        TypeKind::F16x2 => Ty::F16,
        TypeKind::Bf16x2 => Ty::BF16,
        _ => ty,
    }
}

/// Returns the number of fraction bits, and the least and greatest exponent.
fn format(ty: Ty) -> (i32, i32, i32) {
    match (ty.kind, ty.bits) {
        (TypeKind::Bf16, _) => (7, -126, 127),
        (_, 16) => (10, -14, 15),
        (_, 32) => (23, -126, 127),
        _ => (52, -1022, 1023),
    }
}

/// Returns the exact value of bits.
fn value(ty: Ty, bits: u64) -> f64 {
    let (fraction, least, most) = format(ty);
    match (ty.kind, ty.bits) {
        (TypeKind::Float, 32) => f64::from(f32::from_bits(bits as u32)),
        (TypeKind::Float, 64) => f64::from_bits(bits),
        _ => {
            let sign = if bits >> 15 & 1 != 0 { -1.0 } else { 1.0 };
            let (exponent, rest) =
                ((bits >> fraction) as i32 & (2 * most + 1), (bits & mask(fraction as u32)) as f64);
            let unit = |e: i32| 2f64.powi(e - fraction);
            sign * match exponent {
                0 => rest * unit(least),
                e if e == 2 * most + 1 => {
                    if rest == 0.0 {
                        f64::INFINITY
                    } else {
                        f64::NAN
                    }
                }
                e => (rest + 2f64.powi(fraction)) * unit(e - most),
            }
        }
    }
}

/// Returns the value as `.ftz` reads it: a denormal is a zero of its sign.
fn flush(op: &Op, ty: Ty, bits: u64) -> f64 {
    let value = value(ty, bits);
    let denormal = ty.bits < 64 && value.abs() < 2f64.powi(format(ty).1);
    if op.has("ftz") && denormal { 0f64.copysign(value) } else { value }
}

/// Returns the bits of the number nearest to `value + rest`. `rest` is too small to change `value`.
fn round(ty: Ty, value: f64, rest: f64, mode: &str) -> u64 {
    let (fraction, least, most) = format(ty);
    let nan = match ty.bits {
        64 => NAN64,
        32 => NAN32.into(),
        _ => 0x7FFF,
    };
    if value.is_nan() {
        return nan;
    }
    if ty.bits == 64 {
        return value.to_bits();
    }
    let sign = u64::from(value.is_sign_negative()) << (ty.bits - 1);
    let infinity = ((2 * most + 1) as u64) << fraction;
    let magnitude = value.abs();
    if magnitude.is_infinite() {
        return sign | infinity;
    }
    let exponent = if magnitude == 0.0 {
        least
    } else {
        (((magnitude.to_bits() >> 52) as i32) - 1023).max(least)
    };
    // Both scalings are by powers of two and exact. The first leaves at most 53 bits before the
    // point.
    let scaled = magnitude
        * 2f64.powi((fraction - exponent) / 2)
        * 2f64.powi(fraction - exponent - (fraction - exponent) / 2);
    let below = scaled.floor();
    let rest = rest * if value < 0.0 { -1.0 } else { 1.0 };
    let (part, exact) = (scaled - below, scaled == below && rest == 0.0);
    let negative = value < 0.0;
    let up = match mode {
        "rz" => false,
        "rm" => negative && !exact,
        "rp" => !negative && !exact,
        "rna" => part > 0.5 || part == 0.5 && rest >= 0.0,
        _ => part > 0.5 || part == 0.5 && (rest > 0.0 || rest == 0.0 && below % 2.0 == 1.0),
    };
    let units = below as u64 + u64::from(up);
    let bits = units + (((exponent - least) as u64) << fraction);
    if bits < infinity {
        return sign | bits;
    }
    let stays = match mode {
        "rz" => true,
        "rm" => !negative,
        "rp" => negative,
        _ => false,
    };
    sign | if stays { infinity - 1 } else { infinity }
}

fn mode(op: &Op) -> &'static str {
    op.word(&["rn", "rz", "rm", "rp", "rna"]).unwrap_or("rn")
}

/// Returns the sum and its rounding error.
fn sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    if !s.is_finite() {
        return (s, 0.0);
    }
    let part = s - a;
    (s, (a - (s - part)) + (b - part))
}

fn clamp01(value: f64) -> f64 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

fn mixed(op: &Op, a: &[u64]) -> Option<u64> {
    let half = op.types[1];
    let x = |index: usize| value(half, a[index]) as f32;
    let last = f32::from_bits(*a.last()? as u32);
    if mode(op) != "rn" {
        return None;
    }
    let found = match op.name {
        "add" => x(0) + last,
        "sub" => x(0) - last,
        _ => x(0).mul_add(x(1), last),
    };
    let found = f64::from(found);
    Some(round(Ty::F32, if op.has("sat") { clamp01(found) } else { found }, 0.0, "rn"))
}

fn float(op: &Op, a: &[u64]) -> Option<u64> {
    let ty = *op.types.first()?;
    if matches!(ty.kind, TypeKind::F16x2 | TypeKind::Bf16x2) {
        let half = |shift: u32| {
            one_float(
                op,
                lane_of(ty),
                &a.iter().map(|bits| bits >> shift & 0xFFFF).collect::<Vec<_>>(),
            )
        };
        return Some(half(0)? | half(16)? << 16);
    }
    one_float(op, ty, a)
}

fn one_float(op: &Op, ty: Ty, a: &[u64]) -> Option<u64> {
    let top = 1u64 << (ty.bits - 1);
    let nan = |index: usize| value(ty, a[index]).is_nan();
    let x = |index: usize| flush(op, ty, a[index]);
    let bits = |found: f64| round(ty, found, 0.0, "rn");
    match op.name {
        "mov" => return Some(a[0]),
        "copysign" => return Some(a[0] & top | a[1] & (top - 1)),
        // For f64, the sign of a NaN changes too. Its result is treated as any other NaN.
        "abs" => return Some(bits(x(0).abs())),
        "neg" => return Some(bits(-x(0))),
        "min" | "max" => {
            let (mut p, mut q) = (x(0), x(1));
            if op.has("xorsign") {
                (p, q) = (p.abs(), q.abs());
            }
            let least =
                |p: f64, q: f64| if p < q || p == q && p.is_sign_negative() { p } else { q };
            let found = match (nan(0), nan(1)) {
                (true, true) => f64::NAN,
                (true, false) => {
                    if op.has("NaN") {
                        f64::NAN
                    } else {
                        q
                    }
                }
                (false, true) => {
                    if op.has("NaN") {
                        f64::NAN
                    } else {
                        p
                    }
                }
                _ if op.name == "min" => least(p, q),
                _ => -least(-p, -q),
            };
            let signs = op.has("xorsign") && !(ty == Ty::F32 && found.is_nan());
            return Some(if signs {
                bits(found) & (top - 1) | (a[0] ^ a[1]) & top
            } else {
                bits(found)
            });
        }
        _ => {}
    }
    if mode(op) != "rn" || op.has("approx") || op.has("full") {
        return None;
    }
    let small = ty.bits == 16;
    let (found, lost) = match (op.name, ty.bits) {
        ("add", 32) => (f64::from(x(0) as f32 + x(1) as f32), 0.0),
        ("sub", 32) => (f64::from(x(0) as f32 - x(1) as f32), 0.0),
        ("mul", 32) => (f64::from(x(0) as f32 * x(1) as f32), 0.0),
        ("fma" | "mad", 32) => (f64::from((x(0) as f32).mul_add(x(1) as f32, x(2) as f32)), 0.0),
        ("div", 32) => (f64::from(x(0) as f32 / x(1) as f32), 0.0),
        ("rcp", 32) => (f64::from(1.0 / x(0) as f32), 0.0),
        ("sqrt", 32) => (f64::from((x(0) as f32).sqrt()), 0.0),
        ("fma" | "mad", 64) => (x(0).mul_add(x(1), x(2)), 0.0),
        ("add", _) => sum(x(0), x(1)),
        ("sub", _) => sum(x(0), -x(1)),
        ("mul", _) => (x(0) * x(1), 0.0),
        ("fma", _) => sum(x(0) * x(1), x(2)),
        ("div", 64) => (x(0) / x(1), 0.0),
        ("rcp", 64) => (1.0 / x(0), 0.0),
        ("sqrt", 64) => (x(0).sqrt(), 0.0),
        _ => return None,
    };
    let lost = if small { lost } else { 0.0 };
    let found = if op.has("sat") { clamp01(found) } else { found };
    let found = if op.has("relu") && found <= 0.0 { 0.0 } else { found };
    let rounded = round(
        ty,
        found,
        if op.has("sat") || op.has("relu") && found == 0.0 { 0.0 } else { lost },
        "rn",
    );
    let denormal = ty.bits < 64 && value(ty, rounded).abs() < 2f64.powi(format(ty).1);
    Some(if op.has("ftz") && denormal { rounded & top } else { rounded })
}

fn convert(op: &Op, a: &[u64]) -> Option<u64> {
    if op.has("pack") || op.has("tf32") {
        return None;
    }
    let [to, from] = op.types[..] else { return None };
    if matches!(to.kind, TypeKind::F16x2 | TypeKind::Bf16x2) {
        let half = |bits: u64| narrow(op, lane_of(to), f64::from(f32::from_bits(bits as u32)));
        return Some(half(a[1]) | half(a[0]) << 16);
    }
    match (is_float(to), is_float(from)) {
        (false, false) => {
            let found = number(from, a[0]);
            Some(
                (if op.has("sat") { found.clamp(least(to), most(to)) } else { found }) as u64
                    & mask(to.bits),
            )
        }
        (true, false) => from_whole(op, to, number(from, a[0])),
        (false, true) => {
            let found = whole_of(op, flush(op, from, a[0]));
            let indefinite = to.bits == 64 || from.bits == 64 && to.bits >= 32;
            if found.is_nan() {
                return Some(if indefinite { 1 << (to.bits - 1) } else { 0 });
            }
            Some((found as i128).clamp(least(to), most(to)) as u64 & mask(to.bits))
        }
        (true, true) => {
            // `.ftz` concerns only f32 here.
            let found = if from == Ty::F32 { flush(op, from, a[0]) } else { value(from, a[0]) };
            let is_whole = op.word(&["rni", "rzi", "rmi", "rpi"]).is_some();
            let found = if is_whole { whole_of(op, found) } else { found };
            Some(narrow(op, to, found))
        }
    }
}

fn whole_of(op: &Op, value: f64) -> f64 {
    match op.word(&["rni", "rzi", "rmi", "rpi"]) {
        Some("rzi") => value.trunc(),
        Some("rmi") => value.floor(),
        Some("rpi") => value.ceil(),
        _ => value.round_ties_even(),
    }
}

fn narrow(op: &Op, to: Ty, found: f64) -> u64 {
    let found = if op.has("sat") { clamp01(found) } else { found };
    let found = if op.has("relu") && found <= 0.0 { 0.0 } else { found };
    let bits = round(to, found, 0.0, mode(op));
    let (fraction, least, most) = format(to);
    let infinity = ((2 * most + 1) as u64) << fraction;
    let top = 1u64 << (to.bits - 1);
    if op.has("satfinite") && bits & (top - 1) == infinity {
        return bits - 1;
    }
    let denormal = to.bits == 32 && value(to, bits).abs() < 2f64.powi(least);
    if op.has("ftz") && denormal { bits & top } else { bits }
}

/// Rounds an integer directly, because no float holds all of its bits.
fn from_whole(op: &Op, to: Ty, number: i128) -> Option<u64> {
    let (fraction, ..) = format(to);
    let magnitude = number.unsigned_abs();
    let cut = 128u32.saturating_sub(magnitude.leading_zeros()).saturating_sub(fraction as u32 + 1);
    let (kept, rest, half) =
        (magnitude >> cut, magnitude & ((1 << cut) - 1), if cut == 0 { 1 } else { 1 << (cut - 1) });
    let up = match mode(op) {
        "rz" => false,
        "rm" => number < 0 && rest != 0,
        "rp" => number > 0 && rest != 0,
        _ => rest > half || rest == half && kept & 1 != 0,
    };
    let exact = (kept + u128::from(up)) as f64 * 2f64.powi(cut as i32);
    let exact = if number < 0 { -exact } else { exact };
    let bits = round(to, if op.has("sat") { clamp01(exact) } else { exact }, 0.0, mode(op));
    Some(bits)
}
