//! A simulated run of a graph, with lower bounds and pictures, for `explain` and `visualize`.

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

/// The simulator's result for a graph, a machine and a policy.
#[pyclass(name = "Simulation", frozen)]
pub struct PySimulation {
    graph: Arc<Graph>,
    machine: Machine,
    run: Run,
    /// A lower bound on the makespan of every schedule, in nanoseconds.
    #[pyo3(get)]
    bound_ns: u64,
    /// Time until all subtasks had run and all data was where it must be, in nanoseconds.
    #[pyo3(get)]
    makespan_ns: u64,
    /// The most memory that was ever taken on each GPU, in bytes.
    #[pyo3(get)]
    peak_bytes: Vec<u64>,
}

#[pymethods]
impl PySimulation {
    /// Returns every operation as (operation, start_ns, end_ns), in the order of ends.
    fn spans(&self) -> Vec<(OpTuple, u64, u64)> {
        self.run.spans.iter().map(|span| (to_tuple(span.op), span.start_ns, span.end_ns)).collect()
    }

    /// Returns a Gantt chart with all lanes, as SVG.
    fn gantt(&self, title: &str) -> String {
        picture::gantt(title, &self.graph, &self.machine, &self.run)
    }

    /// Returns a picture of the order of subtasks per GPU, as SVG.
    fn order(&self, title: &str) -> String {
        picture::order(title, &self.graph, &self.run)
    }
}

/// simulate(graph, machine, policy): plans the graph and runs it in the simulator.
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
