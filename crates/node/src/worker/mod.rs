//! One session: a process that reads the client's commands in order and passes them to a driver.
//! The thread of commands never blocks; what must wait gets a thread of its own. The process ends
//! with its client, and the session's resources end with the process.

mod copies;
pub(crate) mod driver;
mod graphs;
pub(crate) mod io;
mod managed;
mod scheduling;

mod code;
mod ending;
mod log;
mod memory;
mod streams;
mod twins;

use crate::accounting::ledger::{Allowance, Ledger};
use crate::cell::{Missing, Needs, Plan};
use crate::generated::dispatch::dispatch;
use crate::sharing::scheduler_channel::Control;
use crate::worker::code::texture::Textures;
use crate::worker::copies::bulk::BulkLanes;
use crate::worker::copies::node_links::Links;
use crate::worker::driver::device_resources::Parts;
use crate::worker::driver::images::Images;
use crate::worker::driver::objects::Objects;
use crate::worker::driver::sensors::Sensors;
use crate::worker::driver::staging::{Mark, Staging};
use crate::worker::driver::waiters::Waiters;
use crate::worker::ending::{end, end_with};
use crate::worker::graphs::graph::Graphs;
use crate::worker::io::farewell::end_because;
use crate::worker::io::frame::{Incoming, Refusal, Ticket};
use crate::worker::io::handshake_progress::Starting;
use crate::worker::io::listener::Listener;
use crate::worker::io::near::Near;
use crate::worker::io::options::FIRST_LANE_DESCRIPTOR;
pub use crate::worker::io::options::Options;
use crate::worker::io::outbound::Outbound;
use crate::worker::io::output::Output;
use crate::worker::io::spin_policy::Attention;
use crate::worker::io::threads::no_threads;
use crate::worker::log::log;
use crate::worker::managed::mirror::Mirrors;
use crate::worker::memory::host_segments::HostSegments;
use crate::worker::memory::residency::{Holdings, Residency};
use crate::worker::memory::shared_segments::Segments;
use crate::worker::memory::sharing::Sharing;
use crate::worker::scheduling::implicit_order::First;
use crate::worker::scheduling::kernel_limit::KernelLimit;
use crate::worker::scheduling::submit_limit::Room;
use crate::worker::scheduling::turns::Turns;
use crate::worker::streams::callbacks::Callbacks;
use crate::worker::streams::delivery::Carrier;
use crate::worker::streams::gates::StreamGates;
use memory::Memory;
use outhaul_abi::Driver;
use outhaul_abi::types::{CUcontext, CUdevice, CUresult};
use outhaul_transport::os::spin::{SHORT, wake_promptly};
use outhaul_transport::{Bell, Connection, HandoverSocket, LaneError, RequestSocket, SessionKey};
use outhaul_wire::effects::effect;
use outhaul_wire::handshake::{LANE_BULK, LANE_CALLBACKS, LANE_COMMANDS};
use outhaul_wire::messages::op_name;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::io::Write;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Number of threads that a session starts before its first command, including those that the
/// driver starts for it.
const THREADS: usize = 15;
const THREADS_PER_BULK_LANE: usize = 2;
/// The state of a session.
pub struct Worker {
    /// The driver.
    pub driver: Arc<Driver>,
    /// The session's objects.
    pub objects: Objects,
    memory: Memory,
    segments: HostSegments,
    shared_segments: Segments,
    listener: Listener,
    images: Images,
    carrier: Carrier,
    callbacks: Arc<Callbacks>,
    gates: Arc<StreamGates>,
    links: Arc<Links>,
    bulk: BulkLanes,
    graphs: Graphs,
    /// Work that other streams must wait for until it is done.
    first: Option<First>,
    room: Room,
    mirrors: Arc<Mirrors>,
    /// Addresses and sizes of managed variables that the client looked up.
    managed: Vec<(u64, u64)>,
    textures: Textures,
    parts: Parts,
    turns: Turns,
    kernel_limit: KernelLimit,
    /// The sensors, opened when a client first asks; None if the node has none.
    sensors: OnceCell<Option<Arc<Sensors>>>,
    /// Contexts by the index in frames.
    contexts: HashMap<u16, CUcontext>,
    /// Events that the client has destroyed while a thread still queries them.
    leaving_events: Vec<crate::worker::driver::objects::Event>,
    current: u16,
}

/// Exit code of a worker whose driver does not start.
pub const UNABLE: i32 = 3;

/// Runs a session on inherited lanes until its client is gone. Never returns: a session that is
/// over does not need the driver's exit handlers.
pub fn run(options: Options) -> ! {
    // The GPU waits for this process, whatever else runs on the machine.
    wake_promptly();
    let open = options.cell.close_behind(FIRST_LANE_DESCRIPTOR + options.descriptors as RawFd - 1);
    let captured = Output::capture().map_err(|e| format!("cannot capture what kernels print: {e}"));
    let result = captured.and_then(|output| {
        say_missing(&options.cell, &open);
        session(options, output)
    });
    if let Err(reason) = &result {
        log(&format!("the session ends: {reason}"));
    }
    end()
}

/// Logs missing walls, except those that this machine is known not to support.
fn say_missing(cell: &Plan, missing: &[Missing]) {
    missing
        .iter()
        .filter(|one| !cell.missing.contains(&one.wall))
        .for_each(|one| log(&format!("a wall of its cell is missing: {one}")));
}

fn session(options: Options, output: Output) -> Result<(), String> {
    let sharing =
        Sharing::open().map_err(|e| format!("sessions cannot share with this one: {e}"))?;
    let needs = Needs { library: &options.library, code: &options.cache };
    say_missing(&options.cell, &options.cell.enter(&needs));
    let mut next = FIRST_LANE_DESCRIPTOR;
    let mut lanes = (0..options.lanes)
        // SAFETY: the listener put this session's lanes at these descriptors, and no other code in
        // this process owns them.
        .map(|_| unsafe { Connection::adopt(&mut next, options.sealed) }.map(Some))
        .collect::<Result<Vec<Option<Connection>>, _>>()
        .map_err(|e| format!("lanes are missing: {e}"))?;
    // SAFETY: as above; the handover socket comes after the lanes.
    let handover = unsafe { HandoverSocket::adopt(next) };
    // SAFETY: as above; the control socket comes after the handover socket.
    let control = unsafe { Control::adopt(next + 1) };
    // SAFETY: as above; the ledger comes after the control socket.
    let ledger = unsafe { OwnedFd::from_raw_fd(next + 2) };
    let ledger = Ledger::adopt(&ledger)
        .map(Arc::new)
        .map_err(|e| format!("the session's ledger cannot be used: {e}"))?;
    // SAFETY: as above; the request socket comes after the ledger.
    let listener = Listener::new(unsafe { RequestSocket::adopt(next + 3) });
    // SAFETY: as above; if memory may move, its ledgers come after the request socket.
    let moving = options
        .residency_rows
        .map(|rows| unsafe { Moving::adopt(next + 4, rows, control.clone()) })
        .transpose()?;
    let mut take = |lane: u16| {
        lanes.get_mut(usize::from(lane)).and_then(Option::take).ok_or("lanes are missing")
    };
    let (mut commands, callbacks) = (take(LANE_COMMANDS)?, take(LANE_CALLBACKS)?);
    let for_bulk = THREADS_PER_BULK_LANE * lanes.iter().flatten().count();
    if let Err(error) = crate::worker::io::threads::stand_by(THREADS + for_bulk) {
        let reason = no_threads(&error);
        let _ = commands.say_busy(&reason);
        return Err(reason);
    }
    let starting = Starting::new(commands);
    let started = Waiters::start().map_err(|e| (no_threads(&e), 0)).and_then(|waiters| {
        match start_driver(&options, &waiters, sharing, ledger, &moving) {
            Ok(started) => Ok((waiters, started)),
            Err(reason) => {
                listener.doubt();
                Err((reason, UNABLE))
            }
        }
    });
    let mut commands = starting.over();
    let (waiters, Started { driver, memory, key, welcome, devices }) = match started {
        Ok(started) => started,
        Err((reason, code)) => {
            let _ = commands.refuse(&reason);
            log(&format!("the session ends: {reason}"));
            end_with(code)
        }
    };
    say_missing(&options.cell, &options.cell.close(log));
    let bell = Arc::<Bell>::default();
    // Without a key no client can call for its lanes again, so the session does not wait.
    let grace = key.as_ref().map_or(Duration::ZERO, |_| options.grace);
    let lane = |connection: Connection, number: u16| {
        connection
            .into_lane(crate::worker::io::callers::grace(number, grace), bell.clone())
            .map_err(|e| format!("a lane cannot be used: {e}"))
    };
    // The lanes must exist before the client may use them: a lane counts as used when data arrives
    // on it.
    let bulk = lanes
        .into_iter()
        .flatten()
        .map(|connection| lane(connection, LANE_BULK))
        .collect::<Result<Vec<_>, _>>()?;
    let callbacks = lane(callbacks, LANE_CALLBACKS)?;
    if control.is_over() {
        // The keeper does not know the session, so it could not continue.
        let reason = "the node has ended; try again";
        let _ = commands.say_busy(reason);
        return Err(reason.into());
    }
    commands.write_all(&welcome).map_err(|e| e.to_string())?;
    let mut commands = lane(commands, LANE_COMMANDS)?;
    let all = || [&commands, &callbacks].into_iter().chain(&bulk);
    let life = all().map(|lane| lane.life.clone()).collect();
    let lines: Vec<_> = all().map(|lane| lane.line.clone()).collect();
    let outbound = Arc::new(Outbound::new(commands.writer, bulk.len()));
    crate::worker::io::heartbeat::start(
        life,
        outbound.clone(),
        crate::worker::io::breaks::of_silence(control.clone()),
    );
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
        near: Near::new(),
        deliveries: Arc::default(),
    };
    let gates = Arc::new(StreamGates::new(driver.clone()));
    let links = Links::new(
        driver.clone(),
        carrier.outbound.clone(),
        listener.clone(),
        options.residency_rows.is_some(),
    );
    crate::worker::io::breaks::start(&lines, bell, control.clone(), grace);
    crate::worker::io::callers::start(handover, lines, key, {
        let links = links.clone();
        move |key, connection| links.arrive(key, connection)
    });
    let mirrors = Mirrors::new(carrier.outbound.clone());
    let callbacks = Callbacks::start(
        carrier.clone(),
        callbacks.reader,
        gates.clone(),
        links.clone(),
        mirrors.clone(),
    );
    let turns = Turns::start(
        driver.clone(),
        control,
        &devices,
        carrier.outbound.clone(),
        memory.residencies(),
    );
    crate::worker::memory::residency::start_preparing(memory.residencies());
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
        mirrors,
        managed: Vec::new(),
        textures: Textures::default(),
        parts: Parts::default(),
        turns,
        kernel_limit,
        sensors: OnceCell::new(),
        contexts: HashMap::new(),
        leaving_events: Vec::new(),
        current: 0,
    };
    // The threads of the bulk lanes start when the client first uses these lanes.
    crate::worker::io::threads::let_go(for_bulk);
    let result = worker.execute(&mut commands.reader);
    worker.turns.finish();
    if let Err(reason) = result {
        end_because(&worker.carrier.outbound, &reason);
    }
    // The process ends before anything is freed: threads still use the memory, and Linux frees it
    // faster.
    end()
}

/// The ledgers of memory that may move.
struct Moving {
    control: Control,
    movable: (Arc<Ledger>, usize),
    resident: (Arc<Ledger>, usize),
    host: (Arc<Ledger>, usize),
}

impl Moving {
    /// # Safety
    /// The three ledgers begin at this descriptor, and no other code in this process owns them.
    unsafe fn adopt(
        descriptor: RawFd,
        [movable, resident, host]: [usize; 3],
        control: Control,
    ) -> Result<Moving, String> {
        let ledger = |descriptor| {
            // SAFETY: the caller's promise.
            let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
            Ledger::adopt(&descriptor)
                .map(Arc::new)
                .map_err(|e| format!("the ledger of what is where cannot be used: {e}"))
        };
        let at = |place, row| Ok::<_, String>((ledger(descriptor + place)?, row));
        Ok(Moving {
            control,
            movable: at(0, movable)?,
            resident: at(1, resident)?,
            host: at(2, host)?,
        })
    }

    /// Returns the session's accounts for a device and the host.
    fn holdings(&self, device: usize) -> Holdings {
        let of = |(ledger, row): &(Arc<Ledger>, usize), column| {
            Allowance::new(ledger.clone(), *row, column)
        };
        Holdings {
            movable: of(&self.movable, device),
            resident: of(&self.resident, device),
            host: of(&self.host, 0),
        }
    }
}

/// The state at the beginning of a session.
struct Started {
    driver: Arc<Driver>,
    memory: Memory,
    key: Option<SessionKey>,
    /// The encoded welcome for the client.
    welcome: Vec<u8>,
    /// Identities of the devices.
    devices: Vec<u64>,
}

fn start_driver(
    options: &Options,
    waiters: &Arc<Waiters>,
    sharing: Sharing,
    ledger: Arc<Ledger>,
    moving: &Option<Moving>,
) -> Result<Started, String> {
    let driver = Arc::new(Driver::open(&options.library).map_err(|e| e.to_string())?);
    // SAFETY: takes no pointers.
    unsafe { driver.cuInit(0) }.ok().map_err(|e| {
        format!("the node's driver {} does not start: {e}", options.library.display())
    })?;
    let describe = |e: CUresult| format!("the node's driver does not describe its devices: {e}");
    let count = crate::worker::driver::facts::device_count(&driver).map_err(describe)?;
    if let Some(devices) = options.devices.filter(|devices| *devices != count as usize) {
        return Err(format!(
            "the lease includes {devices} devices, but the driver shows {count}; the node's log \
             has details"
        ));
    }
    let allowance = |device| Allowance::new(ledger.clone(), options.row, device);
    let residency = |device: CUdevice, page_bytes, total_bytes| {
        let holdings = moving.as_ref()?.holdings(device as usize);
        let control = moving.as_ref()?.control.clone();
        Some(Arc::new(Residency::new(
            driver.clone(),
            control,
            device as u8,
            page_bytes,
            total_bytes,
            holdings,
        )))
    };
    let memory = Memory::reserve(
        driver.clone(),
        waiters.clone(),
        sharing,
        count,
        options.arena_base,
        allowance,
        residency,
    )?;
    let (key, key_share) = crate::worker::io::callers::agree(&options.key_share)
        .map_err(|e| format!("the session gets no key: {e}; try again"))?;
    let welcome =
        crate::worker::driver::facts::welcome(&driver, &memory, key_share).map_err(describe)?;
    let devices = crate::worker::driver::facts::identities(&driver).map_err(describe)?;
    Ok(Started { driver, memory, key, welcome, devices })
}

impl Worker {
    fn execute(&mut self, reader: &mut outhaul_transport::LaneReader) -> Result<(), String> {
        let mut attention = Attention::new();
        loop {
            if !reader.has_frame() {
                self.turns.rest();
                reader.look_for(attention.look(&self.carrier.outbound, Instant::now()));
            }
            self.see_off(reader);
            let mut incoming = match Incoming::receive(reader) {
                Ok(incoming) => incoming,
                Err(LaneError::Closed) => return Ok(()),
                Err(error) => return Err(error.to_string()),
            };
            self.enter_context(incoming.header.context);
            attention.note(incoming.op());
            let admission = self.let_in(&incoming)?;
            let begun = self.begin_launch(&incoming, &admission);
            self.look_at_twins(&incoming);
            self.stay_behind(&incoming);
            self.find_room(&incoming);
            dispatch(self, &mut incoming)?;
            begun.into_iter().for_each(|begun| self.kernel_limit.launched(begun));
            self.let_out(admission);
            incoming.finish().map_err(|e| e.to_string())?;
        }
    }

    /// Starts to report changes that the kernels of this command make in memory that they share
    /// with the program.
    fn look_at_twins(&self, incoming: &Incoming<'_>) {
        let twins = self.carrier.outbound.twins();
        if twins.is_in_use() && effect(incoming.op()).launches {
            self.carrier.outbound.watch_twins(incoming.header.sequence);
        }
    }

    /// Completes the last command's errand in this thread if no command arrives meanwhile.
    /// Otherwise hands it over.
    fn see_off(&mut self, reader: &mut outhaul_transport::LaneReader) {
        let Some(errand) = self.carrier.near.take() else { return };
        if !reader.look_beside(SHORT, || self.carrier.try_errand(&errand)) {
            self.carrier.hand_over(errand);
        }
        if let Ok(context) = self.context() {
            // SAFETY: the context is the session's own. The errand may have used another one.
            let _ = unsafe { self.driver.cuCtxSetCurrent(context) };
        }
    }

    /// Makes the frame's context current, unless the frame has none or creates it.
    pub fn enter_context(&mut self, index: u16) {
        if index == self.current || index == 0 {
            return;
        }
        // A context whose creation failed must not let its commands run in another.
        let known = self.contexts.get(&index).copied();
        let context = known.unwrap_or_default();
        // SAFETY: the context is the session's own, or none.
        let _ = unsafe { self.driver.cuCtxSetCurrent(context) };
        self.current = index;
        self.objects.set_current_context(index, known.is_some());
        self.turns.enter_context(context);
    }

    /// Returns whether memory may be away from its device.
    pub fn moves_memory(&self) -> bool {
        !self.memory.residencies().is_empty()
    }

    fn context(&self) -> Result<CUcontext, Refusal> {
        self.contexts.get(&self.current).copied().ok_or(Refusal::Driver(CUresult::INVALID_CONTEXT))
    }

    /// Returns a ticket for the reply to a command.
    pub fn ticket(&self, incoming: &Incoming<'_>) -> Ticket {
        Ticket { sequence: incoming.header.sequence, outbound: self.carrier.outbound.clone() }
    }

    /// Reports a post that the driver refused. Returns a violation of the protocol as an error.
    pub fn settle(
        &self,
        incoming: &Incoming<'_>,
        result: Result<(), Refusal>,
    ) -> Result<(), String> {
        match result {
            Ok(()) => Ok(()),
            Err(Refusal::Driver(code)) => {
                self.carrier.outbound.fault(incoming.header.sequence, code, op_name(incoming.op()));
                Ok(())
            }
            Err(Refusal::Violation(reason)) => Err(format!(
                "{} (frame {}): {reason}",
                op_name(incoming.op()),
                incoming.header.sequence
            )),
        }
    }

    /// Returns a mark after the present work of a stream. The stream itself cannot be waited for:
    /// it may later contain a callback that waits for data after this command.
    fn mark_waited_for(&mut self, stream: u64) -> Result<Arc<Mark>, Refusal> {
        let stream = self.objects.stream(stream)?;
        let context = self.context()?;
        if self.capturing(stream)?.is_some() {
            // The driver refuses this and invalidates the capture, as natively.
            // SAFETY: the stream is the session's own.
            unsafe { self.driver.cuStreamSynchronize(stream) }.ok()?;
        }
        Ok(Mark::behind(&self.carrier.staging, context, stream)?)
    }

    /// Returns a mark after all work of the context, for a wait that the program has not asked for.
    /// A wait for an event invalidates no capture that begins meanwhile, as a wait for the context
    /// would.
    fn mark_unless_capturing(&self, is_implicit: bool) -> Result<Option<Arc<Mark>>, Refusal> {
        if !is_implicit {
            return Ok(None);
        }
        if self.graphs.is_capturing() {
            return Err(CUresult::NOT_READY.into());
        }
        // An older driver does not support events of contexts.
        Ok(Mark::behind_all(&self.carrier.staging, self.context()?).ok())
    }

    /// Waits in a thread of its own, then replies.
    fn wait_then_answer(
        &self,
        ticket: Ticket,
        wait: impl FnOnce(&Driver) -> CUresult + Send + 'static,
    ) {
        let Ok(context) = self.context() else { return ticket.fail(CUresult::INVALID_CONTEXT) };
        let carrier = self.carrier.clone();
        self.carrier.waiters.run(move || {
            // SAFETY: the context is the session's own.
            let _ = unsafe { carrier.driver.cuCtxSetCurrent(context) };
            let status = wait(&carrier.driver);
            carrier.answer(&ticket, status);
        });
    }
}
