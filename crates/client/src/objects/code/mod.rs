//! Code: functions, their modules, and the images and options from which modules are loaded.

pub mod function;
pub mod image;
pub mod jit_link;
pub mod jit_options;
pub mod kernel_facts;
pub mod module;
pub mod module_source;
pub mod node_handles;
pub mod texture_references;
pub mod textures;
