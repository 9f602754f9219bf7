//! Device memory, and the objects in it.

pub mod array;
pub mod check;
pub mod copy;
pub mod heap;
pub mod overhead;
pub mod pages;
pub mod physical;
pub mod pool;
pub mod quarantine;
pub mod ranges;
pub mod shared_gpu;
pub mod textures;
