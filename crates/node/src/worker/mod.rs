//! One session: a process that reads the client's commands in order and passes them to a driver.
//! The command thread never blocks; operations that wait run in other threads. The process ends
//! with its client, and the session's resources end with the process.

pub mod replicas;

mod commands;
mod copies;
pub(crate) mod driver;
mod ending;
mod graphs;
pub(crate) mod io;
mod log;
mod managed;
mod memory;
mod scheduling;
mod start;
pub(crate) mod state;
mod streams;

use crate::cell::{Missing, Needs, Plan};
use crate::generated::dispatch::dispatch;
use crate::inherited_fds;
use crate::sharing::scheduler_channel::SchedulerChannel;
use crate::worker::copies::bulk::BulkLanes;
use crate::worker::copies::node_links::NodeLinks;
use crate::worker::driver::device_resources::DeviceResources;
use crate::worker::driver::images::Images;
use crate::worker::driver::objects::Objects;
use crate::worker::driver::staging::Staging;
use crate::worker::driver::textures::Textures;
use crate::worker::driver::waiters::Waiters;
use crate::worker::ending::{end, end_with};
use crate::worker::graphs::Graphs;
use crate::worker::io::farewell::end_because;
use crate::worker::io::frame::Incoming;
use crate::worker::io::handshake_progress::HandshakeProgress;
use crate::worker::io::listener::Listener;
pub use crate::worker::io::options::Options;
use crate::worker::io::outbound::Outbound;
use crate::worker::io::output::Output;
use crate::worker::io::spin_policy::SpinPolicy;
use crate::worker::io::threads::no_threads;
use crate::worker::io::worker_fds::WorkerFds;
use crate::worker::log::log;
use crate::worker::managed::region::ManagedRegions;
use crate::worker::memory::host_segments::HostSegments;
use crate::worker::memory::shared_segments::Segments;
use crate::worker::memory::sharing::Sharing;
use crate::worker::scheduling::kernel_time_limit::KernelLimit;
use crate::worker::scheduling::overhead_pulse::OverheadPulse;
use crate::worker::scheduling::submit_limit::Room;
use crate::worker::scheduling::turns::Turns;
use crate::worker::start::{Moving, Started, start_driver};
use crate::worker::state::Worker;
use crate::worker::streams::callbacks::Callbacks;
use crate::worker::streams::delivery::Carrier;
use crate::worker::streams::gates::StreamGates;
use crate::worker::streams::inline_task::InlineTask;
use outhaul_transport::os::spin::{ANSWER_SPIN, wake_promptly};
use outhaul_transport::{Bell, Connection, HandoverSocket, LaneError};
use outhaul_wire::effects::effect;
use outhaul_wire::handshake::{LANE_BULK, LANE_CALLBACKS, LANE_COMMANDS};
use std::collections::HashMap;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Number of threads that a session starts before its first command, including those that the
/// driver starts for it.
const THREADS: usize = 15;
const THREADS_PER_BULK_LANE: usize = 2;
/// Exit code of a worker whose driver fails to start.
pub const UNABLE: i32 = 3;

/// Runs a session on inherited lanes until its client is gone. Never returns, because a finished
/// session does not need the driver's exit handlers.
pub fn run(options: Options) -> ! {
    // The GPU idles while it waits for this process, so the process must wake promptly even if
    // other programs use the CPUs.
    wake_promptly();
    let count = options.fds.count();
    // SAFETY: the listener gave this process these descriptors, and no code in it has opened any.
    let fds = options.fds.adopt(unsafe { inherited_fds::take(count) });
    let open = options.cell.close_after(inherited_fds::end(count) - 1);
    let captured = Output::capture().map_err(|e| format!("cannot capture what kernels print: {e}"));
    let result = captured.and_then(|output| {
        log_missing(&options.cell, &open);
        session(options, fds.map_err(|e| e.to_string())?, output)
    });
    if let Err(reason) = &result {
        log(&format!("the session ends: {reason}"));
    }
    end()
}

/// Logs missing walls, except those that this machine is known not to support.
fn log_missing(cell: &Plan, missing: &[Missing]) {
    missing
        .iter()
        .filter(|one| !cell.missing.contains(&one.wall))
        .for_each(|one| log(&format!("a wall of its cell is missing: {one}")));
}

fn session(options: Options, fds: WorkerFds<OwnedFd>, output: Output) -> Result<(), String> {
    let listener = Listener::new(fds.requests.into());
    let sharing = Sharing::open(listener.clone())
        .map_err(|e| format!("sessions cannot share with this one: {e}"))?;
    let needs = Needs { library: &options.library, code: &options.cache };
    log_missing(&options.cell, &options.cell.enter(&needs));
    let mut lanes = fds
        .lanes
        .into_iter()
        .map(|lane| Connection::adopt(lane, options.sealed).map(Some))
        .collect::<Result<Vec<Option<Connection>>, _>>()
        .map_err(|e| format!("a lane cannot be used: {e}"))?;
    let handover = HandoverSocket::from(fds.handover);
    let control = SchedulerChannel::from(fds.scheduler);
    let unusable = |e| format!("a ledger of the session cannot be used: {e}");
    let ledger = fds.ledger.map().map_err(unusable)?;
    let row = ledger.clone();
    let moving = fds
        .residency
        .map(|rows| Moving::adopt(rows, control.clone()))
        .transpose()
        .map_err(unusable)?;
    let mut take = |lane: u16| {
        lanes.get_mut(usize::from(lane)).and_then(Option::take).ok_or("lanes are missing")
    };
    let (mut commands, callbacks) = (take(LANE_COMMANDS)?, take(LANE_CALLBACKS)?);
    let for_bulk = THREADS_PER_BULK_LANE * lanes.iter().flatten().count();
    if let Err(error) = crate::worker::io::threads::reserve(THREADS + for_bulk) {
        let reason = no_threads(&error);
        let _ = commands.send_busy(&reason);
        return Err(reason);
    }
    let end_of_client = commands
        .local_socket()
        .map_err(|e| format!("the end of the client cannot be watched: {e}"))?;
    let starting = HandshakeProgress::new(commands);
    let started = Waiters::start().map_err(|e| (no_threads(&e), 0)).and_then(|waiters| {
        match start_driver(&options, &waiters, sharing, ledger, &moving) {
            Ok(started) => Ok((waiters, started)),
            Err(reason) => {
                listener.report_driver_failure();
                Err((reason, UNABLE))
            }
        }
    });
    let mut commands = starting.over();
    let (waiters, Started { driver, memory, sensors, key, welcome, devices }) = match started {
        Ok(started) => started,
        Err((reason, code)) => {
            let _ = commands.refuse(&reason);
            log(&format!("the session ends: {reason}"));
            end_with(code)
        }
    };
    log_missing(&options.cell, &options.cell.close(log));
    let bell = Arc::<Bell>::default();
    // Without a key the client cannot reconnect its lanes, so the session does not wait for them.
    let grace = key.as_ref().map_or(Duration::ZERO, |_| options.grace);
    let lane = |connection: Connection, number: u16| {
        connection
            .into_lane(crate::worker::io::incoming_connections::grace(number, grace), bell.clone())
            .map_err(|e| format!("a lane cannot be used: {e}"))
    };
    // The lanes must exist before the client may use them, because data that arrives on a lane
    // marks the lane as used.
    let bulk = lanes
        .into_iter()
        .flatten()
        .map(|connection| lane(connection, LANE_BULK))
        .collect::<Result<Vec<_>, _>>()?;
    let callbacks = lane(callbacks, LANE_CALLBACKS)?;
    if control.is_over() {
        // The keeper does not know the session, so no later listener could continue it.
        let reason = "the node has ended; try again";
        let _ = commands.send_busy(reason);
        return Err(reason.into());
    }
    commands.write_all(&welcome).map_err(|e| e.to_string())?;
    let mut commands = lane(commands, LANE_COMMANDS)?;
    let all = || [&commands, &callbacks].into_iter().chain(&bulk);
    let life: Vec<_> = all().map(|lane| lane.life.clone()).collect();
    let lines: Vec<_> = all().map(|lane| lane.line.clone()).collect();
    let outbound = Outbound::new(commands.writer, bulk.len()).counting_frames(options.frames_per_s);
    let outbound = Arc::new(outbound);
    let of_silence = crate::worker::io::connection_reports::of_silence(control.clone());
    if let Some(socket) = end_of_client {
        crate::worker::io::heartbeat::cut_at_end_of(socket, &life);
    }
    let pulse =
        OverheadPulse::new(memory.driver_memories().cloned().collect(), &outbound, &waiters);
    crate::worker::io::heartbeat::start(life, outbound.clone(), move |silent| {
        row.beat();
        pulse.beat();
        of_silence(silent);
    });
    let staging = Arc::new(Staging::new(driver.clone(), bulk.len()));
    let bulk = BulkLanes::new(bulk, &driver, &staging);
    let segments = HostSegments::new(driver.clone(), waiters.clone(), commands.memory_socket);
    let carrier = Carrier {
        driver: driver.clone(),
        staging,
        outbound,
        waiters,
        output: Arc::new(output),
        outlets: bulk.outlets(),
        inline_task: InlineTask::new(),
        deliveries: Arc::default(),
    };
    let gates = Arc::new(StreamGates::new(driver.clone()));
    let links = NodeLinks::new(
        driver.clone(),
        carrier.outbound.clone(),
        listener.clone(),
        moving.is_some(),
    );
    crate::worker::io::connection_reports::start(&lines, bell, control.clone(), grace);
    crate::worker::io::incoming_connections::start(handover, lines, key, {
        let links = links.clone();
        move |key, connection| links.arrive(key, connection)
    });
    let regions = ManagedRegions::new(carrier.outbound.clone());
    let callbacks = Callbacks::start(
        carrier.clone(),
        callbacks.reader,
        gates.clone(),
        links.clone(),
        regions.clone(),
    );
    let turns = Turns::start(
        driver.clone(),
        control,
        &devices,
        carrier.outbound.clone(),
        memory.residencies(),
    );
    crate::worker::memory::residency::host_memory_preparer::start(memory.residencies());
    let kernel_limit =
        KernelLimit::start(driver.clone(), options.kernel_limit, carrier.outbound.clone());
    let mut worker = Worker {
        driver,
        objects: Objects::default(),
        memory,
        segments,
        shared_segments: Segments::new(listener.clone()),
        images: Images::new(options.cache, listener.clone(), carrier.waiters.clone()),
        listener,
        carrier,
        callbacks,
        gates,
        links,
        bulk,
        graphs: Graphs::default(),
        first: None,
        room: Room::default(),
        managed: regions,
        managed_variables: Vec::new(),
        textures: Textures::default(),
        parts: DeviceResources::default(),
        turns,
        kernel_limit,
        sensors,
        contexts: HashMap::new(),
        failed_contexts: HashMap::new(),
        leaving_events: Vec::new(),
        current: 0,
    };
    // Keeps threads for the bulk lanes, which start when the client first uses these lanes.
    crate::worker::io::threads::release_reserved(for_bulk);
    worker.listener.report_start();
    let result = worker.execute(&mut commands.reader);
    worker.turns.finish();
    if let Err(reason) = result {
        end_because(&worker.carrier.outbound, &reason);
    }
    // The process ends without freeing anything, because its threads still use the memory and Linux
    // reclaims the memory faster.
    end()
}

impl Worker {
    fn execute(&mut self, reader: &mut outhaul_transport::LaneReader) -> Result<(), String> {
        let mut spin_policy = SpinPolicy::new();
        loop {
            if !reader.has_frame() {
                self.turns.rest();
                reader.set_spin_limit(spin_policy.limit(&self.carrier.outbound, Instant::now()));
            }
            self.finish_inline_task(reader);
            let mut incoming = match Incoming::receive(reader) {
                Ok(incoming) => incoming,
                Err(LaneError::Closed) => return Ok(()),
                Err(error) => return Err(error.to_string()),
            };
            self.enter_context(incoming.header.context);
            spin_policy.note(incoming.op());
            self.carrier.outbound.note_command(incoming.op(), incoming.header.sequence);
            let admission = self.admit_command(&incoming)?;
            let pending_launch = self.begin_launch(&incoming, &admission);
            self.watch_replicas(&incoming);
            self.apply_implicit_order(&incoming);
            self.find_room(&incoming);
            dispatch(self, &mut incoming)?;
            pending_launch.into_iter().for_each(|launch| self.kernel_limit.launched(launch));
            self.finish_admission(admission);
            incoming.finish().map_err(|e| e.to_string())?;
        }
    }

    /// Starts reporting changes that this command's kernels, or the values that its stream writes,
    /// make in memory that they share with the program.
    fn watch_replicas(&self, incoming: &Incoming<'_>) {
        let replicas = self.carrier.outbound.replicas();
        let effect = effect(incoming.op());
        if replicas.is_in_use() && (effect.launches || effect.accesses) {
            self.carrier.outbound.watch_replicas(incoming.header.sequence);
        }
    }

    /// Completes the last command's task in this thread unless another command arrives meanwhile.
    /// In that case, hands the task over to another thread.
    fn finish_inline_task(&mut self, reader: &mut outhaul_transport::LaneReader) {
        let Some(task) = self.carrier.inline_task.take() else { return };
        if !reader.spin_or_run(ANSWER_SPIN, || self.carrier.try_task(&task)) {
            self.carrier.hand_over(task);
        }
        if let Ok(context) = self.context() {
            // SAFETY: the context is the session's own. The call is needed because the task may
            // have made another one current.
            let _ = unsafe { self.driver.cuCtxSetCurrent(context) };
        }
    }
}
