//! Code of programs: modules, libraries, functions, and their launches.

pub mod cluster;
pub mod function;
pub mod image;
pub mod jit;
pub mod launch;
pub mod library;
pub mod link;
pub mod module;
pub mod occupancy;
