//! What the client and the software GPU parse and store alike of calls about memory.

pub mod managed_hints;
pub mod memory_operation;
