//! `cvt` between any two types. Uses the widest type as an intermediate where no direct conversion
//! exists.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use crate::engine::exec::arithmetic::math;
use crate::engine::lower::function::Lower;
use crate::engine::lower::lowering::Lowered;
use crate::engine::lower::opcode::Opcode;
use crate::engine::syntax::ir::Operand;
use crate::engine::syntax::types::{Ty, TypeKind};

impl<'a> Lower<'a, '_> {
    /// Lowers `cvt`.
    pub fn convert(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        if op.has("tf32") {
            return self.convert_tf32(op, operands);
        }
        if op
            .text
            .split('.')
            .any(|part| part.starts_with("e4m3") || part.starts_with("e5m2") || part == "pack")
        {
            return self.unsupported(op.text);
        }
        let all: Vec<Ty> = op.types().collect();
        let [to, from] = all[..] else { return self.unsupported(op.text) };
        if matches!(to.kind, TypeKind::F16x2 | TypeKind::Bf16x2) {
            return self.convert_pair(op, to, operands);
        }
        let float = |ty: Ty| ty.native_float() || ty.half();
        let value = match (float(to), float(from)) {
            (false, false) => {
                let value = self.read(&operands[1], from)?;
                self.int_to_int(op, to, from, value)
            }
            (true, false) => {
                let value = self.read(&operands[1], from)?;
                self.int_to_float(op, to, from, value)
            }
            (false, true) => {
                let value = self.read_wide(&operands[1], from)?;
                let value = self.flushed(value, op.has("ftz"));
                self.float_to_int(op, to, value)
            }
            (true, true) => {
                let value = self.read_wide(&operands[1], from)?;
                let value = self.flushed(value, op.has("ftz"));
                self.float_to_float(op, to, from, value)
            }
        };
        if float(from) {
            self.write_number(&operands[0], to, value)
        } else {
            self.write(&operands[0], to, value)
        }
    }

    /// Reads a float operand as f32 or f64.
    fn read_wide(&mut self, operand: &Operand, ty: Ty) -> Lowered<Value> {
        if ty.half() { self.read_half(operand, ty) } else { self.read(operand, ty) }
    }

    fn convert_tf32(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let mut a = self.read(&operands[1], Ty::F32)?;
        if op.has("relu") {
            let zero = self.float(Ty::F32, 0.0);
            a = self.number_extreme(false, true, Ty::F32, a, zero);
        }
        let mode = self.int(32, u64::from(op.rounding()));
        let finite = self.int(32, u64::from(op.has("satfinite")));
        let value =
            self.compute(math::narrow_tf32 as *const () as usize, &[mode, a, finite], types::F32);
        self.write_number(&operands[0], Ty::F32, value)
    }

    fn convert_pair(&mut self, op: Opcode<'a>, to: Ty, operands: &'a [Operand]) -> Lowered<()> {
        let [high, low] = self.sources(Ty::F32, op, operands)?;
        let lane = Ty {
            kind: if to.kind == TypeKind::F16x2 { TypeKind::Float } else { TypeKind::Bf16 },
            bits: 16,
        };
        let mut narrow = |value| {
            let value = if op.has("relu") {
                let zero = self.float(Ty::F32, 0.0);
                self.number_extreme(false, true, Ty::F32, value, zero)
            } else {
                value
            };
            let half = self.narrow_half(op.rounding(), lane, value);
            let half = self.finite_half(op, lane, half);
            self.b.ins().uextend(types::I32, half)
        };
        let (high, low) = (narrow(high), narrow(low));
        let high = self.b.ins().ishl_imm_u(high, 16);
        let both = self.b.ins().bor(high, low);
        self.write(&operands[0], to, both)
    }

    fn int_to_int(&mut self, op: Opcode<'_>, to: Ty, from: Ty, value: Value) -> Value {
        if !op.has("sat") {
            return self.coerce(value, to.clif(), from.signed());
        }
        // The value is converted to 64 bits, and clamped at both ends if the source can exceed the
        // range.
        let mut wide = self.coerce(value, types::I64, from.signed());
        if from.signed() {
            let low = self.int(64, lowest(to) as u64);
            wide = self.b.ins().smax(wide, low);
        }
        let high = self.int(64, highest(to));
        wide = if from.signed() && highest(to) <= i64::MAX as u64 {
            self.b.ins().smin(wide, high)
        } else {
            self.b.ins().umin(wide, high)
        };
        self.coerce(wide, to.clif(), to.signed())
    }

    fn int_to_float(&mut self, op: Opcode<'_>, to: Ty, from: Ty, value: Value) -> Value {
        let wide = self.coerce(value, types::I64, from.signed());
        let rounding = op.rounding();
        if to.half() {
            return self.int_to_half(op, to, from, wide);
        }
        let value = if rounding != 0 {
            let (mode, signed) =
                (self.int(32, u64::from(rounding)), self.int(32, u64::from(from.signed())));
            let address = if to.bits == 32 {
                math::int_to_f32 as *const ()
            } else {
                math::int_to_f64 as *const ()
            };
            self.compute(address as usize, &[mode, wide, signed], to.clif())
        } else if from.bits < 64 || from.signed() {
            self.b.ins().fcvt_from_sint(to.clif(), wide)
        } else {
            self.b.ins().fcvt_from_uint(to.clif(), wide)
        };
        if op.has("sat") { self.saturated(to, value) } else { value }
    }

    fn int_to_half(&mut self, op: Opcode<'_>, to: Ty, from: Ty, wide: Value) -> Value {
        let (mode, signed) =
            (self.int(32, u64::from(op.rounding())), self.int(32, u64::from(from.signed())));
        let address = if to.kind == TypeKind::Bf16 {
            math::int_to_bf16 as *const ()
        } else {
            math::int_to_f16 as *const ()
        };
        let bits = self.compute(address as usize, &[mode, wide, signed], types::I32);
        let bits = self.b.ins().ireduce(types::I16, bits);
        if !op.has("sat") {
            return self.finite_half(op, to, bits);
        }
        let single = self.widen_half(to, bits);
        let single = self.saturated(Ty::F32, single);
        self.narrow_half(0, to, single)
    }

    /// Converts a float to an integer. Clamps values that are out of range. As on a GPU, NaN
    /// becomes 0, or the smallest integer if either type has 64 bits.
    fn float_to_int(&mut self, op: Opcode<'_>, to: Ty, value: Value) -> Value {
        let clamped = self.clamp_to_int(op, to, value);
        if to.bits < 32 || (to.bits == 32 && self.b.func.dfg.value_type(value) == types::F32) {
            return clamped;
        }
        let nan = self.b.ins().fcmp(FloatCC::Unordered, value, value);
        let indefinite = self.int(to.bits, 1 << (to.bits - 1));
        self.b.ins().select(nan, indefinite, clamped)
    }

    fn clamp_to_int(&mut self, op: Opcode<'_>, to: Ty, value: Value) -> Value {
        let whole = self.round_to_whole(op.rounding(), value);
        if to.bits >= 32 {
            return if to.signed() {
                self.b.ins().fcvt_to_sint_sat(to.clif(), whole)
            } else {
                self.b.ins().fcvt_to_uint_sat(to.clif(), whole)
            };
        }
        let wide = self.b.ins().fcvt_to_sint_sat(types::I32, whole);
        let (low, high) = (self.int(32, lowest(to) as u64), self.int(32, highest(to)));
        let wide = self.b.ins().smax(wide, low);
        let wide = self.b.ins().smin(wide, high);
        self.coerce(wide, to.clif(), false)
    }

    /// Rounds a float to an integral value.
    pub fn round_to_whole(&mut self, rounding: u32, value: Value) -> Value {
        match rounding {
            0 => self.b.ins().nearest(value),
            1 => self.b.ins().trunc(value),
            2 => self.b.ins().floor(value),
            _ => self.b.ins().ceil(value),
        }
    }

    fn float_to_float(&mut self, op: Opcode<'_>, to: Ty, from: Ty, value: Value) -> Value {
        let rounding = op.rounding();
        let mut value = value;
        if op.one_of(&["rni", "rzi", "rmi", "rpi"]).is_some() {
            value = self.round_to_whole(rounding, value);
        }
        if op.has("relu") {
            let ty = if from.bits == 64 { Ty::F64 } else { Ty::F32 };
            let zero = self.float(ty, 0.0);
            value = self.number_extreme(false, true, ty, value, zero);
        }
        let held = self.b.func.dfg.value_type(value);
        if to.half() {
            if op.has("sat") {
                let ty = if held == types::F64 { Ty::F64 } else { Ty::F32 };
                value = self.saturated(ty, value);
            }
            let bits = self.narrow_half(rounding, to, value);
            return self.finite_half(op, to, bits);
        }
        value = match (held, to.bits) {
            (types::F32, 64) => self.b.ins().fpromote(types::F64, value),
            (types::F64, 32) if rounding == 0 => self.b.ins().fdemote(types::F32, value),
            (types::F64, 32) => {
                let mode = self.int(32, u64::from(rounding));
                self.compute(math::narrow as *const () as usize, &[mode, value], types::F32)
            }
            _ => value,
        };
        if op.has("sat") {
            value = self.saturated(to, value);
        }
        self.flushed(value, op.has("ftz"))
    }
}

fn lowest(ty: Ty) -> i64 {
    if ty.signed() { i64::MIN >> (64 - ty.bits) } else { 0 }
}

fn highest(ty: Ty) -> u64 {
    u64::MAX >> (64 - ty.bits) >> u32::from(ty.signed())
}
