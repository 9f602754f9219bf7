//! Barriers and warp collectives. Each calls the scheduler, which may run other threads in the
//! meantime.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::function::{Lower, plain};
use super::opcode::Opcode;
use crate::engine::exec::blocks::block::Thread;
use crate::engine::exec::blocks::block::sync::{barrier, barrier_arrive};
use crate::engine::exec::blocks::collective::{active_mask, collective};
use crate::engine::exec::blocks::limits::NO_INPUT;
use crate::engine::exec::blocks::warp::Op;
use crate::engine::lower::lowering::Lowered;
use crate::engine::syntax::ir::Operand;
use crate::engine::syntax::types::{Ty, TypeKind};

impl<'a> Lower<'a, '_> {
    /// Lowers a barrier or a warp collective.
    pub fn warp(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        match op.base {
            "bar" if op.has("warp") => {
                let mask = self.read(&operands[0], Ty::U32)?;
                let zero = self.int(32, 0);
                self.together(Op::Sync, mask, zero, None).map(|_| ())
            }
            "bar" | "barrier" => self.barrier(op, operands),
            "shfl" => self.shuffle(op, operands),
            "vote" => self.vote(op, operands),
            "match" => self.matching(op, operands),
            "redux" => self.reduce(op, operands),
            "elect" => {
                let mask = self.read(&operands[1], Ty::U32)?;
                let zero = self.int(32, 0);
                let leader = self.together(Op::Elect, mask, zero, None)?;
                self.write_pair(&operands[0], leader)
            }
            _ => {
                let site = self.int(32, u64::from(self.line));
                let arguments = [self.block, self.thread, site];
                self.wait(|lower| {
                    lower.helper(active_mask as *const () as usize, &arguments, None);
                })?;
                let mask = self.result();
                self.write(&operands[0], Ty::B64, mask)
            }
        }
    }

    /// Generates the scheduler call for a collective.
    pub fn together(
        &mut self,
        what: Op,
        mask: Value,
        value: Value,
        extra: Option<[Value; 2]>,
    ) -> Lowered<Value> {
        let what = self.int(32, what as u64);
        let value = self.coerce(value, types::I64, false);
        let [b, c] = extra.unwrap_or([what, what]);
        let arguments = [self.block, self.thread, what, mask, value, b, c];
        self.wait(|lower| {
            lower.helper(collective as *const () as usize, &arguments, None);
        })?;
        Ok(self.result())
    }

    /// Loads the result of the last wait.
    fn result(&mut self) -> Value {
        self.b.ins().load(types::I64, plain(), self.thread, offset_of!(Thread, result) as i32)
    }

    /// Writes a result, and the predicate that the scheduler returned with it.
    fn write_pair(&mut self, to: &Operand, value: Value) -> Lowered<()> {
        let Operand::Pair(first, second) = to else { return self.write(to, Ty::B64, value) };
        let flag =
            self.b.ins().load(types::I32, plain(), self.thread, offset_of!(Thread, flag) as i32);
        let flag = self.b.ins().icmp_imm_u(IntCC::NotEqual, flag, 0);
        self.write(first, Ty::B64, value)?;
        self.write(second, Ty::PRED, flag)
    }

    fn shuffle(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let what = match op.one_of(&["up", "down", "bfly", "idx"]) {
            Some("up") => Op::ShflUp,
            Some("down") => Op::ShflDown,
            Some("bfly") => Op::ShflBfly,
            Some(_) => Op::ShflIdx,
            None => return self.unsupported(op.text),
        };
        if !op.has("sync") {
            return self.unsupported(op.text);
        }
        let [value, b, c, mask] = self.sources(Ty::B32, op, operands)?;
        let result = self.together(what, mask, value, Some([b, c]))?;
        self.write_pair(&operands[0], result)
    }

    fn vote(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let what = match op.one_of(&["any", "all", "uni", "ballot"]) {
            Some("any") => Op::VoteAny,
            Some("all") => Op::VoteAll,
            Some("uni") => Op::VoteUni,
            Some(_) => Op::VoteBallot,
            None => return self.unsupported(op.text),
        };
        let (true, Some(mask)) = (op.has("sync"), operands.get(2)) else {
            return self.unsupported(op.text);
        };
        let value = self.read(&operands[1], Ty::PRED)?;
        let mask = self.read(mask, Ty::U32)?;
        let result = self.together(what, mask, value, None)?;
        let ty = if what == Op::VoteBallot { Ty::B64 } else { Ty::PRED };
        let result = self.coerce(result, ty.clif(), false);
        self.write(&operands[0], ty, result)
    }

    fn matching(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let (Some(ty), Some(mask)) = (op.last_type(), operands.get(2)) else {
            return self.unsupported(op.text);
        };
        let value = self.read(&operands[1], Ty { kind: TypeKind::Bits, ..ty })?;
        let mask = self.read(mask, Ty::U32)?;
        let what = if op.has("any") { Op::MatchAny } else { Op::MatchAll };
        let result = self.together(what, mask, value, None)?;
        self.write_pair(&operands[0], result)
    }

    fn reduce(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let Some(ty) = op.last_type().filter(|ty| ty.integer() && ty.bits == 32) else {
            return self.unsupported(op.text);
        };
        let what = match (op.one_of(&["add", "min", "max", "and", "or", "xor"]), ty.signed()) {
            (Some("add"), _) => Op::ReduxAddU,
            (Some("min"), false) => Op::ReduxMinU,
            (Some("min"), true) => Op::ReduxMinS,
            (Some("max"), false) => Op::ReduxMaxU,
            (Some("max"), true) => Op::ReduxMaxS,
            (Some("and"), _) => Op::ReduxAnd,
            (Some("or"), _) => Op::ReduxOr,
            (Some("xor"), _) => Op::ReduxXor,
            _ => return self.unsupported(op.text),
        };
        let [value, mask] = self.sources(Ty::B32, op, operands)?;
        let result = self.together(what, mask, value, None)?;
        self.write(&operands[0], Ty::B64, result)
    }

    fn barrier(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        if op.has("cluster") {
            return self.cluster_barrier(op);
        }
        if operands.is_empty() {
            return self.malformed(format!("{} has too few operands", op.text));
        }
        let zero = self.int(32, 0);
        if op.has("red") {
            return self.barrier_reduction(op, operands);
        }
        let id = self.read(&operands[0], Ty::U32)?;
        let count = match operands.get(1) {
            Some(count) => self.read(count, Ty::U32)?,
            None => zero,
        };
        if op.has("arrive") {
            self.helper(
                barrier_arrive as *const () as usize,
                &[self.block, self.thread, id, count],
                None,
            );
            return Ok(());
        }
        let nothing = self.int(32, u64::from(NO_INPUT));
        let arguments = [self.block, self.thread, id, count, nothing];
        let call = |lower: &mut Self| {
            lower.helper(barrier as *const () as usize, &arguments, None);
        };
        match operands {
            [Operand::Int(0)] => self.wait_for_all(call),
            _ => self.wait(call),
        }
    }

    /// Lowers a barrier with the operands `d, id{, count}, {!}p`.
    fn barrier_reduction(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let (count, input) = match operands {
            [_, _, input] => (None, input),
            [_, _, count, input] => (Some(count), input),
            _ => return self.unsupported(op.text),
        };
        let id = self.read(&operands[1], Ty::U32)?;
        let count = match count {
            Some(count) => self.read(count, Ty::U32)?,
            None => self.int(32, 0),
        };
        let input = self.read(input, Ty::PRED)?;
        let input = self.b.ins().uextend(types::I32, input);
        let arguments = [self.block, self.thread, id, count, input];
        self.wait(|lower| {
            lower.helper(barrier as *const () as usize, &arguments, None);
        })?;
        let result = self.result();
        if op.has("popc") {
            let count = self.b.ins().ushr_imm_u(result, 32);
            return self.write(&operands[0], Ty::B64, count);
        }
        let shifted = if op.has("or") { self.b.ins().ushr_imm_u(result, 1) } else { result };
        let bit = self.b.ins().band_imm_u(shifted, 1);
        let bit = self.coerce(bit, types::I8, false);
        self.write(&operands[0], Ty::PRED, bit)
    }
}
