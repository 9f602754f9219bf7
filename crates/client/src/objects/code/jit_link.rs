//! JIT links that a program builds with `cuLinkCreate` and related functions.

use crate::objects::code::image::Image;
use crate::objects::code::jit_options::Options;
use outhaul_abi::types::CUjitInputType;
use outhaul_lock::Mutex;

/// A JIT link under construction.
pub struct JitLink {
    pub options: Options,
    pub inputs: Mutex<Vec<(CUjitInputType, Image, String)>>,
    /// The linked image, which lives as long as the link.
    pub image: Mutex<Vec<u8>>,
}

// SAFETY: the options' pointers are the program's log buffers. The program guarantees that they
// outlive the link and that one thread uses the link at a time.
unsafe impl Send for JitLink {}
// SAFETY: as above.
unsafe impl Sync for JitLink {}
