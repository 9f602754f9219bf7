//! Reports and pictures of schedules, and the options of the simulator.

pub mod analysis;
pub mod picture;
pub mod report;
pub mod sim_command;
