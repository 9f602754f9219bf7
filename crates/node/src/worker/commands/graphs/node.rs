//! Graph nodes that a program adds or changes explicitly.

use super::graph::edges;
use crate::worker::commands::code;
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::io::marshal;
use crate::worker::state::Worker;
use crate::worker::streams::graph_callbacks::{GraphCallback, run_graph_callback};
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_wire::limits::{CONDITIONAL_GRAPHS_MAX, PARAMETER_BYTES_MAX};
use outhaul_wire::messages::*;
use std::ffi::c_void;

/// A node's parameters for the driver.
enum Params {
    Kernel {
        shape: CUDA_KERNEL_NODE_PARAMS,
        packed: Vec<u8>,
        /// Each parameter's offset and size in `packed`, if the driver reports them.
        layouts: Vec<ParamLayout>,
    },
    Copy(CUDA_MEMCPY3D),
    Fill(CUDA_MEMSET_NODE_PARAMS),
    Host(u64),
    Child(CUgraph),
    /// A child graph that moves into the surrounding graph.
    Moved(CUgraph),
    Empty,
    Wait(CUevent),
    Record(CUevent),
    Batch(Vec<CUstreamBatchMemOpParams>),
    /// A conditional node, and the handles for the graphs inside it.
    Conditional(CUDA_CONDITIONAL_NODE_PARAMS, Vec<u64>),
}

/// The fields that all messages about nodes share.
struct Described<'m> {
    kind: i32,
    object: u64,
    numbers: &'m [u64],
    params: &'m [u8],
}

impl Worker {
    fn params(&self, m: &Described<'_>) -> Result<Params, Refusal> {
        use values::*;
        let short = || {
            Refusal::Violation(format!("{} numbers for a node of kind {}", m.numbers.len(), m.kind))
        };
        Ok(match m.kind {
            GRAPH_NODE_TYPE_KERNEL => {
                let [gx, gy, gz, bx, by, bz, shared] = *m.numbers else { return Err(short()) };
                if m.params.len() > PARAMETER_BYTES_MAX {
                    return Err(Refusal::Violation(format!(
                        "{} bytes of kernel parameters",
                        m.params.len()
                    )));
                }
                let shape = CUDA_KERNEL_NODE_PARAMS {
                    func: self.objects.function(m.object)?,
                    gridDimX: gx as u32,
                    gridDimY: gy as u32,
                    gridDimZ: gz as u32,
                    blockDimX: bx as u32,
                    blockDimY: by as u32,
                    blockDimZ: bz as u32,
                    sharedMemBytes: shared as u32,
                    kernelParams: std::ptr::null_mut(),
                    extra: std::ptr::null_mut(),
                    kern: CUkernel::NULL,
                    ctx: CUcontext::NULL,
                };
                let layouts = code::params(&self.driver, shape.func, code::is_kernel(m.object))
                    .unwrap_or_default();
                Params::Kernel { shape, packed: m.params.to_vec(), layouts }
            }
            GRAPH_NODE_TYPE_MEMCPY => {
                let [to, to_pitch, to_height, from, from_pitch, from_height, width, height, depth] =
                    *m.numbers
                else {
                    return Err(short());
                };
                // SAFETY: the struct contains only numbers and pointers; zero is valid for all of
                // them.
                let mut copy: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
                (copy.srcMemoryType, copy.dstMemoryType) = (MEMORYTYPE_DEVICE, MEMORYTYPE_DEVICE);
                (copy.dstDevice, copy.dstPitch, copy.dstHeight) =
                    (to, to_pitch as usize, to_height as usize);
                (copy.srcDevice, copy.srcPitch, copy.srcHeight) =
                    (from, from_pitch as usize, from_height as usize);
                (copy.WidthInBytes, copy.Height, copy.Depth) =
                    (width as usize, height as usize, depth as usize);
                Params::Copy(copy)
            }
            GRAPH_NODE_TYPE_MEMSET => {
                let [dst, pitch, value, element_bytes, width, height] = *m.numbers else {
                    return Err(short());
                };
                let (pitch, width, height) = (pitch as usize, width as usize, height as usize);
                Params::Fill(CUDA_MEMSET_NODE_PARAMS {
                    dst,
                    pitch,
                    value: value as u32,
                    elementSize: element_bytes as u32,
                    width,
                    height,
                })
            }
            GRAPH_NODE_TYPE_HOST => Params::Host(m.object),
            GRAPH_NODE_TYPE_GRAPH => match *m.numbers {
                [] => Params::Child(self.objects.graph(m.object)?),
                [ownership] if ownership == GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE as u64 => {
                    Params::Moved(self.objects.graph(m.object)?)
                }
                _ => return Err(short()),
            },
            GRAPH_NODE_TYPE_EMPTY => Params::Empty,
            GRAPH_NODE_TYPE_WAIT_EVENT => Params::Wait(self.objects.event(m.object)?),
            GRAPH_NODE_TYPE_EVENT_RECORD => Params::Record(self.objects.event(m.object)?),
            GRAPH_NODE_TYPE_BATCH_MEM_OP => {
                let count = m.params.len() / size_of::<CUstreamBatchMemOpParams>();
                if count > BATCH_MEM_OPS_MAX {
                    return Err(Refusal::Violation(format!("{count} operations in a batch")));
                }
                Params::Batch(marshal::read_array(m.params, count)?)
            }
            GRAPH_NODE_TYPE_CONDITIONAL => {
                let [kind, inside @ ..] = m.numbers else { return Err(short()) };
                if inside.len() > CONDITIONAL_GRAPHS_MAX {
                    return Err(Refusal::Violation(format!(
                        "{} graphs inside a node",
                        inside.len()
                    )));
                }
                let (type_, size, ctx) = (*kind as i32, inside.len() as u32, self.context()?);
                let params = CUDA_CONDITIONAL_NODE_PARAMS {
                    handle: m.object,
                    type_,
                    size,
                    phGraph_out: std::ptr::null_mut(),
                    ctx,
                };
                Params::Conditional(params, inside.to_vec())
            }
            _ => return Err(Refusal::Driver(CUresult::NOT_SUPPORTED)),
        })
    }

    /// Handles `GraphAddNode`.
    pub fn graph_add_node(&mut self, m: &GraphAddNode<'_>, ticket: &Ticket) -> Result<(), Refusal> {
        let graph = self.objects.graph(m.graph)?;
        let described =
            Described { kind: m.kind, object: m.object, numbers: &m.numbers.0, params: m.params };
        let mut params = self.params(&described)?;
        let context = self.context()?;
        let dependencies = m
            .dependencies
            .0
            .iter()
            .map(|d| self.objects.graph_node(*d))
            .collect::<Result<Vec<_>, _>>()?;
        let edges =
            if m.edges.is_empty() { Vec::new() } else { edges(m.edges, dependencies.len())? };
        let mut node = CUgraphNode::NULL;
        let driver = &self.driver;
        // SAFETY: the handles are the session's own, descriptions and lists outlive the call, and
        // the out-pointer is a local.
        let made = unsafe {
            match &mut params {
                Params::Kernel { shape, packed, layouts } => {
                    with_packed(shape, packed, layouts, |shape| {
                        driver.cuGraphAddKernelNode_v2(&mut node, graph, std::ptr::null(), 0, shape)
                    })
                }
                Params::Copy(copy) => driver.cuGraphAddMemcpyNode(
                    &mut node,
                    graph,
                    std::ptr::null(),
                    0,
                    copy,
                    context,
                ),
                Params::Fill(fill) => driver.cuGraphAddMemsetNode(
                    &mut node,
                    graph,
                    std::ptr::null(),
                    0,
                    fill,
                    context,
                ),
                Params::Host(callback) => {
                    let graph_callback =
                        GraphCallback::run(&self.callbacks, *callback).into_graph(driver, graph)?;
                    let host = CUDA_HOST_NODE_PARAMS {
                        func: Some(run_graph_callback),
                        userData: graph_callback,
                    };
                    driver.cuGraphAddHostNode(&mut node, graph, std::ptr::null(), 0, &host)
                }
                Params::Child(child) => {
                    driver.cuGraphAddChildGraphNode(&mut node, graph, std::ptr::null(), 0, *child)
                }
                Params::Moved(child) => {
                    add_moved(driver, &mut node, graph, *child, &dependencies, &edges)
                }
                Params::Empty => driver.cuGraphAddEmptyNode(&mut node, graph, std::ptr::null(), 0),
                Params::Wait(event) => {
                    driver.cuGraphAddEventWaitNode(&mut node, graph, std::ptr::null(), 0, *event)
                }
                Params::Record(event) => {
                    driver.cuGraphAddEventRecordNode(&mut node, graph, std::ptr::null(), 0, *event)
                }
                Params::Batch(operations) => driver.cuGraphAddBatchMemOpNode(
                    &mut node,
                    graph,
                    std::ptr::null(),
                    0,
                    &batch(operations, context),
                ),
                Params::Conditional(conditional, _) => {
                    add_conditional(driver, &mut node, graph, conditional)
                }
            }
        };
        made.ok()?;
        if matches!(params, Params::Moved(_)) {
            self.graphs.inside.entry(m.graph).or_default().push(m.object);
        }
        let driver = &self.driver;
        // The edges are added afterwards, because only that call accepts their data for every kind
        // of node. For a moved graph this is impossible: if its edges were rejected, the graph
        // would be destroyed with its node.
        if !matches!(params, Params::Moved(_)) {
            tie(driver, graph, node, &dependencies, &edges)?;
        }
        if let Params::Conditional(made, inside) = params {
            self.note_inside(m.graph, &made, &inside)?;
        }
        let node = self.node_handle(node, m.graph)?;
        ticket.answer(&GraphAddNodeReply { node });
        Ok(())
    }

    /// Stores the graphs inside a conditional node. Their handles end with the surrounding graph.
    fn note_inside(
        &mut self,
        graph: u64,
        made: &CUDA_CONDITIONAL_NODE_PARAMS,
        handles: &[u64],
    ) -> Result<(), Refusal> {
        if made.phGraph_out.is_null() {
            return Err(Refusal::Driver(CUresult::NOT_SUPPORTED));
        }
        for (i, handle) in handles.iter().enumerate() {
            // SAFETY: the driver created an array of that many graphs.
            let raw = unsafe { made.phGraph_out.add(i).read() };
            self.objects.put_graph(*handle, Ok(raw))?;
        }
        self.graphs.inside.entry(graph).or_default().extend_from_slice(handles);
        Ok(())
    }

    /// Handles `GraphCondition`.
    pub fn graph_condition(&mut self, m: &GraphCondition, ticket: &Ticket) -> Result<(), Refusal> {
        let (graph, context) = (self.objects.graph(m.graph)?, self.context()?);
        let mut number = 0;
        // SAFETY: graph and context are the session's own, and the out-pointer is a local.
        unsafe {
            self.driver.cuGraphConditionalHandleCreate(
                &mut number,
                graph,
                context,
                m.default_value,
                m.flags,
            )
        }
        .ok()?;
        ticket.answer(&GraphConditionReply { number });
        Ok(())
    }

    /// Handles `GraphSetNode`.
    pub fn graph_set_node(&mut self, m: &GraphSetNode<'_>) -> Result<(), Refusal> {
        let node = self.objects.graph_node(m.node)?;
        let described =
            Described { kind: m.kind, object: m.object, numbers: &m.numbers.0, params: m.params };
        let mut params = self.params(&described)?;
        let exec = if m.exec == 0 { CUgraphExec::NULL } else { self.objects.graph_exec(m.exec)? };
        let context = self.context()?;
        if let Params::Host(callback) = params {
            return self.set_host(m, (exec, node), callback);
        }
        if self.graphs.copies.contains_key(&node) {
            return Err(Refusal::Driver(CUresult::NOT_SUPPORTED));
        }
        let driver = &self.driver;
        // SAFETY: the handles are the session's own, and the descriptions outlive the call.
        let set = unsafe {
            match &mut params {
                Params::Kernel { shape, packed, layouts } => {
                    with_packed(shape, packed, layouts, |shape| {
                        if exec.is_null() {
                            driver.cuGraphKernelNodeSetParams_v2(node, shape)
                        } else {
                            driver.cuGraphExecKernelNodeSetParams_v2(exec, node, shape)
                        }
                    })
                }
                Params::Copy(copy) if exec.is_null() => {
                    driver.cuGraphMemcpyNodeSetParams(node, copy)
                }
                Params::Copy(copy) => {
                    driver.cuGraphExecMemcpyNodeSetParams(exec, node, copy, context)
                }
                Params::Fill(fill) if exec.is_null() => {
                    driver.cuGraphMemsetNodeSetParams(node, fill)
                }
                Params::Fill(fill) => {
                    driver.cuGraphExecMemsetNodeSetParams(exec, node, fill, context)
                }
                Params::Child(child) if !exec.is_null() => {
                    driver.cuGraphExecChildGraphNodeSetParams(exec, node, *child)
                }
                Params::Batch(operations) if exec.is_null() => {
                    driver.cuGraphBatchMemOpNodeSetParams(node, &batch(operations, context))
                }
                Params::Batch(operations) => driver.cuGraphExecBatchMemOpNodeSetParams(
                    exec,
                    node,
                    &batch(operations, context),
                ),
                Params::Record(event) if exec.is_null() => {
                    driver.cuGraphEventRecordNodeSetEvent(node, *event)
                }
                Params::Record(event) => {
                    driver.cuGraphExecEventRecordNodeSetEvent(exec, node, *event)
                }
                Params::Wait(event) if exec.is_null() => {
                    driver.cuGraphEventWaitNodeSetEvent(node, *event)
                }
                Params::Wait(event) => driver.cuGraphExecEventWaitNodeSetEvent(exec, node, *event),
                _ => CUresult::NOT_SUPPORTED,
            }
        };
        Ok(set.ok()?)
    }

    /// Replaces a node's host function. The node's graph keeps the function; for an executable
    /// graph, the session's table does.
    fn set_host(
        &mut self,
        m: &GraphSetNode<'_>,
        (exec, node): (CUgraphExec, CUgraphNode),
        callback: u64,
    ) -> Result<(), Refusal> {
        let mut graph_callback = Box::new(GraphCallback::run(&self.callbacks, callback));
        if exec.is_null() {
            let graph = self.objects.graph(self.graph_of(node))?;
            let host = CUDA_HOST_NODE_PARAMS {
                func: Some(run_graph_callback),
                userData: graph_callback.into_graph(&self.driver, graph)?,
            };
            // SAFETY: the node is the session's own, and its graph keeps the function's argument.
            return Ok(unsafe { self.driver.cuGraphHostNodeSetParams(node, &host) }.ok()?);
        }
        let host = CUDA_HOST_NODE_PARAMS {
            func: Some(run_graph_callback),
            userData: (&raw mut *graph_callback).cast(),
        };
        // SAFETY: the handles are the session's own, and the function's argument is kept until no
        // launch can call it.
        unsafe { self.driver.cuGraphExecHostNodeSetParams(exec, node, &host) }.ok()?;
        let before = self.graphs.replaced.insert((m.exec, node), graph_callback);
        self.retire(before.into_iter().collect());
        Ok(())
    }

    /// Handles `GraphKernelNode`.
    pub fn graph_kernel_node(
        &mut self,
        m: &GraphKernelNode,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        let node = self.objects.graph_node(m.node)?;
        // SAFETY: the struct contains only numbers and pointers; zero is valid for all of them.
        let mut found: CUDA_KERNEL_NODE_PARAMS = unsafe { std::mem::zeroed() };
        // SAFETY: the node is the session's own, and the out-pointer is a local.
        unsafe { self.driver.cuGraphKernelNodeGetParams_v2(node, &mut found) }.ok()?;
        let raw = if found.func.is_null() { CUfunction(found.kern.0) } else { found.func };
        let function = self.function_handle(raw).ok_or(CUresult::NOT_SUPPORTED)?;
        // SAFETY: the driver keeps the parameters in the description until the node changes.
        let params = unsafe { self.parameters(raw, &found)? };
        ticket.answer(&GraphKernelNodeReply {
            graph: self.graph_of(node),
            function,
            grid: [found.gridDimX, found.gridDimY, found.gridDimZ],
            block: [found.blockDimX, found.blockDimY, found.blockDimZ],
            shared_bytes: found.sharedMemBytes,
            params: &params,
        });
        Ok(())
    }

    /// Returns the client's handle for a driver's function, or for the kernel to which the function
    /// belongs.
    fn function_handle(&self, raw: CUfunction) -> Option<u64> {
        let is_its_function = |kernel: CUkernel| {
            let mut function = CUfunction::NULL;
            // SAFETY: the kernel is the session's own, and the out-pointer is a local.
            let found = unsafe { self.driver.cuKernelGetFunction(&mut function, kernel) };
            found == CUresult::SUCCESS && function == raw
        };
        self.objects.find_function(raw).or_else(|| {
            self.objects
                .kernels()
                .find(|(_, kernel)| is_its_function(*kernel))
                .map(|(handle, _)| handle)
        })
    }

    /// Returns a kernel node's packed parameters.
    ///
    /// # Safety
    /// The description's pointers are valid for reads.
    unsafe fn parameters(
        &self,
        function: CUfunction,
        found: &CUDA_KERNEL_NODE_PARAMS,
    ) -> Result<Vec<u8>, Refusal> {
        let mut params = Vec::new();
        if !found.extra.is_null() {
            // SAFETY: the caller guarantees that the driver's list is valid for reads.
            return Ok(unsafe { packed_parameters(found.extra) });
        }
        for (i, layout) in
            code::params(&self.driver, function, false).unwrap_or_default().iter().enumerate()
        {
            let (offset, bytes) = (layout.offset_bytes as usize, layout.size_bytes as usize);
            if found.kernelParams.is_null() || offset + bytes > PARAMETER_BYTES_MAX {
                return Err(Refusal::Driver(CUresult::NOT_SUPPORTED));
            }
            params.resize(offset + bytes, 0);
            // SAFETY: each pointer is valid for reads of the parameter's size.
            let value = unsafe {
                std::slice::from_raw_parts(found.kernelParams.add(i).read().cast::<u8>(), bytes)
            };
            params[offset..].copy_from_slice(value);
        }
        Ok(params)
    }
}

/// Returns the parameters of a batch of memory operations. The caller must keep `operations` alive.
fn batch(
    operations: &mut [CUstreamBatchMemOpParams],
    ctx: CUcontext,
) -> CUDA_BATCH_MEM_OP_NODE_PARAMS {
    CUDA_BATCH_MEM_OP_NODE_PARAMS {
        ctx,
        count: operations.len() as u32,
        paramArray: operations.as_mut_ptr(),
        flags: 0,
    }
}

/// Adds a child graph that moves into the graph; only the general function supports that. On
/// success, the surrounding graph owns the child.
///
/// # Safety
/// The caller fulfils the contract of the driver's function.
unsafe fn add_moved(
    driver: &Driver,
    node: &mut CUgraphNode,
    graph: CUgraph,
    child: CUgraph,
    on: &[CUgraphNode],
    edges: &[CUgraphEdgeData],
) -> CUresult {
    let mut params = CUgraphNodeParams {
        type_: values::GRAPH_NODE_TYPE_GRAPH,
        reserved0: [0; 3],
        words: [0; 29],
        reserved2: 0,
    };
    params.words[0] = child.0 as u64;
    params.words[1] = values::GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE as u64;
    let (from, count) = (on.as_ptr(), on.len());
    // SAFETY: the caller upholds this function's contract; there are as many edges as nodes, or
    // none.
    unsafe {
        if edges.is_empty() {
            driver.cuGraphAddNode(node, graph, from, count, &mut params)
        } else {
            driver.cuGraphAddNode_v2(node, graph, from, edges.as_ptr(), count, &mut params)
        }
    }
}

/// Adds a conditional node; only the general function supports that. On success, the description
/// contains the graphs inside the node.
///
/// # Safety
/// The caller fulfils the contract of the driver's function.
unsafe fn add_conditional(
    driver: &Driver,
    node: &mut CUgraphNode,
    graph: CUgraph,
    conditional: &mut CUDA_CONDITIONAL_NODE_PARAMS,
) -> CUresult {
    let mut params = CUgraphNodeParams {
        type_: values::GRAPH_NODE_TYPE_CONDITIONAL,
        reserved0: [0; 3],
        words: [0; 29],
        reserved2: 0,
    };
    let words: *mut CUDA_CONDITIONAL_NODE_PARAMS = (&raw mut params.words).cast();
    // SAFETY: the words are valid for reads and writes of the description, and are aligned for it.
    unsafe {
        words.write(*conditional);
        let made = driver.cuGraphAddNode(node, graph, std::ptr::null(), 0, &mut params);
        *conditional = words.read();
        made
    }
}

/// Adds edges from other nodes to a new node. Removes the node if that fails.
pub fn tie(
    driver: &Driver,
    graph: CUgraph,
    node: CUgraphNode,
    on: &[CUgraphNode],
    edges: &[CUgraphEdgeData],
) -> Result<(), CUresult> {
    if on.is_empty() {
        return Ok(());
    }
    let (from, to, count) = (on.as_ptr(), vec![node; on.len()], on.len());
    // SAFETY: the handles are the session's own, and the lists outlive the call.
    let tied = unsafe {
        if edges.is_empty() {
            driver.cuGraphAddDependencies(graph, from, to.as_ptr(), count)
        } else {
            driver.cuGraphAddDependencies_v2(graph, from, to.as_ptr(), edges.as_ptr(), count)
        }
    };
    tied.ok().inspect_err(|_| {
        // SAFETY: the node is new, and no other code knows it.
        let _ = unsafe { driver.cuGraphDestroyNode(node) };
    })
}

/// Returns the packed parameters in a driver's list of names and values.
///
/// # Safety
/// The list ends in CU_LAUNCH_PARAM_END, and its values are valid for reads.
unsafe fn packed_parameters(extra: *mut *mut c_void) -> Vec<u8> {
    let (mut buffer, mut bytes) = (std::ptr::null(), 0);
    for pair in 0.. {
        // SAFETY: the index is inside the list, because its end has not been reached yet.
        let (name, value) =
            unsafe { (extra.add(2 * pair).read() as usize, extra.add(2 * pair + 1)) };
        match name {
            values::LAUNCH_PARAM_BUFFER_POINTER => {
                // SAFETY: each name is followed by its value.
                buffer = unsafe { value.read() }.cast::<u8>().cast_const()
            }
            values::LAUNCH_PARAM_BUFFER_SIZE => {
                // SAFETY: each name is followed by its value, which here is a pointer to the size.
                bytes = unsafe { value.read().cast::<usize>().read() }
            }
            _ => break,
        }
    }
    if buffer.is_null() {
        Vec::new()
    } else {
        // SAFETY: the driver reported a size of `bytes` bytes for the buffer.
        unsafe { std::slice::from_raw_parts(buffer, bytes.min(PARAMETER_BYTES_MAX)) }.to_vec()
    }
}

/// Adds the packed parameters for the duration of the call. If their layout is known, passes them
/// one by one, because the driver rejects attributes of nodes that have packed parameters.
fn with_packed(
    shape: &mut CUDA_KERNEL_NODE_PARAMS,
    packed: &[u8],
    layouts: &[ParamLayout],
    call: impl FnOnce(*const CUDA_KERNEL_NODE_PARAMS) -> CUresult,
) -> CUresult {
    let place = |layout: &ParamLayout| {
        let start = layout.offset_bytes as usize;
        packed
            .get(start..start + layout.size_bytes as usize)
            .map(|value| value.as_ptr().cast_mut().cast::<c_void>())
    };
    // If the client sent fewer bytes than the driver expects, the driver rejects the packed
    // parameters.
    let mut singly: Vec<_> = layouts.iter().map(place).collect::<Option<_>>().unwrap_or_default();
    let mut size = packed.len();
    let mut extra = [
        values::LAUNCH_PARAM_BUFFER_POINTER as *mut c_void,
        packed.as_ptr().cast_mut().cast(),
        values::LAUNCH_PARAM_BUFFER_SIZE as *mut c_void,
        (&raw mut size).cast(),
        values::LAUNCH_PARAM_END as *mut c_void,
    ];
    if singly.is_empty() {
        shape.extra = extra.as_mut_ptr();
    } else {
        shape.kernelParams = singly.as_mut_ptr();
    }
    call(shape)
}

impl Worker {
    /// Handles `GraphDestroyNode`.
    pub fn graph_destroy_node(&mut self, m: &GraphDestroyNode) -> Result<(), Refusal> {
        let node = self.forget_node(m.node)?;
        // SAFETY: the node is the session's own and has left the table.
        Ok(unsafe { self.driver.cuGraphDestroyNode(node) }.ok()?)
    }

    /// Handles `GraphSetNodeAttribute`.
    pub fn graph_set_node_attribute(
        &mut self,
        m: &GraphSetNodeAttribute<'_>,
    ) -> Result<(), Refusal> {
        let (node, value) =
            (self.objects.graph_node(m.node)?, marshal::read::<CUstreamAttrValue>(m.value)?);
        // SAFETY: the node is the session's own, and the value outlives the call.
        Ok(unsafe { self.driver.cuGraphKernelNodeSetAttribute(node, m.attribute, &value) }.ok()?)
    }

    /// Handles `GraphNodeAttribute`.
    pub fn graph_node_attribute(
        &mut self,
        m: &GraphNodeAttribute,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        let (node, mut value) =
            (self.objects.graph_node(m.node)?, marshal::zero::<CUstreamAttrValue>());
        // SAFETY: the node is the session's own, and the out-pointer is a local.
        unsafe { self.driver.cuGraphKernelNodeGetAttribute(node, m.attribute, &mut value) }.ok()?;
        ticket.answer(&GraphNodeAttributeReply { value: marshal::bytes(&value) });
        Ok(())
    }
}
