//! Labels and addresses of the loop over the threads of a block.

use crate::engine::exec::blocks::limits::GROUP;
use crate::engine::lower::analysis::liveness::Kept;
use crate::engine::syntax::ir::Reg;
use cranelift_codegen::ir::{Block as Label, Value};
use std::collections::HashMap;

/// Labels and addresses of the loop over threads.
pub struct Turns {
    /// Label that enters the thread with the given index and address.
    pub enter: Label,
    /// Label that enters the thread that the scheduler chose, if it chose one.
    pub chosen: Label,
    /// Label that continues with the next thread, in a pass.
    pub next: Label,
    /// State, resume point and saved registers of each wait, by its statement.
    pub waits: HashMap<usize, (u32, Label, Kept)>,
    /// Registers to store in the frame as soon as they are written, by the statement.
    pub early: HashMap<usize, Vec<Reg>>,
    /// Offset of each register in the frame.
    pub slots: HashMap<Reg, i32>,
    /// Frame size of each thread.
    pub frame_bytes: usize,
    /// Frame of the running thread, if it does not share one with its group.
    pub frame: Value,
    /// Address of the running thread's state.
    pub state: Value,
    /// Address of its lane of values of 4 and of 8 bytes, at the start of the group's frame.
    pub lane_bytes: Option<[Value; 2]>,
    /// The loop over groups, if there is one.
    pub group: Option<GroupTurns>,
}

/// Labels and addresses of the loop over groups.
pub struct GroupTurns {
    /// Label at which groups start.
    pub start: Label,
    /// Label that enters the first thread of the running group alone.
    pub single: Label,
    /// Label that continues with the thread after the group.
    pub next: Label,
    /// State and resume point of groups after each wait that they can be in.
    pub waits: HashMap<usize, (u32, Label)>,
    /// Statements at which groups may split.
    pub partings: HashMap<usize, Parting>,
    /// Address of the group's first thread.
    pub thread: Value,
    /// Address of the states of the group's threads.
    pub state: Value,
    /// Address of the frames of the group's threads.
    pub frame: Value,
}

/// A statement at which the threads of a group may continue one by one.
pub struct Parting {
    /// State of threads that continue here.
    pub state: u32,
    /// Label at which they continue.
    pub label: Label,
    /// Registers that they need.
    pub kept: Kept,
}

/// A wait that has begun, and the point where the thread resumes.
pub struct Pause {
    /// Statement of the wait.
    pub position: usize,
    /// Label at which the thread resumes.
    pub resume: Label,
}

impl Turns {
    /// Returns the frame size of each thread, or 0 if none ever waits.
    pub fn frame_bytes(&self) -> usize {
        self.frame_bytes
    }

    /// Returns the place of a register in the group's frame: that of its first lane, followed by
    /// those of the others.
    pub fn group_slot(&self, reg: Reg) -> (Value, i32) {
        let frame = self.group.as_ref().map_or(self.frame, |group| group.frame);
        (frame, self.slots[&reg] * GROUP as i32)
    }

    /// Returns the place of a register of `bytes` in the running thread's frame.
    pub fn slot(&self, reg: Reg, bytes: u32) -> (Value, i32) {
        match self.lane_bytes {
            None => (self.frame, self.slots[&reg]),
            Some(at) => (at[usize::from(bytes > 4)], self.slots[&reg] * GROUP as i32),
        }
    }
}
