//! Operations as Python tuples of a kind, a partition or subtask, a GPU, and a peer copy's source
//! GPU.

use crate::error::GraphError;
use outhaul_dag::state::Op;
use outhaul_dag::{PartitionId, SubtaskId};
use pyo3::prelude::*;

/// An operation for Python: its kind, the index of its partition or subtask, its GPU, and the
/// source GPU of a copy between two GPUs.
pub type OpTuple = (&'static str, u32, usize, usize);

/// Converts an operation for Python. Reads and writes have no GPU, so their tuples have 0, which
/// Python must ignore.
pub fn to_tuple(op: Op) -> OpTuple {
    match op {
        Op::Read(p) => ("read", p.0, 0, 0),
        Op::Write(p) => ("write", p.0, 0, 0),
        Op::Load(p, gpu) => ("load", p.0, gpu, gpu),
        Op::Store(p, gpu) => ("store", p.0, gpu, gpu),
        Op::Peer(p, from, gpu) => ("peer", p.0, gpu, from),
        Op::Compute(s, gpu) => ("compute", s.0, gpu, gpu),
    }
}

/// Converts an operation from Python. Fails with `GraphError` if the kind is unknown.
pub fn from_tuple((kind, id, gpu, from): (String, u32, usize, usize)) -> PyResult<Op> {
    Ok(match kind.as_str() {
        "read" => Op::Read(PartitionId(id)),
        "write" => Op::Write(PartitionId(id)),
        "load" => Op::Load(PartitionId(id), gpu),
        "store" => Op::Store(PartitionId(id), gpu),
        "peer" => Op::Peer(PartitionId(id), from, gpu),
        "compute" => Op::Compute(SubtaskId(id), gpu),
        _ => return Err(GraphError::new_err(format!("no operation `{kind}`"))),
    })
}
