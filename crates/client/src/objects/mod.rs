//! What the program's handles mean, as far as the client knows: devices, contexts, streams, events,
//! code and memory.

pub mod node_link;
pub mod streams;

pub mod code;
pub mod commands;
pub mod context;
pub mod copy_shape;
pub mod driver;
pub mod facts;
pub mod graphs;
pub mod internode;
pub mod legacy_abi;
pub mod memory;
pub mod peers;
