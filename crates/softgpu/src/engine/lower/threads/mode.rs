//! The threads that the code being generated runs.

use crate::engine::exec::blocks::limits::GROUP;

/// The threads that the code being generated runs. Each mode has its own variables for registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One thread.
    Thread,
    /// A group, for which one computation serves all lanes.
    Once,
    /// A group, with all lanes in one vector.
    Vector,
    /// One lane of a group.
    Lane(u8),
}

/// The part of a collective that the code being generated implements. All lanes of a group arrive
/// before any lane continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    Whole,
    Arrives,
    GoesOn,
}

/// Number of modes.
pub const MODES: usize = 3 + GROUP as usize;

impl Mode {
    /// Returns the number of the mode.
    pub fn index(self) -> usize {
        match self {
            Mode::Thread => 0,
            Mode::Once => 1,
            Mode::Vector => 2,
            Mode::Lane(lane) => 3 + usize::from(lane),
        }
    }
}
