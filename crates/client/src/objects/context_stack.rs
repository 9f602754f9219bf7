//! Each thread's stack of contexts. The top is the current context. The client keeps the stacks
//! without the worker.

use crate::objects::context::Context;
use crate::session::{Response, Session, Target};
use outhaul_abi::types::{CUcontext, CUdevice, CUresult};
use outhaul_wire::codec::{Call, Message};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

thread_local! {
    static STACK: RefCell<Vec<Arc<Context>>> = const { RefCell::new(Vec::new()) };
}

/// Runs `call` with `context` as the calling thread's current context.
pub fn within<T>(
    context: Arc<Context>,
    call: impl FnOnce() -> Result<T, CUresult>,
) -> Result<T, CUresult> {
    push(context);
    let result = call();
    pop()?;
    result
}

/// Runs `body` with the calling thread's current context.
pub fn with_current<T>(
    body: impl FnOnce(&Arc<Context>) -> Result<T, CUresult>,
) -> Result<T, CUresult> {
    let found = STACK.try_with(|stack| match stack.borrow().last() {
        None => Err(CUresult::INVALID_CONTEXT),
        Some(context) if context.destroyed.load(Relaxed) => Err(CUresult::CONTEXT_IS_DESTROYED),
        Some(context) => Ok(context.clone()),
    });
    // A thread that is ending has no context.
    body(&found.unwrap_or(Err(CUresult::INVALID_CONTEXT))?)
}

/// Returns the calling thread's current context.
pub fn current() -> Result<Arc<Context>, CUresult> {
    with_current(|context| Ok(context.clone()))
}

/// Returns the device of the calling thread's current context. A primary context has its device
/// even after a reset.
pub fn device() -> Result<CUdevice, CUresult> {
    let primary = STACK.try_with(|stack| {
        stack.borrow().last().filter(|context| context.primary).map(|context| context.device)
    });
    match primary {
        Ok(Some(device)) => Ok(device),
        _ => with_current(|context| Ok(context.device)),
    }
}

/// Returns the target for the calling thread's commands.
pub fn target() -> Result<Target, CUresult> {
    let found = STACK.try_with(|stack| match stack.borrow().last() {
        None => Err(CUresult::INVALID_CONTEXT),
        Some(context) if context.destroyed.load(Relaxed) => Err(CUresult::CONTEXT_IS_DESTROYED),
        Some(context) => Ok(context.target()),
    });
    // A thread that is ending has no context.
    found.unwrap_or(Err(CUresult::INVALID_CONTEXT))
}

/// Returns the calling thread's target if it belongs to `session`. Otherwise returns `session`'s
/// target without a context.
pub fn target_in(session: &'static Session) -> Target {
    target()
        .ok()
        .filter(|place| std::ptr::eq(place.session, session))
        .unwrap_or(Target { session, context: 0 })
}

/// Posts a message in the calling thread's context. The caller checks the arguments first, because
/// their errors take precedence over that of a missing context.
pub fn post<'a, M: Message<'a>>(message: &M) -> Result<(), CUresult> {
    target()?.post(message)
}

/// Makes a call in the calling thread's context, as `Target::call` does.
pub fn call<'a, M: Message<'a> + Call>(message: &M) -> Result<Response<M>, CUresult> {
    target()?.call(message)
}

/// Returns the calling thread's current context as cuCtxGetCurrent does: NULL if the thread has
/// none.
pub fn current_handle() -> CUcontext {
    STACK
        .try_with(|stack| stack.borrow().last().map_or(CUcontext::NULL, |c| c.abi()))
        .unwrap_or(CUcontext::NULL)
}

/// Replaces the top of the calling thread's stack. With none, only pops the top.
pub fn set_current(context: Option<Arc<Context>>) {
    let _ = STACK.try_with(|stack| {
        let mut stack = stack.borrow_mut();
        stack.pop();
        stack.extend(context);
    });
}

/// Pushes a context onto the calling thread's stack.
pub fn push(context: Arc<Context>) {
    let _ = STACK.try_with(|stack| stack.borrow_mut().push(context));
}

/// Pops the top of the calling thread's stack.
pub fn pop() -> Result<Arc<Context>, CUresult> {
    STACK.try_with(|stack| stack.borrow_mut().pop()).ok().flatten().ok_or(CUresult::INVALID_CONTEXT)
}
