//! Arithmetic that more than one instruction uses: half precision, matrices, video instructions,
//! mathematical functions, and the text of `printf`.

pub mod format;
pub mod half;
pub mod math;
pub mod matrix;
pub mod video;
