//! Code that runs a group, which is four neighbouring threads, in step. Code for one thread
//! computes values that are equal in all lanes, or differ by a constant. Other 32-bit values are
//! computed in vectors. All remaining values are computed lane by lane, also with code for one
//! thread. The group ends if lanes diverge, or if an instruction cannot run in step. Each thread's
//! registers are then stored in its frame, and the thread continues there with the code for one
//! thread.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as Label, InstBuilder, MemFlagsData, Type, Value, types};

use crate::engine::CompileError;
use crate::engine::exec::blocks::block::{Block, Thread};
use crate::engine::exec::blocks::limits::{EXITED, GROUP};
use crate::engine::lower::analysis::liveness::registers;
use crate::engine::lower::analysis::uniformity::{Form, How, lanes};
use crate::engine::lower::function::{Lower, plain};
use crate::engine::lower::lowering::Lowered;
use crate::engine::lower::opcode::Opcode;
use crate::engine::lower::threads::mode::{Meeting, Mode};
use crate::engine::syntax::ir::{Instruction, Operand, Reg};
use crate::engine::syntax::types::Ty;

impl<'a> Lower<'a, '_> {
    /// Returns the form of a register in a group.
    pub fn form(&self, reg: Reg) -> Form {
        self.uniformity.as_ref().map_or(Form::Lanes, |found| found.form(reg))
    }

    /// Lowers all statements for groups. Runs after the lowering for single threads.
    pub fn group_body(&mut self) -> Lowered<()> {
        let (Some(turns), Some(_)) = (&self.turns, &self.uniformity) else { return Ok(()) };
        let Some(group) = &turns.group else { return Ok(()) };
        let start = group.start;
        self.thread = group.thread;
        self.mode = Mode::Once;
        let names: Vec<&'a str> = self.labels.keys().copied().collect();
        for name in names {
            let label = self.b.create_block();
            self.labels.insert(name, label);
        }
        self.b.switch_to_block(start);
        for position in 0..self.body.statements.len() {
            self.position = position;
            self.statement(&self.body.statements[position], Self::group_guarded)?;
            self.keep_early();
        }
        if !self.terminated() {
            self.group_leave();
        }
        self.mode = Mode::Thread;
        Ok(())
    }

    fn group_guarded(&mut self, instruction: &'a Instruction) -> Lowered<()> {
        let Some(guard) = instruction.guard else { return self.group_instruction(instruction) };
        if matches!(self.form(guard.reg), Form::Affine(_)) {
            let mut condition = self.read(&Operand::Reg(guard.reg), Ty::PRED)?;
            if guard.negated {
                condition = self.b.ins().icmp_imm_u(IntCC::Equal, condition, 0);
            }
            return self.when(condition, |lower| lower.group_instruction(instruction));
        }
        let mask = self.vector_of(guard.reg);
        let bits = self.b.ins().vhigh_bits(types::I32, mask);
        let (all, none) = if guard.negated { (0, 15) } else { (15, 0) };
        let (yes, some, next, parted) = (
            self.b.create_block(),
            self.b.create_block(),
            self.b.create_block(),
            self.b.create_block(),
        );
        let is_all = self.b.ins().icmp_imm_u(IntCC::Equal, bits, all);
        self.b.ins().brif(is_all, yes, &[], some, &[]);
        self.b.switch_to_block(some);
        let is_none = self.b.ins().icmp_imm_u(IntCC::Equal, bits, none);
        self.b.ins().brif(is_none, next, &[], parted, &[]);
        self.b.switch_to_block(parted);
        self.part_ways()?;
        self.b.switch_to_block(yes);
        self.group_instruction(instruction)?;
        if !self.terminated() {
            self.b.ins().jump(next, &[]);
        }
        self.b.switch_to_block(next);
        Ok(())
    }

    fn group_instruction(&mut self, instruction: &'a Instruction) -> Lowered<()> {
        let (op, operands) = (self.opcode(instruction), &instruction.operands[..]);
        let how = self.uniformity.as_ref().map_or(How::Alone, |found| found.how(self.position));
        match how {
            How::Branch => self.instruction(op, operands),
            How::Once => self.once(op, operands),
            How::Ordered { operand, stride, signed } => {
                self.part_if_wrapped(&operands[operand], stride, signed)?;
                self.once(op, operands)
            }
            How::Vector => {
                self.mode = Mode::Vector;
                let done = self.vector_op(op, operands);
                self.mode = Mode::Once;
                done
            }
            How::ByLane => self.by_lane(op, operands),
            How::Barrier => self.group_barrier(),
            How::Meet => self.group_meeting(op, operands),
            How::Leave => {
                self.group_leave();
                Ok(())
            }
            How::Alone => self.part_ways(),
        }
    }

    /// Lowers an instruction for the first lane, and derives the other lanes' results. A register
    /// that is not affine elsewhere gets one value per lane.
    fn once(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        self.instruction(op, operands)?;
        let stride = self.uniformity.as_ref().map_or(0, |found| found.stride(self.position));
        for reg in written(op, operands) {
            if matches!(self.form(reg), Form::Affine(_)) {
                continue;
            }
            let first = self.in_mode(Mode::Once, reg);
            if self.form(reg) == Form::Vector {
                let vector = self.affine_vector(first, stride);
                self.set_in_mode(Mode::Vector, reg, vector);
                continue;
            }
            for lane in lanes() {
                let value = self.stepped(first, stride, lane);
                self.set_in_mode(Mode::Lane(lane), reg, value);
            }
        }
        Ok(())
    }

    fn stepped(&mut self, first: Value, stride: i64, lane: u8) -> Value {
        if stride == 0 {
            first
        } else {
            self.b.ins().iadd_imm_s(first, stride.wrapping_mul(i64::from(lane)))
        }
    }

    fn by_lane(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        self.each_lane(op, operands)?;
        for reg in written(op, operands) {
            if self.form(reg) == Form::Vector {
                self.gather(reg);
            }
        }
        Ok(())
    }

    fn each_lane(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let mut all = Vec::new();
        operands.iter().for_each(|operand| registers(operand, &mut |reg| all.push(reg)));
        all.sort_unstable();
        all.dedup();
        let thread = self.thread;
        let mut done = Ok(());
        for lane in lanes() {
            self.mode = Mode::Once;
            for &reg in &all {
                self.spread(reg, lane);
            }
            self.mode = Mode::Lane(lane);
            self.thread =
                self.b.ins().iadd_imm_s(thread, i64::from(lane) * size_of::<Thread>() as i64);
            done = done.and_then(|()| self.instruction(op, operands));
            self.thread = thread;
        }
        self.mode = Mode::Once;
        done
    }

    fn in_mode(&mut self, mode: Mode, reg: Reg) -> Value {
        let before = std::mem::replace(&mut self.mode, mode);
        let variable = self.variable(reg);
        self.mode = before;
        self.b.use_var(variable)
    }

    fn set_in_mode(&mut self, mode: Mode, reg: Reg, value: Value) {
        let before = std::mem::replace(&mut self.mode, mode);
        let variable = self.variable(reg);
        self.mode = before;
        self.b.def_var(variable, value);
    }

    /// Assigns the register's value for one lane.
    fn spread(&mut self, reg: Reg, lane: u8) {
        let class = self.class(reg);
        let value = match self.form(reg) {
            Form::Lanes => return,
            Form::Affine(stride) => {
                let first = self.in_mode(Mode::Once, reg);
                self.stepped(first, stride, lane)
            }
            Form::Vector => {
                let vector = self.in_mode(Mode::Vector, reg);
                let value = self.b.ins().extractlane(vector, lane);
                if class == types::I8 {
                    let byte = self.b.ins().ireduce(types::I8, value);
                    self.b.ins().band_imm_u(byte, 1)
                } else {
                    value
                }
            }
        };
        self.set_in_mode(Mode::Lane(lane), reg, value);
    }

    /// Combines the lanes' values of a register into the register's vector.
    fn gather(&mut self, reg: Reg) {
        let class = self.class(reg);
        let values = lanes().map(|lane| self.in_mode(Mode::Lane(lane), reg)).collect::<Vec<_>>();
        let vector = self.vector_from(class, &values);
        self.set_in_mode(Mode::Vector, reg, vector);
    }

    fn vector_from(&mut self, class: Type, values: &[Value]) -> Value {
        let mut vector = None;
        for (lane, &value) in lanes().zip(values) {
            let value =
                if class == types::I8 { self.b.ins().uextend(types::I32, value) } else { value };
            vector = Some(match vector {
                None if class == types::F32 => self.b.ins().splat(types::F32X4, value),
                None => self.b.ins().scalar_to_vector(types::I32X4, value),
                Some(vector) => self.b.ins().insertlane(vector, value, lane),
            });
        }
        let vector = vector.unwrap_or(self.thread);
        if class == types::I8 { self.b.ins().ineg(vector) } else { vector }
    }

    /// Returns the lanes' values of a register as one vector, in which predicates are masks.
    pub fn vector_of(&mut self, reg: Reg) -> Value {
        match self.form(reg) {
            Form::Vector => self.in_mode(Mode::Vector, reg),
            Form::Affine(stride) => {
                let first = self.in_mode(Mode::Once, reg);
                self.affine_vector(first, stride)
            }
            Form::Lanes => {
                let class = self.class(reg);
                let values =
                    lanes().map(|lane| self.in_mode(Mode::Lane(lane), reg)).collect::<Vec<_>>();
                self.vector_from(class, &values)
            }
        }
    }

    /// Returns a vector of 32-bit values that are `stride` apart. A predicate becomes a mask.
    pub fn affine_vector(&mut self, first: Value, stride: i64) -> Value {
        match self.b.func.dfg.value_type(first) {
            types::F32 => self.b.ins().splat(types::F32X4, first),
            types::I8 => {
                let wide = self.b.ins().uextend(types::I32, first);
                let mask = self.b.ins().ineg(wide);
                self.b.ins().splat(types::I32X4, mask)
            }
            _ => {
                let all = self.b.ins().splat(types::I32X4, first);
                if stride == 0 {
                    return all;
                }
                let steps = self.steps(4, |lane| stride.wrapping_mul(lane));
                self.b.ins().iadd(all, steps)
            }
        }
    }

    /// Returns a constant vector of integers with `bytes` bytes each.
    pub fn steps(&mut self, bytes: usize, of: impl Fn(i64) -> i64) -> Value {
        let all: Vec<u8> = (0..16 / bytes as i64)
            .flat_map(|lane| of(lane).to_le_bytes()[..bytes].to_vec())
            .collect();
        let constant = self.b.func.dfg.constants.insert(all.into());
        self.b.ins().vconst(if bytes == 4 { types::I32X4 } else { types::I64X2 }, constant)
    }

    /// Ends the group if the lanes' values of the operand, as 32-bit numbers, wrap.
    fn part_if_wrapped(&mut self, operand: &Operand, stride: i64, signed: bool) -> Lowered<()> {
        let first = self.read(operand, Ty::U32)?;
        let last = self.b.ins().iadd_imm_s(first, stride * i64::from(GROUP - 1));
        let wrapped = match (stride > 0, signed) {
            (true, true) => IntCC::SignedLessThan,
            (true, false) => IntCC::UnsignedLessThan,
            (false, true) => IntCC::SignedGreaterThan,
            (false, false) => IntCC::UnsignedGreaterThan,
        };
        let wrapped = self.b.ins().icmp(wrapped, last, first);
        self.when(wrapped, Self::part_ways)
    }

    /// Ends the group. Its threads continue one by one at the current statement.
    fn part_ways(&mut self) -> Lowered<()> {
        let position = self.position;
        let group = self.turns.as_ref().and_then(|turns| turns.group.as_ref());
        let Some((parting, single)) =
            group.and_then(|group| Some((group.partings.get(&position)?, group.single)))
        else {
            return Err(CompileError::Internal(format!(
                "line {}: an unexpected split of a group",
                self.line
            )));
        };
        if let Some(block) = self.b.current_block() {
            self.b.set_cold_block(block);
        }
        let (state, stale) = (parting.state, parting.kept.stale.clone());
        stale.into_iter().for_each(|reg| self.keep_group(reg));
        self.set_group_state(state);
        self.b.ins().jump(single, &[]);
        Ok(())
    }

    fn set_group_state(&mut self, state: u32) {
        let Some(at) = self.turns.as_ref().and_then(|turns| Some(turns.group.as_ref()?.state))
        else {
            return;
        };
        let two = self.int(64, u64::from(state) << 32 | u64::from(state));
        self.b.ins().store(plain(), two, at, 0);
        self.b.ins().store(plain(), two, at, 8);
    }

    fn group_barrier(&mut self) -> Lowered<()> {
        let (next, wait) = self.group_pause()?;
        let one = self.int(32, 1);
        self.b.ins().store(plain(), one, self.block, offset_of!(Block, arrived) as i32);
        self.b.ins().jump(next, &[]);
        self.group_resume(wait);
        Ok(())
    }

    /// Makes all lanes of the group arrive at a collective. The group ends if the collective does
    /// not include all of them.
    fn group_meeting(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let Some(mask) = operands.last() else {
            return self.malformed(format!("{} has too few operands", op.text));
        };
        let mask = self.read(mask, Ty::U32)?;
        let lane = self.thread_field(types::I32, offset_of!(Thread, lane));
        let own = self.b.ins().ushr(mask, lane);
        let own = self.b.ins().band_imm_u(own, (1 << GROUP) - 1);
        let some = self.b.ins().icmp_imm_u(IntCC::NotEqual, own, (1 << GROUP) - 1);
        self.when(some, Self::part_ways)?;
        let (_, wait) = self.group_pause()?;
        self.meeting = Meeting::Arrives;
        let arrived = self.each_lane(op, operands);
        self.meeting = Meeting::Whole;
        arrived?;
        self.go_to_chosen();
        self.group_resume(wait);
        self.meeting = Meeting::GoesOn;
        let done = self.by_lane(op, operands);
        self.meeting = Meeting::Whole;
        done
    }

    /// Stores the group's resume point, and the registers that its frames lack. Returns the label
    /// of the next thread in a pass, and the resume point.
    fn group_pause(&mut self) -> Lowered<(Label, (Label, Vec<Reg>))> {
        let position = self.position;
        let group = self
            .turns
            .as_ref()
            .and_then(|turns| Some((turns.group.as_ref()?, turns.waits.get(&position)?)));
        let Some((group, (_, _, kept))) = group else {
            return Err(CompileError::Internal("an unexpected wait of a group".into()));
        };
        let (next, (state, resume)) = (group.next, group.waits[&position]);
        let (stale, wanted) = (kept.stale.clone(), kept.wanted.clone());
        stale.into_iter().for_each(|reg| self.keep_group(reg));
        self.set_group_state(state);
        Ok((next, (resume, wanted)))
    }

    fn group_resume(&mut self, (resume, wanted): (Label, Vec<Reg>)) {
        self.b.switch_to_block(resume);
        wanted.into_iter().for_each(|reg| self.find_group(reg));
    }

    fn group_leave(&mut self) {
        let Some(next) = self.turns.as_ref().and_then(|turns| Some(turns.group.as_ref()?.next))
        else {
            return;
        };
        if self.turns.as_ref().is_some_and(|turns| turns.frame_bytes() > 0) {
            self.set_group_state(EXITED);
        }
        self.b.ins().jump(next, &[]);
    }

    /// Stores a register in the group's frames. The lanes' values are contiguous.
    pub fn keep_group(&mut self, reg: Reg) {
        let Some((base, offset)) = self.turns.as_ref().map(|turns| turns.group_slot(reg)) else {
            return;
        };
        let class = self.class(reg);
        match self.form(reg) {
            Form::Lanes => {
                for lane in lanes() {
                    let value = self.in_mode(Mode::Lane(lane), reg);
                    self.b.ins().store(
                        plain(),
                        value,
                        base,
                        offset + i32::from(lane) * class.bytes().max(4) as i32,
                    );
                }
            }
            Form::Affine(stride) if class.bytes() == 8 => {
                let mut first = self.in_mode(Mode::Once, reg);
                if class == types::F64 {
                    first = self.b.ins().bitcast(types::I64, MemFlagsData::new(), first);
                }
                let all = self.b.ins().splat(types::I64X2, first);
                for half in 0..2 {
                    let mut values = all;
                    if stride != 0 {
                        let steps = self.steps(8, |lane| stride.wrapping_mul(lane + 2 * half));
                        values = self.b.ins().iadd(all, steps);
                    }
                    self.b.ins().store(plain(), values, base, offset + 16 * half as i32);
                }
            }
            Form::Affine(_) if class == types::I16 => {
                let first = self.in_mode(Mode::Once, reg);
                let wide = self.b.ins().uextend(types::I32, first);
                let all = self.b.ins().splat(types::I32X4, wide);
                self.b.ins().store(plain(), all, base, offset);
            }
            _ => {
                let mut vector = self.vector_of(reg);
                if class == types::I8 {
                    let one = self.steps(4, |_| 1);
                    vector = self.b.ins().band(vector, one);
                }
                self.b.ins().store(plain(), vector, base, offset);
            }
        }
    }

    /// Loads a register that [`Self::keep_group`] stored.
    fn find_group(&mut self, reg: Reg) {
        let Some((base, offset)) = self.turns.as_ref().map(|turns| turns.group_slot(reg)) else {
            return;
        };
        let class = self.class(reg);
        match self.form(reg) {
            Form::Lanes => {
                for lane in lanes() {
                    let value = self.b.ins().load(
                        class,
                        plain(),
                        base,
                        offset + i32::from(lane) * class.bytes().max(4) as i32,
                    );
                    self.set_in_mode(Mode::Lane(lane), reg, value);
                }
            }
            Form::Affine(_) => {
                let value = self.b.ins().load(class, plain(), base, offset);
                self.set_in_mode(Mode::Once, reg, value);
            }
            Form::Vector => {
                let ty = if class == types::F32 { types::F32X4 } else { types::I32X4 };
                let mut vector = self.b.ins().load(ty, plain(), base, offset);
                if class == types::I8 {
                    vector = self.b.ins().ineg(vector);
                }
                self.set_in_mode(Mode::Vector, reg, vector);
            }
        }
    }
}

fn written(op: Opcode<'_>, operands: &[Operand]) -> Vec<Reg> {
    let mut all = Vec::new();
    if let Some(first) = op.written(operands) {
        registers(first, &mut |reg| all.push(reg));
    }
    all
}
