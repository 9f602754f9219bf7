//! Contents of graphs and access to them: batched memory operations as nodes, child graphs, and
//! graphs as text.

use super::Test;
use super::graph::{Build, flat_copy, from_device, to_device};
use crate::gpu::{Done, Gpu, Outcome, cu, fail, same};
use outhaul_abi::types::values::*;
use outhaul_abi::types::*;
use std::ffi::CString;

pub const TESTS: &[Test] = &[
    ("graph_inside/operations_on_memory", operations),
    ("graph_inside/operations_are_given_and_changed", changed_operations),
    ("graph_inside/captured_operations", captured_operations),
    ("graph_inside/how_many_operations", how_many),
    ("graph_inside/a_child_graph_is_looked_into", child),
    ("graph_inside/a_child_graph_is_added_to", child_added_to),
    ("graph_inside/a_child_graph_that_is_moved_keeps_its_nodes", moved_child),
    ("graph_inside/other_child_graphs_in_what_runs", other_children),
    ("graph_inside/as_a_text", text),
];

const WRITE_32: u64 = 2;
const WAIT_32: u64 = 1;
const EQUAL: u64 = 1;

fn write(address: CUdeviceptr, value: u64) -> CUstreamBatchMemOpParams {
    CUstreamBatchMemOpParams { words: [WRITE_32, address, value, 0, 0, 0] }
}

fn wait(address: CUdeviceptr, value: u64) -> CUstreamBatchMemOpParams {
    CUstreamBatchMemOpParams { words: [WAIT_32, address, value, EQUAL, 0, 0] }
}

fn batch(gpu: &Gpu, operations: &mut [CUstreamBatchMemOpParams]) -> CUDA_BATCH_MEM_OP_NODE_PARAMS {
    CUDA_BATCH_MEM_OP_NODE_PARAMS {
        ctx: gpu.context,
        count: operations.len() as u32,
        paramArray: operations.as_mut_ptr(),
        flags: 0,
    }
}

fn add(
    gpu: &Gpu,
    graph: CUgraph,
    after: &[CUgraphNode],
    operations: &mut [CUstreamBatchMemOpParams],
) -> Result<CUgraphNode, Outcome> {
    let mut node = CUgraphNode::NULL;
    match cu!(gpu.cuGraphAddBatchMemOpNode(
        &mut node,
        graph,
        after.as_ptr(),
        after.len(),
        &batch(gpu, operations)
    )) {
        CUresult::NOT_SUPPORTED => {
            Err(Outcome::Skipped("graphs have no operations on memory".into()))
        }
        result => Ok(result.ok().map(|()| node)?),
    }
}

fn kind(gpu: &Gpu, node: CUgraphNode) -> Result<i32, Outcome> {
    let mut kind = -1;
    cu!(gpu.cuGraphNodeGetType(node, &mut kind)).ok()?;
    Ok(kind)
}

fn operations(gpu: &Gpu) -> Done {
    let (build, memory) = (Build::new(gpu)?, gpu.alloc(64)?);
    gpu.write(memory, &[0; 4])?;
    let first =
        add(gpu, build.graph, &[], &mut [write(memory, 5), wait(memory, 5), write(memory + 4, 6)])?;
    same("its type", kind(gpu, first)?, GRAPH_NODE_TYPE_BATCH_MEM_OP)?;
    build.add(&[first], memory, 10)?;
    let exec = gpu.instantiate(build.graph)?;
    for _ in 0..2 {
        gpu.replay(exec, CUstream::NULL)?;
        same("after a launch", gpu.read(memory, 2)?, vec![15, 6])?;
    }
    Ok(())
}

fn changed_operations(gpu: &Gpu) -> Done {
    let (build, memory) = (Build::new(gpu)?, gpu.alloc(64)?);
    gpu.write(memory, &[0; 4])?;
    let node = add(gpu, build.graph, &[], &mut [write(memory, 1), write(memory + 4, 2)])?;
    let mut found = batch(gpu, &mut []);
    cu!(gpu.cuGraphBatchMemOpNodeGetParams(node, &mut found)).ok()?;
    same("how many", (found.count, found.flags, found.paramArray.is_null()), (2, 0, false))?;
    // SAFETY: the driver reports this number of operations.
    let given = unsafe { std::slice::from_raw_parts(found.paramArray, 2) };
    same("what it was given", [given[0].words[1], given[1].words[1]], [memory, memory + 4])?;
    same("the values", [given[0].words[2] as u32, given[1].words[2] as u32], [1, 2])?;
    let exec = gpu.instantiate(build.graph)?;
    cu!(gpu.cuGraphExecBatchMemOpNodeSetParams(
        exec,
        node,
        &batch(gpu, &mut [write(memory, 8), write(memory + 4, 9)])
    ))
    .ok()?;
    gpu.replay(exec, CUstream::NULL)?;
    same("others in a graph that runs", gpu.read(memory, 2)?, vec![8, 9])?;
    cu!(gpu.cuGraphBatchMemOpNodeSetParams(
        node,
        &batch(gpu, &mut [write(memory, 3), write(memory + 4, 4)])
    ))
    .ok()?;
    gpu.replay(gpu.instantiate(build.graph)?, CUstream::NULL)?;
    same("others in later graphs", gpu.read(memory, 2)?, vec![3, 4])?;
    let mut without = batch(gpu, &mut []);
    without.ctx = CUcontext::NULL;
    let mut node = CUgraphNode::NULL;
    let refused =
        cu!(gpu.cuGraphAddBatchMemOpNode(&mut node, build.graph, std::ptr::null(), 0, &without));
    same("without a context", refused, CUresult::INVALID_VALUE)
}

fn captured_operations(gpu: &Gpu) -> Done {
    let (stream, memory) = (gpu.stream(STREAM_NON_BLOCKING)?, gpu.alloc(64)?);
    gpu.write(memory, &[0; 4])?;
    gpu.begin_capture(stream)?;
    let mut operations = [write(memory, 5), write(memory + 4, 6)];
    cu!(gpu.cuStreamBatchMemOp_v2(stream, 2, operations.as_mut_ptr(), 0)).ok()?;
    cu!(gpu.cuStreamWriteValue32_v2(stream, memory + 8, 7, 0)).ok()?;
    let graph = gpu.end_capture(stream)?;
    let (mut nodes, mut count) = ([CUgraphNode::NULL; 4], 4);
    cu!(gpu.cuGraphGetNodes(graph, nodes.as_mut_ptr(), &mut count)).ok()?;
    same("its nodes", count, 2)?;
    same("their type", kind(gpu, nodes[0])?, GRAPH_NODE_TYPE_BATCH_MEM_OP)?;
    same("nothing has happened", gpu.read(memory, 3)?, vec![0; 3])?;
    gpu.replay(gpu.instantiate(graph)?, stream)?;
    same("after a launch", gpu.read(memory, 3)?, vec![5, 6, 7])
}

fn how_many(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(4096)?;
    let mut operations: Vec<_> = (0..256).map(|i| write(memory + 4 * i, i)).collect();
    for count in [6, 255] {
        gpu.write(memory, &[1 << 20; 256])?;
        cu!(gpu.cuStreamBatchMemOp_v2(CUstream::NULL, count, operations.as_mut_ptr(), 0)).ok()?;
        same("what they wrote", gpu.read(memory, count as usize)?, (0..count).collect())?;
    }
    let refused = cu!(gpu.cuStreamBatchMemOp_v2(CUstream::NULL, 256, operations.as_mut_ptr(), 0));
    same("one more", refused, CUresult::INVALID_VALUE)
}

/// Returns a graph with a child graph that adds to a word, and the child's node.
fn parent<'a>(gpu: &'a Gpu, word: CUdeviceptr) -> Result<(Build<'a>, CUgraphNode), Outcome> {
    let (inside, around) = (Build::new(gpu)?, Build::new(gpu)?);
    inside.add(&[], word, 5)?;
    let mut node = CUgraphNode::NULL;
    cu!(gpu.cuGraphAddChildGraphNode(&mut node, around.graph, std::ptr::null(), 0, inside.graph))
        .ok()?;
    Ok((around, node))
}

fn graph_in(gpu: &Gpu, node: CUgraphNode) -> Result<CUgraph, Outcome> {
    let mut graph = CUgraph::NULL;
    match cu!(gpu.cuGraphChildGraphNodeGetGraph(node, &mut graph)) {
        CUresult::NOT_SUPPORTED => Err(Outcome::Skipped("child graphs cannot be read".into())),
        result => Ok(result.ok().map(|()| graph)?),
    }
}

fn child(gpu: &Gpu) -> Done {
    let word = gpu.alloc(64)?;
    let (build, node) = parent(gpu, word)?;
    let inside = graph_in(gpu, node)?;
    same("asked again", graph_in(gpu, node)?, inside)?;
    let (mut nodes, mut count) = ([CUgraphNode::NULL; 4], 4);
    cu!(gpu.cuGraphGetNodes(inside, nodes.as_mut_ptr(), &mut count)).ok()?;
    same("what is in it", (count, kind(gpu, nodes[0])?), (1, GRAPH_NODE_TYPE_KERNEL))?;
    same(
        "it is destroyed with the node",
        cu!(gpu.cuGraphDestroy(inside)),
        CUresult::INVALID_VALUE,
    )?;
    let mut graph = CUgraph::NULL;
    let mut empty = CUgraphNode::NULL;
    cu!(gpu.cuGraphAddEmptyNode(&mut empty, build.graph, std::ptr::null(), 0)).ok()?;
    same(
        "no child",
        cu!(gpu.cuGraphChildGraphNodeGetGraph(empty, &mut graph)),
        CUresult::INVALID_VALUE,
    )
}

fn child_added_to(gpu: &Gpu) -> Done {
    let word = gpu.alloc(64)?;
    gpu.write(word, &[0; 2])?;
    let (build, node) = parent(gpu, word)?;
    let before = gpu.instantiate(build.graph)?;
    let inside = build.of(graph_in(gpu, node)?);
    inside.add(&[], word + 4, 7)?;
    gpu.replay(before, CUstream::NULL)?;
    same("a graph that was made before", gpu.read(word, 2)?, vec![5, 0])?;
    gpu.replay(gpu.instantiate(build.graph)?, CUstream::NULL)?;
    same("one that was made then", gpu.read(word, 2)?, vec![10, 7])
}

/// Changes nodes of a child graph inside the executable graph, as XLA's loops do.
fn moved_child(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(64)?;
    gpu.write(memory, &[1, 2, 0, 0, 0])?;
    let around = Build::new(gpu)?;
    let mut inside = CUgraph::NULL;
    cu!(gpu.cuGraphCreate(&mut inside, 0)).ok()?;
    let build = around.of(inside);
    let copy = |from: u64, to: u64| {
        to_device(from_device(flat_copy(4), memory + 4 * from), memory + 4 * to)
    };
    let node = build.copy(&[], &copy(0, 2))?;
    let mut params = CUgraphNodeParams {
        type_: GRAPH_NODE_TYPE_GRAPH,
        reserved0: [0; 3],
        words: [0; 29],
        reserved2: 0,
    };
    params.words[..2].copy_from_slice(&[inside.0 as u64, GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE as u64]);
    let (other, mut outer) = (Build::new(gpu)?, CUgraphNode::NULL);
    let stranger = other.copy(&[], &copy(0, 2))?;
    let mut refused =
        || cu!(gpu.cuGraphAddNode(&mut outer, around.graph, &stranger, 1, &mut params));
    same("moved after a node of another graph", refused() == CUresult::SUCCESS, false)?;
    let mut add =
        || cu!(gpu.cuGraphAddNode(&mut outer, around.graph, std::ptr::null(), 0, &mut params));
    if add() != CUresult::SUCCESS {
        cu!(gpu.cuGraphDestroy(inside)).ok()?;
        return Err(Outcome::Skipped("graphs cannot be moved into others".into()));
    }
    same("moved twice", add(), CUresult::NOT_SUPPORTED)?;
    same(
        "it is destroyed with the other",
        cu!(gpu.cuGraphDestroy(inside)),
        CUresult::INVALID_VALUE,
    )?;
    let exec = gpu.instantiate(around.graph)?;
    gpu.replay(exec, CUstream::NULL)?;
    same("as it was made", gpu.read(memory, 5)?, vec![1, 2, 1, 0, 0])?;
    cu!(gpu.cuGraphExecMemcpyNodeSetParams(exec, node, &copy(1, 3), gpu.context)).ok()?;
    gpu.replay(exec, CUstream::NULL)?;
    same("changed in what runs", gpu.read(memory, 5)?, vec![1, 2, 1, 2, 0])?;
    build.copy(&[node], &copy(3, 4))?;
    gpu.write(memory, &[7])?;
    gpu.replay(gpu.instantiate(around.graph)?, CUstream::NULL)?;
    same("added to", gpu.read(memory, 5)?, vec![7, 2, 7, 2, 2])
}

/// Replaces a node's child graph repeatedly. The child graphs also change in between.
fn other_children(gpu: &Gpu) -> Done {
    let memory = gpu.alloc(64)?;
    gpu.write(memory, &[1, 2, 0, 0])?;
    let copy = |from: u64, to: u64| {
        to_device(from_device(flat_copy(4), memory + 4 * from), memory + 4 * to)
    };
    let outer = Build::new(gpu)?;
    let children = [Build::new(gpu)?, Build::new(gpu)?];
    let first = children[0].copy(&[], &copy(0, 2))?;
    children[1].copy(&[], &copy(1, 2))?;
    let mut node = CUgraphNode::NULL;
    let child = children[0].graph;
    cu!(gpu.cuGraphAddChildGraphNode(&mut node, outer.graph, std::ptr::null(), 0, child)).ok()?;
    let exec = gpu.instantiate(outer.graph)?;
    let give = |child: usize| {
        cu!(gpu.cuGraphExecChildGraphNodeSetParams(exec, node, children[child].graph))
    };
    for (child, expected) in [(1, 2), (1, 2), (0, 1), (0, 1), (1, 2)] {
        give(child).ok()?;
        gpu.replay(exec, CUstream::NULL)?;
        same("after another child", gpu.read(memory, 4)?, vec![1, 2, expected, 0])?;
    }
    give(0).ok()?;
    cu!(gpu.cuGraphMemcpyNodeSetParams(first, &copy(0, 3))).ok()?;
    give(0).ok()?;
    gpu.replay(exec, CUstream::NULL)?;
    same("after the child has changed", gpu.read(memory, 4)?, vec![1, 2, 2, 1])?;
    children[0].copy(&[first], &copy(3, 2))?;
    same("a child with more nodes is refused", give(0) == CUresult::SUCCESS, false)?;
    Ok(give(1).ok()?)
}

fn text(gpu: &Gpu) -> Done {
    let word = gpu.alloc(64)?;
    let (build, node) = parent(gpu, word)?;
    let mut last = CUgraphNode::NULL;
    cu!(gpu.cuGraphAddEmptyNode(&mut last, build.graph, &node, 1)).ok()?;
    let path = std::env::temp_dir().join(format!("conformance-{}.dot", std::process::id()));
    let name = CString::new(path.to_string_lossy().into_owned()).expect("a path holds no NUL");
    match cu!(gpu.cuGraphDebugDotPrint(build.graph, name.as_ptr(), 0)) {
        CUresult::NOT_SUPPORTED => return Err(Outcome::Skipped("graphs are not printed".into())),
        result => result.ok()?,
    }
    let text = std::fs::read_to_string(&path).map_err(|e| Outcome::Failed(e.to_string()))?;
    let _ = std::fs::remove_file(&path);
    for part in ["digraph", "EMPTY", "->"] {
        if !text.contains(part) {
            return fail(format!("no {part} in {text}"));
        }
    }
    same("two graphs", text.matches("subgraph").count(), 2)?;
    let nowhere =
        cu!(gpu.cuGraphDebugDotPrint(build.graph, c"/no/such/folder/graph.dot".as_ptr(), 0));
    same("nowhere", nowhere, CUresult::OPERATING_SYSTEM)
}
