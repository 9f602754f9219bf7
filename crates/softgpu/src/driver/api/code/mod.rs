//! The driver API's functions for code and launches.

pub mod function;
pub mod launch;
pub mod legacy_launch;
pub mod library;
pub mod link;
pub mod module;
