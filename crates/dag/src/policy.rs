//! Policies: they decide which GPU runs which subtask, when data moves, and what is evicted. All
//! five policies implement one small interface. A policy has no threads and no clock of its own.

pub mod ours;
pub mod paper_policies;
pub mod replay;
pub mod scheduler;

pub use scheduler::Scheduler;

use crate::error::Error;
use crate::graph::Graph;
use crate::machine::Machine;
use serde::Serialize;
use std::str::FromStr;
use std::sync::Arc;

/// The policies, with their parameters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub enum Policy {
    /// Runs ready subtasks on any free GPU, in the order in which they become ready, without
    /// prefetching.
    Fifo,
    /// Like `Fifo`, but waits up to this many nanoseconds for the GPU that holds most of the first
    /// subtask's input.
    PTask(u64),
    /// Runs the candidate that moves the least data, with prefetching. All parents of a candidate
    /// have run.
    Locality(paper_policies::Tuning),
    /// Like `Locality`, but a candidate's parents may also be in the queue of the GPU that
    /// considers it.
    Victream(paper_policies::Tuning),
    /// Plans the whole graph, and evicts by farthest next use.
    Ours(ours::Tuning),
}

impl Policy {
    /// How long `PTask` waits by default, in nanoseconds: see docs/decisions/dag-scheduling.md.
    pub const PTASK_WAIT_NS: u64 = 50_000_000;

    /// Returns the policy's name for tables.
    pub fn name(&self) -> &'static str {
        match self {
            Policy::Fifo => "fifo",
            Policy::PTask(_) => "ptask",
            Policy::Locality(_) => "locality",
            Policy::Victream(_) => "victream",
            Policy::Ours(_) => "ours",
        }
    }

    /// Returns a scheduler for one run of `graph` on `machine`.
    ///
    /// # Errors
    /// The errors of `Machine::check`.
    pub fn scheduler(
        &self,
        graph: &Arc<Graph>,
        machine: &Machine,
    ) -> Result<Box<dyn Scheduler>, Error> {
        self.scheduler_unless(graph, machine, &|| false)
    }

    /// Like [`Policy::scheduler`], but stops planning as soon as `interrupted` returns true.
    ///
    /// # Errors
    /// Those of [`Policy::scheduler`], and `Interrupted`.
    pub fn scheduler_unless(
        &self,
        graph: &Arc<Graph>,
        machine: &Machine,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Box<dyn Scheduler>, Error> {
        use paper_policies::{Choice, Claims, Tuning};
        machine.check(graph)?;
        Ok(match *self {
            Policy::Fifo => Box::new(Claims::new(Choice::Fifo, Tuning::default(), graph, machine)),
            Policy::PTask(wait_ns) => {
                Box::new(Claims::new(Choice::PTask { wait_ns }, Tuning::default(), graph, machine))
            }
            Policy::Locality(tuning) => Box::new(Claims::new(
                Choice::Locality { local_list: false },
                tuning,
                graph,
                machine,
            )),
            Policy::Victream(tuning) => {
                Box::new(Claims::new(Choice::Locality { local_list: true }, tuning, graph, machine))
            }
            Policy::Ours(tuning) => ours::scheduler(graph, machine, tuning, interrupted)?,
        })
    }
}

impl FromStr for Policy {
    type Err = Error;

    fn from_str(name: &str) -> Result<Policy, Error> {
        Ok(match name {
            "fifo" => Policy::Fifo,
            "ptask" => Policy::PTask(Policy::PTASK_WAIT_NS),
            "locality" => Policy::Locality(paper_policies::Tuning::default()),
            "victream" => Policy::Victream(paper_policies::Tuning::default()),
            "ours" => Policy::Ours(ours::Tuning::default()),
            _ => {
                return Err(Error::Usage(format!(
                    "no policy `{name}`: fifo, ptask, locality, victream, ours, best, worst"
                )));
            }
        })
    }
}
