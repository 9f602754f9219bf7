//! Scheduling of map/reduce graphs over partitioned data that is larger than GPU memory: the graph,
//! the memory model, the policies, a discrete-event simulator, the proven best schedule and lower
//! bounds. It exists so that the same code decides in simulation and in a runtime. Deliberately
//! absent: I/O, clocks, threads, GPUs and randomness that is not passed in.

#![forbid(unsafe_code)]

pub mod reporting;

pub mod apps;
pub mod bounds;
pub mod error;
pub mod exact;
pub mod graph;
pub mod machine;
pub mod policy;
pub mod simulator;
pub mod state;

pub use error::Error;
pub use graph::{Graph, Home, Keep, Partition, PartitionId, Subtask, SubtaskId};
pub use machine::{Machine, Sharing, Way};
pub use policy::Policy;
