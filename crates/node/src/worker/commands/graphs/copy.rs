//! Copies between the device and the program's memory in graphs. The program sees one node. For the
//! driver, it is a child graph with a host function and a copy.

use super::graph::edges;
use super::node::tie;
use crate::worker::graphs::HostCopy;
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::state::Worker;
use crate::worker::streams::graph_callbacks::{GraphCallback, run_graph_callback};
use outhaul_abi::types::*;
use outhaul_wire::messages::*;
use std::ffi::c_void;

impl Worker {
    /// Returns the callback for the program's side of the copy, and the copy for the device's side.
    fn ends(&mut self, m: &HostCopy) -> Result<(GraphCallback, CUDA_MEMCPY3D), Refusal> {
        let bytes = m.width_bytes.checked_mul(m.rows).filter(|b| *b > 0);
        let bytes = bytes.ok_or_else(|| {
            Refusal::Violation(format!("a copy of {} rows of {} bytes", m.rows, m.width_bytes))
        })?;
        self.sweep_buffers();
        let buffer = self.callbacks.buffers.make(&self.driver, m.callback, bytes)?;
        let copy = m.between(buffer.address());
        let graph_callback = match m.to_host {
            Some(transfer) => GraphCallback::store(&self.callbacks, m.callback, buffer, transfer),
            None => GraphCallback::run(&self.callbacks, m.callback),
        };
        Ok((graph_callback, copy))
    }

    /// Creates a graph of two nodes. For a copy to the device, a host function first fetches the
    /// bytes from the client. For a copy to the host, a host function sends the bytes afterwards.
    ///
    /// # Safety
    /// `graph_callback` exists as long as this graph, or one made from it, may be launched.
    unsafe fn copy_graph(
        &self,
        m: &HostCopy,
        graph_callback: *mut c_void,
        copy: &CUDA_MEMCPY3D,
    ) -> Result<CUgraph, Refusal> {
        let context = self.context()?;
        let host =
            CUDA_HOST_NODE_PARAMS { func: Some(run_graph_callback), userData: graph_callback };
        let driver = &self.driver;
        let (mut graph, mut first, mut second) =
            (CUgraph::NULL, CUgraphNode::NULL, CUgraphNode::NULL);
        // SAFETY: the caller keeps the host node's argument, and with it the buffer. The program is
        // responsible for the device address.
        unsafe {
            driver.cuGraphCreate(&mut graph, 0).ok()?;
            let made = if m.to_host.is_some() {
                let copied = driver.cuGraphAddMemcpyNode(
                    &mut first,
                    graph,
                    std::ptr::null(),
                    0,
                    copy,
                    context,
                );
                copied.ok().and_then(|()| {
                    driver.cuGraphAddHostNode(&mut second, graph, &first, 1, &host).ok()
                })
            } else {
                let fetched =
                    driver.cuGraphAddHostNode(&mut first, graph, std::ptr::null(), 0, &host);
                fetched.ok().and_then(|()| {
                    driver.cuGraphAddMemcpyNode(&mut second, graph, &first, 1, copy, context).ok()
                })
            };
            made.inspect_err(|_| {
                let _ = driver.cuGraphDestroy(graph);
            })?;
        }
        Ok(graph)
    }

    /// Adds the copy to a graph as a single node.
    fn add_copy(
        &mut self,
        graph: CUgraph,
        handle: u64,
        m: &HostCopy,
        on: &[CUgraphNode],
        edges: &[CUgraphEdgeData],
    ) -> Result<CUgraphNode, Refusal> {
        let (graph_callback, copy) = self.ends(m)?;
        let graph_callback = graph_callback.into_graph(&self.driver, graph)?;
        // SAFETY: the graph keeps the callback, as graphs made from it do.
        let child = unsafe { self.copy_graph(m, graph_callback, &copy) }?;
        let mut node = CUgraphNode::NULL;
        let driver = &self.driver;
        // SAFETY: the graphs are the session's own, and the out-pointer is a local. The driver
        // copies the child graph.
        let made = unsafe {
            let made =
                driver.cuGraphAddChildGraphNode(&mut node, graph, std::ptr::null(), 0, child).ok();
            let _ = driver.cuGraphDestroy(child);
            made
        };
        made?;
        tie(driver, graph, node, on, edges)?;
        self.note_copy(node, handle, *m);
        Ok(node)
    }

    /// Handles `GraphAddCopy`.
    pub fn graph_add_copy(&mut self, m: &GraphAddCopy<'_>, ticket: &Ticket) -> Result<(), Refusal> {
        let graph = self.objects.graph(m.graph)?;
        let on = m
            .dependencies
            .0
            .iter()
            .map(|d| self.objects.graph_node(*d))
            .collect::<Result<Vec<_>, _>>()?;
        let edges = if m.edges.is_empty() { Vec::new() } else { edges(m.edges, on.len())? };
        let copy = HostCopy {
            callback: m.callback,
            to_host: m.to_host.then_some(m.transfer),
            address: m.address,
            pitch_bytes: m.pitch_bytes,
            width_bytes: m.width_bytes,
            rows: m.rows,
        };
        let node = self.add_copy(graph, m.graph, &copy, &on, &edges)?;
        let node = self.node_handle(node, m.graph)?;
        ticket.answer(&GraphAddCopyReply { node });
        Ok(())
    }

    /// Replaces a node's copy in an executable graph by another copy in the same direction.
    pub fn graph_set_copy(&mut self, m: &GraphSetCopy, ticket: &Ticket) -> Result<(), Refusal> {
        let (exec, node) = (self.objects.graph_exec(m.exec)?, self.objects.graph_node(m.node)?);
        let copy = HostCopy {
            callback: m.callback,
            to_host: m.to_host.then_some(m.transfer),
            address: m.address,
            pitch_bytes: m.pitch_bytes,
            width_bytes: m.width_bytes,
            rows: m.rows,
        };
        let before = self.graphs.copies.get(&node).map(|found| found.copy.to_host.is_some());
        if before != Some(m.to_host) {
            return Err(Refusal::Driver(CUresult::INVALID_VALUE));
        }
        let (graph_callback, between) = self.ends(&copy)?;
        let mut graph_callback = Box::new(graph_callback);
        // SAFETY: the host node's argument is kept until no launch can use it; the driver copies
        // the child graph.
        let set = unsafe {
            let child = self.copy_graph(&copy, (&raw mut *graph_callback).cast(), &between)?;
            let set = self.driver.cuGraphExecChildGraphNodeSetParams(exec, node, child).ok();
            let _ = self.driver.cuGraphDestroy(child);
            set
        };
        set?;
        let before = self.graphs.replaced.insert((m.exec, node), graph_callback);
        self.retire(before.into_iter().collect());
        ticket.answer(&());
        Ok(())
    }

    /// Handles `CaptureCopy`.
    pub fn capture_copy(&mut self, m: &CaptureCopy) -> Result<(), Refusal> {
        let stream = self.objects.stream(m.stream)?;
        let capturing = self
            .capturing(stream)?
            .filter(|c| !c.raw.is_null())
            .ok_or(CUresult::STREAM_CAPTURE_INVALIDATED)?;
        let copy = HostCopy {
            callback: m.callback,
            to_host: m.to_host.then_some(m.transfer),
            address: m.address,
            pitch_bytes: m.pitch_bytes,
            width_bytes: m.width_bytes,
            rows: m.rows,
        };
        let graph = self.captured_graph(capturing.raw);
        let mut node =
            self.add_copy(capturing.raw, graph, &copy, &capturing.dependencies, &capturing.edges)?;
        let set = values::STREAM_SET_CAPTURE_DEPENDENCIES;
        // SAFETY: the stream is the session's own, and the node belongs to the graph into which it
        // captures.
        Ok(unsafe { self.driver.cuStreamUpdateCaptureDependencies(stream, &mut node, 1, set) }
            .ok()?)
    }
}
