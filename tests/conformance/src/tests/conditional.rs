//! Conditional nodes: graphs inside a graph that run once, repeatedly or not at all. Kernels
//! decide.

use super::Test;
use super::graph::{Build, Kernel};
use crate::gpu::{Done, Gpu, Outcome, cu, same};
use crate::kernels::STEERING;
use outhaul_abi::types::values::*;
use outhaul_abi::types::*;
use std::ffi::CString;

pub const TESTS: &[Test] = &[
    ("conditional/if_by_default", by_default),
    ("conditional/if_a_kernel_says_so", by_kernel),
    ("conditional/or_else", or_else),
    ("conditional/as_long_as", as_long_as),
    ("conditional/one_of_several", one_of_several),
    ("conditional/inside_another", inside_another),
    ("conditional/captured", captured),
    ("conditional/between_other_nodes", between_others),
    ("conditional/refused", refused),
];

/// A graph with a counter in memory, and kernels that set the conditions of its nodes.
struct Steered<'a> {
    gpu: &'a Gpu,
    build: Build<'a>,
    word: CUdeviceptr,
    /// Kernel that sets a condition.
    choose: CUfunction,
    /// Kernel that adds 1 to a word, and ends a loop when the word reaches a limit.
    count: CUfunction,
}

impl<'a> Steered<'a> {
    fn new(gpu: &'a Gpu) -> Result<Steered<'a>, Outcome> {
        let mut module = CUmodule::NULL;
        let text = CString::new(STEERING).expect("PTX holds no NUL");
        cu!(gpu.cuModuleLoadData(&mut module, text.as_ptr().cast())).ok()?;
        let (choose, count) = (gpu.function(module, "choose")?, gpu.function(module, "count")?);
        let word = gpu.alloc(16)?;
        gpu.write(word, &[0; 4])?;
        Ok(Steered { gpu, build: Build::new(gpu)?, word, choose, count })
    }

    fn condition_of(&self, graph: CUgraph, default: Option<u32>) -> Result<u64, Outcome> {
        let (gpu, mut condition) = (self.gpu, 0);
        let flags = if default.is_some() { GRAPH_COND_ASSIGN_DEFAULT } else { 0 };
        cu!(gpu.cuGraphConditionalHandleCreate(
            &mut condition,
            graph,
            gpu.context,
            default.unwrap_or(0),
            flags
        ))
        .ok()?;
        Ok(condition)
    }

    fn condition(&self, default: Option<u32>) -> Result<u64, Outcome> {
        self.condition_of(self.build.graph, default)
    }

    fn add_to(
        &self,
        graph: CUgraph,
        after: &[CUgraphNode],
        condition: u64,
        kind: i32,
        size: u32,
    ) -> Result<Node, CUresult> {
        let gpu = self.gpu;
        let asked = CUDA_CONDITIONAL_NODE_PARAMS {
            handle: condition,
            type_: kind,
            size,
            phGraph_out: std::ptr::null_mut(),
            ctx: gpu.context,
        };
        let mut params = CUgraphNodeParams {
            type_: GRAPH_NODE_TYPE_CONDITIONAL,
            reserved0: [0; 3],
            words: [0; 29],
            reserved2: 0,
        };
        let words: *mut CUDA_CONDITIONAL_NODE_PARAMS = (&raw mut params.words).cast();
        let mut node = CUgraphNode::NULL;
        // SAFETY: the words are large enough for the description. On success the driver stores a
        // pointer to `size` graphs.
        unsafe {
            words.write(asked);
            gpu.driver
                .cuGraphAddNode(&mut node, graph, after.as_ptr(), after.len(), &mut params)
                .ok()?;
            let inside = std::slice::from_raw_parts((*words).phGraph_out, size as usize).to_vec();
            Ok(Node { node, inside })
        }
    }

    fn add(
        &self,
        after: &[CUgraphNode],
        condition: u64,
        kind: i32,
        size: u32,
    ) -> Result<Node, Outcome> {
        Ok(self.add_to(self.build.graph, after, condition, kind, size)?)
    }

    /// Returns a builder for a graph inside a node.
    fn inside(&self, graph: CUgraph) -> Build<'a> {
        self.build.of(graph)
    }

    fn choose(
        &self,
        after: &[CUgraphNode],
        condition: u64,
        value: u32,
    ) -> Result<CUgraphNode, Outcome> {
        self.build.kernel(after, &Kernel::new(self.choose, 1, condition, &[value]))
    }

    fn words(&self) -> Result<Vec<u32>, Outcome> {
        self.gpu.read(self.word, 4)
    }
}

struct Node {
    node: CUgraphNode,
    inside: Vec<CUgraph>,
}

fn by_default(gpu: &Gpu) -> Done {
    for (default, expected) in [(1, 15), (7, 15), (0, 0)] {
        let steered = Steered::new(gpu)?;
        let node = steered.add(&[], steered.condition(Some(default))?, GRAPH_COND_TYPE_IF, 1)?;
        let mut kind = 0;
        cu!(gpu.cuGraphNodeGetType(node.node, (&raw mut kind).cast())).ok()?;
        same("the node's type", kind, GRAPH_NODE_TYPE_CONDITIONAL)?;
        steered.inside(node.inside[0]).add(&[], steered.word, 5)?;
        let exec = gpu.instantiate(steered.build.graph)?;
        for _ in 0..3 {
            gpu.replay(exec, CUstream::NULL)?;
        }
        same("three launches", steered.words()?[0], expected)?;
        cu!(gpu.cuGraphExecDestroy(exec)).ok()?;
        cu!(gpu.cuGraphDestroy(steered.build.graph)).ok()?;
    }
    Ok(())
}

fn by_kernel(gpu: &Gpu) -> Done {
    for (value, expected) in [(1, 5), (0, 0)] {
        let steered = Steered::new(gpu)?;
        // A kernel before the node overrides the default.
        let condition = steered.condition(Some(1 - value))?;
        let chosen = steered.choose(&[], condition, value)?;
        let node = steered.add(&[chosen], condition, GRAPH_COND_TYPE_IF, 1)?;
        steered.inside(node.inside[0]).add(&[], steered.word, 5)?;
        steered.build.run()?;
        same("the word", steered.words()?[0], expected)?;
    }
    Ok(())
}

fn or_else(gpu: &Gpu) -> Done {
    for (default, expected) in [(1, [5, 0]), (0, [0, 7])] {
        let steered = Steered::new(gpu)?;
        let node = steered.add(&[], steered.condition(Some(default))?, GRAPH_COND_TYPE_IF, 2)?;
        steered.inside(node.inside[0]).add(&[], steered.word, 5)?;
        steered.inside(node.inside[1]).add(&[], steered.word + 4, 7)?;
        steered.build.run()?;
        same("the words", steered.words()?[..2].to_vec(), expected.to_vec())?;
    }
    Ok(())
}

fn as_long_as(gpu: &Gpu) -> Done {
    let steered = Steered::new(gpu)?;
    let condition = steered.condition(Some(1))?;
    let node = steered.add(&[], condition, GRAPH_COND_TYPE_WHILE, 1)?;
    let inside = steered.inside(node.inside[0]);
    let counted =
        inside.kernel(&[], &Kernel::over(steered.count, 1, &[condition, steered.word], &[100]))?;
    inside.add(&[counted], steered.word + 4, 3)?;
    let exec = gpu.instantiate(steered.build.graph)?;
    gpu.replay(exec, CUstream::NULL)?;
    same("a hundred rounds", steered.words()?[..2].to_vec(), vec![100, 300])?;
    // The count now reaches the limit in the first round.
    gpu.replay(exec, CUstream::NULL)?;
    same("one round more", steered.words()?[..2].to_vec(), vec![101, 303])
}

fn one_of_several(gpu: &Gpu) -> Done {
    for (value, expected) in [(0, [1, 0, 0]), (2, [0, 0, 3]), (3, [0, 0, 0]), (u32::MAX, [0, 0, 0])]
    {
        let steered = Steered::new(gpu)?;
        let condition = steered.condition(None)?;
        let chosen = steered.choose(&[], condition, value)?;
        let node = steered.add(&[chosen], condition, GRAPH_COND_TYPE_SWITCH, 3)?;
        for (i, graph) in node.inside.iter().enumerate() {
            steered.inside(*graph).add(&[], steered.word + 4 * i as u64, i as u32 + 1)?;
        }
        steered.build.run()?;
        same("the words", steered.words()?[..3].to_vec(), expected.to_vec())?;
    }
    Ok(())
}

fn inside_another(gpu: &Gpu) -> Done {
    let steered = Steered::new(gpu)?;
    let condition = steered.condition(Some(1))?;
    let outer = steered.add(&[], condition, GRAPH_COND_TYPE_WHILE, 1)?;
    let inside = steered.inside(outer.inside[0]);
    let counted =
        inside.kernel(&[], &Kernel::over(steered.count, 1, &[condition, steered.word], &[10]))?;
    let always = steered.condition_of(outer.inside[0], Some(1))?;
    let inner = steered.add_to(outer.inside[0], &[counted], always, GRAPH_COND_TYPE_IF, 1)?;
    steered.inside(inner.inside[0]).add(&[], steered.word + 4, 2)?;
    steered.build.run()?;
    same("ten rounds", steered.words()?[..2].to_vec(), vec![10, 20])?;
    // The outer graph's destruction also destroys the graphs inside.
    Ok(cu!(gpu.cuGraphDestroy(steered.build.graph)).ok()?)
}

fn captured(gpu: &Gpu) -> Done {
    let steered = Steered::new(gpu)?;
    let node = steered.add(&[], steered.condition(Some(1))?, GRAPH_COND_TYPE_IF, 1)?;
    let stream = gpu.stream(1)?;
    let (none, data) = (std::ptr::null(), std::ptr::null());
    cu!(gpu.cuStreamBeginCaptureToGraph(
        stream,
        node.inside[0],
        none,
        data,
        0,
        STREAM_CAPTURE_MODE_RELAXED
    ))
    .ok()?;
    cu!(gpu.cuMemsetD32Async(steered.word, 9, 4, stream)).ok()?;
    gpu.launch(steered.build.add, (1, 4), stream, steered.word, &[4, 1]).ok()?;
    same("the graph", gpu.end_capture(stream)?, node.inside[0])?;
    steered.build.run()?;
    same("the words", steered.words()?, vec![10; 4])
}

fn between_others(gpu: &Gpu) -> Done {
    let steered = Steered::new(gpu)?;
    let before = steered.build.add(&[], steered.word, 1)?;
    let node = steered.add(&[before], steered.condition(Some(1))?, GRAPH_COND_TYPE_IF, 1)?;
    // The graph inside copies the word that the kernel before the node wrote. The kernel after the
    // node adds 10.
    let inside = steered.inside(node.inside[0]);
    let copy = super::graph::to_device(
        super::graph::from_device(super::graph::flat_copy(4), steered.word),
        steered.word + 4,
    );
    inside.copy(&[], &copy)?;
    steered.build.add(&[node.node], steered.word, 10)?;
    steered.build.run()?;
    same("the words", steered.words()?[..2].to_vec(), vec![11, 1])
}

fn refused(gpu: &Gpu) -> Done {
    let steered = Steered::new(gpu)?;
    let graph = steered.build.graph;
    let condition = steered.condition(Some(1))?;
    for (kind, size) in
        [(GRAPH_COND_TYPE_IF, 0), (GRAPH_COND_TYPE_IF, 3), (GRAPH_COND_TYPE_WHILE, 2), (99, 1)]
    {
        let refused =
            steered.add_to(graph, &[], condition, kind, size).map(|node| node.inside.len());
        same(&format!("{size} graphs in a node of kind {kind}"), refused.is_err(), true)?;
    }
    let mut count = 1;
    cu!(gpu.cuGraphGetNodes(graph, std::ptr::null_mut(), &mut count)).ok()?;
    same("the nodes that exist", count, 0)?;
    let mut number = 0;
    let wrong = cu!(gpu.cuGraphConditionalHandleCreate(&mut number, graph, gpu.context, 0, 8));
    same("an unknown flag", wrong, CUresult::INVALID_VALUE)
}
