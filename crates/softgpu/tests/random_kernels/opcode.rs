//! The instructions that only compute with registers, from the engine's own table.

use outhaul_softgpu::engine::instruction::{self, Beside, Form, Of};
use outhaul_softgpu::engine::{Ty, TypeKind};

/// An opcode.
#[derive(Debug, Clone)]
pub struct Op {
    /// Name.
    pub name: &'static str,
    /// Modifiers.
    pub words: Vec<&'static str>,
    /// Types.
    pub types: Vec<Ty>,
    /// Form in the engine's table.
    pub form: &'static Form,
}

/// The kind of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    Value(Ty),
    /// A number of 8 bits.
    Number,
}

/// Instructions that use more than their operands, or that move addresses.
const OTHERS: [&str; 9] =
    ["addc", "subc", "madc", "alloca", "stacksave", "cvta", "isspacep", "mapa", "getctarank"];

/// Returns every form with each of its types, each of its modifiers, and each optional operand.
pub fn all() -> Vec<Op> {
    let mut found = Vec::new();
    for instruction in
        instruction::all().iter().filter(|instruction| !OTHERS.contains(&instruction.name))
    {
        instruction
            .forms
            .iter()
            .filter(|form| is_pure(form))
            .for_each(|form| expand(instruction.name, form, &mut found));
    }
    found.retain(|op| !op.has("cc") && !op.types.contains(&Ty::B128));
    found
}

fn is_pure(form: &Form) -> bool {
    let plain = |of: Of| matches!(of, Of::Type(_) | Of::Wide(_) | Of::Fixed(_) | Of::Number);
    !form.open
        && !form.waits
        && form.operands.first().is_some_and(|slot| slot.written)
        && form.operands.iter().all(|slot| plain(slot.of))
}

fn expand(name: &'static str, form: &'static Form, found: &mut Vec<Op>) {
    let least: Vec<Option<&'static str>> =
        form.choices.iter().map(|choice| choice.required.then(|| choice.words[0])).collect();
    let mut picks = vec![least.clone()];
    for (index, choice) in form.choices.iter().enumerate() {
        for word in choice.words {
            let mut pick = least.clone();
            pick[index] = Some(word);
            if !picks.contains(&pick) {
                picks.push(pick);
            }
        }
    }
    let mut types = vec![Vec::new()];
    for choice in form.types {
        types = types
            .iter()
            .flat_map(|so_far: &Vec<Ty>| choice.iter().map(|ty| [&so_far[..], &[*ty]].concat()))
            .collect();
    }
    for (index, types) in types.into_iter().enumerate() {
        for pick in if index == 0 || picks.len() <= 8 { &picks[..] } else { &picks[..1] } {
            found.push(Op {
                name,
                words: pick.iter().flatten().copied().collect(),
                types: types.clone(),
                form,
            });
        }
    }
}

impl Op {
    /// Returns whether the opcode has a modifier.
    pub fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    /// Returns the modifier among the choices that the opcode has.
    pub fn word(&self, choices: &[&'static str]) -> Option<&'static str> {
        self.words.iter().find_map(|word| choices.iter().find(|choice| *choice == word)).copied()
    }

    /// Returns the opcode as text.
    pub fn text(&self) -> String {
        let (words, types) = (
            self.words.join("."),
            self.types.iter().map(|ty| type_name(*ty)).collect::<Vec<_>>().join("."),
        );
        let is_lanes = self.name.starts_with('v') && self.name.ends_with(['2', '4']);
        let parts = if is_lanes {
            [self.name.to_owned(), types, words]
        } else {
            [self.name.to_owned(), words, types]
        };
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".")
    }

    fn operand(&self, of: Of) -> Operand {
        match of {
            Of::Type(index) => Operand::Value(self.types[index]),
            Of::Wide(index) => {
                Operand::Value(Ty { bits: 2 * self.types[index].bits, ..self.types[index] })
            }
            Of::Fixed(ty) => Operand::Value(ty),
            _ => Operand::Number,
        }
    }

    /// Returns the type of the result.
    pub fn result(&self) -> Ty {
        match self.operand(self.form.operands[0].of) {
            Operand::Value(ty) => ty,
            Operand::Number => unreachable!("a number is not written"),
        }
    }

    /// Returns whether the instruction also writes a predicate.
    pub fn writes_two(&self) -> bool {
        self.form.operands[0].beside != Beside::Nothing
    }

    /// Returns the operands that it reads.
    pub fn sources(&self) -> Vec<Operand> {
        let combines = self.word(&["and", "or", "xor"]).is_some();
        let wanted = self.form.operands[1..].iter().filter(|slot| !slot.optional || combines);
        wanted.map(|slot| self.operand(slot.of)).collect()
    }
}

/// Returns the PTX name of a type.
pub fn type_name(ty: Ty) -> String {
    match ty.kind {
        TypeKind::Pred => "pred".into(),
        TypeKind::Bf16 => "bf16".into(),
        TypeKind::F16x2 => "f16x2".into(),
        TypeKind::Bf16x2 => "bf16x2".into(),
        TypeKind::Bits => format!("b{}", ty.bits),
        TypeKind::Unsigned => format!("u{}", ty.bits),
        TypeKind::Signed => format!("s{}", ty.bits),
        TypeKind::Float => format!("f{}", ty.bits),
    }
}
