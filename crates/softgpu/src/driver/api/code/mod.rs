//! Functions of the driver API about code and launches.

pub mod function;
pub mod function_launch;
pub mod launch;
pub mod library;
pub mod link;
pub mod module;
