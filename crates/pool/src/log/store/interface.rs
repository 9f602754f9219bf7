//! The interface of all stores: values by key that a writer can replace only if it has seen the
//! last one, and a way to wait for changes. A write may have happened even if its answer is late or
//! missing.

use crate::error::StoreError;
use std::time::Duration;

/// A value and when it was written: a larger version is later, and versions are unique.
pub type Versioned = (u64, Vec<u8>);

/// A store.
pub trait Store: Send + Sync {
    /// The value of a key.
    ///
    /// # Errors
    /// The store does not answer.
    fn read(&self, key: &str) -> Result<Option<Versioned>, StoreError>;

    /// Keys with this prefix, from `from` on, in order, with their values; at most `max`.
    ///
    /// # Errors
    /// The store does not answer.
    fn list(
        &self,
        prefix: &str,
        from: &str,
        max: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError>;

    /// Compare and swap: replaces the value of a key whose version is `expected`; 0 means that the
    /// key must not exist. Returns whether it did.
    ///
    /// # Errors
    /// The store does not answer; the swap may have happened, or may still happen.
    fn swap(&self, key: &str, expected: u64, value: &[u8]) -> Result<bool, StoreError>;

    /// Removes keys with this prefix, up to but not including `end`.
    ///
    /// # Errors
    /// The store does not answer.
    fn trim(&self, prefix: &str, end: &str) -> Result<(), StoreError>;

    /// Replaces the value of a key, whatever it was.
    ///
    /// # Errors
    /// The store does not answer.
    fn put(&self, key: &str, value: &[u8]) -> Result<(), StoreError>;

    /// Whether other processes may write to this store too.
    fn is_shared(&self) -> bool;

    /// Watches keys with this prefix. Returns once one was written after version `seen`, or when
    /// `patience` is over. Returns the version up to which nothing more was written.
    ///
    /// # Errors
    /// The store does not answer.
    fn watch(&self, prefix: &str, seen: u64, patience: Duration) -> Result<u64, StoreError>;
}
