//! Exchanges reports with the other pool processes, finds silent nodes and holders, and reads the
//! log when another process has written to it. The module has its own threads, because the store
//! may be slow.

use crate::error::{Error, StoreError};
use crate::identity::SteadyTime;
use crate::liveness::attendance::{Attendance, Event, Report};
use crate::log::keeper::ActorCommand;
use crate::log::keeper_thread::{KeeperThread, PendingCommands};
use crate::log::rules::Command;
use crate::log::state::State;
use crate::log::store::Store;
use crate::model::actor::Actor;
use crate::model::telemetry::Telemetry;
use outhaul_lock::{Mutex, MutexGuard, RwLock};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// The prefix of reports in the store; each report's key is the prefix and its process's name.
const REPORTS: &str = "said/";
const LOG: &str = "log/";
/// The interval at which a process reads the others' reports.
const LISTEN_EVERY: Duration = Duration::from_millis(250);
/// The interval at which a process writes its report.
const REPORT_EVERY: Duration = Duration::from_millis(500);
const REPORTS_MAX: usize = 128;
/// How long one watch for new entries lasts.
const WATCH: Duration = Duration::from_secs(10);
const AGAIN: Duration = Duration::from_millis(500);

/// One process's knowledge about the other processes of its pool.
pub(crate) struct Peers {
    state: Arc<RwLock<State>>,
    store: Arc<dyn Store>,
    keeper: Arc<KeeperThread>,
    clock: SteadyTime,
    attendance: Mutex<Attendance>,
    telemetry: Arc<Mutex<Telemetry>>,
    /// The reason why this process cannot exchange reports with the others, if any.
    apart: Mutex<Option<Error>>,
}

impl Peers {
    /// Returns a value that starts with what the keeper has read and knows no other process yet.
    pub(crate) fn new(
        state: Arc<RwLock<State>>,
        store: Arc<dyn Store>,
        keeper: Arc<KeeperThread>,
        clock: SteadyTime,
        attendance: Attendance,
        telemetry: Arc<Mutex<Telemetry>>,
    ) -> Peers {
        let (attendance, apart) = (Mutex::new(attendance), Mutex::default());
        Peers { state, store, keeper, clock, attendance, telemetry, apart }
    }

    /// Locks the record of when the pool last received a message from each node and holder.
    pub(crate) fn attendance(&self) -> MutexGuard<'_, Attendance> {
        self.attendance.lock()
    }

    /// Returns why this process cannot exchange reports with the others, if it cannot.
    pub(crate) fn apart(&self) -> Option<Error> {
        self.apart.lock().clone()
    }
}

/// Starts the threads, which run until the service is dropped.
pub(crate) fn start(peers: &Arc<Peers>) {
    let listening = Arc::downgrade(peers);
    std::thread::spawn(move || listen(&listening));
    if peers.store.is_shared() {
        let watching = Arc::downgrade(peers);
        std::thread::spawn(move || watch(&watching));
    }
}

fn listen(peers: &Weak<Peers>) {
    let (mut reported_ms, mut pending) = (None, None);
    while let Some((peers, clock)) =
        peers.upgrade().map(|peers| (peers.clone(), peers.clock.clone()))
    {
        // Rounds start at equal intervals, however long a round takes.
        let next_ms = clock.now_ms() + LISTEN_EVERY.as_millis() as u64;
        if !peers.store.is_shared() || sync_reports(&peers, &mut reported_ms) {
            judge(&peers, &mut pending);
        }
        drop(peers);
        clock.sleep_until(next_ms);
    }
}

/// Reads the others' reports, and writes a report when one is due. Returns whether that succeeded.
fn sync_reports(peers: &Peers, reported_ms: &mut Option<u64>) -> bool {
    let now_ms = peers.clock.now_ms();
    let is_time = reported_ms
        .is_none_or(|reported_ms| now_ms - reported_ms >= REPORT_EVERY.as_millis() as u64);
    let exchanged = exchange(peers, is_time);
    if is_time && exchanged.is_ok() {
        *reported_ms = Some(now_ms);
    }
    *peers.apart.lock() = exchanged.as_ref().err().cloned().map(Error::from);
    exchanged.is_ok()
}

/// Starts the commands that follow from silence, and those that record what lost nodes reported
/// last. Does not wait for them, since a slow store would prevent listening. Starts no further
/// commands until these are done.
fn judge(peers: &Peers, pending: &mut Option<PendingCommands>) {
    let now_ms = peers.clock.now_ms();
    let commands = {
        let (state, mut attendance) = (peers.state.read(), peers.attendance());
        attendance.step(now_ms, Event::Listened);
        let mut commands = attendance.judge(now_ms, &state);
        commands.extend(last_reported(&state, &peers.telemetry.lock()));
        commands
    };
    if !commands.is_empty() && pending.as_mut().is_none_or(PendingCommands::is_done) {
        *pending = peers.keeper.start_all(commands);
    }
}

/// Returns the commands that record the last figures of leases on nodes that are lost. Otherwise a
/// node would take its leases' accounts along.
fn last_reported(state: &State, telemetry: &Telemetry) -> Vec<ActorCommand> {
    let reports = telemetry.last_reported(|node, lease| state.has_lost(node, lease));
    let new = reports.into_iter().filter(|(id, item)| state.may_bill(id, item));
    new.map(|(id, item)| (Actor::pool(), Command::Bill { id, item })).collect()
}

/// Writes the report of this process and reads the others' reports.
fn exchange(peers: &Peers, is_to_report: bool) -> Result<(), StoreError> {
    let now_ms = peers.clock.now_ms();
    if is_to_report {
        let report = peers.attendance().report(now_ms);
        let bytes = serde_json::to_vec(&report).map_err(|error| {
            StoreError::NoAnswer(format!("a report cannot be written: {error}"))
        })?;
        peers.store.put(&format!("{REPORTS}{}", report.process), &bytes)?;
    }
    let reports = peers.store.list(REPORTS, "", REPORTS_MAX)?;
    // Ages count from before the store answered, so that a slow store adds nothing to them.
    let parsed =
        reports.iter().filter_map(|(_, bytes)| serde_json::from_slice::<Report>(bytes).ok());
    let gone = {
        let mut attendance = peers.attendance();
        parsed.for_each(|report| attendance.step(now_ms, Event::Reported(report)));
        attendance.gone(now_ms)
    };
    for process in gone {
        let key = format!("{REPORTS}{process}");
        peers.store.trim(&key, &format!("{key}\0"))?;
    }
    Ok(())
}

fn watch(peers: &Weak<Peers>) {
    let mut seen = 0;
    while let Some((peers, store)) =
        peers.upgrade().map(|peers| (Arc::downgrade(&peers), peers.store.clone()))
    {
        match store.watch(LOG, seen, WATCH) {
            Ok(version) if version > seen => {
                seen = version;
                if let Some(pending) =
                    peers.upgrade().and_then(|peers| peers.keeper.start_to_catch_up())
                {
                    pending.wait();
                }
            }
            Ok(_) => {}
            Err(_) => std::thread::sleep(AGAIN),
        }
    }
}
