//! The process-wide state, which `cuInit` creates and every call uses.
//!
//! The state does not exist before `cuInit`. In a child process that `fork` creates after `cuInit`,
//! the driver's threads do not exist. Therefore every call in the child reports that the driver is
//! not initialised.

use outhaul_lock::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use outhaul_abi::memory::managed_hints::Hints;

use crate::driver::device::Device;
use crate::driver::green::MultiprocessorRange;
use crate::driver::objects::code::function::Function;
use crate::driver::objects::code::library::{Kernel, Library};
use crate::driver::objects::code::link::JitLink;
use crate::driver::objects::code::module::Module;
use crate::driver::objects::graphs::graph::Graph;
use crate::driver::objects::graphs::graph_exec::GraphExec;
use crate::driver::objects::graphs::memory::GraphMemory;
use crate::driver::objects::graphs::user_object::UserObject;
use crate::driver::objects::memory::array::{Array, MipmappedArray};
use crate::driver::objects::memory::check::Check;
use crate::driver::objects::memory::heap::Heap;
use crate::driver::objects::memory::overhead::{Overheads, Owner};
use crate::driver::objects::memory::physical::{Allocation, Mapping};
use crate::driver::objects::memory::pool::Pool;
use crate::driver::objects::memory::quarantine::Quarantine;
use crate::driver::objects::memory::ranges::Ranges;
use crate::driver::objects::memory::shared_gpu::SharedGpu;
use crate::driver::objects::memory::textures::Textures;
use crate::driver::objects::streams::context::{self, Context, ContextSlot};
use crate::driver::objects::streams::event::Event;
use crate::driver::objects::streams::stream::Stream;
use crate::driver::system::error::{Error, Result};
use crate::driver::system::handle::{HandleKind, Table};
use crate::driver::system::host_function;
use crate::driver::system::requirements::Need;
use crate::driver::system::settings::Settings;

/// The driver's process-wide state.
pub struct Driver {
    /// The settings.
    pub settings: Settings,
    /// The devices that the program sees.
    pub devices: Vec<Device>,
    /// The devices' memory, by device.
    pub heaps: Vec<Arc<Heap>>,
    /// The primary contexts' handles, by device.
    pub primaries: Vec<u64>,
    /// The default pools' handles, by device.
    pub default_pools: Vec<u64>,
    /// Handles of the pools from which `cuMemAllocAsync` allocates, by device.
    pub current_pools: Mutex<Vec<u64>>,
    /// All memory that CUDA knows about.
    pub ranges: Arc<Ranges>,
    /// Memory checks, if `OUTHAUL_SOFT_CHECK` requests them.
    pub check: Option<Check>,
    /// The program's advice about its managed memory.
    pub hints: Mutex<Hints>,
    /// Addresses of recently freed host memory.
    pub quarantine: Quarantine,
    /// Reserved address ranges: lengths by start address.
    pub reservations: Mutex<BTreeMap<u64, u64>>,
    /// Mappings of the virtual-memory API, by address.
    pub mappings: Mutex<BTreeMap<u64, Mapping>>,
    /// Device partitions for which the program made resource descriptors.
    pub descriptions: Mutex<Vec<MultiprocessorRange>>,
    /// Memory that the driver takes by itself.
    pub overheads: Overheads,
    /// Contexts.
    pub contexts: Table<ContextSlot>,
    /// Streams.
    pub streams: Table<Stream>,
    /// Events.
    pub events: Table<Event>,
    /// Modules.
    pub modules: Table<Module>,
    /// Functions.
    pub functions: Table<Function>,
    /// Libraries.
    pub libraries: Table<Library>,
    /// Library kernels.
    pub kernels: Table<Kernel>,
    /// Link states.
    pub links: Table<JitLink>,
    /// Memory pools.
    pub pools: Table<Pool>,
    /// Physical memory of the virtual-memory API.
    pub allocations: Table<Allocation>,
    /// Graphs.
    pub graphs: Table<Mutex<Graph>>,
    /// Handle of each node's graph, by node.
    pub graph_nodes: Table<u64>,
    /// Executable graphs.
    pub graph_execs: Table<GraphExec>,
    /// Memory that graphs allocate.
    pub graph_memory: GraphMemory,
    /// User objects.
    pub user_objects: Table<UserObject>,
    /// Arrays.
    pub arrays: Table<Array>,
    /// Mipmapped arrays.
    pub mipmapped_arrays: Table<MipmappedArray>,
    /// Texture and surface objects.
    pub textures: Textures,
}

static DRIVER: OnceLock<Driver> = OnceLock::new();
static STARTING: Mutex<()> = Mutex::new(());
static FORKED: AtomicBool = AtomicBool::new(false);

/// Implements `cuInit`, which any thread may call any number of times.
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
    match &settings.visible {
        Ok(visible) if visible.is_empty() => return Err(Error::NoDevice),
        Ok(_) => {}
        Err(_) => return Err(Error::InvalidDevice),
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

/// Returns the driver. Fails before `cuInit`, after a fork and in a host function.
pub fn driver() -> Result<&'static Driver> {
    if FORKED.load(Ordering::Relaxed) {
        return Err(Error::NotInitialized);
    }
    if host_function::is_running() {
        return Err(Error::NotPermitted);
    }
    DRIVER.get().ok_or(Error::NotInitialized)
}

/// Returns whether `cuInit` has succeeded in this process, and not only in the one that forked it.
pub fn is_initialized() -> bool {
    !FORKED.load(Ordering::Relaxed) && DRIVER.get().is_some()
}

/// Returns the driver for work that was accepted earlier. Such work may run in a host function or
/// end after a fork.
pub fn started() -> Option<&'static Driver> {
    DRIVER.get()
}

/// Returns whether to keep only those guarantees that NVIDIA's driver was observed to keep.
pub fn is_like_nvidias() -> bool {
    started().is_some_and(|driver| driver.settings.like_nvidias)
}

impl Driver {
    fn new(settings: Settings) -> Result<Driver> {
        let (devices, context_bytes) = (Device::all(&settings), settings.context_bytes);
        let heaps = devices
            .iter()
            .map(|device| {
                let shared_gpu = settings
                    .shared_gpu
                    .as_ref()
                    .map(|path| SharedGpu::open(&path.with_extension(device.physical.to_string())))
                    .transpose()?;
                Heap::new(device.memory_bytes, shared_gpu).map(Arc::new)
            })
            .collect::<Result<Vec<_>>>()?;
        let contexts = Table::new(HandleKind::Context);
        let primaries = devices
            .iter()
            .map(|device| {
                contexts
                    .insert_with(|handle| {
                        ContextSlot::primary(handle, device.ordinal, settings.like_nvidias)
                    })
                    .handle
            })
            .collect();
        let ranges = Arc::new(Ranges::default());
        let pools = Table::new(HandleKind::Pool);
        let default_pools: Vec<u64> =
            devices.iter().map(|device| pools.insert(Pool::new(device.ordinal, 0))).collect();
        Ok(Driver {
            check: settings.check.then(|| Check::new(Arc::clone(&ranges))),
            settings,
            devices,
            heaps,
            primaries,
            current_pools: Mutex::new(default_pools.clone()),
            default_pools,
            ranges,
            hints: Mutex::default(),
            quarantine: Quarantine::default(),
            reservations: Mutex::default(),
            mappings: Mutex::default(),
            descriptions: Mutex::default(),
            overheads: Overheads::new(context_bytes),
            contexts,
            streams: Table::new(HandleKind::Stream),
            events: Table::new(HandleKind::Event),
            modules: Table::new(HandleKind::Module),
            functions: Table::new(HandleKind::Function),
            libraries: Table::new(HandleKind::Library),
            kernels: Table::new(HandleKind::Kernel),
            links: Table::new(HandleKind::Link),
            pools,
            allocations: Table::new(HandleKind::Physical),
            graphs: Table::new(HandleKind::Graph),
            graph_nodes: Table::new(HandleKind::GraphNode),
            graph_execs: Table::new(HandleKind::GraphExec),
            graph_memory: GraphMemory::default(),
            user_objects: Table::new(HandleKind::UserObject),
            arrays: Table::new(HandleKind::Array),
            mipmapped_arrays: Table::new(HandleKind::MipmappedArray),
            textures: Textures::default(),
        })
    }

    /// Returns the device with the given ordinal.
    pub fn device(&self, ordinal: i32) -> Result<&Device> {
        usize::try_from(ordinal)
            .ok()
            .and_then(|index| self.devices.get(index))
            .ok_or(Error::InvalidDevice)
    }

    /// Returns a device's memory.
    pub fn heap(&self, ordinal: i32) -> Result<&Arc<Heap>> {
        usize::try_from(ordinal)
            .ok()
            .and_then(|index| self.heaps.get(index))
            .ok_or(Error::InvalidDevice)
    }

    /// Returns the slot of a device's primary context.
    pub fn primary(&self, ordinal: i32) -> Result<Arc<ContextSlot>> {
        let handle = usize::try_from(ordinal)
            .ok()
            .and_then(|index| self.primaries.get(index))
            .ok_or(Error::InvalidDevice)?;
        self.contexts.get(*handle).ok_or(Error::InvalidDevice)
    }

    /// Returns the slot of a context handle. Handle 0 means the current context.
    pub fn slot(&self, handle: u64) -> Result<Arc<ContextSlot>> {
        match handle {
            0 => self
                .contexts
                .get(context::current_handle().ok_or(Error::InvalidContext)?)
                .ok_or(Error::ContextIsDestroyed),
            handle => self.contexts.get(handle).ok_or(Error::InvalidContext),
        }
    }

    /// Returns the calling thread's current context, if it is alive and has no fault.
    pub fn current(&self) -> Result<Arc<Context>> {
        let context = self.slot(0)?.context()?;
        context.check()?;
        Ok(context)
    }

    /// Returns the stream with the given handle. Handles 0 and 1 are the legacy default stream, 2
    /// is the thread's own.
    pub fn stream(&self, handle: u64) -> Result<Arc<Stream>> {
        match handle {
            0 | 1 => Ok(Arc::clone(&self.current()?.legacy)),
            2 => Ok(self.current()?.per_thread_stream()),
            handle => self.streams.get(handle).ok_or(Error::InvalidHandle),
        }
    }

    /// Takes device memory for an object of a context, as a real driver does by itself.
    pub fn take_overhead(&self, owner: Owner, context: &Context, bytes: u64) -> Result<()> {
        self.overheads.take(owner, self.heap(context.device)?, context.handle, bytes)
    }

    /// Ends all work of an ended context, and frees the context's objects and memory.
    pub fn tear_down(&self, context: &Context) {
        let handle = context.handle;
        // No caller remains to whom a fault could be reported.
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
        self.overheads.end_context(handle);
        self.mipmapped_arrays.drain_matching(|array| array.context == handle);
        self.arrays.drain_matching(|array| array.context == handle);
        for range in self.ranges.take_all(|range| range.context == handle) {
            self.give_back(&range);
        }
    }

    /// Reports rejected code, even without `OUTHAUL_LOG`, because the caller may hide the error.
    pub fn refuse(&self, reason: &str) {
        if self.settings.log {
            self.log(reason);
        } else {
            outhaul_abi::code::unsupported_code::report(reason);
        }
    }

    /// Writes a line to stderr if `OUTHAUL_LOG` is set.
    pub fn log(&self, line: &str) {
        if self.settings.log {
            eprintln!("outhaul software GPU: {line}");
        }
    }
}
