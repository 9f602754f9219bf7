//! The PTX instructions: spec/ptx.txt as a table, and the lookup of an opcode's form. The parser
//! looks up each opcode once. The lowering rejects opcodes without a form. The form also says
//! whether a thread waits in the instruction, which liveness analysis needs.

use super::operand::Operand;
use super::types::Ty;
use crate::generated::instructions::INSTRUCTIONS;

/// An instruction with all its forms.
#[derive(Debug)]
pub struct Instruction {
    /// Name, which is the part of the opcode before the first dot.
    pub name: &'static str,
    /// Permitted forms.
    pub forms: &'static [Form],
}

/// A permitted form of an instruction.
#[derive(Debug, PartialEq, Eq)]
pub struct Form {
    /// Modifiers.
    pub choices: &'static [Choice],
    /// Permitted types for each type position in the opcode.
    pub types: &'static [&'static [Ty]],
    /// Whether the opcode may have cache hints, which never change a result.
    pub hints: bool,
    /// Whether the lowering checks the modifiers and types itself.
    pub open: bool,
    /// Operands.
    pub operands: &'static [FormOperand],
    /// Whether additional operands may follow.
    pub open_operands: bool,
    /// Whether a thread waits for others in the instruction.
    pub waits: bool,
}

/// A set of modifiers. An opcode has at most one of them.
#[derive(Debug, PartialEq, Eq)]
pub struct Choice {
    /// Whether the opcode must have one of the modifiers.
    pub required: bool,
    /// The modifiers, without dots.
    pub words: &'static [&'static str],
}

/// An operand of a form.
#[derive(Debug, PartialEq, Eq)]
pub struct FormOperand {
    /// Kind of operand.
    pub of: Of,
    /// Whether a predicate follows the operand.
    pub beside: Beside,
    /// Whether the instruction writes it.
    pub written: bool,
    /// Whether the operand may be absent.
    pub optional: bool,
}

/// The kind of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// A value of the type at this position in the opcode.
    Type(usize),
    /// A value with twice as many bits as the type at this position in the opcode.
    Wide(usize),
    /// A value of this type.
    Fixed(Ty),
    /// An integer constant.
    Number,
    /// An address in brackets.
    Address,
    /// The name of a label, function or variable.
    Label,
    /// A list in parentheses.
    List,
    /// Any operand.
    Any,
}

/// Whether a predicate follows a result, separated by a bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// No predicate may follow.
    Nothing,
    /// A predicate may follow.
    Maybe,
    /// A predicate must follow.
    Predicate,
}

/// Returns all instructions, sorted by name.
pub fn all() -> &'static [Instruction] {
    INSTRUCTIONS
}

fn forms_of(name: &str) -> &'static [Form] {
    let found = INSTRUCTIONS.binary_search_by(|instruction| instruction.name.cmp(name)).ok();
    found.map_or(&[], |index| INSTRUCTIONS[index].forms)
}

/// Returns the form of an opcode, if it has one.
pub fn form_of(opcode: &str) -> Option<&'static Form> {
    let (name, modifiers) = opcode.split_once('.').unwrap_or((opcode, ""));
    forms_of(name).iter().find(|form| form.takes(modifiers))
}

/// Returns the first wrong modifier of an opcode that has no form, or the whole opcode.
pub fn refused(opcode: &str) -> String {
    let (name, modifiers) = opcode.split_once('.').unwrap_or((opcode, ""));
    let forms = forms_of(name);
    let known = |word: &str| {
        Ty::parse(word).is_some()
            || forms.iter().any(|form| form.open && form.choices.is_empty() || form.knows(word))
    };
    match modifiers.split('.').find(|word| !word.is_empty() && !known(word)) {
        Some(word) if !forms.is_empty() => format!("{name} with .{word}"),
        _ => opcode.to_owned(),
    }
}

fn is_hint(word: &str) -> bool {
    word.starts_with("L1::") || word.starts_with("L2::")
}

impl Form {
    fn knows(&self, word: &str) -> bool {
        self.hints && is_hint(word)
            || self.choices.iter().any(|choice| choice.words.contains(&word))
    }

    fn takes(&self, modifiers: &str) -> bool {
        let mut chosen = vec![false; self.choices.len()];
        let mut types = self.types.iter();
        let mut take = |word: &str| {
            if let Some(ty) = Ty::parse(word) {
                return types.next().is_some_and(|all| all.contains(&ty));
            }
            let free = |(index, choice): &(usize, &Choice)| {
                !chosen[*index] && choice.words.contains(&word)
            };
            let place = self.choices.iter().enumerate().find(free).map(|(index, _)| index);
            place.inspect(|index| chosen[*index] = true).is_some() || self.hints && is_hint(word)
        };
        let mut words = modifiers.split('.').filter(|word| !word.is_empty());
        // If the lowering checks the modifiers itself, the form accepts every modifier. The
        // modifiers still select the choices, which distinguish the forms.
        let all = words.by_ref().fold(true, |all, word| take(word) & all);
        let complete = types.next().is_none();
        (self.open || all && complete)
            && self.choices.iter().zip(chosen).all(|(choice, chosen)| chosen || !choice.required)
    }

    /// Returns an error text if the operands do not fit the form. `types` are the opcode's types.
    pub(in crate::engine) fn complaint(
        &self,
        operands: &[Operand],
        types: impl Fn(usize) -> Option<Ty>,
    ) -> Option<String> {
        let Some(slots) = self.slots_for(operands) else {
            return Some(format!("it does not take {} operands", operands.len()));
        };
        let wrong =
            slots.into_iter().zip(operands).position(|(slot, operand)| !slot.fits(operand, &types));
        wrong.map(|index| format!("its operand {} is of the wrong kind", index + 1))
    }

    /// Returns the form's operand for each actual operand. If operands are missing, the last
    /// optional ones are left out. Returns `None` if there are too few or too many operands.
    fn slots_for(&self, operands: &[Operand]) -> Option<Vec<&FormOperand>> {
        let mut slots: Vec<&FormOperand> = self.operands.iter().collect();
        // A call without results has no result list.
        if slots.first().is_some_and(|slot| slot.of == Of::List)
            && !matches!(operands.first(), Some(Operand::List(_)))
        {
            slots.remove(0);
        }
        while slots.len() > operands.len() {
            let spare = slots.iter().rposition(|slot| slot.optional)?;
            slots.remove(spare);
        }
        (self.open_operands || slots.len() == operands.len()).then_some(slots)
    }

    /// Returns the operand whose registers the instruction writes.
    pub(in crate::engine) fn written<'o>(&self, operands: &'o [Operand]) -> Option<&'o Operand> {
        let slot = self.operands.first().filter(|slot| slot.written)?;
        // An address is never written. An address comes first if a result is left out.
        let first = operands
            .first()
            .filter(|first| !matches!(first, Operand::Address(..) | Operand::Tuple(_)))?;
        (slot.of != Of::List || matches!(first, Operand::List(_))).then_some(first)
    }
}

impl FormOperand {
    fn fits(&self, operand: &Operand, types: &impl Fn(usize) -> Option<Ty>) -> bool {
        let predicate = match self.of {
            Of::Fixed(ty) => ty == Ty::PRED,
            Of::Type(index) => types(index) == Some(Ty::PRED),
            _ => false,
        };
        match (self.of, operand) {
            (Of::Any, _) => true,
            (Of::Address, operand) => matches!(operand, Operand::Address(..) | Operand::Tuple(_)),
            (Of::Number, operand) => matches!(operand, Operand::Int(_)),
            (Of::List, operand) => matches!(operand, Operand::List(_)),
            (Of::Label, operand) => matches!(operand, Operand::Name(..)),
            (_, Operand::Address(..) | Operand::Tuple(_) | Operand::List(_)) => false,
            (_, Operand::Pair(..)) => self.beside != Beside::Nothing,
            (_, Operand::Not(_)) => predicate && !self.written,
            _ => self.beside != Beside::Predicate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_is_found() {
        for pair in INSTRUCTIONS.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} before {}", pair[0].name, pair[1].name);
        }
        INSTRUCTIONS.iter().for_each(|instruction| {
            assert!(!forms_of(instruction.name).is_empty(), "{}", instruction.name)
        });
    }

    #[test]
    fn a_modifier_belongs_to_a_form_with_its_types() {
        for accepted in [
            "add.rn.ftz.f32",
            "add.sat.s32",
            "ld.global.nc.L1::no_allocate.L2::128B.v4.f32",
            "cvt.rni.s32.f32",
            "mma.sync.x",
            "ret",
        ] {
            assert!(form_of(accepted).is_some(), "{accepted}");
        }
        for (text, what) in [
            ("add.lo.s32", "add with .lo"),
            ("add.sat.u32", "add.sat.u32"),
            ("fma.rn.sat.bf16", "fma.rn.sat.bf16"),
            ("min.xorsign.f32", "min.xorsign.f32"),
            ("add.rn.rz.f32", "add.rn.rz.f32"),
            ("mul.s32", "mul.s32"),
            ("st.global.nc.f32", "st with .nc"),
            ("wgmma.fence.sync.aligned", "wgmma.fence.sync.aligned"),
            ("and.f32", "and.f32"),
            ("cvt.s32.f32.f32", "cvt.s32.f32.f32"),
        ] {
            assert!(form_of(text).is_none(), "{text}");
            assert_eq!(refused(text), what);
        }
    }

    #[test]
    fn a_form_knows_its_written_operand() {
        let reg = Operand::Reg(1);
        let writes = |text, operands: &[Operand]| {
            form_of(text).and_then(|form| form.written(operands)).is_some()
        };
        let address = Operand::Address(Box::new(Operand::Reg(2)), 0);
        assert!(writes("bar.red.popc.u32", &[reg.clone(), Operand::Int(0), Operand::Reg(3)]));
        for silent in ["bar.sync", "nanosleep.u32", "brx.idx"] {
            assert!(!writes(silent, std::slice::from_ref(&reg)), "{silent}");
        }
        assert!(
            !writes("st.global.u32", &[address.clone(), reg.clone()])
                && !writes("mbarrier.init.b64", &[address, reg.clone()])
        );
        assert!(writes("call", &[Operand::List(vec![reg.clone()]), Operand::Name("f".into(), 0)]));
        assert!(!writes("call", &[Operand::Name("f".into(), 0), Operand::List(vec![reg])]));
    }

    #[test]
    fn operands_are_counted_and_of_their_kind() {
        let (reg, number) = (Operand::Reg(1), Operand::Int(1));
        let pair = Operand::Pair(Box::new(reg.clone()), Box::new(Operand::Reg(2)));
        let fits = |text: &str, operands: &[Operand]| {
            form_of(text).unwrap().complaint(operands, |_| Some(Ty::S32)).is_none()
        };
        assert!(fits("add.s32", &[reg.clone(), reg.clone(), number.clone()]));
        assert!(!fits("add.s32", &[reg.clone(), reg.clone()]));
        assert!(!fits("add.s32", &[reg.clone(), reg.clone(), reg.clone(), reg.clone()]));
        assert!(!fits("add.s32", &[pair.clone(), reg.clone(), reg.clone()]));
        assert!(!fits("add.s32", &[reg.clone(), Operand::Not(Box::new(reg.clone())), reg.clone()]));
        assert!(fits("setp.eq.s32", &[pair, reg.clone(), reg.clone()]));
        assert!(!fits(
            "lop3.b32",
            &[reg.clone(), reg.clone(), reg.clone(), reg.clone(), reg.clone()]
        ));
        let not = Operand::Not(Box::new(reg.clone()));
        assert!(fits("bar.red.popc.u32", &[reg.clone(), number.clone(), not.clone()]));
        assert!(fits("bar.red.popc.u32", &[reg.clone(), number.clone(), number.clone(), not]));
        assert!(
            fits("call", &[Operand::Name("f".into(), 0)])
                && fits("call", &[Operand::List(vec![reg]), Operand::Name("f".into(), 0)])
        );
    }
}
