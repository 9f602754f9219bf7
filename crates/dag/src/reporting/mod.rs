//! Figures and pictures of schedules for people, and the options of the simulator.

pub mod analysis;
pub mod picture;
pub mod report;
pub mod sim_command;
