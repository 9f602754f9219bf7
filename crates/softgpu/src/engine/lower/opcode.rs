//! An opcode, split at its dots.

use crate::engine::instruction::Form;
use crate::engine::syntax::ir::{Instruction, Module, Operand, Space};
use crate::engine::syntax::types::Ty;

/// An opcode that is split at its dots.
#[derive(Clone, Copy)]
pub struct Opcode<'a> {
    /// The whole text.
    pub text: &'a str,
    /// The part before the first dot.
    pub base: &'a str,
    /// The form, or `None` if the compiler rejects the opcode.
    pub form: Option<&'static Form>,
}

impl<'a> Opcode<'a> {
    /// Returns the opcode of an instruction.
    pub fn of(module: &'a Module, instruction: &Instruction) -> Opcode<'a> {
        let opcode = &module.opcodes[instruction.opcode as usize];
        let text = &*opcode.text;
        Opcode { text, base: text.split('.').next().unwrap_or(text), form: opcode.form }
    }

    /// Returns the operand whose registers the instruction writes. For an opcode without a form,
    /// the result does not matter, because compilation rejects the opcode later.
    pub fn written(self, operands: &[Operand]) -> Option<&Operand> {
        self.form.and_then(|form| form.written(operands))
    }

    /// Returns the operands that the instruction reads: all except the written one. An address is
    /// always read.
    pub fn read(self, operands: &[Operand]) -> &[Operand] {
        if self.written(operands).is_some() { &operands[1..] } else { operands }
    }

    /// Returns whether a thread waits for others in the instruction.
    pub fn waits(self) -> bool {
        self.form.is_some_and(|form| form.waits)
    }

    /// Returns the parts after the first dot.
    pub fn modifiers(self) -> impl Iterator<Item = &'a str> {
        self.text.split('.').skip(1)
    }

    /// Returns whether the opcode has a modifier.
    pub fn has(self, modifier: &str) -> bool {
        self.modifiers().any(|found| found == modifier)
    }

    /// Returns the first of the given modifiers that the opcode has.
    pub fn one_of(self, choices: &[&'static str]) -> Option<&'static str> {
        self.modifiers().find_map(|found| choices.iter().copied().find(|&choice| choice == found))
    }

    /// Returns the modifiers that are types.
    pub fn types(self) -> impl Iterator<Item = Ty> {
        self.modifiers().filter_map(Ty::parse)
    }

    /// Returns the last type.
    pub fn last_type(self) -> Option<Ty> {
        self.types().last()
    }

    /// Returns the state space, or `None` for generic addressing.
    pub fn space(self) -> Option<Space> {
        self.modifiers().find_map(|found| match found {
            "global" => Some(Space::Global),
            "shared" | "shared::cta" => Some(Space::Shared),
            "shared::cluster" => Some(Space::ClusterShared),
            "local" => Some(Space::Local),
            "const" => Some(Space::Const),
            "param" | "param::entry" | "param::func" => Some(Space::Param),
            _ => None,
        })
    }

    /// Returns the number of elements in a vector access.
    pub fn lanes(self) -> usize {
        match self.one_of(&["v2", "v4", "v8"]) {
            Some("v2") => 2,
            Some("v4") => 4,
            Some(_) => 8,
            None => 1,
        }
    }

    /// Returns the rounding mode for a float result, in the encoding of `exec::half::Round`.
    pub fn rounding(self) -> u32 {
        match self.one_of(&["rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"]) {
            Some("rz" | "rzi") => 1,
            Some("rm" | "rmi") => 2,
            Some("rp" | "rpi") => 3,
            Some("rna") => 4,
            _ => 0,
        }
    }
}
