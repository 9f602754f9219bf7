//! Sources of modules: images and JIT options.

use crate::objects::code::image::Image;
use crate::objects::code::jit_options::Options;

/// The source of a module: the image, and the options for its compilation.
pub struct Source {
    /// The code image.
    pub parcel: Image,
    /// The JIT options.
    pub options: Options,
}

// SAFETY: the options' pointers are the program's log buffers. The client writes them only during a
// load call.
unsafe impl Send for Source {}
// SAFETY: as above.
unsafe impl Sync for Source {}
