//! Answers clients that ask for graph nodes' parameters.

use crate::worker::graphs::{GraphCopy, HostCopy};
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::state::Worker;
use crate::worker::streams::graph_callbacks::{callback_of, run_graph_callback};
use outhaul_abi::types::*;
use outhaul_wire::codec::List;
use outhaul_wire::messages::{GraphNodeParams, GraphNodeParamsReply};

impl Worker {
    /// Handles `GraphNodeParams`.
    pub fn graph_node_params(
        &mut self,
        m: &GraphNodeParams,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        use values::*;
        let node = self.objects.graph_node(m.node)?;
        if let Some(GraphCopy { copy, .. }) = self.graphs.copies.get(&node) {
            let HostCopy { callback, to_host, address, pitch_bytes, width_bytes, rows } = *copy;
            let numbers =
                List(vec![to_host.is_some().into(), address, pitch_bytes, width_bytes, rows]);
            ticket.answer(&GraphNodeParamsReply {
                kind: GRAPH_NODE_TYPE_MEMCPY,
                object: callback,
                numbers,
            });
            return Ok(());
        }
        let mut kind = 0;
        // SAFETY: the node is the session's own, and the out-pointer is a local.
        unsafe { self.driver.cuGraphNodeGetType(node, &mut kind) }.ok()?;
        let (object, numbers) = match kind {
            GRAPH_NODE_TYPE_MEMSET => (0, self.fill_params(node)?),
            GRAPH_NODE_TYPE_MEMCPY => (0, self.copy_params(node)?),
            GRAPH_NODE_TYPE_BATCH_MEM_OP => (self.graph_of(node), self.batch_params(node)?),
            GRAPH_NODE_TYPE_HOST => (self.host_params(node)?, Vec::new()),
            GRAPH_NODE_TYPE_EVENT_RECORD | GRAPH_NODE_TYPE_WAIT_EVENT => {
                (self.event_params(node, kind)?, Vec::new())
            }
            _ => (0, Vec::new()),
        };
        ticket.answer(&GraphNodeParamsReply { kind, object, numbers: List(numbers) });
        Ok(())
    }

    fn fill_params(&self, node: CUgraphNode) -> Result<Vec<u64>, CUresult> {
        let mut p = CUDA_MEMSET_NODE_PARAMS {
            dst: 0,
            pitch: 0,
            value: 0,
            elementSize: 0,
            width: 0,
            height: 0,
        };
        // SAFETY: the node is the session's own, and the out-pointer is a local.
        unsafe { self.driver.cuGraphMemsetNodeGetParams(node, &mut p) }.ok()?;
        Ok(vec![
            p.dst,
            p.pitch as u64,
            p.value.into(),
            p.elementSize.into(),
            p.width as u64,
            p.height as u64,
        ])
    }

    /// Returns a copy node's parameters, whether its addresses are given as device or unified
    /// memory. Other copies are not supported.
    fn copy_params(&self, node: CUgraphNode) -> Result<Vec<u64>, CUresult> {
        // SAFETY: the struct contains only numbers and pointers; zero is valid for all of them.
        let mut p: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
        // SAFETY: the node is the session's own, and the out-pointer is a local.
        unsafe { self.driver.cuGraphMemcpyNodeGetParams(node, &mut p) }.ok()?;
        let known = [values::MEMORYTYPE_DEVICE, values::MEMORYTYPE_UNIFIED];
        let begins = [p.srcXInBytes, p.srcY, p.srcZ, p.dstXInBytes, p.dstY, p.dstZ];
        if !known.contains(&p.srcMemoryType)
            || !known.contains(&p.dstMemoryType)
            || begins != [0; 6]
        {
            return Err(CUresult::NOT_SUPPORTED);
        }
        let to = [p.dstDevice, p.dstPitch as u64, p.dstHeight as u64];
        let from = [p.srcDevice, p.srcPitch as u64, p.srcHeight as u64];
        Ok([to, from, [p.WidthInBytes as u64, p.Height as u64, p.Depth as u64]].concat())
    }

    /// Returns a node's memory operations as words.
    fn batch_params(&self, node: CUgraphNode) -> Result<Vec<u64>, CUresult> {
        let mut p = CUDA_BATCH_MEM_OP_NODE_PARAMS {
            ctx: CUcontext::NULL,
            count: 0,
            paramArray: std::ptr::null_mut(),
            flags: 0,
        };
        // SAFETY: the node is the session's own, and the out-pointer is a local.
        unsafe { self.driver.cuGraphBatchMemOpNodeGetParams(node, &mut p) }.ok()?;
        if p.count as usize > values::BATCH_MEM_OPS_MAX || p.paramArray.is_null() {
            return Ok(Vec::new());
        }
        // SAFETY: the driver keeps `p.count` operations until the node changes.
        let operations =
            unsafe { std::slice::from_raw_parts(p.paramArray.cast_const(), p.count as usize) };
        Ok(operations.iter().flat_map(|operation| operation.words).collect())
    }

    /// Returns the number of the node's host function in the client.
    fn host_params(&self, node: CUgraphNode) -> Result<u64, CUresult> {
        let mut p = CUDA_HOST_NODE_PARAMS { func: None, userData: std::ptr::null_mut() };
        // SAFETY: the node is the session's own, and the out-pointer is a local.
        unsafe { self.driver.cuGraphHostNodeGetParams(node, &mut p) }.ok()?;
        let is_the_clients = p.func.is_some_and(|f| {
            std::ptr::fn_addr_eq(
                f,
                run_graph_callback as unsafe extern "C" fn(*mut std::ffi::c_void),
            )
        });
        if !is_the_clients {
            return Err(CUresult::NOT_SUPPORTED);
        }
        // SAFETY: the node's graph keeps the function's argument.
        Ok(unsafe { callback_of(p.userData) })
    }

    fn event_params(&self, node: CUgraphNode, kind: i32) -> Result<u64, CUresult> {
        let mut event = CUevent::NULL;
        // SAFETY: the node is the session's own, and the out-pointer is a local.
        let found = unsafe {
            if kind == values::GRAPH_NODE_TYPE_EVENT_RECORD {
                self.driver.cuGraphEventRecordNodeGetEvent(node, &mut event)
            } else {
                self.driver.cuGraphEventWaitNodeGetEvent(node, &mut event)
            }
        };
        found.ok()?;
        self.objects.find_event(event).ok_or(CUresult::INVALID_VALUE)
    }
}
