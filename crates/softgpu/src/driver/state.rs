//! The process-wide state: what `cuInit` makes and every call starts from.
//!
//! Nothing exists before `cuInit`, and a child process made by `fork` after it has nothing
//! either: its threads are gone, so every call there reports that it is not initialised.

use outhaul_lock::Mutex;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use outhaul_abi::managed::Hints;

use super::array::{Array, MipmappedArray};
use super::card::Card;
use super::check::Check;
use super::context::{self, Context, Slot};
use super::device::Device;
use super::error::{Error, Result};
use super::event::Event;
use super::function::Function;
use super::graph::Graph;
use super::graph_exec::GraphExec;
use super::green::Part;
use super::handle::{Kind, Table};
use super::heap::Heap;
use super::library::{Kernel, Library};
use super::link::Link;
use super::module::Module;
use super::need::Need;
use super::pool::Pool;
use super::quarantine::Quarantine;
use super::ranges::Ranges;
use super::settings::Settings;
use super::stream::Stream;
use super::texture::Textures;
use super::user_object::UserObject;
use super::virtual_memory::{Allocation, Mapping};

pub struct Driver {
    pub settings: Settings,
    pub devices: Vec<Device>,
    pub heaps: Vec<Heap>,
    /// Handles of the primary contexts, by device.
    pub primaries: Vec<u64>,
    /// Pools by device: the default one, and the one that `cuMemAllocAsync` uses.
    pub default_pools: Vec<u64>,
    pub current_pools: Mutex<Vec<u64>>,
    pub ranges: Ranges,
    /// Where `OUTHAUL_SOFT_CHECK` asks for it.
    pub check: Option<Check>,
    /// What the program said of its managed memory.
    pub hints: Mutex<Hints>,
    /// Host memory that was freed.
    pub quarantine: Quarantine,
    pub reservations: Mutex<BTreeMap<u64, u64>>,
    pub mappings: Mutex<BTreeMap<u64, Mapping>>,
    /// Parts of devices that green contexts may be made with.
    pub descriptions: Mutex<Vec<Part>>,
    pub contexts: Table<Slot>,
    pub streams: Table<Stream>,
    pub events: Table<Event>,
    pub modules: Table<Module>,
    pub functions: Table<Function>,
    pub libraries: Table<Library>,
    pub kernels: Table<Kernel>,
    pub links: Table<Link>,
    pub pools: Table<Pool>,
    pub allocations: Table<Allocation>,
    pub graphs: Table<Mutex<Graph>>,
    /// Handles of the graphs that nodes belong to.
    pub graph_nodes: Table<u64>,
    pub graph_execs: Table<GraphExec>,
    pub user_objects: Table<UserObject>,
    pub arrays: Table<Array>,
    pub mipmapped_arrays: Table<MipmappedArray>,
    pub textures: Textures,
}

static DRIVER: OnceLock<Driver> = OnceLock::new();
static STARTING: Mutex<()> = Mutex::new(());
static FORKED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static IN_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

/// `cuInit`. Any number of calls may be made, from any thread.
pub fn initialize() -> Result<()> {
    if FORKED.load(Ordering::Relaxed) {
        return Err(Error::NotInitialized);
    }
    let _starting = super::lock(&STARTING);
    if DRIVER.get().is_some() {
        return Ok(());
    }
    let settings = Settings::from_environment().map_err(|complaint| {
        eprintln!("outhaul software GPU: {complaint}");
        Error::InvalidValue
    })?;
    if settings.visible.is_empty() {
        return Err(Error::NoDevice);
    }
    settings.needs.iter().try_for_each(Need::is_met_at_start)?;
    crate::engine::catch_faults();
    crate::engine::keep_compiled();
    let driver = Driver::new(settings)?;
    // SAFETY: the handler only stores to an atomic, which is allowed between fork and exec.
    unsafe { libc::pthread_atfork(None, None, Some(forget_after_fork)) };
    let _ = DRIVER.set(driver);
    Ok(())
}

extern "C" fn forget_after_fork() {
    FORKED.store(true, Ordering::Relaxed);
}

pub fn driver() -> Result<&'static Driver> {
    if FORKED.load(Ordering::Relaxed) {
        return Err(Error::NotInitialized);
    }
    if IN_HOST_FUNCTION.get() {
        return Err(Error::NotPermitted);
    }
    DRIVER.get().ok_or(Error::NotInitialized)
}

/// For work that was accepted before: it may run inside a host function or end after a fork.
pub fn started() -> Option<&'static Driver> {
    DRIVER.get()
}

/// Whether this is to keep no more than NVIDIA's driver was seen to keep.
pub fn is_like_nvidias() -> bool {
    started().is_some_and(|driver| driver.settings.like_nvidias)
}

/// Runs a host function of the program, in which CUDA allows no calls.
pub fn in_host_function(function: impl FnOnce()) {
    IN_HOST_FUNCTION.set(true);
    function();
    IN_HOST_FUNCTION.set(false);
}

impl Driver {
    fn new(settings: Settings) -> Result<Driver> {
        let devices = Device::all(&settings);
        let heaps = devices
            .iter()
            .map(|device| {
                let card = settings
                    .card
                    .as_ref()
                    .map(|path| Card::open(&path.with_extension(device.physical.to_string())))
                    .transpose()?;
                Heap::new(device.memory_bytes, card)
            })
            .collect::<Result<Vec<_>>>()?;
        let contexts = Table::new(Kind::Context);
        let primaries = devices
            .iter()
            .map(|device| {
                contexts.insert_with(|handle| Slot::primary(handle, device.ordinal)).handle
            })
            .collect();
        let pools = Table::new(Kind::Pool);
        let default_pools: Vec<u64> =
            devices.iter().map(|device| pools.insert(Pool::new(device.ordinal))).collect();
        Ok(Driver {
            check: settings.check.then(Check::default),
            settings,
            devices,
            heaps,
            primaries,
            current_pools: Mutex::new(default_pools.clone()),
            default_pools,
            ranges: Ranges::default(),
            hints: Mutex::default(),
            quarantine: Quarantine::default(),
            reservations: Mutex::default(),
            mappings: Mutex::default(),
            descriptions: Mutex::default(),
            contexts,
            streams: Table::new(Kind::Stream),
            events: Table::new(Kind::Event),
            modules: Table::new(Kind::Module),
            functions: Table::new(Kind::Function),
            libraries: Table::new(Kind::Library),
            kernels: Table::new(Kind::Kernel),
            links: Table::new(Kind::Link),
            pools,
            allocations: Table::new(Kind::Physical),
            graphs: Table::new(Kind::Graph),
            graph_nodes: Table::new(Kind::GraphNode),
            graph_execs: Table::new(Kind::GraphExec),
            user_objects: Table::new(Kind::UserObject),
            arrays: Table::new(Kind::Array),
            mipmapped_arrays: Table::new(Kind::MipmappedArray),
            textures: Textures::default(),
        })
    }

    pub fn device(&self, ordinal: i32) -> Result<&Device> {
        usize::try_from(ordinal)
            .ok()
            .and_then(|index| self.devices.get(index))
            .ok_or(Error::InvalidDevice)
    }

    pub fn heap(&self, ordinal: i32) -> Result<&Heap> {
        usize::try_from(ordinal)
            .ok()
            .and_then(|index| self.heaps.get(index))
            .ok_or(Error::InvalidDevice)
    }

    pub fn primary(&self, ordinal: i32) -> Result<Arc<Slot>> {
        let handle = usize::try_from(ordinal)
            .ok()
            .and_then(|index| self.primaries.get(index))
            .ok_or(Error::InvalidDevice)?;
        self.contexts.get(*handle).ok_or(Error::InvalidDevice)
    }

    /// The slot of a context handle; 0 stands for the current context.
    pub fn slot(&self, handle: u64) -> Result<Arc<Slot>> {
        match handle {
            0 => self
                .contexts
                .get(context::current_handle().ok_or(Error::InvalidContext)?)
                .ok_or(Error::ContextIsDestroyed),
            handle => self.contexts.get(handle).ok_or(Error::InvalidContext),
        }
    }

    /// The calling thread's context, alive and without a fault.
    pub fn current(&self) -> Result<Arc<Context>> {
        let context = self.slot(0)?.context()?;
        context.check()?;
        Ok(context)
    }

    /// A stream by handle: 0 and 1 are the legacy default stream, 2 the thread's own.
    pub fn stream(&self, handle: u64) -> Result<Arc<Stream>> {
        match handle {
            0 | 1 => Ok(Arc::clone(&self.current()?.legacy)),
            2 => Ok(self.current()?.per_thread_stream()),
            handle => self.streams.get(handle).ok_or(Error::InvalidHandle),
        }
    }

    /// Ends what belonged to a context that has ended: its work, its objects, its memory.
    pub fn tear_down(&self, context: &Context) {
        let handle = context.handle;
        // A fault has no one left to be reported to.
        let _ = context.synchronize();
        for stream in
            self.streams.drain_matching(|s| s.context().map_or(true, |c| c.handle == handle))
        {
            stream.close();
        }
        context.legacy.close();
        self.functions.drain_matching(|function| function.module.context == handle);
        self.modules.drain_matching(|module| module.context == handle);
        self.textures.forget(handle);
        self.mipmapped_arrays.drain_matching(|array| array.context == handle);
        self.arrays.drain_matching(|array| array.context == handle);
        for range in self.ranges.take_all(|range| range.context == handle) {
            self.give_back(&range);
        }
    }

    /// Code is refused. Whoever asked may swallow that, so it is said even to those who set
    /// nothing.
    pub fn refuse(&self, reason: &str) {
        if self.settings.log {
            self.log(reason);
        } else {
            outhaul_abi::refusals::say(reason);
        }
    }

    /// A line on stderr for the person who set OUTHAUL_LOG; silence otherwise.
    pub fn log(&self, line: &str) {
        if self.settings.log {
            eprintln!("outhaul software GPU: {line}");
        }
    }
}
