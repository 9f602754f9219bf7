//! Finds the statements at which a thread waits for others. If a kernel waits only in its own body,
//! its threads need no stacks of their own.

use std::collections::{HashMap, HashSet};

use crate::engine::link::{Linked, Symbol};
use crate::engine::lower::opcode::Opcode;
use crate::engine::syntax::ir::{Body, Module, Operand, Statement};

/// Backward jumps that a thread may repeat until another thread makes progress.
pub struct Rounds<'a> {
    /// Statement index of each label.
    positions: HashMap<&'a str, usize>,
    /// For each statement, the number of earlier statements that may observe another thread's
    /// effects.
    watching: Vec<u32>,
}

impl<'a> Rounds<'a> {
    /// Finds the backward jumps in a body.
    pub fn new(module: &'a Module, body: &'a Body) -> Rounds<'a> {
        let mut rounds = Rounds { positions: HashMap::new(), watching: Vec::new() };
        let mut count = 0;
        for (position, statement) in body.statements.iter().enumerate() {
            rounds.watching.push(count);
            match statement {
                Statement::Label(name) => {
                    rounds.positions.insert(name, position);
                }
                Statement::Instruction(instruction) => {
                    let opcode = Opcode::of(module, instruction);
                    let ordered = opcode.base == "ld"
                        && opcode.one_of(&["volatile", "relaxed", "acquire"]).is_some();
                    count +=
                        u32::from(ordered || matches!(opcode.base, "atom" | "call" | "mbarrier"));
                }
                _ => {}
            }
        }
        rounds
    }

    /// Returns whether the jump at `position` to `label` is a backward jump that waits for another
    /// thread.
    pub fn has(&self, position: usize, label: &str) -> bool {
        let target = self.positions.get(label).filter(|&&target| target <= position);
        target.is_some_and(|&target| self.watching[position] != self.watching[target])
    }
}

/// Returns whether a function that the kernel calls, directly or indirectly, may wait or end the
/// thread.
pub fn calls_wait(linked: &Linked, kernel: u32) -> bool {
    let mut wanted = vec![kernel];
    let mut seen = HashSet::from([kernel]);
    while let Some(id) = wanted.pop() {
        let module_index = linked.functions[id as usize].module;
        let module = &linked.modules[module_index];
        let Some(body) = &linked.function(id).body else { continue };
        if id != kernel && body_waits(module, body) {
            return true;
        }
        for statement in &body.statements {
            let Statement::Instruction(instruction) = statement else { continue };
            if Opcode::of(module, instruction).base != "call" {
                continue;
            }
            let target =
                instruction.operands.iter().find(|operand| !matches!(operand, Operand::List(_)));
            match target {
                Some(Operand::Name(name, _)) => match linked.symbols[module_index].get(name) {
                    Some(&Symbol::Function(id)) => wanted.extend(seen.insert(id).then_some(id)),
                    Some(Symbol::Builtin(_)) => {}
                    _ => return true,
                },
                // An indirect call can reach any function.
                _ => return true,
            }
        }
    }
    false
}

fn body_waits(module: &Module, body: &Body) -> bool {
    let rounds = Rounds::new(module, body);
    body.statements.iter().enumerate().any(|(position, statement)| {
        let Statement::Instruction(instruction) = statement else { return false };
        let opcode = Opcode::of(module, instruction);
        let round = match instruction.operands.first() {
            Some(Operand::Name(label, _)) if opcode.base == "bra" => rounds.has(position, label),
            _ => false,
        };
        round || opcode.waits() || opcode.base == "exit"
    })
}
