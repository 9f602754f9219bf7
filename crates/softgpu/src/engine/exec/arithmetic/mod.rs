//! Arithmetic that several instructions share: half precision, matrices, video instructions,
//! mathematical functions, and `printf` formatting.

pub mod format;
pub mod half;
pub mod math;
pub mod matrix;
pub mod video;
