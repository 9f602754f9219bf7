//! The work of streams with tasks, and the output of their kernels.

pub mod output;
pub mod stream;
