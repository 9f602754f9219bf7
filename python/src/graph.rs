//! A checked graph, as Python hands it over: partitions and subtasks as tuples, by index.

use crate::error::refused;
use outhaul_dag::{Error, Graph, Home, Keep, Partition, PartitionId, Subtask};
use pyo3::prelude::*;
use std::sync::Arc;

/// Graph(partitions, subtasks): partitions are (name, bytes, home, keep), subtasks (name, inputs,
/// outputs, compute_ns).
#[pyclass(name = "Graph", frozen)]
pub struct PyGraph {
    pub inner: Arc<Graph>,
}

type PartitionTuple = (String, u64, String, String);
type SubtaskTuple = (String, Vec<u32>, Vec<u32>, u64);

#[pymethods]
impl PyGraph {
    #[new]
    fn new(partitions: Vec<PartitionTuple>, subtasks: Vec<SubtaskTuple>) -> PyResult<PyGraph> {
        let partitions =
            partitions.into_iter().map(partition).collect::<Result<_, _>>().map_err(refused)?;
        let subtasks = subtasks.into_iter().map(subtask).collect();
        let inner = Graph::new(partitions, subtasks).map_err(refused)?;
        Ok(PyGraph { inner: Arc::new(inner) })
    }

    /// Refuses what no schedule can run in this much memory per GPU, naming subtask and partition.
    fn check_fits(&self, capacity_bytes: u64) -> PyResult<()> {
        self.inner.check_fits(capacity_bytes).map_err(refused)
    }

    /// Number of subtasks on the longest chain before each subtask.
    fn levels(&self) -> Vec<u32> {
        let all = 0..self.inner.subtasks().len() as u32;
        all.map(|s| self.inner.level(outhaul_dag::SubtaskId(s))).collect()
    }
}

fn partition((name, bytes, home, keep): PartitionTuple) -> Result<Partition, Error> {
    let home = match home.as_str() {
        "host" => Home::Host,
        "file" => Home::File,
        "made" => Home::Made,
        _ => {
            return Err(Error::Usage(format!(
                "partition `{name}`: no home `{home}`; there are host, file and made"
            )));
        }
    };
    let keep = match keep.as_str() {
        "no" => Keep::No,
        "host" => Keep::Host,
        "file" => Keep::File,
        _ => {
            return Err(Error::Usage(format!(
                "partition `{name}`: no keep `{keep}`; there are no, host and file"
            )));
        }
    };
    Ok(Partition { name, bytes, home, keep })
}

fn subtask((name, inputs, outputs, compute_ns): SubtaskTuple) -> Subtask {
    let ids = |list: Vec<u32>| list.into_iter().map(PartitionId).collect();
    Subtask { name, inputs: ids(inputs), outputs: ids(outputs), compute_ns }
}
