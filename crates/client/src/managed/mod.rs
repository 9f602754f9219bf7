//! Memory that program and device reach at the same address over a network: managed memory, tracked
//! by page, and pinned memory, tracked by word. This module contains the types; `driver::managed`
//! has the steps before and after work and waits.

pub mod page_owner;
pub mod region;
pub mod registry;
pub mod state;
