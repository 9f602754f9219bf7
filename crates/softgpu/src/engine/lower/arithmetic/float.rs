//! f32 and f64 arithmetic. The CPU's default mode rounds to nearest. Other rounding modes and
//! approximations call functions in `exec::math`.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use crate::engine::exec::arithmetic::math;
use crate::engine::lower::function::Lower;
use crate::engine::lower::lowering::Lowered;
use crate::engine::lower::opcode::Opcode;
use crate::engine::syntax::ir::Operand;
use crate::engine::syntax::types::{Ty, int_type};

impl<'a> Lower<'a, '_> {
    /// Lowers a float instruction.
    pub fn float_op(&mut self, op: Opcode<'a>, ty: Ty, operands: &'a [Operand]) -> Lowered<()> {
        let ftz = op.has("ftz") && ty.bits == 32;
        let count = match op.base {
            "fma" | "mad" => 3,
            "add" | "sub" | "mul" | "div" | "min" | "max" | "copysign" => 2,
            _ => 1,
        };
        let mut sources = Vec::new();
        for index in 1..=count {
            let Some(operand) = operands.get(index) else {
                return self.malformed("too few operands");
            };
            // `testp` ends with its source type, although the result is a predicate.
            let value = self.read(operand, ty)?;
            sources.push(self.flushed(value, ftz));
        }
        let mut value = match (op.base, &sources[..]) {
            ("testp", &[a]) => {
                let value = self.test_property(op, ty, a)?;
                return self.write(&operands[0], Ty::PRED, value);
            }
            ("add" | "sub" | "mul" | "div" | "fma" | "mad" | "sqrt", _) => {
                self.rounded(op, ty, &sources)
            }
            ("min" | "max", &[a, b]) => self.float_extreme(op, ty, a, b, operands.get(3))?,
            ("neg", &[a]) => self.b.ins().fneg(a),
            ("abs", &[a]) => self.b.ins().fabs(a),
            ("copysign", &[sign, magnitude]) => self.b.ins().fcopysign(magnitude, sign),
            ("rcp", &[a]) => {
                let one = self.float(ty, 1.0);
                self.rounded_as("div", op.rounding(), ty, &[one, a])
            }
            ("rsqrt", &[a]) => {
                let (root, one) = (self.b.ins().sqrt(a), self.float(ty, 1.0));
                self.b.ins().fdiv(one, root)
            }
            (_, &[a]) => self.approximate(op, ty, a)?,
            _ => return self.unsupported(op.text),
        };
        if op.has("sat") {
            value = self.saturated(ty, value);
        }
        value = self.flushed(value, ftz && !matches!(op.base, "neg" | "abs"));
        if op.base == "copysign" {
            return self.write(&operands[0], ty, value);
        }
        self.write_number(&operands[0], ty, value)
    }

    /// Computes an operation in the opcode's rounding mode.
    pub fn rounded(&mut self, op: Opcode<'_>, ty: Ty, sources: &[Value]) -> Value {
        if op.base != "sub" {
            return self.rounded_as(
                if op.base == "mad" { "fma" } else { op.base },
                op.rounding(),
                ty,
                sources,
            );
        }
        if op.rounding() == 0 {
            return self.b.ins().fsub(sources[0], sources[1]);
        }
        let negated = self.b.ins().fneg(sources[1]);
        self.rounded_as("add", op.rounding(), ty, &[sources[0], negated])
    }

    fn rounded_as(&mut self, what: &str, rounding: u32, ty: Ty, sources: &[Value]) -> Value {
        if rounding == 0 {
            return match (what, sources) {
                ("add", &[a, b]) => self.b.ins().fadd(a, b),
                ("mul", &[a, b]) => self.b.ins().fmul(a, b),
                ("div", &[a, b]) => self.b.ins().fdiv(a, b),
                ("fma", &[a, b, c]) => self.fused(ty, a, b, c),
                _ => self.b.ins().sqrt(sources[0]),
            };
        }
        let address = match (what, ty.bits) {
            ("add", 32) => math::add32 as *const (),
            ("mul", 32) => math::mul32 as *const (),
            ("div", 32) => math::div32 as *const (),
            ("fma", 32) => math::fused32 as *const (),
            (_, 32) => math::sqrt32 as *const (),
            ("add", _) => math::add64 as *const (),
            ("mul", _) => math::mul64 as *const (),
            ("div", _) => math::div64 as *const (),
            ("fma", _) => math::fused64 as *const (),
            _ => math::sqrt64 as *const (),
        };
        let mode = self.int(32, u64::from(rounding));
        let last = sources[sources.len() - 1];
        let at = |index: usize| sources.get(index).copied().unwrap_or(last);
        self.compute(address as usize, &[mode, at(0), at(1), at(2)], ty.clif())
    }

    /// Returns `a * b + c`, rounded once.
    pub fn fused(&mut self, ty: Ty, a: Value, b: Value, c: Value) -> Value {
        if std::arch::is_x86_feature_detected!("fma") {
            return self.b.ins().fma(a, b, c);
        }
        let address =
            if ty.bits == 32 { math::fma32 as *const () } else { math::fma64 as *const () };
        self.compute(address as usize, &[a, b, c], ty.clif())
    }

    /// Replaces a denormal `f32` with a zero of equal sign if `flush` is set.
    pub fn flushed(&mut self, value: Value, flush: bool) -> Value {
        if !flush || self.b.func.dfg.value_type(value).lane_type() != types::F32 {
            return value;
        }
        let magnitude = self.b.ins().fabs(value);
        let smallest = self.float(Ty::F32, f64::from(f32::MIN_POSITIVE));
        let denormal = self.b.ins().fcmp(FloatCC::LessThan, magnitude, smallest);
        let sign = self.float(Ty::F32, -0.0);
        let zero = self.b.ins().band(value, sign);
        self.choose(denormal, zero, value)
    }

    /// Clamps a value to [0, 1]. NaN becomes 0.
    pub fn saturated(&mut self, ty: Ty, value: Value) -> Value {
        let (zero, one) = (self.float(ty, 0.0), self.float(ty, 1.0));
        let positive = self.b.ins().fcmp(FloatCC::GreaterThan, value, zero);
        let low = self.choose(positive, value, zero);
        let small = self.b.ins().fcmp(FloatCC::LessThan, low, one);
        self.choose(small, low, one)
    }

    fn float_extreme(
        &mut self,
        op: Opcode<'_>,
        ty: Ty,
        a: Value,
        b: Value,
        c: Option<&Operand>,
    ) -> Lowered<Value> {
        if c.is_some() {
            return self.unsupported(op.text);
        }
        if !op.has("xorsign") {
            return Ok(self.number_extreme(op.base == "min", op.has("NaN"), ty, a, b));
        }
        let (x, y) = (self.b.ins().fabs(a), self.b.ins().fabs(b));
        let extreme = self.number_extreme(op.base == "min", op.has("NaN"), ty, x, y);
        let sign = self.b.ins().bxor(a, b);
        Ok(self.b.ins().fcopysign(extreme, sign))
    }

    /// Returns the smaller or larger value. The result is a number if either value is one, unless
    /// `propagate` is set. -0 is less than +0.
    pub fn number_extreme(
        &mut self,
        min: bool,
        propagate: bool,
        ty: Ty,
        a: Value,
        b: Value,
    ) -> Value {
        let condition = if min { FloatCC::LessThan } else { FloatCC::GreaterThan };
        let first = self.b.ins().fcmp(condition, a, b);
        let chosen = self.choose(first, a, b);
        let int = int_type(ty.bits);
        let (abits, bbits) = (self.coerce(a, int, false), self.coerce(b, int, false));
        let merged =
            if min { self.b.ins().bor(abits, bbits) } else { self.b.ins().band(abits, bbits) };
        let merged = self.coerce(merged, ty.clif(), false);
        let equal = self.b.ins().fcmp(FloatCC::Equal, a, b);
        let chosen = self.choose(equal, merged, chosen);
        if propagate {
            let sum = self.b.ins().fadd(a, b);
            let unordered = self.b.ins().fcmp(FloatCC::Unordered, a, b);
            return self.choose(unordered, sum, chosen);
        }
        let nan = self.b.ins().fcmp(FloatCC::Unordered, b, b);
        self.choose(nan, a, chosen)
    }

    fn approximate(&mut self, op: Opcode<'_>, ty: Ty, a: Value) -> Lowered<Value> {
        if ty.bits != 32 {
            return self.unsupported(op.text);
        }
        let address = match op.base {
            "ex2" => math::ex2 as *const (),
            "lg2" => math::lg2 as *const (),
            "sin" => math::sin as *const (),
            "cos" => math::cos as *const (),
            "tanh" => math::tanh as *const (),
            _ => return self.unsupported(op.text),
        };
        Ok(self.compute(address as usize, &[a], types::F32))
    }

    fn test_property(&mut self, op: Opcode<'_>, ty: Ty, a: Value) -> Lowered<Value> {
        let magnitude = self.b.ins().fabs(a);
        let infinity = self.float(ty, f64::INFINITY);
        let smallest = self.float(
            ty,
            if ty.bits == 32 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE },
        );
        let zero = self.float(ty, 0.0);
        Ok(match op.modifiers().next() {
            Some("finite") => self.b.ins().fcmp(FloatCC::LessThan, magnitude, infinity),
            Some("infinite") => self.b.ins().fcmp(FloatCC::Equal, magnitude, infinity),
            Some("number") => self.b.ins().fcmp(FloatCC::Ordered, a, a),
            Some("notanumber") => self.b.ins().fcmp(FloatCC::Unordered, a, a),
            Some("normal") => {
                let finite = self.b.ins().fcmp(FloatCC::LessThan, magnitude, infinity);
                let large = self.b.ins().fcmp(FloatCC::GreaterThanOrEqual, magnitude, smallest);
                // PTX counts zeros as normal.
                let none = self.b.ins().fcmp(FloatCC::Equal, magnitude, zero);
                let normal = self.b.ins().bor(large, none);
                self.b.ins().band(finite, normal)
            }
            Some("subnormal") => {
                let small = self.b.ins().fcmp(FloatCC::LessThan, magnitude, smallest);
                let some = self.b.ins().fcmp(FloatCC::GreaterThan, magnitude, zero);
                self.b.ins().band(small, some)
            }
            _ => return self.unsupported(op.text),
        })
    }
}
