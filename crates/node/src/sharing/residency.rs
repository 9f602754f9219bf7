//! Making room on one GPU. When a session lacks memory, the listener asks other sessions, one after
//! the other, to evict some until enough is free. This module only keeps the accounts; the workers
//! move the bytes.

use outhaul_share::SessionId;
use std::collections::VecDeque;

/// A message for a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Asks `session` to move `bytes` bytes to the host.
    Evict { session: SessionId, bytes: u64 },
    /// Tells `session` that other sessions have moved `bytes` bytes for it.
    Room { session: SessionId, bytes: u64 },
    /// Tells `session` that other sessions are moving memory, which takes a while.
    Wait { session: SessionId },
}

struct Claim {
    session: SessionId,
    missing_bytes: u64,
    freed_bytes: u64,
    /// Sessions that may still be asked, in order.
    others: VecDeque<SessionId>,
    asked: Option<SessionId>,
}

/// The claims on one GPU. The claims are served one after the other, so that the next claim does
/// not take memory that was freed for another.
#[derive(Default)]
pub struct Residency {
    claims: VecDeque<Claim>,
}

impl Residency {
    /// Records that `session` lacks memory. `others` are the sessions to ask, in order. A session
    /// has only one claim; another call changes its missing bytes.
    pub fn claim(
        &mut self,
        session: SessionId,
        missing_bytes: u64,
        others: Vec<SessionId>,
    ) -> Vec<Order> {
        match self.claims.iter_mut().find(|claim| claim.session == session) {
            Some(claim) => claim.missing_bytes = missing_bytes,
            None => self.claims.push_back(Claim {
                session,
                missing_bytes,
                freed_bytes: 0,
                others: others.into(),
                asked: None,
            }),
        }
        self.advance()
    }

    /// Records that the asked session has moved some memory and will move more. Returns an order to
    /// wait for each session in the queue.
    pub fn evicting(&self, session: SessionId) -> Vec<Order> {
        let asked = self.claims.front().is_some_and(|claim| claim.asked == Some(session));
        self.claims
            .iter()
            .filter(|_| asked)
            .map(|claim| Order::Wait { session: claim.session })
            .collect()
    }

    /// Records that `session` has evicted `bytes` bytes. Ignores an answer for which no claim
    /// waits.
    pub fn evicted(&mut self, session: SessionId, bytes: u64) -> Vec<Order> {
        let Some(claim) = self.claims.front_mut().filter(|claim| claim.asked == Some(session))
        else {
            return Vec::new();
        };
        (claim.asked, claim.freed_bytes) = (None, claim.freed_bytes.saturating_add(bytes));
        self.advance()
    }

    /// Records that a session has ended: its memory is free, and its claim is void.
    pub fn ended(&mut self, session: SessionId) -> Vec<Order> {
        let front = self.claims.front().map(|claim| claim.session);
        self.claims.retain(|claim| claim.session != session);
        for claim in &mut self.claims {
            claim.others.retain(|other| *other != session);
            claim.asked = claim.asked.filter(|asked| *asked != session);
        }
        let waits = front != Some(session)
            && self.claims.front().is_some_and(|claim| claim.asked.is_some());
        if waits { Vec::new() } else { self.advance() }
    }

    fn advance(&mut self) -> Vec<Order> {
        let mut orders = Vec::new();
        while let Some(claim) = self.claims.front_mut() {
            if claim.asked.is_some() {
                break;
            }
            let still_missing = claim.missing_bytes.saturating_sub(claim.freed_bytes);
            match claim.others.pop_front().filter(|_| still_missing > 0) {
                Some(other) => {
                    claim.asked = Some(other);
                    orders.push(Order::Evict { session: other, bytes: still_missing });
                }
                None => {
                    orders.push(Order::Room { session: claim.session, bytes: claim.freed_bytes });
                    self.claims.pop_front();
                }
            }
        }
        orders
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: SessionId = SessionId(1);
    const B: SessionId = SessionId(2);
    const C: SessionId = SessionId(3);

    #[test]
    fn others_are_asked_until_there_is_room() {
        let mut residency = Residency::default();
        assert_eq!(residency.claim(A, 100, vec![B, C]), [Order::Evict { session: B, bytes: 100 }]);
        assert_eq!(residency.claim(C, 10, vec![B]), [], "one after the other");
        assert_eq!(residency.evicted(C, 5), [], "it was not asked");
        assert_eq!(residency.evicted(B, 70), [Order::Evict { session: C, bytes: 30 }]);
        assert_eq!(
            residency.evicted(C, 30),
            [Order::Room { session: A, bytes: 100 }, Order::Evict { session: B, bytes: 10 }]
        );
        assert_eq!(
            residency.evicted(B, 0),
            [Order::Room { session: C, bytes: 0 }],
            "no session is left"
        );
    }

    #[test]
    fn an_ended_session_is_not_waited_for() {
        let mut residency = Residency::default();
        residency.claim(A, 100, vec![B, C]);
        assert_eq!(residency.ended(B), [Order::Evict { session: C, bytes: 100 }]);
        residency.claim(B, 10, vec![C]);
        assert_eq!(residency.ended(A), [Order::Evict { session: C, bytes: 10 }]);
        assert_eq!(residency.ended(B), []);
    }

    #[test]
    fn a_session_has_one_claim() {
        let mut residency = Residency::default();
        residency.claim(A, 100, vec![B, C]);
        assert_eq!(residency.claim(A, 50, vec![B, C]), [], "another session makes room already");
        assert_eq!(residency.evicted(B, 50), [Order::Room { session: A, bytes: 50 }]);
        assert_eq!(
            residency.claim(B, 10, vec![A]),
            [Order::Evict { session: A, bytes: 10 }],
            "nothing of the first is left"
        );
        assert_eq!(residency.evicted(A, u64::MAX), [Order::Room { session: B, bytes: u64::MAX }]);
    }

    #[test]
    fn all_waiting_sessions_learn_that_memory_moves() {
        let mut residency = Residency::default();
        residency.claim(A, 100, vec![B]);
        residency.claim(C, 10, vec![B]);
        assert_eq!(residency.evicting(C), [], "it was not asked");
        assert_eq!(residency.evicting(B), [Order::Wait { session: A }, Order::Wait { session: C }]);
    }
}
