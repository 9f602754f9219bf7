//! Labels and addresses in the loop over a block's threads.

use crate::engine::exec::blocks::limits::GROUP;
use crate::engine::lower::analysis::liveness::Kept;
use crate::engine::syntax::ir::Reg;
use cranelift_codegen::ir::{Block as Label, Value};
use std::collections::HashMap;

/// Labels and addresses in the loop over threads.
pub struct Turns {
    /// Label that enters the thread with a given index and address.
    pub enter: Label,
    /// Label that enters the thread that the scheduler chose, or returns if it chose
    /// none.
    pub chosen: Label,
    /// Label that continues with the next thread, in a pass.
    pub next: Label,
    /// State, resume point and saved registers of each wait, by the statement that waits.
    pub waits: HashMap<usize, (u32, Label, Kept)>,
    /// Registers to store in the frame immediately after they are written, by the statement that
    /// writes them.
    pub early: HashMap<usize, Vec<Reg>>,
    /// Offset of each register in the frame.
    pub slots: HashMap<Reg, i32>,
    /// Size of each thread's frame, in bytes.
    pub frame_bytes: usize,
    /// Address of the running thread's frame, if the thread does not share a frame with its group.
    pub frame: Value,
    /// Address of the running thread's state.
    pub state: Value,
    /// Addresses of the thread's first 4-byte value and first 8-byte value in the group's frame.
    pub lane_bytes: Option<[Value; 2]>,
    /// The loop over groups, if there is one.
    pub group: Option<GroupTurns>,
}

/// Labels and addresses in the loop over groups.
pub struct GroupTurns {
    /// Label at which groups start.
    pub start: Label,
    /// Label that enters the first thread of the running group alone.
    pub single: Label,
    /// Label that continues with the thread after the group.
    pub next: Label,
    /// State and resume point for each wait in which a whole group may be, by the statement that
    /// waits.
    pub waits: HashMap<usize, (u32, Label)>,
    /// Points where groups may split, by statement.
    pub partings: HashMap<usize, Parting>,
    /// Address of the group's first thread.
    pub thread: Value,
    /// Address of the states of the group's threads.
    pub state: Value,
    /// Address of the frames of the group's threads.
    pub frame: Value,
}

/// A point at which a group may split, so that its threads continue one by one.
pub struct Parting {
    /// State of threads that continue at this point.
    pub state: u32,
    /// Label at which the threads continue.
    pub label: Label,
    /// Registers that the threads need.
    pub kept: Kept,
}

/// A wait that has begun, with the point where the thread resumes.
pub struct Pause {
    /// Statement that waits.
    pub position: usize,
    /// Label at which the thread resumes.
    pub resume: Label,
}

impl Turns {
    /// Returns the size of each thread's frame in bytes, or 0 if no thread ever waits.
    pub fn frame_bytes(&self) -> usize {
        self.frame_bytes
    }

    /// Returns the address of the register's first lane in the group's frame, as base and offset.
    /// The other lanes follow.
    pub fn group_slot(&self, reg: Reg) -> (Value, i32) {
        let frame = self.group.as_ref().map_or(self.frame, |group| group.frame);
        (frame, self.slots[&reg] * GROUP as i32)
    }

    /// Returns the address of a register of `bytes` bytes in the running thread's frame, as base
    /// and offset.
    pub fn slot(&self, reg: Reg, bytes: u32) -> (Value, i32) {
        match self.lane_bytes {
            None => (self.frame, self.slots[&reg]),
            Some(at) => (at[usize::from(bytes > 4)], self.slots[&reg] * GROUP as i32),
        }
    }
}
