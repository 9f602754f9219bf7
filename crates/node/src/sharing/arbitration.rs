//! The arbiters' connection to the workers. This module keeps the clock, passes workers' notes to
//! the arbiter of each GPU, and sends the arbiter's answers back. It records the use of each
//! session and tenant. It is the listener's part of sharing a GPU, and calls no driver.

use crate::accounting::frames::FrameCounts;
use crate::accounting::tenants::{Payer, Tenant, TenantPart, Tenants, Used, add};
use crate::sharing::residency::{Order, Residency};
use crate::sharing::scheduler_channel::{Note, NoteKind, SchedulerChannel};
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_share::{
    Action, Arbiter, Engine, Event, Refusal, SESSIONS_MAX, SessionId, Shares, TenantId,
};
use outhaul_wire::limits::GPUS_MAX;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest wait for workers' reports of their use.
const REPORT_WAIT: Duration = Duration::from_millis(200);

/// The arbiters of a node's GPUs, and their sessions.
pub struct Arbitration {
    origin: Instant,
    state: Mutex<ArbitrationState>,
    /// Signals a timer that expires before all others.
    timer: Condvar,
    /// Signals that a worker has reported.
    reported: Condvar,
}

struct ArbitrationState {
    tenants: Tenants,
    gpus: Vec<ArbitratedGpu>,
    sessions: BTreeMap<SessionId, Session>,
    numbered: u64,
    reports: u64,
}

struct ArbitratedGpu {
    identity: u64,
    arbiter: Arbiter,
    residency: Residency,
    returns: Returns,
    timer_at_ns: Option<u64>,
}

struct Session {
    tenant: TenantId,
    peer: String,
    pid: u32,
    control: SchedulerChannel,
    /// The node's GPUs by the session's own ordinals.
    devices: Vec<usize>,
    /// Whether the GPU's arbiter knows the session, by GPU.
    opened: Vec<bool>,
    /// When the session's last turn began, by GPU.
    turned_at_ns: Vec<u64>,
    /// Time that the session used while no other session wanted the GPU, by GPU.
    used: Vec<Used>,
    /// The session's moved memory, by GPU.
    moved: Vec<Moved>,
    breaks: Breaks,
    frames: FrameCounts,
    reported: u64,
}

/// A session's connection breaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breaks {
    /// Number of breaks that are over.
    pub count: u64,
    /// Total time without a connection.
    pub missing_ns: u64,
    /// The present break, if any.
    pub lost: Option<Lost>,
    /// How long a connected program has sent nothing, in ms.
    pub silent_ms: u64,
}

/// A break that is not over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    /// When the break began, on the node's clock.
    pub at_ns: u64,
    /// How long the session waits for another connection, in ms.
    pub wait_ms: u64,
}

impl Breaks {
    fn lost(&mut self, now_ns: u64, wait_ms: u64) {
        self.lost = Some(Lost { at_ns: now_ns, wait_ms });
    }

    fn found(&mut self, missing_ns: u64) {
        (self.count, self.missing_ns, self.lost) =
            (self.count + 1, self.missing_ns + missing_ns, None);
    }
}

/// Totals of a session's memory moves to the host and back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// Bytes that were moved to the host.
    pub to_host_bytes: u64,
    /// Time that moves to the host took.
    pub to_host_ns: u64,
    /// Bytes that were moved back.
    pub back_bytes: u64,
    /// Time that moves back took.
    pub back_ns: u64,
}

impl Moved {
    fn add(&mut self, engine: Engine, kind: NoteKind, value: u64) {
        let part = match (engine, kind) {
            (Engine::CopyToHost, NoteKind::MovedBytes) => &mut self.to_host_bytes,
            (Engine::CopyToHost, _) => &mut self.to_host_ns,
            (_, NoteKind::MovedBytes) => &mut self.back_bytes,
            _ => &mut self.back_ns,
        };
        *part += value;
    }
}

/// How long memory took to return to a GPU, room for it included, by all sessions so far.
#[derive(Default)]
struct Returns {
    bytes: u64,
    took_ns: u64,
}

impl Returns {
    /// Returns the time that `bytes` are expected to take; 0 before any memory has returned.
    fn expected_ns(&self, bytes: u64) -> u64 {
        let ns = u128::from(bytes) * u128::from(self.took_ns) / u128::from(self.bytes.max(1));
        ns.min(u128::from(u64::MAX)) as u64
    }
}

/// A snapshot of all accounts.
pub struct View {
    /// Time of the snapshot.
    pub at_ns: u64,
    /// The present shares.
    pub shares: Shares,
    /// Identities of the GPUs that were used. All lists by GPU have the same order.
    pub gpus: Vec<u64>,
    /// The tenants.
    pub tenants: Vec<TenantView>,
    /// The running sessions.
    pub sessions: Vec<SessionView>,
}

/// A tenant in a snapshot.
pub struct TenantView {
    /// The tenant's name.
    pub name: String,
    /// Whether the tenant is a lease.
    pub is_lease: bool,
    /// Number of the tenant's sessions.
    pub sessions: usize,
    /// The tenant's part of each GPU; None if the tenant is a lease without the GPU.
    pub parts: Vec<Option<TenantPart>>,
    /// Time that all of the tenant's sessions have used, by GPU.
    pub used: Vec<Used>,
    /// The frames of all of the tenant's sessions, if it is a lease with a promised rate.
    pub frames: FrameCounts,
}

/// A session in a snapshot.
pub struct SessionView {
    /// The worker's process id.
    pub pid: u32,
    /// The client's address.
    pub peer: String,
    /// The tenant's name.
    pub tenant: String,
    /// Time that the session has used, by GPU.
    pub used: Vec<Used>,
    /// The session's moved memory, by GPU.
    pub moved: Vec<Moved>,
    /// The session's connection breaks.
    pub breaks: Breaks,
}

impl Arbitration {
    /// Makes a node's arbitration, and starts a thread for the arbiters' timers.
    pub fn start(shares: Shares) -> io::Result<Arc<Arbitration>> {
        let (tenants, sessions) = (Tenants::new(shares), BTreeMap::new());
        let state =
            ArbitrationState { tenants, gpus: Vec::new(), sessions, numbered: 0, reports: 0 };
        let arbitration = Arbitration {
            origin: Instant::now(),
            state: Mutex::new(state),
            timer: Condvar::new(),
            reported: Condvar::new(),
        };
        let arbitration = Arc::new(arbitration);
        let keeper = arbitration.clone();
        std::thread::Builder::new().spawn(move || keeper.keep_time())?;
        Ok(arbitration)
    }

    fn now_ns(&self) -> u64 {
        self.origin.elapsed().as_nanos() as u64
    }

    fn lock(&self) -> MutexGuard<'_, ArbitrationState> {
        self.state.lock()
    }

    /// Forgets tenants whose leases have ended.
    pub fn forget_leases(&self, holds: impl Fn(&str) -> bool) {
        self.lock().tenants.forget_leases(holds);
    }

    /// Serves a worker that an earlier listener served before. The worker's earlier turns are over.
    pub fn attend_anew(
        &self,
        peer: &str,
        pid: u32,
        control: &SchedulerChannel,
        payer: &Payer,
    ) -> io::Result<()> {
        match control.begin_anew() {
            Ok(()) => self.attend(peer, pid, control, payer),
            Err(error) => unless_it_is_gone(Err(error)),
        }
    }

    /// Serves a worker until it is gone, which ends its turn, if any.
    pub fn attend(
        &self,
        peer: &str,
        pid: u32,
        control: &SchedulerChannel,
        payer: &Payer,
    ) -> io::Result<()> {
        let id = self.lock().enter(peer, pid, control, payer).map_err(io::Error::other)?;
        let result = self.listen(id, control);
        let mut state = self.lock();
        state.leave(self.now_ns(), id);
        drop(state);
        self.timer.notify_one();
        self.reported.notify_all();
        unless_it_is_gone(result)
    }

    /// Reads and handles a worker's notes. Fails at an invalid note, or when the worker is gone.
    fn listen(&self, id: SessionId, control: &SchedulerChannel) -> io::Result<()> {
        let (mut last, mut sessions) = (None, 0);
        loop {
            let note = control.receive_after(last, sessions)?;
            last = Some(note.kind);
            let mut state = self.lock();
            sessions = state.sessions.len();
            let before = state.next_timer();
            let handled = state.handle_note(self.now_ns(), id, note);
            let earlier =
                state.next_timer().is_some_and(|at_ns| before.is_none_or(|before| at_ns < before));
            drop(state);
            handled.map_err(|refusal| io::Error::new(io::ErrorKind::InvalidData, refusal))?;
            if earlier {
                self.timer.notify_one();
            }
            if note.kind == NoteKind::Reported {
                self.reported.notify_all();
            }
        }
    }

    fn keep_time(&self) {
        let mut state = self.lock();
        loop {
            let now_ns = self.now_ns();
            state = match state.next_timer() {
                None => self.timer.wait(state),
                Some(at_ns) if at_ns > now_ns => {
                    let wait = Duration::from_nanos(at_ns - now_ns);
                    self.timer.wait_timeout(state, wait).0
                }
                Some(_) => {
                    state.ring(now_ns);
                    state
                }
            };
        }
    }

    /// Changes the shares without interrupting running programs. A rejected change has no effect.
    pub fn set(
        &self,
        change: impl FnOnce(&mut Shares) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let mut state = self.lock();
        let mut shares = state.tenants.shares.clone();
        change(&mut shares)?;
        let joint = shares.joint;
        let before = std::mem::replace(&mut state.tenants.shares, shares);
        if let Err(refusal) = state.configure(self.now_ns()) {
            state.tenants.shares = before;
            return Err(refusal);
        }
        if before.joint != joint {
            let note = Note::plain(NoteKind::Joint, u64::from(joint));
            state.sessions.values().for_each(|session| drop(session.control.send(&[note])));
        }
        drop(state);
        self.timer.notify_one();
        Ok(())
    }

    /// Asks all workers for their use, and waits briefly for the answers.
    pub fn view(&self) -> View {
        let mut state = self.lock();
        state.reports += 1;
        let report = state.reports;
        state.sessions.values().for_each(|session| {
            drop(session.control.send(&[Note::plain(NoteKind::Report, report)]))
        });
        let missing = |state: &mut ArbitrationState| {
            state.sessions.values().any(|session| session.reported < report)
        };
        let state = self.reported.wait_timeout_while(state, REPORT_WAIT, missing).0;
        state.view(self.now_ns())
    }
}

/// Turns the error of a worker that is gone into success. A reset means that the worker left data
/// unread.
fn unless_it_is_gone(result: io::Result<()>) -> io::Result<()> {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    match result {
        Err(error) if matches!(error.kind(), UnexpectedEof | ConnectionReset | BrokenPipe) => {
            Ok(())
        }
        result => result,
    }
}

impl Session {
    /// Sends a note about a GPU, with the session's own ordinal for that GPU.
    fn send(&self, gpu: usize, mut note: Note) -> io::Result<()> {
        let ordinal =
            self.devices.iter().position(|device| *device == gpu).ok_or(io::ErrorKind::NotFound)?;
        note.device = ordinal as u8;
        self.control.send(&[note])
    }
}

impl ArbitrationState {
    fn enter(
        &mut self,
        peer: &str,
        pid: u32,
        control: &SchedulerChannel,
        payer: &Payer,
    ) -> Result<SessionId, Refusal> {
        if self.sessions.len() >= SESSIONS_MAX {
            return Err(Refusal::TooManySessions);
        }
        self.numbered += 1;
        let id = SessionId(self.numbered);
        let tenant = self.tenants.join(payer, &format!("worker-{pid}"))?;
        let (peer, control) = (peer.to_owned(), control.clone());
        // An earlier listener may have announced another value of `joint`.
        let _ = control.send(&[Note::plain(NoteKind::Joint, u64::from(self.tenants.shares.joint))]);
        self.sessions.insert(
            id,
            Session {
                tenant,
                peer,
                pid,
                control,
                devices: Vec::new(),
                opened: Vec::new(),
                turned_at_ns: Vec::new(),
                used: Vec::new(),
                moved: Vec::new(),
                breaks: Breaks::default(),
                frames: FrameCounts::default(),
                reported: 0,
            },
        );
        Ok(id)
    }

    fn leave(&mut self, now_ns: u64, id: SessionId) {
        let used = self.used(id);
        let Some(session) = self.sessions.remove(&id) else { return };
        for device in (0..session.opened.len()).filter(|device| session.opened[*device]) {
            let _ = self.step(now_ns, device, Event::Ended { session: id });
            self.announce_sessions(device);
        }
        // The session may have lacked memory before it ever wanted a turn.
        for device in 0..self.gpus.len() {
            let orders = self.gpus[device].residency.ended(id);
            self.order(device, &orders);
        }
        self.tenants.quit(session.tenant, &used, session.frames);
        let _ = self.configure(now_ns);
    }

    /// Returns the time that a session has used, by device, whether or not others wanted the device
    /// too.
    fn used(&self, id: SessionId) -> Vec<Used> {
        let mut used: Vec<Used> = self.gpus.iter().map(|gpu| gpu.arbiter.used_ns(id)).collect();
        self.sessions.get(&id).into_iter().for_each(|session| add(&mut used, &session.used));
        used
    }

    fn handle_note(&mut self, now_ns: u64, id: SessionId, note: Note) -> Result<(), Refusal> {
        let Note { engine, value, .. } = note;
        if matches!(
            note.kind,
            NoteKind::Device
                | NoteKind::Reported
                | NoteKind::Lost
                | NoteKind::Found
                | NoteKind::Silent
                | NoteKind::FramesSeen
                | NoteKind::FramesLate
                | NoteKind::FramesSkipped
                | NoteKind::FrameWorst
        ) {
            return self.handle_session_note(now_ns, id, note);
        }
        let known = self
            .sessions
            .get(&id)
            .and_then(|session| session.devices.get(usize::from(note.device)));
        let device = *known.ok_or(Refusal::UnknownSession { session: id.0 })?;
        match note.kind {
            NoteKind::Wants => {
                self.open(now_ns, id, device)?;
                self.step(now_ns, device, Event::Wants { session: id, engine, predicted_ns: value })
            }
            NoteKind::Completed => self.step(
                now_ns,
                device,
                Event::Completed { session: id, engine, measured_ns: value },
            ),
            NoteKind::Yielded => self.step(now_ns, device, Event::Yielded { session: id, engine }),
            NoteKind::Unused => {
                self.step(now_ns, device, Event::Unused { session: id, engine, unused_ns: value })
            }
            NoteKind::MovedBytes | NoteKind::Moved => {
                if engine == Engine::Compute {
                    self.gpus[device].returns.took_ns += value;
                    return self.step(
                        now_ns,
                        device,
                        Event::Moved { session: id, moved_ns: value },
                    );
                }
                let moved = &mut self
                    .sessions
                    .get_mut(&id)
                    .ok_or(Refusal::UnknownSession { session: id.0 })?
                    .moved;
                moved.resize(moved.len().max(device + 1), Moved::default());
                moved[device].add(engine, note.kind, value);
                if (engine, note.kind) == (Engine::CopyToDevice, NoteKind::MovedBytes) {
                    self.gpus[device].returns.bytes += value;
                }
                Ok(())
            }
            NoteKind::Misses => {
                let others = self.sessions_to_evict(id, device);
                let orders = self.gpus[device].residency.claim(id, value, others);
                self.order(device, &orders);
                Ok(())
            }
            NoteKind::Evicting => {
                let orders = self.gpus[device].residency.evicting(id);
                self.order(device, &orders);
                Ok(())
            }
            NoteKind::Evicted => {
                let orders = self.gpus[device].residency.evicted(id, value);
                self.order(device, &orders);
                let return_ns = self.gpus[device].returns.expected_ns(value);
                self.step(now_ns, device, Event::Evicted { session: id, return_ns })
            }
            NoteKind::Used => {
                let used = &mut self
                    .sessions
                    .get_mut(&id)
                    .ok_or(Refusal::UnknownSession { session: id.0 })?
                    .used;
                used.resize(used.len().max(device + 1), Used::default());
                used[device][engine as usize] = value;
                Ok(())
            }
            _ => Err(Refusal::NoTurn { session: id.0 }),
        }
    }

    fn handle_session_note(
        &mut self,
        now_ns: u64,
        id: SessionId,
        Note { kind, value, .. }: Note,
    ) -> Result<(), Refusal> {
        let gpu = if kind == NoteKind::Device { Some(self.gpu(value)?) } else { None };
        let session =
            self.sessions.get_mut(&id).ok_or(Refusal::UnknownSession { session: id.0 })?;
        match (gpu, kind) {
            (Some(_), _) if session.devices.len() >= GPUS_MAX => return Err(Refusal::TooManyGpus),
            (Some(gpu), _) => session.devices.push(gpu),
            (None, NoteKind::Lost) => session.breaks.lost(now_ns, value),
            (None, NoteKind::Found) => session.breaks.found(value),
            (None, NoteKind::Silent) => session.breaks.silent_ms = value,
            (None, NoteKind::FramesSeen) => session.frames.seen = value,
            (None, NoteKind::FramesLate) => session.frames.late = value,
            (None, NoteKind::FramesSkipped) => session.frames.skipped = value,
            (None, NoteKind::FrameWorst) => session.frames.worst_us = value,
            (None, _) => session.reported = value,
        }
        Ok(())
    }

    /// Returns the index of the node's GPU with this identity. Adds the GPU if it is new.
    fn gpu(&mut self, identity: u64) -> Result<usize, Refusal> {
        if let Some(known) = self.gpus.iter().position(|gpu| gpu.identity == identity) {
            return Ok(known);
        }
        if self.gpus.len() >= GPUS_MAX {
            return Err(Refusal::TooManyGpus);
        }
        let arbiter = Arbiter::new(self.tenants.configuration(identity)?);
        self.gpus.push(ArbitratedGpu {
            identity,
            arbiter,
            residency: Residency::default(),
            returns: Returns::default(),
            timer_at_ns: None,
        });
        Ok(self.gpus.len() - 1)
    }

    /// Announces a session to a device's arbiter the first time that it wants the device.
    fn open(&mut self, now_ns: u64, id: SessionId, device: usize) -> Result<(), Refusal> {
        let unknown = Refusal::UnknownSession { session: id.0 };
        let session = self.sessions.get_mut(&id).ok_or(unknown)?;
        if session.opened.get(device).copied().unwrap_or(false) {
            return Ok(());
        }
        let tenant = session.tenant;
        session.opened.resize(session.opened.len().max(device + 1), false);
        session.opened[device] = true;
        session.turned_at_ns.resize(session.opened.len(), 0);
        self.configure(now_ns)?;
        self.step(now_ns, device, Event::Opened { session: id, tenant })?;
        self.announce_sessions(device);
        Ok(())
    }

    /// Returns the sessions that must evict memory for session `claims`, in order; the session with
    /// the turn is never asked. Lower priorities come before higher ones, because a session whose
    /// memory is evicted waits longer at its next turn. Within a priority, sessions that want
    /// nothing come first, those with the oldest turn first. After them come the waiting sessions,
    /// those with the latest turn first, because their next turn is the furthest away.
    fn sessions_to_evict(&self, claims: SessionId, device: usize) -> Vec<SessionId> {
        let arbiter = &self.gpus[device].arbiter;
        let opened = |session: &Session| session.opened.get(device).copied().unwrap_or(false);
        let others = self
            .sessions
            .iter()
            .filter(|(id, session)| **id != claims && opened(session) && !arbiter.has_turn(**id));
        let configuration = self.tenants.configuration(self.gpus[device].identity).ok();
        let priority = |tenant| {
            configuration
                .as_ref()
                .and_then(|all| all.tenant(tenant))
                .map_or(0, |terms| terms.priority)
        };
        let order = |(id, session): (&SessionId, &Session)| {
            let (waits, turned_at_ns) = (arbiter.waits(*id), session.turned_at_ns[device] as i64);
            (priority(session.tenant), waits, if waits { -turned_at_ns } else { turned_at_ns }, *id)
        };
        let mut others: Vec<_> = others.map(order).collect();
        others.sort_unstable();
        others.into_iter().map(|(.., id)| id).collect()
    }

    fn order(&self, device: usize, orders: &[Order]) {
        for order in orders {
            let (session, kind, bytes) = match *order {
                Order::Evict { session, bytes } => (session, NoteKind::Evict, bytes),
                Order::Room { session, bytes } => (session, NoteKind::Room, bytes),
                Order::Wait { session } => (session, NoteKind::Moving, 0),
            };
            let note = Note::new(kind, 0, Engine::Compute, bytes);
            self.sessions
                .get(&session)
                .into_iter()
                .for_each(|session| drop(session.send(device, note)));
        }
    }

    /// Tells the sessions on a device how many they are. A session that is alone need not limit its
    /// work.
    fn announce_sessions(&self, device: usize) {
        let uses = |session: &&Session| session.opened.get(device).copied().unwrap_or(false);
        let count = self.sessions.values().filter(uses).count() as u64;
        let note = Note::new(NoteKind::Sessions, 0, Engine::Compute, count);
        self.sessions.values().filter(uses).for_each(|session| drop(session.send(device, note)));
    }

    /// Configures the arbiters with the present shares and tenants.
    fn configure(&mut self, now_ns: u64) -> Result<(), Refusal> {
        let identities: Vec<u64> = self.gpus.iter().map(|gpu| gpu.identity).collect();
        let configurations = identities
            .into_iter()
            .map(|gpu| self.tenants.configuration(gpu))
            .collect::<Result<Vec<_>, _>>()?;
        let mut configurations = configurations.into_iter().enumerate();
        configurations.try_for_each(|(device, configuration)| {
            self.step(now_ns, device, Event::Configured(configuration))
        })
    }

    fn step(&mut self, now_ns: u64, device: usize, event: Event) -> Result<(), Refusal> {
        let Some(gpu) = self.gpus.get_mut(device) else { return Ok(()) };
        for action in gpu.arbiter.step(now_ns, event)? {
            if let Action::Timer { at_ns } = action {
                gpu.timer_at_ns = Some(at_ns);
            }
            if let Action::Grant { session, .. } = action {
                let turned = self
                    .sessions
                    .get_mut(&session)
                    .and_then(|session| session.turned_at_ns.get_mut(device));
                turned.into_iter().for_each(|at_ns| *at_ns = now_ns);
            }
            let Some((session, note)) = Note::of(action, 0) else { continue };
            if let Some(session) = self.sessions.get(&SessionId(session))
                && session.send(device, note).is_err()
            {
                // The worker is gone or does not read. The thread that reads from the worker then
                // sees the end.
                session.control.close();
            }
        }
        Ok(())
    }

    fn next_timer(&self) -> Option<u64> {
        self.gpus.iter().filter_map(|gpu| gpu.timer_at_ns).min()
    }

    fn ring(&mut self, now_ns: u64) {
        for device in 0..self.gpus.len() {
            if self.gpus[device].timer_at_ns.take_if(|at_ns| *at_ns <= now_ns).is_some() {
                let _ = self.step(now_ns, device, Event::Timer);
            }
        }
    }

    fn view(&self, at_ns: u64) -> View {
        let session = |(id, session): (&SessionId, &Session)| SessionView {
            pid: session.pid,
            peer: session.peer.clone(),
            tenant: self.tenants.name(session.tenant).to_owned(),
            used: self.used(*id),
            moved: session.moved.clone(),
            breaks: session.breaks,
        };
        let tenant = |(id, tenant): (&TenantId, &Tenant)| {
            let mut used = tenant.used.clone();
            let sessions = self.sessions.iter().filter(|(_, session)| session.tenant == *id);
            let mut frames = tenant.frames;
            sessions.for_each(|(id, session)| {
                add(&mut used, &self.used(*id));
                frames.add(session.frames);
            });
            let parts = self.gpus.iter().map(|gpu| self.tenants.part(*id, gpu.identity)).collect();
            TenantView {
                name: tenant.name.clone(),
                is_lease: self.tenants.is_lease(*id),
                sessions: tenant.sessions,
                parts,
                used,
                frames,
            }
        };
        View {
            at_ns,
            shares: self.tenants.shares.clone(),
            gpus: self.gpus.iter().map(|gpu| gpu.identity).collect(),
            tenants: self.tenants.iter().map(tenant).collect(),
            sessions: self.sessions.iter().map(session).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
