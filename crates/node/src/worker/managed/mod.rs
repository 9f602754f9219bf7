//! Memory that program and device reach at the same address over a network. This module compares
//! managed memory by pages; `replicas` compares pinned memory by words.

pub mod dirty_scan;
pub mod page_hash;
pub mod prefetch;
pub mod region;
