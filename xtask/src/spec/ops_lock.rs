//! `spec/ops.lock`: each op number's message, the level that added it, and a checksum of the
//! fields.
//!
//! A message keeps its name, because hand-written code uses it. So a new function must not give an
//! existing name another meaning. A level is the set of messages that a release understands.
//! Messages of a released level never change, so that the next release understands them too. A
//! changed message gets a new op number.

use std::collections::BTreeMap;
use std::fmt::Write;

/// The file that records the ops, relative to the root.
pub const PATH: &str = "spec/ops.lock";

const HEADER: &str = "\
# Lines: a level with its release, or an op number with its message's name, its level, and a sum of
# what the message carries. A line never changes once its level is released. `cargo xtask codegen`
# adds new messages at a level named `next`; a maintainer who releases that level names it.
";
/// The name of an unreleased level, in place of the release's name.
const NEXT: &str = "next";

/// A message's name, and a checksum of its fields and its reply's fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The message's name.
    pub name: String,
    /// FNV-1a checksum of the field types in the message and its reply.
    pub sum: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    shape: Shape,
    level: u16,
}

/// The content of `spec/ops.lock`.
pub struct Lock {
    /// The release of each level, by level number.
    levels: BTreeMap<u16, String>,
    ops: BTreeMap<u16, Entry>,
}

fn level_of_line(line: &str) -> Option<(u16, String)> {
    let (number, release) = line.strip_prefix("level ")?.split_once(' ')?;
    Some((number.parse().ok()?, release.trim().to_owned()))
}

fn entry_of_line(line: &str) -> Option<(u16, Entry)> {
    let [op, name, level, sum] = line.split_whitespace().collect::<Vec<_>>().try_into().ok()?;
    let shape = Shape { name: name.to_owned(), sum: u64::from_str_radix(sum, 16).ok()? };
    Some((op.parse().ok()?, Entry { shape, level: level.parse().ok()? }))
}

impl Lock {
    /// Parses the file's text. Fails with the invalid line.
    pub fn parse(text: &str) -> Result<Lock, String> {
        let mut lock = Lock { levels: BTreeMap::new(), ops: BTreeMap::new() };
        for (i, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty())
        {
            let is_new = match (level_of_line(line), entry_of_line(line)) {
                (Some((number, release)), _) => lock.levels.insert(number, release).is_none(),
                (None, Some((op, entry))) => lock.ops.insert(op, entry).is_none(),
                (None, None) => {
                    return Err(format!(
                        "{PATH}:{}: neither a level nor an op with a name, a level and a sum",
                        i + 1
                    ));
                }
            };
            if !is_new {
                return Err(format!("{PATH}:{}: an earlier line has this number", i + 1));
            }
        }
        Ok(lock)
    }

    /// Returns the name of the message with this op number.
    pub fn name(&self, op: u16) -> Option<&str> {
        self.ops.get(&op).map(|entry| entry.shape.name.as_str())
    }

    /// Returns the op number of the message with this name.
    pub fn op(&self, name: &str) -> Option<u16> {
        self.ops.iter().find(|(_, entry)| entry.shape.name == name).map(|(op, _)| *op)
    }

    /// Returns the level that added the op number, or 0 if the file does not contain the number.
    pub fn level(&self, op: u16) -> u16 {
        self.ops.get(&op).map_or(0, |entry| entry.level)
    }

    fn is_released(&self, level: u16) -> bool {
        self.levels.get(&level).is_some_and(|release| release != NEXT)
    }

    /// Returns the unreleased level, for new messages. Adds the level if there is none.
    fn next(&mut self) -> u16 {
        let last = self.levels.keys().last().copied().unwrap_or(0);
        let next = if last == 0 || self.is_released(last) { last + 1 } else { last };
        self.levels.entry(next).or_insert_with(|| NEXT.to_owned());
        next
    }

    /// Checks that each message matches its entry in the file, and adds new messages. Messages that
    /// the spec no longer contains remain in the file.
    pub fn keep(&mut self, messages: &[(u16, Shape)]) -> Result<(), String> {
        messages.iter().try_for_each(|(op, shape)| self.keep_one(*op, shape))
    }

    fn keep_one(&mut self, op: u16, shape: &Shape) -> Result<(), String> {
        let name = &shape.name;
        let level = match self.ops.get(&op) {
            Some(locked) if locked.shape.name != *name => {
                let locked = &locked.shape.name;
                return Err(format!(
                    "op {op} is {locked} in {PATH} and {name} in the spec; give the new message a \
                    new op number"
                ));
            }
            Some(locked) if locked.shape != *shape && self.is_released(locked.level) => {
                return Err(format!(
                    "{name} carries something else than in the release that added it; give the \
                    new message a new op number"
                ));
            }
            Some(locked) => locked.level,
            None => match self.op(name) {
                Some(other) => {
                    return Err(format!(
                        "{name} is op {other} in {PATH} and op {op} in the spec; an op number \
                        never changes"
                    ));
                }
                None => self.next(),
            },
        };
        self.ops.insert(op, Entry { shape: shape.clone(), level });
        Ok(())
    }

    /// Returns the levels, each with a checksum of all messages up to that level. For an unreleased
    /// level, the checksum includes `text`, the checksum of the spec's text. The reason is that two
    /// builds before a release may give equal messages different meanings.
    pub fn sums(&self, text: u64) -> Vec<(u16, u64)> {
        let sum = |level: u16| {
            let ops = self.ops.iter().filter(|(_, entry)| entry.level <= level);
            let lines: String = ops
                .map(|(op, entry)| format!("{op} {} {:x}\n", entry.shape.name, entry.shape.sum))
                .collect();
            let own = if self.is_released(level) { 0 } else { text };
            crate::hash::fnv1a(&lines) ^ own
        };
        self.levels.keys().map(|level| (*level, sum(*level))).collect()
    }

    /// Returns the file's text.
    pub fn text(&self) -> String {
        let mut out = HEADER.to_owned();
        for (number, release) in &self.levels {
            let _ = writeln!(out, "level {number} {release}");
        }
        for (op, Entry { shape, level }) in &self.ops {
            let _ = writeln!(out, "{op} {} {level} {:016x}", shape.name, shape.sum);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock() -> Lock {
        Lock::parse("# a comment\nlevel 1 0.1.0\n1 ContextCreate 1 a\n123 StreamWaitValue32 1 b\n")
            .unwrap()
    }

    fn shape(name: &str, sum: u64) -> Shape {
        Shape { name: name.into(), sum }
    }

    #[test]
    fn a_message_keeps_its_op_its_name_and_its_fields() {
        assert!(
            lock()
                .keep(&[(1, shape("ContextCreate", 0xa)), (123, shape("StreamWaitValue32", 0xb))])
                .is_ok()
        );
        let renamed = lock().keep(&[(123, shape("StreamWaitValue32V2", 0xb))]).unwrap_err();
        assert!(renamed.contains("op 123 is StreamWaitValue32"), "{renamed}");
        let moved = lock().keep(&[(345, shape("StreamWaitValue32", 0xb))]).unwrap_err();
        assert!(moved.contains("op 123"), "{moved}");
        let changed = lock().keep(&[(1, shape("ContextCreate", 0xc))]).unwrap_err();
        assert!(changed.contains("carries something else"), "{changed}");
    }

    #[test]
    fn new_messages_get_the_next_level_and_removed_ones_stay() {
        let mut lock = lock();
        let before = lock.sums(7);
        lock.keep(&[(1, shape("ContextCreate", 0xa)), (500, shape("LowReserve", 1))]).unwrap();
        lock.keep(&[(500, shape("LowReserve", 2))]).unwrap();
        assert!(lock.text().contains("\nlevel 1 0.1.0\nlevel 2 next\n1 ContextCreate 1 "));
        assert!(lock.text().ends_with(
            "\n123 StreamWaitValue32 1 000000000000000b\n500 LowReserve 2 0000000000000002\n"
        ));
        assert_eq!((lock.level(1), lock.level(500)), (1, 2));
        let after = lock.sums(8);
        assert_eq!(
            (before.len(), after.len(), before[0]),
            (1, 2, after[0]),
            "a released level is what it was"
        );
        assert_ne!(after[1], lock.sums(9)[1], "one that is not changes with the spec");
        assert_eq!(Lock::parse(&lock.text()).unwrap().text(), lock.text());
    }

    #[test]
    fn a_line_that_is_none_is_refused_with_its_number() {
        assert!(Lock::parse("1 A 1 0\nB\n").err().unwrap().starts_with("spec/ops.lock:2"));
        assert!(Lock::parse("1 A 1 0\n1 B 1 0\n").err().unwrap().contains("spec/ops.lock:2"));
    }
}
