//! A state machine that tracks when a node's pool last answered, and decides what follows from a
//! silence. By default, a silence is only logged, and programs continue, however long it lasts. An
//! operator may set a limit, after which all leases end. Pure: the caller passes the time of every
//! event.

use std::time::{Duration, Instant};

/// Length of silence after which the node logs that the pool does not answer.
const SILENCE_LOGGED_AFTER: Duration = Duration::from_secs(5);

/// Input of the state machine.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// The pool answered.
    Answer,
    /// Time has passed.
    Tick,
}

/// Output of the state machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Do nothing.
    Nothing,
    /// Log that the pool does not answer.
    LogSilence,
    /// Log that the pool answers again, and how long it was silent.
    LogReturn(Duration),
    /// End all leases, because the limit is over.
    End,
}

/// A node's contact with its pool.
#[derive(Default)]
pub struct Contact {
    limit: Option<Duration>,
    last_answer: Option<Instant>,
    is_logged: bool,
    is_ended: bool,
}

impl Contact {
    /// Creates a contact that ends all leases after a silence of `limit`; without a limit, leases
    /// never end.
    pub fn new(limit: Option<Duration>) -> Contact {
        Contact { limit, ..Contact::default() }
    }

    /// Forgets the last answer, because the node must join the pool again.
    pub fn end(&mut self) {
        *self = Contact::new(self.limit);
    }

    /// Processes an event that happens at `now`, and returns the action that follows.
    pub fn step(&mut self, now: Instant, event: Event) -> Action {
        let silent = self
            .last_answer
            .map_or(Duration::ZERO, |last_answer| now.saturating_duration_since(last_answer));
        match event {
            Event::Answer => {
                self.last_answer = Some(now);
                self.is_ended = false;
                if std::mem::take(&mut self.is_logged) {
                    Action::LogReturn(silent)
                } else {
                    Action::Nothing
                }
            }
            Event::Tick if !self.is_ended && self.limit.is_some_and(|limit| silent >= limit) => {
                self.is_ended = true;
                Action::End
            }
            Event::Tick if !self.is_logged && silent >= SILENCE_LOGGED_AFTER => {
                self.is_logged = true;
                Action::LogSilence
            }
            Event::Tick => Action::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(start: Instant, seconds: u64) -> Instant {
        start + Duration::from_secs(seconds)
    }

    #[test]
    fn the_pools_silence_is_logged_once_and_ends_nothing() {
        let (mut contact, start) = (Contact::new(None), Instant::now());
        assert_eq!(
            contact.step(after(start, 100), Event::Tick),
            Action::Nothing,
            "it has not joined yet"
        );
        assert_eq!(contact.step(start, Event::Answer), Action::Nothing);
        let actions: Vec<Action> =
            (1..100_000).map(|seconds| contact.step(after(start, seconds), Event::Tick)).collect();
        assert_eq!(
            actions.iter().filter(|action| **action != Action::Nothing).collect::<Vec<_>>(),
            [&Action::LogSilence]
        );
        assert_eq!(
            contact.step(after(start, 100_000), Event::Answer),
            Action::LogReturn(Duration::from_secs(100_000))
        );
        assert_eq!(contact.step(after(start, 100_001), Event::Tick), Action::Nothing);
    }

    #[test]
    fn a_limit_ends_leases_once_and_counts_from_the_last_answer() {
        let (mut contact, start) = (Contact::new(Some(Duration::from_secs(10))), Instant::now());
        contact.step(start, Event::Answer);
        contact.step(after(start, 8), Event::Answer);
        assert_eq!(contact.step(after(start, 17), Event::Tick), Action::LogSilence);
        assert_eq!(contact.step(after(start, 18), Event::Tick), Action::End);
        assert_eq!(contact.step(after(start, 50), Event::Tick), Action::Nothing);
        contact.step(after(start, 51), Event::Answer);
        assert_eq!(contact.step(after(start, 61), Event::Tick), Action::End, "and once more");
    }
}
