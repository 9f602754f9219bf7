//! Graphs, their nodes and executable graphs.

// ---- Graphs ----

#[since(11070)] #[soft]
#[is(graphs::new_node::add(new_node(hGraph, dependencies, null, numDependencies),
    graphs::node::batch(nodeParams)) -> phGraphNode)]
fn cuGraphAddBatchMemOpNode(
    phGraphNode: Out<CUgraphNode>, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, nodeParams: In<CUDA_BATCH_MEM_OP_NODE_PARAMS>,
);
#[since(10000)] #[soft]
#[is(graphs::new_node::add(new_node(hGraph, dependencies, null, numDependencies),
    graphs::node::child(childGraph)) -> phGraphNode)]
fn cuGraphAddChildGraphNode(
    phGraphNode: Out<CUgraphNode>, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, childGraph: CUgraph,
);
#[since(10000)] #[soft] #[is(graphs::graph::depend(hGraph, from, to, null, numDependencies, false))]
fn cuGraphAddDependencies(
    hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, numDependencies: usize,
);
#[since(12030)] #[soft]
#[is(graphs::graph::depend(hGraph, from, to, edgeData, numDependencies, false))]
fn cuGraphAddDependencies_v2(
    hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode,
    edgeData: *const CUgraphEdgeData, numDependencies: usize,
);
#[since(10000)] #[soft]
#[is(graphs::new_node::add_empty(new_node(hGraph, dependencies, null,
    numDependencies)) -> phGraphNode)]
fn cuGraphAddEmptyNode(
    phGraphNode: Out<CUgraphNode>, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize,
);
#[since(11010)] #[soft]
#[is(graphs::new_node::add(new_node(hGraph, dependencies, null, numDependencies),
    graphs::node::about_event(values::GRAPH_NODE_TYPE_EVENT_RECORD, event)) -> phGraphNode)]
fn cuGraphAddEventRecordNode(
    phGraphNode: Out<CUgraphNode>, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, event: CUevent,
);
#[since(11010)] #[soft]
#[is(graphs::new_node::add(new_node(hGraph, dependencies, null, numDependencies),
    graphs::node::about_event(values::GRAPH_NODE_TYPE_WAIT_EVENT, event)) -> phGraphNode)]
fn cuGraphAddEventWaitNode(
    phGraphNode: Out<CUgraphNode>, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, event: CUevent,
);
#[since(11020)] #[unsupported(external)] #[untyped] fn cuGraphAddExternalSemaphoresSignalNode();
#[since(11020)] #[unsupported(external)] #[untyped] fn cuGraphAddExternalSemaphoresWaitNode();
#[since(10000)] #[soft]
#[is(graphs::new_node::add(new_node(hGraph, dependencies, null, numDependencies),
    graphs::node::host(nodeParams)) -> phGraphNode)]
fn cuGraphAddHostNode(
    phGraphNode: Out<CUgraphNode>, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, nodeParams: In<CUDA_HOST_NODE_PARAMS>,
);
#[since(10000)] #[soft]
#[is(graphs::new_node::add(new_node(hGraph, dependencies, null, numDependencies),
    graphs::node::kernel_v1(nodeParams)) -> phGraphNode)]
fn cuGraphAddKernelNode(
    phGraphNode: Out<CUgraphNode>, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, nodeParams: In<CUDA_KERNEL_NODE_PARAMS_v1>,
);
#[since(12000)] #[soft]
#[is(graphs::new_node::add(new_node(hGraph, dependencies, null, numDependencies),
    graphs::node::kernel(nodeParams)) -> phGraphNode)]
fn cuGraphAddKernelNode_v2(
    phGraphNode: Out<CUgraphNode>, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, nodeParams: In<CUDA_KERNEL_NODE_PARAMS>,
);
#[since(11040)] #[soft]
#[is(graphs::memory::add_allocation(phGraphNode, hGraph, dependencies, null, numDependencies,
    nodeParams))]
fn cuGraphAddMemAllocNode(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, nodeParams: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
);
#[since(11040)] #[soft]
#[is(graphs::memory::add_free(phGraphNode, hGraph, dependencies, null, numDependencies, dptr))]
fn cuGraphAddMemFreeNode(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, dptr: CUdeviceptr,
);
#[since(10000)] #[soft]
#[is(graphs::node::add_copy(graphs::new_node::new_node(hGraph, dependencies, null, numDependencies),
    copyParams, ctx) -> phGraphNode)]
fn cuGraphAddMemcpyNode(
    phGraphNode: Out<CUgraphNode>, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, copyParams: In<CUDA_MEMCPY3D>, ctx: CUcontext,
);
#[since(10000)] #[soft]
#[is(graphs::new_node::add(new_node(hGraph, dependencies, null, numDependencies),
    graphs::node::fill(memsetParams, ctx)) -> phGraphNode)]
fn cuGraphAddMemsetNode(
    phGraphNode: Out<CUgraphNode>, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, memsetParams: In<CUDA_MEMSET_NODE_PARAMS>, ctx: CUcontext,
);
#[since(12020)] #[soft]
#[is(cuGraphAddNode_v2(phGraphNode, hGraph, dependencies, null, numDependencies, nodeParams))]
fn cuGraphAddNode(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, nodeParams: *mut CUgraphNodeParams,
);
#[since(12030)] #[soft] #[custom("the struct has another description for each kind of node")]
fn cuGraphAddNode_v2(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    dependencyData: *const CUgraphEdgeData, numDependencies: usize,
    nodeParams: *mut CUgraphNodeParams,
);
#[since(11070)] #[soft] #[is(graphs::params::batch(hNode) -> nodeParams_out)]
fn cuGraphBatchMemOpNodeGetParams(
    hNode: CUgraphNode, nodeParams_out: *mut CUDA_BATCH_MEM_OP_NODE_PARAMS,
);
#[since(11070)] #[soft] #[is(graphs::node::set(0, hNode, batch(nodeParams)))]
fn cuGraphBatchMemOpNodeSetParams(
    hNode: CUgraphNode, nodeParams: In<CUDA_BATCH_MEM_OP_NODE_PARAMS>,
);
#[since(10000)] #[soft] #[is(graphs::params::child(hNode) -> phGraph)]
fn cuGraphChildGraphNodeGetGraph(hNode: CUgraphNode, phGraph: Out<CUgraph>);
#[since(10000)] #[soft] #[is(graphs::graph::clone(originalGraph) -> phGraphClone)]
fn cuGraphClone(phGraphClone: Out<CUgraph>, originalGraph: CUgraph);
#[since(12030)] #[soft]
#[is(graphs::node::condition(hGraph, ctx, defaultLaunchValue, flags) -> pHandle_out)]
fn cuGraphConditionalHandleCreate(
    pHandle_out: Out<u64>, hGraph: CUgraph, ctx: CUcontext, defaultLaunchValue: u32,
    #[one_of(0 | 1)] flags: u32,
);
#[since(10000)] #[soft] #[is(graphs::graph::create(flags) -> phGraph)]
fn cuGraphCreate(phGraph: Out<CUgraph>, #[one_of(0)] flags: u32);
#[since(11030)] #[soft]
#[is(graphs::dot::print(marshal::graph(hGraph), arguments::name(path), flags))]
fn cuGraphDebugDotPrint(hGraph: CUgraph, path: *const c_char, #[flags(0x1_ffff)] flags: u32);
#[since(10000)] #[soft] #[is(graphs::graph::destroy(hGraph))]
fn cuGraphDestroy(hGraph: CUgraph);
#[since(10000)] #[soft] #[is(graphs::node::destroy(hNode))]
fn cuGraphDestroyNode(hNode: CUgraphNode);
#[since(11010)] #[soft]
#[is(graphs::params::event_of(hNode, values::GRAPH_NODE_TYPE_EVENT_RECORD) -> event_out)]
fn cuGraphEventRecordNodeGetEvent(hNode: CUgraphNode, event_out: *mut CUevent);
#[since(11010)] #[soft]
#[is(graphs::node::set(0, hNode, about_event(values::GRAPH_NODE_TYPE_EVENT_RECORD, event)))]
fn cuGraphEventRecordNodeSetEvent(hNode: CUgraphNode, event: CUevent);
#[since(11010)] #[soft]
#[is(graphs::params::event_of(hNode, values::GRAPH_NODE_TYPE_WAIT_EVENT) -> event_out)]
fn cuGraphEventWaitNodeGetEvent(hNode: CUgraphNode, event_out: *mut CUevent);
#[since(11010)] #[soft]
#[is(graphs::node::set(0, hNode, about_event(values::GRAPH_NODE_TYPE_WAIT_EVENT, event)))]
fn cuGraphEventWaitNodeSetEvent(hNode: CUgraphNode, event: CUevent);
#[since(11070)] #[soft]
#[is(graphs::node::set(marshal::graph_exec(hGraphExec), hNode, batch(nodeParams)))]
fn cuGraphExecBatchMemOpNodeSetParams(
    hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: In<CUDA_BATCH_MEM_OP_NODE_PARAMS>,
);
#[since(11010)] #[soft] #[is(graphs::node::set_child(hGraphExec, hNode, childGraph))]
fn cuGraphExecChildGraphNodeSetParams(
    hGraphExec: CUgraphExec, hNode: CUgraphNode, childGraph: CUgraph,
);
#[since(10000)] #[unsafe_in_capture] #[soft] #[is(graphs::graph::destroy_exec(hGraphExec))]
fn cuGraphExecDestroy(hGraphExec: CUgraphExec);
#[since(11010)] #[soft]
#[is(graphs::node::set(marshal::graph_exec(hGraphExec), hNode,
    about_event(values::GRAPH_NODE_TYPE_EVENT_RECORD, event)))]
fn cuGraphExecEventRecordNodeSetEvent(hGraphExec: CUgraphExec, hNode: CUgraphNode, event: CUevent);
#[since(11010)] #[soft]
#[is(graphs::node::set(marshal::graph_exec(hGraphExec), hNode,
    about_event(values::GRAPH_NODE_TYPE_WAIT_EVENT, event)))]
fn cuGraphExecEventWaitNodeSetEvent(hGraphExec: CUgraphExec, hNode: CUgraphNode, event: CUevent);
#[since(11020)] #[unsupported(external)] #[untyped]
fn cuGraphExecExternalSemaphoresSignalNodeSetParams();
#[since(11020)] #[unsupported(external)] #[untyped]
fn cuGraphExecExternalSemaphoresWaitNodeSetParams();
#[since(12000)] #[call(op = 152)] #[does(nothing)] #[soft]
fn cuGraphExecGetFlags(hGraphExec: CUgraphExec, flags: Out<u64>);
#[since(10020)] #[soft]
#[is(graphs::node::set(marshal::graph_exec(hGraphExec), hNode, host(nodeParams)))]
fn cuGraphExecHostNodeSetParams(
    hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: In<CUDA_HOST_NODE_PARAMS>,
);
#[since(10010)] #[soft]
#[is(graphs::node::set(marshal::graph_exec(hGraphExec), hNode, kernel_v1(nodeParams)))]
fn cuGraphExecKernelNodeSetParams(
    hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: In<CUDA_KERNEL_NODE_PARAMS_v1>,
);
#[since(12000)] #[soft]
#[is(graphs::node::set(marshal::graph_exec(hGraphExec), hNode, kernel(nodeParams)))]
fn cuGraphExecKernelNodeSetParams_v2(
    hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: In<CUDA_KERNEL_NODE_PARAMS>,
);
#[since(10020)] #[soft]
#[is(graphs::node::set_copy(marshal::graph_exec(hGraphExec), hNode, copyParams, ctx))]
fn cuGraphExecMemcpyNodeSetParams(
    hGraphExec: CUgraphExec, hNode: CUgraphNode, copyParams: In<CUDA_MEMCPY3D>, ctx: CUcontext,
);
#[since(10020)] #[soft]
#[is(graphs::node::set(marshal::graph_exec(hGraphExec), hNode, fill(memsetParams, ctx)))]
fn cuGraphExecMemsetNodeSetParams(
    hGraphExec: CUgraphExec, hNode: CUgraphNode, memsetParams: In<CUDA_MEMSET_NODE_PARAMS>,
    ctx: CUcontext,
);
#[since(12020)] #[soft]
#[is(graphs::node::set_any(marshal::graph_exec(hGraphExec), hNode, nodeParams))]
fn cuGraphExecNodeSetParams(
    hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *mut CUgraphNodeParams,
);
#[since(10020)] #[custom("writes its places also when it fails")]
fn cuGraphExecUpdate(
    hGraphExec: CUgraphExec, hGraph: CUgraph, hErrorNode_out: *mut CUgraphNode,
    updateResult_out: *mut CUgraphExecUpdateResult,
);
#[since(12000)] #[soft] #[custom("writes its place also when it fails")]
fn cuGraphExecUpdate_v2(
    hGraphExec: CUgraphExec, hGraph: CUgraph, resultInfo: *mut CUgraphExecUpdateResultInfo,
);
#[since(11020)] #[unsupported(external)] #[untyped]
fn cuGraphExternalSemaphoresSignalNodeGetParams();
#[since(11020)] #[unsupported(external)] #[untyped]
fn cuGraphExternalSemaphoresSignalNodeSetParams();
#[since(11020)] #[unsupported(external)] #[untyped] fn cuGraphExternalSemaphoresWaitNodeGetParams();
#[since(11020)] #[unsupported(external)] #[untyped] fn cuGraphExternalSemaphoresWaitNodeSetParams();
#[since(10000)] #[soft] #[is(cuGraphGetEdges_v2(hGraph, from, to, null, numEdges))]
fn cuGraphGetEdges(
    hGraph: CUgraph, from: *mut CUgraphNode, to: *mut CUgraphNode, numEdges: *mut usize,
);
#[since(12030)] #[soft] #[custom("the count comes in as room and goes out as number")]
fn cuGraphGetEdges_v2(
    hGraph: CUgraph, from: *mut CUgraphNode, to: *mut CUgraphNode, edgeData: *mut CUgraphEdgeData,
    numEdges: *mut usize,
);
#[since(10000)] #[soft]
#[is(graphs::graph::nodes(marshal::graph(hGraph), graphs::graph::Which::Nodes, nodes, numNodes))]
fn cuGraphGetNodes(hGraph: CUgraph, nodes: *mut CUgraphNode, numNodes: *mut usize);
#[since(10000)] #[soft]
#[is(graphs::graph::nodes(marshal::graph(hGraph), graphs::graph::Which::Roots, rootNodes,
    numRootNodes))]
fn cuGraphGetRootNodes(hGraph: CUgraph, rootNodes: *mut CUgraphNode, numRootNodes: *mut usize);
#[since(10000)] #[soft] #[is(graphs::params::host(hNode) -> nodeParams)]
fn cuGraphHostNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_HOST_NODE_PARAMS);
#[since(10000)] #[soft] #[is(graphs::node::set(0, hNode, host(nodeParams)))]
fn cuGraphHostNodeSetParams(hNode: CUgraphNode, nodeParams: In<CUDA_HOST_NODE_PARAMS>);
#[since(10000)] #[form_of(cuGraphInstantiate_v2)] #[soft]
fn cuGraphInstantiate(
    phGraphExec: *mut CUgraphExec, hGraph: CUgraph, phErrorNode: *mut CUgraphNode,
    logBuffer: *mut c_char, bufferSize: usize,
);
#[since(11000)] #[soft] #[custom("writes its places also when it fails")]
fn cuGraphInstantiate_v2(
    phGraphExec: *mut CUgraphExec, hGraph: CUgraph, phErrorNode: *mut CUgraphNode,
    logBuffer: *mut c_char, bufferSize: usize,
);
#[since(11040)] #[unsafe_in_capture] #[soft] #[custom("writes its place also when it fails")]
fn cuGraphInstantiateWithFlags(
    phGraphExec: *mut CUgraphExec, hGraph: CUgraph, #[flags(0xf)] flags: u64,
);
#[since(12000)] #[ptsz(12000)] #[unsafe_in_capture] #[soft]
#[custom("the struct takes results, also when it fails")]
fn cuGraphInstantiateWithParams(
    phGraphExec: *mut CUgraphExec, hGraph: CUgraph,
    instantiateParams: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
);
#[since(11000)] #[call(op = 163)] #[does(nothing)] #[soft]
fn cuGraphKernelNodeCopyAttributes(dst: CUgraphNode, src: CUgraphNode);
#[since(11000)] #[soft] #[is(graphs::params::attribute(hNode, attr) -> value_out)]
fn cuGraphKernelNodeGetAttribute(
    hNode: CUgraphNode, #[one_of(1..=16)] attr: CUstreamAttrID, value_out: Out<CUstreamAttrValue>,
);
#[since(10000)] #[soft] #[is(graphs::params::kernel_v1(hNode) -> nodeParams)]
fn cuGraphKernelNodeGetParams(hNode: CUgraphNode, nodeParams: Out<CUDA_KERNEL_NODE_PARAMS_v1>);
#[since(12000)] #[soft] #[is(graphs::params::kernel(hNode) -> nodeParams)]
fn cuGraphKernelNodeGetParams_v2(hNode: CUgraphNode, nodeParams: Out<CUDA_KERNEL_NODE_PARAMS>);
#[since(11000)] #[soft] #[custom("refuses some attributes before it reads the value")]
fn cuGraphKernelNodeSetAttribute(
    hNode: CUgraphNode, #[one_of(1..=16)] attr: CUstreamAttrID, value: *const CUstreamAttrValue,
);
#[since(10000)] #[soft] #[is(graphs::node::set(0, hNode, kernel_v1(nodeParams)))]
fn cuGraphKernelNodeSetParams(hNode: CUgraphNode, nodeParams: In<CUDA_KERNEL_NODE_PARAMS_v1>);
#[since(12000)] #[soft] #[is(graphs::node::set(0, hNode, kernel(nodeParams)))]
fn cuGraphKernelNodeSetParams_v2(hNode: CUgraphNode, nodeParams: In<CUDA_KERNEL_NODE_PARAMS>);
#[since(10000)] #[ptsz(10000)] #[soft] #[is(graphs::graph::launch(hGraph, hStream))]
fn cuGraphLaunch(hGraph: CUgraphExec, hStream: CUstream);
#[since(11040)] #[local] #[soft]
fn cuGraphMemAllocNodeGetParams(hNode: CUgraphNode, params_out: *mut CUDA_MEM_ALLOC_NODE_PARAMS);
#[since(11040)] #[local] #[soft]
fn cuGraphMemFreeNodeGetParams(hNode: CUgraphNode, dptr_out: *mut CUdeviceptr);
#[since(10000)] #[soft] #[is(graphs::params::copy(hNode) -> nodeParams)]
fn cuGraphMemcpyNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_MEMCPY3D);
#[since(10000)] #[soft]
#[is(graphs::node::set(0, hNode, copy_on_device(nodeParams, CUcontext::NULL)))]
fn cuGraphMemcpyNodeSetParams(hNode: CUgraphNode, nodeParams: In<CUDA_MEMCPY3D>);
#[since(10000)] #[soft] #[is(graphs::params::fill(hNode) -> nodeParams)]
fn cuGraphMemsetNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_MEMSET_NODE_PARAMS);
#[since(10000)] #[soft] #[is(graphs::node::set(0, hNode, fill(nodeParams, CUcontext::NULL)))]
fn cuGraphMemsetNodeSetParams(hNode: CUgraphNode, nodeParams: In<CUDA_MEMSET_NODE_PARAMS>);
#[since(10000)] #[soft] #[is(graphs::params::find_in_clone(hOriginalNode, hClonedGraph) -> phNode)]
fn cuGraphNodeFindInClone(
    phNode: *mut CUgraphNode, hOriginalNode: CUgraphNode, hClonedGraph: CUgraph,
);
#[since(10000)] #[soft]
#[is(cuGraphNodeGetDependencies_v2(hNode, dependencies, null, numDependencies))]
fn cuGraphNodeGetDependencies(
    hNode: CUgraphNode, dependencies: *mut CUgraphNode, numDependencies: *mut usize,
);
#[since(12030)] #[soft]
#[is(graphs::graph::neighbours(hNode, graphs::graph::Which::Dependencies, dependencies, edgeData,
    numDependencies))]
fn cuGraphNodeGetDependencies_v2(
    hNode: CUgraphNode, dependencies: *mut CUgraphNode, edgeData: *mut CUgraphEdgeData,
    numDependencies: *mut usize,
);
#[since(10000)] #[soft]
#[is(cuGraphNodeGetDependentNodes_v2(hNode, dependentNodes, null, numDependentNodes))]
fn cuGraphNodeGetDependentNodes(
    hNode: CUgraphNode, dependentNodes: *mut CUgraphNode, numDependentNodes: *mut usize,
);
#[since(12030)] #[soft]
#[is(graphs::graph::neighbours(hNode, graphs::graph::Which::Dependents, dependentNodes, edgeData,
    numDependentNodes))]
fn cuGraphNodeGetDependentNodes_v2(
    hNode: CUgraphNode, dependentNodes: *mut CUgraphNode, edgeData: *mut CUgraphEdgeData,
    numDependentNodes: *mut usize,
);
#[since(11060)] #[call(op = 158)] #[does(nothing)] #[soft]
fn cuGraphNodeGetEnabled(hGraphExec: CUgraphExec, hNode: CUgraphNode, isEnabled: Out<u32>);
#[since(10000)] #[soft] #[is(graphs::params::kind(hNode) -> type_)]
fn cuGraphNodeGetType(hNode: CUgraphNode, type_: *mut CUgraphNodeType);
#[since(11060)] #[call(op = 157)] #[does(nothing)] #[soft]
fn cuGraphNodeSetEnabled(hGraphExec: CUgraphExec, hNode: CUgraphNode, isEnabled: u32);
#[since(12020)] #[soft] #[is(graphs::node::set_any(0, hNode, nodeParams))]
fn cuGraphNodeSetParams(hNode: CUgraphNode, nodeParams: *mut CUgraphNodeParams);
#[since(11030)] #[call(op = 156)] #[does(nothing)] #[soft]
fn cuGraphReleaseUserObject(
    graph: CUgraph, object: CUuserObject, #[one_of(1..=0x7fff_ffff)] count: u32,
);
#[since(10000)] #[soft] #[is(graphs::graph::depend(hGraph, from, to, null, numDependencies, true))]
fn cuGraphRemoveDependencies(
    hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, numDependencies: usize,
);
#[since(12030)] #[soft]
#[is(graphs::graph::depend(hGraph, from, to, edgeData, numDependencies, true))]
fn cuGraphRemoveDependencies_v2(
    hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode,
    edgeData: *const CUgraphEdgeData, numDependencies: usize,
);
#[since(11030)] #[call(op = 155)] #[does(nothing)] #[soft]
fn cuGraphRetainUserObject(
    graph: CUgraph, object: CUuserObject, #[one_of(1..=0x7fff_ffff)] count: u32,
    #[flags(1)] flags: u32,
);
#[since(11010)] #[ptsz(11010)] #[post(op = 150)] #[does(to_device, like = (hGraph,), drains)]
#[soft]
fn cuGraphUpload(hGraph: CUgraphExec, hStream: CUstream);
#[since(11030)] #[soft]
#[is(graphs::graph::create_user_object(ptr, destroy, initialRefcount, flags) -> object_out)]
fn cuUserObjectCreate(
    object_out: Out<CUuserObject>, ptr: *mut c_void, destroy: CUhostFn,
    #[one_of(1..=0x7fff_ffff)] initialRefcount: u32, #[one_of(1)] flags: u32,
);
#[since(11030)] #[call(op = 154)] #[does(nothing)] #[soft]
fn cuUserObjectRelease(object: CUuserObject, #[one_of(1..=0x7fff_ffff)] count: u32);
#[since(11030)] #[call(op = 153)] #[does(nothing)] #[soft]
fn cuUserObjectRetain(object: CUuserObject, #[one_of(1..=0x7fff_ffff)] count: u32);
