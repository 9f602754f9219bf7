//! The arbiter: `step(now_ns, event)` applies one event and returns the resulting actions. The
//! arbiter performs no I/O, reads no clock and starts no threads, so tests can simulate it.

use super::configuration::{Configuration, PolicyName, Refusal, SESSIONS_MAX};
use super::event::{Action, Engine, Event, SessionId};
use super::policy::{self, Moment};
use super::queue::Queue;
use crate::tenant::TenantId;
use std::collections::BTreeMap;

/// The arbiter of one GPU, which decides which session may put work on which engine.
pub struct Arbiter {
    configuration: Configuration,
    sessions: BTreeMap<SessionId, TenantId>,
    /// Engine time that each session used while other sessions also wanted the engine, in
    /// nanoseconds per engine.
    used: BTreeMap<SessionId, [u64; 3]>,
    /// One queue per engine; the joint form uses only the first.
    queues: [Queue; 3],
    now_ns: u64,
    /// Expiry of the running timer.
    timer_at_ns: Option<u64>,
}

impl Arbiter {
    /// Makes an arbiter without sessions.
    pub fn new(configuration: Configuration) -> Arbiter {
        let queues = Engine::ALL
            .map(|_| Queue::new(policy::make(configuration.policy, &configuration.tenants)));
        Arbiter {
            configuration,
            sessions: BTreeMap::new(),
            used: BTreeMap::new(),
            queues,
            now_ns: 0,
            timer_at_ns: None,
        }
    }

    /// Applies `event` and returns the resulting actions. A refused event changes nothing.
    pub fn step(&mut self, now_ns: u64, event: Event) -> Result<Vec<Action>, Refusal> {
        self.now_ns = self.now_ns.max(now_ns);
        let now_ns = self.now_ns;
        let mut moments = [Moment::Waited; 3];
        match event {
            Event::Opened { session, tenant } => self.open(session, tenant)?,
            Event::Ended { session } => {
                self.sessions
                    .remove(&session)
                    .ok_or(Refusal::UnknownSession { session: session.0 })?;
                self.used.remove(&session);
                self.queues.iter_mut().for_each(|queue| queue.ended(now_ns, session));
            }
            Event::Wants { session, engine, predicted_ns } => {
                let tenant = *self
                    .sessions
                    .get(&session)
                    .ok_or(Refusal::UnknownSession { session: session.0 })?;
                if self
                    .queues
                    .iter()
                    .any(|q| q.waits(session, engine) || q.has_seat(session, engine))
                {
                    return Err(Refusal::WantsTwice { session: session.0 });
                }
                let at = self.queue_of(engine);
                moments[at] = self.queues[at].wants(now_ns, session, tenant, engine, predicted_ns);
            }
            Event::Completed { session, engine, measured_ns } => {
                let at = self.turn_of(session, engine)?;
                let spent_ns = self.queues[at].completed(now_ns, session, engine, measured_ns);
                self.used.entry(session).or_default()[engine as usize] += spent_ns;
            }
            Event::Unused { session, engine, unused_ns } => {
                let at = self.turn_of(session, engine)?;
                self.queues[at].unused(now_ns, session, engine, unused_ns);
            }
            Event::Moved { session, moved_ns } => {
                self.queues.iter_mut().for_each(|queue| queue.moved(now_ns, session, moved_ns))
            }
            Event::Evicted { session, return_ns } => {
                self.queues.iter_mut().for_each(|queue| queue.evicted(session, return_ns))
            }
            Event::Yielded { session, engine } => {
                let at = self.turn_of(session, engine)?;
                moments[at] =
                    self.queues[at].yielded(now_ns, session, engine).unwrap_or(Moment::Waited);
            }
            Event::Configured(configuration) => self.configure(configuration)?,
            Event::Timer => {}
        }
        let mut actions = Vec::new();
        for (queue, moment) in self.queues.iter_mut().zip(moments) {
            if self.configuration.policy == PolicyName::None {
                queue.seat_all(now_ns, &mut actions);
            } else {
                queue.attend(now_ns, moment, self.configuration.exclusive, &mut actions);
            }
        }
        actions.extend(self.next_timer());
        Ok(actions)
    }

    /// Returns the time per engine that `session` used while other sessions also wanted the engine.
    /// Time that sessions shared is divided among them.
    pub fn used_ns(&self, session: SessionId) -> [u64; 3] {
        self.used.get(&session).copied().unwrap_or_default()
    }

    /// Returns whether the session has a turn on any engine.
    pub fn has_turn(&self, session: SessionId) -> bool {
        Engine::ALL
            .iter()
            .any(|engine| self.queues.iter().any(|queue| queue.has_seat(session, *engine)))
    }

    /// Returns whether the session waits for a turn on any engine.
    pub fn waits(&self, session: SessionId) -> bool {
        Engine::ALL
            .iter()
            .any(|engine| self.queues.iter().any(|queue| queue.waits(session, *engine)))
    }

    /// Requests a timer for the earliest review, unless the running timer expires no later.
    fn next_timer(&mut self) -> Option<Action> {
        if self.configuration.policy == PolicyName::None {
            return None;
        }
        self.timer_at_ns = self.timer_at_ns.filter(|at_ns| *at_ns > self.now_ns);
        let due_ns = self
            .queues
            .iter()
            .filter_map(|q| q.next_review(self.configuration.exclusive))
            .min()?
            .max(self.now_ns);
        if self.timer_at_ns.is_some_and(|at_ns| at_ns <= due_ns) {
            return None;
        }
        self.timer_at_ns = Some(due_ns);
        Some(Action::Timer { at_ns: due_ns })
    }

    fn open(&mut self, session: SessionId, tenant: TenantId) -> Result<(), Refusal> {
        if !self.configuration.tenants.contains_key(&tenant) {
            return Err(Refusal::UnknownTenant { tenant });
        }
        if self.sessions.len() >= SESSIONS_MAX {
            return Err(Refusal::TooManySessions);
        }
        if self.sessions.contains_key(&session) {
            return Err(Refusal::SessionTwice { session: session.0 });
        }
        self.sessions.insert(session, tenant);
        Ok(())
    }

    fn queue_of(&self, engine: Engine) -> usize {
        if self.configuration.joint { 0 } else { engine as usize }
    }

    /// Returns the index of the queue in which the session has its turn. After a change of `joint`,
    /// that queue may differ from the one that takes new work.
    fn turn_of(&self, session: SessionId, engine: Engine) -> Result<usize, Refusal> {
        self.queues
            .iter()
            .position(|q| q.has_seat(session, engine))
            .ok_or(Refusal::NoTurn { session: session.0 })
    }

    /// Replaces the configuration. Sessions keep their current turns until these end; waiting
    /// sessions move to their new queues.
    fn configure(&mut self, configuration: Configuration) -> Result<(), Refusal> {
        if let Some(tenant) =
            self.sessions.values().find(|tenant| !configuration.tenants.contains_key(tenant))
        {
            return Err(Refusal::TenantInUse { tenant: *tenant });
        }
        let before = std::mem::replace(&mut self.configuration, configuration);
        for queue in &mut self.queues {
            if before.policy == self.configuration.policy {
                queue.policy.configure(&self.configuration.tenants);
            } else {
                queue.replace_policy(
                    self.now_ns,
                    policy::make(self.configuration.policy, &self.configuration.tenants),
                );
            }
        }
        if before.joint != self.configuration.joint {
            let now_ns = self.now_ns;
            let waiters: Vec<_> =
                self.queues.iter_mut().flat_map(|q| q.take_waiters(now_ns)).collect();
            for (session, tenant, engine, predicted_ns) in waiters {
                let at = self.queue_of(engine);
                self.queues[at].wants(now_ns, session, tenant, engine, predicted_ns);
            }
        }
        Ok(())
    }
}
