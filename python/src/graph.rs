//! A checked graph, which Python passes as tuples of partitions and subtasks that refer to each
//! other by index.

use crate::error::refused;
use outhaul_dag::{Error, Graph, Home, Keep, Partition, PartitionId, Subtask};
use pyo3::prelude::*;
use std::sync::Arc;

/// Graph(partitions, subtasks). Partitions are (name, bytes, home, keep); subtasks are (name,
/// inputs, outputs, compute_ns).
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

    /// Raises an error that names the subtask and its largest partition, if no schedule can run the
    /// graph in `capacity_bytes` of memory per GPU.
    fn check_fits(&self, capacity_bytes: u64) -> PyResult<()> {
        self.inner.check_fits(capacity_bytes).map_err(refused)
    }

    /// Returns, for each subtask, the number of subtasks on the longest chain that ends before it.
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
