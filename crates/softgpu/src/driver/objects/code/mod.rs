//! Programs' code: modules, libraries, functions and their launches.

pub mod cluster;
pub mod function;
pub mod jit;
pub mod kernel_call;
pub mod library;
pub mod link;
pub mod module;
pub mod occupancy;
