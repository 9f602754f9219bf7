//! The slowest schedule without deliberate waiting. A free GPU always takes a ready subtask, loads
//! its data and runs it, and evicts least recently used data first. The search enumerates all
//! choices, because the paper compares the worst schedule with the best. Deliberate waiting is
//! excluded, because it can make any schedule slower.

use crate::error::Error;
use crate::graph::Graph;
use crate::machine::Machine;
use crate::policy::paper_policies::{Choice, Claims, Tuning};
use crate::simulator::{Run, simulate};
use std::sync::Arc;

/// The outcome of the enumeration.
#[derive(Debug, Clone)]
pub struct Worst {
    /// The slowest run found.
    pub run: Run,
    /// Whether the search tried every choice.
    pub proven: bool,
    /// The number of simulated schedules.
    pub schedules: u64,
}

/// Simulates every choice of ready subtasks, in at most `schedules_max` schedules.
///
/// # Errors
/// The errors of the simulator.
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
