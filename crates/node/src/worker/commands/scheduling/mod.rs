//! The conditions before each command: its session's turn, the work that it must follow, and room
//! for it in the driver.

pub mod admission;
pub mod implicit_order;
pub mod submit_limit;
