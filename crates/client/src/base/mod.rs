//! Code that needs no session: tables, bookkeeping of addresses and pages, the log, and page
//! tracking by Linux.

pub mod movable_pages;

pub mod arena;
pub mod dirty_pages;
pub mod epoch;
pub mod log;
pub mod page_set;
pub mod pci;
pub mod random;
pub mod slab;
pub mod stats;
pub mod threads;
pub mod userfault;
