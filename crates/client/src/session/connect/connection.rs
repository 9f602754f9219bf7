//! Opens a session with each node in OUTHAUL_NODE, and starts the session's threads.

use crate::base::log;
use crate::base::random::random;
use crate::session::bulk::lane_count;
use crate::session::bulk::lanes::BulkLanes;
use crate::session::bulk::transfer::Transfers;
use crate::session::callback_thread;
use crate::session::callbacks::Callbacks;
use crate::session::capture_tracker::CaptureTracker;
use crate::session::change_replies::ChangeReplies;
use crate::session::connect::failure::explain;
use crate::session::connect::heartbeat::Heartbeat;
use crate::session::connect::heartbeat_timeout;
use crate::session::connect::node_offer::Offer;
use crate::session::connect::reconnect;
use crate::session::connect::reconnect::Reconnecting;
use crate::session::host_segments;
use crate::session::host_segments::HostSegments;
use crate::session::inbox;
use crate::session::outbox::Outbox;
use crate::session::pending_calls::PendingCalls;
use crate::session::pending_error::PendingErrors;
use crate::session::replicas::state::Replicas;
use crate::session::session_reports::SessionEvents;
use crate::session::{AnswerCache, Session};
use outhaul_lock::Mutex;
use outhaul_transport::os::spin::SERVICE_SPIN;
use outhaul_transport::os::tune_settings;
use outhaul_transport::{
    ARENA_SETTING, Approach, Bell, GRACE_VARIABLE, HelloError, KeyExchange, LEASE_VARIABLE, Lane,
    LaneReader, MemorySocket, TENANT_VARIABLE, Transport, arena_base, in_common, is_packing_wanted,
    retry_while_busy,
};
use outhaul_wire::codec::Reader;
use outhaul_wire::handle::NODES_MAX;
use outhaul_wire::handshake::{
    Dialect, Hello, LANE_BULK, LANE_CALLBACKS, LANE_COMMANDS, NO_KEY_SHARE, Welcome,
};
use outhaul_wire::level::level_of;
use outhaul_wire::limits::{ARENA_STRIDE, LANES_MAX};
use std::io;
use std::num::NonZero;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Once};
use std::thread::{Builder, ScopedJoinHandle, available_parallelism};
use std::time::Duration;

/// Longest wait for a node to accept a connection, in seconds.
const CONNECT_SECONDS_MAX: u64 = 5;
/// Fewest cores with which a session uses bulk lanes in shared memory. Each such lane has two
/// threads that copy, so with fewer cores more lanes are slower.
const CORES_FOR_COPIES: usize = 8;

/// A session that is connected but has no threads yet.
pub struct Connection {
    /// The node's devices and driver version.
    pub offer: Offer,
    /// The node's address, as the user wrote it.
    pub node: String,
    /// Random name that no other session has.
    pub name: [u8; 16],
    /// Level of the spec that client and node both know.
    pub level: u16,
    /// Socket over which client and worker of one machine exchange shared memory.
    pub memory_socket: Option<MemorySocket>,
    commands: Lane,
    /// Callback lane. The worker reads from it, and sends its own messages on the command lane.
    pub callbacks: Option<Lane>,
    /// The reading half of the callback lane.
    pub callbacks_reader: Option<LaneReader>,
    /// Bulk lanes, which have no threads yet.
    pub bulk: Vec<Lane>,
    /// Whether the user chose the number of bulk lanes, so that copies use all of them even on a
    /// slow link.
    pub keeps_lanes: bool,
    /// Whether both sides may send pieces packed.
    pub may_pack: bool,
    /// Replaces the lanes' connections when they break. None in shared memory or without a grace
    /// period.
    reconnecting: Option<Reconnecting>,
}

/// Opens the sessions one after the other, because each session's device addresses follow those of
/// the previous session.
pub fn open_all() -> Result<Vec<Connection>, String> {
    let nodes = std::env::var("OUTHAUL_NODE").map_err(|_| {
        "OUTHAUL_NODE is not set; start the program with `outhaul run --node \
        HOST:PORT -- PROGRAM`"
            .to_owned()
    })?;
    let nodes: Vec<&str> = nodes.split(',').map(str::trim).collect();
    if nodes.len() > NODES_MAX {
        return Err(format!(
            "OUTHAUL_NODE names {} nodes; a program can use {NODES_MAX}",
            nodes.len()
        ));
    }
    tune_settings::check()?;
    let mut base = arena_base().map_err(|e| e.to_string())?;
    host_segments::begin(base);
    let mut connections = Vec::new();
    for node in nodes {
        let connection = open(node, base)?;
        base += connection.offer.devices.len() as u64 * ARENA_STRIDE;
        connections.push(connection);
    }
    Ok(connections)
}

fn open(node: &str, arena_base: u64) -> Result<Connection, String> {
    let transport = Transport::from_environment().map_err(|e| explain(node, &e))?;
    let (wanted, may_pack, grace) = (bulk_lanes()?, is_packing_wanted()?, reconnect::grace()?);
    let mut is_reported = false;
    let mut report_once = |words: &str| {
        if !std::mem::replace(&mut is_reported, true) {
            log::warn(words);
        }
    };
    let busy = |reason: &str| {
        report_once(&format!("the node at {node} is busy: {reason}; asking again until it is not"))
    };
    let greeted = retry_while_busy(busy, || {
        in_common(|dialect| greet(node, transport, (wanted, grace), arena_base, dialect))
    })
    .map_err(|e| explain(node, &e))?;
    let Greeted { session, exchange, level, mut commands, callbacks, mut bulk, welcome, bell } =
        greeted;
    if let Some(error) = &commands.detour {
        log::note(|| {
            format!(
                "the node at {node} is on this machine and is reached over TCP: no memory can be \
                shared: {error}"
            )
        });
    }
    if commands.memory_socket.is_some()
        && wanted.is_none()
        && available_parallelism().map_or(1, NonZero::get) < CORES_FOR_COPIES
    {
        bulk.clear();
    }
    let welcome: Welcome<'_> = Reader::new(&welcome)
        .beginning()
        .map_err(|e| format!("the node at {node} sent a malformed welcome: {e}"))?;
    let offer = Offer::new(&welcome);
    for device in &offer.devices {
        shadow(device.arena_base, device.arena_bytes)?;
    }
    let lines = [&commands, &callbacks]
        .into_iter()
        .chain(&bulk)
        .map(|lane| lane.line.clone())
        .collect::<Option<Vec<_>>>();
    let key = exchange
        .map(|exchange| exchange.agree(&welcome.key_share).ok_or_else(|| no_key(node)))
        .transpose()?;
    let reconnecting = lines.zip(key).map(|(lines, key)| Reconnecting {
        lines,
        key,
        bell,
        grace,
        attempts: AtomicU64::new(0),
    });
    let (node, callbacks) = (node.to_owned(), Some(callbacks));
    Ok(Connection {
        offer,
        node,
        name: session,
        level,
        memory_socket: commands.memory_socket.take(),
        commands,
        callbacks,
        callbacks_reader: None,
        bulk,
        keeps_lanes: wanted.is_some(),
        may_pack,
        reconnecting,
    })
}

fn no_key(node: &str) -> String {
    let why = "sent no share of a key, so the session could not outlast a connection";
    format!("the node at {node} {why}: install the same release on both, or set {GRACE_VARIABLE}=0")
}

/// A session's lanes after the node has sent its welcome.
struct Greeted {
    session: [u8; 16],
    /// The client's half of the session's key exchange. None if the session does not outlast its
    /// connections.
    exchange: Option<KeyExchange>,
    /// Level of the spec that client and node both know.
    level: u16,
    commands: Lane,
    callbacks: Lane,
    bulk: Vec<Lane>,
    welcome: Vec<u8>,
    bell: Arc<Bell>,
}

/// Connects all lanes of a new session, and sends a hello on each.
fn greet(
    node: &str,
    transport: Transport,
    (bulk_lanes, grace): (Option<u16>, Duration),
    arena_base: u64,
    Dialect { protocol, spec_hash }: Dialect,
) -> Result<Greeted, HelloError> {
    let bell = Arc::<Bell>::default();
    let approach = || {
        let approach = Approach::to(node, transport, Duration::from_secs(CONNECT_SECONDS_MAX))?;
        Ok::<_, HelloError>(approach.lasting(reconnect::grace_of_lines(grace), bell.clone()))
    };
    let commands = approach()?;
    let (round_trip, grace_ms) = (commands.round_trip(), grace.as_millis() as u32);
    let lanes = LANE_BULK + bulk_lanes.unwrap_or_else(|| lane_count::lanes_to_open(round_trip));
    let session = random();
    let exchange = (!grace.is_zero()).then(KeyExchange::begin).transpose()?;
    let key_share = exchange.as_ref().map_or(NO_KEY_SHARE, |exchange| exchange.share);
    let lease = std::env::var(LEASE_VARIABLE).unwrap_or_default();
    let tenant = std::env::var(TENANT_VARIABLE).unwrap_or_default();
    let (lease, tenant) = (lease.as_str(), tenant.as_str());
    let mut is_reported = false;
    let waiting = |ahead: u32| {
        if !std::mem::replace(&mut is_reported, true) {
            let verb = if ahead == 1 { "session is" } else { "sessions are" };
            log::warn(&format!(
                "all places of the node at {node} are taken; waiting for one, {ahead} {verb} ahead"
            ));
        }
    };
    let greet = |lane: u16, approach: Approach<'_>, waiting: &mut dyn FnMut(u32)| {
        let release = env!("CARGO_PKG_VERSION");
        let hello = Hello {
            protocol,
            spec_hash,
            release,
            session,
            lane,
            lanes,
            arena_base,
            lease,
            tenant,
            grace_ms,
            key_share,
        };
        approach.greet(&hello, waiting)
    };
    let lane = |lane: u16| match approach().and_then(|approach| greet(lane, approach, &mut |_| {}))
    {
        // The node answered a moment ago, so it is busy rather than unreachable.
        Err(HelloError::Unreachable { address, error })
            if error.kind() == io::ErrorKind::TimedOut =>
        {
            Err(HelloError::Busy(format!("{address} takes no more connections for now: {error}")))
        }
        greeted => greeted.map(|(lane, _)| lane),
    };
    // The node answers on the command lane only when it has all lanes. So the other lanes send
    // their hellos first, in parallel.
    let mut others = std::thread::scope(|scope| {
        let opening =
            (LANE_CALLBACKS..lanes).map(|n| Builder::new().spawn_scoped(scope, move || lane(n)));
        let opening: Vec<_> = opening.map(|one| one.map_err(HelloError::Thread)).collect();
        let died = |_| Err(io::Error::other("a thread that connects died").into());
        let opened = |opening: Result<ScopedJoinHandle<'_, _>, _>| {
            opening.and_then(|one| one.join().unwrap_or_else(died))
        };
        opening.into_iter().map(opened).collect::<Result<Vec<Lane>, HelloError>>()
    })?;
    let bulk = others.split_off(1);
    let callbacks = others.remove(0);
    let (commands, welcome) = greet(LANE_COMMANDS, commands, &mut { waiting })?;
    let level = level_of(spec_hash).unwrap_or_default();
    Ok(Greeted { session, exchange, level, commands, callbacks, bulk, welcome, bell })
}

/// Returns the number of bulk lanes that OUTHAUL_LANES sets, if any. With 0, the command lane
/// carries the bytes of large copies.
fn bulk_lanes() -> Result<Option<u16>, String> {
    let Ok(text) = std::env::var("OUTHAUL_LANES") else { return Ok(None) };
    let max = LANES_MAX - LANE_BULK;
    let count = text.parse().ok().filter(|count| *count <= max);
    count
        .map(Some)
        .ok_or_else(|| format!("OUTHAUL_LANES is '{text}', which is not a number from 0 to {max}"))
}

/// Reserves the addresses of device memory, so that no host memory gets them. A pointer's address
/// then shows whether it points to device or host memory.
fn shadow(base: u64, bytes: u64) -> Result<(), String> {
    // A forked child inherits its parent's reservations.
    static SHADOWED: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());
    let mut shadowed = SHADOWED.lock();
    if shadowed.contains(&(base, bytes)) {
        return Ok(());
    }
    let flags =
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: `MAP_FIXED_NOREPLACE` maps fresh pages without access, and never over existing ones.
    let got = unsafe {
        libc::mmap(base as *mut libc::c_void, bytes as usize, libc::PROT_NONE, flags, -1, 0)
    };
    let failure = std::io::Error::last_os_error();
    if got as u64 == base {
        shadowed.push((base, bytes));
        return Ok(());
    }
    Err(unreservable(base, bytes, (got == libc::MAP_FAILED).then_some(failure)))
}

/// Says why the addresses of device memory cannot be reserved, and what to do. `failure` is Linux's
/// error, if it gave no addresses at all.
fn unreservable(base: u64, bytes: u64, failure: Option<std::io::Error>) -> String {
    let no_room = failure.filter(|error| error.raw_os_error() == Some(libc::ENOMEM));
    let Some(failure) = no_room else {
        return format!(
            "this process uses addresses at {base:#x} that belong to device memory (a sanitizer or \
            an unusual allocator?); OUTHAUL_TUNE={ARENA_SETTING}=0x… puts that elsewhere"
        );
    };
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the local is valid for writes.
    unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    if limit.rlim_cur == libc::RLIM_INFINITY {
        return format!("Linux has no {bytes} bytes of addresses for device memory: {failure}");
    }
    format!(
        "this process may use no more than {} bytes of addresses, and device memory alone reserves \
        {bytes}, which take no memory here: raise its limit (`ulimit -v unlimited`)",
        limit.rlim_cur
    )
}

impl Session {
    /// Creates a session, and takes the callback lane, the bulk lanes and the memory socket out
    /// of `connection`.
    pub fn new(
        number: u8,
        connection: &mut Connection,
        captures: Arc<CaptureTracker>,
        events: &'static dyn SessionEvents,
    ) -> Session {
        Session {
            number,
            node: connection.node.clone(),
            name: connection.name,
            life: connection.life(),
            outbox: Outbox::new(connection.level),
            calls: PendingCalls::default(),
            transfers: Transfers::default(),
            touching: AtomicU64::new(0),
            joined: AtomicU64::new(0),
            deferred: PendingErrors::default(),
            callbacks: connection.callbacks.take().map_or_else(Callbacks::default, |lane| {
                connection.callbacks_reader = Some(lane.reader);
                Callbacks::new(lane.writer)
            }),
            bulk: BulkLanes::new(
                std::mem::take(&mut connection.bulk),
                connection.keeps_lanes,
                connection.may_pack,
            ),
            segments: HostSegments::new(connection.memory_socket.take()),
            replicas: Replicas::default(),
            change_replies: ChangeReplies::default(),
            globals: Mutex::default(),
            captures,
            events,
            answer_cache: AnswerCache::default(),
            reported_loss: Once::new(),
        }
    }
}

impl Connection {
    /// Returns the life lines of all lanes, for heartbeats.
    pub fn life(&self) -> Heartbeat {
        let lanes = std::iter::once(&self.commands).chain(&self.callbacks).chain(&self.bulk);
        Heartbeat::new(lanes.map(|lane| lane.life.clone()).collect())
    }

    /// Starts the threads that write, read, reconnect, run callbacks and send heartbeats.
    pub fn start(self, session: &'static Session) {
        let commands = self.commands;
        let (mut reader, writer) = (commands.reader, commands.writer);
        reader.set_spin_limit(SERVICE_SPIN);
        let send_changes = move || session.replicas.send_changes(session).unwrap_or_default();
        session.outbox.set_change_sender(Box::new(send_changes));
        session.start_thread("outhaul-send", move || session.outbox.write_all(writer));
        session.start_thread("outhaul-recv", move || {
            let reason = inbox::read_all(session, &mut reader);
            session.lose(&reason.to_string());
        });
        if let Some(reconnecting) = self.reconnecting {
            session.start_thread("outhaul-reconnect", move || reconnecting.run(session));
            // On the callback lane the worker sends only acknowledgements, so this thread
            // discards them.
            if let Some(mut callbacks_reader) = self.callbacks_reader {
                session.start_thread(
                    "outhaul-hear",
                    move || while callbacks_reader.header().is_ok() {},
                );
            }
        }
        session.start_thread("outhaul-host", move || callback_thread::run_all(session));
        session.start_thread("outhaul-life", move || heartbeat_timeout::watch(session));
    }
}

#[cfg(test)]
mod tests;
