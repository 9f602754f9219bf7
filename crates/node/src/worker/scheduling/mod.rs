//! Decides when a command is executed: the session's turns on the GPU's engines, limits on
//! submitted work, and measurements of how long the work takes.

pub mod overhead_pulse;
pub mod submit_limit;

pub mod implicit_order;
pub mod kernel_time_limit;
pub mod meter;
pub mod turns;
pub mod work_estimate;
