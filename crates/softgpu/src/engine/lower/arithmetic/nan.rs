//! NaNs of f32. When arithmetic produces a NaN, a GPU's result always has the same bits (CUDA C++
//! Programming Guide, "Floating-Point Standard"). The processor's has its sign set, or an operand's
//! payload. Programs read the bits far less often than they compute numbers. So in registers that
//! hold only results of arithmetic, a NaN becomes the GPU's only where an instruction sees its
//! bits: a store, a move to integers, `copysign`.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{Type, Value, types};

use crate::engine::exec::arithmetic::math::NAN;
use crate::engine::lower::Lowered;
use crate::engine::lower::analysis::liveness::registers;
use crate::engine::lower::function::Lower;
use crate::engine::lower::opcode::Opcode;
use crate::engine::syntax::ir::{Body, Function, Module, Operand, Reg, Statement};
use crate::engine::syntax::types::{Kind, Ty};

/// Returns whether an instruction computes numbers of f32 that do not depend on the bits of NaN
/// operands.
fn computes(op: Opcode<'_>) -> bool {
    const BASES: [&str; 18] = [
        "add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt", "rsqrt", "sin", "cos", "ex2",
        "lg2", "tanh", "min", "max", "neg", "abs",
    ];
    BASES.contains(&op.base) || op.base == "cvt"
}

fn makes_number(op: Opcode<'_>) -> bool {
    computes(op) && (op.types().next() == Some(Ty::F32) || op.has("tf32"))
}

fn moves(op: Opcode<'_>) -> bool {
    matches!(op.base, "mov" | "selp")
        && op
            .last_type()
            .is_some_and(|ty| ty.bits == 32 && matches!(ty.kind, Kind::Float | Kind::Bits))
}

/// Returns whether an instruction sees the bits of a NaN that it reads. For an instruction that
/// only moves it, this depends on the target.
fn looks(op: Opcode<'_>) -> bool {
    match op.base {
        "setp" | "set" | "testp" => false,
        "cvt" => op.types().next() == Some(Ty::F64),
        _ => !computes(op) || op.last_type() != Some(Ty::F32),
    }
}

/// Returns the registers that hold only numbers that arithmetic computed.
pub fn made_numbers(
    module: &Module,
    function: &Function,
    body: &Body,
    classes: &[Type],
) -> Vec<bool> {
    let mut made: Vec<bool> = classes.iter().map(|class| *class == types::F32).collect();
    function
        .arguments
        .iter()
        .filter_map(|argument| argument.reg)
        .for_each(|reg| made[reg as usize] = false);
    loop {
        let mut changed = false;
        for statement in &body.statements {
            let Statement::Instruction(instruction) = statement else { continue };
            let op = Opcode::of(module, instruction);
            if makes_number(op) {
                continue;
            }
            let is_number = |operand: &Operand| match operand {
                Operand::Reg(reg) => made[*reg as usize],
                Operand::F32(bits) => !f32::from_bits(*bits).is_nan() || *bits == NAN,
                _ => false,
            };
            let sources = if op.base == "selp" { 1..3 } else { 1..2 };
            if moves(op)
                && instruction
                    .operands
                    .get(sources)
                    .is_some_and(|sources| sources.iter().all(is_number))
            {
                continue;
            }
            let mut written = Vec::new();
            if let Some(operand) = op.written(&instruction.operands) {
                registers(operand, &mut |reg| written.push(reg));
            }
            for reg in written {
                changed |= std::mem::replace(&mut made[reg as usize], false);
            }
        }
        if !changed {
            return made;
        }
    }
}

impl<'a> Lower<'a, '_> {
    /// Records whether the bits of NaNs that the next instruction reads matter.
    pub fn look_at_nans(&mut self, op: Opcode<'a>, operands: &'a [Operand]) {
        let onward = moves(op)
            && matches!(operands.first(), Some(Operand::Reg(reg))
                if self.made_numbers[*reg as usize]);
        self.sees_nans = !onward && looks(op);
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
