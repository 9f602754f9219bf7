//! Contexts: who is current on which thread is this library's own bookkeeping, and primary contexts have their handles before they exist.

use crate::pool::Pool;
use crate::session::{Session, session};
use crate::stream::Stream;
use outhaul_abi::types::{CUcontext, CUdevice, CUresult};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

pub struct Context {
    pub handle: u64,
    /// What frames carry: the handle's index plus one.
    pub index: u16,
    pub device: CUdevice,
    pub primary: bool,
    pub id: u64,
    pub api_version: u32,
    pub flags: AtomicU32,
    pub destroyed: AtomicBool,
    pub legacy: Arc<Stream>,
    pub limits: Mutex<HashMap<i32, u64>>,
    pub cache_config: AtomicI32,
    pub shared_config: AtomicI32,
}

impl Context {
    pub fn abi(&self) -> CUcontext {
        CUcontext(self.handle as usize)
    }

    /// Whether the worker has it: a primary context has its handle before it exists.
    pub fn is_live(&self, session: &Session) -> bool {
        if !self.primary {
            return !self.destroyed.load(Relaxed);
        }
        session.primaries[self.device as usize].lock().unwrap_or_else(|e| e.into_inner()).active
    }
}

/// A device's primary context and how often it was retained.
pub struct Primary {
    pub context: Arc<Context>,
    pub retained: u32,
    /// Whether the worker has it.
    pub active: bool,
    pub flags: u32,
    /// The pool of stream-ordered allocations.
    pub default_pool: Arc<Pool>,
    pub current_pool: Arc<Pool>,
}

thread_local! {
    static STACK: RefCell<Vec<Arc<Context>>> = const { RefCell::new(Vec::new()) };
}

/// Runs `body` with the calling thread's context.
pub fn with_current<T>(body: impl FnOnce(&Arc<Context>) -> Result<T, CUresult>) -> Result<T, CUresult> {
    let found = STACK.try_with(|stack| match stack.borrow().last() {
        None => Err(CUresult::INVALID_CONTEXT),
        Some(context) if context.destroyed.load(Relaxed) => Err(CUresult::CONTEXT_IS_DESTROYED),
        Some(context) => Ok(context.clone()),
    });
    // A thread that is ending has no context any more.
    body(&found.unwrap_or(Err(CUresult::INVALID_CONTEXT))?)
}

pub fn current() -> Result<Arc<Context>, CUresult> {
    with_current(|context| Ok(context.clone()))
}

/// What frames carry for commands that need no context but may have one.
pub fn index_or_none() -> u16 {
    with_current(|c| Ok(c.index)).unwrap_or(0)
}

/// As cuCtxGetCurrent: NULL if there is none.
pub fn current_handle() -> CUcontext {
    STACK.try_with(|stack| stack.borrow().last().map_or(CUcontext::NULL, |c| c.abi())).unwrap_or(CUcontext::NULL)
}

pub fn resolve(handle: CUcontext) -> Result<Arc<Context>, CUresult> {
    session()?.contexts.get(handle.0 as u64).ok_or(CUresult::INVALID_CONTEXT)
}

/// A context of the device, the primary one if it can be: whoever has memory there has one.
pub fn of_device(session: &Session, device: CUdevice) -> Result<Arc<Context>, CUresult> {
    let mut live = session.contexts.all().into_iter().filter(|c| c.device == device && c.is_live(session)).collect::<Vec<_>>();
    live.sort_by_key(|c| !c.primary);
    live.into_iter().next().ok_or(CUresult::INVALID_CONTEXT)
}

/// NULL means the current one.
pub fn resolve_or_current(handle: CUcontext) -> Result<Arc<Context>, CUresult> {
    if handle.is_null() { current() } else { resolve(handle) }
}

/// Replaces the top of the stack; None leaves the thread without a context.
pub fn set_current(context: Option<Arc<Context>>) {
    let _ = STACK.try_with(|stack| {
        let mut stack = stack.borrow_mut();
        stack.pop();
        stack.extend(context);
    });
}

pub fn push(context: Arc<Context>) {
    let _ = STACK.try_with(|stack| stack.borrow_mut().push(context));
}

pub fn pop() -> Result<Arc<Context>, CUresult> {
    STACK.try_with(|stack| stack.borrow_mut().pop()).ok().flatten().ok_or(CUresult::INVALID_CONTEXT)
}
