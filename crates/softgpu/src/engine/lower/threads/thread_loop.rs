//! The loop over a block's threads, in a kernel that is entered by block. When a thread waits, it
//! leaves the loop, and its frame keeps the values that it needs later. When the thread resumes,
//! the loop jumps to the point after the wait. No thread needs a stack.

use std::collections::HashMap;
use std::mem::offset_of;

use crate::engine::lower::threads::loop_labels::{GroupTurns, Parting, Pause, Turns};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    Block as Label, BlockCall, InstBuilder, JumpTableData, TrapCode, Value, types,
};

use crate::engine::CompileError;
use crate::engine::exec::blocks::block::{Block, Thread, end_pass, thread_left};
use crate::engine::exec::blocks::limits::{EXITED, GROUP};
use crate::engine::lower::analysis::liveness;
use crate::engine::lower::analysis::liveness::Kept;
use crate::engine::lower::analysis::uniformity::How;
use crate::engine::lower::function::{Lower, constant, plain};
use crate::engine::lower::lowering::Lowered;
use crate::engine::lower::threads::mode::{Meeting, Mode};
use crate::engine::syntax::ir::{Operand, Reg, Space, Statement};

impl<'a> Lower<'a, '_> {
    /// Opens the loop over threads. `first` is the index of the first thread to run.
    pub fn begin_turns(&mut self, first: Value) {
        let rounds = |position: usize| match &self.body.statements[position] {
            Statement::Instruction(instruction) => {
                matches!(instruction.operands.first(), Some(Operand::Name(label, _))
                    if self.rounds.has(position, label))
            }
            _ => false,
        };
        let parts = |position: usize| match (&self.uniformity, &self.body.statements[position]) {
            (Some(found), Statement::Instruction(instruction)) => {
                found.may_part(position, instruction)
            }
            _ => false,
        };
        let found =
            liveness::analyse(&self.linked.modules[self.module], self.body, &rounds, &parts);
        let mut turns = Turns {
            enter: self.b.create_block(),
            chosen: self.b.create_block(),
            next: self.b.create_block(),
            waits: HashMap::new(),
            early: found.early,
            slots: HashMap::new(),
            frame_bytes: 0,
            frame: first,
            state: first,
            lane_bytes: None,
            group: None,
        };
        let mut positions: Vec<(usize, Kept)> = found.waits.into_iter().collect();
        positions.sort_by_key(|(position, _)| *position);
        let mut partings: Vec<(usize, Kept)> = found.partings.into_iter().collect();
        partings.sort_by_key(|(position, _)| *position);
        self.lay_out(&mut turns, || positions.iter().chain(&partings).map(|(_, kept)| kept));
        let start = self.b.create_block();
        let mut targets = vec![start];
        for (state, (position, kept)) in (1..).zip(positions) {
            let label = self.b.create_block();
            targets.push(label);
            turns.waits.insert(position, (state, label, kept));
        }
        let group_targets = self.group_states(&mut turns, &mut targets, partings);
        self.thread_loop(&mut turns, first, &targets, &group_targets);
        self.b.switch_to_block(start);
        self.turns = Some(turns);
        for reg in found.undefined {
            let zero = self.undefined(reg);
            let variable = self.variable(reg);
            self.b.def_var(variable, zero);
        }
    }

    /// Adds the states of threads that wait in a group or have left one. Returns the groups' resume
    /// points for all states so far.
    fn group_states(
        &mut self,
        turns: &mut Turns,
        targets: &mut Vec<Label>,
        partings: Vec<(usize, Kept)>,
    ) -> Vec<Label> {
        let Some(found) = &self.uniformity else { return Vec::new() };
        let mut group = GroupTurns {
            start: self.b.create_block(),
            single: self.b.create_block(),
            next: self.b.create_block(),
            waits: HashMap::new(),
            partings: HashMap::new(),
            thread: turns.frame,
            state: turns.frame,
            frame: turns.frame,
        };
        // A thread that waited alone does not return to a group, because the analysis of common
        // values holds only from the start.
        let mut group_targets = vec![group.single; targets.len()];
        group_targets[0] = group.start;
        let mut waits: Vec<(usize, Label)> =
            turns.waits.iter().map(|(position, (_, label, _))| (*position, *label)).collect();
        waits.sort_by_key(|(position, _)| *position);
        for (position, label) in waits
            .into_iter()
            .filter(|(position, _)| matches!(found.how(*position), How::Barrier | How::Meet))
        {
            let resume = self.b.create_block();
            group.waits.insert(position, (targets.len() as u32, resume));
            targets.push(label);
            group_targets.push(resume);
        }
        for (position, kept) in partings {
            let label = self.b.create_block();
            group.partings.insert(position, Parting { state: targets.len() as u32, label, kept });
            targets.push(label);
            group_targets.push(group.single);
        }
        turns.group = Some(group);
        group_targets
    }

    /// Assigns frame offsets: first to local variables, then to every register that is live at some
    /// wait.
    fn lay_out<'k, I: Iterator<Item = &'k Kept>>(
        &mut self,
        turns: &mut Turns,
        waits: impl Fn() -> I,
    ) {
        if waits().next().is_none() {
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
        let mut live: Vec<Reg> = waits().flat_map(|kept| kept.live.iter().copied()).collect();
        live.sort_unstable();
        live.dedup();
        live.sort_by_key(|&reg| std::cmp::Reverse(self.class(reg).bytes()));
        for reg in live {
            // A group also saves predicates, each in a word.
            let bytes =
                self.class(reg).bytes().max(if self.uniformity.is_some() { 4 } else { 1 }) as usize;
            end = end.next_multiple_of(bytes);
            turns.slots.insert(reg, end as i32);
            end += bytes;
        }
        turns.frame_bytes = end.max(1).next_multiple_of(16);
    }

    fn thread_loop(
        &mut self,
        turns: &mut Turns,
        first: Value,
        targets: &[Label],
        group_targets: &[Label],
    ) {
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
        let end = self.b.create_block();
        let (index, thread) = match turns.group.is_some() {
            true => self.group_loop(turns, [index, thread], group_targets, end),
            false => (index, thread),
        };
        self.thread = thread;
        self.b.ins().store(plain(), index, self.block, offset_of!(Block, current) as i32);
        if turns.frame_bytes == 0 {
            self.b.ins().jump(targets[0], &[]);
        } else {
            self.place_frame(turns, index);
            let state = self.b.ins().load(types::I32, plain(), turns.state, 0);
            // States beyond the table belong to threads that have left.
            self.go_to(state, targets, turns.next);
        }
        self.b.switch_to_block(turns.next);
        self.go_on(turns.enter, [index, thread], 1, end);
        self.b.switch_to_block(end);
        let chosen = self.compute(end_pass as *const () as usize, &[self.block], types::I32);
        self.b.ins().jump(turns.chosen, &[chosen.into()]);
    }

    /// Continues with the thread that follows `step` indices later, or at `end` if there is none.
    fn go_on(&mut self, enter: Label, [index, thread]: [Value; 2], step: u32, end: Label) {
        let following = self.b.ins().iadd_imm_s(index, i64::from(step));
        let address = self.b.ins().iadd_imm_s(thread, i64::from(step) * size_of::<Thread>() as i64);
        let count =
            self.b.ins().load(types::I32, constant(), self.block, offset_of!(Block, count) as i32);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, following, count);
        self.b.ins().brif(more, enter, &[following.into(), address.into()], end, &[]);
    }

    /// Generates the loop over groups. In a pass, the loop runs one group after another, as long as
    /// all threads of a group are in the same state. Returns the index and address of a thread that
    /// runs alone.
    fn group_loop(
        &mut self,
        turns: &mut Turns,
        [index, thread]: [Value; 2],
        targets: &[Label],
        end: Label,
    ) -> (Value, Value) {
        let (enter, single, same) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let of_group = [
            self.b.append_block_param(enter, types::I32),
            self.b.append_block_param(enter, types::I64),
        ];
        let alone = [
            self.b.append_block_param(single, types::I32),
            self.b.append_block_param(single, types::I64),
        ];
        let lane = self.b.ins().band_imm_u(index, i64::from(GROUP - 1));
        let is_first = self.b.ins().icmp_imm_u(IntCC::Equal, lane, 0);
        let in_order =
            self.b.ins().load(types::I8, plain(), self.block, offset_of!(Block, in_order) as i32);
        let both = self.b.ins().band(is_first, in_order);
        let arguments = [index.into(), thread.into()];
        self.b.ins().brif(both, enter, &arguments, single, &arguments);

        self.b.switch_to_block(enter);
        self.b.ins().store(plain(), of_group[0], self.block, offset_of!(Block, current) as i32);
        let wide = self.b.ins().uextend(types::I64, of_group[0]);
        let state = self.place_state(wide);
        let frame = self.place_frames(wide, turns.frame_bytes);
        let Some(group) = &mut turns.group else { return (index, thread) };
        (group.thread, group.state, group.frame) = (of_group[1], state, frame);
        let (part, next) = (group.single, group.next);
        if turns.waits.is_empty() {
            // A group at this point has not started.
            self.b.ins().jump(targets[0], &[]);
        } else {
            // The code compares two states at a time, in the layout in which a group stores them.
            let low = self.b.ins().load(types::I64, plain(), state, 0);
            let high = self.b.ins().load(types::I64, plain(), state, 8);
            let turned = self.b.ins().rotl_imm_u(low, 32);
            let (halves, words) = (
                self.b.ins().icmp(IntCC::Equal, low, high),
                self.b.ins().icmp(IntCC::Equal, low, turned),
            );
            let is_same = self.b.ins().band(halves, words);
            self.b.ins().brif(is_same, same, &[], part, &[]);
            self.b.switch_to_block(same);
            let state = self.b.ins().ireduce(types::I32, low);
            self.go_to(state, targets, next);
        }
        self.b.switch_to_block(part);
        self.b.ins().jump(single, &of_group.map(Into::into));
        self.b.switch_to_block(next);
        self.go_on(enter, of_group, GROUP, end);
        self.b.switch_to_block(single);
        (alone[0], alone[1])
    }

    /// Jumps to the label with index `number`, or to `other` if the index is beyond the table.
    fn go_to(&mut self, number: Value, targets: &[Label], other: Label) {
        let lists = &mut self.b.func.dfg.value_lists;
        let calls: Vec<BlockCall> =
            targets.iter().map(|&label| BlockCall::new(label, [], lists)).collect();
        let other = BlockCall::new(other, [], lists);
        let table = self.b.create_jump_table(JumpTableData::new(other, &calls));
        self.b.ins().br_table(number, table);
    }

    /// Returns the address of the state of thread `index`.
    fn place_state(&mut self, index: Value) -> Value {
        let states = self.block_field(types::I64, offset_of!(Block, states));
        let offset = self.b.ins().ishl_imm_u(index, 2);
        self.b.ins().iadd(states, offset)
    }

    /// Returns the address of the frames, beginning with that of thread `index`.
    fn place_frames(&mut self, index: Value, frame_bytes: usize) -> Value {
        let frames = self.block_field(types::I64, offset_of!(Block, frames));
        let offset = self.b.ins().imul_imm_s(index, frame_bytes as i64);
        self.b.ins().iadd(frames, offset)
    }

    fn place_frame(&mut self, turns: &mut Turns, index: Value) {
        let wide = self.b.ins().uextend(types::I64, index);
        turns.state = self.place_state(wide);
        if turns.group.is_none() {
            turns.frame = self.place_frames(wide, turns.frame_bytes);
            return;
        }
        let first = self.b.ins().band_imm_s(wide, -i64::from(GROUP));
        let lane = self.b.ins().band_imm_u(wide, i64::from(GROUP - 1));
        let frame = self.place_frames(first, turns.frame_bytes);
        turns.lane_bytes = Some([2, 3].map(|shift| {
            let offset = self.b.ins().ishl_imm_u(lane, shift);
            self.b.ins().iadd(frame, offset)
        }));
    }

    /// Stores the registers that the current statement wrote, if the frame must hold them from now
    /// on.
    pub fn keep_early(&mut self) {
        let Some(early) = self.turns.as_ref().and_then(|turns| turns.early.get(&self.position))
        else {
            return;
        };
        if self.terminated() {
            return;
        }
        for reg in early.clone() {
            if self.mode != Mode::Thread {
                self.keep_group(reg);
                continue;
            }
            let Some((base, offset)) =
                self.turns.as_ref().map(|turns| turns.slot(reg, self.class(reg).bytes()))
            else {
                return;
            };
            let variable = self.variable(reg);
            let value = self.b.use_var(variable);
            self.b.ins().store(plain(), value, base, offset);
        }
    }

    /// Generates the point at which threads that left their group continue with the current
    /// statement.
    pub fn rejoin(&mut self) {
        let Some(parting) = self
            .turns
            .as_ref()
            .and_then(|turns| turns.group.as_ref()?.partings.get(&self.position))
        else {
            return;
        };
        let (label, wanted) = (parting.label, parting.kept.wanted.clone());
        let merged = self.b.create_block();
        if !self.terminated() {
            self.b.ins().jump(merged, &[]);
        }
        self.b.switch_to_block(label);
        self.restore(&wanted);
        self.b.ins().jump(merged, &[]);
        self.b.switch_to_block(merged);
    }

    fn restore(&mut self, wanted: &[Reg]) {
        for &reg in wanted {
            let class = self.class(reg);
            let Some((base, offset)) =
                self.turns.as_ref().map(|turns| turns.slot(reg, class.bytes()))
            else {
                return;
            };
            let value = self.b.ins().load(class, plain(), base, offset);
            let variable = self.variable(reg);
            self.b.def_var(variable, value);
        }
    }

    /// Returns the address of the running thread's frame.
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

    /// Makes the thread wait in a scheduler call. Afterwards the fields of [`Thread`] hold the
    /// call's results.
    pub fn wait(&mut self, call: impl FnOnce(&mut Self)) -> Lowered<()> {
        match self.meeting {
            Meeting::Whole => {}
            Meeting::Arrives => {
                call(self);
                return Ok(());
            }
            Meeting::GoesOn => return Ok(()),
        }
        let pause = self.pause()?;
        call(self);
        self.resume(pause)
    }

    /// Like [`Self::wait`], for all threads of the block at barrier 0. In a pass, the wait needs no
    /// scheduler call.
    pub fn wait_for_all(&mut self, call: impl FnOnce(&mut Self)) -> Lowered<()> {
        let pause = self.pause()?;
        if let Some(turns) = &self.turns {
            let next = turns.next;
            let (quick, slow) = (self.b.create_block(), self.b.create_block());
            let in_order = self.b.ins().load(
                types::I8,
                plain(),
                self.block,
                offset_of!(Block, in_order) as i32,
            );
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

    /// Stores the resume point, and the registers that the frame lacks.
    fn pause(&mut self) -> Lowered<Option<Pause>> {
        let Some(turns) = &self.turns else { return Ok(None) };
        let position = self.position;
        let Some((state, resume, kept)) = turns.waits.get(&position) else {
            return Err(CompileError::Internal(format!("line {}: an unexpected wait", self.line)));
        };
        let (at, state, resume) = (turns.state, *state, *resume);
        let stale: Vec<_> =
            kept.stale.iter().map(|&reg| (reg, turns.slot(reg, self.class(reg).bytes()))).collect();
        for (reg, (base, offset)) in stale {
            let variable = self.variable(reg);
            let value = self.b.use_var(variable);
            self.b.ins().store(plain(), value, base, offset);
        }
        let state = self.int(32, u64::from(state));
        self.b.ins().store(plain(), state, at, 0);
        Ok(Some(Pause { position, resume }))
    }

    fn resume(&mut self, pause: Option<Pause>) -> Lowered<()> {
        let (Some(Pause { position, resume }), Some(turns)) = (pause, &self.turns) else {
            return Ok(());
        };
        let wanted = turns.waits[&position].2.wanted.clone();
        self.go_to_chosen();
        self.b.switch_to_block(resume);
        self.restore(&wanted);
        Ok(())
    }

    /// Jumps to the thread that the scheduler chose.
    pub fn go_to_chosen(&mut self) {
        let Some(chosen) = self.turns.as_ref().map(|turns| turns.chosen) else { return };
        let next =
            self.b.ins().load(types::I32, plain(), self.block, offset_of!(Block, next) as i32);
        self.b.ins().jump(chosen, &[next.into()]);
    }

    /// Ends the thread.
    pub fn leave_kernel(&mut self) {
        let Some(turns) = &self.turns else {
            self.b.ins().return_(&[]);
            return;
        };
        let (next, chosen, at) = (turns.next, turns.chosen, turns.state);
        if turns.frame_bytes == 0 {
            self.b.ins().jump(next, &[]);
            return;
        }
        let exited = self.int(32, u64::from(EXITED));
        self.b.ins().store(plain(), exited, at, 0);
        let slow = self.b.create_block();
        let in_order =
            self.b.ins().load(types::I8, plain(), self.block, offset_of!(Block, in_order) as i32);
        self.b.ins().brif(in_order, next, &[], slow, &[]);
        self.b.switch_to_block(slow);
        self.helper(thread_left as *const () as usize, &[self.block, self.thread], None);
        let index =
            self.b.ins().load(types::I32, plain(), self.block, offset_of!(Block, next) as i32);
        self.b.ins().jump(chosen, &[index.into()]);
    }

    /// Ends the loop. Generates code for waits that are in the table but in unreachable code,
    /// because that code was never lowered.
    pub fn end_turns(&mut self) {
        let Some(turns) = &self.turns else { return };
        let mut labels: Vec<Label> = turns.waits.values().map(|(_, label, _)| *label).collect();
        if let Some(group) = &turns.group {
            labels.extend(group.waits.values().map(|(_, label)| *label));
            labels.extend(group.partings.values().map(|parting| parting.label));
        }
        for label in labels {
            if self.b.func.layout.is_block_inserted(label) {
                continue;
            }
            self.b.switch_to_block(label);
            self.b.ins().trap(TrapCode::unwrap_user(1));
        }
    }
}
