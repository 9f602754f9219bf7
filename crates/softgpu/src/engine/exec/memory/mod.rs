//! Memory that kernels use: allocation inside kernels, local memory, images, and checks.

pub mod alloca;
pub mod check;
pub mod heap;
pub mod image;
pub mod local;
pub mod shadow;
pub mod surface;
pub mod texture;
pub mod wmma_tile;
