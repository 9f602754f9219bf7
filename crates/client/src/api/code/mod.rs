//! Driver API functions about code: modules, kernels, launches, textures.

pub mod cluster;
pub mod functions;
pub mod jit_link;
pub mod launch;
pub mod launch_attributes;
pub mod legacy_launch;
pub mod module;
pub mod occupancy;
pub mod references;
pub mod tensor_map;
pub mod texture;
