//! The condition of a keeper's store, as far as the keeper knows: whether it can be read and
//! written now. A failed write counts until a later write succeeds, since a keeper without work
//! writes nothing for a long time.

use crate::error::Error;
use outhaul_lock::Mutex;

/// How long a successful write shows that the store can be written, in milliseconds.
const PROVEN_MS: u64 = 2_000;
/// The interval between two probes of a store that failed, in milliseconds.
const PROBE_AGAIN_MS: u64 = 1_000;

/// A function that gets the error when the store fails, and `None` when it works again.
pub type Listener = Box<dyn Fn(Option<&Error>) + Send>;

/// The condition of a keeper's store.
#[derive(Default)]
pub struct StoreHealth {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// When the store was last written with success or tried in vain.
    tried_ms: Option<u64>,
    trouble: Option<Error>,
    listener: Option<Listener>,
}

impl StoreHealth {
    /// Returns why the store cannot be read or written, if the last attempt failed.
    pub fn trouble(&self) -> Option<Error> {
        self.known.lock().trouble.clone()
    }

    /// Returns whether a write must be tried now: because somebody asks and the last write was too
    /// long ago, or because the last one failed.
    pub fn needs_probe(&self, now_ms: u64, is_asked: bool) -> bool {
        let known = self.known.lock();
        let (is_wanted, every_ms) = match known.trouble {
            Some(_) => (true, PROBE_AGAIN_MS),
            None => (is_asked, PROVEN_MS),
        };
        let is_recent = |tried_ms: u64| now_ms.saturating_sub(tried_ms) < every_ms;
        is_wanted && !known.tried_ms.is_some_and(is_recent)
    }

    /// Notes the outcome of an attempt, and tells the listener if the condition has changed.
    pub fn note(&self, now_ms: u64, outcome: Result<(), Error>) {
        let mut known = self.known.lock();
        known.tried_ms = Some(now_ms);
        let trouble = outcome.err();
        let has_changed = trouble.is_some() != known.trouble.is_some();
        known.trouble = trouble;
        if let Some(listener) = known.listener.as_ref().filter(|_| has_changed) {
            listener(known.trouble.as_ref());
        }
    }

    /// Calls `listener` whenever the condition changes, and now if the store fails already.
    pub fn listen(&self, listener: Listener) {
        let mut known = self.known.lock();
        if known.trouble.is_some() {
            listener(known.trouble.as_ref());
        }
        known.listener = Some(listener);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::StoreError;

    #[test]
    fn a_failure_counts_until_a_write_succeeds_and_success_for_a_while() {
        let health = StoreHealth::default();
        assert!(health.needs_probe(0, true) && !health.needs_probe(0, false));
        health.note(10, Ok(()));
        assert!(!health.needs_probe(10 + PROVEN_MS - 1, true));
        assert!(health.needs_probe(10 + PROVEN_MS, true));
        health.note(5000, Err(StoreError::Unwritable("full".into()).into()));
        assert!(health.trouble().is_some());
        assert!(!health.needs_probe(5000 + PROBE_AGAIN_MS - 1, true));
        assert!(health.needs_probe(5000 + PROBE_AGAIN_MS, false), "nobody need ask");
        health.note(7000, Ok(()));
        assert_eq!(health.trouble(), None);
    }
}
