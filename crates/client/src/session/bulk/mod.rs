//! Large copies: the lanes that carry them, their division into pieces, and the targets of their
//! bytes.

pub mod copy_sizes;
pub mod lane_count;
pub mod lane_threads;
pub mod lanes;
pub mod transfer;
