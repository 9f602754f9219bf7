//! The stores in which a pool keeps its log.

mod etcd;
mod interface;
mod memory;
mod sqlite;

pub use crate::error::StoreError;
pub use etcd::{Etcd, EtcdAddress};
pub use interface::{Store, Versioned};
pub use memory::Memory;
pub use sqlite::Sqlite;
