//! The proven best schedule of a small graph, and the worst of the undelayed ones. They exist to
//! say how far a policy is from what is possible. Deliberately absent: large graphs; `bounds` is
//! for those.

mod best;
mod estimate;
mod node;
mod worst;

pub use best::{Best, best};
pub use worst::{Worst, worst};

/// Most partitions, subtasks and GPUs that the searches represent (bit sets of one word).
pub const PARTITIONS_MAX: usize = 64;
/// See [`PARTITIONS_MAX`].
pub const SUBTASKS_MAX: usize = 32;
/// See [`PARTITIONS_MAX`].
pub const GPUS_MAX: usize = 4;
