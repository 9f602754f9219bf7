//! The machine types of registers.

use crate::engine::lower::opcode::Opcode;
use crate::engine::syntax::ir::{Body, Module, Operand, Reg, Statement};
use crate::engine::syntax::types::{Ty, TypeKind};
use cranelift_codegen::ir::{Type, types};

/// Returns the types of all registers. An untyped register is a float register if only float
/// instructions use it.
pub fn classes(module: &Module, body: &Body) -> Vec<Type> {
    let mut votes = vec![(false, false); body.registers.len()];
    let mut vote = |operand: &Operand, ty: Option<Ty>| {
        let mut cast = |reg: Reg, float: bool| {
            let entry = &mut votes[reg as usize];
            *if float { &mut entry.0 } else { &mut entry.1 } = true;
        };
        match operand {
            Operand::Reg(reg) => {
                if let Some(ty) = ty {
                    cast(*reg, ty.native_float());
                }
            }
            Operand::Vector(all) => all.iter().for_each(|operand| {
                if let (Operand::Reg(reg), Some(ty)) = (operand, ty) {
                    cast(*reg, ty.native_float());
                }
            }),
            Operand::Address(base, _) => {
                if let Operand::Reg(reg) = **base {
                    cast(reg, false);
                }
            }
            _ => {}
        }
    };
    for statement in &body.statements {
        let Statement::Instruction(instruction) = statement else { continue };
        let opcode = Opcode::of(module, instruction);
        let mut ty = opcode.last_type();
        if matches!(opcode.base, "ld" | "st" | "mov" | "selp")
            && ty.is_some_and(|ty| ty.kind == TypeKind::Bits)
        {
            ty = None;
        }
        let first = if matches!(opcode.base, "cvt" | "set") { opcode.types().next() } else { ty };
        for (index, operand) in instruction.operands.iter().enumerate() {
            vote(operand, if index == 0 { first } else { ty });
        }
    }
    let class = |(ty, (float, int)): (&Ty, (bool, bool))| match (ty.kind, ty.bits, float && !int) {
        (TypeKind::Bits, 32, true) => types::F32,
        (TypeKind::Bits, 64, true) => types::F64,
        _ => ty.clif(),
    };
    body.registers.iter().zip(votes).map(class).collect()
}
