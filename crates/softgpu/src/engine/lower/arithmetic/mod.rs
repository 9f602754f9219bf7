//! Lowering of arithmetic instructions.

pub mod convert;
pub mod float;
pub mod half;
pub mod integer;
pub mod matrix;
pub mod nan;
pub mod special;
pub mod vector;
pub mod video;
