//! Graphs: creation, queries, edges, and DOT output.

use std::ffi::c_char;
use std::os::unix::ffi::OsStrExt;

use outhaul_abi::dot;
use outhaul_abi::types::*;

use crate::driver::api::arguments::{put, take, take_all, text};
use crate::driver::lock;
use crate::driver::objects::graphs::edge::{Dependency, Edge};
use crate::driver::objects::graphs::graph::Graph;
use crate::driver::objects::graphs::task::Task;
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

/// The edge type `CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC`, and a kernel node's ports. Here such an
/// edge orders whole kernels, which is stronger than CUDA requires.
const EDGE_TYPE_LAST: u8 = 1;
const EDGE_PORT_LAST: u8 = 2;

/// Returns edge data as programs pass it. NULL means edges without data.
fn edge_data(data: *const CUgraphEdgeData, count: usize) -> Result<Vec<CUgraphEdgeData>> {
    if data.is_null() {
        return Ok(vec![CUgraphEdgeData::default(); count]);
    }
    let all = take_all(data, count)?;
    let known = |edge: &CUgraphEdgeData| {
        edge.type_ <= EDGE_TYPE_LAST
            && edge.from_port <= EDGE_PORT_LAST
            && edge.to_port == 0
            && edge.reserved == [0; 5]
    };
    if all.iter().all(known) { Ok(all) } else { Err(Error::InvalidValue) }
}

/// Returns the dependencies of a node that is about to be added.
pub(in crate::driver::api) fn dependencies(
    nodes: *const CUgraphNode,
    data: *const CUgraphEdgeData,
    count: usize,
) -> Result<Vec<Dependency>> {
    let nodes = take_all(nodes, count)?;
    Ok(nodes
        .iter()
        .zip(edge_data(data, count)?)
        .map(|(node, data)| Dependency { node: node.0 as u64, data })
        .collect())
}

fn edges(
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    data: *const CUgraphEdgeData,
    count: usize,
) -> Result<Vec<Edge>> {
    let (from, to) = (take_all(from, count)?, take_all(to, count)?);
    let pairs = from.iter().zip(to).zip(edge_data(data, count)?);
    Ok(pairs
        .map(|((from, to), data)| Edge { from: from.0 as u64, to: to.0 as u64, data })
        .collect())
}

/// Fills the program's array, unless the array is null. The remaining elements become `nothing`.
fn fill_places<T: Copy>(
    places: *mut T,
    room: usize,
    list: impl IntoIterator<Item = T>,
    nothing: T,
) {
    if !places.is_null() {
        for (index, value) in
            list.into_iter().chain(std::iter::repeat(nothing)).take(room).enumerate()
        {
            // SAFETY: checked for null; the program guarantees that `places` is valid for writes of
            // `room` elements.
            unsafe { places.add(index).write(value) };
        }
    }
}

fn fill_nodes(places: *mut CUgraphNode, room: usize, nodes: impl IntoIterator<Item = u64>) {
    fill_places(
        places,
        room,
        nodes.into_iter().map(|node| CUgraphNode(node as usize)),
        CUgraphNode::NULL,
    );
}

/// Fills the program's array of edge data. Fails if the array is null and a requested edge has
/// data.
fn fill_data(
    places: *mut CUgraphEdgeData,
    room: usize,
    data: &[CUgraphEdgeData],
    edges_wanted: bool,
) -> Result<()> {
    let plain = CUgraphEdgeData::default();
    if places.is_null() && edges_wanted && data.iter().any(|data| *data != plain) {
        return Err(Error::LossyQuery);
    }
    fill_places(places, room, data.iter().copied(), plain);
    Ok(())
}

/// Reports a length as CUDA does: the whole list's if the array is null, otherwise the filled
/// part's.
fn put_count<T>(count: *mut usize, places: *mut T, length: usize) -> Result<()> {
    let room = take(count.cast_const())?;
    put(count, if places.is_null() { length } else { room.min(length) })
}

fn put_nodes(places: *mut CUgraphNode, count: *mut usize, nodes: Vec<u64>) -> Result<()> {
    let length = nodes.len();
    fill_nodes(places, take(count.cast_const())?, nodes);
    put_count(count, places, length)
}

pub unsafe fn cuGraphCreate(phGraph: *mut CUgraph, flags: u32) -> Result<()> {
    let driver = driver()?;
    if phGraph.is_null() || flags != 0 {
        return Err(Error::InvalidValue);
    }
    put(phGraph, CUgraph(driver.create_graph(Default::default()) as usize))
}

pub unsafe fn cuGraphDestroy(hGraph: CUgraph) -> Result<()> {
    let driver = driver()?;
    if lock(&*driver.graph(hGraph.0 as u64)?).is_embedded {
        return Err(Error::InvalidValue);
    }
    driver.destroy_graph(hGraph.0 as u64)
}

pub unsafe fn cuGraphChildGraphNodeGetGraph(
    hNode: CUgraphNode,
    phGraph: *mut CUgraph,
) -> Result<()> {
    put(phGraph, CUgraph(driver()?.embedded(hNode.0 as u64)? as usize))
}

/// Ignores the flags, which select details: the output always has a kernel's name and shape.
pub unsafe fn cuGraphDebugDotPrint(
    hGraph: CUgraph,
    path: *const c_char,
    _flags: u32,
) -> Result<()> {
    let graph = driver()?.graph(hGraph.0 as u64)?;
    let path = std::ffi::OsStr::from_bytes(text(path)?.to_bytes());
    let drawn = dot::text(&draw(&lock(&graph)));
    std::fs::write(path, drawn).map_err(|_| Error::OperatingSystem)
}

fn draw(graph: &Graph) -> dot::Graph {
    let handles = graph.nodes();
    let place = |node: u64| handles.binary_search(&node).ok();
    let mut nodes: Vec<dot::Node> =
        handles.iter().filter_map(|node| graph.task(*node).ok()).map(draw_node).collect();
    for edge in graph.edges() {
        if let (Some(from), Some(to)) = (place(edge.from), place(edge.to)) {
            nodes[to].after.push(from);
        }
    }
    dot::Graph { nodes }
}

fn draw_node(task: &Task) -> dot::Node {
    let mut node =
        dot::Node { label: dot::name_of(task.node_type()).into(), ..dot::Node::default() };
    match task {
        Task::Kernel(call) => {
            let shape = &call.shape;
            node.label = format!(
                "{}\ngrid {:?} block {:?} shared {}",
                call.function.kernel.name, shape.grid, shape.block, shape.dynamic_shared_bytes
            );
        }
        Task::Graph(plan) => node.inside.push(draw(plan.graph())),
        Task::Embedded(child) => node.inside.push(draw(&lock(&child.graph))),
        _ => {}
    }
    node
}

pub unsafe fn cuGraphClone(phGraphClone: *mut CUgraph, originalGraph: CUgraph) -> Result<()> {
    if phGraphClone.is_null() {
        return Err(Error::InvalidValue);
    }
    put(phGraphClone, CUgraph(driver()?.clone_graph(originalGraph.0 as u64)? as usize))
}

pub unsafe fn cuGraphDestroyNode(hNode: CUgraphNode) -> Result<()> {
    driver()?.destroy_node(hNode.0 as u64)
}

pub unsafe fn cuGraphGetNodes(
    hGraph: CUgraph,
    nodes: *mut CUgraphNode,
    numNodes: *mut usize,
) -> Result<()> {
    let found = lock(&*driver()?.graph(hGraph.0 as u64)?).nodes();
    put_nodes(nodes, numNodes, found)
}

pub unsafe fn cuGraphGetRootNodes(
    hGraph: CUgraph,
    rootNodes: *mut CUgraphNode,
    numRootNodes: *mut usize,
) -> Result<()> {
    let found = lock(&*driver()?.graph(hGraph.0 as u64)?).roots();
    put_nodes(rootNodes, numRootNodes, found)
}

pub unsafe fn cuGraphGetEdges(
    hGraph: CUgraph,
    from: *mut CUgraphNode,
    to: *mut CUgraphNode,
    numEdges: *mut usize,
) -> Result<()> {
    // SAFETY: the caller upholds this function's contract.
    unsafe { cuGraphGetEdges_v2(hGraph, from, to, std::ptr::null_mut(), numEdges) }
}

pub unsafe fn cuGraphGetEdges_v2(
    hGraph: CUgraph,
    from: *mut CUgraphNode,
    to: *mut CUgraphNode,
    edgeData: *mut CUgraphEdgeData,
    numEdges: *mut usize,
) -> Result<()> {
    let edges = lock(&*driver()?.graph(hGraph.0 as u64)?).edges();
    if from.is_null() != to.is_null() {
        return Err(Error::InvalidValue);
    }
    let room = take(numEdges.cast_const())?;
    fill_data(
        edgeData,
        room,
        &edges.iter().map(|edge| edge.data).collect::<Vec<_>>(),
        !from.is_null(),
    )?;
    fill_nodes(from, room, edges.iter().map(|edge| edge.from));
    fill_nodes(to, room, edges.iter().map(|edge| edge.to));
    put_count(numEdges, from, edges.len())
}

fn put_dependencies(
    nodes: *mut CUgraphNode,
    data: *mut CUgraphEdgeData,
    count: *mut usize,
    found: &[Dependency],
) -> Result<()> {
    let room = take(count.cast_const())?;
    fill_data(
        data,
        room,
        &found.iter().map(|dependency| dependency.data).collect::<Vec<_>>(),
        !nodes.is_null(),
    )?;
    put_nodes(nodes, count, found.iter().map(|dependency| dependency.node).collect())
}

pub unsafe fn cuGraphNodeGetDependencies(
    hNode: CUgraphNode,
    dependencies: *mut CUgraphNode,
    numDependencies: *mut usize,
) -> Result<()> {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        cuGraphNodeGetDependencies_v2(hNode, dependencies, std::ptr::null_mut(), numDependencies)
    }
}

pub unsafe fn cuGraphNodeGetDependencies_v2(
    hNode: CUgraphNode,
    dependencies: *mut CUgraphNode,
    edgeData: *mut CUgraphEdgeData,
    numDependencies: *mut usize,
) -> Result<()> {
    let found = lock(&*driver()?.graph_of(hNode.0 as u64)?).dependencies(hNode.0 as u64)?;
    put_dependencies(dependencies, edgeData, numDependencies, &found)
}

pub unsafe fn cuGraphNodeGetDependentNodes(
    hNode: CUgraphNode,
    dependentNodes: *mut CUgraphNode,
    numDependentNodes: *mut usize,
) -> Result<()> {
    // SAFETY: the caller upholds this function's contract.
    unsafe {
        cuGraphNodeGetDependentNodes_v2(
            hNode,
            dependentNodes,
            std::ptr::null_mut(),
            numDependentNodes,
        )
    }
}

pub unsafe fn cuGraphNodeGetDependentNodes_v2(
    hNode: CUgraphNode,
    dependentNodes: *mut CUgraphNode,
    edgeData: *mut CUgraphEdgeData,
    numDependentNodes: *mut usize,
) -> Result<()> {
    let found = lock(&*driver()?.graph_of(hNode.0 as u64)?).dependents(hNode.0 as u64);
    put_dependencies(dependentNodes, edgeData, numDependentNodes, &found)
}

pub unsafe fn cuGraphAddDependencies(
    hGraph: CUgraph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    numDependencies: usize,
) -> Result<()> {
    // SAFETY: the caller upholds this function's contract.
    unsafe { cuGraphAddDependencies_v2(hGraph, from, to, std::ptr::null(), numDependencies) }
}

pub unsafe fn cuGraphAddDependencies_v2(
    hGraph: CUgraph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    edgeData: *const CUgraphEdgeData,
    numDependencies: usize,
) -> Result<()> {
    let graph = driver()?.graph(hGraph.0 as u64)?;
    lock(&graph).connect(&edges(from, to, edgeData, numDependencies)?)
}

pub unsafe fn cuGraphRemoveDependencies(
    hGraph: CUgraph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    numDependencies: usize,
) -> Result<()> {
    // SAFETY: the caller upholds this function's contract.
    unsafe { cuGraphRemoveDependencies_v2(hGraph, from, to, std::ptr::null(), numDependencies) }
}

pub unsafe fn cuGraphRemoveDependencies_v2(
    hGraph: CUgraph,
    from: *const CUgraphNode,
    to: *const CUgraphNode,
    edgeData: *const CUgraphEdgeData,
    numDependencies: usize,
) -> Result<()> {
    let graph = driver()?.graph(hGraph.0 as u64)?;
    lock(&graph).disconnect(&edges(from, to, edgeData, numDependencies)?)
}

pub unsafe fn cuGraphNodeGetType(hNode: CUgraphNode, type_: *mut CUgraphNodeType) -> Result<()> {
    let graph = driver()?.graph_of(hNode.0 as u64)?;
    let found = lock(&graph).task(hNode.0 as u64)?.node_type();
    put(type_, found)
}
