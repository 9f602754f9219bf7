//! Large copies: the lanes that carry their bytes, how copies are cut, and where their bytes
//! belong.

pub mod copy_sizes;
pub mod lane_count;
pub mod lane_threads;
pub mod lanes;
pub mod transfer;
