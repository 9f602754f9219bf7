//! Node parameters: queries, and replacement in graphs and in executable graphs.

use super::Test;
use super::graph::{
    Build, Kernel, double, flat_copy, from_device, increment, to_device, word_fill,
};
use crate::gpu::{Done, Gpu, cu, same};
use outhaul_abi::types::*;
use std::ffi::c_void;

pub const TESTS: &[Test] = &[
    ("graph_params/fill", fill),
    ("graph_params/copy_on_the_device", copy_on_device),
    ("graph_params/copies_with_the_program", copies_with_program),
    ("graph_params/copies_in_a_clone", copies_in_clone),
    ("graph_params/copies_with_the_program_of_a_graph_that_runs", exec_copies_with_program),
    ("graph_params/host_function", host_function),
    ("graph_params/host_function_of_a_graph_that_runs", exec_host_function),
    ("graph_params/kernel_in_the_older_form", older_kernel),
    ("graph_params/kernel_attributes", kernel_attributes),
    ("graph_params/events", events),
    ("graph_params/any_kind_of_node", any_kind),
    ("graph_params/older_update", older_update),
    ("graph_params/of_another_kind", another_kind),
];

fn blank_copy() -> CUDA_MEMCPY3D {
    flat_copy(0)
}

fn fill(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(64)?;
    let given = CUDA_MEMSET_NODE_PARAMS {
        dst: memory + 4,
        pitch: 16,
        value: 0x2222,
        elementSize: 2,
        width: 4,
        height: 3,
    };
    let node = build.fill(&[], given)?;
    let mut found = word_fill(0, 0);
    cu!(gpu.cuGraphMemsetNodeGetParams(node, &mut found)).ok()?;
    same("where", (found.dst, found.pitch), (memory + 4, 16))?;
    same("what", (found.value, found.elementSize, found.width, found.height), (0x2222, 2, 4, 3))
}

fn copy_on_device(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(64)?;
    gpu.write(memory, &[1, 2, 3, 4])?;
    let node = build.copy(&[], &to_device(from_device(flat_copy(4), memory), memory + 16))?;
    let mut found = blank_copy();
    cu!(gpu.cuGraphMemcpyNodeGetParams(node, &mut found)).ok()?;
    same(
        "from where to where",
        (found.srcDevice, found.dstDevice, found.WidthInBytes),
        (memory, memory + 16, 4),
    )?;
    let other = to_device(from_device(flat_copy(4), memory + 4), memory + 20);
    cu!(gpu.cuGraphMemcpyNodeSetParams(node, &other)).ok()?;
    cu!(gpu.cuGraphMemcpyNodeGetParams(node, &mut found)).ok()?;
    same("changed", (found.srcDevice, found.dstDevice), (memory + 4, memory + 20))?;
    let exec = gpu.instantiate(build.graph)?;
    gpu.write(memory + 16, &[0, 0, 0])?;
    gpu.replay(exec, CUstream::NULL)?;
    same("after the change", gpu.read(memory + 16, 3)?, vec![0, 2, 0])?;
    let third = to_device(from_device(flat_copy(4), memory + 8), memory + 24);
    cu!(gpu.cuGraphExecMemcpyNodeSetParams(exec, node, &third, gpu.context)).ok()?;
    gpu.replay(exec, CUstream::NULL)?;
    same("after the change of what runs", gpu.read(memory + 16, 3)?, vec![0, 2, 3])?;
    cu!(gpu.cuGraphMemcpyNodeGetParams(node, &mut found)).ok()?;
    same("the graph", (found.srcDevice, found.dstDevice), (memory + 4, memory + 20))
}

/// A graph that copies words to the device and back.
struct Both<'a> {
    build: Build<'a>,
    memory: CUdeviceptr,
    source: &'static mut [u32],
    back: &'static mut [u32],
    nodes: [CUgraphNode; 2],
}

impl<'a> Both<'a> {
    fn new(gpu: &'a Gpu) -> Result<Both<'a>, crate::gpu::Outcome> {
        let build = Build::new(gpu)?;
        let (memory, source, back) = (gpu.alloc(64)?, gpu.pinned(16)?, gpu.pinned(16)?);
        let mut copy_in = to_device(flat_copy(64), memory);
        (copy_in.srcMemoryType, copy_in.srcHost) =
            (values::MEMORYTYPE_HOST, source.as_ptr().cast());
        let mut copy_out = from_device(flat_copy(64), memory);
        (copy_out.dstMemoryType, copy_out.dstHost) =
            (values::MEMORYTYPE_HOST, back.as_mut_ptr().cast());
        let first = build.copy(&[], &copy_in)?;
        let second = build.copy(&[first], &copy_out)?;
        Ok(Both { build, memory, source, back, nodes: [first, second] })
    }
}

fn copies_with_program(gpu: &Gpu) -> Done {
    let both = Both::new(gpu)?;
    let [first, second] = both.nodes;
    let mut found = blank_copy();
    cu!(gpu.cuGraphMemcpyNodeGetParams(first, &mut found)).ok()?;
    same(
        "from the program",
        (found.srcMemoryType, found.srcHost),
        (values::MEMORYTYPE_HOST, both.source.as_ptr().cast::<c_void>()),
    )?;
    same("to the device", (found.dstDevice, found.WidthInBytes), (both.memory, 64))?;
    cu!(gpu.cuGraphMemcpyNodeGetParams(second, &mut found)).ok()?;
    let back: *mut c_void = both.back.as_mut_ptr().cast();
    same("to the program", (found.dstMemoryType, found.dstHost), (values::MEMORYTYPE_HOST, back))?;
    same("from the device", (found.srcDevice, found.WidthInBytes), (both.memory, 64))
}

/// Changes the copies of one of two executable graphs while launches of both run. The other graph
/// keeps its copies.
fn exec_copies_with_program(gpu: &Gpu) -> Done {
    const WORDS: usize = 1024;
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(2 * WORDS * 4)?;
    let stream = gpu.stream(values::STREAM_NON_BLOCKING)?;
    let inward = |from: &[u32], to: u64, words: usize| {
        let mut copy = to_device(flat_copy(words * 4), to);
        (copy.srcMemoryType, copy.srcHost) = (values::MEMORYTYPE_HOST, from.as_ptr().cast());
        copy
    };
    let outward = |from: u64, to: &mut [u32], words: usize| {
        let mut copy = from_device(flat_copy(words * 4), from);
        (copy.dstMemoryType, copy.dstHost) = (values::MEMORYTYPE_HOST, to.as_mut_ptr().cast());
        copy
    };
    let (first, second): (Vec<u32>, Vec<u32>) = ((0..1024).collect(), (5000..6024).collect());
    let (mut back, mut other) = (vec![0u32; WORDS], vec![0u32; WORDS]);
    let taken = build.copy(&[], &inward(&first, memory, WORDS))?;
    let given = build.copy(&[taken], &outward(memory, &mut back, WORDS))?;
    let (kept, changed) = (gpu.instantiate(build.graph)?, gpu.instantiate(build.graph)?);
    for round in 1..4u32 {
        let at = memory + u64::from(round) * 16;
        let words = WORDS - 100 * round as usize;
        cu!(gpu.cuGraphLaunch(changed, stream)).ok()?;
        cu!(gpu.cuGraphExecMemcpyNodeSetParams(
            changed,
            taken,
            &inward(&second[round as usize..], at, words),
            gpu.context
        ))
        .ok()?;
        cu!(gpu.cuGraphExecMemcpyNodeSetParams(
            changed,
            given,
            &outward(at, &mut other, words),
            gpu.context
        ))
        .ok()?;
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
        back.fill(0);
        other.fill(0);
        cu!(gpu.cuGraphLaunch(kept, stream)).ok()?;
        cu!(gpu.cuGraphLaunch(changed, stream)).ok()?;
        cu!(gpu.cuStreamSynchronize(stream)).ok()?;
        same("the graph that was not changed", back == first, true)?;
        same("the other one", other[..words] == second[round as usize..][..words], true)?;
        same("after its copy", other[words..].iter().all(|word| *word == 0), true)?;
    }
    let refused = cu!(gpu.cuGraphExecMemcpyNodeSetParams(
        changed,
        taken,
        &outward(memory, &mut other, WORDS),
        gpu.context
    ));
    same("a copy the other way", refused, CUresult::INVALID_VALUE)
}

fn copies_in_clone(gpu: &Gpu) -> Done {
    let both = Both::new(gpu)?;
    let mut clone = CUgraph::NULL;
    cu!(gpu.cuGraphClone(&mut clone, both.build.graph)).ok()?;
    for original in both.nodes {
        let (mut node, mut kind, mut found) = (CUgraphNode::NULL, 0, blank_copy());
        cu!(gpu.cuGraphNodeFindInClone(&mut node, original, clone)).ok()?;
        same("a node of its own", node == original || node.is_null(), false)?;
        cu!(gpu.cuGraphNodeGetType(node, (&raw mut kind).cast())).ok()?;
        same("a copy", kind, values::GRAPH_NODE_TYPE_MEMCPY)?;
        cu!(gpu.cuGraphMemcpyNodeGetParams(node, &mut found)).ok()?;
        same("its bytes", found.WidthInBytes, 64)?;
    }
    both.source.fill(7);
    gpu.replay(gpu.instantiate(clone)?, CUstream::NULL)?;
    same("what came back", both.back.iter().all(|word| *word == 7), true)
}

fn host_function(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let word = gpu.pinned(1)?;
    let data: *mut c_void = word.as_mut_ptr().cast();
    let node = build.host(&[], increment, data)?;
    let mut found = CUDA_HOST_NODE_PARAMS { func: None, userData: std::ptr::null_mut() };
    cu!(gpu.cuGraphHostNodeGetParams(node, &mut found)).ok()?;
    let is = |f: CUhostFn, wanted: unsafe extern "C" fn(*mut c_void)| {
        f.is_some_and(|f| std::ptr::fn_addr_eq(f, wanted))
    };
    same("its function and data", (is(found.func, increment), found.userData), (true, data))?;
    cu!(gpu.cuGraphHostNodeSetParams(
        node,
        &CUDA_HOST_NODE_PARAMS { func: Some(double), userData: data }
    ))
    .ok()?;
    cu!(gpu.cuGraphHostNodeGetParams(node, &mut found)).ok()?;
    same("changed", is(found.func, double), true)?;
    word[0] = 5;
    build.run()?;
    same("the word", word[0], 10)
}

fn exec_host_function(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let (word, other) = (gpu.pinned(1)?, gpu.pinned(1)?);
    let node = build.host(&[], increment, word.as_mut_ptr().cast())?;
    let exec = gpu.instantiate(build.graph)?;
    (word[0], other[0]) = (0, 3);
    for _ in 0..3 {
        gpu.replay(exec, CUstream::NULL)?;
        let params =
            CUDA_HOST_NODE_PARAMS { func: Some(double), userData: other.as_mut_ptr().cast() };
        cu!(gpu.cuGraphExecHostNodeSetParams(exec, node, &params)).ok()?;
    }
    same("the words", (word[0], other[0]), (1, 12))?;
    gpu.replay(gpu.instantiate(build.graph)?, CUstream::NULL)?;
    same("the graph as it was", (word[0], other[0]), (2, 12))?;
    cu!(gpu.cuGraphLaunch(exec, CUstream::NULL)).ok()?;
    cu!(gpu.cuGraphExecDestroy(exec)).ok()?;
    cu!(gpu.cuGraphDestroy(build.graph)).ok()?;
    gpu.synchronize().ok()?;
    same("destroyed at work", (word[0], other[0]), (2, 24))
}

fn older_kernel(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(4)?;
    let node = build.kernel(&[], &Kernel::new(build.add, 32, memory, &[1, 9]))?;
    let mut found = std::mem::MaybeUninit::<CUDA_KERNEL_NODE_PARAMS_v1>::zeroed();
    cu!(gpu.cuGraphKernelNodeGetParams(node, found.as_mut_ptr())).ok()?;
    // SAFETY: the struct consists of numbers and pointers, and its bytes were initialised to zero.
    let found = unsafe { found.assume_init() };
    same("the kernel", (found.func, found.blockDimX, found.gridDimX), (build.add, 32, 1))?;
    // SAFETY: the second parameter is a 32-bit number.
    same("a parameter", unsafe { found.kernelParams.add(2).read().cast::<u32>().read() }, 9)
}

fn kernel_attributes(gpu: &Gpu) -> Done {
    const COOPERATIVE: i32 = 2;
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(4)?;
    gpu.write(memory, &[0])?;
    let node = build.add(&[], memory, 4)?;
    let mut value = CUstreamAttrValue { value: [u64::MAX; 8] };
    cu!(gpu.cuGraphKernelNodeGetAttribute(node, COOPERATIVE, &mut value)).ok()?;
    same("at first", value.value[0] as u32, 0)?;
    cu!(gpu.cuGraphKernelNodeSetAttribute(
        node,
        COOPERATIVE,
        &CUstreamAttrValue { value: [1, 0, 0, 0, 0, 0, 0, 0] }
    ))
    .ok()?;
    cu!(gpu.cuGraphKernelNodeGetAttribute(node, COOPERATIVE, &mut value)).ok()?;
    same("then", value.value[0] as u32, 1)?;
    build.run()?;
    same("the word", gpu.read(memory, 1)?, vec![4])
}

fn events(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let (one, other, mut found) = (gpu.event(0)?, gpu.event(0)?, CUevent::NULL);
    let (mut wait, mut record) = (CUgraphNode::NULL, CUgraphNode::NULL);
    cu!(gpu.cuGraphAddEventWaitNode(&mut wait, build.graph, std::ptr::null(), 0, one)).ok()?;
    cu!(gpu.cuGraphAddEventRecordNode(&mut record, build.graph, &wait, 1, other)).ok()?;
    cu!(gpu.cuGraphEventWaitNodeGetEvent(wait, &mut found)).ok()?;
    same("waited for", found, one)?;
    cu!(gpu.cuGraphEventRecordNodeGetEvent(record, &mut found)).ok()?;
    same("recorded", found, other)?;
    cu!(gpu.cuGraphEventRecordNodeSetEvent(record, one)).ok()?;
    cu!(gpu.cuGraphEventRecordNodeGetEvent(record, &mut found)).ok()?;
    same("recorded then", found, one)
}

/// Returns a kernel's description in the form for functions that accept any node type.
fn general(kernel: &Kernel) -> CUgraphNodeParams {
    let mut params = CUgraphNodeParams {
        type_: values::GRAPH_NODE_TYPE_KERNEL,
        reserved0: [0; 3],
        words: [0; 29],
        reserved2: 0,
    };
    // SAFETY: the words are large enough for the description.
    unsafe { params.words.as_mut_ptr().cast::<CUDA_KERNEL_NODE_PARAMS>().write(kernel.params) };
    params
}

fn any_kind(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(4)?;
    gpu.write(memory, &[0])?;
    let node = build.add(&[], memory, 1)?;
    let (ten, hundred) =
        (Kernel::new(build.add, 1, memory, &[1, 10]), Kernel::new(build.add, 1, memory, &[1, 100]));
    cu!(gpu.cuGraphNodeSetParams(node, &mut general(&ten))).ok()?;
    let exec = gpu.instantiate(build.graph)?;
    gpu.replay(exec, CUstream::NULL)?;
    cu!(gpu.cuGraphExecNodeSetParams(exec, node, &mut general(&hundred))).ok()?;
    gpu.replay(exec, CUstream::NULL)?;
    same("the word", gpu.read(memory, 1)?, vec![110])
}

fn older_update(gpu: &Gpu) -> Done {
    let (one, other) = (Build::new(gpu)?, Build::new(gpu)?);
    let memory = gpu.alloc(4)?;
    gpu.write(memory, &[0])?;
    one.add(&[], memory, 1)?;
    other.add(&[], memory, 10)?;
    let exec = gpu.instantiate(one.graph)?;
    let (mut node, mut result) = (CUgraphNode::NULL, -1);
    match cu!(gpu.cuGraphExecUpdate(exec, other.graph, &mut node, &mut result)) {
        // Later releases of NVIDIA's driver export the name without an implementation.
        CUresult::NOT_SUPPORTED => {
            return Err(crate::gpu::Outcome::Skipped("the older update does not exist".into()));
        }
        found => found.ok()?,
    }
    gpu.replay(exec, CUstream::NULL)?;
    same("the word and the result", (gpu.read(memory, 1)?, result), (vec![10], 0))
}

fn another_kind(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(4)?;
    let (node, mut fill, mut copy) = (build.add(&[], memory, 1)?, word_fill(0, 0), blank_copy());
    let mut host = CUDA_HOST_NODE_PARAMS { func: None, userData: std::ptr::null_mut() };
    same("no fill", cu!(gpu.cuGraphMemsetNodeGetParams(node, &mut fill)).ok().is_err(), true)?;
    same("no copy", cu!(gpu.cuGraphMemcpyNodeGetParams(node, &mut copy)).ok().is_err(), true)?;
    same(
        "no host function",
        cu!(gpu.cuGraphHostNodeGetParams(node, &mut host)).ok().is_err(),
        true,
    )?;
    build.run()
}
