//! The graphs of a session: captures in progress, the handles of nodes, and the nodes that
//! represent copies between the device and the program's memory.

use crate::worker::streams::graph_callbacks::GraphCallback;
use outhaul_abi::types::*;
use std::collections::HashMap;
use std::ffi::c_void;

/// A host function that replaced that of a node. The driver has its address, so it is boxed.
pub type Replacement = Box<GraphCallback>;

/// The graphs of a session.
#[derive(Default)]
pub struct Graphs {
    /// Graphs that streams capture into, by the stream in which the capture began.
    pub captures: HashMap<u64, Capture>,
    /// Handle and graph of each node.
    pub nodes: HashMap<CUgraphNode, (u64, u64)>,
    /// Child graphs that represent one copy each.
    pub copies: HashMap<CUgraphNode, GraphCopy>,
    /// Host functions that replaced those of nodes in executable graphs. No graph owns them.
    pub replaced: HashMap<(u64, CUgraphNode), Replacement>,
    /// Graphs inside conditional and child nodes, by the graph of those nodes.
    pub inside: HashMap<u64, Vec<u64>>,
    /// Number of handles that were made for nodes.
    pub minted: u64,
}

impl Graphs {
    /// Returns whether a stream captures.
    pub fn is_capturing(&self) -> bool {
        !self.captures.is_empty()
    }
}

/// The copy that a child graph represents.
#[derive(Clone, Copy)]
pub struct GraphCopy {
    /// Graph that contains it.
    pub graph: u64,
    /// The copy.
    pub copy: HostCopy,
}

/// A capture in progress.
pub struct Capture {
    /// Handle of the graph.
    pub graph: u64,
    /// The graph.
    pub raw: CUgraph,
    /// Whether the graph existed before, so that it remains if the capture fails.
    pub into: bool,
}

/// A copy between the device and the program's memory at each launch of a graph.
#[derive(Clone, Copy)]
pub struct HostCopy {
    /// The client's number for the copy's callback.
    pub callback: u64,
    /// The transfer, for a copy to the program.
    pub to_host: Option<u64>,
    /// Address on the device.
    pub address: u64,
    /// Distance between two rows on the device, in bytes.
    pub pitch_bytes: u64,
    /// Bytes in a row.
    pub width_bytes: u64,
    /// Number of rows.
    pub rows: u64,
}

impl HostCopy {
    /// Returns the device's copy from or to host memory of the node, where the rows are contiguous.
    pub fn between(&self, host: *mut c_void) -> CUDA_MEMCPY3D {
        // SAFETY: the struct is plain numbers and pointers; all zero is a valid value.
        let mut copy: CUDA_MEMCPY3D = unsafe { std::mem::zeroed() };
        (copy.WidthInBytes, copy.Height, copy.Depth) =
            (self.width_bytes as usize, self.rows as usize, 1);
        if self.to_host.is_some() {
            (copy.srcMemoryType, copy.srcDevice, copy.srcPitch) =
                (values::MEMORYTYPE_DEVICE, self.address, self.pitch_bytes as usize);
            (copy.dstMemoryType, copy.dstHost, copy.dstPitch) =
                (values::MEMORYTYPE_HOST, host, self.width_bytes as usize);
        } else {
            (copy.srcMemoryType, copy.srcHost, copy.srcPitch) =
                (values::MEMORYTYPE_HOST, host.cast_const(), self.width_bytes as usize);
            (copy.dstMemoryType, copy.dstDevice, copy.dstPitch) =
                (values::MEMORYTYPE_DEVICE, self.address, self.pitch_bytes as usize);
        }
        copy
    }
}
