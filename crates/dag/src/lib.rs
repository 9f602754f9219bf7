//! Scheduling of map/reduce graphs over partitioned data that is larger than GPU memory. The crate
//! has the graph, the memory model, the policies, a discrete-event simulator, the exact search and
//! lower bounds. The simulator and a runtime use one implementation of the policies. The crate has
//! no I/O, clocks, threads or GPUs, and callers pass in all randomness.

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
