//! Which functions of the device runtime a kernel names. The driver must know it at a launch,
//! because a limit of such a function is then fixed.

use super::exec::builtin;
use super::link::{Linked, Symbol};
use super::syntax::ir::Statement;
use super::syntax::operand::Operand;
use std::collections::HashSet;

/// The functions of the device runtime with a limit that a kernel, or a function that it names,
/// names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuntimeUse {
    /// Whether it names `malloc`.
    pub allocates: bool,
    /// Whether it names `vprintf`.
    pub prints: bool,
}

impl RuntimeUse {
    /// Returns what a kernel names.
    pub(super) fn of(linked: &Linked, kernel: u32) -> RuntimeUse {
        let mut found = RuntimeUse::default();
        let (malloc, vprintf) = (builtin::find("malloc"), builtin::find("vprintf"));
        let (mut wanted, mut seen) = (vec![kernel], HashSet::from([kernel]));
        while let Some(id) = wanted.pop() {
            let module = linked.functions[id as usize].module;
            let Some(body) = &linked.function(id).body else { continue };
            let instructions = body.statements.iter().filter_map(|statement| match statement {
                Statement::Instruction(instruction) => Some(instruction),
                _ => None,
            });
            for operand in instructions.flat_map(|instruction| &instruction.operands) {
                match name_in(operand).and_then(|name| linked.symbols[module].get(name)) {
                    Some(Symbol::Function(callee)) if seen.insert(*callee) => wanted.push(*callee),
                    Some(Symbol::Builtin(address)) => {
                        found.allocates |= Some(*address) == malloc;
                        found.prints |= Some(*address) == vprintf;
                    }
                    _ => {}
                }
            }
        }
        found
    }
}

/// Returns the name of the function in an operand of a call or a move.
fn name_in(operand: &Operand) -> Option<&str> {
    match operand {
        Operand::Name(name, _) => Some(name),
        Operand::Address(base, _) => name_in(base),
        _ => None,
    }
}
