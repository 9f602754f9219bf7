//! Graphs that a program builds itself: nodes, edges, launches, and changes.

use super::Test;
use crate::gpu::{Done, Gpu, Outcome, cu, same};
use outhaul_abi::types::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};

pub const TESTS: &[Test] = &[
    ("graph/diamond", diamond),
    ("graph/lists", lists),
    ("graph/edges_come_and_go", edges),
    ("graph/nodes_go", destroyed_node),
    ("graph/fills", fills),
    ("graph/copies", copies),
    ("graph/host_nodes", host_nodes),
    ("graph/events", events),
    ("graph/general_nodes", general_nodes),
    ("graph/nothing", nothing),
    ("graph/clone", cloned),
    ("graph/child", child),
    ("graph/launched_behind_itself", behind_itself),
    ("graph/instantiated_in_other_ways", instantiate),
    ("graph/destroyed_at_work", destroyed_exec),
    ("graph/cycle", cycle),
    ("graph/user_objects", user_objects),
    ("graph/updates_hand_over_user_objects", updated_objects),
    ("graph/garbage", garbage),
];

/// Maximum time until a destructor runs. The driver may choose the moment.
const DESTRUCTOR_SECONDS_MAX: u64 = 10;

/// The description of a node that launches a kernel. The parameters are addresses, then numbers.
pub(super) struct Kernel {
    pub(super) params: CUDA_KERNEL_NODE_PARAMS,
    /// Memory to which the description refers.
    _addresses: Box<[CUdeviceptr]>,
    _numbers: Box<[u32]>,
    _pointers: Box<[*mut c_void]>,
}

impl Kernel {
    pub(super) fn new(
        function: CUfunction,
        threads: u32,
        address: CUdeviceptr,
        numbers: &[u32],
    ) -> Kernel {
        Kernel::over(function, threads, &[address], numbers)
    }

    pub(super) fn over(
        function: CUfunction,
        threads: u32,
        addresses: &[CUdeviceptr],
        numbers: &[u32],
    ) -> Kernel {
        let (mut addresses, mut numbers): (Box<[CUdeviceptr]>, Box<[u32]>) =
            (addresses.into(), numbers.into());
        let first = addresses.iter_mut().map(|address| std::ptr::from_mut(address).cast());
        let mut pointers: Box<[*mut c_void]> = first
            .chain(numbers.iter_mut().map(|number| std::ptr::from_mut(number).cast()))
            .collect();
        let params = CUDA_KERNEL_NODE_PARAMS {
            func: function,
            gridDimX: 1,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: threads,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            kernelParams: pointers.as_mut_ptr(),
            extra: std::ptr::null_mut(),
            kern: CUkernel::NULL,
            ctx: CUcontext::NULL,
        };
        Kernel { params, _addresses: addresses, _numbers: numbers, _pointers: pointers }
    }
}

/// A graph under construction.
pub(super) struct Build<'a> {
    gpu: &'a Gpu,
    pub(super) graph: CUgraph,
    pub(super) add: CUfunction,
}

impl<'a> Build<'a> {
    pub(super) fn new(gpu: &'a Gpu) -> Result<Build<'a>, Outcome> {
        let mut graph = CUgraph::NULL;
        cu!(gpu.cuGraphCreate(&mut graph, 0)).ok()?;
        Ok(Build { gpu, graph, add: gpu.function(gpu.module()?, "add")? })
    }

    /// Returns a builder for another graph with the same kernel.
    pub(super) fn of(&self, graph: CUgraph) -> Build<'a> {
        Build { gpu: self.gpu, graph, add: self.add }
    }

    pub(super) fn kernel(
        &self,
        after: &[CUgraphNode],
        kernel: &Kernel,
    ) -> Result<CUgraphNode, Outcome> {
        let (gpu, mut node) = (self.gpu, CUgraphNode::NULL);
        cu!(gpu.cuGraphAddKernelNode_v2(
            &mut node,
            self.graph,
            after.as_ptr(),
            after.len(),
            &kernel.params
        ))
        .ok()?;
        Ok(node)
    }

    /// Adds a node that adds a number to a word.
    pub(super) fn add(
        &self,
        after: &[CUgraphNode],
        word: CUdeviceptr,
        value: u32,
    ) -> Result<CUgraphNode, Outcome> {
        self.kernel(after, &Kernel::new(self.add, 1, word, &[1, value]))
    }

    pub(super) fn fill(
        &self,
        after: &[CUgraphNode],
        fill: CUDA_MEMSET_NODE_PARAMS,
    ) -> Result<CUgraphNode, Outcome> {
        let (gpu, mut node) = (self.gpu, CUgraphNode::NULL);
        cu!(gpu.cuGraphAddMemsetNode(
            &mut node,
            self.graph,
            after.as_ptr(),
            after.len(),
            &fill,
            gpu.context
        ))
        .ok()?;
        Ok(node)
    }

    pub(super) fn copy(
        &self,
        after: &[CUgraphNode],
        copy: &CUDA_MEMCPY3D,
    ) -> Result<CUgraphNode, Outcome> {
        let (gpu, mut node) = (self.gpu, CUgraphNode::NULL);
        cu!(gpu.cuGraphAddMemcpyNode(
            &mut node,
            self.graph,
            after.as_ptr(),
            after.len(),
            copy,
            gpu.context
        ))
        .ok()?;
        Ok(node)
    }

    pub(super) fn host(
        &self,
        after: &[CUgraphNode],
        function: unsafe extern "C" fn(*mut c_void),
        data: *mut c_void,
    ) -> Result<CUgraphNode, Outcome> {
        let (gpu, mut node) = (self.gpu, CUgraphNode::NULL);
        let params = CUDA_HOST_NODE_PARAMS { func: Some(function), userData: data };
        cu!(gpu.cuGraphAddHostNode(&mut node, self.graph, after.as_ptr(), after.len(), &params))
            .ok()?;
        Ok(node)
    }

    pub(super) fn connect(&self, from: CUgraphNode, to: CUgraphNode) -> CUresult {
        let gpu = self.gpu;
        cu!(gpu.cuGraphAddDependencies(self.graph, &from, &to, 1))
    }

    pub(super) fn disconnect(&self, from: CUgraphNode, to: CUgraphNode) -> CUresult {
        let gpu = self.gpu;
        cu!(gpu.cuGraphRemoveDependencies(self.graph, &from, &to, 1))
    }

    pub(super) fn run(&self) -> Done {
        self.gpu.replay(self.gpu.instantiate(self.graph)?, CUstream::NULL)
    }
}

pub(super) fn word_fill(word: CUdeviceptr, value: u32) -> CUDA_MEMSET_NODE_PARAMS {
    CUDA_MEMSET_NODE_PARAMS { dst: word, pitch: 4, value, elementSize: 4, width: 1, height: 1 }
}

/// Returns the description of a copy of `bytes` bytes. The caller sets both sides.
pub(super) fn flat_copy(bytes: usize) -> CUDA_MEMCPY3D {
    // SAFETY: all-zero bytes are valid for a struct of numbers and pointers.
    let mut copy: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
    (copy.WidthInBytes, copy.Height, copy.Depth) = (bytes, 1, 1);
    (copy.srcPitch, copy.srcHeight, copy.dstPitch, copy.dstHeight) = (bytes, 1, bytes, 1);
    copy
}

pub(super) fn from_device(mut copy: CUDA_MEMCPY3D, address: CUdeviceptr) -> CUDA_MEMCPY3D {
    (copy.srcMemoryType, copy.srcDevice) = (values::MEMORYTYPE_DEVICE, address);
    copy
}

pub(super) fn to_device(mut copy: CUDA_MEMCPY3D, address: CUdeviceptr) -> CUDA_MEMCPY3D {
    (copy.dstMemoryType, copy.dstDevice) = (values::MEMORYTYPE_DEVICE, address);
    copy
}

fn diamond(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(16)?;
    let spin = gpu.function(gpu.module()?, "spin")?;
    let root = build.fill(
        &[],
        CUDA_MEMSET_NODE_PARAMS {
            dst: memory,
            pitch: 16,
            value: 3,
            elementSize: 4,
            width: 4,
            height: 1,
        },
    )?;
    let left = build.kernel(&[root], &Kernel::new(spin, 1, memory, &[50_000]))?;
    let right = build.kernel(&[root], &Kernel::new(spin, 1, memory + 4, &[20_000]))?;
    build.copy(&[left, right], &to_device(from_device(flat_copy(8), memory), memory + 8))?;
    let exec = gpu.instantiate(build.graph)?;
    for _ in 0..3 {
        gpu.replay(exec, CUstream::NULL)?;
        same("all four words", gpu.read(memory, 4)?, vec![50_003, 20_003, 50_003, 20_003])?;
    }
    Ok(())
}

/// Returns the nodes that a query function lists. First asks for the count only, then for the
/// nodes.
fn nodes(
    ask: impl Fn(*mut CUgraphNode, *mut usize) -> CUresult,
) -> Result<Vec<CUgraphNode>, Outcome> {
    let mut count = 0;
    ask(std::ptr::null_mut(), &mut count).ok()?;
    let (mut nodes, expected) = (vec![CUgraphNode(1); count + 1], count);
    count = nodes.len();
    ask(nodes.as_mut_ptr(), &mut count).ok()?;
    same("the count", count, expected)?;
    same("the place left over", nodes.pop(), Some(CUgraphNode::NULL))?;
    Ok(nodes)
}

fn sorted(mut nodes: Vec<CUgraphNode>) -> Vec<CUgraphNode> {
    nodes.sort_by_key(|node| node.0);
    nodes
}

fn lists(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(4)?;
    let graph = build.graph;
    let a = build.add(&[], memory, 1)?;
    let b = build.add(&[a], memory, 1)?;
    let c = build.add(&[a], memory, 1)?;
    let d = build.add(&[b, c], memory, 1)?;
    let all = nodes(|nodes, count| cu!(gpu.cuGraphGetNodes(graph, nodes, count)))?;
    same("nodes", sorted(all), sorted(vec![a, b, c, d]))?;
    same(
        "roots",
        nodes(|nodes, count| cu!(gpu.cuGraphGetRootNodes(graph, nodes, count)))?,
        vec![a],
    )?;
    let before = nodes(|nodes, count| cu!(gpu.cuGraphNodeGetDependencies(d, nodes, count)))?;
    same("before the last", sorted(before), sorted(vec![b, c]))?;
    let behind = nodes(|nodes, count| cu!(gpu.cuGraphNodeGetDependentNodes(a, nodes, count)))?;
    same("after the first", sorted(behind), sorted(vec![b, c]))?;
    same(
        "after the last",
        nodes(|nodes, count| cu!(gpu.cuGraphNodeGetDependentNodes(d, nodes, count)))?,
        vec![],
    )?;
    let (mut from, mut to, mut count) = ([CUgraphNode::NULL; 4], [CUgraphNode::NULL; 4], 4);
    cu!(gpu.cuGraphGetEdges(graph, from.as_mut_ptr(), to.as_mut_ptr(), &mut count)).ok()?;
    let mut pairs: Vec<_> = from.iter().zip(to).map(|(from, to)| (from.0, to.0)).collect();
    let mut expected = vec![(a.0, b.0), (a.0, c.0), (b.0, d.0), (c.0, d.0)];
    pairs.sort_unstable();
    expected.sort_unstable();
    same("edges", (count, pairs), (4, expected))
}

fn edges(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(4)?;
    let (a, b) = (build.fill(&[], word_fill(memory, 5))?, build.add(&[], memory, 2)?);
    build.connect(a, b).ok()?;
    same("an edge that exists", build.connect(a, b), CUresult::INVALID_VALUE)?;
    build.run()?;
    same("after the fill", gpu.read(memory, 1)?, vec![7])?;
    build.disconnect(a, b).ok()?;
    same("an edge that is gone", build.disconnect(a, b), CUresult::INVALID_VALUE)?;
    build.connect(b, a).ok()?;
    build.run()?;
    same("before the fill", gpu.read(memory, 1)?, vec![5])
}

fn destroyed_node(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(4)?;
    let a = build.fill(&[], word_fill(memory, 5))?;
    let b = build.add(&[a], memory, 2)?;
    let c = build.add(&[a], memory, 10)?;
    build.connect(b, c).ok()?;
    cu!(gpu.cuGraphDestroyNode(b)).ok()?;
    let (mut count, mut edges) = (0, 0);
    cu!(gpu.cuGraphGetNodes(build.graph, std::ptr::null_mut(), &mut count)).ok()?;
    cu!(gpu.cuGraphGetEdges(build.graph, std::ptr::null_mut(), std::ptr::null_mut(), &mut edges))
        .ok()?;
    same("nodes and edges left", (count, edges), (2, 1))?;
    build.run()?;
    same("without the node", gpu.read(memory, 1)?, vec![15])
}

fn fills(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(64)?;
    let all = build.fill(
        &[],
        CUDA_MEMSET_NODE_PARAMS {
            dst: memory,
            pitch: 0,
            value: 0x11,
            elementSize: 1,
            width: 64,
            height: 1,
        },
    )?;
    let box_of = CUDA_MEMSET_NODE_PARAMS {
        dst: memory + 4,
        pitch: 16,
        value: 0x2222,
        elementSize: 2,
        width: 4,
        height: 3,
    };
    let inner = build.fill(&[all], box_of)?;
    build.fill(&[inner], word_fill(memory + 60, 0x3333_3333))?;
    build.run()?;
    let (ones, twos) = (0x1111_1111, 0x2222_2222);
    let row = [ones, twos, twos, ones];
    same("rows", gpu.read(memory, 16)?, [row, row, row, [ones, ones, ones, 0x3333_3333]].concat())
}

fn copies(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(4096)?;
    let (source, back) = (gpu.pinned(1024)?, gpu.pinned(1024)?);
    let mut in_copy = to_device(flat_copy(4096), memory);
    (in_copy.srcMemoryType, in_copy.srcHost) = (values::MEMORYTYPE_HOST, source.as_ptr().cast());
    let mut out_copy = from_device(flat_copy(4096), memory);
    (out_copy.dstMemoryType, out_copy.dstHost) =
        (values::MEMORYTYPE_HOST, back.as_mut_ptr().cast());
    let first = build.copy(&[], &in_copy)?;
    let second = build.add(&[first], memory + 4092, 100)?;
    build.copy(&[second], &out_copy)?;
    let exec = gpu.instantiate(build.graph)?;
    for launch in 0..3 {
        source.fill(launch);
        gpu.replay(exec, CUstream::NULL)?;
        same("the ends", (back[0], back[1022], back[1023]), (launch, launch, launch + 100))?;
    }
    Ok(())
}

pub(super) unsafe extern "C" fn double(word: *mut c_void) {
    let word = word.cast::<u32>();
    // SAFETY: the test passes a word that no other code accesses while the graph runs.
    unsafe { word.write(word.read() * 2) };
}

pub(super) unsafe extern "C" fn increment(word: *mut c_void) {
    let word = word.cast::<u32>();
    // SAFETY: as for `double`.
    unsafe { word.write(word.read() + 1) };
}

fn host_nodes(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let word = gpu.pinned(1)?;
    let data: *mut c_void = word.as_mut_ptr().cast();
    let first = build.host(&[], increment, data)?;
    let second = build.host(&[first], double, data)?;
    build.host(&[second], increment, data)?;
    let exec = gpu.instantiate(build.graph)?;
    word[0] = 0;
    for expected in [3, 9, 21] {
        gpu.replay(exec, CUstream::NULL)?;
        same("the word", word[0], expected)?;
    }
    Ok(())
}

fn events(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let (a, b) =
        (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let (before, behind) =
        (gpu.event(values::EVENT_DISABLE_TIMING)?, gpu.event(values::EVENT_DISABLE_TIMING)?);
    let memory = gpu.alloc(4)?;
    let spin = gpu.function(gpu.module()?, "spin")?;
    gpu.write(memory, &[0])?;
    let (mut wait, mut record) = (CUgraphNode::NULL, CUgraphNode::NULL);
    cu!(gpu.cuGraphAddEventWaitNode(&mut wait, build.graph, std::ptr::null(), 0, before)).ok()?;
    let work = build.add(&[wait], memory, 7)?;
    cu!(gpu.cuGraphAddEventRecordNode(&mut record, build.graph, &work, 1, behind)).ok()?;
    let exec = gpu.instantiate(build.graph)?;
    for round in 1..=3 {
        // The graph waits for one stream, and another stream waits for the graph.
        gpu.launch(spin, (1, 1), a, memory, &[100_000]).ok()?;
        cu!(gpu.cuEventRecord(before, a)).ok()?;
        cu!(gpu.cuGraphLaunch(exec, b)).ok()?;
        cu!(gpu.cuStreamWaitEvent(a, behind, 0)).ok()?;
        gpu.launch(spin, (1, 1), a, memory, &[10]).ok()?;
        cu!(gpu.cuStreamSynchronize(a)).ok()?;
        same("the word", gpu.read(memory, 1)?, vec![100_017 * round])?;
    }
    same("the event", cu!(gpu.cuEventQuery(behind)), CUresult::SUCCESS)
}

fn general_nodes(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(4)?;
    let mut params = CUgraphNodeParams {
        type_: values::GRAPH_NODE_TYPE_MEMSET,
        reserved0: [0; 3],
        words: [0; 29],
        reserved2: 0,
    };
    // The words are address, pitch, value with element size, width, height, and context.
    params.words[..6].copy_from_slice(&[memory, 4, 40 | 4 << 32, 1, 1, gpu.context.0 as u64]);
    let (mut fill, mut last) = (CUgraphNode::NULL, CUgraphNode::NULL);
    match cu!(gpu.cuGraphAddNode(&mut fill, build.graph, std::ptr::null(), 0, &mut params)) {
        CUresult::NOT_SUPPORTED => {
            return Err(Outcome::Skipped("the driver is older than CUDA 12.2".into()));
        }
        code => code.ok()?,
    }
    let kernel = Kernel::new(build.add, 1, memory, &[1, 2]);
    (params.type_, params.words) = (values::GRAPH_NODE_TYPE_KERNEL, [0; 29]);
    // SAFETY: the union is large enough and aligned for a kernel's description.
    unsafe { params.words.as_mut_ptr().cast::<CUDA_KERNEL_NODE_PARAMS>().write(kernel.params) };
    cu!(gpu.cuGraphAddNode(&mut last, build.graph, &fill, 1, &mut params)).ok()?;
    for (node, expected) in
        [(fill, values::GRAPH_NODE_TYPE_MEMSET), (last, values::GRAPH_NODE_TYPE_KERNEL)]
    {
        let mut kind = -1;
        cu!(gpu.cuGraphNodeGetType(node, &mut kind)).ok()?;
        same("the type", kind, expected)?;
    }
    build.run()?;
    same("both ran", gpu.read(memory, 1)?, vec![42])
}

fn nothing(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    build.run()?;
    let (mut first, mut second) = (CUgraphNode::NULL, CUgraphNode::NULL);
    cu!(gpu.cuGraphAddEmptyNode(&mut first, build.graph, std::ptr::null(), 0)).ok()?;
    cu!(gpu.cuGraphAddEmptyNode(&mut second, build.graph, &first, 1)).ok()?;
    let mut kind = -1;
    cu!(gpu.cuGraphNodeGetType(second, &mut kind)).ok()?;
    same("its type", kind, values::GRAPH_NODE_TYPE_EMPTY)?;
    build.run()
}

fn cloned(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(4)?;
    let root = build.fill(&[], word_fill(memory, 100))?;
    build.add(&[root], memory, 1)?;
    let mut clone = CUgraph::NULL;
    cu!(gpu.cuGraphClone(&mut clone, build.graph)).ok()?;
    build.add(&[root], memory, 10)?;
    let theirs = nodes(|nodes, count| cu!(gpu.cuGraphGetNodes(clone, nodes, count)))?;
    same("nodes of the clone", theirs.len(), 2)?;
    same("they are its own", theirs.contains(&root), false)?;
    cu!(gpu.cuGraphDestroy(build.graph)).ok()?;
    gpu.replay(gpu.instantiate(clone)?, CUstream::NULL)?;
    same("what it was cloned from", gpu.read(memory, 1)?, vec![101])
}

fn child(gpu: &Gpu) -> Done {
    let (inner, outer) = (Build::new(gpu)?, Build::new(gpu)?);
    let memory = gpu.alloc(8)?;
    let step = inner.add(&[], memory, 1)?;
    inner.add(&[step], memory, 2)?;
    let root = outer.fill(&[], CUDA_MEMSET_NODE_PARAMS { width: 2, ..word_fill(memory, 1000) })?;
    let (mut first, mut second) = (CUgraphNode::NULL, CUgraphNode::NULL);
    cu!(gpu.cuGraphAddChildGraphNode(&mut first, outer.graph, &root, 1, inner.graph)).ok()?;
    // The node has a copy of the child, so later additions appear only in the second node.
    inner.add(&[], memory + 4, 50)?;
    cu!(gpu.cuGraphAddChildGraphNode(&mut second, outer.graph, &first, 1, inner.graph)).ok()?;
    cu!(gpu.cuGraphDestroy(inner.graph)).ok()?;
    let mut kind = -1;
    cu!(gpu.cuGraphNodeGetType(first, &mut kind)).ok()?;
    same("its type", kind, values::GRAPH_NODE_TYPE_GRAPH)?;
    outer.run()?;
    same("both children", gpu.read(memory, 2)?, vec![1006, 1050])
}

fn behind_itself(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let (a, b) =
        (gpu.stream(values::STREAM_NON_BLOCKING)?, gpu.stream(values::STREAM_NON_BLOCKING)?);
    let memory = gpu.alloc(4)?;
    let spin = gpu.function(gpu.module()?, "spin")?;
    gpu.write(memory, &[0])?;
    build.kernel(&[], &Kernel::new(spin, 1, memory, &[20_000]))?;
    let exec = gpu.instantiate(build.graph)?;
    // Launches of an executable graph never overlap, even in different streams.
    for stream in [a, a, b, a, b, b] {
        cu!(gpu.cuGraphLaunch(exec, stream)).ok()?;
    }
    same("all of them", gpu.synchronize(), CUresult::SUCCESS)?;
    same("one after the other", gpu.read(memory, 1)?, vec![120_000])
}

fn instantiate(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(4)?;
    gpu.write(memory, &[0])?;
    build.add(&[], memory, 1)?;
    let (mut node, mut log) = (CUgraphNode(1), [1 as std::ffi::c_char; 64]);
    let (mut a, mut b) = (CUgraphExec::NULL, CUgraphExec::NULL);
    cu!(gpu.cuGraphInstantiate_v2(&mut a, build.graph, &mut node, log.as_mut_ptr(), log.len()))
        .ok()?;
    let mut params = CUDA_GRAPH_INSTANTIATE_PARAMS {
        flags: 0,
        hUploadStream: CUstream::NULL,
        hErrNode_out: CUgraphNode::NULL,
        result_out: -1,
    };
    cu!(gpu.cuGraphInstantiateWithParams(&mut b, build.graph, &mut params)).ok()?;
    same("the result", params.result_out, values::GRAPH_INSTANTIATE_SUCCESS)?;
    // The executable graphs do not need the graph.
    cu!(gpu.cuGraphDestroy(build.graph)).ok()?;
    for exec in [a, b] {
        let mut flags = 9;
        cu!(gpu.cuGraphExecGetFlags(exec, &mut flags)).ok()?;
        same("flags", flags, 0)?;
        cu!(gpu.cuGraphUpload(exec, CUstream::NULL)).ok()?;
        gpu.replay(exec, CUstream::NULL)?;
    }
    same("both", gpu.read(memory, 1)?, vec![2])
}

fn destroyed_exec(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(4)?;
    let spin = gpu.function(gpu.module()?, "spin")?;
    gpu.write(memory, &[0])?;
    build.kernel(&[], &Kernel::new(spin, 1, memory, &[300_000]))?;
    let exec = gpu.instantiate(build.graph)?;
    cu!(gpu.cuGraphLaunch(exec, CUstream::NULL)).ok()?;
    cu!(gpu.cuGraphExecDestroy(exec)).ok()?;
    cu!(gpu.cuGraphDestroy(build.graph)).ok()?;
    same("the launch continues", gpu.read(memory, 1)?, vec![300_000])
}

fn cycle(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(4)?;
    let a = build.add(&[], memory, 1)?;
    let b = build.add(&[a], memory, 1)?;
    let c = build.add(&[b], memory, 1)?;
    // A driver may report the cycle when the edge is added, or later.
    let mut code = build.connect(c, a);
    if code == CUresult::SUCCESS {
        let mut exec = CUgraphExec::NULL;
        code = cu!(gpu.cuGraphInstantiateWithFlags(&mut exec, build.graph, 0));
    }
    same("a cycle", code, CUresult::INVALID_VALUE)
}

static DESTROYED: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn count_destroyed(by: *mut c_void) {
    DESTROYED.fetch_add(by as u32, SeqCst);
}

fn destroyed_by(expected: u32) -> Done {
    let start = Instant::now();
    while DESTROYED.load(SeqCst) < expected
        && start.elapsed() < Duration::from_secs(DESTRUCTOR_SECONDS_MAX)
    {
        std::thread::sleep(Duration::from_millis(1));
    }
    same("destroyed", DESTROYED.load(SeqCst), expected)
}

fn user_objects(gpu: &Gpu) -> Done {
    let create = |number: usize, references: u32| -> Result<CUuserObject, Outcome> {
        let mut object = CUuserObject::NULL;
        let data = number as *mut c_void;
        let flags = values::USER_OBJECT_NO_DESTRUCTOR_SYNC;
        cu!(gpu.cuUserObjectCreate(&mut object, data, Some(count_destroyed), references, flags))
            .ok()?;
        Ok(object)
    };
    // References that the program owns.
    let own = create(1, 2)?;
    cu!(gpu.cuUserObjectRetain(own, 1)).ok()?;
    cu!(gpu.cuUserObjectRelease(own, 2)).ok()?;
    same("with a reference left", DESTROYED.load(SeqCst), 0)?;
    cu!(gpu.cuUserObjectRelease(own, 1)).ok()?;
    destroyed_by(1)?;
    // A reference that moves to a graph and that the executable graph keeps.
    let build = Build::new(gpu)?;
    let moved = create(10, 1)?;
    cu!(gpu.cuGraphRetainUserObject(build.graph, moved, 1, values::GRAPH_USER_OBJECT_MOVE)).ok()?;
    let exec = gpu.instantiate(build.graph)?;
    cu!(gpu.cuGraphDestroy(build.graph)).ok()?;
    gpu.replay(exec, CUstream::NULL)?;
    same("while it can be launched", DESTROYED.load(SeqCst), 1)?;
    cu!(gpu.cuGraphExecDestroy(exec)).ok()?;
    destroyed_by(11)?;
    // A reference that the program releases from the graph.
    let build = Build::new(gpu)?;
    let shared = create(100, 1)?;
    cu!(gpu.cuGraphRetainUserObject(build.graph, shared, 2, 0)).ok()?;
    cu!(gpu.cuUserObjectRelease(shared, 1)).ok()?;
    cu!(gpu.cuGraphReleaseUserObject(build.graph, shared, 1)).ok()?;
    same("with a reference of the graph left", DESTROYED.load(SeqCst), 11)?;
    cu!(gpu.cuGraphReleaseUserObject(build.graph, shared, 1)).ok()?;
    destroyed_by(111)
}

fn updated_objects(gpu: &Gpu) -> Done {
    let with_object = |number: usize| -> Result<CUgraph, Outcome> {
        let build = Build::new(gpu)?;
        build.add(&[], gpu.alloc(4)?, 1)?;
        let (mut object, data) = (CUuserObject::NULL, number as *mut c_void);
        let flags = values::USER_OBJECT_NO_DESTRUCTOR_SYNC;
        cu!(gpu.cuUserObjectCreate(&mut object, data, Some(count_destroyed), 1, flags)).ok()?;
        cu!(gpu.cuGraphRetainUserObject(build.graph, object, 1, values::GRAPH_USER_OBJECT_MOVE))
            .ok()?;
        Ok(build.graph)
    };
    let (old, new) = (with_object(1)?, with_object(10)?);
    let exec = gpu.instantiate(old)?;
    let mut info = CUgraphExecUpdateResultInfo {
        result: -1,
        errorNode: CUgraphNode::NULL,
        errorFromNode: CUgraphNode::NULL,
    };
    cu!(gpu.cuGraphExecUpdate_v2(exec, new, &mut info)).ok()?;
    cu!(gpu.cuGraphDestroy(new)).ok()?;
    gpu.replay(exec, CUstream::NULL)?;
    same("what the updated graph needs", DESTROYED.load(SeqCst) / 10, 0)?;
    cu!(gpu.cuGraphDestroy(old)).ok()?;
    cu!(gpu.cuGraphExecDestroy(exec)).ok()?;
    destroyed_by(11)
}

fn garbage(gpu: &Gpu) -> Done {
    let build = Build::new(gpu)?;
    let memory = gpu.alloc(4)?;
    let (mut graph, mut exec, mut node, mut count) =
        (CUgraph::NULL, CUgraphExec::NULL, CUgraphNode::NULL, 0);
    let none: *mut CUgraphNode = std::ptr::null_mut();
    for (what, code) in [
        ("flags that do not exist", cu!(gpu.cuGraphCreate(&mut graph, 77))),
        ("no place", cu!(gpu.cuGraphCreate(std::ptr::null_mut(), 0))),
        (
            "instantiating nothing",
            cu!(gpu.cuGraphInstantiateWithFlags(&mut exec, CUgraph::NULL, 0)),
        ),
        ("launching nothing", cu!(gpu.cuGraphLaunch(CUgraphExec::NULL, CUstream::NULL))),
        ("cloning nothing", cu!(gpu.cuGraphClone(&mut graph, CUgraph::NULL))),
        ("listing nothing", cu!(gpu.cuGraphGetNodes(CUgraph::NULL, none, &mut count))),
        ("destroying nothing", cu!(gpu.cuGraphDestroy(CUgraph::NULL))),
        ("adding to no graph", cu!(gpu.cuGraphAddEmptyNode(&mut node, CUgraph::NULL, none, 0))),
        ("depending on no node", cu!(gpu.cuGraphAddEmptyNode(&mut node, build.graph, none, 1))),
    ] {
        same(what, code, CUresult::INVALID_VALUE)?;
    }
    cu!(gpu.cuGraphGetNodes(build.graph, none, &mut count)).ok()?;
    same("nodes that were added", count, 0)?;
    // A driver may report the error when the node is added, or later.
    let wide = Kernel::new(build.add, 5000, memory, &[1, 1]);
    let mut code = cu!(gpu.cuGraphAddKernelNode_v2(&mut node, build.graph, none, 0, &wide.params));
    if code == CUresult::SUCCESS {
        code = cu!(gpu.cuGraphInstantiateWithFlags(&mut exec, build.graph, 0));
    }
    same("a kernel of too many threads", code, CUresult::INVALID_VALUE)
}
