//! The objects to which the program's handles refer, as far as the client knows them: devices,
//! contexts, streams, events, code and memory. Methods that need the handle tables are in `driver`,
//! and no method here calls them.

pub mod internode_copies;

pub mod code;
pub mod context;
pub mod context_stack;
pub mod copy_shape;
pub mod device_facts;
pub mod graphs;
pub mod memory;
pub mod peer_access;
pub mod streams;
