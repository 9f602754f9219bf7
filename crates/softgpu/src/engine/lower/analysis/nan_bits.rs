//! Finds the registers that hold only `f32` values that arithmetic computed, and the instructions
//! that observe the bits of NaNs.

use crate::engine::exec::arithmetic::math::NAN;
use crate::engine::lower::analysis::liveness::registers;
use crate::engine::lower::opcode::Opcode;
use crate::engine::syntax::ir::{Body, Function, Module, Operand, Statement};
use crate::engine::syntax::types::{Ty, TypeKind};
use cranelift_codegen::ir::{Type, types};

/// Returns whether an instruction computes `f32` values that do not depend on the bits of NaN
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

/// Returns whether an instruction only moves a value that may be an `f32`.
pub fn moves(op: Opcode<'_>) -> bool {
    matches!(op.base, "mov" | "selp")
        && op
            .last_type()
            .is_some_and(|ty| ty.bits == 32 && matches!(ty.kind, TypeKind::Float | TypeKind::Bits))
}

/// Returns whether an instruction observes the bits of a NaN operand. For an instruction that only
/// moves the operand, the answer also depends on the target register.
pub fn reads_bits(op: Opcode<'_>) -> bool {
    match op.base {
        "setp" | "set" | "testp" => false,
        "cvt" => op.types().next() == Some(Ty::F64),
        _ => !computes(op) || op.last_type() != Some(Ty::F32),
    }
}

/// Returns, for each register, whether the register holds only values that arithmetic computed.
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
