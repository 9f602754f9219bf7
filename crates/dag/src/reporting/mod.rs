//! What people see of schedules: figures, pictures, and the options of the simulator.

pub mod analysis;
pub mod picture;
pub mod report;
pub mod sim;
