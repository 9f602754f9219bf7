//! Graphs as the client knows them, and which streams are being captured.

pub mod graph;
pub mod memory;
