//! Finds contexts: of a handle, of a device, of a node, or for commands that need none.

use crate::driver::state::{Driver, driver};
use crate::objects::context::Context;
use crate::objects::context_stack::{current, place};
use crate::session::Target;
use outhaul_abi::types::{CUcontext, CUdevice, CUresult};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

impl Context {
    /// Whether the context exists on the worker. A primary context has its handle before.
    pub fn is_live(&self, driver: &Driver) -> bool {
        if !self.primary {
            return !self.destroyed.load(Relaxed);
        }
        driver.primaries[self.device as usize].lock().active
    }
}

/// Returns the context of a handle.
pub fn resolve(handle: CUcontext) -> Result<Arc<Context>, CUresult> {
    driver()?.contexts.get(handle.0 as u64).ok_or(CUresult::INVALID_CONTEXT)
}

/// Returns the context of a handle; NULL means the current context.
pub fn resolve_or_current(handle: CUcontext) -> Result<Arc<Context>, CUresult> {
    if handle.is_null() { current() } else { resolve(handle) }
}

/// Returns a context of the device, the primary one if possible. A program with memory on a device
/// has a context there.
pub fn of_device(driver: &Driver, device: CUdevice) -> Result<Arc<Context>, CUresult> {
    let mut live = driver
        .contexts
        .all()
        .into_iter()
        .filter(|c| c.device == device && c.is_live(driver))
        .collect::<Vec<_>>();
    live.sort_by_key(|c| !c.primary);
    live.into_iter().next().ok_or(CUresult::INVALID_CONTEXT)
}

/// Returns the calling thread's context if it is of the device, and else as `of_device` does.
pub fn with_memory_of(driver: &Driver, device: CUdevice) -> Result<Arc<Context>, CUresult> {
    let here = current()?;
    if here.device == device { Ok(here) } else { of_device(driver, device) }
}

/// Returns any context of a node, a primary one if possible.
pub fn of_node(driver: &Driver, node: u8) -> Option<Arc<Context>> {
    let mut live: Vec<_> = driver
        .contexts
        .all()
        .into_iter()
        .filter(|c| c.session.number == node && c.is_live(driver))
        .collect();
    live.sort_by_key(|c| !c.primary);
    live.into_iter().next()
}

/// Does as `place`, for commands that need no context. Without one they go to the first node.
pub fn target_or_none() -> Result<Target, CUresult> {
    target().or_else(|_| Ok(Target { session: driver()?.sessions[0], context: 0 }))
}

/// Returns where commands about a device's memory execute.
pub fn target_of_device(driver: &Driver, device: CUdevice) -> Result<Target, CUresult> {
    let session = driver.facts.device(device)?.session;
    if is_here(session.number) {
        target()
    } else {
        of_device(driver, device).map(|context| context.target())
    }
}

/// Whether the calling thread's context is of this node.
pub fn is_here(node: u8) -> bool {
    target().is_ok_and(|place| place.session.number == node)
}
