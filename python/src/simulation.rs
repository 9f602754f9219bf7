//! A simulated run of a graph, with lower bounds and pictures: what `explain` and `visualize` show.

use crate::graph::PyGraph;
use crate::machine::PyMachine;
use crate::op::{OpTuple, to_tuple};
use crate::planning::interruptible;
use outhaul_dag::bounds::bounds;
use outhaul_dag::reporting::picture;
use outhaul_dag::simulator::{Limits, Run, simulate_within};
use outhaul_dag::{Graph, Machine};
use pyo3::prelude::*;
use std::sync::Arc;

/// The simulator's result for a graph on a machine under a policy.
#[pyclass(name = "Simulation", frozen)]
pub struct PySimulation {
    graph: Arc<Graph>,
    machine: Machine,
    run: Run,
    /// No schedule is faster than this.
    #[pyo3(get)]
    bound_ns: u64,
    /// Time until everything has run and is where it must be.
    #[pyo3(get)]
    makespan_ns: u64,
    /// The most memory ever taken, per GPU.
    #[pyo3(get)]
    peak_bytes: Vec<u64>,
}

#[pymethods]
impl PySimulation {
    /// Every operation as (operation, start_ns, end_ns), by end.
    fn spans(&self) -> Vec<(OpTuple, u64, u64)> {
        self.run.spans.iter().map(|span| (to_tuple(span.op), span.start_ns, span.end_ns)).collect()
    }

    /// A Gantt chart of all lanes, as SVG.
    fn gantt(&self, title: &str) -> String {
        picture::gantt(title, &self.graph, &self.machine, &self.run)
    }

    /// The order of subtasks per GPU, as SVG.
    fn order(&self, title: &str) -> String {
        picture::order(title, &self.graph, &self.run)
    }
}

/// simulate(graph, machine, policy): plans and runs the graph in the simulator.
#[pyfunction]
#[pyo3(signature = (graph, machine, policy, *, effort = None, seed = 1))]
pub fn simulate(
    py: Python<'_>,
    graph: &PyGraph,
    machine: &PyMachine,
    policy: &str,
    effort: Option<u64>,
    seed: u64,
) -> PyResult<PySimulation> {
    let policy = crate::scheduler::policy(policy, effort, seed)?;
    let (graph, machine) = (graph.inner.clone(), machine.inner.clone());
    let (bound_ns, run) = interruptible(py, |interrupted| {
        let mut scheduler = policy.scheduler_unless(&graph, &machine, interrupted)?;
        let limits = Limits { makespan_ns: u64::MAX, interrupted };
        let run = simulate_within(&graph, &machine, &mut *scheduler, &limits)?;
        Ok((bounds(&graph, &machine).best_ns(), run.expect("no limit, no cut")))
    })?;
    Ok(PySimulation {
        bound_ns,
        makespan_ns: run.makespan_ns,
        peak_bytes: run.peak_bytes.clone(),
        graph,
        machine,
        run,
    })
}
