//! The slowest schedule in which no GPU idles on purpose: a free GPU always takes some ready
//! subtask, loads its data and runs it, and evicts least recently used data first. The search
//! enumerates all choices. It exists because the paper compares it with the best. Not here: waiting
//! on purpose, which can make any schedule slower.

use crate::error::Error;
use crate::graph::Graph;
use crate::machine::Machine;
use crate::policy::paper_policies::{Choice, Claims, Tuning};
use crate::simulator::{Run, simulate};
use std::sync::Arc;

/// The outcome of the enumeration.
#[derive(Debug, Clone)]
pub struct Worst {
    /// The slowest run.
    pub run: Run,
    /// Whether every choice was tried.
    pub proven: bool,
    /// Schedules simulated.
    pub schedules: u64,
}

/// Simulates every choice of ready subtask, at most `schedules_max` of them.
///
/// # Errors
/// What the simulator refuses.
pub fn worst(graph: &Arc<Graph>, machine: &Machine, schedules_max: u64) -> Result<Worst, Error> {
    let mut picks: Vec<usize> = Vec::new();
    let mut slowest: Option<Run> = None;
    let mut schedules = 0;
    loop {
        let mut claims =
            Claims::new(Choice::Fifo, Tuning::default(), graph, machine).with_picks(picks);
        let run = simulate(graph, machine, &mut claims)?;
        schedules += 1;
        if slowest.as_ref().is_none_or(|s| run.makespan_ns > s.makespan_ns) {
            slowest = Some(run);
        }
        picks = claims.next_picks();
        if picks.is_empty() || schedules >= schedules_max {
            let run = slowest.expect("at least one schedule was simulated");
            return Ok(Worst { run, proven: picks.is_empty(), schedules });
        }
    }
}
