//! Parts of copies: the bulk lanes, the links to other nodes, and the geometry of rows.

pub mod bulk;
pub mod node_links;
pub mod rows;
