//! A store in memory: for tests, and for a pool that need not outlive its process.

use super::{Clock, Deadlines, Store, StoreError, Versioned};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Values and names, gone with the process.
pub struct Memory {
    values: Mutex<Values>,
    changed: Condvar,
    names: Deadlines,
}

#[derive(Default)]
struct Values {
    version: u64,
    by_key: BTreeMap<String, Versioned>,
}

impl Memory {
    /// Empty, with names that lapse by this clock.
    pub fn new(clock: Clock) -> Memory {
        Memory { values: Mutex::default(), changed: Condvar::new(), names: Deadlines::new(clock) }
    }

    fn values(&self) -> std::sync::MutexGuard<'_, Values> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Memory {
    fn read(&self, key: &str) -> Result<Option<Versioned>, StoreError> {
        Ok(self.values().by_key.get(key).cloned())
    }

    fn list(&self, prefix: &str, from: &str, max: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let values = self.values();
        let from = if from < prefix { prefix } else { from };
        let keys = values.by_key.range::<str, _>((Bound::Included(from), Bound::Unbounded));
        let own = keys.take_while(|(key, _)| key.starts_with(prefix)).take(max);
        Ok(own.map(|(key, (_, value))| (key.clone(), value.clone())).collect())
    }

    fn swap(&self, key: &str, expected: u64, value: &[u8]) -> Result<bool, StoreError> {
        let mut values = self.values();
        if values.by_key.get(key).map_or(0, |(version, _)| *version) != expected {
            return Ok(false);
        }
        values.version += 1;
        let version = values.version;
        values.by_key.insert(key.to_owned(), (version, value.to_owned()));
        self.changed.notify_all();
        Ok(true)
    }

    fn trim(&self, prefix: &str, end: &str) -> Result<(), StoreError> {
        self.values().by_key.retain(|key, _| !key.starts_with(prefix) || key.as_str() >= end);
        Ok(())
    }

    fn hold(&self, name: &str, ttl: Duration) -> Result<(), StoreError> {
        self.names.hold(name, ttl);
        Ok(())
    }

    fn renew(&self, name: &str) -> Result<bool, StoreError> {
        Ok(self.names.renew(name))
    }

    fn let_go(&self, name: &str) -> Result<(), StoreError> {
        self.names.let_go(name);
        Ok(())
    }

    fn held(&self) -> Result<BTreeSet<String>, StoreError> {
        Ok(self.names.held())
    }

    fn watch(&self, seen: u64, patience: Duration) -> Result<u64, StoreError> {
        let waiting = self.changed.wait_timeout_while(self.values(), patience, |values| values.version <= seen);
        Ok(waiting.unwrap_or_else(PoisonError::into_inner).0.version)
    }
}
