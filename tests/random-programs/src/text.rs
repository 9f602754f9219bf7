//! Programs as text, with one operation per line. A line begins with the thread and the verb, and
//! the objects follow. Parsing the text gives an equal program.

use crate::program::*;
use std::fmt::{self, Display};
use std::str::SplitWhitespace;

impl Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stream::Legacy => write!(f, "legacy"),
            Stream::Own => write!(f, "own"),
            Stream::Made(number) => write!(f, "s{number}"),
        }
    }
}

impl Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b{} {} {}", self.buffer, self.start, self.len)
    }
}

impl Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b{} {} {} {} {}", self.buffer, self.start, self.width, self.rows, self.pitch)
    }
}

const MEMORIES: [(&str, Memory); 6] = [
    ("device", Memory::Device),
    ("pooled", Memory::Pooled),
    ("managed", Memory::Managed),
    ("pinned", Memory::Pinned),
    ("mapped", Memory::Mapped),
    ("pageable", Memory::Pageable),
];

impl Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, _) =
            MEMORIES.iter().find(|(_, memory)| memory == self).expect("every memory has a name");
        write!(f, "{name}")
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", if *self == Call::Unified { "unified" } else { "directed" })
    }
}

impl Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Stamp { to, base, step } => write!(f, "stamp {to} {base} {step}"),
            Action::Bump { to, more } => write!(f, "bump {to} {more}"),
            Action::Check { of } => write!(f, "check {of}"),
            Action::Spin { us } => write!(f, "spin {us}"),
            Action::Fill { to, value, unit } => write!(f, "fill {to} {value} {unit}"),
            Action::Copy { to, from, call } => write!(f, "copy {call} {to} from {from}"),
            Action::Host { deeds } => {
                write!(f, "host")?;
                for deed in deeds {
                    match deed {
                        Deed::Check(range) => write!(f, " check {range}")?,
                        Deed::Write(range, base) => write!(f, " write {range} {base}")?,
                        Deed::Post(token) => write!(f, " post k{token}")?,
                    }
                }
                Ok(())
            }
        }
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{} ", self.thread)?;
        match &self.deal {
            Deal::Alloc { buffer, memory, words } => write!(f, "alloc b{buffer} {memory} {words}"),
            Deal::AllocAsync { buffer, words, stream } => {
                write!(f, "alloc-async b{buffer} {words} {stream}")
            }
            Deal::Free { buffer } => write!(f, "free b{buffer}"),
            Deal::FreeAsync { buffer, stream } => write!(f, "free-async b{buffer} {stream}"),
            Deal::Register { buffer, mapped } => {
                write!(f, "register b{buffer} {}", u8::from(*mapped))
            }
            Deal::Unregister { buffer } => write!(f, "unregister b{buffer}"),
            Deal::NewStream { stream, blocking, priority } => {
                write!(f, "new-stream s{stream} {} {priority}", u8::from(*blocking))
            }
            Deal::DropStream { stream } => write!(f, "drop-stream s{stream}"),
            Deal::NewEvent { event, flags } => write!(f, "new-event e{event} {flags}"),
            Deal::DropEvent { event } => write!(f, "drop-event e{event}"),
            Deal::Do { stream, action } => write!(f, "do {stream} {action}"),
            Deal::Now { action } => write!(f, "now {action}"),
            Deal::Record { event, stream } => write!(f, "record e{event} {stream}"),
            Deal::Wait { stream, event } => write!(f, "wait {stream} e{event}"),
            Deal::WriteHost { to, base } => write!(f, "write-host {to} {base}"),
            Deal::CheckHost { of } => write!(f, "check-host {of}"),
            Deal::StreamSync { stream } => write!(f, "stream-sync {stream}"),
            Deal::StreamPoll { stream } => write!(f, "stream-poll {stream}"),
            Deal::StreamQuery { stream } => write!(f, "stream-query {stream}"),
            Deal::EventSync { event } => write!(f, "event-sync e{event}"),
            Deal::EventPoll { event } => write!(f, "event-poll e{event}"),
            Deal::EventQuery { event } => write!(f, "event-query e{event}"),
            Deal::ContextSync => write!(f, "context-sync"),
            Deal::Capture { graph, stream } => write!(f, "capture g{graph} {stream}"),
            Deal::EndCapture { graph, stream } => write!(f, "end-capture g{graph} {stream}"),
            Deal::NewGraph { graph } => write!(f, "new-graph g{graph}"),
            Deal::Node { graph, after, action } => {
                let after: Vec<String> = after.iter().map(usize::to_string).collect();
                write!(f, "node g{graph} after={} {action}", after.join(","))
            }
            Deal::Instantiate { exec, graph } => write!(f, "instantiate x{exec} g{graph}"),
            Deal::Change { exec, node, action } => write!(f, "change x{exec} {node} {action}"),
            Deal::Launch { exec, stream } => write!(f, "launch x{exec} {stream}"),
            Deal::DropExec { exec } => write!(f, "drop-exec x{exec}"),
            Deal::DropGraph { graph } => write!(f, "drop-graph g{graph}"),
            Deal::Hand { to } => write!(f, "hand t{to}"),
            Deal::Await { token } => write!(f, "await k{token}"),
        }
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "threads {}", self.threads)?;
        self.ops.iter().try_for_each(|op| writeln!(f, "{op}"))
    }
}

/// The unread words of a line.
struct Words<'a>(SplitWhitespace<'a>);

impl<'a> Words<'a> {
    fn word(&mut self) -> Result<&'a str, String> {
        self.0.next().ok_or_else(|| "the line ends too early".to_owned())
    }

    fn number<T: std::str::FromStr>(&mut self) -> Result<T, String> {
        let word = self.word()?;
        word.parse().map_err(|_| format!("`{word}` is not a valid number"))
    }

    /// Parses an object from its letter and number.
    fn object(&mut self, letter: char) -> Result<usize, String> {
        let word = self.word()?;
        let number = word
            .strip_prefix(letter)
            .and_then(|rest| rest.parse().ok())
            .filter(|number| *number < OBJECTS_MAX);
        number.ok_or_else(|| {
            format!("`{word}` is not an object from {letter}0 to {letter}{}", OBJECTS_MAX - 1)
        })
    }

    fn stream(&mut self) -> Result<Stream, String> {
        let mut ahead = self.0.clone();
        match ahead.next() {
            Some("legacy") => self.word().map(|_| Stream::Legacy),
            Some("own") => self.word().map(|_| Stream::Own),
            _ => self.object('s').map(Stream::Made),
        }
    }

    fn range(&mut self) -> Result<Range, String> {
        Ok(Range { buffer: self.object('b')?, start: self.number()?, len: self.number()? })
    }

    fn rows(&mut self) -> Result<Rows, String> {
        let Range { buffer, start, len } = self.range()?;
        Ok(Rows { buffer, start, width: len, rows: self.number()?, pitch: self.number()? })
    }

    fn memory(&mut self) -> Result<Memory, String> {
        let word = self.word()?;
        MEMORIES
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, memory)| *memory)
            .ok_or_else(|| format!("`{word}` is not a kind of memory"))
    }

    fn action(&mut self) -> Result<Action, String> {
        Ok(match self.word()? {
            "stamp" => {
                Action::Stamp { to: self.range()?, base: self.number()?, step: self.number()? }
            }
            "bump" => Action::Bump { to: self.range()?, more: self.number()? },
            "check" => Action::Check { of: self.range()? },
            "spin" => Action::Spin { us: self.number()? },
            "fill" => {
                Action::Fill { to: self.rows()?, value: self.number()?, unit: self.number()? }
            }
            "copy" => {
                let call = if self.word()? == "unified" { Call::Unified } else { Call::Directed };
                let to = self.rows()?;
                self.word()?;
                Action::Copy { to, from: self.rows()?, call }
            }
            "host" => Action::Host { deeds: self.deeds()? },
            other => return Err(format!("`{other}` is not an action")),
        })
    }

    fn deeds(&mut self) -> Result<Vec<Deed>, String> {
        let mut deeds = Vec::new();
        while let Some(verb) = self.0.next() {
            deeds.push(match verb {
                "check" => Deed::Check(self.range()?),
                "write" => Deed::Write(self.range()?, self.number()?),
                "post" => Deed::Post(self.object('k')?),
                other => return Err(format!("`{other}` is not an operation of a host function")),
            });
        }
        Ok(deeds)
    }

    fn after(&mut self) -> Result<Vec<usize>, String> {
        let word = self.word()?;
        let list = word
            .strip_prefix("after=")
            .ok_or_else(|| format!("`{word}` does not say after which nodes"))?;
        list.split(',')
            .filter(|part| !part.is_empty())
            .map(|part| part.parse().map_err(|_| format!("`{part}` is not a node")))
            .collect()
    }

    fn deal(&mut self) -> Result<Deal, String> {
        Ok(match self.word()? {
            "alloc" => Deal::Alloc {
                buffer: self.object('b')?,
                memory: self.memory()?,
                words: self.number()?,
            },
            "alloc-async" => Deal::AllocAsync {
                buffer: self.object('b')?,
                words: self.number()?,
                stream: self.stream()?,
            },
            "free" => Deal::Free { buffer: self.object('b')? },
            "free-async" => Deal::FreeAsync { buffer: self.object('b')?, stream: self.stream()? },
            "register" => {
                Deal::Register { buffer: self.object('b')?, mapped: self.number::<u8>()? != 0 }
            }
            "unregister" => Deal::Unregister { buffer: self.object('b')? },
            "new-stream" => Deal::NewStream {
                stream: self.object('s')?,
                blocking: self.number::<u8>()? != 0,
                priority: self.number()?,
            },
            "drop-stream" => Deal::DropStream { stream: self.object('s')? },
            "new-event" => Deal::NewEvent { event: self.object('e')?, flags: self.number()? },
            "drop-event" => Deal::DropEvent { event: self.object('e')? },
            "do" => Deal::Do { stream: self.stream()?, action: self.action()? },
            "now" => Deal::Now { action: self.action()? },
            "record" => Deal::Record { event: self.object('e')?, stream: self.stream()? },
            "wait" => Deal::Wait { stream: self.stream()?, event: self.object('e')? },
            "write-host" => Deal::WriteHost { to: self.range()?, base: self.number()? },
            "check-host" => Deal::CheckHost { of: self.range()? },
            "stream-sync" => Deal::StreamSync { stream: self.stream()? },
            "stream-poll" => Deal::StreamPoll { stream: self.stream()? },
            "stream-query" => Deal::StreamQuery { stream: self.stream()? },
            "event-sync" => Deal::EventSync { event: self.object('e')? },
            "event-poll" => Deal::EventPoll { event: self.object('e')? },
            "event-query" => Deal::EventQuery { event: self.object('e')? },
            "context-sync" => Deal::ContextSync,
            "capture" => Deal::Capture { graph: self.object('g')?, stream: self.stream()? },
            "end-capture" => Deal::EndCapture { graph: self.object('g')?, stream: self.stream()? },
            "new-graph" => Deal::NewGraph { graph: self.object('g')? },
            "node" => Deal::Node {
                graph: self.object('g')?,
                after: self.after()?,
                action: self.action()?,
            },
            "instantiate" => {
                Deal::Instantiate { exec: self.object('x')?, graph: self.object('g')? }
            }
            "change" => Deal::Change {
                exec: self.object('x')?,
                node: self.number()?,
                action: self.action()?,
            },
            "launch" => Deal::Launch { exec: self.object('x')?, stream: self.stream()? },
            "drop-exec" => Deal::DropExec { exec: self.object('x')? },
            "drop-graph" => Deal::DropGraph { graph: self.object('g')? },
            "hand" => Deal::Hand { to: self.object('t')? },
            "await" => Deal::Await { token: self.object('k')? },
            other => return Err(format!("`{other}` is not an operation")),
        })
    }
}

/// Parses the output of `Display`. Ignores comments, which are lines that begin with `#`.
pub fn parse(text: &str) -> Result<Program, String> {
    let mut lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let (_, first) = lines.next().ok_or("the program is empty")?;
    let threads = first.strip_prefix("threads ").and_then(|number| number.trim().parse().ok());
    let threads = threads
        .filter(|threads| (1..=THREADS_MAX).contains(threads))
        .ok_or("the first line is not `threads N`")?;
    let mut ops = Vec::new();
    for (number, line) in lines {
        let mut words = Words(line.split_whitespace());
        let op = words.object('t').and_then(|thread| Ok(Op { thread, deal: words.deal()? }));
        ops.push(op.map_err(|why| format!("line {}: {why}", number + 1))?);
    }
    Ok(Program { threads, ops })
}
