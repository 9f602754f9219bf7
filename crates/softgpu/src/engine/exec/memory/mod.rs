//! Memory as kernels use it: allocation inside kernels, local memory, images, and the checks.

pub mod alloca;
pub mod check;
pub mod heap;
pub mod image;
pub mod local;
pub mod shadow;
pub mod surface;
pub mod texture;
pub mod wmma_tile;
