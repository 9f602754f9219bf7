//! `spec/ops.lock`: which message an op number is. Names are never derived anew, since hand-written code knows messages by them: a function that is added
//! must not give another one's name a new meaning.

use std::collections::BTreeMap;
use std::fmt::Write;

pub const PATH: &str = "spec/ops.lock";

const HEADER: &str = "# Op numbers and their messages, which are for ever. `cargo xtask codegen` adds what is new; nothing else changes a line.\n";

pub struct Lock {
    names: BTreeMap<u16, String>,
}

impl Lock {
    pub fn parse(text: &str) -> Result<Lock, String> {
        let lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
        let entry = |(i, line): (usize, &str)| {
            let (op, name) = line.split_once(' ')?;
            Some((op.parse().ok()?, name.trim().to_owned())).ok_or(i).ok()
        };
        let mut names = BTreeMap::new();
        for line in lines {
            let (op, name) = entry(line)
                .ok_or_else(|| format!("{PATH}:{}: not an op number and a name", line.0 + 1))?;
            if names.insert(op, name).is_some() {
                return Err(format!("{PATH}:{}: op {op} is there already", line.0 + 1));
            }
        }
        Ok(Lock { names })
    }

    pub fn name(&self, op: u16) -> Option<&str> {
        self.names.get(&op).map(String::as_str)
    }

    pub fn op(&self, name: &str) -> Option<u16> {
        self.names.iter().find(|(_, locked)| *locked == name).map(|(op, _)| *op)
    }

    /// Whether each message is what it was, and those that are gone are said to be. What is new is added.
    pub fn keep(&mut self, messages: &[(u16, String)]) -> Result<(), String> {
        for (op, name) in messages {
            match self.name(*op) {
                Some(locked) if locked != name => {
                    return Err(format!(
                        "op {op} is {locked} in {PATH} and {name} in the spec; give what is new an op number of its own"
                    ));
                }
                Some(_) => {}
                None => match self.op(name) {
                    Some(other) => {
                        return Err(format!(
                            "{name} is op {other} in {PATH} and op {op} in the spec; op numbers are for ever"
                        ));
                    }
                    None => drop(self.names.insert(*op, name.clone())),
                },
            }
        }
        Ok(())
    }

    pub fn text(&self) -> String {
        let mut out = HEADER.to_owned();
        for (op, name) in &self.names {
            let _ = writeln!(out, "{op} {name}");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock() -> Lock {
        Lock::parse("# a comment\n1 ContextCreate\n123 StreamWaitValue32\n").unwrap()
    }

    #[test]
    fn a_message_keeps_its_op_and_its_name() {
        assert!(
            lock().keep(&[(1, "ContextCreate".into()), (123, "StreamWaitValue32".into())]).is_ok()
        );
        let renamed = lock().keep(&[(123, "StreamWaitValue32V2".into())]).unwrap_err();
        assert!(renamed.contains("op 123 is StreamWaitValue32"), "{renamed}");
        let moved = lock().keep(&[(345, "StreamWaitValue32".into())]).unwrap_err();
        assert!(moved.contains("op 123"), "{moved}");
    }

    #[test]
    fn what_is_new_is_added_and_what_is_gone_stays() {
        let mut lock = lock();
        lock.keep(&[(1, "ContextCreate".into()), (500, "LowReserve".into())]).unwrap();
        assert!(
            lock.text().ends_with("\n1 ContextCreate\n123 StreamWaitValue32\n500 LowReserve\n")
        );
    }

    #[test]
    fn a_line_that_is_none_is_refused_with_its_number() {
        assert!(Lock::parse("1 A\nB\n").err().unwrap().starts_with("spec/ops.lock:2"));
        assert!(Lock::parse("1 A\n1 B\n").err().unwrap().contains("op 1"));
    }
}
