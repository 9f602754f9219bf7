//! The parameters of our policy.

use serde::Serialize;

/// The parameters of our policy that a caller may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Tuning {
    /// Planning effort: the number of subtasks that may be simulated in all, at least one whole
    /// graph. Graphs with fewer than 100 subtasks get five times as much.
    pub effort: u64,
    /// The seed of the local search.
    pub seed: u64,
    /// The most subtasks per GPU whose inputs are loaded ahead.
    pub lookahead_max: usize,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning { effort: 40_000, seed: 1, lookahead_max: 16 }
    }
}
