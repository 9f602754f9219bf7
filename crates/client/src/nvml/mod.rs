//! NVML for programs: the same library under a second name, over the same driver. What identifies a
//! device was said at the handshake, memory and processes are this session's own, and sensors are
//! read by the node's own NVML. Deliberately absent: whatever changes a GPU, and links between
//! devices, which are not passed on.

pub mod api;
mod device;
pub mod entry;
mod export_table;
mod fields;
mod memory;
mod processes;
pub mod question;
mod system;
