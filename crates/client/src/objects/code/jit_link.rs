//! Links of code that are under construction.

use crate::objects::code::image::Image;
use crate::objects::code::jit_options::Options;
use outhaul_abi::types::CUjitInputType;
use outhaul_lock::Mutex;

/// A link under construction.
pub struct JitLink {
    pub options: Options,
    pub inputs: Mutex<Vec<(CUjitInputType, Image, String)>>,
    /// The result, which lives as long as the link.
    pub image: Mutex<Vec<u8>>,
}

// SAFETY: the options' pointers are the program's log buffers, which it keeps for the link's life
// and uses from one thread at a time.
unsafe impl Send for JitLink {}
// SAFETY: as above.
unsafe impl Sync for JitLink {}
