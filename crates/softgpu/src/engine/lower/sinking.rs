//! Moves loads down to just before what first reads them, after the optimiser. Compilers for GPUs
//! load early, into a register file that the processor does not have, and the optimiser computes
//! late; what is loaded between the two would go to the stack and back. A load right before its one
//! reader also becomes part of it.

use cranelift_codegen::ir::{Function, Inst, Opcode, Value};

/// Instructions that wait for their reader at once; more would only cost time to compile.
const HELD_MAX: usize = 64;

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

/// Puts before `place` what `reader` reads of what is held, loads last: the very last can become
/// part of the reader.
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

/// Loads, and what comes between a load and its reader without needing another register.
fn moves(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Load | Opcode::Splat | Opcode::Bitcast | Opcode::ScalarToVector)
}

/// Whether no load may be moved across it.
fn is_ordered(opcode: Opcode) -> bool {
    opcode.can_store()
        || opcode.is_call()
        || opcode.is_terminator()
        || opcode.other_side_effects()
        || opcode == Opcode::AtomicLoad
}
