//! The objects that handles stand for, and the memory of devices. They know of each other, but not
//! of the tables that hold them.

pub mod code;
pub mod graphs;
pub mod memory;
pub mod streams;
