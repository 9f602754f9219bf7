//! The hand-written functions, under their exported names, by noun. They are called through `entry`
//! by generated exports; each takes the C arguments and promises what NVML promises.

pub use super::device::*;
pub use super::export_table::*;
pub use super::fields::*;
pub use super::memory::*;
pub use super::processes::*;
pub use super::system::*;
