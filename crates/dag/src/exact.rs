//! The exact searches for small graphs: the proven best schedule, and the worst of the schedules
//! without deliberate waiting. They show how far a policy is from the optimum. For large graphs,
//! `bounds` gives lower bounds instead.

mod best;
mod estimate;
mod node;
mod worst;

pub use best::{Best, best};
pub use node::{GPUS_MAX, PARTITIONS_MAX, SUBTASKS_MAX};
pub use worst::{Worst, worst};
