//! Instructions on all lanes of a group at once, in vectors of four. `analysis::uniformity` selects
//! the few supported instructions. Code for one thread is reused where it also works for vectors.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};

use crate::engine::lower::analysis::uniformity::Form;
use crate::engine::lower::function::{Lower, plain};
use crate::engine::lower::lowering::Lowered;
use crate::engine::lower::opcode::Opcode;
use crate::engine::lower::threads::mode::Mode;
use crate::engine::syntax::ir::Operand;
use crate::engine::syntax::types::Ty;

impl<'a> Lower<'a, '_> {
    /// Lowers an instruction for all lanes at once.
    pub fn vector_op(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        self.record_nan_sensitivity(op, operands);
        let done = self.vector_by_name(op, operands);
        self.sees_nans = true;
        done
    }

    fn vector_by_name(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let Some(ty) = op.last_type() else { return self.unsupported(op.text) };
        match op.base {
            "ld" | "ldu" => {
                let (base, offset) = self.first_address(op, &operands[1])?;
                let held = self.neutral(ty, &operands[..1]);
                let value = self.b.ins().load(
                    held.clif().by(4).unwrap_or(types::I32X4),
                    plain(),
                    base,
                    offset,
                );
                self.write(&operands[0], ty, value)
            }
            "st" => {
                let (base, offset) = self.first_address(op, &operands[0])?;
                let held = self.neutral(ty, &operands[1..]);
                let value = self.read(&operands[1], held)?;
                self.b.ins().store(plain(), value, base, offset);
                Ok(())
            }
            "mov" => {
                let held = if ty == Ty::PRED { ty } else { self.neutral(ty, operands) };
                let value = self.read(&operands[1], held)?;
                self.write(&operands[0], held, value)
            }
            "setp" => self.vector_compare(op, ty, operands),
            "selp" => {
                let ty = self.neutral(ty, operands);
                let [a, b] = self.sources(ty, op, operands)?;
                let mask = self.read(&operands[3], Ty::PRED)?;
                let value = self.choose(mask, a, b);
                self.write(&operands[0], ty, value)
            }
            "cvt" => self.vector_convert(op, operands),
            _ if ty == Ty::PRED => self.vector_predicate(op, operands),
            _ if ty.native_float() => self.float_op(op, ty, operands),
            "shl" | "shr" => {
                let [a] = self.sources(ty, op, operands)?;
                let Operand::Int(amount) = operands[2] else { return self.unsupported(op.text) };
                let amount = self.b.ins().iconst(types::I32, amount as i64);
                let value = match (op.base, ty.signed()) {
                    ("shl", _) => self.b.ins().ishl(a, amount),
                    (_, true) => self.b.ins().sshr(a, amount),
                    (_, false) => self.b.ins().ushr(a, amount),
                };
                self.write(&operands[0], ty, value)
            }
            _ => self.integer(op, ty, operands),
        }
    }

    /// Returns the address that the first lane accesses.
    fn first_address(&mut self, op: Opcode<'a>, operand: &'a Operand) -> Lowered<(Value, i32)> {
        let before = std::mem::replace(&mut self.mode, Mode::Once);
        let address = self.address(operand, op.space()).map(|address| self.split(&address, 0));
        self.mode = before;
        address
    }

    /// Returns an operand's lanes as one vector.
    pub fn read_vector(&mut self, operand: &Operand, ty: Ty) -> Lowered<Value> {
        match operand {
            Operand::Reg(reg) => {
                let vector = self.vector_of(*reg);
                let vector = self.seen(*reg, vector);
                Ok(self.coerce(vector, ty.clif(), false))
            }
            Operand::Not(inner) => {
                let mask = self.read_vector(inner, ty)?;
                Ok(self.b.ins().bnot(mask))
            }
            Operand::Int(value) if ty.native_float() => Ok(self.float(ty, *value as i64 as f64)),
            Operand::Int(value) if ty == Ty::PRED => {
                Ok(self.int(32, if *value == 0 { 0 } else { u64::from(u32::MAX) }))
            }
            Operand::Int(value) => Ok(self.int(32, *value)),
            Operand::F32(bits) => {
                let vector = self.int(32, u64::from(*bits));
                Ok(self.coerce(vector, ty.clif(), false))
            }
            Operand::Special(name) => {
                let before = std::mem::replace(&mut self.mode, Mode::Once);
                let first = self.special(name).map(|value| self.coerce(value, types::I32, false));
                self.mode = before;
                let stride = i64::from(matches!(&**name, "%tid.x" | "%tid" | "%laneid"));
                let vector = self.affine_vector(first?, stride);
                Ok(self.coerce(vector, ty.clif(), false))
            }
            _ => self.malformed("this operand cannot be read"),
        }
    }

    /// Writes a vector to the lanes of a register.
    pub fn write_vector(&mut self, operand: &Operand, value: Value) -> Lowered<()> {
        match operand {
            Operand::Reg(reg) if self.form(*reg) == Form::Vector => {
                let value = self.coerce(value, self.class(*reg), false);
                let variable = self.variable(*reg);
                self.b.def_var(variable, value);
                Ok(())
            }
            Operand::Sink => Ok(()),
            _ => self.malformed("this operand cannot be written"),
        }
    }

    /// Converts vectors between integers, including masks, and floats. Does not change the bits.
    pub fn coerce_vector(&mut self, value: Value, float: bool) -> Value {
        let wanted = if float { types::F32X4 } else { types::I32X4 };
        if self.b.func.dfg.value_type(value) == wanted {
            value
        } else {
            self.b.ins().bitcast(wanted, MemFlagsData::new(), value)
        }
    }

    /// Returns `a` if the condition holds, else `b`. Works for one thread, and lane by lane for
    /// vectors.
    pub fn choose(&mut self, condition: Value, a: Value, b: Value) -> Value {
        let ty = self.b.func.dfg.value_type(a);
        if !ty.is_vector() {
            return self.b.ins().select(condition, a, b);
        }
        let mask = self.coerce_vector(condition, ty == types::F32X4);
        self.b.ins().bitselect(mask, a, b)
    }

    fn vector_compare(&mut self, op: Opcode<'a>, ty: Ty, operands: &'a [Operand]) -> Lowered<()> {
        let [a, b] = self.sources(ty, op, operands)?;
        let (a, b) = (self.flushed(a, op.has("ftz")), self.flushed(b, op.has("ftz")));
        let relation = op.modifiers().next().unwrap_or("");
        let holds = match (ty.native_float(), relation) {
            // The processor lacks these vector comparisons.
            (true, "ne") => {
                let (differ, numbers) = (
                    self.b.ins().fcmp(FloatCC::NotEqual, a, b),
                    self.b.ins().fcmp(FloatCC::Ordered, a, b),
                );
                self.b.ins().band(differ, numbers)
            }
            (true, "equ") => {
                let (equal, none) = (
                    self.b.ins().fcmp(FloatCC::Equal, a, b),
                    self.b.ins().fcmp(FloatCC::Unordered, a, b),
                );
                self.b.ins().bor(equal, none)
            }
            (float, _) => match self.relation(relation, ty, float, a, b) {
                Some(holds) => holds,
                None => return self.unsupported(op.text),
            },
        };
        let holds = match (op.one_of(&["and", "or", "xor"]), operands.get(3)) {
            (Some(combination), Some(c)) => {
                let c = self.read(c, Ty::PRED)?;
                self.combine(combination, holds, c, op)?
            }
            _ => holds,
        };
        self.write(&operands[0], Ty::PRED, holds)
    }

    fn vector_predicate(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let a = self.read(&operands[1], Ty::PRED)?;
        let value = match operands.get(2) {
            Some(b) => {
                let b = self.read(b, Ty::PRED)?;
                self.combine(op.base, a, b, op)?
            }
            None => self.b.ins().bnot(a),
        };
        self.write(&operands[0], Ty::PRED, value)
    }

    /// Lowers conversions between s32 and f32.
    fn vector_convert(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        if op.types().next() == Some(Ty::F32) {
            let value = self.read(&operands[1], Ty::B32)?;
            let value = self.b.ins().fcvt_from_sint(types::F32X4, value);
            return self.write(&operands[0], Ty::F32, value);
        }
        let value = self.read(&operands[1], Ty::F32)?;
        let value = self.flushed(value, op.has("ftz"));
        let whole = self.round_to_whole(op.rounding(), value);
        let value = self.b.ins().fcvt_to_sint_sat(types::I32X4, whole);
        self.write(&operands[0], Ty::B32, value)
    }
}
