//! Moves each load to just before its first reader, after the optimiser has run. GPU compilers load
//! early, because a GPU has many registers, whereas the optimiser places computations late. A value
//! that is loaded long before its use would be spilled to the stack and reloaded. A load directly
//! before its only reader can also become a memory operand of the reader.

use cranelift_codegen::ir::{Function, Inst, Opcode, Value};

/// Maximum number of held instructions. A larger number would only cost compile time.
const HELD_MAX: usize = 64;

/// Moves the loads of a function.
pub fn sink_loads(function: &mut Function) {
    let blocks: Vec<_> = function.layout.blocks().collect();
    for block in blocks {
        let mut held: Vec<Inst> = Vec::new();
        let mut following = function.layout.first_inst(block);
        while let Some(inst) = following {
            following = function.layout.next_inst(inst);
            let opcode = function.dfg.insts[inst].opcode();
            if is_ordered(opcode) {
                held.drain(..).for_each(|held| function.layout.insert_inst(held, inst));
            } else if moves(opcode) && held.len() < HELD_MAX {
                function.layout.remove_inst(inst);
                held.push(inst);
            } else {
                release(function, &mut held, inst, inst);
            }
        }
    }
}

/// Inserts the held instructions that `reader` reads before `place`, loads last. The last load can
/// become a memory operand of the reader.
fn release(function: &mut Function, held: &mut Vec<Inst>, reader: Inst, place: Inst) {
    let read: Vec<Value> = function.dfg.inst_values(reader).collect();
    let find = |function: &Function, held: &[Inst], loads: bool| {
        held.iter().position(|&held| {
            let load = function.dfg.insts[held].opcode() == Opcode::Load;
            load == loads
                && function.dfg.inst_results(held).iter().any(|result| read.contains(result))
        })
    };
    while let Some(at) = find(function, held, false).or_else(|| find(function, held, true)) {
        let inst = held.remove(at);
        release(function, held, inst, place);
        function.layout.insert_inst(inst, place);
    }
}

/// Returns whether the pass moves instructions with this opcode: loads, and conversions of a loaded
/// value that need no additional register.
fn moves(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Load | Opcode::Splat | Opcode::Bitcast | Opcode::ScalarToVector)
}

/// Returns whether loads must not move across an instruction with this opcode.
fn is_ordered(opcode: Opcode) -> bool {
    opcode.can_store()
        || opcode.is_call()
        || opcode.is_terminator()
        || opcode.other_side_effects()
        || opcode == Opcode::AtomicLoad
}
