//! Parts of streams: data for the client, gates, and work that the client does in stream order.

pub mod callbacks;
pub mod captured_buffers;
pub mod delivery;
pub mod gates;
pub mod graph_callbacks;
pub mod inline_task;
