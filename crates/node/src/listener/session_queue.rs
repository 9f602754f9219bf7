//! The places of sessions. A limited number of sessions runs at once, and later ones wait in order.
//! The node regularly reports to each waiting client how many sessions are ahead of it, and forgets
//! clients that are gone. A waiting session needs no thread.
//!
//! Few sessions start at once, because the start of a worker keeps a CPU busy. If hundreds started
//! together, none would be ready before its client gave up.

use outhaul_lock::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// Largest number of waiting sessions. Each waiting session keeps its connections open.
const WAITING_MAX: usize = 2048;
/// Number of sessions that start at once, per CPU.
const STARTING_PER_CPU: usize = 4;
/// Time after which a start that has not ended no longer keeps others from starting. The driver may
/// be slow, or may hang.
const START_MAX: Duration = Duration::from_secs(10);
/// Interval of the reports to waiting clients.
const REPORT_PERIOD: Duration = Duration::from_secs(1);

/// The places for a node's sessions.
pub struct SessionQueue<T> {
    max: usize,
    starting_max: usize,
    state: Mutex<QueueState<T>>,
}

/// A session's start, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start(u64);

struct QueueState<T> {
    taken: usize,
    /// The starts that have not ended, with the times at which they began.
    starting: Vec<(Start, Instant)>,
    next: u64,
    waiting: VecDeque<T>,
}

/// The outcome for a session that arrives.
#[derive(Debug, PartialEq)]
pub enum Entered<T> {
    /// The session has a place. The caller must serve it, free the place afterwards, and then serve
    /// the session that `leave` returns.
    Placed(T, Start),
    Waits,
    /// Too many sessions wait.
    Full(T),
}

impl<T> SessionQueue<T> {
    /// Makes `max` free places.
    pub fn new(max: usize) -> SessionQueue<T> {
        let cpus = available_parallelism().map_or(1, NonZero::get);
        SessionQueue::that_starts(max, STARTING_PER_CPU * cpus)
    }

    fn that_starts(max: usize, starting_max: usize) -> SessionQueue<T> {
        let (starting, waiting) = (Vec::new(), VecDeque::new());
        let state = Mutex::new(QueueState { taken: 0, starting, next: 0, waiting });
        SessionQueue { max, starting_max, state }
    }

    fn state(&self) -> MutexGuard<'_, QueueState<T>> {
        self.state.lock()
    }

    /// Gives the session a place, or queues it. If no place is free, calls `greet` with the number
    /// of sessions ahead of it. A session that only waits for the start of others seldom waits long
    /// enough for a report.
    pub fn enter(&self, mut session: T, greet: impl FnOnce(&mut T, u32)) -> Entered<T> {
        let mut state = self.state();
        if state.waiting.len() >= WAITING_MAX {
            return Entered::Full(session);
        }
        if state.taken + state.waiting.len() >= self.max {
            greet(&mut session, state.waiting.len() as u32);
        }
        state.waiting.push_back(session);
        match self.next(&mut state) {
            Some((session, start)) => Entered::Placed(session, start),
            None => Entered::Waits,
        }
    }

    /// Gives a place to the session that has waited longest, if one may start.
    fn next(&self, state: &mut QueueState<T>) -> Option<(T, Start)> {
        if state.taken >= self.max || state.starting.len() >= self.starting_max {
            return None;
        }
        let session = state.waiting.pop_front()?;
        let start = Start(state.next);
        state.next += 1;
        state.taken += 1;
        state.starting.push((start, Instant::now()));
        Some((session, start))
    }

    /// Takes a place for a session that already runs, even if no place is free.
    pub fn take(&self) {
        self.state().taken += 1;
    }

    /// Ends a session's start. Returns the waiting session that may start now, if any, as `enter`
    /// does.
    pub fn started(&self, start: Start) -> Option<(T, Start)> {
        let mut state = self.state();
        state.starting.retain(|(one, _)| *one != start);
        self.next(&mut state)
    }

    /// Frees the place of a session, whose start may not have ended. Returns the waiting session
    /// that now has the place, if any.
    pub fn leave(&self, start: Option<Start>) -> Option<(T, Start)> {
        let mut state = self.state();
        state.starting.retain(|(one, _)| Some(*one) != start);
        state.taken -= 1;
        self.next(&mut state)
    }

    /// Ends the starts that have lasted for `START_MAX` at `now`. Returns the sessions that may
    /// start now.
    fn give_up_starts(&self, now: Instant) -> Vec<(T, Start)> {
        let mut state = self.state();
        state.starting.retain(|(_, began)| now.duration_since(*began) < START_MAX);
        std::iter::from_fn(|| self.next(&mut state)).collect()
    }

    /// Returns whether the node would reject another session.
    pub fn are_full(&self) -> bool {
        let state = self.state();
        state.taken >= self.max && state.waiting.len() >= WAITING_MAX
    }

    /// Regularly reports to waiting sessions how many are ahead of them, forever. Sessions that
    /// only wait for the start of others receive `None`. `report` returns whether the session's
    /// client is still connected. Calls `serve` with each session that may start because
    /// another one's start takes too long.
    pub fn report_positions(
        &self,
        mut report: impl FnMut(&mut T, Option<u32>) -> bool,
        serve: impl Fn((T, Start)),
    ) {
        loop {
            std::thread::sleep(REPORT_PERIOD);
            self.give_up_starts(Instant::now()).into_iter().for_each(&serve);
            self.report(&mut report);
        }
    }

    fn report(&self, mut report: impl FnMut(&mut T, Option<u32>) -> bool) {
        let mut state = self.state();
        let free = self.max.saturating_sub(state.taken);
        let mut ahead = 0;
        state.waiting.retain_mut(|session| {
            let is_there = report(session, (ahead >= free).then_some(ahead as u32));
            ahead += usize::from(is_there);
            is_there
        });
    }

    /// Returns the reason for a session that is rejected.
    pub fn refusal(&self) -> String {
        let sessions = if self.max == 1 { "session" } else { "sessions" };
        format!(
            "the node serves {} {sessions} and {WAITING_MAX} wait already; end some, or raise \
            --sessions",
            self.max
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session<T>(next: Option<(T, Start)>) -> Option<T> {
        next.map(|(session, _)| session)
    }

    #[test]
    fn few_sessions_start_at_once_and_a_slow_start_does_not_hold_others_up() {
        let places = SessionQueue::that_starts(100, 2);
        let enter = |session| places.enter(session, |_, _| panic!("places are free"));
        let (Entered::Placed(1, first), Entered::Placed(2, second)) = (enter(1), enter(2)) else {
            panic!("two may start")
        };
        (3..9).for_each(|session| assert_eq!(enter(session), Entered::Waits));
        let (three, third) = places.started(first).unwrap();
        assert_eq!((three, session(places.started(third))), (3, Some(4)));
        assert_eq!(session(places.leave(Some(second))), Some(5), "it ended during its start");
        assert_eq!(session(places.leave(None)), None, "others are starting");
        assert_eq!(places.give_up_starts(Instant::now()), []);
        let late = places.give_up_starts(Instant::now() + START_MAX);
        assert_eq!(late.into_iter().map(|(session, _)| session).collect::<Vec<_>>(), [6, 7]);
        assert_eq!(session(places.started(first)), None, "its start has ended already");
    }

    #[test]
    fn sessions_that_wait_for_the_starts_of_others_do_not_wait_for_places() {
        let places = SessionQueue::that_starts(3, 1);
        let entered = [1, 2, 3, 4, 5].map(|session| places.enter(session, |_, _| {}));
        assert_eq!(entered.iter().filter(|entered| **entered == Entered::Waits).count(), 4);
        let mut reported = Vec::new();
        places.report(|session, ahead| {
            reported.push((*session, ahead));
            true
        });
        assert_eq!(reported, [(2, None), (3, None), (4, Some(2)), (5, Some(3))]);
    }

    #[test]
    fn places_are_given_in_the_order_of_arrival_and_none_is_lost() {
        let places = SessionQueue::that_starts(2, 100);
        let mut greeted = Vec::new();
        let mut enter =
            |session| places.enter(session, |session, ahead| greeted.push((*session, ahead)));
        assert_eq!(
            [enter(1), enter(2), enter(3), enter(4)],
            [
                Entered::Placed(1, Start(0)),
                Entered::Placed(2, Start(1)),
                Entered::Waits,
                Entered::Waits
            ]
        );
        assert_eq!(greeted, [(3, 0), (4, 1)]);
        assert_eq!([(); 4].map(|()| session(places.leave(None))), [Some(3), Some(4), None, None]);
        assert_eq!(places.enter(5, |_, _| panic!("it waits")), Entered::Placed(5, Start(4)));
        assert_eq!(places.leave(None), None);
    }

    #[test]
    fn sessions_that_ran_already_keep_others_waiting_until_there_is_a_place() {
        let places = SessionQueue::new(1);
        [(), ()].iter().for_each(|()| places.take());
        assert_eq!(places.enter(1, |_, _| {}), Entered::Waits);
        assert_eq!([(); 2].map(|()| session(places.leave(None))), [None, Some(1)]);
    }

    #[test]
    fn too_many_are_turned_away() {
        let places = SessionQueue::new(1);
        let enter = |session| places.enter(session, |_, _| {});
        assert_eq!(enter(0), Entered::Placed(0, Start(0)));
        assert!(
            (1..=WAITING_MAX).all(|session| enter(session) == Entered::Waits) && places.are_full()
        );
        assert_eq!(enter(9), Entered::Full(9));
    }
}
