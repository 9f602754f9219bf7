//! Graphs that allocate memory, by captured calls or by nodes, and allocations that outlive a
//! launch.

use super::Test;
use super::graph::{Build, Kernel, flat_copy, from_device, to_device};
use crate::gpu::{Done, Gpu, Outcome, cu, same};
use outhaul_abi::types::*;
use std::ffi::c_void;

pub const TESTS: &[Test] = &[
    ("graph_memory/captured", captured),
    ("graph_memory/nodes", nodes),
    ("graph_memory/general_nodes", general_nodes),
    ("graph_memory/lives_on_behind_a_launch", lives_on),
    ("graph_memory/taken_back_at_the_next_launch", taken_back),
    ("graph_memory/freed_by_another_graph", freed_elsewhere),
    ("graph_memory/outlives_its_graph", outlives),
    ("graph_memory/is_accounted_for", accounts),
    ("graph_memory/refused", refused),
    ("graph_memory/without_descriptions", without_descriptions),
];

const WORDS: usize = 1 << 16;
const BYTES: usize = WORDS * 4;
/// The flag `CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH`.
const FREE_ON_LAUNCH: u64 = 1;

fn described() -> CUDA_MEM_ALLOC_NODE_PARAMS {
    // SAFETY: all-zero bytes are valid for a struct of numbers and pointers.
    let mut params: CUDA_MEM_ALLOC_NODE_PARAMS = unsafe { std::mem::zeroed() };
    params.poolProps.allocType = values::MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location = CUmemLocation { type_: values::MEM_LOCATION_TYPE_DEVICE, id: 0 };
    params.bytesize = BYTES;
    params
}

/// Captures calls into a graph and returns it. The graph allocates memory, fills it, adds 1, and
/// copies to `out`. If asked, the graph also frees the memory.
fn capture(
    gpu: &Gpu,
    out: CUdeviceptr,
    value: u32,
    free: bool,
) -> Result<(CUgraph, CUdeviceptr), Outcome> {
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let add = gpu.function(gpu.module()?, "add")?;
    let mut memory = 0;
    gpu.begin_capture(stream)?;
    cu!(gpu.cuMemAllocAsync(&mut memory, BYTES, stream)).ok()?;
    cu!(gpu.cuMemsetD32Async(memory, value, WORDS, stream)).ok()?;
    gpu.launch(add, (WORDS as u32 / 256, 256), stream, memory, &[WORDS as u32, 1]).ok()?;
    cu!(gpu.cuMemcpyDtoDAsync_v2(out, memory, BYTES, stream)).ok()?;
    if free {
        cu!(gpu.cuMemFreeAsync(memory, stream)).ok()?;
    }
    Ok((gpu.end_capture(stream)?, memory))
}

fn captured(gpu: &Gpu) -> Done {
    let out = gpu.alloc(BYTES)?;
    let (graph, _) = capture(gpu, out, 5, true)?;
    let exec = gpu.instantiate(graph)?;
    for _ in 0..3 {
        cu!(gpu.cuMemsetD32_v2(out, 0, WORDS)).ok()?;
        gpu.replay(exec, CUstream::NULL)?;
        same("what it copied", gpu.read(out, WORDS)?.iter().all(|word| *word == 6), true)?;
    }
    let mut count = 0;
    cu!(gpu.cuGraphGetNodes(graph, std::ptr::null_mut(), &mut count)).ok()?;
    same("its nodes", count, 5)
}

fn kind(gpu: &Gpu, node: CUgraphNode) -> Result<i32, Outcome> {
    let mut kind = -1;
    cu!(gpu.cuGraphNodeGetType(node, (&raw mut kind).cast())).ok()?;
    Ok(kind)
}

fn nodes(gpu: &Gpu) -> Done {
    let (build, out) = (Build::new(gpu)?, gpu.alloc(BYTES)?);
    let (mut first, mut last, mut params) = (CUgraphNode::NULL, CUgraphNode::NULL, described());
    cu!(gpu.cuGraphAddMemAllocNode(&mut first, build.graph, std::ptr::null(), 0, &mut params))
        .ok()?;
    let memory = params.dptr;
    let fill = CUDA_MEMSET_NODE_PARAMS {
        dst: memory,
        pitch: 0,
        value: 7,
        elementSize: 4,
        width: WORDS,
        height: 1,
    };
    let filled = build.fill(&[first], fill)?;
    let added = build.kernel(&[filled], &Kernel::new(build.add, 32, memory, &[32, 1]))?;
    let copied = build.copy(&[added], &to_device(from_device(flat_copy(BYTES), memory), out))?;
    cu!(gpu.cuGraphAddMemFreeNode(&mut last, build.graph, &copied, 1, memory)).ok()?;
    let exec = gpu.instantiate(build.graph)?;
    for _ in 0..3 {
        gpu.replay(exec, CUstream::NULL)?;
        let found = gpu.read(out, WORDS)?;
        same("the ends", (found[0], found[31], found[32], found[WORDS - 1]), (8, 8, 7, 7))?;
    }
    let kinds = (kind(gpu, first)?, kind(gpu, last)?);
    same("kinds", kinds, (values::GRAPH_NODE_TYPE_MEM_ALLOC, values::GRAPH_NODE_TYPE_MEM_FREE))?;
    let (mut found, mut freed) = (described(), 0);
    cu!(gpu.cuGraphMemAllocNodeGetParams(first, &mut found)).ok()?;
    cu!(gpu.cuGraphMemFreeNodeGetParams(last, &mut freed)).ok()?;
    same(
        "what they were given",
        (found.dptr, found.bytesize >= BYTES, freed),
        (memory, true, memory),
    )
}

fn general_nodes(gpu: &Gpu) -> Done {
    let (build, out) = (Build::new(gpu)?, gpu.alloc(BYTES)?);
    let mut params = CUgraphNodeParams {
        type_: values::GRAPH_NODE_TYPE_MEM_ALLOC,
        reserved0: [0; 3],
        words: [0; 29],
        reserved2: 0,
    };
    // SAFETY: the words are large enough for the description.
    let described_there =
        unsafe { &mut *params.words.as_mut_ptr().cast::<CUDA_MEM_ALLOC_NODE_PARAMS>() };
    *described_there = described();
    let (mut first, mut last) = (CUgraphNode::NULL, CUgraphNode::NULL);
    let none = std::ptr::null();
    match cu!(gpu.cuGraphAddNode_v2(
        &mut first,
        build.graph,
        std::ptr::null(),
        std::ptr::null(),
        0,
        &mut params
    )) {
        CUresult::NOT_SUPPORTED => {
            return Err(Outcome::Skipped("the driver is older than CUDA 12.3".into()));
        }
        code => code.ok()?,
    }
    // SAFETY: as above.
    let memory = unsafe { (*params.words.as_ptr().cast::<CUDA_MEM_ALLOC_NODE_PARAMS>()).dptr };
    let fill = CUDA_MEMSET_NODE_PARAMS {
        dst: memory,
        pitch: 0,
        value: 3,
        elementSize: 4,
        width: WORDS,
        height: 1,
    };
    let filled = build.fill(&[first], fill)?;
    let copied = build.copy(&[filled], &to_device(from_device(flat_copy(BYTES), memory), out))?;
    let mut free = CUgraphNodeParams {
        type_: values::GRAPH_NODE_TYPE_MEM_FREE,
        reserved0: [0; 3],
        words: [0; 29],
        reserved2: 0,
    };
    free.words[0] = memory;
    cu!(gpu.cuGraphAddNode_v2(&mut last, build.graph, &copied, none, 1, &mut free)).ok()?;
    build.run()?;
    same("what it copied", gpu.read(out, WORDS)?.iter().all(|word| *word == 3), true)
}

/// The program uses and frees an allocation that a graph did not free.
fn lives_on(gpu: &Gpu) -> Done {
    let out = gpu.alloc(BYTES)?;
    let (graph, memory) = capture(gpu, out, 10, false)?;
    let exec = gpu.instantiate(graph)?;
    for free in [true, false, true] {
        gpu.replay(exec, CUstream::NULL)?;
        same("what the graph left", gpu.read(memory, WORDS)?.iter().all(|word| *word == 11), true)?;
        same(
            "a launch on top of it",
            cu!(gpu.cuGraphLaunch(exec, CUstream::NULL)),
            CUresult::INVALID_VALUE,
        )?;
        if free {
            cu!(gpu.cuMemFreeAsync(memory, CUstream::NULL)).ok()?;
        } else {
            cu!(gpu.cuMemFree_v2(memory)).ok()?;
        }
    }
    Ok(())
}

fn taken_back(gpu: &Gpu) -> Done {
    let out = gpu.alloc(BYTES)?;
    let (graph, memory) = capture(gpu, out, 20, false)?;
    let mut exec = CUgraphExec::NULL;
    cu!(gpu.cuGraphInstantiateWithFlags(&mut exec, graph, FREE_ON_LAUNCH)).ok()?;
    for _ in 0..3 {
        gpu.replay(exec, CUstream::NULL)?;
        same("what the graph left", gpu.read(memory, WORDS)?.iter().all(|word| *word == 21), true)?;
    }
    Ok(cu!(gpu.cuMemFree_v2(memory)).ok()?)
}

fn freed_elsewhere(gpu: &Gpu) -> Done {
    let out = gpu.alloc(BYTES)?;
    let (graph, memory) = capture(gpu, out, 30, false)?;
    let first = gpu.instantiate(graph)?;
    let stream = gpu.stream(0)?;
    gpu.begin_capture(stream)?;
    cu!(gpu.cuMemcpyDtoDAsync_v2(out, memory, BYTES, stream)).ok()?;
    cu!(gpu.cuMemFreeAsync(memory, stream)).ok()?;
    let second = gpu.instantiate(gpu.end_capture(stream)?)?;
    for _ in 0..3 {
        cu!(gpu.cuGraphLaunch(first, stream)).ok()?;
        cu!(gpu.cuMemsetD32Async(out, 0, WORDS, stream)).ok()?;
        gpu.replay(second, stream)?;
        same("what was copied", gpu.read(out, WORDS)?.iter().all(|word| *word == 31), true)?;
    }
    Ok(())
}

/// The program may use a graph's allocation after the graph is destroyed.
fn outlives(gpu: &Gpu) -> Done {
    let out = gpu.alloc(BYTES)?;
    let (graph, memory) = capture(gpu, out, 40, false)?;
    let exec = gpu.instantiate(graph)?;
    gpu.replay(exec, CUstream::NULL)?;
    cu!(gpu.cuGraphExecDestroy(exec)).ok()?;
    cu!(gpu.cuGraphDestroy(graph)).ok()?;
    let other = gpu.alloc(BYTES)?;
    cu!(gpu.cuMemsetD32_v2(other, 1, WORDS)).ok()?;
    same("what the graph left", gpu.read(memory, WORDS)?.iter().all(|word| *word == 41), true)?;
    Ok(cu!(gpu.cuMemFree_v2(memory)).ok()?)
}

fn accounts(gpu: &Gpu) -> Done {
    let bytes = |attribute: i32| {
        let mut bytes = 0u64;
        cu!(gpu.cuDeviceGetGraphMemAttribute(0, attribute, (&raw mut bytes).cast())).ok()?;
        Ok::<_, Outcome>(bytes)
    };
    let out = gpu.alloc(BYTES)?;
    let (graph, memory) = capture(gpu, out, 1, false)?;
    let exec = gpu.instantiate(graph)?;
    gpu.replay(exec, CUstream::NULL)?;
    same("used", bytes(0)? >= BYTES as u64 && bytes(1)? >= BYTES as u64, true)?;
    same("held", bytes(2)? >= BYTES as u64, true)?;
    cu!(gpu.cuMemFree_v2(memory)).ok()?;
    cu!(gpu.cuGraphExecDestroy(exec)).ok()?;
    cu!(gpu.cuGraphDestroy(graph)).ok()?;
    gpu.synchronize().ok()?;
    cu!(gpu.cuDeviceGraphMemTrim(0)).ok()?;
    same("at the end", (bytes(0)?, bytes(2)?), (0, 0))?;
    let mut none = 0u64;
    cu!(gpu.cuDeviceSetGraphMemAttribute(0, 1, (&raw mut none).cast())).ok()?;
    same("at most, set back", bytes(1)?, 0)
}

fn without_descriptions(gpu: &Gpu) -> Done {
    gpu.require_checks()?;
    let (build, mut node, mut params) = (Build::new(gpu)?, CUgraphNode::NULL, described());
    for (count, expected) in [(1, CUresult::INVALID_VALUE), (0, CUresult::SUCCESS)] {
        (params.accessDescs, params.accessDescCount) = (std::ptr::null(), count);
        let none = std::ptr::null();
        let found = cu!(gpu.cuGraphAddMemAllocNode(&mut node, build.graph, none, 0, &mut params));
        same("a node without descriptions", found, expected)?;
    }
    Ok(())
}

fn refused(gpu: &Gpu) -> Done {
    let (build, mut node) = (Build::new(gpu)?, CUgraphNode::NULL);
    let own = gpu.alloc(4096)?;
    let result = cu!(gpu.cuGraphAddMemFreeNode(&mut node, build.graph, std::ptr::null(), 0, own));
    same("the program's own memory", result, CUresult::INVALID_VALUE)?;
    let mut params = described();
    cu!(gpu.cuGraphAddMemAllocNode(&mut node, build.graph, std::ptr::null(), 0, &mut params))
        .ok()?;
    let memory = params.dptr;
    same("memory before a launch", cu!(gpu.cuMemFree_v2(memory)), CUresult::INVALID_VALUE)?;
    let mut clone = CUgraph::NULL;
    same("a clone", cu!(gpu.cuGraphClone(&mut clone, build.graph)), CUresult::NOT_SUPPORTED)?;
    let none: *mut c_void = std::ptr::null_mut();
    same(
        "no place",
        cu!(gpu.cuGraphMemFreeNodeGetParams(node, none.cast())),
        CUresult::INVALID_VALUE,
    )
}
