//! Lookup of contexts: by handle, by device, by node, or for commands that need none.

use crate::driver::state::{Driver, driver};
use crate::objects::context::Context;
use crate::objects::context_stack::{current, target};
use crate::objects::streams::stream::Stream;
use crate::session::Target;
use outhaul_abi::types::{CUcontext, CUdevice, CUresult};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

impl Context {
    /// Returns whether the context exists on the worker. A primary context has a handle even while
    /// it is inactive.
    pub fn is_live(&self, driver: &Driver) -> bool {
        if !self.primary {
            return !self.destroyed.load(Relaxed);
        }
        driver.primaries[self.device as usize].lock().active
    }
}

/// Rejects an object of another context than the stream's. `own` is the index of the object's
/// context, or 0 if the object belongs to none. Green contexts share objects with other contexts.
pub fn check_same(own: u16, stream: &Stream) -> Result<(), CUresult> {
    let other = stream.target.context;
    if own == 0 || own == other {
        return Ok(());
    }
    let is_green = |context: &Arc<Context>| {
        context.is_green && (context.index == own || context.index == other)
    };
    if driver()?.contexts.all().iter().any(is_green) {
        Ok(())
    } else {
        Err(CUresult::INVALID_HANDLE)
    }
}

/// Returns the context of a handle.
pub fn resolve(handle: CUcontext) -> Result<Arc<Context>, CUresult> {
    driver()?.contexts.get(handle.0 as u64).ok_or(CUresult::INVALID_CONTEXT)
}

/// Returns the context of a handle, or the current context for NULL. Fails if it is destroyed.
pub fn resolve_or_current(handle: CUcontext) -> Result<Arc<Context>, CUresult> {
    let context = if handle.is_null() { current()? } else { resolve(handle)? };
    if context.destroyed.load(Relaxed) { Err(CUresult::CONTEXT_IS_DESTROYED) } else { Ok(context) }
}

/// Returns a live context of the device, preferably the primary one. A device with the program's
/// memory always has one.
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

/// Returns the calling thread's context if it is on the device, otherwise a context as `of_device`
/// does.
pub fn with_memory_of(driver: &Driver, device: CUdevice) -> Result<Arc<Context>, CUresult> {
    let here = current()?;
    if here.device == device { Ok(here) } else { of_device(driver, device) }
}

/// Returns any live context of a node, preferably a primary one.
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

/// Returns the target of commands that need no context: the current context, or the first node if
/// no context is current.
pub fn target_or_none() -> Result<Target, CUresult> {
    target().or_else(|_| Ok(Target { session: driver()?.sessions[0], context: 0 }))
}

/// Returns the target of commands about a device's memory.
pub fn target_of_device(driver: &Driver, device: CUdevice) -> Result<Target, CUresult> {
    let session = driver.facts.device(device)?.session;
    if is_here(session.number) {
        target()
    } else {
        of_device(driver, device).map(|context| context.target())
    }
}

/// Returns whether the calling thread's context is on node `node`.
pub fn is_here(node: u8) -> bool {
    target().is_ok_and(|place| place.session.number == node)
}
