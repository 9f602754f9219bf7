//! How a kernel's code turns from thread to thread: a loop over the threads of a block, which a thread leaves where it waits. What it must
//! find again lies in its frame, and the loop's first jump leads back behind the wait. No thread needs a stack.

use std::collections::HashMap;
use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as Label, BlockCall, InstBuilder, JumpTableData, TrapCode, Value, types};

use super::Lowered;
use super::function::{Lower, constant, plain};
use super::liveness::{self, Kept};
use crate::engine::CompileError;
use crate::engine::exec::block::{Block, EXITED, Thread, end_pass, thread_left};
use crate::engine::syntax::ir::{Operand, Reg, Space, Statement};

pub struct Turns {
    /// Enters the thread whose index and address it is given.
    enter: Label,
    /// Enters the thread that the scheduler chose, if it chose one.
    chosen: Label,
    /// Goes on with the next thread, in a pass.
    next: Label,
    /// Where threads go on after each wait, by its statement.
    waits: HashMap<usize, (u32, Label, Kept)>,
    slots: HashMap<Reg, i32>,
    frame_bytes: usize,
    frame: Value,
}

/// A wait that was begun: where the thread goes on.
pub struct Pause {
    position: usize,
    resume: Label,
}

impl Turns {
    /// Of each thread; 0 if none ever waits.
    pub fn frame_bytes(&self) -> usize {
        self.frame_bytes
    }
}

impl<'a> Lower<'a, '_> {
    /// Opens the loop over threads, for a kernel that is entered with a block and its first thread.
    pub fn begin_turns(&mut self, first: Value) {
        let rounds = |position: usize| match &self.body.statements[position] {
            Statement::Instruction(instruction) => {
                matches!(instruction.operands.first(), Some(Operand::Name(label, _)) if self.rounds.has(position, label))
            }
            _ => false,
        };
        let found = liveness::analyse(&self.linked.modules[self.module], self.body, &rounds);
        let mut turns = Turns {
            enter: self.b.create_block(),
            chosen: self.b.create_block(),
            next: self.b.create_block(),
            waits: HashMap::new(),
            slots: HashMap::new(),
            frame_bytes: 0,
            frame: first,
        };
        let mut positions: Vec<(usize, Kept)> = found.waits.into_iter().collect();
        positions.sort_by_key(|(position, _)| *position);
        self.lay_out(&mut turns, &positions);
        let start = self.b.create_block();
        let mut targets = vec![start];
        for (state, (position, kept)) in (1..).zip(positions) {
            let label = self.b.create_block();
            targets.push(label);
            turns.waits.insert(position, (state, label, kept));
        }
        self.thread_loop(&mut turns, first, &targets);
        self.b.switch_to_block(start);
        self.turns = Some(turns);
        for reg in found.undefined {
            let zero = self.undefined(reg);
            let variable = self.variable(reg);
            self.b.def_var(variable, zero);
        }
    }

    /// Local variables first, then a place for every register that is live at some wait.
    fn lay_out(&mut self, turns: &mut Turns, waits: &[(usize, Kept)]) {
        if waits.is_empty() {
            return;
        }
        let mut end = 0;
        self.frame_variables = vec![None; self.body.variables.len()];
        for (index, variable) in self.body.variables.iter().enumerate() {
            if variable.space == Space::Local {
                let offset = (end as u64).next_multiple_of(variable.align_bytes.max(8));
                self.frame_variables[index] = Some(offset as i64);
                end = (offset + variable.size_bytes) as usize;
            }
        }
        let mut live: Vec<Reg> = waits.iter().flat_map(|(_, kept)| kept.live.iter().copied()).collect();
        live.sort_unstable();
        live.dedup();
        live.sort_by_key(|&reg| std::cmp::Reverse(self.class(reg).bytes()));
        for reg in live {
            let bytes = self.class(reg).bytes() as usize;
            end = end.next_multiple_of(bytes);
            turns.slots.insert(reg, end as i32);
            end += bytes;
        }
        turns.frame_bytes = end.max(1).next_multiple_of(16);
    }

    fn thread_loop(&mut self, turns: &mut Turns, first: Value, targets: &[Label]) {
        let (far, leave) = (self.b.create_block(), self.b.create_block());
        let size = i64::try_from(size_of::<Thread>()).unwrap_or(i64::MAX);
        let index = self.b.append_block_param(turns.enter, types::I32);
        let thread = self.b.append_block_param(turns.enter, types::I64);
        let chosen = self.b.append_block_param(turns.chosen, types::I32);
        self.b.ins().jump(turns.chosen, &[first.into()]);

        self.b.switch_to_block(turns.chosen);
        let none = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, chosen, 0);
        self.b.ins().brif(none, leave, &[], far, &[]);
        self.b.switch_to_block(leave);
        self.b.ins().return_(&[]);
        self.b.switch_to_block(far);
        let base = self.block_field(types::I64, offset_of!(Block, first_thread));
        let wide = self.b.ins().uextend(types::I64, chosen);
        let offset = self.b.ins().imul_imm_s(wide, size);
        let address = self.b.ins().iadd(base, offset);
        self.b.ins().jump(turns.enter, &[chosen.into(), address.into()]);

        self.b.switch_to_block(turns.enter);
        self.thread = thread;
        self.b.ins().store(plain(), index, self.block, offset_of!(Block, current) as i32);
        if turns.frame_bytes == 0 {
            self.b.ins().jump(targets[0], &[]);
        } else {
            let frames = self.block_field(types::I64, offset_of!(Block, frames));
            let wide = self.b.ins().uextend(types::I64, index);
            let offset = self.b.ins().imul_imm_s(wide, turns.frame_bytes as i64);
            turns.frame = self.b.ins().iadd(frames, offset);
            let state = self.b.ins().load(types::I32, plain(), self.thread, offset_of!(Thread, state) as i32);
            let calls: Vec<BlockCall> = targets.iter().map(|&label| BlockCall::new(label, [], &mut self.b.func.dfg.value_lists)).collect();
            // Beyond the table are threads that have left.
            let left = BlockCall::new(turns.next, [], &mut self.b.func.dfg.value_lists);
            let table = self.b.create_jump_table(JumpTableData::new(left, &calls));
            self.b.ins().br_table(state, table);
        }

        self.b.switch_to_block(turns.next);
        let following = self.b.ins().iadd_imm_s(index, 1);
        let address = self.b.ins().iadd_imm_s(thread, size);
        let count = self.b.ins().load(types::I32, constant(), self.block, offset_of!(Block, count) as i32);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, following, count);
        let end = self.b.create_block();
        self.b.ins().brif(more, turns.enter, &[following.into(), address.into()], end, &[]);
        self.b.switch_to_block(end);
        let chosen = self.compute(end_pass as *const () as usize, &[self.block], types::I32);
        self.b.ins().jump(turns.chosen, &[chosen.into()]);
    }

    /// Address of the running thread's frame.
    pub fn frame(&self) -> Option<Value> {
        self.turns.as_ref().map(|turns| turns.frame)
    }

    fn undefined(&mut self, reg: Reg) -> Value {
        let class = self.class(reg);
        if class == types::I128 {
            let zero = self.b.ins().iconst(types::I64, 0);
            return self.b.ins().iconcat(zero, zero);
        }
        match class {
            types::F32 => self.b.ins().f32const(0.0),
            types::F64 => self.b.ins().f64const(0.0),
            int => self.b.ins().iconst(int, 0),
        }
    }

    /// Makes the thread wait by a call of the scheduler. What the call brought is in the fields of [`Thread`] afterwards.
    pub fn wait(&mut self, call: impl FnOnce(&mut Self)) -> Lowered<()> {
        let pause = self.pause()?;
        call(self);
        self.resume(pause)
    }

    /// As [`Self::wait`] for all threads of the block, at barrier 0. In a pass nobody is called.
    pub fn wait_for_all(&mut self, call: impl FnOnce(&mut Self)) -> Lowered<()> {
        let pause = self.pause()?;
        if let Some(turns) = &self.turns {
            let next = turns.next;
            let (quick, slow) = (self.b.create_block(), self.b.create_block());
            let in_order = self.b.ins().load(types::I8, plain(), self.block, offset_of!(Block, in_order) as i32);
            self.b.ins().brif(in_order, quick, &[], slow, &[]);
            self.b.switch_to_block(quick);
            let one = self.int(32, 1);
            self.b.ins().store(plain(), one, self.block, offset_of!(Block, arrived) as i32);
            self.b.ins().jump(next, &[]);
            self.b.switch_to_block(slow);
        }
        call(self);
        self.resume(pause)
    }

    /// Stores what the frame lacks, and where the thread goes on.
    fn pause(&mut self) -> Lowered<Option<Pause>> {
        let Some(turns) = &self.turns else { return Ok(None) };
        let position = self.position;
        let Some((state, resume, kept)) = turns.waits.get(&position) else {
            return Err(CompileError::Internal(format!("line {}: a wait that was not foreseen", self.line)));
        };
        let (frame, state, resume) = (turns.frame, *state, *resume);
        let stale: Vec<(Reg, i32)> = kept.stale.iter().map(|reg| (*reg, turns.slots[reg])).collect();
        for (reg, offset) in stale {
            let variable = self.variable(reg);
            let value = self.b.use_var(variable);
            self.b.ins().store(plain(), value, frame, offset);
        }
        let state = self.int(32, u64::from(state));
        self.b.ins().store(plain(), state, self.thread, offset_of!(Thread, state) as i32);
        Ok(Some(Pause { position, resume }))
    }

    fn resume(&mut self, pause: Option<Pause>) -> Lowered<()> {
        let (Some(Pause { position, resume }), Some(turns)) = (pause, &self.turns) else { return Ok(()) };
        let (frame, chosen) = (turns.frame, turns.chosen);
        let wanted: Vec<(Reg, i32)> = turns.waits[&position].2.wanted.iter().map(|reg| (*reg, turns.slots[reg])).collect();
        let next = self.b.ins().load(types::I32, plain(), self.block, offset_of!(Block, next) as i32);
        self.b.ins().jump(chosen, &[next.into()]);
        self.b.switch_to_block(resume);
        for (reg, offset) in wanted {
            let class = self.class(reg);
            let value = self.b.ins().load(class, plain(), frame, offset);
            let variable = self.variable(reg);
            self.b.def_var(variable, value);
        }
        Ok(())
    }

    /// The thread leaves its kernel.
    pub fn leave_kernel(&mut self) {
        let Some(turns) = &self.turns else {
            self.b.ins().return_(&[]);
            return;
        };
        let (next, chosen) = (turns.next, turns.chosen);
        if turns.frame_bytes == 0 {
            self.b.ins().jump(next, &[]);
            return;
        }
        let exited = self.int(32, u64::from(EXITED));
        self.b.ins().store(plain(), exited, self.thread, offset_of!(Thread, state) as i32);
        let slow = self.b.create_block();
        let in_order = self.b.ins().load(types::I8, plain(), self.block, offset_of!(Block, in_order) as i32);
        self.b.ins().brif(in_order, next, &[], slow, &[]);
        self.b.switch_to_block(slow);
        self.helper(thread_left as *const () as usize, &[self.block, self.thread], None);
        let index = self.b.ins().load(types::I32, plain(), self.block, offset_of!(Block, next) as i32);
        self.b.ins().jump(chosen, &[index.into()]);
    }

    /// Waits in code that nothing leads to were not lowered; their entries in the table must still be code.
    pub fn end_turns(&mut self) {
        let Some(turns) = &self.turns else { return };
        let labels: Vec<Label> = turns.waits.values().map(|(_, label, _)| *label).collect();
        for label in labels {
            if self.b.func.layout.is_block_inserted(label) {
                continue;
            }
            self.b.switch_to_block(label);
            self.b.ins().trap(TrapCode::unwrap_user(1));
        }
    }
}
