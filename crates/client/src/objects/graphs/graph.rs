//! Graphs as the client knows them: whether one runs callbacks or writes memory in this process.
//! Only the worker knows the nodes.

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
    /// The handle that the program holds.
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
    pub fn take_in(&self, graphs: &Slab<Graph>, child: u64) {
        if let Some(child) = graphs.get(child) {
            child.note_child();
        }
        self.keep_inside(vec![child]);
    }

    /// Whether the graph, or a graph inside it, needs this process when it runs.
    fn is_in_client(&self, graphs: &Slab<Graph>) -> bool {
        let inside = |handle: &CUgraph| {
            graphs.get(handle.0 as u64).is_some_and(|graph| graph.is_in_client(graphs))
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
