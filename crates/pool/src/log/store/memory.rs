//! A store in memory, for tests and for pools that need not survive their process.

use super::interface::{Store, Versioned};
use crate::error::StoreError;
use outhaul_lock::{Condvar, Mutex};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::time::Duration;

/// A store whose values are lost when the process ends.
#[derive(Default)]
pub struct Memory {
    values: Mutex<Values>,
    changed: Condvar,
}

#[derive(Default)]
struct Values {
    version: u64,
    by_key: BTreeMap<String, Versioned>,
}

impl Values {
    fn write(&mut self, key: &str, value: &[u8]) {
        self.version += 1;
        self.by_key.insert(key.to_owned(), (self.version, value.to_owned()));
    }

    /// Returns the last version of the keys with `prefix`.
    fn last(&self, prefix: &str) -> u64 {
        let keys = self.by_key.range::<str, _>((Bound::Included(prefix), Bound::Unbounded));
        keys.take_while(|(key, _)| key.starts_with(prefix))
            .map(|(_, (version, _))| *version)
            .max()
            .unwrap_or(0)
    }
}

impl Memory {
    fn values(&self) -> outhaul_lock::MutexGuard<'_, Values> {
        self.values.lock()
    }
}

impl Store for Memory {
    fn read(&self, key: &str) -> Result<Option<Versioned>, StoreError> {
        Ok(self.values().by_key.get(key).cloned())
    }

    fn list(
        &self,
        prefix: &str,
        from: &str,
        max: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
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
        values.write(key, value);
        self.changed.notify_all();
        Ok(true)
    }

    fn trim(&self, prefix: &str, end: &str) -> Result<(), StoreError> {
        self.values().by_key.retain(|key, _| !key.starts_with(prefix) || key.as_str() >= end);
        Ok(())
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        self.values().write(key, value);
        self.changed.notify_all();
        Ok(())
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn watch(&self, prefix: &str, seen: u64, patience: Duration) -> Result<u64, StoreError> {
        let is_quiet = |values: &mut Values| values.last(prefix) <= seen;
        let waiting = self.changed.wait_timeout_while(self.values(), patience, is_quiet);
        let values = waiting.0;
        Ok(values.last(prefix).max(seen))
    }
}
