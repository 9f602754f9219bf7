//! NVML for programs: the same library under a second name, over the same driver. The node's
//! handshake identified the devices, memory and processes are those of this session, and the node's
//! own NVML reads sensors. Deliberately absent: functions that change a GPU, and links between
//! devices.

/// Functions by their exported names.
pub mod api;
mod device;
/// The boundary between the program and NVML.
pub mod entry;
mod export_table;
mod fields;
mod memory;
/// Questions for the node's NVML.
pub mod node_query;
mod processes;
mod system;
