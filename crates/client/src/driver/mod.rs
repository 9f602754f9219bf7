//! The driver as the program sees it: the tables of all handles, and the operations on them. The
//! object types are in `objects`, and do not know these tables.

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
