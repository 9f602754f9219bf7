//! What the program's handles mean, as far as the client knows: devices, contexts, streams, events,
//! code and memory.

pub mod context;
pub mod driver;
pub mod facts;
pub mod function;
pub mod graphs;
pub mod host_memory;
pub mod internode;
pub mod legacy_abi;
pub mod memory;
pub mod peers;
pub mod pool;
pub mod stream;
pub mod sync_copy_policy;
