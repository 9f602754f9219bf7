//! The proven best schedule of a small graph, and the worst of the undelayed ones. They exist to
//! show how far a policy is from what is possible. Deliberately absent: large graphs; `bounds` is
//! for those.

mod best;
mod estimate;
mod node;
mod worst;

pub use best::{Best, best};
pub use node::{GPUS_MAX, PARTITIONS_MAX, SUBTASKS_MAX};
pub use worst::{Worst, worst};
