//! The driver as the program sees it: one list of all nodes' devices, and the tables of handles.
//! The session with a node has the state of its connection.

use crate::base::arena::{Arena, EMPTY_PAGES_KEPT_FOR};
use crate::base::log;
use crate::base::slab::Slab;
use crate::managed::registry::ManagedRegions;
use crate::objects::code::function::Function;
use crate::objects::code::jit_link::JitLink;
use crate::objects::code::module::Module;
use crate::objects::code::texture_references::Reference;
use crate::objects::code::textures::Textures;
use crate::objects::context::{Context, Kinship, Primary};
use crate::objects::device_facts::Facts;
use crate::objects::graphs::accepted_changes::AcceptedChanges;
use crate::objects::graphs::captures::Captures;
use crate::objects::graphs::graph::{Exec, Graph};
use crate::objects::graphs::memory::GraphMemory;
use crate::objects::internode_copies::InternodeCopies;
use crate::objects::memory::arrays::{Array, MipmappedArray};
use crate::objects::memory::host_memory::HostMemory;
use crate::objects::memory::physical::Physical;
use crate::objects::memory::pool::Pool;
use crate::objects::memory::shared_memory::Sharing;
use crate::objects::peer_access::Peers;
use crate::objects::streams::event::Event;
use crate::objects::streams::stream::Stream;
use crate::session::Session;
use crate::session::connect::connection;
use crate::session::connect::connection::Connection;
use crate::session::replicas::change_exchange;
use crate::session::session_reports::SessionEvents;
use outhaul_abi::memory::managed_hints::Hints;
use outhaul_abi::types::CUresult;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::handle::{Handle, HandleKind};
use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU64, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed,
    Ordering::Release, Ordering::SeqCst,
};
use std::sync::{Arc, Once, OnceLock};

/// The devices, sessions and objects of the process.
pub struct Driver {
    /// The devices, as their nodes described them.
    pub facts: Facts,
    /// One session per node, in the order of the nodes.
    pub sessions: Vec<&'static Session>,
    /// Pinned and registered host memory.
    pub host: HostMemory,
    /// Arenas of device memory, by device ordinal.
    pub arenas: Vec<Mutex<Arena>>,
    /// Device addresses below 4 GiB by ordinal, set once a context needs them: start address and
    /// size in bytes.
    pub low: Vec<OnceLock<(u64, u64)>>,
    /// Which devices have access to which other devices' memory.
    pub peers: Peers,
    /// Memory shared with other processes.
    pub sharing: Sharing,
    /// Primary contexts, by device ordinal.
    pub primaries: Vec<Mutex<Primary>>,
    pub contexts: Slab<Context>,
    pub streams: Slab<Stream>,
    pub events: Slab<Event>,
    pub modules: Slab<Module>,
    pub libraries: Slab<Module>,
    pub functions: Slab<Function>,
    pub kernels: Slab<Function>,
    pub pools: Slab<Pool>,
    /// Physical memory that the program creates separately from addresses.
    pub physical: Slab<Physical>,
    pub graphs: Slab<Graph>,
    /// Executable graphs.
    pub execs: Slab<Exec>,
    /// User objects of graphs. Each value is the object's own handle.
    pub user_objects: Slab<u64>,
    /// Captures in progress.
    pub captures: Captures,
    /// Memory that graphs allocate.
    pub graph_memory: GraphMemory,
    /// Changes of graph nodes that the driver accepts.
    pub accepted_changes: AcceptedChanges,
    /// Copies in flight between two nodes.
    pub internode_copies: InternodeCopies,
    /// Managed memory.
    pub managed: ManagedRegions,
    /// The program's advice about its managed memory (`cuMemAdvise`).
    hints: Mutex<Hints>,
    /// Unfinished links of device code.
    pub links: Slab<JitLink>,
    pub arrays: Slab<Array>,
    pub mipmapped_arrays: Slab<MipmappedArray>,
    /// Texture and surface objects.
    pub textures: Textures,
    pub texture_references: Slab<Reference>,
    pub surface_references: Slab<Reference>,
    ids: AtomicU64,
}

/// The sessions of this process, or the error of opening them. The value is never freed, because
/// threads and handles refer to it.
static CONNECTED: AtomicPtr<Result<Driver, CUresult>> = AtomicPtr::new(std::ptr::null_mut());
/// The value of `CONNECTED`, set by cuInit. Before cuInit, the sessions serve only calls that do
/// not need it.
static INITIALIZED: AtomicPtr<Result<Driver, CUresult>> = AtomicPtr::new(std::ptr::null_mut());
static CONNECTING: Mutex<()> = Mutex::new(());
/// Whether this process was forked from a process that had called cuInit. Its CUDA state is only a
/// copy of the parent's.
static FORKED: AtomicBool = AtomicBool::new(false);

/// Whether the program uses several nodes. With one node, a program pays only for the check of this
/// flag.
static SEVERAL: AtomicBool = AtomicBool::new(false);

/// Notes that the program uses several nodes.
fn note_several() {
    SEVERAL.store(true, Relaxed);
}

/// Returns whether the program uses several nodes.
pub fn several() -> bool {
    SEVERAL.load(Relaxed)
}

fn at(place: &AtomicPtr<Result<Driver, CUresult>>) -> Result<&'static Driver, CUresult> {
    // SAFETY: `connect` leaks the value and never changes it, so the pointer is null or valid.
    match unsafe { place.load(Acquire).as_ref() } {
        Some(result) => result.as_ref().map_err(|code| *code),
        None => Err(CUresult::NOT_INITIALIZED),
    }
}

/// Returns the driver. Fails unless cuInit was called.
pub fn driver() -> Result<&'static Driver, CUresult> {
    at(&INITIALIZED)
}

/// Returns the driver if sessions are open, even if cuInit was not called.
pub fn connected() -> Result<&'static Driver, CUresult> {
    at(&CONNECTED)
}

/// Implements cuInit.
pub fn initialize(events: &'static dyn SessionEvents) -> Result<(), CUresult> {
    static INITIALIZING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = INITIALIZING.lock();
    if is_forked() {
        return Err(CUresult::NOT_INITIALIZED);
    }
    if INITIALIZED.load(Acquire).is_null()
        && connect(events).is_ok_and(|driver| !driver.facts.is_current())
    {
        // CUDA reads CUDA_VISIBLE_DEVICES only at cuInit. The earlier sessions stay open for NVML
        // calls that use them.
        CONNECTED.store(std::ptr::null_mut(), Release);
    }
    let connected = connect(events);
    if connected.is_ok_and(|driver| driver.facts.names_one_twice) {
        return Err(CUresult::INVALID_DEVICE);
    }
    if connected.is_ok_and(|driver| driver.facts.devices.is_empty()) {
        return Err(CUresult::NO_DEVICE);
    }
    INITIALIZED.store(CONNECTED.load(Acquire), Release);
    connected.map(|_| ())
}

/// Opens the sessions unless they are open. On failure prints the reason to stderr, but only once.
pub fn connect(events: &'static dyn SessionEvents) -> Result<&'static Driver, CUresult> {
    let _one_at_a_time = CONNECTING.lock();
    if !CONNECTED.load(Acquire).is_null() {
        return connected();
    }
    let result = match connection::open_all() {
        Ok(connections) => Driver::new(connections, events),
        Err(reason) => {
            log::warn(&reason);
            Err(CUresult::NO_DEVICE)
        }
    };
    watch_forks();
    CONNECTED.store(Box::into_raw(Box::new(result)), Release);
    connected()
}

fn watch_forks() {
    static WATCHED: Once = Once::new();
    WATCHED.call_once(|| {
        // SAFETY: the child's handler reads a value that never changes, and stores to atomics. The
        // other two run in the parent.
        unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(forked)) };
    });
}

/// Brings all absent pages of pinned memory back, so that the child gets the same contents as the
/// parent.
extern "C" fn before_fork() {
    change_exchange::note_fork();
    if let Ok(driver) = connected()
        && !is_forked()
    {
        driver.sessions.iter().for_each(|session| session.replicas.bring_all(session));
    }
}

extern "C" fn after_fork() {
    change_exchange::note_forked();
}

/// Drops the parent's sessions in a forked child. If the parent had not called cuInit, the child
/// may call it and open sessions of its own.
extern "C" fn forked() {
    change_exchange::note_forked();
    let initialized = INITIALIZED.swap(std::ptr::null_mut(), AcqRel);
    // SAFETY: `connect` leaks the value, so the pointer is null or valid.
    if let Some(Ok(driver)) = unsafe { initialized.as_ref() } {
        FORKED.store(true, Relaxed);
        // The child has no thread that would send queued commands.
        driver.sessions.iter().for_each(|session| session.deferred.forbid());
    }
    CONNECTED.store(std::ptr::null_mut(), Release);
}

/// Returns whether this process was forked from one that had called cuInit.
pub fn is_forked() -> bool {
    FORKED.load(Relaxed)
}

impl Driver {
    fn new(
        connections: Vec<Connection>,
        events: &'static dyn SessionEvents,
    ) -> Result<Driver, CUresult> {
        let captures = Captures::default();
        let mut sessions = Vec::new();
        let mut facts = Facts::default();
        for (number, mut connection) in connections.into_iter().enumerate() {
            let session: &'static Session = Box::leak(Box::new(Session::new(
                number as u8,
                &mut connection,
                captures.tracker.clone(),
                events,
            )));
            facts.add(session, std::mem::take(&mut connection.offer));
            connection.start(session);
            sessions.push(session);
        }
        facts.apply_visible_devices();
        if sessions.len() > 1 {
            note_several();
        }
        let managed = ManagedRegions::new(sessions.len() > 1);
        let mut driver = Driver {
            facts,
            sessions,
            host: HostMemory::default(),
            arenas: Vec::new(),
            low: Vec::new(),
            peers: Peers::default(),
            sharing: Sharing::default(),
            primaries: Vec::new(),
            contexts: Slab::new(HandleKind::Context),
            streams: Slab::new(HandleKind::Stream),
            events: Slab::new(HandleKind::Event),
            modules: Slab::new(HandleKind::Module),
            libraries: Slab::new(HandleKind::Library),
            functions: Slab::new(HandleKind::Function),
            kernels: Slab::new(HandleKind::Kernel),
            pools: Slab::new(HandleKind::Pool),
            physical: Slab::new(HandleKind::Memory),
            graphs: Slab::new(HandleKind::Graph),
            execs: Slab::new(HandleKind::GraphExec),
            user_objects: Slab::new(HandleKind::UserObject),
            captures,
            graph_memory: GraphMemory::default(),
            accepted_changes: AcceptedChanges::default(),
            internode_copies: InternodeCopies::default(),
            managed,
            hints: Mutex::default(),
            links: Slab::new(HandleKind::Link),
            arrays: Slab::new(HandleKind::Array),
            mipmapped_arrays: Slab::new(HandleKind::MipmappedArray),
            textures: Textures::default(),
            texture_references: Slab::new(HandleKind::TextureReference),
            surface_references: Slab::new(HandleKind::SurfaceReference),
            ids: AtomicU64::new(1),
        };
        for (ordinal, device) in driver.facts.devices.iter().enumerate() {
            let mut arena = Arena::new(
                device.arena_base,
                device.arena_bytes,
                device.granularity_bytes,
                device.granted_bytes,
                EMPTY_PAGES_KEPT_FOR,
            );
            if device.is_limited {
                arena.give_back_at_once();
            }
            driver.arenas.push(Mutex::new(arena));
            driver.low.push(OnceLock::new());
            let context = driver.new_context(ordinal as i32, Kinship::Primary, 0)?;
            let pool = driver.pools.insert(|handle| Pool::new(handle, ordinal as i32))?;
            let (default_pool, current_pool) = (pool.clone(), pool);
            let primary = Primary {
                context,
                retained: 0,
                active: false,
                flags: 0,
                going: None,
                gone: Arc::default(),
                default_pool,
                current_pool,
            };
            driver.primaries.push(Mutex::new(primary));
        }
        Ok(driver)
    }

    /// Locks the advice about managed memory.
    pub fn hints(&self) -> MutexGuard<'_, Hints> {
        self.hints.lock()
    }

    /// Returns a number that is unique in this process.
    pub fn next_id(&self) -> u64 {
        self.ids.fetch_add(1, Relaxed)
    }

    /// Creates a context object. The worker does not know the context yet.
    pub fn new_context(
        &self,
        device: i32,
        kind: Kinship,
        flags: u32,
    ) -> Result<Arc<Context>, CUresult> {
        let id = self.next_id();
        let session = self.facts.device(device)?.session;
        self.contexts.insert_on(session.number, |handle| {
            Context::new(handle, session, device, kind, id, flags)
        })
    }

    /// Returns the device's primary context, even if it is inactive.
    pub fn primary(&self, device: i32) -> Arc<Context> {
        self.primaries[device as usize].lock().context.clone()
    }

    /// Returns the session of an object's node.
    pub fn session_of(&self, handle: u64) -> Result<&'static Session, CUresult> {
        let node = Handle::unpack(handle).map(|handle| usize::from(handle.node));
        node.and_then(|node| self.sessions.get(node)).copied().ok_or(CUresult::INVALID_HANDLE)
    }

    /// Notes that each launch of `graph`, into which a stream captures, involves this process.
    pub fn note_in_client(&self, graph: u64) {
        if let Some(graph) = self.graphs.get(graph) {
            graph.in_client.store(true, SeqCst);
        }
    }
}
