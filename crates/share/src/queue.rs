//! The queue of one engine: which session has the turn, which sessions wait, and when the turn is
//! up. Several sessions use the engine concurrently only where the driver's time slices are
//! allowed: sessions that drain for too long, and a guest. Therefore, sessions that wait for each
//! other's work by their own means, such as shared events, never block that work permanently.

use super::event::{Action, Engine, SessionId, Term};
use super::policy::{Choice, Contender, Moment, Policy, Turn};
use crate::tenant::TenantId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The minimum time that a drained turn may take to end before the driver's time slices take over.
/// It is longer than the work in flight, unless that work is known to take longer.
pub const PATIENCE_NS: u64 = 6_000_000;
/// The maximum time that a drained turn may take to end before time slices take over. Sessions that
/// share the GPU by slices do not get their shares: an H200's slices are 2 ms, and a program with
/// little in flight uses less of each. So a guest joins only work that others should not have to
/// wait for.
pub const PATIENCE_NS_MAX: u64 = 200_000_000;
/// How often the queue reconsiders a guest during a long kernel.
const REVIEW_NS: u64 = 2_000_000;
/// How long the engine must be uncontended before its session keeps the turn again. A shorter time
/// would toggle between two programs that come and go.
const CALM_NS: u64 = 20_000_000;
/// Minimum ratio of a turn's length to the time that making the session's memory resident took. So
/// moving memory takes at most a fifth of the time.
pub const TURN_TIMES_MOVED: u32 = 4;
/// Maximum number of sessions that use the engine concurrently.
const SEATS_MAX: usize = 8;
/// Maximum predicted length of the first piece of a visit: one of the driver's slices on an H200.
/// Predictions of shorter pieces exceed their own time if others ran at the same time.
const VISIT_PIECE_NS_MAX: u64 = 2_000_000;
/// Maximum length of a visit. Short work is done after two of the driver's slices, 2 ms each on an
/// H200. A session that has work for longer waits for turns afterwards.
const VISIT_NS_MAX: u64 = 5_000_000;

/// Returns the patience with a session whose work is predicted to take `predicted_ns`; a quarter
/// more allows for predictions that are too short.
fn patience_ns(predicted_ns: u64) -> u64 {
    if predicted_ns > PATIENCE_NS_MAX {
        0
    } else {
        (predicted_ns + predicted_ns / 4).max(PATIENCE_NS)
    }
}

/// A session's right to submit, while it lasts.
#[derive(Debug)]
struct Seat {
    session: SessionId,
    tenant: TenantId,
    engine: Engine,
    up_at_ns: u64,
    /// The turn does not end before this time, even if others wait.
    not_before_ns: u64,
    draining_since_ns: Option<u64>,
    /// How long others wait while the session drains. Zero if its work is known to be longer than
    /// others should wait, or if an urgent tenant waits.
    patience_ns: u64,
    in_window: bool,
    /// Whether the session uses the engine briefly at the same time as others of its tenant.
    visits: bool,
    /// Whether the session has the turn even while it is out of work, because no other session
    /// wants it.
    keeps: bool,
    charged_at_ns: u64,
    part_when_charged_ns: u64,
}

#[derive(Debug)]
struct Waiter {
    session: SessionId,
    tenant: TenantId,
    engine: Engine,
    predicted_ns: u64,
}

/// The sessions that use or wait for an engine.
pub struct Queue {
    /// Chooses the next tenant.
    pub policy: Box<dyn Policy>,
    seats: Vec<Seat>,
    waiters: VecDeque<Waiter>,
    /// Sessions whose last turn or visit ended although they had more work. They always have work,
    /// and time slices would cost them more than turns.
    drained: BTreeSet<SessionId>,
    /// Time that the memory of sessions takes to return to the GPU. A turn brings it back.
    away_ns: BTreeMap<SessionId, u64>,
    open_until_ns: Option<u64>,
    /// The time that each session on the engine has had, if all have equal parts, as with the
    /// driver's slices.
    part_ns: u64,
    part_at_ns: u64,
    contended_at_ns: u64,
    review_at_ns: u64,
}

impl Queue {
    /// Makes an empty queue.
    pub fn new(policy: Box<dyn Policy>) -> Queue {
        let (seats, waiters) = (Vec::new(), VecDeque::new());
        Queue {
            policy,
            seats,
            waiters,
            drained: BTreeSet::new(),
            away_ns: BTreeMap::new(),
            open_until_ns: None,
            part_ns: 0,
            part_at_ns: 0,
            contended_at_ns: 0,
            review_at_ns: 0,
        }
    }

    /// Returns whether the session has a turn on the engine.
    pub fn has_seat(&self, session: SessionId, engine: Engine) -> bool {
        self.seats.iter().any(|s| s.session == session && s.engine == engine)
    }

    /// Returns whether the session waits for the engine.
    pub fn waits(&self, session: SessionId, engine: Engine) -> bool {
        self.waiters.iter().any(|w| w.session == session && w.engine == engine)
    }

    fn is_active(&self, tenant: TenantId) -> bool {
        self.waiters.iter().any(|w| w.tenant == tenant)
            || self.seats.iter().any(|s| s.tenant == tenant)
    }

    fn part(&self, now_ns: u64) -> u64 {
        self.part_ns + (now_ns - self.part_at_ns) / self.seats.len().max(1) as u64
    }

    /// Updates `part_ns`. Must be called before the number of seats changes.
    fn note_part(&mut self, now_ns: u64) {
        (self.part_ns, self.part_at_ns) = (self.part(now_ns), now_ns);
    }

    /// Appends a waiting session. `predicted_ns` is the predicted length of its first piece of
    /// work.
    pub fn wants(
        &mut self,
        now_ns: u64,
        session: SessionId,
        tenant: TenantId,
        engine: Engine,
        predicted_ns: u64,
    ) -> Moment {
        if !self.is_active(tenant) {
            self.policy.arrived(now_ns, tenant);
            let holders = self.contenders(now_ns, |_| true);
            let away_ns = self.away_ns(session);
            let arrived = Contender { tenant, unbilled_ns: 0, piece_ns: predicted_ns, away_ns };
            for seat in &mut self.seats {
                let holder = holders
                    .iter()
                    .find(|holder| holder.tenant == seat.tenant)
                    .expect("a session with a seat contends");
                seat.up_at_ns = seat
                    .up_at_ns
                    .min(now_ns.saturating_add(self.policy.remains_ns(&arrived, holder)))
                    .max(seat.not_before_ns);
            }
        }
        self.waiters.push_back(Waiter { session, tenant, engine, predicted_ns });
        Moment::Arrived(tenant)
    }

    /// Charges a piece of work to the session's tenant and returns the charged time. Sessions that
    /// used the engine together are charged their parts of it.
    pub fn completed(
        &mut self,
        now_ns: u64,
        session: SessionId,
        engine: Engine,
        measured_ns: u64,
    ) -> u64 {
        let part_ns = self.part(now_ns);
        let Some(seat) = self.seats.iter_mut().find(|s| s.session == session && s.engine == engine)
        else {
            return 0;
        };
        let (elapsed_ns, own_ns) =
            (now_ns - seat.charged_at_ns, part_ns - seat.part_when_charged_ns);
        (seat.charged_at_ns, seat.part_when_charged_ns) = (now_ns, part_ns);
        let tenant = seat.tenant;
        let alone = own_ns == elapsed_ns;
        let spent_ns = if alone {
            measured_ns
        } else {
            (u128::from(measured_ns) * u128::from(own_ns) / u128::from(elapsed_ns)) as u64
        };
        self.policy.charge(now_ns, tenant, spent_ns);
        spent_ns
    }

    /// Extends the session's turn so that it is long compared with `moved_ns`, the time that moving
    /// its memory took.
    pub fn moved(&mut self, now_ns: u64, session: SessionId, moved_ns: u64) {
        for seat in self.seats.iter_mut().filter(|seat| seat.session == session) {
            seat.not_before_ns =
                now_ns.saturating_add(moved_ns.saturating_mul(TURN_TIMES_MOVED.into()));
            seat.up_at_ns = seat.up_at_ns.max(seat.not_before_ns);
        }
    }

    /// Notes that memory of the session has left the GPU, and takes `return_ns` to come back.
    pub fn evicted(&mut self, session: SessionId, return_ns: u64) {
        let away_ns = self.away_ns.entry(session).or_default();
        *away_ns = away_ns.saturating_add(return_ns);
    }

    fn away_ns(&self, session: SessionId) -> u64 {
        self.away_ns.get(&session).copied().unwrap_or(0)
    }

    /// Charges a session for time in which it held the turn unused.
    pub fn unused(&mut self, now_ns: u64, session: SessionId, engine: Engine, unused_ns: u64) {
        if let Some(seat) = self.seats.iter().find(|s| s.session == session && s.engine == engine) {
            self.policy.charge(now_ns, seat.tenant, unused_ns);
        }
    }

    /// Ends a session's turn. Returns None if the session has no turn.
    pub fn yielded(&mut self, now_ns: u64, session: SessionId, engine: Engine) -> Option<Moment> {
        let at = self.seats.iter().position(|s| s.session == session && s.engine == engine)?;
        self.note_part(now_ns);
        let Seat { tenant, draining_since_ns, .. } = self.seats.remove(at);
        match draining_since_ns {
            Some(_) => self.drained.insert(session),
            None => self.drained.remove(&session),
        };
        if !self.is_active(tenant) {
            self.policy.left(now_ns, tenant);
        }
        Some(Moment::Yielded(tenant))
    }

    /// Removes a session, alive or dead, and charges its turn for the elapsed time. A dead session
    /// never reports its work in flight.
    pub fn ended(&mut self, now_ns: u64, session: SessionId) {
        self.away_ns.remove(&session);
        for engine in Engine::ALL {
            if let Some(seat) =
                self.seats.iter().find(|s| s.session == session && s.engine == engine)
            {
                let elapsed_ns = if seat.keeps { 0 } else { now_ns - seat.charged_at_ns };
                self.completed(now_ns, session, engine, elapsed_ns);
                self.yielded(now_ns, session, engine);
            }
        }
        let tenants: Vec<_> =
            self.waiters.iter().filter(|w| w.session == session).map(|w| w.tenant).collect();
        self.waiters.retain(|w| w.session != session);
        self.drained.remove(&session);
        for tenant in tenants {
            if !self.is_active(tenant) {
                self.policy.left(now_ns, tenant);
            }
        }
    }

    /// Returns the waiting tenants, and those tenants on the engine whose seat `also` accepts.
    fn contenders(&self, now_ns: u64, also: impl Fn(&Seat) -> bool) -> Vec<Contender> {
        let part_ns = self.part(now_ns);
        let unbilled = |s: &Seat| if s.keeps { 0 } else { part_ns - s.part_when_charged_ns };
        let on_engine =
            |tenant| self.seats.iter().filter(|s| s.tenant == tenant).map(unbilled).sum();
        let mut tenants: Vec<_> = self.waiters.iter().map(|w| w.tenant).collect();
        tenants.extend(self.seats.iter().filter(|s| also(s)).map(|s| s.tenant));
        tenants.sort_unstable();
        tenants.dedup();
        let piece_ns = |tenant| {
            self.waiters
                .iter()
                .filter(|w| w.tenant == tenant)
                .map(|w| w.predicted_ns)
                .min()
                .unwrap_or(0)
        };
        let next = |tenant| self.waiters.iter().find(|waiter| waiter.tenant == tenant);
        tenants
            .into_iter()
            .map(|tenant| Contender {
                tenant,
                unbilled_ns: on_engine(tenant),
                piece_ns: piece_ns(tenant),
                away_ns: next(tenant).map_or(0, |waiter| self.away_ns(waiter.session)),
            })
            .collect()
    }

    /// Performs the actions that are due now: ends turns that are up and gives the engine to the
    /// next session.
    pub fn attend(
        &mut self,
        now_ns: u64,
        moment: Moment,
        exclusive: bool,
        actions: &mut Vec<Action>,
    ) {
        self.keep_or_not(now_ns, actions);
        for at in 0..self.seats.len() {
            self.end_turn(at, now_ns, actions);
        }
        if self.seats.is_empty() {
            self.give_turn(now_ns, moment, actions);
        } else if !exclusive {
            self.invite_visitors(now_ns, actions);
            self.invite_guest(now_ns, actions);
        }
    }

    /// Gives every waiting session a turn that it keeps, because there is no policy.
    pub fn seat_all(&mut self, now_ns: u64, actions: &mut Vec<Action>) {
        while let Some(tenant) = self.waiters.front().map(|waiter| waiter.tenant) {
            let contenders = self.contenders(now_ns, |_| true);
            self.seat(tenant, now_ns, &contenders, actions);
        }
        for seat in
            self.seats.iter_mut().filter(|seat| !seat.keeps && seat.draining_since_ns.is_none())
        {
            seat.keeps = true;
            actions.push(Action::Keep { session: seat.session, engine: seat.engine });
        }
    }

    fn is_contended(&self) -> bool {
        !self.waiters.is_empty() || self.seats.len() > 1
    }

    fn keep_or_not(&mut self, now_ns: u64, actions: &mut Vec<Action>) {
        let calm_at_ns = self.calm_at_ns();
        let part_ns = self.part(now_ns);
        if self.is_contended() {
            self.contended_at_ns = now_ns;
            for seat in self.seats.iter_mut().filter(|seat| seat.keeps) {
                seat.keeps = false;
                // Until now, the session kept no other session from the engine.
                (seat.charged_at_ns, seat.part_when_charged_ns) = (now_ns, part_ns);
                actions.push(Action::Contended { session: seat.session, engine: seat.engine });
            }
        } else if calm_at_ns.is_some_and(|at_ns| at_ns <= now_ns) {
            let seat = &mut self.seats[0];
            seat.keeps = true;
            actions.push(Action::Keep { session: seat.session, engine: seat.engine });
        }
    }

    fn is_urgent_beside(&self, holder: TenantId) -> bool {
        self.waiters.iter().any(|waiter| self.policy.urgent(waiter.tenant, holder))
    }

    /// Returns when the only session on the engine may keep the turn again.
    fn calm_at_ns(&self) -> Option<u64> {
        let seat = self.seats.first().filter(|_| !self.is_contended())?;
        (seat.in_window && !seat.keeps && seat.draining_since_ns.is_none())
            .then_some(self.contended_at_ns + CALM_NS)
    }

    fn end_turn(&mut self, at: usize, now_ns: u64, actions: &mut Vec<Action>) {
        let seat = &self.seats[at];
        let (tenant, session, engine) = (seat.tenant, seat.session, seat.engine);
        let (draining, urgent) = (seat.draining_since_ns.is_some(), self.is_urgent_beside(tenant));
        if urgent {
            self.seats[at].patience_ns = 0;
        }
        if draining || !self.is_contended() {
            return;
        }
        if now_ns < self.seats[at].not_before_ns || !urgent && now_ns < self.seats[at].up_at_ns {
            return;
        }
        let contenders = self.contenders(now_ns, |_| true);
        let goes_on = !urgent
            && !self.seats[at].visits
            && self.policy.pick(now_ns, Moment::Waited, &contenders) == Choice::Tenant(tenant);
        if goes_on && !self.waiters.iter().any(|w| w.tenant == tenant) {
            self.seats[at].up_at_ns =
                now_ns.saturating_add(self.policy.turn(tenant, &contenders).length_ns);
            return;
        }
        self.seats[at].draining_since_ns = Some(now_ns);
        actions.push(Action::Drain { session, engine });
    }

    fn give_turn(&mut self, now_ns: u64, moment: Moment, actions: &mut Vec<Action>) {
        let left_open = self.open_until_ns.is_some_and(|until_ns| now_ns < until_ns);
        if self.waiters.is_empty() || (left_open && !matches!(moment, Moment::Arrived(_))) {
            return;
        }
        self.open_until_ns = None;
        let contenders = self.contenders(now_ns, |_| false);
        match self.policy.pick(now_ns, moment, &contenders) {
            Choice::Tenant(tenant) => self.seat(tenant, now_ns, &contenders, actions),
            Choice::Open { until_ns } => self.open_until_ns = Some(until_ns),
        }
    }

    /// Returns when the sessions on the engine, which take too long to drain, get a guest.
    fn guest_due_ns(&self) -> Option<u64> {
        if self.waiters.is_empty() || self.seats.is_empty() || self.seats.len() >= SEATS_MAX {
            return None;
        }
        let due_ns = |seat: &Seat| Some(seat.draining_since_ns? + seat.patience_ns);
        let urgent = self.seats.iter().all(|seat| self.is_urgent_beside(seat.tenant));
        let from_ns = if urgent { 0 } else { self.review_at_ns };
        self.seats.iter().try_fold(from_ns, |latest_ns, seat| Some(latest_ns.max(due_ns(seat)?)))
    }

    fn invite_guest(&mut self, now_ns: u64, actions: &mut Vec<Action>) {
        if self.guest_due_ns().is_none_or(|due_ns| now_ns < due_ns) {
            return;
        }
        self.review_at_ns = now_ns + REVIEW_NS;
        let contenders = self.contenders(now_ns, |_| true);
        let Choice::Tenant(tenant) = self.policy.pick(now_ns, Moment::Waited, &contenders) else {
            return;
        };
        if self.waiters.iter().any(|waiter| waiter.tenant == tenant) {
            actions.push(Action::Overlap { engine: self.seats[0].engine });
            self.seat(tenant, now_ns, &contenders, actions);
        }
    }

    /// Lets sessions of the only active tenant use the engine at the same time if their work is
    /// short. Nobody's share depends on their order, and each would wait longer for its turn than
    /// its work takes.
    fn invite_visitors(&mut self, now_ns: u64, actions: &mut Vec<Action>) {
        let contenders = self.contenders(now_ns, |_| true);
        let [Contender { tenant, .. }] = contenders[..] else { return };
        let turn = self.policy.turn(tenant, &contenders);
        if !matches!(turn.term, Term::Window { .. }) {
            return;
        }
        let turn = Turn { length_ns: VISIT_NS_MAX, ..turn };
        while self.seats.len() < SEATS_MAX
            && let Some(at) = self.waiters.iter().position(|waiter| self.may_visit(waiter))
        {
            actions.push(Action::Overlap { engine: self.seats[0].engine });
            self.seat_waiter(at, now_ns, turn, true, actions);
        }
    }

    fn may_visit(&self, waiter: &Waiter) -> bool {
        waiter.predicted_ns <= VISIT_PIECE_NS_MAX && !self.drained.contains(&waiter.session)
    }

    fn seat(
        &mut self,
        tenant: TenantId,
        now_ns: u64,
        contenders: &[Contender],
        actions: &mut Vec<Action>,
    ) {
        let Some(at) = self.waiters.iter().position(|w| w.tenant == tenant) else { return };
        let turn = self.policy.turn(tenant, contenders);
        self.seat_waiter(at, now_ns, turn, false, actions);
    }

    /// Gives the waiting session at index `at` a turn, or a visit if `visits` is set.
    fn seat_waiter(
        &mut self,
        at: usize,
        now_ns: u64,
        turn: Turn,
        visits: bool,
        actions: &mut Vec<Action>,
    ) {
        let Some(Waiter { session, tenant, engine, predicted_ns }) = self.waiters.remove(at) else {
            return;
        };
        self.away_ns.remove(&session);
        let in_window = matches!(turn.term, Term::Window { .. });
        let keep = in_window && self.waiters.is_empty() && self.seats.is_empty();
        self.note_part(now_ns);
        self.seats.push(Seat {
            session,
            tenant,
            engine,
            up_at_ns: now_ns.saturating_add(turn.length_ns),
            not_before_ns: now_ns,
            draining_since_ns: None,
            patience_ns: if in_window { patience_ns(predicted_ns) } else { PATIENCE_NS },
            in_window,
            visits,
            keeps: keep,
            charged_at_ns: now_ns,
            part_when_charged_ns: self.part_ns,
        });
        actions.push(Action::Grant {
            session,
            engine,
            term: turn.term,
            length_ns: turn.length_ns,
            keep,
        });
    }

    /// Returns when the next action is due if no event arrives before.
    pub fn next_review(&self, exclusive: bool) -> Option<u64> {
        let ends = self.seats.iter().filter(|s| {
            self.is_contended() && s.draining_since_ns.is_none() && s.up_at_ns < u64::MAX
        });
        let guest = self.guest_due_ns().filter(|_| !exclusive);
        let open = self.open_until_ns.filter(|_| self.seats.is_empty() && !self.waiters.is_empty());
        ends.map(|s| s.up_at_ns).chain(guest).chain(open).chain(self.calm_at_ns()).min()
    }

    /// Removes and returns the waiting sessions, in order, so that the caller can append them to
    /// another queue.
    pub fn take_waiters(&mut self, now_ns: u64) -> Vec<(SessionId, TenantId, Engine, u64)> {
        let waiters: Vec<_> = self.waiters.drain(..).collect();
        for waiter in &waiters {
            if !self.is_active(waiter.tenant) {
                self.policy.left(now_ns, waiter.tenant);
            }
        }
        waiters.into_iter().map(|w| (w.session, w.tenant, w.engine, w.predicted_ns)).collect()
    }

    /// Replaces the policy and passes the active tenants to the new one.
    pub fn replace_policy(&mut self, now_ns: u64, policy: Box<dyn Policy>) {
        self.policy = policy;
        let mut active: Vec<_> =
            self.contenders(now_ns, |_| true).iter().map(|c| c.tenant).collect();
        active.dedup();
        active.into_iter().for_each(|tenant| self.policy.arrived(now_ns, tenant));
    }
}
