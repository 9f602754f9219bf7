//! A pool's backup, as lines of JSON: the state after one entry of the log, and the earlier entries
//! that the store still has. `restore` fills a store of any kind from a backup. The backup does not
//! contain the pool's identity.

use crate::error::Error;
use crate::log::entry::{Entry, Logged};
use crate::log::journal::Journal;
use crate::log::state::State;
use crate::log::store::Store;
use serde::{Deserialize, Serialize};
use std::io::BufRead;
use std::sync::Arc;

/// The value of `kind` that identifies the format.
const KIND: &str = "outhaul pool backup";
const VERSION: u32 = 1;
/// How many entries a restored pool skips. So all its entries are newer than those that the lost
/// pool wrote after the backup. Nodes accept these entries, and the pool issues no fencing token
/// twice.
const AHEAD: u64 = 1 << 32;

/// The first line of a backup.
#[derive(Serialize, Deserialize)]
struct Head {
    kind: String,
    version: u32,
    release: String,
    /// Index of the last entry that the backup includes.
    head: u64,
}

/// The last line; a backup without one is incomplete.
#[derive(Serialize, Deserialize)]
struct Foot {
    lines: u64,
}

/// The contents of a backup.
#[derive(Debug, PartialEq, Eq)]
pub struct Contents {
    /// Index of the last entry that the backup includes.
    pub head: u64,
    /// Number of nodes that the pool knows.
    pub nodes: usize,
    /// Number of leases, including waiting requests.
    pub leases: usize,
}

/// Passes the backup's lines to `take`, until `take` returns false or the log cannot be read.
pub(crate) fn write(
    state: &State,
    entries: impl Fn(u64) -> Option<Vec<(u64, Entry)>>,
    take: &mut dyn FnMut(String) -> bool,
) {
    let mut lines = 0;
    let mut emit = |line: serde_json::Result<String>| {
        let is_taken = line.is_ok_and(|line| take(line + "\n"));
        lines += u64::from(is_taken);
        is_taken.then_some(lines)
    };
    let (kind, release) = (KIND.to_owned(), env!("CARGO_PKG_VERSION").to_owned());
    let head = Head { kind, version: VERSION, release, head: state.head };
    let Some(mut last) =
        emit(serde_json::to_string(&head)).and_then(|_| emit(serde_json::to_string(state)))
    else {
        return;
    };
    let mut after = 0;
    while after < state.head {
        let Some(more) = entries(after) else { return };
        let Some((newest, _)) = more.last() else { break };
        after = *newest;
        for (index, entry) in more.into_iter().take_while(|(index, _)| *index <= state.head) {
            let Some(count) = emit(serde_json::to_string(&Logged { index, entry })) else {
                return;
            };
            last = count;
        }
    }
    emit(serde_json::to_string(&Foot { lines: last }));
}

/// Reads a whole backup.
fn read(input: impl BufRead) -> Result<State, Error> {
    let wrong =
        |reason: String| Error::Usage(format!("this is not a complete backup of a pool: {reason}"));
    let mut lines = input.lines().map(|line| line.map_err(|error| wrong(error.to_string())));
    let mut next =
        |what: &str| lines.next().unwrap_or_else(|| Err(wrong(format!("it ends before {what}"))));
    let head: Head =
        serde_json::from_str(&next("its first line")?).map_err(|error| wrong(error.to_string()))?;
    if (head.kind.as_str(), head.version) != (KIND, VERSION) {
        return Err(wrong(format!("it is '{}', version {}", head.kind, head.version)));
    }
    let state: State = serde_json::from_str(&next("the pool's state")?)
        .map_err(|error| wrong(error.to_string()))?;
    let (mut count, mut last) = (2, String::new());
    for line in lines {
        last = line?;
        count += 1;
    }
    match serde_json::from_str::<Foot>(&last) {
        Ok(foot) if foot.lines + 1 == count && state.head == head.head => Ok(state),
        _ => Err(wrong("its last line is missing or wrong".into())),
    }
}

fn contents(state: &State) -> Contents {
    Contents { head: state.head, nodes: state.nodes.len(), leases: state.leases.len() }
}

/// Checks that a backup is complete and returns what it contains.
///
/// # Errors
/// The backup is not complete, with the reason.
pub fn check(input: impl BufRead) -> Result<Contents, Error> {
    Ok(contents(&read(input)?))
}

/// Fills a store that holds no pool yet.
///
/// # Errors
/// The store holds a pool or does not answer, or the backup is incomplete.
pub fn restore(store: Arc<dyn Store>, input: impl BufRead) -> Result<Contents, Error> {
    let mut state = read(input)?;
    let found = contents(&state);
    state.head += AHEAD;
    if Journal::new(store).begin(&state)? {
        Ok(found)
    } else {
        Err(Error::Usage("the store holds a pool already; restore into an empty store".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::keeper::Keeper;
    use crate::log::rules::{Command, Rules};
    use crate::log::store::{Memory, Sqlite};
    use crate::model::actor::Actor;
    use crate::model::lease::{Ask, Holder};
    use crate::model::node::{Gpu, NodeFacts};

    fn keeper(store: Arc<dyn Store>) -> Keeper {
        let mut count = 0;
        let nonces = Box::new(move || {
            count += 1;
            count.to_string()
        });
        Keeper::open(store, Rules::default(), nonces).unwrap()
    }

    fn request(id: &str) -> Command {
        let holder = Holder { user: "alice".into(), group: None };
        Command::Request {
            id: id.into(),
            key_hash: "hash".into(),
            holder,
            ask: Ask::default(),
            limits: None,
        }
    }

    fn carry_out(keeper: &mut Keeper, command: Command) {
        assert_eq!(keeper.step(1, &[(Actor::pool(), command)], |_, _| {}), [Ok(())]);
    }

    fn backed_up() -> (State, String) {
        let store = Arc::new(Memory::default());
        let mut keeper = keeper(store.clone());
        let gpu = |gpu: &str| Gpu { uuid: gpu.into(), model: "test".into(), memory_bytes: 1 << 30 };
        let facts = NodeFacts {
            name: "n".into(),
            address: "n:1".into(),
            gpus: vec![gpu("a"), gpu("b")],
            link_gbps: 0,
            link_hops: 0,
        };
        carry_out(&mut keeper, Command::Join(facts));
        ["x", "y", "z"].into_iter().for_each(|id| carry_out(&mut keeper, request(id)));
        let (state, journal, mut text) = (keeper.state(), Journal::new(store), String::new());
        let state = state.read().clone();
        write(&state, |after| journal.entries(after, 2).ok(), &mut |line| {
            text += &line;
            true
        });
        (state, text)
    }

    #[test]
    fn a_restored_pool_continues_ahead_of_all_lost_entries() {
        let (before, text) = backed_up();
        assert_eq!(text.lines().count() as u64, before.head + 3, "with the whole log");
        let path =
            std::env::temp_dir().join(format!("outhaul-backup-{}.sqlite", std::process::id()));
        let stores: [Arc<dyn Store>; 2] =
            [Arc::new(Memory::default()), Arc::new(Sqlite::open(&path).unwrap())];
        for store in stores {
            let contents = Contents { head: before.head, nodes: 1, leases: 3 };
            assert_eq!(check(text.as_bytes()).unwrap(), contents);
            assert_eq!(restore(store.clone(), text.as_bytes()).unwrap(), contents);
            let mut keeper = keeper(store.clone());
            let state = keeper.state();
            assert_eq!(state.read().leases, before.leases);
            assert_eq!(
                state.read().queue().map(|(id, _)| id.to_owned()).collect::<Vec<_>>(),
                ["z"]
            );
            // The restored pool knows which GPUs are free, and its grants have higher fencing
            // tokens.
            let end = crate::model::lease::End::Released;
            carry_out(&mut keeper, Command::Finish { id: "x".into(), end });
            let fence = state.read().leases["z"].fence();
            assert!(fence > Some(before.head + AHEAD), "{fence:?}");
            let again = restore(store, text.as_bytes()).unwrap_err().to_string();
            assert!(again.contains("holds a pool already"), "{again}");
        }
        let _ = std::fs::remove_file(path);
    }

    #[test]
    fn a_backup_that_breaks_off_is_not_restored() {
        let (_, text) = backed_up();
        let lines: Vec<&str> = text.lines().collect();
        for kept in 0..lines.len() {
            assert!(check(lines[..kept].join("\n").as_bytes()).is_err(), "{kept} lines");
        }
        assert!(check(&text.as_bytes()[..text.len() - 3]).is_err());
        assert!(check(text.replace(KIND, "something else").as_bytes()).is_err());
    }
}
