//! Half-precision arithmetic, scalar and packed. The code widens values, computes in f64 and rounds
//! once. f64 cannot represent every fused product and sum of bfloat16 exactly. That result is
//! rounded to odd, so that the second rounding gives the correct result (Boldo and Melquiond 2008).

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use crate::engine::exec::arithmetic::math;
use crate::engine::lower::function::Lower;
use crate::engine::lower::lowering::Lowered;
use crate::engine::lower::opcode::Opcode;
use crate::engine::syntax::ir::Operand;
use crate::engine::syntax::types::{Ty, TypeKind};

/// Returns the type of one lane, and whether the type has two lanes.
fn lane(ty: Ty) -> (Ty, bool) {
    match ty.kind {
        TypeKind::F16x2 => (Ty { kind: TypeKind::Float, bits: 16 }, true),
        TypeKind::Bf16x2 => (Ty { kind: TypeKind::Bf16, bits: 16 }, true),
        _ => (ty, false),
    }
}

/// Returns the bits of infinity, which are also the exponent's mask.
fn infinity(ty: Ty) -> i64 {
    if ty.kind == TypeKind::Bf16 { 0x7F80 } else { 0x7C00 }
}

impl<'a> Lower<'a, '_> {
    /// Reads a scalar half as f32.
    pub fn read_half(&mut self, operand: &Operand, ty: Ty) -> Lowered<Value> {
        let bits = self.read(operand, ty)?;
        Ok(self.widen_half(ty, bits))
    }

    /// Like [`Self::read_half`], except that denormals are flushed if the opcode has `.ftz`.
    pub fn read_flushed_half(
        &mut self,
        op: Opcode<'_>,
        operand: &Operand,
        ty: Ty,
    ) -> Lowered<Value> {
        let bits = self.read(operand, ty)?;
        let bits = self.flushed_half(op, ty, bits);
        Ok(self.widen_half(ty, bits))
    }

    /// Converts the bits of a half to f32.
    pub fn widen_half(&mut self, ty: Ty, bits: Value) -> Value {
        let wide = self.b.ins().uextend(types::I32, bits);
        if ty.kind == TypeKind::Bf16 {
            let shifted = self.b.ins().ishl_imm_u(wide, 16);
            return self.coerce(shifted, types::F32, false);
        }
        self.compute(math::widen_f16 as *const () as usize, &[wide], types::F32)
    }

    /// Converts an f32 or f64 to the bits of a half.
    pub fn narrow_half(&mut self, rounding: u32, ty: Ty, value: Value) -> Value {
        let wide = if self.b.func.dfg.value_type(value) == types::F32 {
            self.b.ins().fpromote(types::F64, value)
        } else {
            value
        };
        let address = if ty.kind == TypeKind::Bf16 {
            math::narrow_bf16 as *const ()
        } else {
            math::narrow_f16 as *const ()
        };
        let mode = self.int(32, u64::from(rounding));
        let bits = self.compute(address as usize, &[mode, wide], types::I32);
        self.b.ins().ireduce(types::I16, bits)
    }

    /// Returns the bits of each lane of an operand.
    fn lanes(&mut self, operand: &Operand, ty: Ty) -> Lowered<Vec<Value>> {
        let bits = self.read(operand, ty)?;
        if !lane(ty).1 {
            return Ok(vec![bits]);
        }
        let low = self.b.ins().ireduce(types::I16, bits);
        let high = self.b.ins().ushr_imm_u(bits, 16);
        let high = self.b.ins().ireduce(types::I16, high);
        Ok(vec![low, high])
    }

    fn join(&mut self, lanes: &[Value]) -> Value {
        let [low, high] = *lanes else { return lanes[0] };
        let (low, high) =
            (self.b.ins().uextend(types::I32, low), self.b.ins().uextend(types::I32, high));
        let high = self.b.ins().ishl_imm_u(high, 16);
        self.b.ins().bor(low, high)
    }

    /// Lowers a half-precision instruction.
    pub fn half(&mut self, op: Opcode<'a>, ty: Ty, operands: &'a [Operand]) -> Lowered<()> {
        let (scalar, _) = lane(ty);
        let mut sources = Vec::new();
        for operand in &operands[1..] {
            sources.push(self.lanes(operand, ty)?);
        }
        let mut results = Vec::new();
        for index in 0..sources[0].len() {
            let inputs: Vec<Value> = sources.iter().map(|lanes| lanes[index]).collect();
            results.push(self.half_lane(op, scalar, &inputs)?);
        }
        let value = self.join(&results);
        self.write(&operands[0], ty, value)
    }

    fn half_lane(&mut self, op: Opcode<'_>, ty: Ty, inputs: &[Value]) -> Lowered<Value> {
        match op.base {
            "neg" | "abs" => {
                let bits = self.flushed_half(op, ty, inputs[0]);
                return Ok(self.half_sign(op, ty, bits));
            }
            "min" | "max" if op.has("xorsign") => return self.extreme_magnitude(op, ty, inputs),
            _ => {}
        }
        let wide: Vec<Value> = inputs
            .iter()
            .map(|&bits| {
                let bits = self.flushed_half(op, ty, bits);
                let single = self.widen_half(ty, bits);
                self.b.ins().fpromote(types::F64, single)
            })
            .collect();
        let mut value = match (op.base, &wide[..]) {
            ("add", &[a, b]) => self.b.ins().fadd(a, b),
            ("sub", &[a, b]) => self.b.ins().fsub(a, b),
            ("mul", &[a, b]) => self.b.ins().fmul(a, b),
            ("fma", &[a, b, c]) if ty.kind == TypeKind::Bf16 => {
                self.compute(math::fused_to_odd as *const () as usize, &[a, b, c], types::F64)
            }
            ("fma", &[a, b, c]) => self.fused(Ty::F64, a, b, c),
            ("min" | "max", &[a, b]) => {
                self.number_extreme(op.base == "min", op.has("NaN"), Ty::F64, a, b)
            }
            ("ex2" | "tanh", &[a]) => {
                let single = self.b.ins().fdemote(types::F32, a);
                let address =
                    if op.base == "ex2" { math::ex2 as *const () } else { math::tanh as *const () };
                self.compute(address as usize, &[single], types::F32)
            }
            _ => return self.unsupported(op.text),
        };
        if op.has("sat") {
            value = self.saturated(Ty::F64, value);
        }
        if op.has("relu") {
            let zero = self.float(Ty::F64, 0.0);
            value = self.number_extreme(false, true, Ty::F64, value, zero);
        }
        let bits = self.narrow_half(op.rounding(), ty, value);
        Ok(self.flushed_half(op, ty, bits))
    }

    /// Lowers `min` and `max` with `.xorsign.abs`: selects a magnitude, with the sign of the
    /// product.
    fn extreme_magnitude(&mut self, op: Opcode<'_>, ty: Ty, inputs: &[Value]) -> Lowered<Value> {
        let &[a, b] = inputs else { return self.unsupported(op.text) };
        let (a, b) = (self.flushed_half(op, ty, a), self.flushed_half(op, ty, b));
        let [x, y] = [a, b].map(|bits| {
            let magnitude = self.b.ins().band_imm_u(bits, 0x7FFF);
            self.widen_half(ty, magnitude)
        });
        let value = self.number_extreme(op.base == "min", op.has("NaN"), Ty::F32, x, y);
        let magnitude = self.narrow_half(0, ty, value);
        let sign = self.b.ins().bxor(a, b);
        let sign = self.b.ins().band_imm_u(sign, 0x8000);
        Ok(self.b.ins().bor(magnitude, sign))
    }

    /// Lowers `add`, `sub` and `fma` with an f32 result and half-precision operands. The last
    /// operand is f32.
    pub fn mixed(&mut self, op: Opcode<'a>, half: Ty, operands: &'a [Operand]) -> Lowered<()> {
        let (Some((last, halves)), false) = (operands[1..].split_last(), lane(half).1) else {
            return self.unsupported(op.text);
        };
        let mut sources = halves
            .iter()
            .map(|operand| self.read_half(operand, half))
            .collect::<Lowered<Vec<_>>>()?;
        sources.push(self.read(last, Ty::F32)?);
        let mut value = match (op.base, sources.len()) {
            ("add" | "sub", 2) | ("fma", 3) => self.rounded(op, Ty::F32, &sources),
            _ => return self.unsupported(op.text),
        };
        if op.has("sat") {
            value = self.saturated(Ty::F32, value);
        }
        self.write_number(&operands[0], Ty::F32, value)
    }

    /// Replaces an infinite half with the largest finite number if the opcode has `.satfinite`.
    pub fn finite_half(&mut self, op: Opcode<'_>, ty: Ty, bits: Value) -> Value {
        if !op.has("satfinite") {
            return bits;
        }
        let magnitude = self.b.ins().band_imm_u(bits, 0x7FFF);
        let infinite = self.b.ins().icmp_imm_u(IntCC::Equal, magnitude, infinity(ty));
        let largest = self.b.ins().iadd_imm_s(bits, -1);
        self.b.ins().select(infinite, largest, bits)
    }

    /// Lowers `neg` and `abs`. Every NaN becomes the canonical NaN.
    fn half_sign(&mut self, op: Opcode<'_>, ty: Ty, bits: Value) -> Value {
        let magnitude = self.b.ins().band_imm_u(bits, 0x7FFF);
        let result =
            if op.base == "abs" { magnitude } else { self.b.ins().bxor_imm_u(bits, 0x8000) };
        let nan = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, magnitude, infinity(ty));
        let canonical = self.int(16, 0x7FFF);
        self.b.ins().select(nan, canonical, result)
    }

    /// Replaces a denormal half with a zero of equal sign if the opcode has `.ftz`.
    fn flushed_half(&mut self, op: Opcode<'_>, ty: Ty, bits: Value) -> Value {
        if !op.has("ftz") {
            return bits;
        }
        let exponent = self.b.ins().band_imm_u(bits, infinity(ty));
        let denormal = self.b.ins().icmp_imm_u(IntCC::Equal, exponent, 0);
        let zero = self.b.ins().band_imm_u(bits, 0x8000);
        self.b.ins().select(denormal, zero, bits)
    }

    /// Lowers `setp` and `set` on packed halves. Each lane's result is a predicate, a mask or a
    /// number.
    pub fn compare_halves(
        &mut self,
        op: Opcode<'a>,
        ty: Ty,
        relation: &str,
        operands: &'a [Operand],
    ) -> Lowered<()> {
        let (scalar, _) = lane(ty);
        let (Some(a), Some(b)) = (operands.get(1), operands.get(2)) else {
            return self.unsupported(op.text);
        };
        let (a, b) = (self.lanes(a, ty)?, self.lanes(b, ty)?);
        let mut holds = Vec::new();
        for (a, b) in a.into_iter().zip(b) {
            let (a, b) = (self.flushed_half(op, scalar, a), self.flushed_half(op, scalar, b));
            let (a, b) = (self.widen_half(scalar, a), self.widen_half(scalar, b));
            let Some(value) = self.relation(relation, scalar, true, a, b) else {
                return self.unsupported(op.text);
            };
            holds.push(value);
        }
        if let (Some(combination), Some(c)) = (op.one_of(&["and", "or", "xor"]), operands.get(3)) {
            let c = self.read(c, Ty::PRED)?;
            for value in &mut holds {
                *value = self.combine(combination, *value, c, op)?;
            }
        }
        if op.base == "setp" {
            let Operand::Pair(first, second) = &operands[0] else {
                return self.write(&operands[0], Ty::PRED, holds[0]);
            };
            self.write(first, Ty::PRED, holds[0])?;
            return self.write(second, Ty::PRED, holds[1]);
        }
        let Some(to) = op.types().next() else { return self.unsupported(op.text) };
        let yes = match to.kind {
            TypeKind::F16x2 => 0x3C00,
            TypeKind::Bf16x2 => 0x3F80,
            _ => 0xFFFF,
        };
        let (yes, no) = (self.int(16, yes), self.int(16, 0));
        let lanes: Vec<Value> =
            holds.into_iter().map(|p| self.b.ins().select(p, yes, no)).collect();
        let value = self.join(&lanes);
        self.write(&operands[0], to, value)
    }
}
