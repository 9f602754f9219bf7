//! Memory that program and device reach at the same address over a link: managed memory by pages,
//! and pinned memory by words.

pub mod page_owner;
pub mod reach;
pub mod region;
