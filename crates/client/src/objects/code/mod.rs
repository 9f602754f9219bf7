//! Code: functions, the modules that they come from, and what modules are loaded from.

pub mod function;
pub mod image;
pub mod jit_options;
pub mod link;
pub mod references;
pub mod source;
pub mod textures;
