//! NaNs of type f32. A GPU's arithmetic always produces the same NaN bits (CUDA C++ Programming
//! Guide, "Floating-Point Standard"). A CPU's NaN has its sign bit set, or an operand's payload.
//! Programs read the bits of values far less often than they compute with them. So registers that
//! hold only arithmetic results keep the CPU's NaNs. The code substitutes the GPU's NaN where an
//! instruction observes the bits: a store, a move to integers, `copysign`.

use cranelift_codegen::ir::Value;
use cranelift_codegen::ir::condcodes::FloatCC;

use crate::engine::exec::arithmetic::math::NAN;
use crate::engine::lower::analysis::nan_bits::{moves, reads_bits};
use crate::engine::lower::function::Lower;
use crate::engine::lower::lowering::Lowered;
use crate::engine::lower::opcode::Opcode;
use crate::engine::syntax::ir::{Operand, Reg};
use crate::engine::syntax::types::Ty;

impl<'a> Lower<'a, '_> {
    /// Records whether the next instruction observes the bits of NaNs that it reads.
    pub fn record_nan_sensitivity(&mut self, op: Opcode<'a>, operands: &'a [Operand]) {
        let onward = moves(op)
            && matches!(operands.first(), Some(Operand::Reg(reg))
                if self.made_numbers[*reg as usize]);
        self.sees_nans = !onward && reads_bits(op);
    }

    /// Returns a register's value as the current instruction observes it.
    pub fn seen(&mut self, reg: Reg, value: Value) -> Value {
        if self.sees_nans && self.made_numbers[reg as usize] {
            self.with_gpu_nan(value)
        } else {
            value
        }
    }

    /// Writes the result of an arithmetic instruction.
    pub fn write_number(&mut self, to: &Operand, ty: Ty, value: Value) -> Lowered<()> {
        let later = matches!(to, Operand::Reg(reg) if self.made_numbers[*reg as usize]);
        let value = if ty == Ty::F32 && !later { self.with_gpu_nan(value) } else { value };
        self.write(to, ty, value)
    }

    fn with_gpu_nan(&mut self, value: Value) -> Value {
        use cranelift_codegen::ir::InstBuilder;
        let nan = self.int(32, u64::from(NAN));
        let float = self.b.func.dfg.value_type(value);
        let nan = self.coerce(nan, float, false);
        let is_nan = self.b.ins().fcmp(FloatCC::Unordered, value, value);
        self.choose(is_nan, nan, value)
    }
}
