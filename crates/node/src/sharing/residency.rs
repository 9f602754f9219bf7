//! Making room on one GPU: when a session misses memory, other sessions are asked one after the
//! other to evict some, until there is enough. Pure bookkeeping; the workers move the bytes.

use outhaul_share::SessionId;
use std::collections::VecDeque;

/// A message for a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Move this many bytes to the host.
    Evict { session: SessionId, bytes: u64 },
    /// This many bytes have been moved for the session.
    Room { session: SessionId, bytes: u64 },
    /// The memory of other sessions is being moved, which takes a while.
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

/// The claims on one GPU. They are served one after the other, so that the next claim does not take
/// memory that was freed for another.
#[derive(Default)]
pub struct Residency {
    claims: VecDeque<Claim>,
}

impl Residency {
    /// Notes that a session misses memory. `others` are the sessions to ask, in order. A session
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

    /// Notes that the asked session has moved some memory and continues. All sessions in the queue
    /// receive the order to wait.
    pub fn evicting(&self, session: SessionId) -> Vec<Order> {
        let asked = self.claims.front().is_some_and(|claim| claim.asked == Some(session));
        self.claims
            .iter()
            .filter(|_| asked)
            .map(|claim| Order::Wait { session: claim.session })
            .collect()
    }

    /// Notes an answer. Ignores one that no claim waits for.
    pub fn evicted(&mut self, session: SessionId, bytes: u64) -> Vec<Order> {
        let Some(claim) = self.claims.front_mut().filter(|claim| claim.asked == Some(session))
        else {
            return Vec::new();
        };
        (claim.asked, claim.freed_bytes) = (None, claim.freed_bytes.saturating_add(bytes));
        self.advance()
    }

    /// Notes that a session has ended: its memory is free, and it has no claim any more.
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
