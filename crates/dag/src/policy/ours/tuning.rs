//! The parameters of our policy.

use serde::Serialize;

/// Parameters that a caller may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Tuning {
    /// Planning effort: how many subtasks may be simulated in all, at least one whole graph; five
    /// times as many where there are fewer than 100.
    pub effort: u64,
    /// Seed of the local search.
    pub seed: u64,
    /// Most subtasks per GPU whose inputs are loaded ahead.
    pub lookahead_max: usize,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning { effort: 40_000, seed: 1, lookahead_max: 16 }
    }
}
