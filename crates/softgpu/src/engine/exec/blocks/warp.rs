//! The lanes of a warp, and the collective in which each lane waits.

/// The operation that a lane requests. The discriminants are part of the interface to compiled
/// code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Op {
    None,
    Sync,
    ShflUp,
    ShflDown,
    ShflBfly,
    ShflIdx,
    VoteAny,
    VoteAll,
    VoteUni,
    VoteBallot,
    MatchAny,
    MatchAll,
    ReduxAddU,
    ReduxMinU,
    ReduxMaxU,
    ReduxMinS,
    ReduxMaxS,
    ReduxAnd,
    ReduxOr,
    ReduxXor,
    Elect,
    ActiveMask,
    Matrix,
    LoadMatrix,
    StoreMatrix,
    TransposeMatrix,
}

/// The collective in which a lane waits, with its operands.
#[derive(Debug, Clone, Copy)]
pub struct Pending {
    /// Operation.
    pub op: Op,
    /// Lanes that take part.
    pub mask: u32,
    /// First operand.
    pub value: u64,
    /// Second operand.
    pub b: u32,
    /// Third operand.
    pub c: u32,
}

impl Pending {
    /// No collective.
    pub const NONE: Pending = Pending { op: Op::None, mask: 0, value: 0, b: 0, c: 0 };

    /// Returns whether the lane waits in a collective.
    pub fn waits(&self) -> bool {
        self.op != Op::None
    }
}

/// The lanes of a warp. Each field has one bit per lane.
#[derive(Debug, Clone, Copy, Default)]
pub struct Warp {
    /// Lanes that have not exited.
    pub alive: u32,
    /// Lanes that run or are ready to run.
    pub runnable: u32,
    /// Lanes that wait in a collective.
    pub pending: u32,
    /// Lanes that wait in `activemask`.
    pub asking: u32,
}

impl Warp {
    /// Returns a warp with these lanes, all of them runnable.
    pub fn new(lanes: u32) -> Warp {
        Warp { alive: lanes, runnable: lanes, pending: 0, asking: 0 }
    }
}
