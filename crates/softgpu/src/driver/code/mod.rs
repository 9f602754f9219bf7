//! Code of programs: loaded, linked and launched.

pub mod function;
pub mod image;
pub mod launch;
pub mod library;
pub mod link;
pub mod module;
