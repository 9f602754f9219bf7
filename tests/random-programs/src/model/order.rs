//! The order of streams and threads: the atoms that precede a stream's next work, and the atoms
//! that a thread knows.

use super::{LEGACY, Line, Model, Origin, Refusal, Verdict, wrong};
use crate::clock::{Atom, Clock};
use crate::program::{Stream, THREADS_MAX};

/// Fails unless the handle's last user has handed the handle over to this thread. Only one thread
/// at a time may use a handle.
pub fn handed_over(last_use: Option<Atom>, clock: &Clock) -> Verdict {
    match last_use {
        Some(atom) if !clock.has(atom) => Err(Refusal::Race(atom)),
        _ => Ok(()),
    }
}

impl Line {
    /// Returns the part of the stream's work whose submission a thread knows.
    fn known(&self, clock: &Clock) -> Clock {
        known(&self.history, clock)
    }
}

fn known(history: &[(Atom, Clock)], clock: &Clock) -> Clock {
    history
        .iter()
        .rev()
        .find(|(call, _)| clock.has(*call))
        .map(|(_, tail)| tail.clone())
        .unwrap_or_default()
}

impl Model {
    pub(super) fn atom(&mut self, thread: usize, stream: Option<usize>) -> Atom {
        self.origins.push(Origin { thread, stream });
        self.origins.len() - 1
    }

    /// Adds a call by a thread. The returned atom precedes all later atoms of the thread.
    pub(super) fn step(&mut self, thread: usize) -> Atom {
        let atom = self.atom(thread, None);
        self.threads[thread].insert(atom);
        atom
    }

    /// Returns the line number of a stream that the thread may use now.
    pub(super) fn line(&self, thread: usize, stream: Stream) -> Result<usize, Refusal> {
        let line = super::line_of(thread, stream);
        let Some(state) = self.streams.get(&line).filter(|state| state.alive) else {
            return wrong("there is no such stream");
        };
        if self
            .capture
            .as_ref()
            .is_some_and(|capture| capture.streams.contains_key(&line) && capture.thread != thread)
        {
            return wrong("another thread captures the stream");
        }
        handed_over(state.last_use, &self.threads[thread])?;
        Ok(line)
    }

    /// Returns the atoms that precede a stream's next work. The legacy stream and blocking streams
    /// wait for each other's work if the order of submission is certain.
    pub fn before(&self, thread: usize, line: usize) -> Clock {
        let (state, now) = (&self.streams[&line], &self.threads[thread]);
        let mut clock = state.tail.clone();
        clock.join(now);
        if line == LEGACY {
            for other in self.streams.values().filter(|other| other.blocking) {
                clock.join(&other.known(now));
            }
        } else if state.blocking {
            clock.join(&self.streams[&LEGACY].known(now));
        }
        clock
    }

    /// Submits work that is complete when the atoms in `done` and the work's own atom have
    /// happened.
    pub(super) fn advance(&mut self, thread: usize, line: usize, mut done: Clock) {
        let end = self.atom(thread, Some(line));
        done.insert(end);
        self.asked.join(&done);
        let call = self.step(thread);
        let state = self.streams.get_mut(&line).expect("the stream was looked up");
        state.last_use = Some(call);
        state.history.push((call, done.clone()));
        state.tail = done;
    }

    /// Returns the atoms that a thread's wait for a stream covers. For the legacy stream, they are
    /// the atoms that precede its next work.
    pub(super) fn stream_end(&self, thread: usize, line: usize) -> Clock {
        if line == LEGACY { self.before(thread, line) } else { self.streams[&line].tail.clone() }
    }

    /// Returns the atoms that a thread's wait for the context covers.
    pub(super) fn context_end(&self, thread: usize) -> Clock {
        let now = &self.threads[thread];
        let mut clock = now.clone();
        self.streams.values().for_each(|line| clock.join(&line.known(now)));
        self.orphans
            .iter()
            .filter(|(call, _)| now.has(*call))
            .for_each(|(_, tail)| clock.join(tail));
        clock
    }

    pub(super) fn stream_used(&mut self, thread: usize, line: usize) {
        let call = self.step(thread);
        self.streams.get_mut(&line).expect("the stream was looked up").last_use = Some(call);
    }

    pub(super) fn drop_stream(&mut self, thread: usize, line: usize) {
        let call = self.step(thread);
        let state = self.streams.get_mut(&line).expect("the stream was looked up");
        // The documentation does not say whether the legacy stream still waits for a destroyed
        // stream.
        (state.alive, state.blocking) = (false, false);
        let tail = std::mem::take(&mut state.tail);
        let history = std::mem::take(&mut state.history);
        self.orphans.push((call, tail));
        self.orphans.extend(history.into_iter().last());
    }

    pub(super) fn is_alone(&self) -> bool {
        self.threads.len() == 1
    }

    /// Returns the number of the created stream with this line number, or `None` for a default
    /// stream.
    pub fn made(line: usize) -> Option<usize> {
        line.checked_sub(1 + THREADS_MAX)
    }
}

/// Queries that the generator makes before it proposes an operation.
impl Model {
    /// Returns whether the thread may use a stream.
    pub fn may_use(&self, thread: usize, line: usize) -> bool {
        self.streams
            .get(&line)
            .is_some_and(|state| handed_over(state.last_use, &self.threads[thread]).is_ok())
    }

    /// Returns whether the thread may use an event.
    pub fn may_use_event(&self, thread: usize, number: usize) -> bool {
        self.event(thread, number).is_ok()
    }
}
