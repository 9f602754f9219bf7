//! The trace of a simulated run, and the figures derived from it.

use crate::{Engine, Event, SessionId, TenantId};
use std::collections::BTreeMap;

/// The trace of a simulated run.
#[derive(Debug, Default)]
pub struct Trace {
    /// End of the run.
    pub until_ns: u64,
    /// Which tenant used the compute engine, from when to when, in order.
    pub busy: Vec<(TenantId, u64, u64)>,
    /// Durations of each client's bursts.
    pub bursts_ns: Vec<Vec<u64>>,
    /// Each client's longest wait for a turn.
    pub wait_ns_max: Vec<u64>,
    /// Longest time for which the compute engine idled while a client wanted it.
    pub idle_while_wanted_ns_max: u64,
    /// Maximum number of sessions that had the compute turn at once.
    pub holders_max: usize,
    asked_at_ns: Vec<Option<u64>>,
    idle_since_ns: Option<u64>,
    holders: BTreeMap<SessionId, TenantId>,
}

impl Trace {
    /// Makes an empty trace for `clients` clients.
    pub(super) fn new(clients: usize) -> Trace {
        let (bursts_ns, wait_ns_max, asked_at_ns) =
            (vec![Vec::new(); clients], vec![0; clients], vec![None; clients]);
        Trace { bursts_ns, wait_ns_max, asked_at_ns, ..Trace::default() }
    }

    /// Notes that a session ended or gave up its compute turn.
    pub(super) fn note_event(&mut self, event: &Event) {
        if let Event::Yielded { session, engine: Engine::Compute } | Event::Ended { session } =
            event
        {
            self.holders.remove(session);
        }
    }

    /// Notes that a session got a turn. Only compute turns count.
    pub(super) fn note_grant(&mut self, session: SessionId, engine: Engine, tenant: TenantId) {
        if engine == Engine::Compute {
            self.holders.insert(session, tenant);
            self.holders_max = self.holders_max.max(self.holders.len());
        }
    }

    /// Notes that a client begins to wait for a turn.
    pub(super) fn note_asked(&mut self, client: usize, now_ns: u64) {
        self.asked_at_ns[client] = Some(now_ns);
    }

    /// Notes that a client no longer waits because it has died.
    pub(super) fn note_death(&mut self, client: usize) {
        self.asked_at_ns[client] = None;
    }

    /// Notes that a client's wait is over.
    pub(super) fn note_granted(&mut self, client: usize, now_ns: u64) {
        if let Some(since_ns) = self.asked_at_ns[client].take() {
            self.wait_ns_max[client] = self.wait_ns_max[client].max(now_ns - since_ns);
        }
    }

    /// Notes the length of a client's burst.
    pub(super) fn note_burst(&mut self, client: usize, took_ns: u64) {
        self.bursts_ns[client].push(took_ns);
    }

    /// Notes whether the compute engine idles now while a client wants it.
    pub(super) fn note_idle(&mut self, now_ns: u64, idle_and_wanted: bool) {
        match (self.idle_since_ns, idle_and_wanted) {
            (None, true) => self.idle_since_ns = Some(now_ns),
            (Some(since_ns), false) => {
                self.idle_while_wanted_ns_max =
                    self.idle_while_wanted_ns_max.max(now_ns - since_ns);
                self.idle_since_ns = None;
            }
            _ => {}
        }
    }

    /// Closes the trace at `until_ns`; `busy` is the compute engine's use until then.
    pub(super) fn finish(&mut self, until_ns: u64, busy: Vec<(TenantId, u64, u64)>) {
        (self.until_ns, self.busy) = (until_ns, busy);
        for (client, since_ns) in self.asked_at_ns.clone().into_iter().enumerate() {
            if let Some(since_ns) = since_ns {
                self.wait_ns_max[client] = self.wait_ns_max[client].max(until_ns - since_ns);
            }
        }
    }

    /// Returns the time for which a tenant computed between `from_ns` and `to_ns`.
    pub fn computed_ns(&self, tenant: TenantId, from_ns: u64, to_ns: u64) -> u64 {
        let first = self.busy.partition_point(|run| run.2 <= from_ns);
        let within =
            self.busy[first..].iter().take_while(|run| run.1 < to_ns).filter(|run| run.0 == tenant);
        within.map(|run| run.2.min(to_ns) - run.1.max(from_ns)).sum()
    }

    /// Returns a tenant's part of all compute time between `from_ns` and `to_ns`, in percent.
    pub fn share_percent(&self, tenant: TenantId, from_ns: u64, to_ns: u64) -> f64 {
        let mut tenants: Vec<_> = self.busy.iter().map(|run| run.0).collect();
        tenants.sort_unstable();
        tenants.dedup();
        let all_ns: u64 = tenants.into_iter().map(|t| self.computed_ns(t, from_ns, to_ns)).sum();
        100.0 * self.computed_ns(tenant, from_ns, to_ns) as f64 / all_ns.max(1) as f64
    }

    /// Returns by how many percentage points a tenant missed its share in each window, smallest
    /// first.
    pub fn errors_points(
        &self,
        tenant: TenantId,
        percent: f64,
        from_ns: u64,
        window_ns: u64,
    ) -> Vec<f64> {
        let starts = (0..)
            .map(|i| from_ns + i * window_ns)
            .take_while(|at_ns| at_ns + window_ns <= self.until_ns);
        let mut errors: Vec<f64> = starts
            .map(|at_ns| (self.share_percent(tenant, at_ns, at_ns + window_ns) - percent).abs())
            .collect();
        errors.sort_by(f64::total_cmp);
        errors
    }

    /// Returns the part of the time in which nothing computed, in percent.
    pub fn lost_percent(&self, from_ns: u64) -> f64 {
        let computed_ns: u64 = self
            .busy
            .iter()
            .filter(|run| run.2 > from_ns)
            .map(|run| run.2 - run.1.max(from_ns))
            .sum();
        100.0 * (1.0 - computed_ns as f64 / (self.until_ns - from_ns) as f64)
    }
}
