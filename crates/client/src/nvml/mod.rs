//! NVML for programs: the same library under a second name, with the same driver state. The
//! handshake identified the devices, memory and processes are those of this session, and the node's
//! own NVML reads sensors. Functions that change a GPU, and links between devices, are deliberately
//! absent.

/// The hand-written functions, by their exported names.
pub mod api;
mod device;
/// The boundary between the program and NVML.
pub mod entry;
mod export_table;
mod fields;
mod memory;
/// Queries to the node's NVML.
pub mod node_query;
mod processes;
mod system;
