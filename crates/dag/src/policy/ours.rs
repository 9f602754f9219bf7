//! Our policy: plan the whole graph, then follow the plan with what the plan makes possible:
//! prefetch in order of need, eviction by farthest next use, write-back ahead of need. The plan is
//! the best of a few constructions, improved by local search while the effort lasts. Deliberately
//! absent: optimality; `exact` computes how far from it a plan is.

mod follower;
mod greedy;
mod plan;
mod search;
mod tuning;

use super::scheduler::Scheduler;
use crate::error::Error;
use crate::graph::Graph;
use crate::machine::Machine;
use std::sync::Arc;

pub use follower::{Follower, Habits, WriteBack};
pub use plan::{Plan, Shape, construct};
pub use tuning::Tuning;

/// Plans and returns the scheduler that follows the plan.
///
/// # Errors
/// What the simulator refuses, and `Interrupted` as soon as `interrupted` returns true.
pub fn scheduler(
    graph: &Arc<Graph>,
    machine: &Machine,
    tuning: Tuning,
    interrupted: &dyn Fn() -> bool,
) -> Result<Box<dyn Scheduler>, Error> {
    let (plan, habits) = search::best_plan(graph, machine, tuning, interrupted)?;
    Ok(Box::new(Follower::new(plan, habits)))
}
