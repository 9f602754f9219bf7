//! The objects that handles refer to, and the devices' memory. Objects know each other, but not the
//! tables that hold them.

pub mod code;
pub mod graphs;
pub mod memory;
pub mod streams;
