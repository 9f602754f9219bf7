//! The threads that code is generated for: one, or a group in step; and the loop over the threads
//! of a block.

pub mod group;
pub mod loop_labels;
pub mod mode;
pub mod thread_loop;
