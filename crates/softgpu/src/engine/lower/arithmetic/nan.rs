//! NaNs of f32. When arithmetic produces a NaN, a GPU's result always has the same bits (CUDA C++
//! Programming Guide, "Floating-Point Standard"). The processor's has its sign set, or an operand's
//! payload. Programs read the bits far less often than they compute numbers. So in registers that
//! hold only results of arithmetic, a NaN becomes the GPU's only where an instruction sees its
//! bits: a store, a move to integers, `copysign`.

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
    /// Records whether the bits of NaNs that the next instruction reads matter.
    pub fn record_nan_sensitivity(&mut self, op: Opcode<'a>, operands: &'a [Operand]) {
        let onward = moves(op)
            && matches!(operands.first(), Some(Operand::Reg(reg))
                if self.made_numbers[*reg as usize]);
        self.sees_nans = !onward && reads_bits(op);
    }

    /// Returns the value of a register as an instruction sees it.
    pub fn seen(&mut self, reg: Reg, value: Value) -> Value {
        if self.sees_nans && self.made_numbers[reg as usize] {
            self.with_gpu_nan(value)
        } else {
            value
        }
    }

    /// Writes a result of arithmetic.
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
