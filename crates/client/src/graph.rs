//! Graphs as the client knows them: which streams began a capture, and whether a graph runs or
//! writes anything in this process. The nodes are known to the worker alone. Nothing is asked of
//! the worker about captures while none is under way.

use crate::driver::Driver;
use crate::graph_memory::{Building, Effects};
use crate::participants::{Part, Participants};
use crate::stream::{Record, Stream};
use outhaul_abi::types::*;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::messages::{CaptureInfo, StreamSynchronize};
use std::collections::{HashMap, HashSet};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::thread::ThreadId;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH`.
const FREE_ON_LAUNCH: u64 = 1;

pub struct Graph {
    pub handle: u64,
    /// It is inside a child node, and goes with the graph around it.
    is_child: AtomicBool,
    /// Has host functions, or copies to or from the program's memory.
    pub in_client: AtomicBool,
    /// What the program was told about kernels, by node: it holds pointers to it.
    pub kernel_params: Mutex<HashMap<u64, KernelParams>>,
    /// What it allocates and frees.
    pub memory: Building,
    /// Graphs inside its nodes: the program holds pointers to these arrays.
    inside: Mutex<Vec<Box<[CUgraph]>>>,
}

/// The parameters of a kernel node, each behind a pointer.
pub struct KernelParams {
    _values: Box<[u8]>,
    pointers: Box<[*mut c_void]>,
}

// SAFETY: plain memory that the pointers' owner keeps; the program reads it.
unsafe impl Send for KernelParams {}

impl KernelParams {
    /// `layout`: offset and size of each parameter in `values`.
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

    pub fn pointers(&mut self) -> *mut *mut c_void {
        self.pointers.as_mut_ptr()
    }
}

pub struct Exec {
    pub handle: u64,
    pub in_client: AtomicBool,
    /// What each launch allocates and frees.
    pub effects: Effects,
    /// A launch may find memory of the one before, and takes it.
    pub frees_at_launch: bool,
    /// Child nodes with graphs that they were given while there had been so many changes to graphs.
    children: Mutex<(u64, HashSet<(u64, u64)>)>,
}

/// Changes to graphs that the program builds, of all together.
static CHANGES: AtomicU64 = AtomicU64::new(0);

pub fn changes() -> u64 {
    CHANGES.load(SeqCst)
}

/// Before the change is posted.
pub fn note_change() {
    CHANGES.fetch_add(1, SeqCst);
}

impl Graph {
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

    /// A child graph that the program looks into.
    pub fn inside_of(around: &Graph, handle: u64) -> Graph {
        Graph { is_child: true.into(), ..Graph::new(handle, around.in_client.load(SeqCst)) }
    }

    pub fn is_child(&self) -> bool {
        self.is_child.load(SeqCst)
    }

    /// It goes with the graph around it from here on.
    pub fn note_child(&self) {
        self.is_child.store(true, SeqCst);
    }

    /// Another graph has become part of this one.
    pub fn take_in(&self, driver: &Driver, child: u64) {
        if let Some(child) = driver.graphs.get(child) {
            child.note_child();
        }
        self.keep_inside(vec![child]);
    }

    /// Whether it, or a graph inside it, needs this process when it runs.
    fn is_in_client(&self, driver: &Driver) -> bool {
        let inside = |handle: &CUgraph| {
            driver.graphs.get(handle.0 as u64).is_some_and(|graph| graph.is_in_client(driver))
        };
        self.in_client.load(SeqCst) || self.inside().iter().flatten().any(inside)
    }

    fn inside(&self) -> MutexGuard<'_, Vec<Box<[CUgraph]>>> {
        self.inside.lock()
    }

    /// Gives the array that a program is to look at.
    pub fn keep_inside(&self, handles: Vec<u64>) -> *mut CUgraph {
        let mut array: Box<[CUgraph]> =
            handles.into_iter().map(|handle| CUgraph(handle as usize)).collect();
        let pointer = array.as_mut_ptr();
        self.inside().push(array);
        pointer
    }

    /// Takes the graphs inside out of the table, with all inside them: their graph goes.
    pub fn forget_inside(&self, driver: &Driver) {
        for handle in self.inside().iter().flatten() {
            if let Some(inside) = driver.graphs.remove(handle.0 as u64) {
                inside.forget_inside(driver);
            }
        }
    }
}

impl Exec {
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

    /// Whether the node was given this graph before, and no graph has changed since: the driver
    /// accepts it again.
    pub fn accepts_child(&self, node: u64, graph: u64) -> bool {
        let children = self.children.lock();
        children.0 == changes() && children.1.contains(&(node, graph))
    }

    /// The driver has accepted this graph for the node. `changes` were there when it was asked.
    pub fn note_child(&self, node: u64, graph: u64, changes: u64) {
        let mut children = self.children.lock();
        if children.0 != changes {
            *children = (changes, HashSet::new());
        }
        children.1.insert((node, graph));
    }
}

/// A capture, at the stream that it began in.
pub struct Capture {
    pub graph: u64,
    pub mode: CUstreamCaptureMode,
    pub thread: ThreadId,
    /// The graph was the program's before.
    pub into: bool,
}

/// What the worker says of a stream that takes part in a capture.
#[derive(Clone, Default)]
pub struct Capturing {
    pub status: CUstreamCaptureStatus,
    pub id: u64,
    pub graph: u64,
    pub dependencies: Vec<u64>,
    pub edges: Vec<u8>,
}

impl Capturing {
    pub fn graph(&self, driver: &Driver) -> Result<Arc<Graph>, CUresult> {
        driver.graphs.get(self.graph).ok_or(CUresult::STREAM_CAPTURE_INVALIDATED)
    }
}

#[derive(Default)]
pub struct Captures {
    under_way: AtomicUsize,
    pub participants: Participants,
    origins: Mutex<HashMap<u64, Capture>>,
    /// Streams in which graphs were launched that may still write to the program's memory.
    unsettled: Mutex<Vec<Record>>,
}

impl Captures {
    fn origins(&self) -> MutexGuard<'_, HashMap<u64, Capture>> {
        self.origins.lock()
    }

    pub fn any(&self) -> bool {
        self.under_way.load(SeqCst) > 0
    }

    pub fn begin(&self, stream: u64, capture: Capture) {
        let mut origins = self.origins();
        origins.insert(stream, capture);
        self.under_way.store(origins.len(), SeqCst);
    }

    pub fn end(&self, stream: u64) -> Option<Capture> {
        let mut origins = self.origins();
        let capture = origins.remove(&stream);
        match &capture {
            // It did not begin, since another one is under way into the same graph.
            Some(capture) if origins.values().any(|other| other.graph == capture.graph) => {
                self.participants.leave(stream)
            }
            Some(capture) => self.participants.end(capture.graph),
            None => {}
        }
        self.under_way.store(origins.len(), SeqCst);
        capture
    }

    /// Whether the capture goes into a graph that the program has already.
    pub fn is_into(&self, stream: u64) -> bool {
        self.origins().get(&stream).is_some_and(|capture| capture.into)
    }

    /// Whether another thread than the one that began it may end the capture.
    pub fn may_end(&self, stream: u64) -> bool {
        let relaxed = |c: &Capture| {
            c.mode == values::STREAM_CAPTURE_MODE_RELAXED || c.thread == std::thread::current().id()
        };
        self.origins().get(&stream).is_none_or(relaxed)
    }

    /// A graph that writes in this process was posted to a stream.
    pub fn note_launch(&self, stream: &Arc<Stream>) {
        let mut unsettled = self.unsettled();
        unsettled.retain(|(other, _)| !Arc::ptr_eq(other, stream));
        unsettled.push((stream.clone(), stream.position()));
    }

    /// What launched graphs are still to write in this process must be there before the memory is
    /// read. They count until a wait has passed them, so that whoever comes meanwhile waits, too.
    pub fn settle(&self) {
        let streams = self.unsettled().clone();
        for (stream, position) in streams {
            // An error of the stream surfaces at the program's own next call.
            let _ = stream.wait_out();
            self.unsettled()
                .retain(|(other, later)| !Arc::ptr_eq(other, &stream) || *later > position);
        }
    }

    fn unsettled(&self) -> MutexGuard<'_, Vec<Record>> {
        self.unsettled.lock()
    }
}

/// The graph that the stream captures into; 0 if its capture is spoilt, and None if it does not
/// capture.
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

/// What the node says of the stream's capture; None if it does not capture.
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

/// As `capturing`, for what cannot be captured: the capture is spoilt, as natively.
pub fn refuse_capture(driver: &Driver, stream: &Stream) -> Result<(), CUresult> {
    if captured_graph(driver, stream)?.is_none() {
        return Ok(());
    }
    // The driver refuses to wait for a stream that captures, and spoils its capture.
    let _ = stream.place.ask(&StreamSynchronize { stream: stream.handle });
    Err(CUresult::STREAM_CAPTURE_UNSUPPORTED)
}

/// The graph that a stream captures into will need this process at each launch.
pub fn note_in_client(driver: &Driver, graph: u64) {
    if let Some(graph) = driver.graphs.get(graph) {
        graph.in_client.store(true, SeqCst);
    }
}
