//! The threads that the code runs: one, or a group in step. Also the loop over a block's threads.

pub mod group;
pub mod loop_labels;
pub mod mode;
pub mod thread_loop;
