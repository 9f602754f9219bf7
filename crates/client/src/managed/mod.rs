//! Memory that program and device reach at the same address over a network: managed memory by
//! pages, and pinned memory by words. The types are here, and `driver::managed` has the steps
//! around work and waits.

pub mod page_owner;
pub mod region;
pub mod registry;
pub mod state;
