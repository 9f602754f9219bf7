//! The program's memory, and calls about memory as far as the client and the software GPU parse and
//! store them alike.

pub mod managed_hints;
pub mod memory_operation;
pub mod page_access;
