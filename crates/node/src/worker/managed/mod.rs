//! Memory that program and device reach at the same address over a link. Managed memory is compared
//! by pages here. `replicas` compares pinned memory by words.

pub mod dirty_scan;
pub mod page_hash;
pub mod prefetch;
pub mod region;
