//! Graphs as the client knows them, and the streams that take part in captures.

pub mod accepted_changes;
pub mod captures;
pub mod graph;
pub mod memory;
