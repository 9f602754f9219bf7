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
/// The size at which an entry is full, as a number of records of at most about 500 bytes. The last
/// command's events may go beyond it: at most an end of each lease on one node. etcd accepts values
/// of at most 1.5 MiB, and would refuse the same larger entry again and again.
const RECORDS_MAX: usize = 1024;

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
    /// granted. Writes as many entries as the commands need, but grants only in those. Passes every
    /// entry that is new to this keeper to `show`, its own and others'. Returns the answers in the
    /// order of the commands.
    pub fn step(
        &mut self,
        now_ms: u64,
        commands: &[ActorCommand],
        mut show: impl FnMut(u64, &Entry),
    ) -> Vec<Result<(), Error>> {
        let mut answers = Vec::with_capacity(commands.len());
        loop {
            answers.extend(self.write_one(now_ms, &commands[answers.len()..], &mut show));
            if answers.len() >= commands.len() {
                return answers;
            }
        }
    }

    /// Writes one entry with the effects of the first of the commands, and returns their answers.
    fn write_one(
        &mut self,
        now_ms: u64,
        commands: &[ActorCommand],
        show: &mut impl FnMut(u64, &Entry),
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
            let caught_up = appended.map_err(Error::from).and_then(|_| self.catch_up(&mut *show));
            if let Err(error) = caught_up {
                return failed(error);
            }
        }
        failed(StoreError::NoAnswer("other pool processes were always faster".into()).into())
    }

    fn redraft(&mut self) {
        self.draft = self.state.read().clone();
    }

    /// Returns the next entry, and the answer to each command that it includes.
    fn draft(&mut self, now_ms: u64, commands: &[ActorCommand]) -> (Vec<Result<(), Error>>, Entry) {
        let (index, at_ms) = (self.draft.head + 1, now_ms.max(self.draft.at_ms));
        let (mut events, mut answers, mut records) = (Vec::new(), Vec::new(), 0);
        for (actor, command) in commands {
            if records >= RECORDS_MAX {
                break;
            }
            if !matches!(command, Command::Join(_)) {
                self.draft.restock();
            }
            let decided = self.rules.decide(&self.draft, at_ms, command);
            for event in decided.iter().flatten() {
                self.draft.happen(index, at_ms, event);
                records += event.records();
                events.push((actor.clone(), event.clone()));
            }
            answers.push(decided.map(drop));
        }
        self.draft.restock();
        for _ in 0..GRANTS_MAX {
            if records >= RECORDS_MAX {
                break;
            }
            let Some(event) = self.rules.next_grant(&self.draft, at_ms) else { break };
            self.draft.happen(index, at_ms, &event);
            records += event.records();
            events.push((Actor::pool(), event));
        }
        (answers, Entry { at_ms, nonce: (self.nonces)(), events })
    }
}

fn write(state: &RwLock<State>) -> outhaul_lock::RwLockWriteGuard<'_, State> {
    state.write()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::store::Memory;
    use crate::model::lease::{Ask, End, Holder};
    use crate::model::node::{Gpu, NODE_GPUS_MAX, NodeFacts};

    const ETCD_BYTES_MAX: usize = 3 << 19;

    /// A pool with one large node, whose names are as long as they may be.
    struct Pool {
        keeper: Keeper,
        entry_bytes: Vec<usize>,
    }

    impl Pool {
        fn with_gpus(gpus: usize) -> Pool {
            let mut count = 0;
            let nonces = Box::new(move || {
                count += 1;
                count.to_string()
            });
            let store = Arc::new(Memory::default());
            let keeper = Keeper::open(store, Rules::default(), nonces).unwrap();
            let mut pool = Pool { keeper, entry_bytes: Vec::new() };
            let gpu = |number: usize| Gpu {
                uuid: format!("{number:0128}"),
                model: "m".repeat(128),
                memory_bytes: 1 << 40,
            };
            let facts = NodeFacts {
                name: "n".repeat(64),
                address: "n:1".into(),
                gpus: (0..gpus).map(gpu).collect(),
                link_gbps: 0,
                link_hops: 0,
                frame_curves: Vec::new(),
            };
            assert_eq!(pool.carry_out(vec![Command::Join(facts)]), [Ok(())]);
            pool
        }

        fn carry_out(&mut self, commands: Vec<Command>) -> Vec<Result<(), Error>> {
            let commands: Vec<ActorCommand> =
                commands.into_iter().map(|command| (Actor::pool(), command)).collect();
            let bytes = &mut self.entry_bytes;
            self.keeper.step(1, &commands, |_, entry| {
                bytes.push(serde_json::to_vec(entry).unwrap().len());
            })
        }

        fn ask(id: String, ask: Ask) -> Command {
            let holder = Holder { user: "u".repeat(64), group: Some("g".repeat(64)) };
            Command::Request { id, key_hash: "0".repeat(64), holder, ask, limits: None }
        }

        fn held(&self) -> usize {
            let state = self.keeper.state();
            let state = state.read();
            state.leases.values().filter(|lease| lease.fence().is_some()).count()
        }
    }

    #[test]
    fn no_entry_is_larger_than_etcd_accepts_and_all_commands_and_grants_come() {
        let mut pool = Pool::with_gpus(NODE_GPUS_MAX);
        let gpus = NODE_GPUS_MAX as u32;
        let whole = Ask { gpus, ..Ask::default() };
        let parts = Ask { gpus, share_percent: Some(1), ..Ask::default() };
        assert_eq!(pool.carry_out(vec![Pool::ask("whole".into(), whole)]), [Ok(())]);
        let leases = (0..100).map(|n| Pool::ask(format!("{n:064}"), parts.clone()));
        let answers = pool.carry_out(leases.collect());
        assert!(answers.len() == 100 && answers.iter().all(Result::is_ok), "{answers:?}");
        let release = Command::Finish { id: "whole".into(), end: End::Released };
        assert_eq!(pool.carry_out(vec![release]), [Ok(())]);
        while pool.held() < 100 {
            let before = pool.held();
            pool.carry_out(vec![Command::Tick]);
            assert!(pool.held() > before, "grants continue");
        }
        let many: Vec<Command> = (0..2000)
            .map(|n| Command::Finish { id: format!("{n:064}"), end: End::Killed })
            .collect();
        assert_eq!(pool.carry_out(many).iter().filter(|answer| answer.is_ok()).count(), 100);
        let largest = pool.entry_bytes.iter().max().unwrap();
        assert!(*largest < ETCD_BYTES_MAX / 2, "{largest}");
    }
}
