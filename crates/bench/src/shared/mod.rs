//! Measurements of programs that share a GPU.

pub mod flow;
pub mod frames;
pub mod share;
pub mod swap;
