//! Graphs as the client knows them: whether they run callbacks or write memory in this process.
//! Only the worker knows the graphs' nodes.

use crate::base::slab::Slab;
use crate::objects::graphs::memory::{Building, Effects};
use outhaul_abi::types::*;
use outhaul_lock::{Mutex, MutexGuard};
use std::collections::{HashMap, HashSet};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

/// `CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH`.
const FREE_ON_LAUNCH: u64 = 1;

/// A graph that the program builds.
pub struct Graph {
    /// The handle that the program holds.
    pub handle: u64,
    /// Whether the graph is inside a child node. It is then destroyed with the graph that contains
    /// the node.
    is_child: AtomicBool,
    /// Whether the graph has host functions, or copies to or from the program's memory.
    pub in_client: AtomicBool,
    /// Kernel parameters that the program asked for, by node. The program holds pointers to them.
    pub kernel_params: Mutex<HashMap<u64, KernelParams>>,
    /// Memory that the graph allocates and frees.
    pub memory: Building,
    /// Graphs inside the graph's nodes. The program holds pointers to these arrays.
    inside: Mutex<Vec<Box<[CUgraph]>>>,
}

/// The parameters of a kernel node, and a pointer to each.
pub struct KernelParams {
    _values: Box<[u8]>,
    pointers: Box<[*mut c_void]>,
}

// SAFETY: the pointers point into `_values`, which this struct owns; only the program reads it.
unsafe impl Send for KernelParams {}

impl KernelParams {
    /// Keeps the values. `layout` gives each parameter's offset and size in `values`.
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

    /// Returns the array of pointers to the parameters, in CUDA's form.
    pub fn pointers(&mut self) -> *mut *mut c_void {
        self.pointers.as_mut_ptr()
    }
}

/// An executable graph.
pub struct Exec {
    /// The handle that the program holds.
    pub handle: u64,
    /// Whether launches need this process, to run callbacks or to access the program's memory.
    pub in_client: AtomicBool,
    /// Memory that each launch allocates and frees.
    pub effects: Effects,
    /// Whether a launch may find an earlier launch's memory still allocated, and reuses it.
    pub frees_at_launch: bool,
    /// Child nodes with the graphs that the driver accepted for them, and the value of `changes`
    /// when it did.
    children: Mutex<(u64, HashSet<(u64, u64)>)>,
}

/// Number of changes to all graphs that the program builds.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// Returns the number of changes so far to all graphs that the program builds.
pub fn changes() -> u64 {
    CHANGES.load(SeqCst)
}

/// Notes a change to a graph. The caller must call this before it posts the change.
pub fn note_change() {
    CHANGES.fetch_add(1, SeqCst);
}

impl Graph {
    /// Creates an empty graph without sending anything to the worker.
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

    /// Creates the object for a child graph that the program asked for.
    pub fn inside_of(around: &Graph, handle: u64) -> Graph {
        Graph { is_child: true.into(), ..Graph::new(handle, around.in_client.load(SeqCst)) }
    }

    /// Returns whether the graph is inside a child node.
    pub fn is_child(&self) -> bool {
        self.is_child.load(SeqCst)
    }

    /// Notes that the graph is now inside another one, which will destroy it.
    pub fn note_child(&self) {
        self.is_child.store(true, SeqCst);
    }

    /// Notes that `child` has become part of this graph.
    pub fn take_in(&self, graphs: &Slab<Graph>, child: u64) {
        if let Some(child) = graphs.get(child) {
            child.note_child();
        }
        self.keep_inside(vec![child]);
    }

    /// Returns whether the graph, or a graph inside it, needs this process when it runs.
    fn is_in_client(&self, graphs: &Slab<Graph>) -> bool {
        let inside = |handle: &CUgraph| {
            graphs.get(handle.0 as u64).is_some_and(|graph| graph.is_in_client(graphs))
        };
        self.in_client.load(SeqCst) || self.inside().iter().flatten().any(inside)
    }

    fn inside(&self) -> MutexGuard<'_, Vec<Box<[CUgraph]>>> {
        self.inside.lock()
    }

    /// Keeps the graph handles in an array, and returns a pointer to the array for the program.
    pub fn keep_inside(&self, handles: Vec<u64>) -> *mut CUgraph {
        let mut array: Box<[CUgraph]> =
            handles.into_iter().map(|handle| CUgraph(handle as usize)).collect();
        let pointer = array.as_mut_ptr();
        self.inside().push(array);
        pointer
    }

    /// Removes the graphs inside this one from the table, recursively, because this graph is
    /// destroyed.
    pub fn forget_inside(&self, graphs: &Slab<Graph>) {
        for handle in self.inside().iter().flatten() {
            if let Some(inside) = graphs.remove(handle.0 as u64) {
                inside.forget_inside(graphs);
            }
        }
    }
}

impl Exec {
    /// Creates the executable form of a graph.
    pub fn new(graphs: &Slab<Graph>, handle: u64, graph: &Graph, flags: u64) -> Exec {
        let frees_at_launch = flags & FREE_ON_LAUNCH != 0;
        Exec {
            handle,
            in_client: graph.is_in_client(graphs).into(),
            effects: graph.memory.effects(),
            frees_at_launch,
            children: Mutex::default(),
        }
    }

    /// Returns whether the driver accepted this graph for the node and no graph has changed since.
    /// The driver then accepts the graph again.
    pub fn accepts_child(&self, node: u64, graph: u64) -> bool {
        let children = self.children.lock();
        children.0 == changes() && children.1.contains(&(node, graph))
    }

    /// Notes that the driver has accepted this graph for the node. `changes` is the number of
    /// changes before the client asked the driver.
    pub fn note_child(&self, node: u64, graph: u64, changes: u64) {
        let mut children = self.children.lock();
        if children.0 != changes {
            *children = (changes, HashSet::new());
        }
        children.1.insert((node, graph));
    }
}
