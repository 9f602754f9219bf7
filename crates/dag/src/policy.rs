//! Policies: which GPU runs which subtask, when data moves, and what is evicted. One small
//! interface, five policies. Not here: threads and clocks; a policy only answers.

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

/// The policies by name, with their parameters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub enum Policy {
    /// Ready subtasks in order of readiness to any free GPU; no prefetch.
    Fifo,
    /// As FIFO, but waits up to this many nanoseconds for the GPU that holds most of the head's
    /// input.
    PTask(u64),
    /// Least data movement first, prefetching; a candidate's parents must be done.
    Locality(paper_policies::Tuning),
    /// As `Locality`, and a candidate's parents may also be queued on the same GPU.
    Victream(paper_policies::Tuning),
    /// Whole-graph plan, eviction by farthest next use.
    Ours(ours::Tuning),
}

impl Policy {
    /// How long `PTask` waits by default: see docs/decisions/dag-scheduling.md.
    pub const PTASK_WAIT_NS: u64 = 50_000_000;

    /// Name for tables.
    pub fn name(&self) -> &'static str {
        match self {
            Policy::Fifo => "fifo",
            Policy::PTask(_) => "ptask",
            Policy::Locality(_) => "locality",
            Policy::Victream(_) => "victream",
            Policy::Ours(_) => "ours",
        }
    }

    /// A scheduler for one run of `graph` on `machine`.
    ///
    /// # Errors
    /// What `Machine::check` refuses.
    pub fn scheduler(
        &self,
        graph: &Arc<Graph>,
        machine: &Machine,
    ) -> Result<Box<dyn Scheduler>, Error> {
        self.scheduler_unless(graph, machine, &|| false)
    }

    /// As [`Policy::scheduler`], but gives planning up as soon as `interrupted` returns true.
    ///
    /// # Errors
    /// As [`Policy::scheduler`], and `Interrupted`.
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
