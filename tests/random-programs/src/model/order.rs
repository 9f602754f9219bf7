//! The order of streams and threads: what has happened before a stream's next work, and what a
//! thread knows.

use super::{LEGACY, Line, Model, Origin, Refusal, Verdict, wrong};
use crate::clock::{Atom, Clock};
use crate::program::{Stream, THREADS_MAX};

/// A handle is used by one thread at a time: whoever used it last has handed over since.
pub fn handed_over(last_use: Option<Atom>, clock: &Clock) -> Verdict {
    match last_use {
        Some(atom) if !clock.has(atom) => Err(Refusal::Race(atom)),
        _ => Ok(()),
    }
}

impl Line {
    /// What of the stream's work a thread knows to have been asked for.
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

    /// A call of a thread: an atom that all its later ones come after.
    pub(super) fn step(&mut self, thread: usize) -> Atom {
        let atom = self.atom(thread, None);
        self.threads[thread].insert(atom);
        atom
    }

    /// The line of a stream that the thread may use now.
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

    /// What has happened before the next work of a stream. The legacy stream waits for those that
    /// block, and they for it, as far as it is certain which was asked for first.
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

    /// The stream has been asked for work that is done when all of the clock is; the stream itself
    /// goes on a little later.
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

    /// What a thread waits for that waits for a stream: for the legacy one all that its next work
    /// would wait for.
    pub(super) fn stream_end(&self, thread: usize, line: usize) -> Clock {
        if line == LEGACY { self.before(thread, line) } else { self.streams[&line].tail.clone() }
    }

    /// What a thread waits for that waits for the context.
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
        // Whether the legacy stream still waits for it is not documented.
        (state.alive, state.blocking) = (false, false);
        let tail = std::mem::take(&mut state.tail);
        let history = std::mem::take(&mut state.history);
        self.orphans.push((call, tail));
        self.orphans.extend(history.into_iter().last());
    }

    pub(super) fn is_alone(&self) -> bool {
        self.threads.len() == 1
    }

    /// The highest stream number that a line stands for, to tell default streams from made ones.
    pub fn made(line: usize) -> Option<usize> {
        line.checked_sub(1 + THREADS_MAX)
    }
}

/// What the generator asks before it proposes.
impl Model {
    pub fn may_use(&self, thread: usize, line: usize) -> bool {
        self.streams
            .get(&line)
            .is_some_and(|state| handed_over(state.last_use, &self.threads[thread]).is_ok())
    }

    pub fn may_use_event(&self, thread: usize, number: usize) -> bool {
        self.event(thread, number).is_ok()
    }
}
