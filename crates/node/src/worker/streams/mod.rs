//! Parts of streams: data for the client, gates, and work of the client in stream
//! order.

pub mod callbacks;
pub mod captured_buffers;
pub mod delivery;
pub mod gates;
pub mod graph_callbacks;
pub mod inline_task;
