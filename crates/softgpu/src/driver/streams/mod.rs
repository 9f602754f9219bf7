//! Runs tasks in streams, and collects their kernels' output.

pub mod output;
pub mod stream;
