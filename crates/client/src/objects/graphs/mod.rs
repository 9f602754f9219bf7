//! Graphs as the client knows them, and which streams are being captured.

pub mod capture_tracker;
pub mod graph;
pub mod memory;
