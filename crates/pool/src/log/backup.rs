//! A pool's backup, as lines of JSON: the state after one entry of the log, and the earlier entries
//! that the store still has. `restore` fills a store of any kind from a backup. The backup does not
//! contain the pool's identity. Its last line has a checksum of all others.

use crate::error::Error;
use crate::log::entry::{Entry, Logged};
use crate::log::journal::Journal;
use crate::log::state::State;
use crate::log::store::Store;
use ring::digest::{Context, SHA256};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Read};
use std::sync::Arc;

/// The value of `kind` that identifies the format.
const KIND: &str = "outhaul pool backup";
const VERSION: u32 = 2;
/// The version whose last line has no checksum.
const VERSION_WITHOUT_CHECKSUM: u32 = 1;
/// How many entries a restored pool skips. So all its entries are newer than those that the lost
/// pool wrote after the backup. Nodes accept these entries, and the pool issues no fencing token
/// twice.
const AHEAD: u64 = 1 << 32;

/// The most bytes of a line. The longest line has the state, which may have a hundred thousand
/// leases.
const LINE_BYTES_MAX: u64 = if cfg!(test) { 1 << 16 } else { 1 << 30 };

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
#[serde(deny_unknown_fields)]
struct Foot {
    /// Number of lines before this one.
    lines: u64,
    /// SHA-256 of all bytes before this line, in hexadecimal digits. Version 1 had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
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
    let (mut lines, mut checksum) = (0, Context::new(&SHA256));
    let mut emit = |line: serde_json::Result<String>| {
        let line = line.ok()? + "\n";
        checksum.update(line.as_bytes());
        lines += 1;
        take(line).then(|| Foot { lines, sha256: Some(digits(checksum.clone())) })
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
            let Some(foot) = emit(serde_json::to_string(&Logged { index, entry })) else {
                return;
            };
            last = foot;
        }
    }
    emit(serde_json::to_string(&last));
}

fn digits(checksum: Context) -> String {
    checksum.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A whole backup.
pub struct Backup {
    state: State,
    /// Whether the backup has a checksum. Damage in one of an earlier release may go unnoticed.
    pub has_checksum: bool,
}

impl Backup {
    /// Reads a backup, and checks that it is complete and unchanged.
    ///
    /// # Errors
    /// The backup is incomplete or damaged, with the reason.
    pub fn read(mut input: impl BufRead) -> Result<Backup, Error> {
        let wrong = |reason: String| {
            Error::Usage(format!(
                "this is no whole backup of a pool: {reason}; use another backup, or copy this \
                 one again from where it was made"
            ))
        };
        let (mut checksum, mut lines) = (Context::new(&SHA256), 0);
        let (mut first, mut second, mut last) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let mut line = Vec::new();
            let mut rest = input.by_ref().take(LINE_BYTES_MAX + 1);
            rest.read_until(b'\n', &mut line).map_err(|error| wrong(error.to_string()))?;
            if line.is_empty() {
                break;
            }
            if line.len() as u64 > LINE_BYTES_MAX {
                return Err(wrong(format!("line {} is too long for one", lines + 1)));
            }
            if lines == 0 && !line.starts_with(b"{") {
                return Err(wrong("it does not begin like one".into()));
            }
            checksum.update(&last);
            lines += 1;
            match lines {
                2 => first = std::mem::take(&mut last),
                3 => second = std::mem::take(&mut last),
                _ => {}
            }
            last = line;
        }
        let foot: Foot = serde_json::from_slice(&last)
            .map_err(|_| wrong("it breaks off, or its last line is damaged".into()))?;
        let has_checksum = foot.sha256.is_some();
        // The last line is compared as text, so that no byte of it may differ.
        let due = Foot { lines: lines - 1, sha256: has_checksum.then(|| digits(checksum)) };
        if serde_json::to_string(&due).unwrap_or_default() + "\n" != String::from_utf8_lossy(&last)
        {
            return Err(wrong("it is damaged, because its last line says other contents".into()));
        }
        let head: Head = serde_json::from_slice(&first)
            .map_err(|error| wrong(format!("its first line: {error}")))?;
        let version = if has_checksum { VERSION } else { VERSION_WITHOUT_CHECKSUM };
        if (head.kind.as_str(), head.version) != (KIND, version) {
            return Err(wrong(format!("it is '{}', version {}", head.kind, head.version)));
        }
        let state: State = serde_json::from_slice(&second)
            .map_err(|error| wrong(format!("the pool's state: {error}")))?;
        if state.head != head.head {
            return Err(wrong("its first two lines are of different backups".into()));
        }
        Ok(Backup { state, has_checksum })
    }

    /// Returns what the backup contains.
    pub fn contents(&self) -> Contents {
        let state = &self.state;
        Contents { head: state.head, nodes: state.nodes.len(), leases: state.leases.len() }
    }

    /// Fills a store that holds no pool yet.
    ///
    /// # Errors
    /// The store holds a pool or does not answer.
    pub fn restore(mut self, store: Arc<dyn Store>) -> Result<(), Error> {
        self.state.head += AHEAD;
        if Journal::new(store).begin(&self.state)? {
            Ok(())
        } else {
            Err(Error::Usage("the store holds a pool already; restore into an empty store".into()))
        }
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

    fn read(bytes: &[u8]) -> Result<Backup, Error> {
        Backup::read(bytes)
    }

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
            frame_curves: Vec::new(),
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
        let folder = outhaul_files::TemporaryFolder::new("backup").unwrap();
        let path = folder.path().join("pool.sqlite");
        let stores: [Arc<dyn Store>; 2] =
            [Arc::new(Memory::default()), Arc::new(Sqlite::open(&path).unwrap())];
        for store in stores {
            let contents = Contents { head: before.head, nodes: 1, leases: 3 };
            let backup = read(text.as_bytes()).unwrap();
            assert!(backup.has_checksum && backup.contents() == contents);
            backup.restore(store.clone()).unwrap();
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
            let again = read(text.as_bytes()).unwrap().restore(store).unwrap_err().to_string();
            assert!(again.contains("holds a pool already"), "{again}");
        }
    }

    #[test]
    fn a_backup_with_any_damage_is_not_read() {
        let (_, text) = backed_up();
        let refuse = |bytes: &[u8], damage: &str| {
            let refusal = read(bytes).err().unwrap_or_else(|| panic!("{damage} goes unnoticed"));
            assert!(refusal.to_string().contains("use another backup"), "{damage}: {refusal}");
        };
        let bytes = text.as_bytes();
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.to_owned();
            flipped[bit / 8] ^= 1 << (bit % 8);
            refuse(&flipped, &format!("bit {bit}"));
        }
        (0..bytes.len()).for_each(|end| refuse(&bytes[..end], &format!("an end at {end}")));
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for i in 0..lines.len() {
            let (before, after) = (lines[..i].concat(), lines[i + 1..].concat());
            refuse((before.clone() + &after).as_bytes(), &format!("no line {i}"));
            let doubled = before + lines[i] + lines[i] + &after;
            refuse(doubled.as_bytes(), &format!("line {i} twice"));
        }
        for (from, to) in [(0, bytes.len()), (7, 40), (200, 201), (bytes.len() - 30, bytes.len())] {
            let piece = &bytes[from..to];
            refuse(&[&bytes[..to], piece, &bytes[to..]].concat(), "a piece twice");
            refuse(&[&bytes[..from], &bytes[to..]].concat(), "a missing piece");
        }
        refuse((text.clone() + "\n").as_bytes(), "an empty line more");
        refuse(b"something else", "another file");
    }

    #[test]
    fn a_backup_of_an_earlier_release_says_that_it_has_no_checksum() {
        let (state, text) = backed_up();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.pop();
        let earlier = lines.join("\n").replace("\"version\":2", "\"version\":1");
        let foot = |count: usize| format!("\n{{\"lines\":{count}}}\n");
        let backup = read((earlier.clone() + &foot(lines.len())).as_bytes()).unwrap();
        assert!(!backup.has_checksum && backup.contents().head == state.head);
        assert!(read((earlier.clone() + &foot(lines.len() - 1)).as_bytes()).is_err());
        let text = text.replace("\"version\":2", "\"version\":1");
        assert!(read(text.as_bytes()).is_err(), "a checksum that does not fit");
    }

    #[test]
    fn an_input_without_lines_is_refused_before_it_fills_the_memory() {
        let words = |input: &mut dyn BufRead| Backup::read(input).err().unwrap().to_string();
        let mut zeros = std::io::BufReader::new(std::io::repeat(0));
        assert!(words(&mut zeros).contains("line 1 is too long"), "{}", words(&mut zeros));
        assert!(words(&mut &b"text\n"[..]).contains("does not begin like one"));
    }
}
