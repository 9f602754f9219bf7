//! A pool's log in a store. Entry N has its own key, which only one writer can create. So several
//! pool processes can write one log. A writer that got no answer reads the key to find out whether
//! its write succeeded. A snapshot saves reading the log from its start.

use crate::log::entry::Entry;
use crate::log::state::State;
use crate::log::store::{Store, StoreError};
use std::sync::Arc;

const LOG: &str = "log/";
const SNAPSHOT: &str = "snapshot";
/// Number of entries between two snapshots.
const SNAPSHOT_EVERY: u64 = 4096;
/// The least number of entries that the journal keeps for audits.
const KEPT_MIN: u64 = 1 << 18;
const READ_MAX: usize = 1024;
/// The key of a value that only shows that the store can be written.
const PROBE: &str = "probe";
/// The size of that value: no less than that of an entry with dozens of grants.
const PROBE_BYTES: usize = 16 << 10;

/// One process's view of the log.
pub struct Journal {
    store: Arc<dyn Store>,
}

/// The result of appending an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended {
    /// The entry is in the log, at the index after the head.
    Done,
    /// Another writer's entry has that index.
    Overtaken,
}

fn key(index: u64) -> String {
    format!("{LOG}{index:016x}")
}

fn parse<T: serde::de::DeserializeOwned>(what: &str, bytes: &[u8]) -> Result<T, StoreError> {
    serde_json::from_slice(bytes).map_err(|error| {
        StoreError::Damaged(format!("{what} in the store cannot be read: {error}"))
    })
}

impl Journal {
    /// Returns the log in a store.
    pub fn new(store: Arc<dyn Store>) -> Journal {
        Journal { store }
    }

    /// Reads the state from the last snapshot and the entries after it.
    ///
    /// # Errors
    /// The store does not answer, or does not hold a log.
    pub fn load(&self) -> Result<State, StoreError> {
        let mut state = match self.store.read(SNAPSHOT)? {
            Some((_, bytes)) => parse("the snapshot", &bytes)?,
            None => State::default(),
        };
        state.complete();
        self.catch_up(&mut state, |_, _| {})?;
        Ok(state)
    }

    /// Applies the entries of other writers to `state` and passes each one to `show`.
    ///
    /// # Errors
    /// The store does not answer, or does not hold a log.
    pub fn catch_up(
        &self,
        state: &mut State,
        mut show: impl FnMut(u64, &Entry),
    ) -> Result<(), StoreError> {
        loop {
            let entries = self.entries(state.head, READ_MAX)?;
            for (index, entry) in &entries {
                if *index != state.head + 1 {
                    return Err(StoreError::Damaged(format!(
                        "the log continues at {index} after {}: entries are missing",
                        state.head
                    )));
                }
                state.apply(*index, entry);
                show(*index, entry);
            }
            if entries.len() < READ_MAX {
                return Ok(());
            }
        }
    }

    /// Returns at most `max` entries after the index `after`.
    ///
    /// # Errors
    /// The store does not answer, or does not hold a log.
    pub fn entries(&self, after: u64, max: usize) -> Result<Vec<(u64, Entry)>, StoreError> {
        let Some(first) = after.checked_add(1) else { return Ok(Vec::new()) };
        let rows = self.store.list(LOG, &key(first), max)?;
        let entry = |(key, bytes): (String, Vec<u8>)| {
            let index = u64::from_str_radix(&key[LOG.len()..], 16)
                .map_err(|_| StoreError::Damaged(format!("'{key}' is not a key of the log")))?;
            Ok((index, parse(&key, &bytes)?))
        };
        rows.into_iter().map(entry).collect()
    }

    /// Writes the entry at `index`. Repeating the call is harmless.
    ///
    /// # Errors
    /// The store answers neither the write nor the read after it. The entry may be in the store, or
    /// may still arrive there.
    pub fn append(&self, index: u64, entry: &Entry) -> Result<Appended, StoreError> {
        let bytes = serde_json::to_vec(entry).map_err(|error| {
            StoreError::NoAnswer(format!("an entry cannot be written: {error}"))
        })?;
        let swapped = self.store.swap(&key(index), 0, &bytes);
        if swapped == Ok(true) {
            return Ok(Appended::Done);
        }
        match self.store.read(&key(index))? {
            Some((_, bytes)) => {
                let there: Entry = parse("an entry", &bytes)?;
                Ok(if there.nonce == entry.nonce { Appended::Done } else { Appended::Overtaken })
            }
            None => Err(swapped.err().unwrap_or_else(|| {
                StoreError::NoAnswer("it refused an entry but has no other".into())
            })),
        }
    }

    /// Writes a value as large as a large entry, over the last one.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn probe(&self) -> Result<(), StoreError> {
        self.store.put(PROBE, &[b' '; PROBE_BYTES])
    }

    /// Begins a log that continues from `state`. Returns false if the store already holds a log.
    ///
    /// # Errors
    /// The store does not answer.
    pub fn begin(&self, state: &State) -> Result<bool, StoreError> {
        if !self.store.list(LOG, LOG, 1)?.is_empty() {
            return Ok(false);
        }
        let bytes = serde_json::to_vec(state).map_err(|error| {
            StoreError::NoAnswer(format!("a snapshot cannot be written: {error}"))
        })?;
        self.store.swap(SNAPSHOT, 0, &bytes)
    }

    /// Writes a snapshot if one is due, and deletes old entries.
    ///
    /// # Errors
    /// The store does not answer; the log remains intact.
    pub fn tidy(&self, state: &State) -> Result<(), StoreError> {
        if !state.head.is_multiple_of(SNAPSHOT_EVERY) || state.head == 0 {
            return Ok(());
        }
        let there = self.store.read(SNAPSHOT)?;
        let bytes = serde_json::to_vec(state).map_err(|error| {
            StoreError::NoAnswer(format!("a snapshot cannot be written: {error}"))
        })?;
        let written = self.store.swap(SNAPSHOT, there.map_or(0, |(version, _)| version), &bytes)?;
        match state.head.checked_sub(KEPT_MIN).filter(|_| written) {
            Some(old) => self.store.trim(LOG, &key(old)),
            None => Ok(()),
        }
    }
}
