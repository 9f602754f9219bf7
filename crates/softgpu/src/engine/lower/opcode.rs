//! An opcode taken apart at its dots.

use crate::engine::instruction::Form;
use crate::engine::syntax::ir::{Instruction, Module, Operand, Space};
use crate::engine::syntax::types::Ty;

#[derive(Clone, Copy)]
pub struct Opcode<'a> {
    pub text: &'a str,
    pub base: &'a str,
    pub form: Option<&'static Form>,
}

impl<'a> Opcode<'a> {
    pub fn of(module: &'a Module, instruction: &Instruction) -> Opcode<'a> {
        let opcode = &module.opcodes[instruction.opcode as usize];
        let text = &*opcode.text;
        Opcode { text, base: text.split('.').next().unwrap_or(text), form: opcode.form }
    }

    /// The operand whose registers it writes. One without a form is refused later, whatever is said
    /// of it here.
    pub fn written(self, operands: &[Operand]) -> Option<&Operand> {
        self.form.and_then(|form| form.written(operands))
    }

    /// The operands that it reads: all others, and addresses wherever they stand.
    pub fn read(self, operands: &[Operand]) -> &[Operand] {
        if self.written(operands).is_some() { &operands[1..] } else { operands }
    }

    /// Whether a thread waits for others in it.
    pub fn waits(self) -> bool {
        self.form.is_some_and(|form| form.waits)
    }

    pub fn modifiers(self) -> impl Iterator<Item = &'a str> {
        self.text.split('.').skip(1)
    }

    pub fn has(self, modifier: &str) -> bool {
        self.modifiers().any(|found| found == modifier)
    }

    /// The first of the given modifiers that the opcode has.
    pub fn one_of(self, choices: &[&'static str]) -> Option<&'static str> {
        self.modifiers().find_map(|found| choices.iter().copied().find(|&choice| choice == found))
    }

    pub fn types(self) -> impl Iterator<Item = Ty> {
        self.modifiers().filter_map(Ty::parse)
    }

    pub fn last_type(self) -> Option<Ty> {
        self.types().last()
    }

    /// `None` is the generic address space.
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

    pub fn lanes(self) -> usize {
        match self.one_of(&["v2", "v4", "v8"]) {
            Some("v2") => 2,
            Some("v4") => 4,
            Some(_) => 8,
            None => 1,
        }
    }

    /// The rounding of a float result, in the encoding of `exec::half::Round`.
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
