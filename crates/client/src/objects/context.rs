//! Contexts. This library itself keeps which context is current on which thread. A primary context
//! has its handle before it exists.

use crate::objects::driver::{Driver, driver};
use crate::objects::legacy_abi;
use crate::objects::memory;
use crate::objects::memory::pool::Pool;
use crate::objects::streams::stream::Stream;
use crate::session::{Place, Session};
use outhaul_abi::types::{CUcontext, CUdevice, CUdeviceptr, CUresult};
use outhaul_lock::{Condvar, Mutex};
use outhaul_wire::handle::{Handle, Kind};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use std::thread::ThreadId;

#[derive(Clone, Copy, PartialEq, Eq)]
/// Origin of a context.
pub enum Kinship {
    /// The primary context of its device.
    Primary,
    /// Created by the program.
    Own,
    /// The context of a green context.
    Green,
}

/// A context of the program.
pub struct Context {
    /// What the program holds.
    pub handle: u64,
    /// Session with the device's node.
    pub session: &'static Session,
    /// Number in frames: the handle's index plus one.
    pub index: u16,
    /// Ordinal of the device.
    pub device: CUdevice,
    /// Whether this is the primary context.
    pub primary: bool,
    /// Whether the context has only a part of the device. All that is created in it, except
    /// streams, belongs to the primary context.
    pub is_green: bool,
    /// Unique number, never reused.
    pub id: u64,
    /// Version of the API for which it was created; see `forms`.
    pub api_version: AtomicU32,
    /// Flags that the program set.
    pub flags: AtomicU32,
    /// Whether the program has destroyed it.
    pub destroyed: AtomicBool,
    /// The default stream.
    pub legacy: Arc<Stream>,
    /// Number of streams that were destroyed while they had work.
    pub left_at_work: AtomicU64,
    /// Number of those streams whose work a wait for the context has completed.
    pub left_and_passed: AtomicU64,
    /// The last frame that writes the program's memory and that a wait for the whole context has
    /// completed.
    pub brought: AtomicU64,
    /// Limits that the node has answered, by number.
    pub limits: Mutex<HashMap<i32, u64>>,
    /// Preference for caches. No function sets it, so it is always 0.
    pub cache_config: AtomicI32,
    /// Width of shared memory banks that the program set.
    pub shared_config: AtomicI32,
}

impl Context {
    /// Creates a context. Sends nothing to the worker.
    pub fn new(
        handle: u64,
        session: &'static Session,
        device: CUdevice,
        kind: Kinship,
        id: u64,
        flags: u32,
    ) -> Context {
        let index = Handle::unpack(handle).map_or(0, |h| h.index as u16 + 1);
        Context {
            handle,
            session,
            index,
            device,
            primary: kind == Kinship::Primary,
            is_green: kind == Kinship::Green,
            id,
            api_version: legacy_abi::VERSION.into(),
            flags: flags.into(),
            destroyed: AtomicBool::new(false),
            legacy: Arc::new(Stream::new(
                0,
                Weak::new(),
                Place { session, context: index },
                0,
                0,
                0,
            )),
            left_at_work: AtomicU64::new(0),
            left_and_passed: AtomicU64::new(0),
            brought: AtomicU64::new(0),
            limits: Mutex::default(),
            cache_config: 0.into(),
            shared_config: 0.into(),
        }
    }

    /// Returns the place where its commands execute.
    pub fn place(&self) -> Place {
        Place { session: self.session, context: self.index }
    }

    /// Whether its memory is below 4 GiB.
    pub fn is_narrow(&self) -> bool {
        self.api_version.load(Relaxed) == legacy_abi::VERSION_NARROW
    }

    /// The handle as CUDA's type.
    pub fn abi(&self) -> CUcontext {
        CUcontext(self.handle as usize)
    }

    /// Whether the context exists on the worker. A primary context has its handle before.
    pub fn is_live(&self, driver: &Driver) -> bool {
        if !self.primary {
            return !self.destroyed.load(Relaxed);
        }
        driver.primaries[self.device as usize].lock().active
    }
}

/// A device's primary context, and how often it was retained.
pub struct Primary {
    /// The context, active or not.
    pub context: Arc<Context>,
    /// Number of times that it was retained and not released.
    pub retained: u32,
    /// Whether it exists on the worker.
    pub active: bool,
    /// Flags for its next creation.
    pub flags: u32,
    /// Thread that is taking it down.
    pub going: Option<ThreadId>,
    /// Signals that the thread has taken it down.
    pub gone: Arc<Condvar>,
    /// Pool of stream-ordered allocations.
    pub default_pool: Arc<Pool>,
    /// Pool that the program chose instead.
    pub current_pool: Arc<Pool>,
}

thread_local! {
    static STACK: RefCell<Vec<Arc<Context>>> = const { RefCell::new(Vec::new()) };
}

/// Whether there are several nodes. With one node, a program pays only the check of this flag.
static SEVERAL: AtomicBool = AtomicBool::new(false);

/// Notes that there are several nodes.
pub fn note_several() {
    SEVERAL.store(true, Relaxed);
}

/// Returns whether there are several nodes.
pub fn several() -> bool {
    SEVERAL.load(Relaxed)
}

/// Makes a call as if a context of the object's node were current, if the calling thread's context
/// is of another node.
pub fn near(handle: usize, call: impl FnOnce() -> Result<(), CUresult>) -> Result<(), CUresult> {
    if !several() {
        return call();
    }
    match elsewhere(handle as u64)? {
        Some(context) => within(context, call),
        None => call(),
    }
}

/// Does as `near`, for the memory at an address.
pub fn near_memory(
    address: CUdeviceptr,
    call: impl FnOnce() -> Result<(), CUresult>,
) -> Result<(), CUresult> {
    if !several() {
        return call();
    }
    match owner_elsewhere(address)? {
        Some(context) => within(context, call),
        None => call(),
    }
}

/// Returns a context of the device that owns the memory at the address, if it is on another node
/// than the calling thread's context.
pub fn owner_elsewhere(address: CUdeviceptr) -> Result<Option<Arc<Context>>, CUresult> {
    let driver = driver()?;
    let Some((_, device)) = memory::find(driver, address) else { return Ok(None) };
    if is_here(driver.facts.device(device)?.session.number) {
        Ok(None)
    } else {
        of_device(driver, device).map(Some)
    }
}

/// Returns where commands about a device's memory execute.
pub fn place_of_device(driver: &Driver, device: CUdevice) -> Result<Place, CUresult> {
    let session = driver.facts.device(device)?.session;
    if is_here(session.number) {
        place()
    } else {
        of_device(driver, device).map(|context| context.place())
    }
}

/// Makes a call with the context current.
pub fn within<T>(
    context: Arc<Context>,
    call: impl FnOnce() -> Result<T, CUresult>,
) -> Result<T, CUresult> {
    push(context);
    let result = call();
    pop()?;
    result
}

fn is_here(node: u8) -> bool {
    place().is_ok_and(|place| place.session.number == node)
}

/// Returns a context of the object's node, if it is not the node of the calling thread's context.
fn elsewhere(handle: u64) -> Result<Option<Arc<Context>>, CUresult> {
    let belongs = |h: &Handle| !matches!(h.kind, Kind::Kernel | Kind::Library);
    let Some(found) = Handle::unpack(handle).filter(belongs).filter(|h| !is_here(h.node)) else {
        return Ok(None);
    };
    let driver = driver()?;
    if found.kind == Kind::Stream {
        return Ok(driver.streams.get(handle).and_then(|stream| stream.context.upgrade()));
    }
    Ok(of_node(driver, found.node))
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

/// Runs `body` with the calling thread's context.
pub fn with_current<T>(
    body: impl FnOnce(&Arc<Context>) -> Result<T, CUresult>,
) -> Result<T, CUresult> {
    let found = STACK.try_with(|stack| match stack.borrow().last() {
        None => Err(CUresult::INVALID_CONTEXT),
        Some(context) if context.destroyed.load(Relaxed) => Err(CUresult::CONTEXT_IS_DESTROYED),
        Some(context) => Ok(context.clone()),
    });
    // A thread that is ending has no context any more.
    body(&found.unwrap_or(Err(CUresult::INVALID_CONTEXT))?)
}

/// Returns the calling thread's context.
pub fn current() -> Result<Arc<Context>, CUresult> {
    with_current(|context| Ok(context.clone()))
}

/// Returns where the calling thread's commands execute.
pub fn place() -> Result<Place, CUresult> {
    let found = STACK.try_with(|stack| match stack.borrow().last() {
        None => Err(CUresult::INVALID_CONTEXT),
        Some(context) if context.destroyed.load(Relaxed) => Err(CUresult::CONTEXT_IS_DESTROYED),
        Some(context) => Ok(context.place()),
    });
    // A thread that is ending has no context any more.
    found.unwrap_or(Err(CUresult::INVALID_CONTEXT))
}

/// Does as `place`, for commands that need no context. Without one they go to the first node.
pub fn place_or_none() -> Result<Place, CUresult> {
    place().or_else(|_| Ok(Place { session: driver()?.sessions[0], context: 0 }))
}

/// Returns the calling thread's place if it is in the session, and else the session without a
/// context.
pub fn place_in(session: &'static Session) -> Place {
    place()
        .ok()
        .filter(|place| std::ptr::eq(place.session, session))
        .unwrap_or(Place { session, context: 0 })
}

/// Returns the calling thread's context as cuCtxGetCurrent does: NULL if there is none.
pub fn current_handle() -> CUcontext {
    STACK
        .try_with(|stack| stack.borrow().last().map_or(CUcontext::NULL, |c| c.abi()))
        .unwrap_or(CUcontext::NULL)
}

/// Returns the context of a handle.
pub fn resolve(handle: CUcontext) -> Result<Arc<Context>, CUresult> {
    driver()?.contexts.get(handle.0 as u64).ok_or(CUresult::INVALID_CONTEXT)
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

/// Returns the context of a handle; NULL means the current context.
pub fn resolve_or_current(handle: CUcontext) -> Result<Arc<Context>, CUresult> {
    if handle.is_null() { current() } else { resolve(handle) }
}

/// Replaces the top of the stack. None leaves the thread without that context.
pub fn set_current(context: Option<Arc<Context>>) {
    let _ = STACK.try_with(|stack| {
        let mut stack = stack.borrow_mut();
        stack.pop();
        stack.extend(context);
    });
}

/// Pushes a context on the calling thread's stack.
pub fn push(context: Arc<Context>) {
    let _ = STACK.try_with(|stack| stack.borrow_mut().push(context));
}

/// Pops the top of the calling thread's stack.
pub fn pop() -> Result<Arc<Context>, CUresult> {
    STACK.try_with(|stack| stack.borrow_mut().pop()).ok().flatten().ok_or(CUresult::INVALID_CONTEXT)
}

/// Refuses an object of another node than the calling thread's.
pub fn here(node: u8) -> Result<(), CUresult> {
    if place_or_none()?.session.number == node { Ok(()) } else { Err(CUresult::INVALID_CONTEXT) }
}

/// Does as `here`, for an object's handle.
pub fn object(handle: u64) -> Result<u64, CUresult> {
    here(Handle::unpack(handle).ok_or(CUresult::INVALID_HANDLE)?.node)?;
    Ok(handle)
}
