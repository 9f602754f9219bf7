//! Contexts, and each thread's stack of current contexts.
//!
//! A context handle outlives its context. A primary context has its handle before it is first
//! retained and keeps the handle through a reset. A destroyed context may still be current in some
//! thread. Therefore the table holds `ContextSlot`s, and a slot holds a `Context` while that
//! context is alive.

use outhaul_lock::Mutex;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use crate::driver::green::MultiprocessorRange;
use crate::driver::lock;
use crate::driver::objects::streams::limits::Limits;
use crate::driver::objects::streams::queue::{Queue, Ticket};
use crate::driver::objects::streams::stream::Stream;
use crate::driver::system::error::{Error, Result};
use crate::engine::RuntimeUse;

/// Accepted context flags: `CU_CTX_SCHED_MASK`, `CU_CTX_MAP_HOST`, `CU_CTX_LMEM_RESIZE_TO_MAX`,
/// coredump and sync-memops bits.
pub const FLAGS_KNOWN: u32 = 0xff;

/// The object that a context handle refers to.
pub struct ContextSlot {
    /// The context's handle.
    pub handle: u64,
    /// The device's ordinal.
    pub device: i32,
    /// Whether the context is its device's primary context.
    pub is_primary: bool,
    /// The green context's properties, if the context is one. A green context shares everything
    /// else with a primary context.
    pub green: Option<Green>,
    /// Whether the context's memory is below 4 GiB; see `legacy_abi`.
    pub is_narrow: bool,
    /// Whether the context's calls wait as NVIDIA's driver was observed to wait.
    is_like_nvidias: bool,
    life: Mutex<Life>,
    fault: DeviceFault,
}

/// The properties of a green context.
pub struct Green {
    id: u64,
    /// The green context's part of the device.
    pub part: MultiprocessorRange,
}

/// The first fault of a device in this process. Contexts created later have this fault from the
/// start; only a new process recovers.
pub type DeviceFault = Arc<OnceLock<Error>>;

#[derive(Default)]
struct Life {
    context: Option<Arc<Context>>,
    /// Number of unreleased retains of a primary context.
    retained: u32,
    flags: u32,
}

/// A living context.
pub struct Context {
    /// Handle of the context's slot.
    pub handle: u64,
    /// The device's ordinal.
    pub device: i32,
    /// Identifier that is unique within the process.
    pub id: u64,
    /// The context's flags.
    pub flags: AtomicU32,
    /// Whether the context's calls wait as NVIDIA's driver was observed to wait.
    pub is_like_nvidias: bool,
    /// Held while work is submitted, so that all streams agree on the order of submissions.
    pub order: Mutex<()>,
    /// The legacy default stream.
    pub legacy: Arc<Stream>,
    /// Queues of the context's streams, each with whether the default-stream rules apply to it.
    /// Includes queues of destroyed streams that still have work.
    queues: Mutex<Vec<(Arc<Queue>, bool)>>,
    fault: OnceLock<Error>,
    device_fault: DeviceFault,
    /// Tickets that all later submissions wait for.
    gates: Mutex<Vec<Ticket>>,
    limits: Mutex<Limits>,
    /// The preferred cache configuration.
    pub cache_config: AtomicU32,
    peers: Mutex<BTreeSet<i32>>,
    /// The lock for `hold_up`.
    held_up: Mutex<()>,
}

static LAST_ID: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The top of the stack, or 0 for none. This variable has no destructor, because runtimes read
    /// it after the thread's destructors have run.
    static CURRENT: Cell<u64> = const { Cell::new(0) };
    static BELOW: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    /// The thread's own default streams, by context identifier.
    static PER_THREAD: RefCell<Vec<(u64, Arc<Stream>)>> = const { RefCell::new(Vec::new()) };
}

impl ContextSlot {
    /// Returns the slot of a primary context that is not alive yet.
    pub fn primary(handle: u64, device: i32, is_like_nvidias: bool) -> ContextSlot {
        ContextSlot {
            handle,
            device,
            is_primary: true,
            green: None,
            is_narrow: false,
            is_like_nvidias,
            life: Mutex::default(),
            fault: DeviceFault::default(),
        }
    }

    /// Creates a context that is not primary, and returns its slot.
    pub fn created(
        handle: u64,
        device: i32,
        flags: u32,
        is_narrow: bool,
        primary: &ContextSlot,
    ) -> ContextSlot {
        let (is_like_nvidias, fault) = (primary.is_like_nvidias, primary.device_fault());
        let context = Some(Context::new(handle, device, flags, is_like_nvidias, &fault));
        ContextSlot {
            handle,
            device,
            is_primary: false,
            green: None,
            is_narrow,
            is_like_nvidias,
            life: Mutex::new(Life { context, retained: 0, flags }),
            fault,
        }
    }

    /// Returns the slot of a green context. Its primary context lives at least as long.
    pub fn green(
        handle: u64,
        primary: &ContextSlot,
        part: MultiprocessorRange,
    ) -> Result<ContextSlot> {
        let life = Life { context: Some(primary.context()?), retained: 0, flags: 0 };
        let green = Some(Green { id: LAST_ID.fetch_add(1, Ordering::Relaxed) + 1, part });
        let fault = primary.device_fault();
        Ok(ContextSlot {
            handle,
            device: primary.device,
            is_primary: false,
            green,
            is_narrow: false,
            is_like_nvidias: primary.is_like_nvidias,
            life: Mutex::new(life),
            fault,
        })
    }

    /// Returns the context's identifier.
    pub fn id(&self) -> Result<u64> {
        Ok(self.green.as_ref().map_or(self.context()?.id, |green| green.id))
    }

    /// Returns the device's fault, which contexts of the device share.
    pub fn device_fault(&self) -> DeviceFault {
        Arc::clone(&self.fault)
    }

    /// Returns the context, if it is alive.
    pub fn context(&self) -> Result<Arc<Context>> {
        lock(&self.life).context.clone().ok_or(Error::ContextIsDestroyed)
    }

    /// Retains a primary context.
    pub fn retain(&self) {
        let mut life = lock(&self.life);
        life.retained += 1;
        if life.context.is_none() {
            life.context = Some(Context::new(
                self.handle,
                self.device,
                life.flags,
                self.is_like_nvidias,
                &self.fault,
            ));
        }
    }

    /// Releases a primary context. Returns the context if it ends because this release is the last.
    pub fn release(&self) -> Result<Option<Arc<Context>>> {
        let mut life = lock(&self.life);
        life.retained = life.retained.checked_sub(1).ok_or(Error::InvalidContext)?;
        Ok(if life.retained == 0 { life.context.take() } else { None })
    }

    /// Ends the context, even if it is still retained. A primary context starts again at the next
    /// retain, and must still be released as often as it was retained.
    pub fn end(&self) -> Option<Arc<Context>> {
        lock(&self.life).context.take()
    }

    /// Returns whether the context is alive.
    pub fn is_active(&self) -> bool {
        lock(&self.life).context.is_some()
    }

    /// Returns the context's flags.
    pub fn flags(&self) -> u32 {
        lock(&self.life).flags
    }

    /// Sets the context's flags.
    pub fn set_flags(&self, flags: u32) {
        let mut life = lock(&self.life);
        life.flags = flags;
        if let Some(context) = &life.context {
            context.flags.store(flags, Ordering::Relaxed);
        }
    }
}

impl Context {
    fn new(
        handle: u64,
        device: i32,
        flags: u32,
        is_like_nvidias: bool,
        fault: &DeviceFault,
    ) -> Arc<Context> {
        Arc::new_cyclic(|weak: &Weak<Context>| Context {
            handle,
            device,
            id: LAST_ID.fetch_add(1, Ordering::Relaxed) + 1,
            flags: AtomicU32::new(flags),
            is_like_nvidias,
            order: Mutex::default(),
            legacy: Arc::new(Stream::legacy(Weak::clone(weak))),
            queues: Mutex::default(),
            fault: fault.get().cloned().map_or_else(OnceLock::new, OnceLock::from),
            device_fault: Arc::clone(fault),
            gates: Mutex::default(),
            limits: Mutex::default(),
            cache_config: AtomicU32::new(0),
            peers: Mutex::default(),
            held_up: Mutex::default(),
        })
    }

    /// Runs `wait` as NVIDIA's driver waits for queue space: other calls of the context wait too.
    pub fn hold_up(&self, wait: impl FnOnce()) {
        let _held_up = lock(&self.held_up);
        wait();
    }

    /// Waits while another call is inside [`Self::hold_up`].
    pub fn pass(&self) {
        drop(lock(&self.held_up));
    }

    /// Fails with the fault that ended the context's work, if any. CUDA reports a fault at every
    /// later call.
    pub fn check(&self) -> Result<()> {
        self.fault.get().map_or(Ok(()), |fault| Err(fault.clone()))
    }

    /// Records a fault of the context and its device.
    pub fn set_fault(&self, fault: Error) {
        // Only the first fault is reported.
        let _ = self.device_fault.set(fault.clone());
        let _ = self.fault.set(fault);
    }

    /// Runs a stream operation, unless the context has a fault. A failure of the operation becomes
    /// the context's fault.
    pub fn run_guarded(&self, work: impl FnOnce(&Context) -> Result<()>) {
        if self.check().is_err() {
            return;
        }
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(self)));
        if let Err(fault) = outcome.unwrap_or(Err(Error::LaunchFailed)) {
            self.set_fault(fault);
        }
    }

    /// Adds a stream to those that the default-stream rules and synchronisation cover.
    pub fn adopt(&self, stream: &Stream) {
        let mut queues = lock(&self.queues);
        queues.retain(|(queue, _)| !queue.is_over());
        queues.push((Arc::clone(stream.queue()), stream.is_blocking()));
    }

    /// Returns the number of streams, including destroyed ones that still have work.
    pub fn stream_count(&self) -> usize {
        lock(&self.queues).len()
    }

    /// Returns the calling thread's own default stream. The stream ends with the thread, but its
    /// work continues.
    pub fn per_thread_stream(self: &Arc<Self>) -> Arc<Stream> {
        let find = |streams: &RefCell<Vec<(u64, Arc<Stream>)>>| {
            let mut streams = streams.borrow_mut();
            streams.retain(|(_, stream)| stream.context().is_ok());
            if let Some((_, stream)) = streams.iter().find(|(context, _)| *context == self.id) {
                return Arc::clone(stream);
            }
            let stream = Arc::new(Stream::created(Arc::downgrade(self), 0, 0, 0));
            self.adopt(&stream);
            streams.push((self.id, Arc::clone(&stream)));
            stream
        };
        // A thread whose destructors have run has no default stream any more. The legacy stream,
        // used instead, waits for all others.
        PER_THREAD.try_with(find).unwrap_or_else(|_| Arc::clone(&self.legacy))
    }

    /// Returns the tickets of the last work in each blocking stream.
    pub fn blocking_tails(&self) -> Vec<Ticket> {
        lock(&self.queues)
            .iter()
            .filter(|(_, blocking)| *blocking)
            .filter_map(|(queue, _)| queue.tail())
            .collect()
    }

    /// Returns the tickets of the last work in each stream.
    pub fn tails(&self) -> Vec<Ticket> {
        let _order = lock(&self.order);
        lock(&self.queues)
            .iter()
            .filter_map(|(queue, _)| queue.tail())
            .chain(self.legacy.queue().tail())
            .collect()
    }

    /// Makes all later submissions to any stream wait for `ticket`.
    pub fn close_gate(&self, ticket: Ticket) {
        let _order = lock(&self.order);
        lock(&self.gates).push(ticket);
    }

    /// Returns the pending tickets that all submissions wait for.
    pub fn gates(&self) -> Vec<Ticket> {
        let mut gates = lock(&self.gates);
        gates.retain(|ticket| !ticket.is_done());
        gates.clone()
    }

    /// Waits for all work submitted so far.
    pub fn synchronize(&self) -> Result<()> {
        for ticket in self.tails() {
            ticket.wait();
        }
        self.check()
    }

    /// Waits like [`Self::synchronize`], for calls that hold the context's lock while they wait in
    /// NVIDIA's driver.
    pub fn synchronize_holding_up(&self) -> Result<()> {
        self.empty_as_nvidias();
        self.synchronize()
    }

    /// Waits on behalf of calls that need not wait for work, but that wait in NVIDIA's driver while
    /// they hold the context's lock.
    pub fn empty_as_nvidias(&self) {
        if self.is_like_nvidias {
            self.hold_up(|| self.tails().iter().for_each(Ticket::wait));
        }
    }

    /// Returns a limit.
    pub fn limit(&self, id: i32) -> Result<usize> {
        lock(&self.limits).get(id)
    }

    /// Sets a limit. Fails if a kernel that uses it was launched.
    pub fn set_limit(&self, id: i32, value: usize) -> Result<()> {
        lock(&self.limits).set(id, value)
    }

    /// Fixes the limits that a launched kernel uses. Returns the size of the heap for `malloc` in
    /// kernels, in bytes.
    pub fn fix_limits(&self, launched: RuntimeUse) -> u64 {
        lock(&self.limits).fix(launched)
    }

    /// Returns the sizes in bytes of the heap and of the buffer for printed text, each 0 unless
    /// launched kernels use it.
    pub fn used_limits(&self) -> (u64, u64) {
        lock(&self.limits).used_bytes()
    }

    /// Enables access to another device's memory. Returns false if access was already enabled.
    pub fn enable_peer(&self, device: i32) -> bool {
        lock(&self.peers).insert(device)
    }

    /// Disables access to another device's memory. Returns false if access was not enabled.
    pub fn disable_peer(&self, device: i32) -> bool {
        lock(&self.peers).remove(&device)
    }
}

/// Returns the handle of the calling thread's current context.
pub fn current_handle() -> Option<u64> {
    Some(CURRENT.get()).filter(|handle| *handle != 0)
}

/// Pushes a context onto the thread's stack.
pub fn push_current(handle: u64) {
    let below = CURRENT.replace(handle);
    if below != 0 {
        // In an ending thread, only the top of the stack still exists.
        let _ = BELOW.try_with(|stack| stack.borrow_mut().push(below));
    }
}

/// Pops the thread's stack and returns the former top.
pub fn pop_current() -> Option<u64> {
    let below = BELOW.try_with(|stack| stack.borrow_mut().pop()).ok().flatten();
    Some(CURRENT.replace(below.unwrap_or(0))).filter(|handle| *handle != 0)
}

/// Replaces the top of the thread's stack. `None` pops the stack.
pub fn set_current(handle: Option<u64>) {
    match handle {
        Some(handle) => CURRENT.set(handle),
        None => {
            pop_current();
        }
    }
}
