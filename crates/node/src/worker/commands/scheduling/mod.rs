//! The conditions for each command: its session's turn, earlier work, and room in the driver.

pub mod admission;
pub mod implicit_order;
pub mod submit_limit;
