//! Instructions on the bytes or halves of a register, and instructions that are only hints.

use cranelift_codegen::ir::{InstBuilder, types};

use crate::engine::exec::arithmetic::video;
use crate::engine::exec::arithmetic::video::{Form, Lane};
use crate::engine::lower::function::Lower;
use crate::engine::lower::lowering::Lowered;
use crate::engine::lower::opcode::Opcode;
use crate::engine::syntax::ir::Operand;
use crate::engine::syntax::types::Ty;

impl<'a> Lower<'a, '_> {
    /// Lowers an instruction on the parts of a register. Returns `None` for other instructions.
    pub fn lanes_of_register(
        &mut self,
        op: Opcode<'a>,
        operands: &'a [Operand],
    ) -> Option<Lowered<()>> {
        let likely = op.base.starts_with('v') || op.text.ends_with("16x2") || op.has("pack");
        if !likely || operands.len() < 3 {
            return None;
        }
        let words: Vec<&str> = op.modifiers().collect();
        match (op.base, &words[..]) {
            ("add" | "min" | "max", [rest @ .., ty @ ("u16x2" | "s16x2")]) => {
                let form = halves(op.base, rest, *ty == "s16x2")?;
                Some(self.compute_lanes(op, form, operands, None))
            }
            ("cvt", ["pack", "sat", to, from, ..]) => {
                Some(self.pack_clamped(op, to, from, operands))
            }
            _ => {
                let form = form(op.base.strip_prefix('v')?, &words)?;
                let accumulated = form.accumulate.then(|| operands.get(3)).flatten();
                Some(self.compute_lanes(op, form, operands, accumulated))
            }
        }
    }

    fn compute_lanes(
        &mut self,
        op: Opcode<'a>,
        form: Form,
        operands: &'a [Operand],
        c: Option<&'a Operand>,
    ) -> Lowered<()> {
        let [a, b] = self.sources(Ty::U32, op, operands)?;
        let c = match c {
            Some(c) => self.read(c, Ty::U32)?,
            None => self.int(32, 0),
        };
        let packed = self.int(32, u64::from(form.pack()));
        let value =
            self.compute(video::lanes as *const () as usize, &[packed, a, b, c], types::I32);
        self.write(&operands[0], Ty::U32, value)
    }

    fn pack_clamped(
        &mut self,
        op: Opcode<'a>,
        to: &str,
        from: &str,
        operands: &'a [Operand],
    ) -> Lowered<()> {
        let (Some(to), Some(from @ Ty { bits: 32, .. })) = (Ty::parse(to), Ty::parse(from)) else {
            return self.unsupported(op.text);
        };
        if !to.integer() || to.bits > 16 {
            return self.unsupported(op.text);
        }
        let [a, b] = self.sources(Ty::U32, op, operands)?;
        let c = match operands.get(3) {
            Some(c) => self.read(c, Ty::U32)?,
            None => self.int(32, 0),
        };
        let packed = to.bits | u32::from(to.signed()) << 8 | u32::from(from.signed()) << 9;
        let packed = self.int(32, u64::from(packed));
        let value = self.compute(video::pack as *const () as usize, &[packed, a, b, c], types::I32);
        self.write(&operands[0], Ty::U32, value)
    }

    /// Lowers hints, which do not change results: launches are in order, caches are not controlled,
    /// and registers are plentiful.
    pub fn hint(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Option<Lowered<()>> {
        if !matches!(op.base, "griddepcontrol" | "fence" | "discard" | "createpolicy") {
            return None;
        }
        let words: Vec<&str> = op.modifiers().collect();
        match (op.base, &words[..]) {
            ("griddepcontrol", ["wait" | "launch_dependents"]) => Some(Ok(())),
            ("fence", ["mbarrier_init", "release", "cluster"])
            | ("discard", ["global", "L2"] | ["L2"]) => Some(Ok(())),
            ("createpolicy", ["fractional" | "range", ..]) => {
                let zero = self.b.ins().iconst(types::I64, 0);
                Some(self.write(operands.first()?, Ty::B64, zero))
            }
            _ => None,
        }
    }
}

/// Parses opcodes such as `add{.sat}.u16x2` and `min{.relu}.s16x2`.
fn halves(base: &str, words: &[&str], signed: bool) -> Option<Form> {
    let (saturate, relu) = match words {
        [] => (false, false),
        ["sat"] => (true, false),
        ["relu"] => (false, true),
        _ => return None,
    };
    let lane = Lane::parse(base)?;
    Some(Form {
        lane,
        bits: 16,
        signed: [signed; 2],
        signed_result: signed,
        saturate,
        relu,
        accumulate: false,
    })
}

/// Parses `vadd4.u32.u32.u32{.sat}{.add}` and `vset2.u32.u32.ge{.add}`, without selectors or masks.
fn form(name: &str, words: &[&str]) -> Option<Form> {
    let bits = match name.chars().last()? {
        '2' => 16,
        '4' => 8,
        _ => return None,
    };
    let name = &name[..name.len() - 1];
    let signed = |text: &str| match text {
        "s32" => Some(true),
        "u32" => Some(false),
        _ => None,
    };
    let (lane, types, rest) = match words {
        [a, b, compare, rest @ ..] if name == "set" => (Lane::parse(compare)?, ["u32", a, b], rest),
        [d, a, b, rest @ ..] => (Lane::parse(name)?, [*d, *a, *b], rest),
        _ => return None,
    };
    if name != "set" && (lane as u32) >= Lane::Equal as u32
        || name == "set" && (lane as u32) < Lane::Equal as u32
    {
        return None;
    }
    let (saturate, accumulate) = match rest {
        [] => (false, false),
        ["sat"] => (true, false),
        ["add"] => (false, true),
        _ => return None,
    };
    let form = Form {
        lane,
        bits,
        signed: [signed(types[1])?, signed(types[2])?],
        signed_result: signed(types[0])?,
        saturate,
        relu: false,
        accumulate,
    };
    Some(form)
}
