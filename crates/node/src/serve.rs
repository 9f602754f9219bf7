//! The listener: reads a stranger's hello, gathers the lanes of a session, gives it a place, and starts a worker process that owns them.

use crate::RELEASE;
use crate::accounts::{Account, Accounts, Limits};
use crate::administration;
use crate::arbiter::{Shares, check_name};
use crate::arbitration::Arbitration;
use crate::control::Control;
use crate::descriptors::Descriptors;
use crate::environment;
use crate::gathering::{Complete, Gatherings};
use crate::lease::{Leases, Pass};
use crate::log::say;
use crate::meter::Meter;
use crate::places::{Entered, Places};
use crate::porch::{Door, Hearing, Porch};
use crate::segments::Segments;
use crate::starting::Starting;
use crate::tenants::Payer;
use crate::worker::Options;
use outhaul_transport::{
    CA_VARIABLE, Connection, Hatch, Identity, Wicket, ca_file, listen_locally, take_bursts,
};
use outhaul_wire::codec::Reader;
use outhaul_wire::handshake::{Hello, Kind, LANE_COMMANDS, LinkHello, PROTOCOL, objection};
use outhaul_wire::limits::LANES_MAX;
use outhaul_wire::messages::SPEC_HASH;
use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The program that runs, even if its file has been replaced.
const OWN_PROGRAM: &str = "/proc/self/exe";
/// The first descriptor of a worker's lanes, which lie one behind the other.
pub const FIRST_LANE_DESCRIPTOR: RawFd = 3;

#[derive(Clone)]
pub struct Config {
    pub listen: SocketAddr,
    /// The libcuda.so.1 that workers open.
    pub library: PathBuf,
    /// Where code images are kept between sessions.
    pub cache: PathBuf,
    pub sessions_max: usize,
    /// By which the node proves who it is. Then sessions that come over the network come over TLS.
    pub identity: Option<Identity>,
    /// Of a node that belongs to a pool: what its GPUs do.
    pub meter: Option<Arc<Meter>>,
    /// Of a node that belongs to a pool: who may have sessions.
    pub leases: Option<Arc<Leases>>,
    /// Who has which share of the GPUs, until it is set otherwise.
    pub shares: Shares,
    /// How much memory sessions without a lease may have.
    pub limits: Limits,
    /// A session whose kernel runs for longer ends.
    pub kernel_limit: Option<Duration>,
    /// Sessions together may have more memory than the GPUs hold; what does not fit lies in so much of the host's.
    pub oversubscribe: Option<u64>,
    /// Then, what sessions have on each GPU at once, where that is less than it holds.
    pub card_bytes: Option<u64>,
}

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("cannot listen on {address}: {error}; choose another with --listen HOST:PORT")]
    Listen { address: SocketAddr, error: io::Error },
}

struct Node {
    config: Config,
    gatherings: Gatherings,
    places: Places<Complete>,
    /// The ways to workers, by the names of their sessions.
    hatches: Mutex<HashMap<[u8; 16], Hatch>>,
    arbitration: Arc<Arbitration>,
    accounts: Arc<Accounts>,
    segments: Segments,
}

/// A worker, and the ways to it.
type Started = (Child, Hatch, Control, Wicket);

/// Listens; `ready` gets the address once connections are taken. Returns only on an error.
pub fn serve(config: Config, ready: impl FnOnce(SocketAddr)) -> Result<Infallible, ServeError> {
    let address = config.listen;
    let error = |error| ServeError::Listen { address, error };
    let descriptors = Descriptors::raise();
    let listener = TcpListener::bind(config.listen).map_err(error)?;
    take_bursts(&listener).map_err(error)?;
    let address = listener.local_addr().map_err(error)?;
    let arbitration = Arbitration::start(config.shares.clone());
    let accounts = Arc::new(Accounts::new(config.limits.clone()));
    config
        .oversubscribe
        .map_or(Ok(()), |host_bytes| accounts.oversubscribe(host_bytes, config.card_bytes))
        .map_err(error)?;
    if let Err(error) = administration::listen(address, arbitration.clone(), accounts.clone()) {
        say(&format!(
            "`outhaul node` and `outhaul top` will not find this node: the local name of {address} cannot be taken: {error}"
        ));
    }
    if let Some(meter) = &config.meter {
        meter.watch(arbitration.clone(), config.leases.clone());
    }
    let node = Arc::new(Node {
        places: Places::new(config.sessions_max),
        config,
        arbitration,
        segments: Segments::new(accounts.clone()),
        accounts,
        gatherings: Gatherings::new(descriptors.clone()),
        hatches: Mutex::default(),
    });
    let mut doors = vec![Door::Network(listener)];
    match listen_locally(address) {
        Ok(door) => doors.push(Door::Local(door)),
        Err(error) => say(&format!(
            "programs on this machine will use TCP: the local name of {address} cannot be taken: {error}"
        )),
    }
    let porch = Porch::new(doors, descriptors, node.config.identity.is_some()).map_err(error)?;
    let (tidying, telling) = (node.clone(), node.clone());
    thread(move || tidying.gatherings.give_up_on_incomplete()).map_err(error)?;
    thread(move || telling.places.tell(|session, ahead| session.lanes[0].say_waiting(ahead)))
        .map_err(error)?;
    ready(address);
    porch.keep(move |connection, hearing| node.hear(connection, hearing))
}

impl Node {
    /// Hears a connection out. If it was the last of a session, serves that and those that wait for its place.
    fn hear(self: &Arc<Node>, connection: Connection, hearing: Hearing) {
        let complete = self.welcome(connection);
        drop(hearing);
        if let Some(complete) = complete {
            self.enter(complete);
        }
    }

    /// Reads its hello. Gives a session's lanes if this was the last of them.
    fn welcome(&self, mut connection: Connection) -> Option<Complete> {
        let peer = connection.peer();
        let body = match connection.accept_hello(self.config.identity.as_ref()) {
            Ok((Kind::Link, body)) => {
                self.pass_on(&peer, &body, connection);
                return None;
            }
            Ok((_, body)) => body,
            Err(error) => {
                say(&format!("turned away {peer}: {error}"));
                return None;
            }
        };
        match Reader::new(&body).whole::<Hello<'_>>() {
            Ok(hello) => {
                let unnamed = || {
                    Some(hello.tenant)
                        .filter(|tenant| !tenant.is_empty())
                        .and_then(|name| check_name(name).err())
                };
                if let Some(reason) = objection(&hello, RELEASE)
                    .or_else(|| unnamed().map(|refusal| refusal.to_string()))
                {
                    say(&format!("turned away {peer}: {reason}"));
                    let _ = connection.refuse(&reason);
                    return None;
                }
                if hello.is_question() {
                    self.answer(connection, hello.lease);
                    return None;
                }
                if hello.lane == LANE_COMMANDS {
                    // A client that is gone is noticed by whoever serves it.
                    let _ = connection.say_starting();
                }
                self.gatherings.add(&hello, peer, connection)
            }
            Err(error) => {
                say(&format!("turned away {peer}: its hello is malformed: {error}"));
                None
            }
        }
    }

    /// Says whether a session would be served, or wait for a place. None begins.
    fn answer(&self, connection: Connection, lease: &str) {
        let starting = Starting::new(connection);
        let admitted =
            self.config.leases.as_ref().map_or(Ok(()), |leases| leases.admit(lease).map(drop));
        let mut connection = starting.over();
        // Who asked may be gone.
        let _ = match admitted {
            Ok(()) if self.places.are_full() => connection.say_busy(&self.places.words()),
            Ok(()) => connection.say_yes(),
            Err(reason) => connection.refuse(&reason),
        };
    }

    /// Hands a link to the worker of the session that it is for, which looks at the key.
    fn pass_on(&self, peer: &str, body: &[u8], mut connection: Connection) {
        let hello = Reader::new(body)
            .whole::<LinkHello>()
            .ok()
            .filter(|h| (h.protocol, h.spec_hash) == (PROTOCOL, SPEC_HASH));
        let hatches = self.hatches.lock().unwrap_or_else(|e| e.into_inner());
        let found = hello.and_then(|hello| Some((hatches.get(&hello.session)?, hello.key)));
        if found.is_some_and(|(hatch, key)| hatch.give(&key, &connection).is_ok()) {
            return;
        }
        drop(hatches);
        say(&format!("turned away {peer}: a link to no session of this node"));
        let _ = connection.refuse("the node has no session of that name");
    }

    /// A session takes a place, or waits for one. Whoever has served one serves the next that waits, so those need no threads.
    fn enter(self: &Arc<Node>, complete: Complete) {
        let greet = |session: &mut Complete, ahead| {
            // That it is gone is noticed later.
            session.lanes[0].say_waiting(ahead);
        };
        let mut next = match self.places.enter(complete, greet) {
            Entered::Placed(session) => Some(session),
            Entered::Waits => None,
            Entered::Full(mut session) => {
                return drop(session.lanes[0].say_busy(&self.places.words()));
            }
        };
        while let Some(session) = next {
            let ended = self.serve(session);
            // Before it is said: whoever reads that a place is free may take it.
            next = self.places.leave();
            say(&ended);
        }
    }

    /// Serves a session in a worker of its own, until that is gone. Gives what is to be said then.
    fn serve(self: &Arc<Node>, session: Complete) -> String {
        let Complete { peer, name, mut lanes, arena_base, lease, tenant } = session;
        let admitted = self.config.leases.as_ref().map(|leases| {
            let starting = Starting::new(lanes.remove(0));
            let admitted = leases.admit(&lease);
            lanes.insert(0, starting.over());
            admitted
        });
        let pass = match admitted.transpose() {
            Ok(pass) => pass,
            Err(reason) => {
                let _ = lanes[0].refuse(&reason);
                return format!("turned away {peer}: {reason}");
            }
        };
        let payer = payer(pass.as_ref(), tenant);
        if let Some(leases) = &self.config.leases {
            // A meter does so when it has seen what they used.
            if self.config.meter.is_none() {
                self.arbitration.forget_leases(|lease| leases.holds(lease));
            }
            self.segments.forget_leases(|lease| leases.holds(lease));
        }
        let started = self.accounts.open(&payer).and_then(|account| {
            let residency = self.accounts.open_residency()?;
            Ok((
                self.spawn(&lanes, arena_base, pass.as_ref(), &account, residency.as_ref())?,
                (account, residency),
            ))
        });
        let (worker, accounts) = match started {
            Ok(started) => started,
            Err(error) => {
                let reason = format!(
                    "the node cannot start a worker process: {error}; try again, or tell whoever runs it"
                );
                let _ = if is_passing(&error) {
                    lanes[0].say_busy(&reason)
                } else {
                    lanes[0].refuse(&reason)
                };
                return format!("cannot start a worker for {peer}: {error}");
            }
        };
        let (mut child, hatch, control, wicket) = worker;
        if let Some(pass) = &pass {
            pass.runs_as(child.id());
        }
        if let Err(error) = self.attend(&peer, child.id(), control, wicket, payer) {
            say(&format!("worker {} of {peer} is ended: {error}", child.id()));
            let _ = child.kill();
            let _ = lanes[0].say_busy(&no_threads(&error));
        }
        drop(lanes);
        self.hatches.lock().unwrap_or_else(|e| e.into_inner()).insert(name, hatch);
        say(&format!("session of {peer} is worker {}", child.id()));
        await_end(&child);
        if pass.as_ref().is_some_and(|pass| pass.was_ended()) {
            say(&format!("the lease of worker {} has ended, and it with it", child.id()));
        }
        drop(accounts);
        // Before its number can be another process's.
        drop(pass);
        let status = child.wait();
        self.hatches.lock().unwrap_or_else(|e| e.into_inner()).remove(&name);
        match status {
            Ok(status) if status.success() => format!("worker {} of {peer} ended", child.id()),
            Ok(status) => format!("worker {} of {peer} died: {status}", child.id()),
            Err(error) => format!("lost sight of worker {}: {error}", child.id()),
        }
    }

    /// Gives a worker its turns and its segments, in threads that end with it.
    fn attend(
        self: &Arc<Node>,
        peer: &str,
        pid: u32,
        control: Control,
        wicket: Wicket,
        payer: Payer,
    ) -> io::Result<()> {
        let (node, who, payer) = (self.clone(), peer.to_owned(), Arc::new(payer));
        let (serving, pays) = (self.clone(), payer.clone());
        thread(move || node.arbitrate(&who, pid, &control, &payer))?;
        thread(move || serving.segments.attend(&wicket, &pays, pid))
    }

    /// Gives a worker its turns until it is gone.
    fn arbitrate(&self, peer: &str, pid: u32, control: &Control, payer: &Payer) {
        if let Err(refusal) = self.arbitration.attend(peer, pid, control, payer) {
            say(&format!("worker {pid} of {peer} is given no turns: {refusal}"));
            control.close();
        }
    }

    fn spawn(
        &self,
        lanes: &[Connection],
        arena_base: u64,
        pass: Option<&Pass<'_>>,
        account: &Account,
        residency: Option<&[Account; 3]>,
    ) -> io::Result<Started> {
        let mut command = Command::new(OWN_PROGRAM);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .env_clear()
            .envs(environment::of_worker());
        if self.config.identity.is_some() {
            // Its links to workers of other nodes are sealed too.
            command.envs(ca_file().map(|file| (CA_VARIABLE, file)));
        }
        let parts = pass.map(|pass| &pass.grant.parts).filter(|parts| !parts.is_empty());
        if let Some(parts) = parts {
            // The driver shows the worker these GPUs and no others, in this order.
            command.env(
                "CUDA_VISIBLE_DEVICES",
                parts.iter().map(|part| part.gpu.as_str()).collect::<Vec<_>>().join(","),
            );
        }
        let options = Options {
            library: self.config.library.clone(),
            cache: self.config.cache.clone(),
            lanes: lanes.len() as u16,
            arena_base,
            sealed: self.config.identity.is_some(),
            devices: parts.map(Vec::len),
            row: account.row,
            kernel_limit: self.config.kernel_limit,
            residency_rows: residency
                .map(|accounts| accounts.each_ref().map(|account| account.row)),
        };
        command.arg("worker").args(options.words()?);
        let (hatch, workers_end) = Hatch::pair()?;
        let (control, workers_control) = Control::pair()?;
        let (wicket, workers_wicket) = Wicket::pair()?;
        let behind = [
            workers_end.descriptor(),
            workers_control.descriptor(),
            account.descriptor(),
            workers_wicket.descriptor(),
        ];
        let residency = residency.into_iter().flatten().map(Account::descriptor);
        let descriptors: Vec<RawFd> =
            lanes.iter().flat_map(Connection::descriptors).chain(behind).chain(residency).collect();
        let parent = std::process::id();
        // SAFETY: the closure calls only functions that are safe between fork and exec.
        unsafe { command.pre_exec(move || hand_over(&descriptors, parent)) };
        Ok((command.spawn()?, hatch, control, wicket))
    }
}

/// A thread, or that the system has none to give.
pub fn thread(body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().spawn(body).map(drop)
}

/// That the system has nothing more to give, as long as others do not give it back.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EMFILE | libc::ENFILE | libc::ENOMEM))
}

pub fn no_threads(error: &io::Error) -> String {
    format!(
        "the node can start no more threads ({error}): end sessions there, or raise its limit (`TasksMax`, `ulimit -u`)"
    )
}

/// A lease's sessions use the lease's share, whatever they say; the node's own session has no lease's.
fn payer(pass: Option<&Pass<'_>>, tenant: String) -> Payer {
    match pass {
        Some(pass) if !pass.grant.parts.is_empty() => Payer::Lease(pass.grant.clone()),
        None if !tenant.is_empty() => Payer::Named(tenant),
        _ => Payer::Own,
    }
}

/// Until the process has ended; it is not waited for yet.
fn await_end(child: &Child) {
    // SAFETY: the record is a local that the call may fill.
    let waited = || unsafe {
        let mut record: libc::siginfo_t = std::mem::zeroed();
        libc::waitid(libc::P_PID, child.id(), &mut record, libc::WEXITED | libc::WNOWAIT)
    };
    while waited() < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted {}
}

/// In the child: puts the descriptors of the lanes, of the hatch, of the control socket, of the ledgers and of the wicket where the worker looks for them, and ties its life to the node's.
fn hand_over(descriptors: &[RawFd], parent: u32) -> io::Result<()> {
    let check = |result: i32| if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) };
    let mut copies = [0; 2 * LANES_MAX as usize + 6];
    let behind = FIRST_LANE_DESCRIPTOR + descriptors.len() as RawFd;
    // Out of the way first: a descriptor may lie where another one belongs.
    for (copy, descriptor) in copies.iter_mut().zip(descriptors) {
        // SAFETY: a plain descriptor call.
        *copy = check(unsafe { libc::fcntl(*descriptor, libc::F_DUPFD_CLOEXEC, behind) })?;
    }
    for (place, copy) in (FIRST_LANE_DESCRIPTOR..behind).zip(copies) {
        // SAFETY: as above. dup2 clears close-on-exec on its result.
        check(unsafe { libc::dup2(copy, place) })?;
    }
    // SAFETY: prctl and getppid take no pointers here, and setrlimit a local.
    unsafe {
        check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
        check(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
        // What lies in a session's memory is nobody's to find on a disk.
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        check(libc::setrlimit(libc::RLIMIT_CORE, &none))?;
        if libc::getppid() as u32 != parent {
            libc::_exit(1);
        }
    }
    lie_elsewhere();
    Ok(())
}

/// What the worker maps lies elsewhere than what programs map, whose addresses it needs free: the memory that they register lies there too, for the device.
/// Some sandboxes forbid it, and then the device cannot be shown such memory once in a hundred sessions.
fn lie_elsewhere() {
    if cfg!(thread_sanitizer) {
        return;
    }
    // SAFETY: plain numbers, and what was mapped so far goes with the coming exec.
    unsafe {
        if let current @ 0.. = libc::personality(0xFFFF_FFFF) {
            libc::personality((current | libc::ADDR_COMPAT_LAYOUT) as libc::c_ulong);
        }
    }
}
