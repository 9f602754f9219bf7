//! The order in which a stretch of instructions is lowered: loads move down to just before what first reads them. Compilers for GPUs load
//! early, into a register file that the processor does not have, and what does not fit would go to the stack and back.

use super::opcode::Opcode;
use crate::engine::syntax::ir::{Body, Instruction, Module, Operand, Reg, Statement};

/// Loads that wait for their reader at once; more would only cost time to compile.
const HELD_MAX: usize = 64;

/// Statement indices in the order to lower them.
pub fn order(module: &Module, body: &Body) -> Vec<usize> {
    let mut order = Vec::with_capacity(body.statements.len());
    let mut held: Vec<Held> = Vec::new();
    for (position, statement) in body.statements.iter().enumerate() {
        let effect = match statement {
            Statement::Instruction(instruction) => {
                let opcode = Opcode::new(&module.opcodes[instruction.opcode as usize]);
                pure(opcode).then(|| (opcode, effect(instruction, position)))
            }
            _ => None,
        };
        let Some((opcode, effect)) = effect else {
            order.extend(held.drain(..).map(|load| load.position));
            order.push(position);
            continue;
        };
        held.retain(|load| {
            let stays = !effect.conflicts(load);
            if !stays {
                order.push(load.position);
            }
            stays
        });
        let float = opcode.last_type().is_some_and(|ty| ty.native_float());
        if opcode.base == "ld" && float && !effect.guarded && held.len() < HELD_MAX {
            held.push(effect);
        } else {
            order.push(position);
        }
    }
    order.extend(held.drain(..).map(|load| load.position));
    order
}

/// What an instruction that touches nothing but registers, and memory as a reader, writes and reads.
struct Held {
    position: usize,
    to: Vec<Reg>,
    from: Vec<Reg>,
    guarded: bool,
}

impl Held {
    /// Whether `load` must come first.
    fn conflicts(&self, load: &Held) -> bool {
        self.from.iter().any(|reg| load.to.contains(reg)) || self.to.iter().any(|reg| load.to.contains(reg) || load.from.contains(reg))
    }
}

fn effect(instruction: &Instruction, position: usize) -> Held {
    let (mut to, mut from) = (Vec::new(), Vec::new());
    for (index, operand) in instruction.operands.iter().enumerate() {
        collect(operand, if index == 0 { &mut to } else { &mut from });
    }
    from.extend(instruction.guard.map(|guard| guard.reg));
    Held { position, to, from, guarded: instruction.guard.is_some() }
}

/// Computes with registers, or reads memory in no order with others.
fn pure(opcode: Opcode<'_>) -> bool {
    matches!(
        opcode.base,
        "mov"
            | "add"
            | "sub"
            | "mul"
            | "mad"
            | "fma"
            | "neg"
            | "abs"
            | "min"
            | "max"
            | "cvt"
            | "cvta"
            | "setp"
            | "selp"
            | "and"
            | "or"
            | "xor"
            | "not"
            | "shl"
            | "shr"
            | "sqrt"
            | "rsqrt"
            | "rcp"
            | "div"
            | "ex2"
            | "lg2"
    ) && !opcode.has("cc")
        || opcode.base == "ld" && opcode.one_of(&["volatile", "relaxed", "acquire", "mmio"]).is_none()
}

fn collect(operand: &Operand, into: &mut Vec<Reg>) {
    match operand {
        Operand::Reg(reg) => into.push(*reg),
        Operand::Vector(all) | Operand::Tuple(all) | Operand::List(all) => all.iter().for_each(|operand| collect(operand, into)),
        Operand::Address(inner, _) | Operand::Not(inner) => collect(inner, into),
        Operand::Pair(first, second) => {
            collect(first, into);
            collect(second, into);
        }
        _ => {}
    }
}
