//! The driver as the program sees it: the devices of all nodes in one list, and the tables of its
//! handles. State of the connection with one node is in its session.

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
use outhaul_abi::managed_hints::Hints;
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
    /// The nodes' descriptions of their devices.
    pub facts: Facts,
    /// One session per node, in the order of the nodes.
    pub sessions: Vec<&'static Session>,
    /// Pinned and registered host memory.
    pub host: HostMemory,
    /// Device memory, by ordinal.
    pub arenas: Vec<Mutex<Arena>>,
    /// Device memory below 4 GiB, by ordinal, if a context has needed it: first address and bytes.
    pub low: Vec<OnceLock<(u64, u64)>>,
    /// Access between the memories of devices.
    pub peers: Peers,
    /// Memory that is shared with other processes.
    pub sharing: Sharing,
    /// Primary contexts, by ordinal.
    pub primaries: Vec<Mutex<Primary>>,
    pub contexts: Slab<Context>,
    pub streams: Slab<Stream>,
    pub events: Slab<Event>,
    pub modules: Slab<Module>,
    pub libraries: Slab<Module>,
    pub functions: Slab<Function>,
    pub kernels: Slab<Function>,
    pub pools: Slab<Pool>,
    /// Memory that the program creates without an address.
    pub physical: Slab<Physical>,
    pub graphs: Slab<Graph>,
    /// Executable graphs.
    pub execs: Slab<Exec>,
    /// User objects of graphs, as their own handles.
    pub user_objects: Slab<u64>,
    /// Streams that capture.
    pub captures: Captures,
    /// Memory that graphs allocate.
    pub graph_memory: GraphMemory,
    /// Copies between two nodes.
    pub internode_copies: InternodeCopies,
    /// Managed memory.
    pub managed: ManagedRegions,
    /// The program's advice about its managed memory.
    hints: Mutex<Hints>,
    /// Links of code under construction.
    pub links: Slab<JitLink>,
    pub arrays: Slab<Array>,
    pub mipmapped_arrays: Slab<MipmappedArray>,
    /// Texture and surface objects.
    pub textures: Textures,
    pub texture_references: Slab<Reference>,
    pub surface_references: Slab<Reference>,
    ids: AtomicU64,
}

/// The state of this process: its sessions, or the error of opening them. It is never freed,
/// because threads and handles refer to it.
static CONNECTED: AtomicPtr<Result<Driver, CUresult>> = AtomicPtr::new(std::ptr::null_mut());
/// The same, once cuInit has been called. Before, sessions serve only calls that need no cuInit.
static INITIALIZED: AtomicPtr<Result<Driver, CUresult>> = AtomicPtr::new(std::ptr::null_mut());
static CONNECTING: Mutex<()> = Mutex::new(());
/// Whether this is a child that was forked after cuInit: its knowledge of CUDA is the parent's.
static FORKED: AtomicBool = AtomicBool::new(false);

/// Whether there are several nodes. With one node, a program pays only the check of this flag.
static SEVERAL: AtomicBool = AtomicBool::new(false);

/// Notes that there are several nodes.
fn note_several() {
    SEVERAL.store(true, Relaxed);
}

/// Returns whether there are several nodes.
pub fn several() -> bool {
    SEVERAL.load(Relaxed)
}

fn at(place: &AtomicPtr<Result<Driver, CUresult>>) -> Result<&'static Driver, CUresult> {
    // SAFETY: null, or leaked by `connect` and never changed since.
    match unsafe { place.load(Acquire).as_ref() } {
        Some(result) => result.as_ref().map_err(|code| *code),
        None => Err(CUresult::NOT_INITIALIZED),
    }
}

/// Returns the driver if cuInit has been called.
pub fn driver() -> Result<&'static Driver, CUresult> {
    at(&INITIALIZED)
}

/// Returns the driver if sessions are open, even without cuInit.
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
        // CUDA reads CUDA_VISIBLE_DEVICES only at cuInit. The earlier sessions remain for the
        // questions that NVML asked.
        CONNECTED.store(std::ptr::null_mut(), Release);
    }
    let connected = connect(events);
    if connected.is_ok_and(|driver| driver.facts.devices.is_empty()) {
        return Err(CUresult::NO_DEVICE);
    }
    INITIALIZED.store(CONNECTED.load(Acquire), Release);
    connected.map(|_| ())
}

/// Opens the sessions unless they are open. Prints the reason to stderr if it fails, once.
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
        // SAFETY: the handler in the child reads a result that never changes and stores to atomics.
        // The others run in the process in which the library works.
        unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(forked)) };
    });
}

/// Fetches all pinned memory, so that the child finds it as the parent has it.
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

/// Drops the parent's sessions in the child of a fork. If the parent had not called cuInit, the
/// child may, and then opens its own.
extern "C" fn forked() {
    change_exchange::note_forked();
    let initialized = INITIALIZED.swap(std::ptr::null_mut(), AcqRel);
    // SAFETY: null, or leaked by `connect`.
    if let Some(Ok(driver)) = unsafe { initialized.as_ref() } {
        FORKED.store(true, Relaxed);
        // No thread of this process would send what the child's calls queue.
        driver.sessions.iter().for_each(|session| session.deferred.forbid());
    }
    CONNECTED.store(std::ptr::null_mut(), Release);
}

/// Returns whether this process is a fork of one that had called cuInit.
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

    /// Returns a number that no other object has.
    pub fn next_id(&self) -> u64 {
        self.ids.fetch_add(1, Relaxed)
    }

    /// Makes a context that its worker does not know yet.
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

    /// Returns the device's primary context, whether it is active or not.
    pub fn primary(&self, device: i32) -> Arc<Context> {
        self.primaries[device as usize].lock().context.clone()
    }

    /// Returns the session to which an object belongs.
    pub fn session_of(&self, handle: u64) -> Result<&'static Session, CUresult> {
        let node = Handle::unpack(handle).map(|handle| usize::from(handle.node));
        node.and_then(|node| self.sessions.get(node)).copied().ok_or(CUresult::INVALID_HANDLE)
    }

    /// Notes that the graph into which a stream captures needs this process at each launch.
    pub fn note_in_client(&self, graph: u64) {
        if let Some(graph) = self.graphs.get(graph) {
            graph.in_client.store(true, SeqCst);
        }
    }
}
