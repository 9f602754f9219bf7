//! The interface of all stores: values by key, and a way to wait for changes. A writer can replace
//! a value only if it has seen the last version. A write may have happened even if its answer is
//! late or missing.

use crate::error::StoreError;
use std::time::Duration;

/// A value's version, and the value: a larger version is later, and versions are unique.
pub type Versioned = (u64, Vec<u8>);

/// A store of values by key.
pub trait Store: Send + Sync {
    /// Returns the value of a key.
    ///
    /// # Errors
    /// The store does not answer.
    fn read(&self, key: &str) -> Result<Option<Versioned>, StoreError>;

    /// Returns at most `max` keys with `prefix`, from `from` on, in order, with their values.
    ///
    /// # Errors
    /// The store does not answer.
    fn list(
        &self,
        prefix: &str,
        from: &str,
        max: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError>;

    /// Compares and swaps: replaces the value of a key whose version is `expected`; 0 means that
    /// the key must not exist. Returns whether the value was replaced.
    ///
    /// # Errors
    /// The store does not answer; the swap may have happened, or may still happen.
    fn swap(&self, key: &str, expected: u64, value: &[u8]) -> Result<bool, StoreError>;

    /// Removes the keys with `prefix`, up to but not including `end`.
    ///
    /// # Errors
    /// The store does not answer.
    fn trim(&self, prefix: &str, end: &str) -> Result<(), StoreError>;

    /// Replaces the value of a key, whatever its version.
    ///
    /// # Errors
    /// The store does not answer.
    fn put(&self, key: &str, value: &[u8]) -> Result<(), StoreError>;

    /// Returns whether other processes may also write to this store.
    fn is_shared(&self) -> bool;

    /// Waits until a key with `prefix` is written after version `seen`, or until `patience` is
    /// over. Returns the version up to which the store knows of no further write.
    ///
    /// # Errors
    /// The store does not answer.
    fn watch(&self, prefix: &str, seen: u64, patience: Duration) -> Result<u64, StoreError>;
}
