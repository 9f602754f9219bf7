//! Replays a fixed list of operations with their start times: how a proven best schedule is checked
//! by the same memory model and timed by the same simulator as every policy. Deliberately absent:
//! any decision.

use super::scheduler::Scheduler;
use crate::error::Error;
use crate::graph::PartitionId;
use crate::simulator::Span;
use crate::state::{Op, State};

/// A command with the instant at which it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Start an operation. `Write` needs no command: file writes follow by themselves.
    Start(Op),
    /// Free a partition's memory on a GPU.
    Drop(PartitionId, usize),
}

/// Gives commands at their instants.
pub struct Replay {
    commands: Vec<(u64, Command)>,
    next: usize,
}

impl Replay {
    /// `commands` must be in order of time, drops before the starts that need their room.
    pub fn new(commands: Vec<(u64, Command)>) -> Replay {
        Replay { commands, next: 0 }
    }
}

impl Scheduler for Replay {
    fn step(&mut self, now_ns: u64, state: &mut State, _finished: &[Op]) -> Result<(), Error> {
        while let Some((at_ns, command)) = self.commands.get(self.next).copied() {
            if at_ns > now_ns {
                break;
            }
            // An operation that takes no time ends at this same instant, but after this call. Then
            // the command is given again.
            if give(state, command).is_err() {
                break;
            }
            self.next += 1;
        }
        Ok(())
    }

    fn wake_ns(&self) -> Option<u64> {
        self.commands.get(self.next).map(|(at_ns, _)| *at_ns)
    }
}

fn give(state: &mut State, command: Command) -> Result<(), Error> {
    match command {
        Command::Drop(p, gpu) => state.drop(p, gpu),
        Command::Start(Op::Read(p)) => state.read(p),
        Command::Start(Op::Load(p, gpu) | Op::Peer(p, _, gpu)) => state.load(p, gpu),
        Command::Start(Op::Store(p, gpu)) => state.store(p, gpu),
        Command::Start(Op::Compute(s, gpu)) => state.queue(s, gpu),
        Command::Start(Op::Write(_)) => Ok(()),
    }
}

/// The order in which subtasks started in a run, with their GPUs.
pub fn sequence(spans: &[Span]) -> Vec<(crate::graph::SubtaskId, usize)> {
    let mut starts: Vec<_> = spans
        .iter()
        .filter_map(|span| match span.op {
            Op::Compute(s, gpu) => Some((span.start_ns, s, gpu)),
            _ => None,
        })
        .collect();
    starts.sort();
    starts.into_iter().map(|(_, s, gpu)| (s, gpu)).collect()
}
