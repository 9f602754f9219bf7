//! Contexts: what belongs to one, and the stack of current ones that each thread has.
//!
//! A context handle outlives what it stands for: a primary context has its handle before it is
//! ever retained and keeps it through a reset, and a destroyed context may still be current
//! somewhere. So the table holds `Slot`s, and a `Context` is what a slot holds while it is alive.

use outhaul_lock::Mutex;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use super::error::{Error, Result};
use super::green::Part;
use super::lock;
use super::queue::{Queue, Ticket};
use super::state;
use super::stream::Stream;

/// `CU_CTX_SCHED_MASK`, `CU_CTX_MAP_HOST`, `CU_CTX_LMEM_RESIZE_TO_MAX`, coredump and sync-memops
/// bits.
pub const FLAGS_KNOWN: u32 = 0xff;

pub struct Slot {
    pub handle: u64,
    pub device: i32,
    pub is_primary: bool,
    /// A green context: its own part of the device, of a context that it shares all but that with.
    pub green: Option<Green>,
    /// Its memory lies below 4 GiB; see `forms`.
    pub is_narrow: bool,
    life: Mutex<Life>,
    fault: DeviceFault,
}

pub struct Green {
    id: u64,
    pub part: Part,
}

/// The first fault of a device in this process. A context that is made later begins with it: only a
/// new process heals it.
pub type DeviceFault = Arc<OnceLock<Error>>;

#[derive(Default)]
struct Life {
    context: Option<Arc<Context>>,
    /// How often a primary context is retained.
    retained: u32,
    flags: u32,
}

pub struct Context {
    pub handle: u64,
    pub device: i32,
    pub id: u64,
    pub flags: AtomicU32,
    /// Held while work is submitted, so that its order is the same for all streams.
    pub order: Mutex<()>,
    pub legacy: Arc<Stream>,
    /// The queues of its streams, destroyed ones with work left included, and whether the
    /// default-stream rules concern them.
    queues: Mutex<Vec<(Arc<Queue>, bool)>>,
    fault: OnceLock<Error>,
    device_fault: DeviceFault,
    /// What everything that is submitted from now on waits for.
    gates: Mutex<Vec<Ticket>>,
    limits: Mutex<BTreeMap<i32, usize>>,
    pub cache_config: AtomicU32,
    peers: Mutex<BTreeSet<i32>>,
    /// See `hold_up`.
    held_up: Mutex<()>,
}

static LAST_ID: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The top of the stack, 0 for none. It has no destructor, because runtimes ask for it when
    /// the thread's destructors have already run.
    static CURRENT: Cell<u64> = const { Cell::new(0) };
    static BELOW: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    /// The thread's own default streams, by context id.
    static PER_THREAD: RefCell<Vec<(u64, Arc<Stream>)>> = const { RefCell::new(Vec::new()) };
}

/// `CUlimit` numbers with their first values: stack, printf FIFO, malloc heap, device runtime
/// depth, pending launches, L2 fetch granularity.
const LIMITS: [(i32, usize); 7] =
    [(0, 1024), (1, 1 << 20), (2, 8 << 20), (3, 2), (4, 2048), (5, 64), (6, 0)];

impl Slot {
    pub fn primary(handle: u64, device: i32) -> Slot {
        Slot {
            handle,
            device,
            is_primary: true,
            green: None,
            is_narrow: false,
            life: Mutex::default(),
            fault: DeviceFault::default(),
        }
    }

    pub fn created(
        handle: u64,
        device: i32,
        flags: u32,
        is_narrow: bool,
        fault: DeviceFault,
    ) -> Slot {
        let context = Some(Context::new(handle, device, flags, &fault));
        Slot {
            handle,
            device,
            is_primary: false,
            green: None,
            is_narrow,
            life: Mutex::new(Life { context, retained: 0, flags }),
            fault,
        }
    }

    /// Of a primary context, which lives at least as long.
    pub fn green(handle: u64, primary: &Slot, part: Part) -> Result<Slot> {
        let life = Life { context: Some(primary.context()?), retained: 0, flags: 0 };
        let green = Some(Green { id: LAST_ID.fetch_add(1, Ordering::Relaxed) + 1, part });
        let fault = primary.device_fault();
        Ok(Slot {
            handle,
            device: primary.device,
            is_primary: false,
            green,
            is_narrow: false,
            life: Mutex::new(life),
            fault,
        })
    }

    pub fn id(&self) -> Result<u64> {
        Ok(self.green.as_ref().map_or(self.context()?.id, |green| green.id))
    }

    pub fn device_fault(&self) -> DeviceFault {
        Arc::clone(&self.fault)
    }

    pub fn context(&self) -> Result<Arc<Context>> {
        lock(&self.life).context.clone().ok_or(Error::ContextIsDestroyed)
    }

    pub fn retain(&self) {
        let mut life = lock(&self.life);
        life.retained += 1;
        if life.context.is_none() {
            life.context = Some(Context::new(self.handle, self.device, life.flags, &self.fault));
        }
    }

    /// The context that ends with this release, if it was the last.
    pub fn release(&self) -> Result<Option<Arc<Context>>> {
        let mut life = lock(&self.life);
        life.retained = life.retained.checked_sub(1).ok_or(Error::InvalidContext)?;
        Ok(if life.retained == 0 { life.context.take() } else { None })
    }

    /// Ends the context whoever holds it. A primary one starts anew at the next retain.
    pub fn end(&self) -> Option<Arc<Context>> {
        let mut life = lock(&self.life);
        life.retained = 0;
        life.context.take()
    }

    pub fn is_active(&self) -> bool {
        lock(&self.life).context.is_some()
    }

    pub fn flags(&self) -> u32 {
        lock(&self.life).flags
    }

    pub fn set_flags(&self, flags: u32) {
        let mut life = lock(&self.life);
        life.flags = flags;
        if let Some(context) = &life.context {
            context.flags.store(flags, Ordering::Relaxed);
        }
    }
}

impl Context {
    fn new(handle: u64, device: i32, flags: u32, fault: &DeviceFault) -> Arc<Context> {
        Arc::new_cyclic(|weak: &Weak<Context>| Context {
            handle,
            device,
            id: LAST_ID.fetch_add(1, Ordering::Relaxed) + 1,
            flags: AtomicU32::new(flags),
            order: Mutex::default(),
            legacy: Arc::new(Stream::legacy(Weak::clone(weak))),
            queues: Mutex::default(),
            fault: fault.get().cloned().map_or_else(OnceLock::new, OnceLock::from),
            device_fault: Arc::clone(fault),
            gates: Mutex::default(),
            limits: Mutex::new(LIMITS.into_iter().collect()),
            cache_config: AtomicU32::new(0),
            peers: Mutex::default(),
            held_up: Mutex::default(),
        })
    }

    /// Waits as NVIDIA's driver does for room: meanwhile every call of the context waits, too.
    pub fn hold_up(&self, wait: impl FnOnce()) {
        let _held_up = lock(&self.held_up);
        wait();
    }

    /// Waits while another call holds the context up.
    pub fn pass(&self) {
        drop(lock(&self.held_up));
    }

    /// The fault that ended this context's work, if any: CUDA reports it at every later call.
    pub fn check(&self) -> Result<()> {
        self.fault.get().map_or(Ok(()), |fault| Err(fault.clone()))
    }

    pub fn set_fault(&self, fault: Error) {
        // The first fault is the one that is reported.
        let _ = self.device_fault.set(fault.clone());
        let _ = self.fault.set(fault);
    }

    /// Runs an operation of a stream: not after a fault, and its failure is a fault.
    pub fn run_guarded(&self, work: impl FnOnce(&Context) -> Result<()>) {
        if self.check().is_err() {
            return;
        }
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(self)));
        if let Err(fault) = outcome.unwrap_or(Err(Error::LaunchFailed)) {
            self.set_fault(fault);
        }
    }

    /// Lets the context know a stream, for the default-stream rules and for synchronisation.
    pub fn adopt(&self, stream: &Stream) {
        let mut queues = lock(&self.queues);
        queues.retain(|(queue, _)| !queue.is_over());
        queues.push((Arc::clone(stream.queue()), stream.is_blocking()));
    }

    pub fn stream_count(&self) -> usize {
        lock(&self.queues).len()
    }

    /// The calling thread's own default stream. It ends with the thread, its work does not.
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
        // A thread whose destructors have run has no stream left; the legacy one waits for all.
        PER_THREAD.try_with(find).unwrap_or_else(|_| Arc::clone(&self.legacy))
    }

    pub fn blocking_tails(&self) -> Vec<Ticket> {
        lock(&self.queues)
            .iter()
            .filter(|(_, blocking)| *blocking)
            .filter_map(|(queue, _)| queue.tail())
            .collect()
    }

    /// The ends of all that was submitted so far.
    pub fn tails(&self) -> Vec<Ticket> {
        let _order = lock(&self.order);
        lock(&self.queues)
            .iter()
            .filter_map(|(queue, _)| queue.tail())
            .chain(self.legacy.queue().tail())
            .collect()
    }

    /// What is submitted from now on, to whatever stream, waits for it.
    pub fn close_gate(&self, ticket: Ticket) {
        let _order = lock(&self.order);
        lock(&self.gates).push(ticket);
    }

    pub fn gates(&self) -> Vec<Ticket> {
        let mut gates = lock(&self.gates);
        gates.retain(|ticket| !ticket.is_done());
        gates.clone()
    }

    pub fn synchronize(&self) -> Result<()> {
        for ticket in self.tails() {
            ticket.wait();
        }
        self.check()
    }

    /// The same for what waits in NVIDIA's driver with the context's lock held.
    pub fn synchronize_holding_up(&self) -> Result<()> {
        self.empty_as_nvidias();
        self.synchronize()
    }

    /// For calls that need not wait for work, and in NVIDIA's driver do, with the context's lock
    /// held.
    pub fn empty_as_nvidias(&self) {
        if state::is_like_nvidias() {
            self.hold_up(|| self.tails().iter().for_each(Ticket::wait));
        }
    }

    pub fn limit(&self, id: i32) -> Result<usize> {
        lock(&self.limits).get(&id).copied().ok_or(Error::InvalidValue)
    }

    pub fn set_limit(&self, id: i32, value: usize) -> Result<()> {
        *lock(&self.limits).get_mut(&id).ok_or(Error::InvalidValue)? = value;
        Ok(())
    }

    /// False when it was enabled before.
    pub fn enable_peer(&self, device: i32) -> bool {
        lock(&self.peers).insert(device)
    }

    /// False when it was not enabled.
    pub fn disable_peer(&self, device: i32) -> bool {
        lock(&self.peers).remove(&device)
    }
}

/// Handle of the calling thread's current context.
pub fn current_handle() -> Option<u64> {
    Some(CURRENT.get()).filter(|handle| *handle != 0)
}

pub fn push_current(handle: u64) {
    let below = CURRENT.replace(handle);
    if below != 0 {
        // An ending thread has no stack left, only a top.
        let _ = BELOW.try_with(|stack| stack.borrow_mut().push(below));
    }
}

pub fn pop_current() -> Option<u64> {
    let below = BELOW.try_with(|stack| stack.borrow_mut().pop()).ok().flatten();
    Some(CURRENT.replace(below.unwrap_or(0))).filter(|handle| *handle != 0)
}

/// Replaces the top of the stack; None takes it away.
pub fn set_current(handle: Option<u64>) {
    match handle {
        Some(handle) => CURRENT.set(handle),
        None => {
            pop_current();
        }
    }
}
