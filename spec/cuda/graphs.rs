//! Graphs.

// ---- Graphs ----

#[since(11070)] #[custom] #[soft]
fn cuGraphAddBatchMemOpNode(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
);
#[since(10000)] #[custom] #[soft]
fn cuGraphAddChildGraphNode(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, childGraph: CUgraph,
);
#[since(10000)] #[custom] #[soft]
fn cuGraphAddDependencies(
    hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, numDependencies: usize,
);
#[since(12030)] #[custom] #[soft]
fn cuGraphAddDependencies_v2(
    hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode,
    edgeData: *const CUgraphEdgeData, numDependencies: usize,
);
#[since(10000)] #[custom] #[soft]
fn cuGraphAddEmptyNode(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize,
);
#[since(11010)] #[custom] #[soft]
fn cuGraphAddEventRecordNode(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, event: CUevent,
);
#[since(11010)] #[custom] #[soft]
fn cuGraphAddEventWaitNode(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, event: CUevent,
);
#[since(11020)] #[unsupported(external)] #[untyped] fn cuGraphAddExternalSemaphoresSignalNode();
#[since(11020)] #[unsupported(external)] #[untyped] fn cuGraphAddExternalSemaphoresWaitNode();
#[since(10000)] #[custom] #[soft]
fn cuGraphAddHostNode(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, nodeParams: *const CUDA_HOST_NODE_PARAMS,
);
#[since(10000)] #[custom] #[soft]
fn cuGraphAddKernelNode(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1,
);
#[since(12000)] #[custom] #[soft]
fn cuGraphAddKernelNode_v2(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
);
#[since(11040)] #[custom]
fn cuGraphAddMemAllocNode(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, nodeParams: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
);
#[since(11040)] #[custom]
fn cuGraphAddMemFreeNode(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, dptr: CUdeviceptr,
);
#[since(10000)] #[custom] #[soft]
fn cuGraphAddMemcpyNode(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, copyParams: *const CUDA_MEMCPY3D, ctx: CUcontext,
);
#[since(10000)] #[custom] #[soft]
fn cuGraphAddMemsetNode(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, memsetParams: *const CUDA_MEMSET_NODE_PARAMS, ctx: CUcontext,
);
#[since(12020)] #[custom] #[soft]
fn cuGraphAddNode(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    numDependencies: usize, nodeParams: *mut CUgraphNodeParams,
);
#[since(12030)] #[custom] #[soft]
fn cuGraphAddNode_v2(
    phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode,
    dependencyData: *const CUgraphEdgeData, numDependencies: usize,
    nodeParams: *mut CUgraphNodeParams,
);
#[since(11070)] #[custom] #[soft]
fn cuGraphBatchMemOpNodeGetParams(
    hNode: CUgraphNode, nodeParams_out: *mut CUDA_BATCH_MEM_OP_NODE_PARAMS,
);
#[since(11070)] #[custom] #[soft]
fn cuGraphBatchMemOpNodeSetParams(
    hNode: CUgraphNode, nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
);
#[since(10000)] #[custom] #[soft]
fn cuGraphChildGraphNodeGetGraph(hNode: CUgraphNode, phGraph: *mut CUgraph);
#[since(10000)] #[custom] #[soft]
fn cuGraphClone(phGraphClone: *mut CUgraph, originalGraph: CUgraph);
#[since(12030)] #[custom] #[soft]
fn cuGraphConditionalHandleCreate(
    pHandle_out: *mut u64, hGraph: CUgraph, ctx: CUcontext, defaultLaunchValue: u32, flags: u32,
);
#[since(10000)] #[custom] #[soft]
fn cuGraphCreate(phGraph: *mut CUgraph, flags: u32);
#[since(11030)] #[custom] #[soft]
fn cuGraphDebugDotPrint(hGraph: CUgraph, path: *const c_char, flags: u32);
#[since(10000)] #[custom] #[soft]
fn cuGraphDestroy(hGraph: CUgraph);
#[since(10000)] #[custom] #[soft]
fn cuGraphDestroyNode(hNode: CUgraphNode);
#[since(11010)] #[custom] #[soft]
fn cuGraphEventRecordNodeGetEvent(hNode: CUgraphNode, event_out: *mut CUevent);
#[since(11010)] #[custom] #[soft]
fn cuGraphEventRecordNodeSetEvent(hNode: CUgraphNode, event: CUevent);
#[since(11010)] #[custom] #[soft]
fn cuGraphEventWaitNodeGetEvent(hNode: CUgraphNode, event_out: *mut CUevent);
#[since(11010)] #[custom] #[soft]
fn cuGraphEventWaitNodeSetEvent(hNode: CUgraphNode, event: CUevent);
#[since(11070)] #[custom] #[soft]
fn cuGraphExecBatchMemOpNodeSetParams(
    hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *const CUDA_BATCH_MEM_OP_NODE_PARAMS,
);
#[since(11010)] #[custom] #[soft]
fn cuGraphExecChildGraphNodeSetParams(
    hGraphExec: CUgraphExec, hNode: CUgraphNode, childGraph: CUgraph,
);
#[since(10000)] #[custom] #[soft]
fn cuGraphExecDestroy(hGraphExec: CUgraphExec);
#[since(11010)] #[custom] #[soft]
fn cuGraphExecEventRecordNodeSetEvent(hGraphExec: CUgraphExec, hNode: CUgraphNode, event: CUevent);
#[since(11010)] #[custom] #[soft]
fn cuGraphExecEventWaitNodeSetEvent(hGraphExec: CUgraphExec, hNode: CUgraphNode, event: CUevent);
#[since(11020)] #[unsupported(external)] #[untyped]
fn cuGraphExecExternalSemaphoresSignalNodeSetParams();
#[since(11020)] #[unsupported(external)] #[untyped]
fn cuGraphExecExternalSemaphoresWaitNodeSetParams();
#[since(12000)] #[call(op = 152)] #[does(nothing)] #[soft]
fn cuGraphExecGetFlags(hGraphExec: CUgraphExec, flags: Out<u64>);
#[since(10020)] #[custom] #[soft]
fn cuGraphExecHostNodeSetParams(
    hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *const CUDA_HOST_NODE_PARAMS,
);
#[since(10010)] #[custom] #[soft]
fn cuGraphExecKernelNodeSetParams(
    hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1,
);
#[since(12000)] #[custom] #[soft]
fn cuGraphExecKernelNodeSetParams_v2(
    hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS,
);
#[since(10020)] #[custom] #[soft]
fn cuGraphExecMemcpyNodeSetParams(
    hGraphExec: CUgraphExec, hNode: CUgraphNode, copyParams: *const CUDA_MEMCPY3D, ctx: CUcontext,
);
#[since(10020)] #[custom] #[soft]
fn cuGraphExecMemsetNodeSetParams(
    hGraphExec: CUgraphExec, hNode: CUgraphNode, memsetParams: *const CUDA_MEMSET_NODE_PARAMS,
    ctx: CUcontext,
);
#[since(12020)] #[custom] #[soft]
fn cuGraphExecNodeSetParams(
    hGraphExec: CUgraphExec, hNode: CUgraphNode, nodeParams: *mut CUgraphNodeParams,
);
#[since(10020)] #[custom]
fn cuGraphExecUpdate(
    hGraphExec: CUgraphExec, hGraph: CUgraph, hErrorNode_out: *mut CUgraphNode,
    updateResult_out: *mut CUgraphExecUpdateResult,
);
#[since(12000)] #[custom] #[soft]
fn cuGraphExecUpdate_v2(
    hGraphExec: CUgraphExec, hGraph: CUgraph, resultInfo: *mut CUgraphExecUpdateResultInfo,
);
#[since(11020)] #[unsupported(external)] #[untyped]
fn cuGraphExternalSemaphoresSignalNodeGetParams();
#[since(11020)] #[unsupported(external)] #[untyped]
fn cuGraphExternalSemaphoresSignalNodeSetParams();
#[since(11020)] #[unsupported(external)] #[untyped] fn cuGraphExternalSemaphoresWaitNodeGetParams();
#[since(11020)] #[unsupported(external)] #[untyped] fn cuGraphExternalSemaphoresWaitNodeSetParams();
#[since(10000)] #[custom] #[soft]
fn cuGraphGetEdges(
    hGraph: CUgraph, from: *mut CUgraphNode, to: *mut CUgraphNode, numEdges: *mut usize,
);
#[since(12030)] #[custom] #[soft]
fn cuGraphGetEdges_v2(
    hGraph: CUgraph, from: *mut CUgraphNode, to: *mut CUgraphNode, edgeData: *mut CUgraphEdgeData,
    numEdges: *mut usize,
);
#[since(10000)] #[custom] #[soft]
fn cuGraphGetNodes(hGraph: CUgraph, nodes: *mut CUgraphNode, numNodes: *mut usize);
#[since(10000)] #[custom] #[soft]
fn cuGraphGetRootNodes(hGraph: CUgraph, rootNodes: *mut CUgraphNode, numRootNodes: *mut usize);
#[since(10000)] #[custom] #[soft]
fn cuGraphHostNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_HOST_NODE_PARAMS);
#[since(10000)] #[custom] #[soft]
fn cuGraphHostNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_HOST_NODE_PARAMS);
#[since(10000)] #[form_of(cuGraphInstantiate_v2)] #[soft]
fn cuGraphInstantiate(
    phGraphExec: *mut CUgraphExec, hGraph: CUgraph, phErrorNode: *mut CUgraphNode,
    logBuffer: *mut c_char, bufferSize: usize,
);
#[since(11000)] #[custom] #[soft]
fn cuGraphInstantiate_v2(
    phGraphExec: *mut CUgraphExec, hGraph: CUgraph, phErrorNode: *mut CUgraphNode,
    logBuffer: *mut c_char, bufferSize: usize,
);
#[since(11040)] #[custom] #[soft]
fn cuGraphInstantiateWithFlags(phGraphExec: *mut CUgraphExec, hGraph: CUgraph, flags: u64);
#[since(12000)] #[ptsz(12000)] #[custom] #[soft]
fn cuGraphInstantiateWithParams(
    phGraphExec: *mut CUgraphExec, hGraph: CUgraph,
    instantiateParams: *mut CUDA_GRAPH_INSTANTIATE_PARAMS,
);
#[since(11000)] #[post(op = 163)] #[does(nothing)] #[soft]
fn cuGraphKernelNodeCopyAttributes(dst: CUgraphNode, src: CUgraphNode);
#[since(11000)] #[custom] #[soft]
fn cuGraphKernelNodeGetAttribute(
    hNode: CUgraphNode, attr: CUstreamAttrID, value_out: *mut CUstreamAttrValue,
);
#[since(10000)] #[custom] #[soft]
fn cuGraphKernelNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_KERNEL_NODE_PARAMS_v1);
#[since(12000)] #[custom] #[soft]
fn cuGraphKernelNodeGetParams_v2(hNode: CUgraphNode, nodeParams: *mut CUDA_KERNEL_NODE_PARAMS);
#[since(11000)] #[custom] #[soft]
fn cuGraphKernelNodeSetAttribute(
    hNode: CUgraphNode, attr: CUstreamAttrID, value: *const CUstreamAttrValue,
);
#[since(10000)] #[custom] #[soft]
fn cuGraphKernelNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS_v1);
#[since(12000)] #[custom] #[soft]
fn cuGraphKernelNodeSetParams_v2(hNode: CUgraphNode, nodeParams: *const CUDA_KERNEL_NODE_PARAMS);
#[since(10000)] #[ptsz(10000)] #[custom] #[soft]
fn cuGraphLaunch(hGraph: CUgraphExec, hStream: CUstream);
#[since(11040)] #[local]
fn cuGraphMemAllocNodeGetParams(hNode: CUgraphNode, params_out: *mut CUDA_MEM_ALLOC_NODE_PARAMS);
#[since(11040)] #[local]
fn cuGraphMemFreeNodeGetParams(hNode: CUgraphNode, dptr_out: *mut CUdeviceptr);
#[since(10000)] #[custom] #[soft]
fn cuGraphMemcpyNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_MEMCPY3D);
#[since(10000)] #[custom] #[soft]
fn cuGraphMemcpyNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_MEMCPY3D);
#[since(10000)] #[custom] #[soft]
fn cuGraphMemsetNodeGetParams(hNode: CUgraphNode, nodeParams: *mut CUDA_MEMSET_NODE_PARAMS);
#[since(10000)] #[custom] #[soft]
fn cuGraphMemsetNodeSetParams(hNode: CUgraphNode, nodeParams: *const CUDA_MEMSET_NODE_PARAMS);
#[since(10000)] #[custom] #[soft]
fn cuGraphNodeFindInClone(
    phNode: *mut CUgraphNode, hOriginalNode: CUgraphNode, hClonedGraph: CUgraph,
);
#[since(10000)] #[custom] #[soft]
fn cuGraphNodeGetDependencies(
    hNode: CUgraphNode, dependencies: *mut CUgraphNode, numDependencies: *mut usize,
);
#[since(12030)] #[custom] #[soft]
fn cuGraphNodeGetDependencies_v2(
    hNode: CUgraphNode, dependencies: *mut CUgraphNode, edgeData: *mut CUgraphEdgeData,
    numDependencies: *mut usize,
);
#[since(10000)] #[custom] #[soft]
fn cuGraphNodeGetDependentNodes(
    hNode: CUgraphNode, dependentNodes: *mut CUgraphNode, numDependentNodes: *mut usize,
);
#[since(12030)] #[custom] #[soft]
fn cuGraphNodeGetDependentNodes_v2(
    hNode: CUgraphNode, dependentNodes: *mut CUgraphNode, edgeData: *mut CUgraphEdgeData,
    numDependentNodes: *mut usize,
);
#[since(11060)] #[call(op = 158)] #[does(nothing)] #[soft]
fn cuGraphNodeGetEnabled(hGraphExec: CUgraphExec, hNode: CUgraphNode, isEnabled: Out<u32>);
#[since(10000)] #[custom] #[soft]
fn cuGraphNodeGetType(hNode: CUgraphNode, type_: *mut CUgraphNodeType);
#[since(11060)] #[post(op = 157)] #[does(nothing)] #[soft]
fn cuGraphNodeSetEnabled(hGraphExec: CUgraphExec, hNode: CUgraphNode, isEnabled: u32);
#[since(12020)] #[custom] #[soft]
fn cuGraphNodeSetParams(hNode: CUgraphNode, nodeParams: *mut CUgraphNodeParams);
#[since(11030)] #[post(op = 156)] #[does(nothing)] #[soft]
fn cuGraphReleaseUserObject(graph: CUgraph, object: CUuserObject, count: u32);
#[since(10000)] #[custom] #[soft]
fn cuGraphRemoveDependencies(
    hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode, numDependencies: usize,
);
#[since(12030)] #[custom] #[soft]
fn cuGraphRemoveDependencies_v2(
    hGraph: CUgraph, from: *const CUgraphNode, to: *const CUgraphNode,
    edgeData: *const CUgraphEdgeData, numDependencies: usize,
);
#[since(11030)] #[post(op = 155)] #[does(nothing)] #[soft]
fn cuGraphRetainUserObject(graph: CUgraph, object: CUuserObject, count: u32, flags: u32);
#[since(11010)] #[ptsz(11010)] #[post(op = 150)] #[does(to_device, like = (hGraph,), drains)]
#[soft]
fn cuGraphUpload(hGraph: CUgraphExec, hStream: CUstream);
#[since(11030)] #[custom] #[soft]
fn cuUserObjectCreate(
    object_out: *mut CUuserObject, ptr: *mut c_void, destroy: CUhostFn, initialRefcount: u32,
    flags: u32,
);
#[since(11030)] #[post(op = 154)] #[does(nothing)] #[soft]
fn cuUserObjectRelease(object: CUuserObject, count: u32);
#[since(11030)] #[post(op = 153)] #[does(nothing)] #[soft]
fn cuUserObjectRetain(object: CUuserObject, count: u32);
