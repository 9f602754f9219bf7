//! Link states, which collect PTX.

use crate::driver::objects::code::jit::Logs;
use outhaul_lock::Mutex;
use std::sync::OnceLock;

/// A `CUlinkState`.
pub struct JitLink {
    /// Logs of the program.
    pub logs: Logs,
    /// Inputs.
    pub texts: Mutex<Vec<String>>,
    /// Image that the program may use until it destroys the link.
    pub image: OnceLock<Vec<u8>>,
}

impl JitLink {
    /// Returns a link without inputs.
    pub fn new(logs: Logs) -> JitLink {
        JitLink { logs, texts: Mutex::default(), image: OnceLock::new() }
    }
}
