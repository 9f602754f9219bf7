//! The context in which a thread prepares host memory. The context's lock excludes captures and the
//! end of the context.

use outhaul_abi::Driver;
use outhaul_abi::types::CUcontext;
use outhaul_lock::{RwLock, RwLockWriteGuard};

/// The context in which host memory is prepared and freed.
#[derive(Default)]
pub struct PreparerContext(RwLock<ContextState>);

#[derive(Default)]
struct ContextState {
    context: Option<CUcontext>,
    /// Whether a stream captures. Calls of other threads could invalidate the capture.
    held: bool,
}

impl PreparerContext {
    /// Locks the state. Blocks while a chunk is being prepared.
    fn lock(&self) -> RwLockWriteGuard<'_, ContextState> {
        self.0.write()
    }

    /// Sets the context, which must exist until another context or `None` is set.
    pub fn set_context(&self, context: Option<CUcontext>) {
        self.lock().context = context;
    }

    /// Sets whether preparing memory is on hold.
    pub fn hold(&self, held: bool) {
        self.lock().held = held;
    }

    /// Runs `work` with the context current. Returns false if there is no context or the work is on
    /// hold.
    pub fn step(&self, driver: &Driver, work: impl FnOnce() -> bool) -> bool {
        let state = self.0.read();
        let Some(context) = state.context.filter(|_| !state.held) else { return false };
        // SAFETY: the context is the session's own, and is not destroyed while the state is locked.
        unsafe { driver.cuCtxSetCurrent(context) }.ok().is_ok_and(|()| work())
    }
}
