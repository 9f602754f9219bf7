//! The keeper of a pool process: it turns commands into entries of the log, and grants the leases
//! that can be granted. Any number of keepers may work on one store, and each may be killed at any
//! point.

use crate::error::Error;
use crate::log::entry::Entry;
use crate::log::journal::{Appended, Journal};
use crate::log::rules::{Command, Rules};
use crate::log::state::State;
use crate::log::store::{Store, StoreError};
use crate::model::actor::Actor;
use outhaul_lock::RwLock;
use std::sync::Arc;

/// How many times other writers may overtake a step before the step gives up.
const OVERTAKEN_MAX: usize = 64;
/// The most grants in one entry.
const GRANTS_MAX: usize = 256;
/// The keeper of one process.
pub struct Keeper {
    journal: Journal,
    rules: Rules,
    /// The state after the entries of the log that this keeper has seen.
    state: Arc<RwLock<State>>,
    /// A copy of `state`; during a step, with the effects of the next entry.
    draft: State,
    /// The number of entries that this keeper has written.
    written: u64,
    /// Returns a new nonce for every entry.
    nonces: Box<dyn FnMut() -> String + Send>,
}

/// A command, and the actor on whose behalf the keeper carries it out.
pub type ActorCommand = (Actor, Command);

impl Keeper {
    /// Reads the log and returns its keeper.
    ///
    /// # Errors
    /// The store does not answer.
    pub fn open(
        store: Arc<dyn Store>,
        rules: Rules,
        nonces: Box<dyn FnMut() -> String + Send>,
    ) -> Result<Keeper, Error> {
        let journal = Journal::new(store);
        let draft = journal.load()?;
        Ok(Keeper {
            journal,
            rules,
            state: Arc::new(RwLock::new(draft.clone())),
            draft,
            written: 0,
            nonces,
        })
    }

    /// Returns the state as this keeper has seen it, for concurrent readers.
    pub fn state(&self) -> Arc<RwLock<State>> {
        self.state.clone()
    }

    /// Returns the index of the last entry that this keeper has seen.
    pub fn head(&self) -> u64 {
        self.draft.head
    }

    /// Returns the number of entries that this keeper has written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Tries whether an entry could be written now, without writing one.
    ///
    /// # Errors
    /// The store cannot be written, with the reason.
    pub fn probe(&self) -> Result<(), Error> {
        Ok(self.journal.probe()?)
    }

    /// Returns a name that no other process has.
    pub fn name(&mut self) -> String {
        (self.nonces)()
    }

    /// Applies the entries of other writers and passes each one to `show`.
    ///
    /// # Errors
    /// The store does not answer.
    pub fn catch_up(&mut self, mut show: impl FnMut(u64, &Entry)) -> Result<(), Error> {
        Ok(self.journal.catch_up(&mut self.draft, |index, entry| {
            write(&self.state).apply(index, entry);
            show(index, entry);
        })?)
    }

    /// Carries out commands, each completely or not at all, and then grants the leases that can be
    /// granted. Passes every entry that is new to this keeper to `show`, its own and others'.
    /// Returns the answers in the order of the commands.
    pub fn step(
        &mut self,
        now_ms: u64,
        commands: &[ActorCommand],
        mut show: impl FnMut(u64, &Entry),
    ) -> Vec<Result<(), Error>> {
        let failed = |error: Error| commands.iter().map(|_| Err(error.clone())).collect();
        for _ in 0..OVERTAKEN_MAX {
            let (answers, entry) = self.draft(now_ms, commands);
            if entry.events.is_empty() {
                return answers;
            }
            let index = self.draft.head + 1;
            let appended = self.journal.append(index, &entry);
            if appended == Ok(Appended::Done) {
                self.written += 1;
                self.draft.advance(index, entry.at_ms);
                write(&self.state).apply(index, &entry);
                show(index, &entry);
                // If this fails, a later step repeats it.
                let _ = self.journal.tidy(&self.draft);
                return answers;
            }
            // Another writer's entry has this index now, so the keeper decides again with that
            // entry applied.
            self.redraft();
            if let Err(error) = appended.map_err(Error::from).and_then(|_| self.catch_up(&mut show))
            {
                return failed(error);
            }
        }
        failed(StoreError::NoAnswer("other pool processes were always faster".into()).into())
    }

    fn redraft(&mut self) {
        self.draft = self.state.read().clone();
    }

    /// Returns the answer to each command, and the next entry.
    fn draft(&mut self, now_ms: u64, commands: &[ActorCommand]) -> (Vec<Result<(), Error>>, Entry) {
        let (index, at_ms) = (self.draft.head + 1, now_ms.max(self.draft.at_ms));
        let (mut events, mut answers) = (Vec::new(), Vec::new());
        for (actor, command) in commands {
            if !matches!(command, Command::Join(_)) {
                self.draft.restock();
            }
            let decided = self.rules.decide(&self.draft, at_ms, command);
            for event in decided.iter().flatten() {
                self.draft.happen(index, at_ms, event);
                events.push((actor.clone(), event.clone()));
            }
            answers.push(decided.map(drop));
        }
        self.draft.restock();
        for _ in 0..GRANTS_MAX {
            let Some(event) = self.rules.next_grant(&self.draft, at_ms) else { break };
            self.draft.happen(index, at_ms, &event);
            events.push((Actor::pool(), event));
        }
        (answers, Entry { at_ms, nonce: (self.nonces)(), events })
    }
}

fn write(state: &RwLock<State>) -> outhaul_lock::RwLockWriteGuard<'_, State> {
    state.write()
}
