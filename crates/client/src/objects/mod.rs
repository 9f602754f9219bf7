//! What the program's handles mean, as far as the client knows: devices, contexts, streams, events,
//! code and memory.

pub mod code;
pub mod context;
pub mod context_stack;
pub mod copy_shape;
pub mod crossings;
pub mod facts;
pub mod graphs;
pub mod memory;
pub mod peers;
pub mod streams;
