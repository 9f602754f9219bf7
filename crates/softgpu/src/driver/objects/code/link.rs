//! Link states, which collect PTX inputs.

use crate::driver::objects::code::jit::Logs;
use outhaul_lock::Mutex;
use std::sync::OnceLock;

/// A `CUlinkState`.
pub struct JitLink {
    /// The program's log buffers.
    pub logs: Logs,
    /// The inputs, as PTX.
    pub texts: Mutex<Vec<String>>,
    /// The linked image, which the program may use until it destroys the link.
    pub image: OnceLock<Vec<u8>>,
}

impl JitLink {
    /// Returns a link without inputs.
    pub fn new(logs: Logs) -> JitLink {
        JitLink { logs, texts: Mutex::default(), image: OnceLock::new() }
    }
}
