//! Memory that program and device reach at the same address over a link: managed memory by pages,
//! and pinned memory by words.

pub mod absence;
pub mod page_owner;
pub mod region;
pub mod replies;
pub mod twins;
pub mod watch;
