//! A pool process that has not yet read another process's entries must not refuse a request because
//! of them.

#[allow(dead_code, reason = "each test file compiles this module for itself")]
mod served;

use outhaul_pool::http::api::{LeaseState, Quotas};
use outhaul_pool::http::client::ClientError;
use outhaul_pool::log::store::{Memory, Store, StoreError, Versioned};
use outhaul_pool::model::lease::Ask;
use outhaul_pool::model::quota::Quota;
use served::{join, lease_request, pool};
use std::sync::Arc;
use std::time::Duration;

/// A store that never announces changes, so that only a process that reads it learns of them.
#[derive(Default)]
struct Silent(Memory);

impl Store for Silent {
    fn read(&self, key: &str) -> Result<Option<Versioned>, StoreError> {
        self.0.read(key)
    }

    fn list(
        &self,
        prefix: &str,
        from: &str,
        max: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.0.list(prefix, from, max)
    }

    fn swap(&self, key: &str, expected: u64, value: &[u8]) -> Result<bool, StoreError> {
        self.0.swap(key, expected, value)
    }

    fn trim(&self, prefix: &str, end: &str) -> Result<(), StoreError> {
        self.0.trim(prefix, end)
    }

    fn put(&self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        self.0.put(key, value)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn watch(&self, _: &str, seen: u64, patience: Duration) -> Result<u64, StoreError> {
        std::thread::sleep(patience);
        Ok(seen)
    }
}

#[test]
fn a_process_honours_the_grants_of_another() {
    let store = Arc::new(Silent::default());
    let (one, other) = (pool(store.clone(), "one"), pool(store, "other"));
    join(&one, "n", 8);
    for gpus in 1..=8 {
        let quota = Quota { gpus: Some(f64::from(gpus)), ..Quota::default() };
        one.put::<Quotas>("/v1/quotas/user:alice", &quota).unwrap();
        let id = format!("l{gpus}");
        let granted = other.request(&lease_request(&id, Ask { gpus, ..Ask::default() })).unwrap();
        assert!(matches!(granted.state, LeaseState::Held(_)), "{granted:?}");
        other.release(&id).unwrap();
    }
    let refused =
        other.request(&lease_request("more", Ask { gpus: 9, ..Ask::default() })).unwrap_err();
    assert!(matches!(refused, ClientError::Refused(_)), "{refused}");
}
