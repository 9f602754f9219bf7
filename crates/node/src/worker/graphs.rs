//! A session's graphs: captures in progress, handles of nodes, and nodes that represent copies
//! between the device and the program's memory.

use crate::worker::streams::graph_callbacks::GraphCallback;
use outhaul_abi::types::*;
use std::collections::HashMap;
use std::ffi::c_void;

/// A host function that replaced a node's own. The driver holds its address, so the function is
/// boxed.
pub type Replacement = Box<GraphCallback>;

/// A session's graphs.
#[derive(Default)]
pub struct Graphs {
    /// Graphs into which streams capture, by the stream in which the capture began.
    pub captures: HashMap<u64, Capture>,
    /// Each node's handle and graph.
    pub nodes: HashMap<CUgraphNode, (u64, u64)>,
    /// Child graphs that each represent one copy.
    pub copies: HashMap<CUgraphNode, GraphCopy>,
    /// Host functions that replaced those of nodes in executable graphs. No graph owns these
    /// functions.
    pub replaced: HashMap<(u64, CUgraphNode), Replacement>,
    /// Graphs inside conditional and child nodes, by the graph that contains those nodes.
    pub inside: HashMap<u64, Vec<u64>>,
    /// Number of handles made for nodes so far.
    pub minted: u64,
}

impl Graphs {
    /// Returns whether a capture is in progress.
    pub fn is_capturing(&self) -> bool {
        !self.captures.is_empty()
    }
}

/// The copy that a child graph represents.
#[derive(Clone, Copy)]
pub struct GraphCopy {
    /// Graph that contains the child graph.
    pub graph: u64,
    /// The copy.
    pub copy: HostCopy,
}

/// A capture in progress.
pub struct Capture {
    /// The graph's handle.
    pub graph: u64,
    /// The driver's graph.
    pub raw: CUgraph,
    /// Whether the graph existed before the capture, so that it remains if the capture fails.
    pub into: bool,
}

/// A copy between the device and the program's memory that each launch of a graph performs.
#[derive(Clone, Copy)]
pub struct HostCopy {
    /// The client's number for the copy's callback.
    pub callback: u64,
    /// The transfer's number; `None` for a copy to the device.
    pub to_host: Option<u64>,
    /// Device address.
    pub address: u64,
    /// Distance in bytes between the starts of two rows on the device.
    pub pitch_bytes: u64,
    /// Bytes per row.
    pub width_bytes: u64,
    /// Number of rows.
    pub rows: u64,
}

impl HostCopy {
    /// Returns the device's part of the copy, from or to `host`, where the rows are contiguous.
    pub fn between(&self, host: *mut c_void) -> CUDA_MEMCPY3D {
        // SAFETY: the struct contains only numbers and pointers; zero is a valid value for all of
        // them.
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
