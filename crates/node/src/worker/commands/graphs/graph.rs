//! Captures streams, and manages the resulting graphs. Captures begin in relaxed mode, because one
//! worker process serves all of a client's threads and also does work of its own. The client
//! enforces the modes that its threads asked for. This module assigns the nodes' handles.

use crate::worker::graphs::{Capture, GraphCopy, HostCopy, Replacement};
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::state::Worker;
use crate::worker::streams::graph_callbacks::{GraphCallback, run_graph_callback};
use outhaul_abi::types::*;
use outhaul_wire::codec::List;
use outhaul_wire::handle::{Handle, HandleKind};
use outhaul_wire::messages::*;
use std::time::Duration;

/// Pause between two attempts to wait for a context that has a capturing stream.
const CAPTURE_WAIT: Duration = Duration::from_millis(10);
/// Maximum size in bytes of captured copies' unused buffers that may wait until no host function is
/// in progress.
const BYTES_LEFT_MAX: usize = 256 << 20;
const EDGE_BYTES: usize = size_of::<CUgraphEdgeData>();

/// The state of a capturing stream.
pub struct Capturing {
    /// The capture's status.
    pub status: i32,
    id: u64,
    /// The graph into which the stream captures.
    pub raw: CUgraph,
    /// Nodes on which the next node depends.
    pub dependencies: Vec<CUgraphNode>,
    /// Data for the edges from `dependencies`.
    pub edges: Vec<CUgraphEdgeData>,
}

/// Decodes a message's edges; an empty list means edges without data.
pub fn edges(bytes: &[u8], count: usize) -> Result<Vec<CUgraphEdgeData>, Refusal> {
    if bytes.is_empty() {
        return Ok(vec![CUgraphEdgeData::default(); count]);
    }
    if bytes.len() != count * EDGE_BYTES {
        return Err(Refusal::Violation(format!("{} bytes of edges for {count}", bytes.len())));
    }
    let edge = |b: &[u8]| CUgraphEdgeData {
        from_port: b[0],
        to_port: b[1],
        type_: b[2],
        reserved: [0; 5],
    };
    Ok(bytes.chunks_exact(EDGE_BYTES).map(edge).collect())
}

fn edge_bytes(edges: &[CUgraphEdgeData]) -> Vec<u8> {
    edges.iter().flat_map(|e| [e.from_port, e.to_port, e.type_, 0, 0, 0, 0, 0]).collect()
}

impl Worker {
    fn raw_nodes(&self, handles: &[u64]) -> Result<Vec<CUgraphNode>, Refusal> {
        handles.iter().map(|handle| self.objects.graph_node(*handle)).collect()
    }

    /// Returns a node's handle. A new node gets a new handle.
    pub fn node_handle(&mut self, raw: CUgraphNode, graph: u64) -> Result<u64, Refusal> {
        if raw.is_null() {
            return Ok(0);
        }
        if let Some((handle, _)) = self.graphs.nodes.get(&raw) {
            return Ok(*handle);
        }
        self.graphs.minted += 1;
        let (index, generation) =
            (self.graphs.minted as u32 & 0xFF_FFFF, (self.graphs.minted >> 24) as u8);
        let node = Handle::unpack(graph).map_or(0, |graph| graph.node);
        let handle = Handle { kind: HandleKind::GraphNode, node, index, generation }.pack();
        self.objects.put_graph_node(handle, raw)?;
        self.graphs.nodes.insert(raw, (handle, graph));
        Ok(handle)
    }

    fn node_handles(&mut self, raw: &[CUgraphNode], graph: u64) -> Result<Vec<u64>, Refusal> {
        raw.iter().map(|node| self.node_handle(*node, graph)).collect()
    }

    /// Returns the handle of the graph that contains `node`; 0 if the node is unknown.
    pub fn graph_of(&self, node: CUgraphNode) -> u64 {
        self.graphs.nodes.get(&node).map_or(0, |(_, graph)| *graph)
    }

    /// Notes that a node represents a copy between the device and the program's memory.
    pub fn note_copy(&mut self, node: CUgraphNode, graph: u64, copy: HostCopy) {
        self.graphs.copies.insert(node, GraphCopy { graph, copy });
    }

    /// Notes the copies in a graph's clone.
    pub fn note_clone(&mut self, graph: u64, original: u64) -> Result<(), Refusal> {
        let clone = self.objects.graph(graph)?;
        let inside: Vec<_> = self
            .graphs
            .copies
            .iter()
            .filter(|(_, s)| s.graph == original)
            .map(|(node, s)| (*node, s.copy))
            .collect();
        for (node, copy) in inside {
            let mut found = CUgraphNode::NULL;
            // SAFETY: node and graph are the session's own, and the out-pointer is a local.
            unsafe { self.driver.cuGraphNodeFindInClone(&mut found, node, clone) }.ok()?;
            self.note_copy(found, graph, copy);
        }
        Ok(())
    }

    /// Returns the graph inside a child node. Rejects a child graph that represents a copy, because
    /// the program must not see it.
    pub fn graph_child(&mut self, m: &GraphChild, ticket: &Ticket) -> Result<(), Refusal> {
        let node = self.objects.graph_node(m.node)?;
        if self.graphs.copies.contains_key(&node) {
            return Err(Refusal::Driver(CUresult::INVALID_VALUE));
        }
        let (mut raw, around) = (CUgraph::NULL, self.graph_of(node));
        // SAFETY: the node is the session's own, and the out-pointer is a local.
        unsafe { self.driver.cuGraphChildGraphNodeGetGraph(node, &mut raw) }.ok()?;
        let inside = self.graphs.inside.entry(around).or_default();
        let known = inside
            .iter()
            .copied()
            .find(|handle| self.objects.graph(*handle).is_ok_and(|graph| graph == raw));
        let graph = known.unwrap_or(m.graph);
        if known.is_none() {
            inside.push(graph);
            self.objects.put_graph(graph, Ok(raw))?;
        }
        ticket.answer(&GraphChildReply { graph, around });
        Ok(())
    }

    /// Handles `GraphFindInClone`.
    pub fn graph_find_in_clone(
        &mut self,
        m: &GraphFindInClone,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        let (node, graph) = (self.objects.graph_node(m.node)?, self.objects.graph(m.graph)?);
        let mut found = CUgraphNode::NULL;
        // SAFETY: node and graph are the session's own, and the out-pointer is a local.
        unsafe { self.driver.cuGraphNodeFindInClone(&mut found, node, graph) }.ok()?;
        let node = self.node_handle(found, m.graph)?;
        ticket.answer(&GraphFindInCloneReply { node });
        Ok(())
    }

    /// Drops objects that nothing can call any more, after the device has completed its present
    /// work.
    pub fn retire(&self, replacements: Vec<Replacement>) {
        if replacements.is_empty() {
            return;
        }
        let (driver, contexts) =
            (self.driver.clone(), self.contexts.values().copied().collect::<Vec<_>>());
        let closing = self.segments.closing.clone();
        self.carrier.waiters.run(move || {
            for context in contexts {
                loop {
                    closing.wait_while_held();
                    // SAFETY: the contexts are the session's own; one that was destroyed has no
                    // work.
                    let waited = unsafe {
                        let _ = driver.cuCtxSetCurrent(context);
                        driver.cuCtxSynchronize()
                    };
                    // A capture has started meanwhile, so the driver did not wait.
                    if waited != CUresult::STREAM_CAPTURE_UNSUPPORTED
                        && waited != CUresult::STREAM_CAPTURE_IMPLICIT
                    {
                        break;
                    }
                    std::thread::sleep(CAPTURE_WAIT);
                }
            }
            drop(replacements);
        });
    }

    /// Frees buffers that captured copies no longer need, in another thread, because the driver may
    /// wait for the device. Meanwhile commands continue, and a running host function may need the
    /// driver for their work. In that case this function keeps the buffers for later, unless they
    /// are large.
    pub fn sweep_buffers(&mut self) {
        let bytes = self.callbacks.buffers.bytes_left();
        if bytes == 0 || (!self.calls_have_ended() && bytes < BYTES_LEFT_MAX) {
            return;
        }
        self.wait_for_all_calls();
        let left = self.callbacks.buffers.take_left();
        let (driver, freeing, context) =
            (self.driver.clone(), self.room.freeing.clone(), self.context());
        // While the buffers are being freed, no host function may be enqueued in a stream.
        left.iter().for_each(|buffer| freeing.enter(buffer.range()));
        self.carrier.waiters.run(move || {
            // SAFETY: the context is the session's own. If it was destroyed, its memory was freed
            // with it.
            let _ = context.map(|context| unsafe { driver.cuCtxSetCurrent(context) });
            for buffer in left {
                buffer.free(&driver);
                freeing.leave(buffer.range());
            }
        });
    }

    /// Handles `GraphNodeType`.
    pub fn graph_node_type(&mut self, m: &GraphNodeType, ticket: &Ticket) -> Result<(), Refusal> {
        let node = self.objects.graph_node(m.node)?;
        let mut kind = values::GRAPH_NODE_TYPE_MEMCPY;
        if !self.graphs.copies.contains_key(&node) {
            // SAFETY: the node is the session's own, and the out-pointer is a local.
            unsafe { self.driver.cuGraphNodeGetType(node, &mut kind) }.ok()?;
        }
        ticket.answer(&GraphNodeTypeReply { kind });
        Ok(())
    }

    // ---- capture ----

    /// Returns the state of a capturing stream. Queries the driver only while a stream captures.
    pub fn capturing(&self, stream: CUstream) -> Result<Option<Capturing>, CUresult> {
        if self.graphs.captures.is_empty() {
            return Ok(None);
        }
        let (mut status, mut id, mut raw) = (0, 0, CUgraph::NULL);
        let (mut nodes, mut data, mut count) = (std::ptr::null(), std::ptr::null(), 0);
        // SAFETY: the out-pointers are locals; the driver's lists exist until the next call about
        // the stream.
        unsafe {
            self.driver
                .cuStreamGetCaptureInfo_v3(
                    stream,
                    &mut status,
                    &mut id,
                    &mut raw,
                    &mut nodes,
                    &mut data,
                    &mut count,
                )
                .ok()?;
            if status != values::STREAM_CAPTURE_STATUS_ACTIVE {
                let empty = Capturing {
                    status,
                    id,
                    raw: CUgraph::NULL,
                    dependencies: Vec::new(),
                    edges: Vec::new(),
                };
                return Ok((status != values::STREAM_CAPTURE_STATUS_NONE).then_some(empty));
            }
            let dependencies = if count == 0 {
                Vec::new()
            } else {
                std::slice::from_raw_parts(nodes, count).to_vec()
            };
            let edges = if count == 0 || data.is_null() {
                Vec::new()
            } else {
                std::slice::from_raw_parts(data, count).to_vec()
            };
            Ok(Some(Capturing { status, id, raw, dependencies, edges }))
        }
    }

    /// Begins a capture.
    pub fn capture_begin_in(&mut self, m: &CaptureBegin<'_>) -> Result<(), Refusal> {
        let stream = self.objects.stream(m.stream)?;
        let dependencies = self.raw_nodes(&m.dependencies.0)?;
        let edges = edges(m.edges, dependencies.len())?;
        let into = if m.into { self.objects.graph(m.graph)? } else { CUgraph::NULL };
        if self.graphs.captures.is_empty() {
            self.memory.wait_unmapped();
            self.segments.closing.wait_all();
        }
        let mode = values::STREAM_CAPTURE_MODE_RELAXED;
        self.mark_before_capture(m.stream);
        self.hold_memory(true);
        // SAFETY: the handles are the session's own; the lists outlive the call.
        let result = unsafe {
            if m.into {
                self.driver.cuStreamBeginCaptureToGraph(
                    stream,
                    into,
                    dependencies.as_ptr(),
                    edges.as_ptr(),
                    dependencies.len(),
                    mode,
                )
            } else {
                self.driver.cuStreamBeginCapture_v2(stream, mode)
            }
        };
        if result != CUresult::SUCCESS {
            self.hold_memory(self.graphs.is_capturing());
        }
        result.ok()?;
        self.graphs.captures.insert(m.stream, Capture { graph: m.graph, raw: into, into: m.into });
        if !m.into {
            let raw = self.capturing(stream)?.map_or(CUgraph::NULL, |c| c.raw);
            self.graphs.captures.insert(m.stream, Capture { graph: m.graph, raw, into: false });
            self.objects.put_graph(m.graph, Ok(raw))?;
        }
        Ok(())
    }

    fn hold_memory(&self, held: bool) {
        self.memory.hold(held);
        self.segments.closing.hold(held);
    }

    /// Ends a capture.
    pub fn capture_end_in(&mut self, m: &CaptureEnd) -> Result<(), Refusal> {
        let stream = self.objects.stream(m.stream)?;
        let mut raw = CUgraph::NULL;
        // SAFETY: the stream is the session's own, and the out-pointer is a local.
        let ended = unsafe { self.driver.cuStreamEndCapture(stream, &mut raw) }.ok();
        let Some(capture) = self.capture_over(m.stream) else { return Ok(ended?) };
        match ended {
            Ok(()) if raw != capture.raw && !capture.into => {
                self.objects.remove(capture.graph)?;
                self.objects.put_graph(capture.graph, Ok(raw))
            }
            Ok(()) => Ok(()),
            Err(code) => {
                self.capture_lost(&capture)?;
                Err(code.into())
            }
        }
    }

    /// Forgets the graph of a failed capture, which the driver has destroyed.
    pub fn capture_lost(&mut self, capture: &Capture) -> Result<(), Refusal> {
        if capture.into { Ok(()) } else { self.forget_graph(capture.graph) }
    }

    /// Removes and returns the capture that began in `stream`, because the capture ends or the
    /// stream is destroyed.
    pub fn capture_over(&mut self, stream: u64) -> Option<Capture> {
        let capture = self.graphs.captures.remove(&stream);
        self.hold_memory(self.graphs.is_capturing());
        capture
    }

    /// Handles `CaptureInfo`.
    pub fn capture_info(&mut self, m: &CaptureInfo, ticket: &Ticket) -> Result<(), Refusal> {
        let stream = self.objects.stream(m.stream)?;
        let Some(found) = self.capturing(stream)? else {
            ticket.answer(&CaptureInfoReply {
                status: 0,
                id: 0,
                graph: 0,
                dependencies: List(Vec::new()),
                edges: &[],
            });
            return Ok(());
        };
        let graph = self.captured_graph(found.raw);
        let dependencies = List(self.node_handles(&found.dependencies, graph)?);
        let edges = edge_bytes(&found.edges);
        ticket.answer(&CaptureInfoReply {
            status: found.status,
            id: found.id,
            graph,
            dependencies,
            edges: &edges,
        });
        Ok(())
    }

    /// Returns the handle of a graph into which a stream captures.
    pub fn captured_graph(&self, raw: CUgraph) -> u64 {
        self.graphs.captures.values().find(|c| c.raw == raw).map_or(0, |c| c.graph)
    }

    /// Changes a capturing stream's dependencies.
    pub fn capture_depend_on(&mut self, m: &CaptureDepend<'_>) -> Result<(), Refusal> {
        let stream = self.objects.stream(m.stream)?;
        let mut dependencies = self.raw_nodes(&m.dependencies.0)?;
        let edges = edges(m.edges, dependencies.len())?;
        // SAFETY: the handles are the session's own; the lists outlive the call.
        let result = unsafe {
            let (nodes, count) = (dependencies.as_mut_ptr(), dependencies.len());
            if m.edges.is_empty() {
                self.driver.cuStreamUpdateCaptureDependencies(stream, nodes, count, m.flags)
            } else {
                self.driver.cuStreamUpdateCaptureDependencies_v2(
                    stream,
                    nodes,
                    edges.as_ptr(),
                    count,
                    m.flags,
                )
            }
        };
        Ok(result.ok()?)
    }

    // ---- graphs ----

    /// Stores a graph that `make` creates.
    pub fn graph_made(
        &mut self,
        handle: u64,
        make: impl FnOnce(&Worker, &mut CUgraph) -> Result<CUresult, Refusal>,
    ) -> Result<(), Refusal> {
        let mut raw = CUgraph::NULL;
        let made = make(self, &mut raw)?;
        self.objects.put_graph(handle, made.ok().map(|()| raw))
    }

    /// Forgets a graph and all its handles.
    pub fn forget_graph(&mut self, graph: u64) -> Result<(), Refusal> {
        let gone: Vec<(CUgraphNode, u64)> = self
            .graphs
            .nodes
            .iter()
            .filter(|(_, (_, of))| *of == graph)
            .map(|(raw, (handle, _))| (*raw, *handle))
            .collect();
        for (raw, handle) in gone {
            self.graphs.nodes.remove(&raw);
            self.objects.remove(handle)?;
        }
        self.graphs.copies.retain(|_, s| s.graph != graph);
        for inside in self.graphs.inside.remove(&graph).unwrap_or_default() {
            self.forget_graph(inside)?;
        }
        self.objects.remove(graph)
    }

    /// Forgets a node. Returns the driver's handle of the node.
    pub fn forget_node(&mut self, handle: u64) -> Result<CUgraphNode, Refusal> {
        let raw = self.objects.graph_node(handle)?;
        self.graphs.nodes.remove(&raw);
        self.graphs.copies.remove(&raw);
        self.objects.remove(handle)?;
        Ok(raw)
    }

    /// Handles `GraphInstantiate`.
    pub fn graph_instantiate(
        &mut self,
        m: &GraphInstantiate,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        let graph = self.objects.graph(m.graph)?;
        let mut exec = CUgraphExec::NULL;
        let mut params = CUDA_GRAPH_INSTANTIATE_PARAMS {
            flags: m.flags,
            hUploadStream: CUstream::NULL,
            hErrNode_out: CUgraphNode::NULL,
            result_out: values::GRAPH_INSTANTIATE_SUCCESS,
        };
        // SAFETY: the graph is the session's own, and the out-pointers are locals.
        let made =
            unsafe { self.driver.cuGraphInstantiateWithParams(&mut exec, graph, &mut params) };
        let charged = made.ok().and_then(|()| {
            self.charge_overhead(|driver| {
                // SAFETY: the executable graph is new, and nothing uses it.
                let _ = unsafe { driver.cuGraphExecDestroy(exec) };
            })
        });
        let code = charged.err().unwrap_or(CUresult::SUCCESS);
        if code == CUresult::SUCCESS {
            self.objects.put_graph_exec(m.exec, Ok(exec))?;
        }
        let error_node = self.node_handle(params.hErrNode_out, m.graph)?;
        ticket.answer_with(code, &GraphInstantiateReply { result: params.result_out, error_node });
        Ok(())
    }

    /// Handles `GraphExecUpdate`.
    pub fn graph_exec_update(
        &mut self,
        m: &GraphExecUpdate,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        let (exec, graph) = (self.objects.graph_exec(m.exec)?, self.objects.graph(m.graph)?);
        let mut info = CUgraphExecUpdateResultInfo {
            result: 0,
            errorNode: CUgraphNode::NULL,
            errorFromNode: CUgraphNode::NULL,
        };
        // SAFETY: the handles are the session's own, and the out-pointer is a local.
        let code = unsafe { self.driver.cuGraphExecUpdate_v2(exec, graph, &mut info) };
        let error_node = self.node_handle(info.errorNode, m.graph)?;
        let error_from = self.node_handle(info.errorFromNode, m.graph)?;
        ticket.answer_with(
            code,
            &GraphExecUpdateReply { result: info.result, error_node, error_from },
        );
        Ok(())
    }

    /// Handles `GraphLaunch`.
    pub fn graph_launch(&mut self, m: &GraphLaunch) -> Result<(), Refusal> {
        let exec = self.objects.graph_exec(m.exec)?;
        let stream = self.objects.stream(m.stream)?;
        // SAFETY: both handles are the session's own.
        Ok(unsafe { self.driver.cuGraphLaunch(exec, stream) }.ok()?)
    }

    /// Handles `GraphList`.
    pub fn graph_list(&mut self, m: &GraphList, ticket: &Ticket) -> Result<(), Refusal> {
        let of_graph = m.which <= 2;
        let (graph, node) = if of_graph {
            (self.objects.graph(m.of)?, CUgraphNode::NULL)
        } else {
            (CUgraph::NULL, self.objects.graph_node(m.of)?)
        };
        let owner = if of_graph { m.of } else { self.graph_of(node) };
        let (mut from, mut to, mut data) = (Vec::new(), Vec::new(), Vec::new());
        let mut count = 0;
        // The first round gets the length; the second one gets the list.
        for round in 0..2 {
            let place = |list: &mut Vec<CUgraphNode>| {
                if round == 0 { std::ptr::null_mut() } else { list.as_mut_ptr() }
            };
            let edges: *mut CUgraphEdgeData =
                if round == 0 { std::ptr::null_mut() } else { data.as_mut_ptr() };
            // SAFETY: the handles are the session's own; the lists are valid for writes of `count`
            // entries.
            let result = unsafe {
                match m.which {
                    0 => self.driver.cuGraphGetNodes(graph, place(&mut from), &mut count),
                    1 => self.driver.cuGraphGetRootNodes(graph, place(&mut from), &mut count),
                    2 => self.driver.cuGraphGetEdges_v2(
                        graph,
                        place(&mut from),
                        place(&mut to),
                        edges,
                        &mut count,
                    ),
                    3 => self.driver.cuGraphNodeGetDependencies_v2(
                        node,
                        place(&mut from),
                        edges,
                        &mut count,
                    ),
                    4 => self.driver.cuGraphNodeGetDependentNodes_v2(
                        node,
                        place(&mut from),
                        edges,
                        &mut count,
                    ),
                    other => return Err(Refusal::Violation(format!("list {other} of a graph"))),
                }
            };
            result.ok()?;
            if count == 0 {
                break;
            }
            from.resize(count, CUgraphNode::NULL);
            to.resize(if m.which == 2 { count } else { 0 }, CUgraphNode::NULL);
            data.resize(if m.which >= 2 { count } else { 0 }, CUgraphEdgeData::default());
        }
        let from = List(self.node_handles(&from, owner)?);
        let to = List(self.node_handles(&to, owner)?);
        ticket.answer(&GraphListReply { from, to, edges: &edge_bytes(&data) });
        Ok(())
    }

    /// Adds or removes edges.
    pub fn depend(&mut self, m: &GraphDepend<'_>) -> Result<(), Refusal> {
        let graph = self.objects.graph(m.graph)?;
        let (from, to) = (self.raw_nodes(&m.from.0)?, self.raw_nodes(&m.to.0)?);
        if from.len() != to.len() {
            return Err(Refusal::Violation(format!(
                "edges from {} nodes to {}",
                from.len(),
                to.len()
            )));
        }
        let edges = edges(m.edges, from.len())?;
        // SAFETY: the handles are the session's own; the lists outlive the call.
        let result = unsafe {
            if m.remove {
                self.driver.cuGraphRemoveDependencies_v2(
                    graph,
                    from.as_ptr(),
                    to.as_ptr(),
                    edges.as_ptr(),
                    from.len(),
                )
            } else {
                self.driver.cuGraphAddDependencies_v2(
                    graph,
                    from.as_ptr(),
                    to.as_ptr(),
                    edges.as_ptr(),
                    from.len(),
                )
            }
        };
        Ok(result.ok()?)
    }

    // ---- functions that a capture runs in the client ----

    /// Adds a host function to a capturing stream. The function runs at each launch of the graph.
    pub fn capture_callback(
        &mut self,
        callback: u64,
        stream: CUstream,
        graph: CUgraph,
    ) -> Result<(), Refusal> {
        let graph_callback =
            GraphCallback::run(&self.callbacks, callback).into_graph(&self.driver, graph)?;
        // SAFETY: the stream is the session's own, and the graph keeps the function's argument.
        Ok(unsafe {
            self.driver.cuLaunchHostFunc(stream, Some(run_graph_callback), graph_callback)
        }
        .ok()?)
    }

    /// Handles `UserObjectCreate`.
    pub fn user_object_create(&mut self, m: &UserObjectCreate) -> Result<(), Refusal> {
        let made = GraphCallback::destructor(&self.callbacks, m.callback)
            .into_object(&self.driver, m.references);
        self.objects.put_user_object(m.object, made.map(|(_, object)| object))
    }

    /// Handles `CaptureBegin`.
    pub fn capture_begin(&mut self, m: &CaptureBegin<'_>, ticket: &Ticket) -> Result<(), Refusal> {
        self.capture_begin_in(m)?;
        ticket.answer(&());
        Ok(())
    }

    /// Handles `CaptureEnd`.
    pub fn capture_end(&mut self, m: &CaptureEnd, ticket: &Ticket) -> Result<(), Refusal> {
        self.capture_end_in(m)?;
        ticket.answer(&());
        Ok(())
    }

    /// Handles `CaptureDepend`.
    pub fn capture_depend(
        &mut self,
        m: &CaptureDepend<'_>,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        self.capture_depend_on(m)?;
        ticket.answer(&());
        Ok(())
    }

    /// Handles `GraphCreate`.
    pub fn graph_create(&mut self, m: &GraphCreate) -> Result<(), Refusal> {
        self.graph_made(m.graph, |worker, raw| {
            // SAFETY: the out-pointer is a local of the caller.
            Ok(unsafe { worker.driver.cuGraphCreate(raw, m.flags) })
        })
    }

    /// Handles `GraphClone`.
    pub fn graph_clone(&mut self, m: &GraphClone, ticket: &Ticket) -> Result<(), Refusal> {
        let original = self.objects.graph(m.original)?;
        self.graph_made(m.graph, |worker, raw| {
            // SAFETY: the original is the session's own, and the out-pointer is a local of the
            // caller.
            Ok(unsafe { worker.driver.cuGraphClone(raw, original) })
        })?;
        self.note_clone(m.graph, m.original)?;
        ticket.answer(&());
        Ok(())
    }

    /// Handles `GraphDestroy`.
    pub fn graph_destroy(&mut self, m: &GraphDestroy) -> Result<(), Refusal> {
        let graph = self.objects.graph(m.graph)?;
        self.forget_graph(m.graph)?;
        self.sweep_buffers();
        // SAFETY: the graph is the session's own and has left the table.
        Ok(unsafe { self.driver.cuGraphDestroy(graph) }.ok()?)
    }

    /// Handles `GraphExecDestroy`.
    pub fn graph_exec_destroy(&mut self, m: &GraphExecDestroy) -> Result<(), Refusal> {
        let exec = self.objects.graph_exec(m.exec)?;
        self.objects.remove(m.exec)?;
        let replaced = self
            .graphs
            .replaced
            .extract_if(|(of, _), _| *of == m.exec)
            .map(|(_, graph_callback)| graph_callback)
            .collect();
        self.retire(replaced);
        self.sweep_buffers();
        // SAFETY: the executable graph is the session's own and has left the table; the driver
        // completes its launches.
        unsafe { self.driver.cuGraphExecDestroy(exec) }.ok()?;
        self.note_overhead();
        Ok(())
    }

    /// Handles `GraphDepend`.
    pub fn graph_depend(&mut self, m: &GraphDepend<'_>, ticket: &Ticket) -> Result<(), Refusal> {
        self.depend(m)?;
        ticket.answer(&());
        Ok(())
    }
}
