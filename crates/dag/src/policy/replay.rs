//! Replays a fixed list of operations with their start times. So the memory model checks a proven
//! best schedule, and the simulator times it, as for every policy. A replay makes no decisions.

use super::scheduler::Scheduler;
use crate::error::Error;
use crate::graph::PartitionId;
use crate::simulator::Span;
use crate::state::{Op, State};

/// A command, given at a known instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Starts an operation. `Write` needs no command, because file writes follow by themselves.
    Start(Op),
    /// Frees a partition's memory on a GPU.
    Drop(PartitionId, usize),
}

/// A policy that gives commands at known instants.
pub struct Replay {
    commands: Vec<(u64, Command)>,
    next: usize,
}

impl Replay {
    /// Returns a replay of `commands`, which must be in order of time, with drops before the starts
    /// that need their memory.
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
            // An operation of zero duration ends at this instant, but after this call. Then the
            // replay gives the command again.
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

/// Returns the order in which subtasks started in a run, with their GPUs.
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
