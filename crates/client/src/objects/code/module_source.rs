//! The sources of modules.

use crate::objects::code::image::Image;
use crate::objects::code::jit_options::Options;

/// The source of a module: the image, and the options for its compilation.
pub struct Source {
    /// The image.
    pub parcel: Image,
    /// The options.
    pub options: Options,
}

// SAFETY: the options' pointers are the program's log buffers, which are written while a load call
// is under way and never after it.
unsafe impl Send for Source {}
// SAFETY: as above.
unsafe impl Sync for Source {}
