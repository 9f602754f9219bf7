//! Contexts. The client chooses a primary context's handle before the context exists.

use crate::objects::memory::pool::Pool;
use crate::objects::streams::stream::Stream;
use crate::session::{Session, Target};
use outhaul_abi::types::{CUcontext, CUdevice};
use outhaul_lock::{Condvar, Mutex};
use outhaul_wire::handle::Handle;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use std::thread::ThreadId;

/// Version that cuCtxGetApiVersion returns for a context whose addresses are below 4 GiB.
pub const API_VERSION_NARROW: u32 = 3010;

/// Version that cuCtxGetApiVersion returns for other contexts.
pub const API_VERSION: u32 = 3020;

/// How a context came into being.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kinship {
    /// The primary context of its device.
    Primary,
    /// A context that the program created.
    Own,
    /// The context of a green context.
    Green,
}

/// A CUDA context of the program.
pub struct Context {
    /// The handle that the program holds.
    pub handle: u64,
    /// Session with the device's node.
    pub session: &'static Session,
    /// Number of the context in frames: the handle's index plus one.
    pub index: u16,
    /// Ordinal of the device.
    pub device: CUdevice,
    /// Whether this is the primary context.
    pub primary: bool,
    /// Whether the context has only a part of the device. Objects created in a green context,
    /// except streams, belong to the primary context.
    pub is_green: bool,
    /// Unique number, never reused.
    pub id: u64,
    /// Version of the API with which the program created the context; see `entry::legacy_abi`.
    pub api_version: AtomicU32,
    /// Flags that the program set.
    pub flags: AtomicU32,
    /// Whether the program has destroyed the context. A reset or the last release destroys a
    /// primary context until the program retains it again.
    pub destroyed: AtomicBool,
    /// The legacy default stream.
    pub legacy: Arc<Stream>,
    /// Number of streams that the program destroyed while they had unfinished work.
    pub left_at_work: AtomicU64,
    /// Number of streams in `left_at_work` whose work is done, as a wait for the context has shown.
    pub left_and_passed: AtomicU64,
    /// Last frame that writes the program's memory and is done, as a wait for the whole context has
    /// shown.
    pub brought: AtomicU64,
    /// Limits that the node has returned, by their CUDA number.
    pub limits: Mutex<HashMap<i32, u64>>,
    /// Shared memory bank width that the program set.
    pub shared_config: AtomicI32,
}

impl Context {
    /// Creates a context without sending anything to the worker.
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
            api_version: API_VERSION.into(),
            flags: flags.into(),
            destroyed: AtomicBool::new(false),
            legacy: Arc::new(Stream::new(
                0,
                Weak::new(),
                Target { session, context: index },
                0,
                0,
                0,
            )),
            left_at_work: AtomicU64::new(0),
            left_and_passed: AtomicU64::new(0),
            brought: AtomicU64::new(0),
            limits: Mutex::default(),
            shared_config: 0.into(),
        }
    }

    /// Returns the target for the context's commands.
    pub fn target(&self) -> Target {
        Target { session: self.session, context: self.index }
    }

    /// Returns whether the context's addresses are below 4 GiB.
    pub fn is_narrow(&self) -> bool {
        self.api_version.load(Relaxed) == API_VERSION_NARROW
    }

    /// Returns the handle as CUDA's type.
    pub fn abi(&self) -> CUcontext {
        CUcontext(self.handle as usize)
    }
}

/// A device's primary context, and the number of times that the program retained it.
pub struct Primary {
    /// The context, active or not.
    pub context: Arc<Context>,
    /// Number of retains without a matching release.
    pub retained: u32,
    /// Whether the context exists on the worker.
    pub active: bool,
    /// Flags for the context's next creation.
    pub flags: u32,
    /// Thread that is destroying the context.
    pub going: Option<ThreadId>,
    /// Signals that the thread in `going` has destroyed the context.
    pub gone: Arc<Condvar>,
    /// The device's default pool for stream-ordered allocations.
    pub default_pool: Arc<Pool>,
    /// Pool that the program made current; at first the default pool.
    pub current_pool: Arc<Pool>,
}
