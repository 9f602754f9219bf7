//! Graphs as the client knows them: which streams began a capture, and whether a graph runs
//! callbacks or writes memory in this process. Only the worker knows the nodes. The client asks the
//! worker about captures only while one is under way.

use crate::objects::driver::Driver;
use crate::objects::graphs::memory::{Building, Effects};
use crate::objects::streams::stream::{Record, Stream};
use crate::session::capture_tracker::{Part, Participants};
use outhaul_abi::types::*;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::messages::{CaptureInfo, StreamSynchronize};
use std::collections::{HashMap, HashSet};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread::ThreadId;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH`.
const FREE_ON_LAUNCH: u64 = 1;

/// A graph that the program builds.
pub struct Graph {
    /// What the program holds.
    pub handle: u64,
    /// Whether it is inside a child node. It is destroyed with the graph around it.
    is_child: AtomicBool,
    /// Whether it has host functions, or copies to or from the program's memory.
    pub in_client: AtomicBool,
    /// Parameters of kernels that the program asked for, by node. The program holds pointers to
    /// them.
    pub kernel_params: Mutex<HashMap<u64, KernelParams>>,
    /// Memory that it allocates and frees.
    pub memory: Building,
    /// Graphs inside its nodes. The program holds pointers to these arrays.
    inside: Mutex<Vec<Box<[CUgraph]>>>,
}

/// The parameters of a kernel node, and a pointer to each.
pub struct KernelParams {
    _values: Box<[u8]>,
    pointers: Box<[*mut c_void]>,
}

// SAFETY: plain memory that the pointers' owner keeps; the program reads it.
unsafe impl Send for KernelParams {}

impl KernelParams {
    /// Keeps the values. `layout` is the offset and size of each parameter in `values`.
    pub fn new(values: Vec<u8>, layout: &[(u32, u32)]) -> KernelParams {
        let mut values = values.into_boxed_slice();
        let inside = |(offset, bytes): &(u32, u32)| (offset + bytes) as usize <= values.len();
        let count = layout.iter().take_while(|p| inside(p)).count();
        let pointers = layout[..count]
            .iter()
            .map(|(offset, _)| (&raw mut values[*offset as usize]).cast())
            .collect();
        KernelParams { _values: values, pointers }
    }

    /// Returns CUDA's array of pointers to the parameters.
    pub fn pointers(&mut self) -> *mut *mut c_void {
        self.pointers.as_mut_ptr()
    }
}

/// An executable graph.
pub struct Exec {
    /// What the program holds.
    pub handle: u64,
    /// Whether its launches need this process.
    pub in_client: AtomicBool,
    /// Memory that each launch allocates and frees.
    pub effects: Effects,
    /// Whether a launch may find memory of an earlier launch still allocated, which it then reuses.
    pub frees_at_launch: bool,
    /// Child nodes with the graphs that the driver accepted for them, and the number of changes to
    /// graphs at that time.
    children: Mutex<(u64, HashSet<(u64, u64)>)>,
}

/// Number of changes to graphs that the program builds, over all graphs.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// Returns the number of changes to graphs so far.
pub fn changes() -> u64 {
    CHANGES.load(SeqCst)
}

/// Notes a change to a graph. Must come before the change is posted.
pub fn note_change() {
    CHANGES.fetch_add(1, SeqCst);
}

impl Graph {
    /// Creates an empty graph. Sends nothing to the worker.
    pub fn new(handle: u64, in_client: bool) -> Graph {
        Graph {
            handle,
            is_child: false.into(),
            in_client: in_client.into(),
            kernel_params: Mutex::default(),
            memory: Building::default(),
            inside: Mutex::default(),
        }
    }

    /// Creates a child graph for which the program asked.
    pub fn inside_of(around: &Graph, handle: u64) -> Graph {
        Graph { is_child: true.into(), ..Graph::new(handle, around.in_client.load(SeqCst)) }
    }

    /// Whether it is inside a child node.
    pub fn is_child(&self) -> bool {
        self.is_child.load(SeqCst)
    }

    /// Notes that the graph is now inside another and is destroyed with it.
    pub fn note_child(&self) {
        self.is_child.store(true, SeqCst);
    }

    /// Notes that another graph has become part of this one.
    pub fn take_in(&self, driver: &Driver, child: u64) {
        if let Some(child) = driver.graphs.get(child) {
            child.note_child();
        }
        self.keep_inside(vec![child]);
    }

    /// Whether the graph, or a graph inside it, needs this process when it runs.
    fn is_in_client(&self, driver: &Driver) -> bool {
        let inside = |handle: &CUgraph| {
            driver.graphs.get(handle.0 as u64).is_some_and(|graph| graph.is_in_client(driver))
        };
        self.in_client.load(SeqCst) || self.inside().iter().flatten().any(inside)
    }

    fn inside(&self) -> MutexGuard<'_, Vec<Box<[CUgraph]>>> {
        self.inside.lock()
    }

    /// Keeps the handles, and returns the array for the program.
    pub fn keep_inside(&self, handles: Vec<u64>) -> *mut CUgraph {
        let mut array: Box<[CUgraph]> =
            handles.into_iter().map(|handle| CUgraph(handle as usize)).collect();
        let pointer = array.as_mut_ptr();
        self.inside().push(array);
        pointer
    }

    /// Removes the graphs inside from the table, with all inside them, because this graph is
    /// destroyed.
    pub fn forget_inside(&self, driver: &Driver) {
        for handle in self.inside().iter().flatten() {
            if let Some(inside) = driver.graphs.remove(handle.0 as u64) {
                inside.forget_inside(driver);
            }
        }
    }
}

impl Exec {
    /// Creates the executable form of a graph.
    pub fn new(driver: &Driver, handle: u64, graph: &Graph, flags: u64) -> Exec {
        let frees_at_launch = flags & FREE_ON_LAUNCH != 0;
        Exec {
            handle,
            in_client: graph.is_in_client(driver).into(),
            effects: graph.memory.effects(),
            frees_at_launch,
            children: Mutex::default(),
        }
    }

    /// Whether the node was given this graph before and no graph has changed since. Then the driver
    /// accepts it again.
    pub fn accepts_child(&self, node: u64, graph: u64) -> bool {
        let children = self.children.lock();
        children.0 == changes() && children.1.contains(&(node, graph))
    }

    /// Notes that the driver has accepted this graph for the node. `changes` is the count before
    /// the driver was asked.
    pub fn note_child(&self, node: u64, graph: u64, changes: u64) {
        let mut children = self.children.lock();
        if children.0 != changes {
            *children = (changes, HashSet::new());
        }
        children.1.insert((node, graph));
    }
}

/// A capture, by the stream in which it began.
pub struct Capture {
    /// Graph into which it goes.
    pub graph: u64,
    /// Mode that the program gave.
    pub mode: CUstreamCaptureMode,
    /// Thread that began it.
    pub thread: ThreadId,
    /// Whether the program had the graph before.
    pub into: bool,
}

/// The worker's description of a stream that takes part in a capture.
#[derive(Clone, Default)]
pub struct Capturing {
    /// Status of the capture.
    pub status: CUstreamCaptureStatus,
    /// CUDA's number of the capture.
    pub id: u64,
    /// Graph into which it goes.
    pub graph: u64,
    /// Nodes on which the next node will depend.
    pub dependencies: Vec<u64>,
    /// Edge data of the dependencies.
    pub edges: Vec<u8>,
}

impl Capturing {
    /// Returns the graph.
    pub fn graph(&self, driver: &Driver) -> Result<Arc<Graph>, CUresult> {
        driver.graphs.get(self.graph).ok_or(CUresult::STREAM_CAPTURE_INVALIDATED)
    }
}

#[derive(Default)]
/// The captures of the process.
pub struct Captures {
    /// Which streams take part in which capture.
    pub participants: Arc<Participants>,
    origins: Mutex<HashMap<u64, Capture>>,
    /// Launches of graphs that may still write to the program's memory, by stream and position.
    unsettled: Mutex<Vec<Record>>,
}

impl Captures {
    fn origins(&self) -> MutexGuard<'_, HashMap<u64, Capture>> {
        self.origins.lock()
    }

    /// Whether a capture is under way.
    pub fn any(&self) -> bool {
        self.participants.any()
    }

    /// Notes that a capture begins in the stream.
    pub fn begin(&self, stream: u64, capture: Capture) {
        let mut origins = self.origins();
        origins.insert(stream, capture);
        self.participants.note_under_way(origins.len());
    }

    /// Notes that the capture that began in the stream ends, and returns it.
    pub fn end(&self, stream: u64) -> Option<Capture> {
        let mut origins = self.origins();
        let capture = origins.remove(&stream);
        match &capture {
            // It did not begin, because another capture into the same graph is under way.
            Some(capture) if origins.values().any(|other| other.graph == capture.graph) => {
                self.participants.leave(stream)
            }
            Some(capture) => self.participants.end(capture.graph),
            None => {}
        }
        self.participants.note_under_way(origins.len());
        capture
    }

    /// Whether the capture goes into a graph that the program had before.
    pub fn is_into(&self, stream: u64) -> bool {
        self.origins().get(&stream).is_some_and(|capture| capture.into)
    }

    /// Whether the calling thread may end the capture, even if another thread began it.
    pub fn may_end(&self, stream: u64) -> bool {
        let relaxed = |c: &Capture| {
            c.mode == values::STREAM_CAPTURE_MODE_RELAXED || c.thread == std::thread::current().id()
        };
        self.origins().get(&stream).is_none_or(relaxed)
    }

    /// Notes that a graph that writes in this process was posted to a stream.
    pub fn note_launch(&self, stream: &Arc<Stream>) {
        let mut unsettled = self.unsettled();
        unsettled.retain(|(other, _)| !Arc::ptr_eq(other, stream));
        unsettled.push((stream.clone(), stream.position()));
    }

    /// Blocks until launched graphs have written to this process, before a caller reads its memory.
    /// A launch counts until a wait has passed it, so that other threads wait for it meanwhile.
    pub fn settle(&self) {
        let streams = self.unsettled().clone();
        for (stream, position) in streams {
            // The program's own next call returns an error of the stream.
            let _ = stream.wait_out();
            self.unsettled()
                .retain(|(other, later)| !Arc::ptr_eq(other, &stream) || *later > position);
        }
    }

    fn unsettled(&self) -> MutexGuard<'_, Vec<Record>> {
        self.unsettled.lock()
    }
}

/// Returns the graph into which the stream captures: 0 if the capture is spoilt, and none if it
/// does not capture.
pub fn captured_graph(driver: &Driver, stream: &Stream) -> Result<Option<u64>, CUresult> {
    if !driver.captures.any() {
        return Ok(None);
    }
    match driver.captures.participants.part(stream.handle) {
        Part::None => Ok(None),
        Part::In(graph) => Ok(Some(graph)),
        Part::Unknown => Ok(capturing(driver, stream)?.map(|capture| capture.graph)),
    }
}

/// Asks the node about the stream's capture. Returns none if it does not capture.
pub fn capturing(driver: &Driver, stream: &Stream) -> Result<Option<Capturing>, CUresult> {
    if !driver.captures.any() || driver.captures.participants.part(stream.handle) == Part::None {
        return Ok(None);
    }
    let found = stream.place.call(&CaptureInfo { stream: stream.handle }, |r| {
        Ok(Capturing {
            status: r.status,
            id: r.id,
            graph: r.graph,
            dependencies: r.dependencies.0,
            edges: r.edges.to_vec(),
        })
    })?;
    Ok((found.status != values::STREAM_CAPTURE_STATUS_NONE).then_some(found))
}

/// Refuses a call that cannot be captured if the stream captures, and spoils the capture, as
/// natively.
pub fn refuse_capture(driver: &Driver, stream: &Stream) -> Result<(), CUresult> {
    if captured_graph(driver, stream)?.is_none() {
        return Ok(());
    }
    // The driver refuses to wait for a stream that captures, and spoils its capture.
    let _ = stream.place.ask(&StreamSynchronize { stream: stream.handle });
    Err(CUresult::STREAM_CAPTURE_UNSUPPORTED)
}

/// Notes that the graph into which a stream captures needs this process at each launch.
pub fn note_in_client(driver: &Driver, graph: u64) {
    if let Some(graph) = driver.graphs.get(graph) {
        graph.in_client.store(true, SeqCst);
    }
}
