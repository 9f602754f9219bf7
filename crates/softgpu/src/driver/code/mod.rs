//! Loads, links and launches programs' code.

pub mod function;
pub mod image;
pub mod launch;
pub mod library;
pub mod link;
pub mod module;
