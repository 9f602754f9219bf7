//! What streams do with tasks, and the output of their kernels.

pub mod output;
pub mod stream;
