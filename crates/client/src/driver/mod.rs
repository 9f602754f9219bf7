//! The driver as the program sees it: the tables of all handles, and what functions do with them.
//! The types of the objects are in folders below, and do not know these tables.

pub mod answer_cache;
pub mod code;
pub mod contexts;
pub mod handles;
pub mod internode;
pub mod managed;
pub mod memory;
pub mod node_link;
pub mod other_node;
pub mod state;
pub mod streams;
pub mod submit;
