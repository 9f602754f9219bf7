//! Where a pool keeps what must not be lost: values by key that are replaced only by who has seen
//! the last one, and a way to wait for changes. What a store answers late or not at all may have
//! happened all the same.

mod etcd;
mod memory;
mod sqlite;

pub use etcd::{Etcd, EtcdAddress};
pub use memory::Memory;
pub use sqlite::Sqlite;

use std::time::Duration;

/// What a store says when it does not say what happened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StoreError(pub String);

/// A value and when it was written: larger is later, and no two are equal.
pub type Versioned = (u64, Vec<u8>);

/// A store.
pub trait Store: Send + Sync {
    /// The value of a key.
    ///
    /// # Errors
    /// When the store does not answer.
    fn read(&self, key: &str) -> Result<Option<Versioned>, StoreError>;

    /// Keys that begin so, from `from` on, in order, with their values; at most `max`.
    ///
    /// # Errors
    /// When the store does not answer.
    fn list(
        &self,
        prefix: &str,
        from: &str,
        max: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError>;

    /// Compare and swap: replaces the value of a key whose version is `expected`, 0 if there is to
    /// be none. Says whether it did.
    ///
    /// # Errors
    /// When the store does not answer; it may have happened, and may yet happen.
    fn swap(&self, key: &str, expected: u64, value: &[u8]) -> Result<bool, StoreError>;

    /// Removes keys that begin so, up to but without `end`.
    ///
    /// # Errors
    /// When the store does not answer.
    fn trim(&self, prefix: &str, end: &str) -> Result<(), StoreError>;

    /// Replaces the value of a key, whatever it was.
    ///
    /// # Errors
    /// When the store does not answer.
    fn put(&self, key: &str, value: &[u8]) -> Result<(), StoreError>;

    /// Whether other processes may write here too.
    fn is_shared(&self) -> bool;

    /// Watches keys that begin so: returns once one was written after version `seen`, or `patience`
    /// is over; gives the version until which nothing more was written.
    ///
    /// # Errors
    /// When the store does not answer.
    fn watch(&self, prefix: &str, seen: u64, patience: Duration) -> Result<u64, StoreError>;
}
