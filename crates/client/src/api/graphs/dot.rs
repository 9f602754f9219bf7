//! Graphs as text files in DOT format, written to the program's own file system.

use super::graph::{Which, list};
use crate::api::arguments::CudaResult;
use crate::api::graphs::params;
use crate::driver::state::driver;
use outhaul_abi::dot::{self, Graph, Node};
use outhaul_abi::types::*;
use std::collections::HashMap;
use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;

/// Maximum nesting depth of graphs.
const DEPTH_MAX: usize = 16;

/// Writes a graph to the file `path`. Ignores the flags for details: a kernel's name and dimensions
/// are always included.
pub fn print(graph: u64, path: &CStr, _flags: u32) -> CudaResult {
    let text = dot::text(&drawn(graph, 0)?);
    std::fs::write(OsStr::from_bytes(path.to_bytes()), text).map_err(|_| CUresult::OPERATING_SYSTEM)
}

fn drawn(graph: u64, depth: usize) -> Result<Graph, CUresult> {
    let nodes = list(graph, Which::Nodes)?.from;
    let edges = list(graph, Which::Edges)?;
    let places: HashMap<u64, usize> =
        nodes.iter().enumerate().map(|(place, node)| (*node, place)).collect();
    let mut drawn = nodes.iter().map(|node| draw(*node, depth)).collect::<Result<Vec<_>, _>>()?;
    for (from, to) in edges.from.iter().zip(&edges.to) {
        if let (Some(from), Some(to)) = (places.get(from), places.get(to)) {
            drawn[*to].after.push(*from);
        }
    }
    Ok(Graph { nodes: drawn })
}

fn draw(handle: u64, depth: usize) -> Result<Node, CUresult> {
    let node = CUgraphNode(handle as usize);
    let kind = params::kind(node)?;
    let mut drawn = Node { label: dot::name_of(kind).into(), ..Node::default() };
    match kind {
        values::GRAPH_NODE_TYPE_KERNEL => drawn.label = kernel_label(node)?,
        values::GRAPH_NODE_TYPE_GRAPH if depth < DEPTH_MAX => {
            drawn.inside.push(self::drawn(params::child(node)?.0 as u64, depth + 1)?)
        }
        _ => {}
    }
    Ok(drawn)
}

fn kernel_label(node: CUgraphNode) -> Result<String, CUresult> {
    let p = params::kernel(node)?;
    let handle = if p.func.is_null() { p.kern.0 } else { p.func.0 };
    let name = driver()?.function(handle as u64)?.name.to_string_lossy().into_owned();
    let (grid, block) =
        ([p.gridDimX, p.gridDimY, p.gridDimZ], [p.blockDimX, p.blockDimY, p.blockDimZ]);
    Ok(format!("{name}\ngrid {grid:?} block {block:?} shared {}", p.sharedMemBytes))
}
