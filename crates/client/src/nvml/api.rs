//! The hand-written functions under their exported names, by subject. Generated exports call them
//! through `entry`. Each takes NVML's C arguments, and has the same contract as the function of
//! NVML.

pub use super::device::*;
pub use super::export_table::*;
pub use super::fields::*;
pub use super::memory::*;
pub use super::processes::*;
pub use super::system::*;
