//! Memory that program and device reach at the same address over a link: managed memory by pages,
//! and pinned memory by words.

pub mod dirty_scan;
pub mod mirror;
pub mod page_hash;
pub mod prefetch;
