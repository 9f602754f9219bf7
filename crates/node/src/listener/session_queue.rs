//! The places of sessions. A limited number of sessions runs at once, and later ones wait in order.
//! The node regularly reports to each waiting client how many sessions are ahead of it, and forgets
//! clients that are gone. A waiting session needs no thread.

use outhaul_lock::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::time::Duration;

/// Largest number of waiting sessions. Each waiting session keeps its connections open.
const WAITING_MAX: usize = 2048;
/// Interval of the reports to waiting clients.
const REPORT_PERIOD: Duration = Duration::from_secs(1);

/// The places for a node's sessions.
pub struct SessionQueue<T> {
    max: usize,
    state: Mutex<QueueState<T>>,
}

struct QueueState<T> {
    taken: usize,
    waiting: VecDeque<T>,
}

/// The outcome for a session that arrives.
#[derive(Debug, PartialEq)]
pub enum Entered<T> {
    /// The session has a place. The caller must serve it, free the place afterwards, and then serve
    /// the session that `leave` returns.
    Placed(T),
    Waits,
    /// Too many sessions wait.
    Full(T),
}

impl<T> SessionQueue<T> {
    /// Makes `max` free places.
    pub fn new(max: usize) -> SessionQueue<T> {
        SessionQueue { max, state: Mutex::new(QueueState { taken: 0, waiting: VecDeque::new() }) }
    }

    fn state(&self) -> MutexGuard<'_, QueueState<T>> {
        self.state.lock()
    }

    /// Gives the session a place, or queues it. If the session must wait, calls `greet` with the
    /// number of sessions ahead of it.
    pub fn enter(&self, mut session: T, greet: impl FnOnce(&mut T, u32)) -> Entered<T> {
        let mut state = self.state();
        if state.taken < self.max {
            state.taken += 1;
            return Entered::Placed(session);
        }
        if state.waiting.len() >= WAITING_MAX {
            return Entered::Full(session);
        }
        greet(&mut session, state.waiting.len() as u32);
        state.waiting.push_back(session);
        Entered::Waits
    }

    /// Takes a place for a session that already runs, even if no place is free.
    pub fn take(&self) {
        self.state().taken += 1;
    }

    /// Frees a place. Returns the waiting session that now has the place, if any.
    pub fn leave(&self) -> Option<T> {
        let mut state = self.state();
        let next = if state.taken > self.max { None } else { state.waiting.pop_front() };
        if next.is_none() {
            state.taken -= 1;
        }
        next
    }

    /// Returns whether the node would reject another session.
    pub fn are_full(&self) -> bool {
        let state = self.state();
        state.taken >= self.max && state.waiting.len() >= WAITING_MAX
    }

    /// Regularly reports to waiting sessions how many are ahead of them, forever. `report` returns
    /// whether the session's client is still connected.
    pub fn report_positions(&self, mut report: impl FnMut(&mut T, u32) -> bool) {
        loop {
            std::thread::sleep(REPORT_PERIOD);
            let mut ahead = 0;
            self.state().waiting.retain_mut(|session| {
                let is_there = report(session, ahead);
                ahead += u32::from(is_there);
                is_there
            });
        }
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

    #[test]
    fn places_are_given_in_the_order_of_arrival_and_none_is_lost() {
        let places = SessionQueue::new(2);
        let mut greeted = Vec::new();
        let mut enter =
            |session| places.enter(session, |session, ahead| greeted.push((*session, ahead)));
        assert_eq!(
            [enter(1), enter(2), enter(3), enter(4)],
            [Entered::Placed(1), Entered::Placed(2), Entered::Waits, Entered::Waits]
        );
        assert_eq!(greeted, [(3, 0), (4, 1)]);
        assert_eq!(
            [places.leave(), places.leave(), places.leave(), places.leave()],
            [Some(3), Some(4), None, None]
        );
        assert_eq!(places.enter(5, |_, _| panic!("it waits")), Entered::Placed(5));
        assert_eq!(places.leave(), None);
    }

    #[test]
    fn sessions_that_ran_already_keep_others_waiting_until_there_is_a_place() {
        let places = SessionQueue::new(1);
        [(), ()].iter().for_each(|()| places.take());
        assert_eq!(places.enter(1, |_, _| {}), Entered::Waits);
        assert_eq!((places.leave(), places.leave()), (None, Some(1)));
    }

    #[test]
    fn too_many_are_turned_away() {
        let places = SessionQueue::new(1);
        let enter = |session| places.enter(session, |_, _| {});
        assert_eq!(enter(0), Entered::Placed(0));
        assert!(
            (1..=WAITING_MAX).all(|session| enter(session) == Entered::Waits) && places.are_full()
        );
        assert_eq!(enter(9), Entered::Full(9));
    }
}
