//! Our policy: plan the whole graph, then follow the plan with what the plan makes possible:
//! prefetch in order of need, eviction by farthest next use, write-back ahead of need. The plan is
//! the best of a few constructions, improved by local search while the effort lasts. Deliberately
//! absent: optimality; `exact` says how far from it a plan is.

mod follower;
mod greedy;
mod plan;
mod search;

use super::Scheduler;
use crate::error::Error;
use crate::graph::Graph;
use crate::machine::Machine;
use serde::Serialize;
use std::sync::Arc;

pub use follower::{Follower, Habits, WriteBack};
pub use plan::{Plan, Shape, construct};

/// What can be set.
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

/// Plans and returns the scheduler that follows the plan.
///
/// # Errors
/// What the simulator refuses, and `Interrupted` as soon as `interrupted` says so.
pub fn scheduler(
    graph: &Arc<Graph>,
    machine: &Machine,
    tuning: Tuning,
    interrupted: &dyn Fn() -> bool,
) -> Result<Box<dyn Scheduler>, Error> {
    let (plan, habits) = search::best_plan(graph, machine, tuning, interrupted)?;
    Ok(Box::new(Follower::new(plan, habits)))
}
