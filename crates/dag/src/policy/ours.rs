//! Our policy: it plans the whole graph and follows the plan. A plan allows prefetching in the
//! order of use, eviction by farthest next use, and early write-back. The plan is the best of a few
//! constructions, improved by local search until the effort is used up. Plans need not be optimal;
//! `exact` computes how far a plan is from the optimum.

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

/// Plans, and returns the scheduler that follows the plan.
///
/// # Errors
/// The errors of the simulator, and `Interrupted` as soon as `interrupted` returns true.
pub fn scheduler(
    graph: &Arc<Graph>,
    machine: &Machine,
    tuning: Tuning,
    interrupted: &dyn Fn() -> bool,
) -> Result<Box<dyn Scheduler>, Error> {
    let (plan, habits) = search::best_plan(graph, machine, tuning, interrupted)?;
    Ok(Box::new(Follower::new(plan, habits)))
}
