//! Graph nodes: converts C's descriptions to tasks, and tasks back to descriptions for queries.

use std::sync::Arc;

use outhaul_abi::types::values::*;
use outhaul_abi::types::*;

use crate::driver::api::arguments::{put, take};
use crate::driver::api::code::launch::pack;
use crate::driver::api::graphs::allocation::allocation;
use crate::driver::api::graphs::graph::dependencies;
use crate::driver::api::graphs::graph_exec::find as find_exec;
use crate::driver::api::memory::copy::box_of_3d;
use crate::driver::lock;
use crate::driver::objects::code::kernel_call::{KernelCall, Shape};
use crate::driver::objects::graphs::condition::Condition;
use crate::driver::objects::graphs::edge::Dependency;
use crate::driver::objects::graphs::host_call::HostCall;
use crate::driver::objects::graphs::plan::Plan;
use crate::driver::objects::graphs::task::Task;
use crate::driver::objects::memory::copy::Fill;
use crate::driver::objects::streams::event::Event;
use crate::driver::state::driver;
use crate::driver::system::error::{Error, Result};

/// Converts the older description, which lacks the last two members, to the newer one.
fn widen(params: *const CUDA_KERNEL_NODE_PARAMS_v1) -> Result<CUDA_KERNEL_NODE_PARAMS> {
    let old = take(params)?;
    Ok(CUDA_KERNEL_NODE_PARAMS {
        func: old.func,
        gridDimX: old.gridDimX,
        gridDimY: old.gridDimY,
        gridDimZ: old.gridDimZ,
        blockDimX: old.blockDimX,
        blockDimY: old.blockDimY,
        blockDimZ: old.blockDimZ,
        sharedMemBytes: old.sharedMemBytes,
        kernelParams: old.kernelParams,
        extra: old.extra,
        kern: CUkernel::NULL,
        ctx: CUcontext::NULL,
    })
}

/// Returns the launch that a description names. The description names a function, or a library's
/// kernel in the named or current context.
fn kernel_call(
    params: &CUDA_KERNEL_NODE_PARAMS,
    cooperative: bool,
    cluster: Option<[u32; 3]>,
) -> Result<KernelCall> {
    let driver = driver()?;
    let handle = if params.func.is_null() { params.kern.0 } else { params.func.0 } as u64;
    let function = driver.function(handle)?;
    if !params.ctx.is_null() && params.ctx.0 as u64 != function.module.context {
        return Err(Error::NotSupported);
    }
    let shape = Shape {
        grid: [params.gridDimX, params.gridDimY, params.gridDimZ],
        block: [params.blockDimX, params.blockDimY, params.blockDimZ],
        dynamic_shared_bytes: params.sharedMemBytes,
        cooperative,
        cluster,
    };
    let buffer = pack(&function.kernel, params.kernelParams, params.extra)?;
    driver.kernel_call(handle, function, shape, buffer)
}

fn kernel(params: &CUDA_KERNEL_NODE_PARAMS) -> Result<Task> {
    Ok(Task::Kernel(Arc::new(kernel_call(params, false, None)?)))
}

/// Returns a copy node's task. Fails if the named memory does not exist.
pub(in crate::driver::api) fn copy(params: *const CUDA_MEMCPY3D) -> Result<Task> {
    let copy = box_of_3d(&take(params)?)?;
    driver()?.check_copy(&copy)?;
    Ok(Task::Copy(copy))
}

fn fill(params: *const CUDA_MEMSET_NODE_PARAMS) -> Result<Task> {
    let params = take(params)?;
    if !matches!(params.elementSize, 1 | 2 | 4) {
        return Err(Error::InvalidValue);
    }
    let fill = Fill {
        address: params.dst,
        pitch: params.pitch as u64,
        value: params.value,
        element_bytes: u64::from(params.elementSize),
        width: params.width as u64,
        height: params.height as u64,
    };
    driver()?.check_fill(&fill)?;
    Ok(Task::Fill(fill))
}

/// Returns the task of a node that calls a host function of the program.
pub(in crate::driver::api) fn host(params: *const CUDA_HOST_NODE_PARAMS) -> Result<Task> {
    let params = take(params)?;
    let function = params.func.ok_or(Error::InvalidValue)?;
    Ok(Task::Host(HostCall { function, data: params.userData.expose_provenance() as u64 }))
}

/// Returns a child node's task, with a copy of the graph.
pub(in crate::driver::api) fn child(graph: CUgraph) -> Result<Task> {
    let copy = driver()?.copy_of_graph(graph.0 as u64)?;
    if copy.has_memory_nodes() {
        return Err(Error::NotSupported);
    }
    let plan = Plan::new(copy).map_err(|_| Error::InvalidValue)?;
    Ok(Task::Graph(Arc::new(plan)))
}

fn event(event: CUevent) -> Result<Arc<Event>> {
    driver()?.events.get(event.0 as u64).ok_or(Error::InvalidHandle)
}

/// Returns a conditional node's task, and reports the inner graphs' handles to the program.
fn conditional(params: *mut CUDA_CONDITIONAL_NODE_PARAMS) -> Result<Task> {
    let driver = driver()?;
    let asked = take(params.cast_const())?;
    let condition = Condition::find(asked.handle).ok_or(Error::InvalidValue)?;
    let made = driver.conditional(condition, asked.type_, asked.size as usize)?;
    // SAFETY: checked for null; the program guarantees that its structure is valid for writes.
    unsafe { (&raw mut (*params).phGraph_out).write(made.handles.as_ptr().cast_mut()) };
    Ok(Task::Conditional(Arc::new(made)))
}

pub unsafe fn cuGraphConditionalHandleCreate(
    pHandle_out: *mut u64,
    hGraph: CUgraph,
    _ctx: CUcontext,
    defaultLaunchValue: u32,
    flags: u32,
) -> Result<()> {
    let graph = driver()?.graph(hGraph.0 as u64)?;
    if pHandle_out.is_null() || flags & !GRAPH_COND_ASSIGN_DEFAULT != 0 {
        return Err(Error::InvalidValue);
    }
    let condition =
        Condition::new((flags == GRAPH_COND_ASSIGN_DEFAULT).then_some(defaultLaunchValue));
    put(pHandle_out, condition.number)?;
    lock(&graph).keep(condition);
    Ok(())
}

/// Returns the task for the description that covers all node types.
pub(in crate::driver::api) fn any(params: *const CUgraphNodeParams) -> Result<Task> {
    let params = take(params)?;
    let union = params.words.as_ptr();
    match params.type_ {
        GRAPH_NODE_TYPE_KERNEL => kernel(&take(union.cast())?),
        GRAPH_NODE_TYPE_MEMCPY => {
            let params: CUDA_MEMCPY_NODE_PARAMS = take(union.cast())?;
            copy(&raw const params.copyParams)
        }
        GRAPH_NODE_TYPE_MEMSET => fill(union.cast()),
        GRAPH_NODE_TYPE_HOST => host(union.cast()),
        GRAPH_NODE_TYPE_GRAPH => child(take(union.cast())?),
        GRAPH_NODE_TYPE_EMPTY => Ok(Task::Empty),
        GRAPH_NODE_TYPE_WAIT_EVENT => Ok(Task::EventWait(event(take(union.cast())?)?)),
        GRAPH_NODE_TYPE_EVENT_RECORD => Ok(Task::EventRecord(event(take(union.cast())?)?)),
        GRAPH_NODE_TYPE_BATCH_MEM_OP => crate::driver::api::stream_memory::batch(union.cast()),
        _ => Err(Error::NotSupported),
    }
}

/// Returns a task like [`any`], for functions that may add a node with inner graphs.
fn any_new(params: *mut CUgraphNodeParams, into: u64) -> Result<Task> {
    let given = take(params.cast_const())?;
    match given.type_ {
        GRAPH_NODE_TYPE_CONDITIONAL => {}
        GRAPH_NODE_TYPE_GRAPH => {
            return match given.words[1] as i32 {
                GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE => any(params.cast_const()),
                GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE => driver()?.moved(given.words[0], into),
                _ => Err(Error::InvalidValue),
            };
        }
        GRAPH_NODE_TYPE_MEM_ALLOC => {}
        GRAPH_NODE_TYPE_MEM_FREE => return driver()?.free_in_graph(into, given.words[0]),
        _ => return any(params.cast_const()),
    }
    // SAFETY: checked for null; the program guarantees that its structure is valid, and only the
    // address is taken.
    let union = unsafe { &raw mut (*params).words };
    match given.type_ {
        GRAPH_NODE_TYPE_CONDITIONAL => conditional(union.cast()),
        _ => allocation(union.cast()),
    }
}

fn add(
    place: *mut CUgraphNode,
    graph: CUgraph,
    after: Result<Vec<Dependency>>,
    task: impl FnOnce() -> Result<Task>,
) -> Result<()> {
    let driver = driver()?;
    driver.graph(graph.0 as u64)?;
    if place.is_null() {
        return Err(Error::InvalidValue);
    }
    put(place, CUgraphNode(driver.add_node(graph.0 as u64, task()?, after?)? as usize))
}

/// Returns dependencies without edge data.
fn after(nodes: *const CUgraphNode, count: usize) -> Result<Vec<Dependency>> {
    dependencies(nodes, std::ptr::null(), count)
}

/// Adds a node after others and writes the node's handle to `place`.
pub(in crate::driver::api) fn add_after(
    place: *mut CUgraphNode,
    graph: CUgraph,
    nodes: *const CUgraphNode,
    count: usize,
    task: impl FnOnce() -> Result<Task>,
) -> Result<()> {
    add(place, graph, after(nodes, count), task)
}

pub unsafe fn cuGraphAddKernelNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1,
) -> Result<()> {
    add(phGraphNode, hGraph, after(dependencies, numDependencies), || kernel(&widen(nodeParams)?))
}

pub unsafe fn cuGraphAddKernelNode_v2(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
) -> Result<()> {
    add(phGraphNode, hGraph, after(dependencies, numDependencies), || kernel(&take(nodeParams)?))
}

/// Ignores the context, because all devices can access all memory.
pub unsafe fn cuGraphAddMemcpyNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    copyParams: *const CUDA_MEMCPY3D,
    _ctx: CUcontext,
) -> Result<()> {
    add(phGraphNode, hGraph, after(dependencies, numDependencies), || copy(copyParams))
}

pub unsafe fn cuGraphAddMemsetNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    memsetParams: *const CUDA_MEMSET_NODE_PARAMS,
    _ctx: CUcontext,
) -> Result<()> {
    add(phGraphNode, hGraph, after(dependencies, numDependencies), || fill(memsetParams))
}

pub unsafe fn cuGraphAddHostNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    nodeParams: *const CUDA_HOST_NODE_PARAMS,
) -> Result<()> {
    add(phGraphNode, hGraph, after(dependencies, numDependencies), || host(nodeParams))
}

pub unsafe fn cuGraphAddChildGraphNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    childGraph: CUgraph,
) -> Result<()> {
    add(phGraphNode, hGraph, after(dependencies, numDependencies), || child(childGraph))
}

pub unsafe fn cuGraphAddEmptyNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
) -> Result<()> {
    add(phGraphNode, hGraph, after(dependencies, numDependencies), || Ok(Task::Empty))
}

pub unsafe fn cuGraphAddEventRecordNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    event: CUevent,
) -> Result<()> {
    add(phGraphNode, hGraph, after(dependencies, numDependencies), || {
        Ok(Task::EventRecord(self::event(event)?))
    })
}

pub unsafe fn cuGraphAddEventWaitNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    event: CUevent,
) -> Result<()> {
    add(phGraphNode, hGraph, after(dependencies, numDependencies), || {
        Ok(Task::EventWait(self::event(event)?))
    })
}

pub unsafe fn cuGraphAddNode(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    numDependencies: usize,
    nodeParams: *mut CUgraphNodeParams,
) -> Result<()> {
    add(phGraphNode, hGraph, after(dependencies, numDependencies), || {
        any_new(nodeParams, hGraph.0 as u64)
    })
}

pub unsafe fn cuGraphAddNode_v2(
    phGraphNode: *mut CUgraphNode,
    hGraph: CUgraph,
    dependencies: *const CUgraphNode,
    dependencyData: *const CUgraphEdgeData,
    numDependencies: usize,
    nodeParams: *mut CUgraphNodeParams,
) -> Result<()> {
    let after = self::dependencies(dependencies, dependencyData, numDependencies);
    add(phGraphNode, hGraph, after, || any_new(nodeParams, hGraph.0 as u64))
}

/// Returns a kernel task's launch. Fails with INVALID_VALUE for other tasks.
fn call_of(task: &Task) -> Result<Arc<KernelCall>> {
    match task {
        Task::Kernel(call) => Ok(Arc::clone(call)),
        _ => Err(Error::InvalidValue),
    }
}

/// Returns a kernel node's launch. Fails with INVALID_VALUE for other nodes.
pub(in crate::driver::api) fn call_at(node: CUgraphNode) -> Result<Arc<KernelCall>> {
    let graph = driver()?.graph_of(node.0 as u64)?;
    call_of(lock(&graph).task(node.0 as u64)?)
}

/// Returns parameter values that remain valid until the node gets other parameters or is destroyed.
pub unsafe fn cuGraphKernelNodeGetParams_v2(
    hNode: CUgraphNode,
    nodeParams: *mut CUDA_KERNEL_NODE_PARAMS,
) -> Result<()> {
    let call = call_at(hNode)?;
    let is_function = driver()?.functions.get(call.handle).is_some();
    let ([gridDimX, gridDimY, gridDimZ], [blockDimX, blockDimY, blockDimZ]) =
        (call.shape.grid, call.shape.block);
    put(
        nodeParams,
        CUDA_KERNEL_NODE_PARAMS {
            func: CUfunction(if is_function { call.handle as usize } else { 0 }),
            gridDimX,
            gridDimY,
            gridDimZ,
            blockDimX,
            blockDimY,
            blockDimZ,
            sharedMemBytes: call.shape.dynamic_shared_bytes,
            kernelParams: call.param_addresses().as_ptr().cast_mut().cast(),
            extra: std::ptr::null_mut(),
            kern: CUkernel(if is_function { 0 } else { call.handle as usize }),
            ctx: CUcontext(call.context() as usize),
        },
    )
}

/// Replaces the task of a node in a graph that is not executable.
pub(in crate::driver::api) fn set(node: CUgraphNode, task: Task) -> Result<()> {
    lock(&*driver()?.graph_of(node.0 as u64)?).set_task(node.0 as u64, task)
}

/// Returns a kernel task with new parameters and the attributes of `old`.
pub(in crate::driver::api) fn kernel_like(
    old: &KernelCall,
    params: &CUDA_KERNEL_NODE_PARAMS,
) -> Result<Task> {
    Ok(Task::Kernel(Arc::new(kernel_call(params, old.shape.cooperative, old.shape.cluster)?)))
}

fn set_kernel(node: CUgraphNode, params: &CUDA_KERNEL_NODE_PARAMS) -> Result<()> {
    set(node, kernel_like(&*call_at(node)?, params)?)
}

pub unsafe fn cuGraphKernelNodeSetParams(
    hNode: CUgraphNode,
    nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1,
) -> Result<()> {
    set_kernel(hNode, &widen(nodeParams)?)
}

pub unsafe fn cuGraphKernelNodeSetParams_v2(
    hNode: CUgraphNode,
    nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
) -> Result<()> {
    set_kernel(hNode, &take(nodeParams)?)
}

pub unsafe fn cuGraphMemsetNodeSetParams(
    hNode: CUgraphNode,
    nodeParams: *const CUDA_MEMSET_NODE_PARAMS,
) -> Result<()> {
    set(hNode, fill(nodeParams)?)
}

fn set_exec_kernel(
    exec: CUgraphExec,
    node: CUgraphNode,
    params: &CUDA_KERNEL_NODE_PARAMS,
) -> Result<()> {
    let exec = find_exec(exec)?;
    exec.set_task(node.0 as u64, kernel_like(&*call_of(&exec.task(node.0 as u64)?)?, params)?)
}

pub unsafe fn cuGraphExecKernelNodeSetParams(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1,
) -> Result<()> {
    set_exec_kernel(hGraphExec, hNode, &widen(nodeParams)?)
}

pub unsafe fn cuGraphExecKernelNodeSetParams_v2(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
) -> Result<()> {
    set_exec_kernel(hGraphExec, hNode, &take(nodeParams)?)
}

pub unsafe fn cuGraphExecMemsetNodeSetParams(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    memsetParams: *const CUDA_MEMSET_NODE_PARAMS,
    _ctx: CUcontext,
) -> Result<()> {
    find_exec(hGraphExec)?.set_task(hNode.0 as u64, fill(memsetParams)?)
}

pub unsafe fn cuGraphKernelNodeCopyAttributes(dst: CUgraphNode, src: CUgraphNode) -> Result<()> {
    let (to, from) = (call_at(dst)?, call_at(src)?);
    set(dst, Task::Kernel(Arc::new(to.with_attributes_of(&from)?)))
}

pub unsafe fn cuGraphEventRecordNodeSetEvent(hNode: CUgraphNode, event: CUevent) -> Result<()> {
    set(hNode, Task::EventRecord(self::event(event)?))
}

pub unsafe fn cuGraphEventWaitNodeSetEvent(hNode: CUgraphNode, event: CUevent) -> Result<()> {
    set(hNode, Task::EventWait(self::event(event)?))
}

pub unsafe fn cuGraphExecEventRecordNodeSetEvent(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    event: CUevent,
) -> Result<()> {
    find_exec(hGraphExec)?.set_task(hNode.0 as u64, Task::EventRecord(self::event(event)?))
}

pub unsafe fn cuGraphExecEventWaitNodeSetEvent(
    hGraphExec: CUgraphExec,
    hNode: CUgraphNode,
    event: CUevent,
) -> Result<()> {
    find_exec(hGraphExec)?.set_task(hNode.0 as u64, Task::EventWait(self::event(event)?))
}
