//! A policy and its state, for one run of one graph by a runtime. The runtime reports finished
//! operations, and gets the operations to start and the memory to free.

use crate::error::refused;
use crate::graph::PyGraph;
use crate::machine::PyMachine;
use crate::op::{OpTuple, from_tuple, to_tuple};
use crate::planning::interruptible;
use outhaul_dag::policy::{Scheduler, ours};
use outhaul_dag::state::{Op, PartitionMemory, State};
use outhaul_dag::{PartitionId, Policy};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

/// Returns the policy with this name. `effort` and `seed` apply only to the policy `ours`.
pub fn policy(name: &str, effort: Option<u64>, seed: u64) -> PyResult<Policy> {
    let chosen: Policy = name.parse().map_err(refused)?;
    Ok(match chosen {
        Policy::Ours(tuning) => {
            Policy::Ours(ours::Tuning { effort: effort.unwrap_or(tuning.effort), seed, ..tuning })
        }
        other => other,
    })
}

/// The operations to start, in this order on each wire. Then the (partition, GPU) pairs, and the
/// partitions in host memory, whose memory must be free before that.
type Orders = (Vec<OpTuple>, Vec<(u32, usize)>, Vec<u32>);

/// Scheduler(graph, machine, policy). Only the thread that creates a scheduler may use it.
#[pyclass(name = "Scheduler", unsendable)]
pub struct PyScheduler {
    scheduler: Box<dyn Scheduler>,
    state: State,
    held: Vec<Vec<PartitionId>>,
}

#[pymethods]
impl PyScheduler {
    #[new]
    #[pyo3(signature = (graph, machine, policy, *, effort = None, seed = 1))]
    fn new(
        py: Python<'_>,
        graph: &PyGraph,
        machine: &PyMachine,
        policy: &str,
        effort: Option<u64>,
        seed: u64,
    ) -> PyResult<PyScheduler> {
        let (graph, machine) = (&graph.inner, &machine.inner);
        let policy = self::policy(policy, effort, seed)?;
        let scheduler =
            interruptible(py, |interrupted| policy.scheduler_unless(graph, machine, interrupted))?;
        let state = State::new(graph.clone(), machine);
        Ok(PyScheduler { scheduler, held: vec![Vec::new(); machine.gpus], state })
    }

    /// Reports finished operations and asks the policy for the next ones.
    fn step(
        &mut self,
        now_ns: u64,
        finished: Vec<(String, u32, usize, usize)>,
    ) -> PyResult<Orders> {
        let finished: Vec<Op> = finished.into_iter().map(from_tuple).collect::<Result<_, _>>()?;
        for op in &finished {
            self.check(*op)?;
            self.state.finish(*op);
        }
        let mut issued = self.state.take_issued();
        self.scheduler.step(now_ns, &mut self.state, &finished).map_err(refused)?;
        issued.extend(self.state.take_issued());
        let forgotten = self.state.take_forgotten().into_iter().map(|p| p.0).collect();
        Ok((issued.into_iter().map(to_tuple).collect(), self.take_released(), forgotten))
    }

    /// Returns when the policy must be asked even if no operation finishes.
    fn wake_ns(&self) -> Option<u64> {
        self.scheduler.wake_ns()
    }

    /// Returns whether all subtasks have run and all kept partitions are where they must be.
    fn is_finished(&self) -> bool {
        self.state.is_finished()
    }

    /// Returns the most host memory that reads and unwritten results ever took, in bytes.
    fn host_peak_bytes(&self) -> u64 {
        self.state.host_peak_bytes()
    }

    /// Returns the most memory that was ever taken on each GPU, in bytes.
    fn peak_bytes(&self) -> Vec<u64> {
        (0..self.state.gpus()).map(|gpu| self.state.peak_bytes(gpu)).collect()
    }
}

impl PyScheduler {
    fn check(&self, op: Op) -> PyResult<()> {
        let (partitions, subtasks) =
            (self.state.graph().partitions().len(), self.state.graph().subtasks().len());
        let (known, gpus) = match op {
            Op::Read(p) | Op::Write(p) => (p.at() < partitions, vec![]),
            Op::Load(p, gpu) | Op::Store(p, gpu) => (p.at() < partitions, vec![gpu]),
            Op::Peer(p, from, gpu) => (p.at() < partitions, vec![from, gpu]),
            Op::Compute(s, gpu) => (s.at() < subtasks, vec![gpu]),
        };
        if known && gpus.iter().all(|gpu| *gpu < self.state.gpus()) {
            Ok(())
        } else {
            Err(PyIndexError::new_err(format!("{op:?} was not issued")))
        }
    }

    /// Returns the partitions that had memory at the last call and have none now. A partition that
    /// was dropped and is being loaded again keeps its buffer.
    fn take_released(&mut self) -> Vec<(u32, usize)> {
        let mut released = Vec::new();
        for (gpu, held) in self.held.iter_mut().enumerate() {
            released.extend(
                held.iter()
                    .filter(|p| self.state.place(gpu, **p) == PartitionMemory::Absent)
                    .map(|p| (p.0, gpu)),
            );
            held.clear();
            held.extend_from_slice(self.state.held(gpu));
        }
        released
    }
}
