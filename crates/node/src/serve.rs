//! The listener: reads a stranger's hello, gathers the lanes of a session, and starts a worker process that owns them.

use crate::RELEASE;
use crate::accounts::{Account, Accounts, Limits};
use crate::administration;
use crate::arbiter::{Shares, check_name};
use crate::arbitration::Arbitration;
use crate::control::Control;
use crate::lease::{Leases, Pass};
use crate::meter::Meter;
use crate::segments::Segments;
use crate::starting::Starting;
use crate::tenants::Payer;
use crate::worker::Options;
use outhaul_transport::{CA_VARIABLE, Connection, Hatch, Identity, Wicket, ca_file, listen_locally, take_bursts};
use outhaul_wire::codec::Reader;
use outhaul_wire::handshake::{Hello, Kind, LANE_COMMANDS, LinkHello, PROTOCOL, objection};
use outhaul_wire::limits::LANES_MAX;
use outhaul_wire::messages::SPEC_HASH;
use std::collections::HashMap;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Connections whose hello has not been read yet: over the network, and of this machine.
const STRANGERS_MAX: usize = 512;
/// Sessions whose lanes have not all arrived.
const GATHERING_MAX: usize = 1024;
/// Less than what a client waits for a sign.
const GATHERING_SECONDS_MAX: u64 = 5;
/// How often those are looked after.
const GATHERING_LOOK: Duration = Duration::from_secs(1);
/// The program that runs, even if its file has been replaced.
const OWN_PROGRAM: &str = "/proc/self/exe";
const TOO_MANY_STRANGERS: &str = "the node hears too many connections at once; try again in a few seconds";
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

/// One line for the log, in one write, so that it does not mix with the lines of workers.
fn say(message: &str) {
    let _ = io::stderr().write_all(format!("outhaul: {message}\n").as_bytes());
}

struct Node {
    config: Config,
    gathering: Mutex<HashMap<[u8; 16], Gathering>>,
    /// The ways to workers, by the names of their sessions.
    hatches: Mutex<HashMap<[u8; 16], Hatch>>,
    arbitration: Arc<Arbitration>,
    accounts: Arc<Accounts>,
    segments: Segments,
    /// Over the network, and of this machine: neither keep the others out.
    strangers: [AtomicUsize; 2],
    sessions: AtomicUsize,
}

/// A worker, and the ways to it.
type Started = (Child, Hatch, Control, Wicket);

/// All lanes of a session.
struct Complete {
    name: [u8; 16],
    lanes: Vec<Connection>,
    arena_base: u64,
    lease: String,
    tenant: String,
}

struct Gathering {
    lanes: Vec<Option<Connection>>,
    arena_base: u64,
    lease: String,
    tenant: String,
    since: Instant,
}

/// Listens; `ready` gets the address once connections are taken. Returns only on an error.
pub fn serve(config: Config, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    let error = |error| ServeError::Listen { address: config.listen, error };
    let listener = TcpListener::bind(config.listen).map_err(error)?;
    take_bursts(&listener).map_err(error)?;
    let address = listener.local_addr().map_err(error)?;
    let arbitration = Arbitration::start(config.shares.clone());
    let accounts = Arc::new(Accounts::new(config.limits.clone()));
    config.oversubscribe.map_or(Ok(()), |host_bytes| accounts.oversubscribe(host_bytes, config.card_bytes)).map_err(error)?;
    if let Err(error) = administration::listen(address, arbitration.clone(), accounts.clone()) {
        say(&format!("`outhaul node` and `outhaul top` will not find this node: the local name of {address} cannot be taken: {error}"));
    }
    if let Some(meter) = &config.meter {
        meter.watch(arbitration.clone(), config.leases.clone());
    }
    let node = Arc::new(Node {
        config,
        arbitration,
        segments: Segments::new(accounts.clone()),
        accounts,
        gathering: Mutex::default(),
        hatches: Mutex::default(),
        strangers: Default::default(),
        sessions: AtomicUsize::new(0),
    });
    match listen_locally(address) {
        Ok(door) => {
            let node = node.clone();
            std::thread::spawn(move || door.incoming().for_each(|stream| node.meet(stream.map(|s| Connection::Local(s, None)))));
        }
        Err(error) => say(&format!("programs on this machine will use TCP: the local name of {address} cannot be taken: {error}")),
    }
    let tidying = node.clone();
    std::thread::spawn(move || tidying.give_up_on_incomplete());
    ready(address);
    listener.incoming().for_each(|stream| node.meet(stream.map(Connection::Tcp)));
    Ok(())
}

impl Node {
    /// Hears a new connection out in a thread of its own.
    fn meet(self: &Arc<Node>, stranger: io::Result<Connection>) {
        let Ok(connection) = stranger else {
            // Out of descriptors, most likely: give sessions time to end.
            std::thread::sleep(Duration::from_millis(50));
            return;
        };
        let kind = usize::from(matches!(connection, Connection::Local(..)));
        if self.strangers[kind].fetch_add(1, Ordering::Relaxed) >= STRANGERS_MAX {
            self.strangers[kind].fetch_sub(1, Ordering::Relaxed);
            connection.turn_away(TOO_MANY_STRANGERS);
            return;
        }
        let node = self.clone();
        let place = Arc::new(Mutex::new(Some(connection)));
        let take = |place: &Mutex<Option<Connection>>| place.lock().unwrap_or_else(|e| e.into_inner()).take();
        let given = place.clone();
        let hearing = thread(move || {
            let complete = take(&given).and_then(|connection| node.welcome(connection));
            node.strangers[kind].fetch_sub(1, Ordering::Relaxed);
            if let Some((peer, complete)) = complete {
                node.start(&peer, complete);
            }
        });
        if let Err(error) = hearing {
            self.strangers[kind].fetch_sub(1, Ordering::Relaxed);
            say(&format!("turned away a connection: {error}"));
            take(&place).into_iter().for_each(|connection| connection.turn_away(&no_threads(&error)));
        }
    }

    /// Sessions that do not become complete give back what they hold, whether others come or not.
    fn give_up_on_incomplete(&self) {
        loop {
            std::thread::sleep(GATHERING_LOOK);
            let mut gathering = self.gathering.lock().unwrap_or_else(|e| e.into_inner());
            let is_late = |_: &[u8; 16], entry: &mut Gathering| entry.since.elapsed() >= Duration::from_secs(GATHERING_SECONDS_MAX);
            let late: Vec<Gathering> = gathering.extract_if(is_late).map(|(_, entry)| entry).collect();
            drop(gathering);
            for mut entry in late {
                let (all, came) = (entry.lanes.len(), entry.lanes.iter().flatten().count());
                let reason = format!("{came} of the session's {all} connections came within {GATHERING_SECONDS_MAX} s; try again");
                say(&format!("turned away a session: {reason}"));
                let commands = &mut entry.lanes[usize::from(LANE_COMMANDS)];
                let _ = commands.as_mut().map(|commands| commands.refuse(&reason));
            }
        }
    }

    /// Reads its hello. Gives a session's lanes and the peer if this was the last of them.
    fn welcome(&self, mut connection: Connection) -> Option<(String, Complete)> {
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
                let unnamed = || Some(hello.tenant).filter(|tenant| !tenant.is_empty()).and_then(|name| check_name(name).err());
                if let Some(reason) = objection(&hello, RELEASE).or_else(|| unnamed().map(|refusal| refusal.to_string())) {
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
                self.gather(&hello, connection).map(|complete| (peer, complete))
            }
            Err(error) => {
                say(&format!("turned away {peer}: its hello is malformed: {error}"));
                None
            }
        }
    }

    /// Says whether a session would be served now. None begins.
    fn answer(&self, connection: Connection, lease: &str) {
        let starting = Starting::new(connection);
        let admitted = self.config.leases.as_ref().map_or(Ok(()), |leases| leases.admit(lease).map(drop));
        let mut connection = starting.over();
        let full = || Some(self.too_many()).filter(|_| self.sessions.load(Ordering::SeqCst) >= self.config.sessions_max);
        // Who asked may be gone.
        let _ = match admitted.err().or_else(full) {
            None => connection.say_yes(),
            Some(reason) => connection.refuse(&reason),
        };
    }

    fn too_many(&self) -> String {
        format!("the node serves {} sessions already; end one or raise --sessions", self.config.sessions_max)
    }

    /// Hands a link to the worker of the session that it is for, which looks at the key.
    fn pass_on(&self, peer: &str, body: &[u8], mut connection: Connection) {
        let hello = Reader::new(body).whole::<LinkHello>().ok().filter(|h| (h.protocol, h.spec_hash) == (PROTOCOL, SPEC_HASH));
        let hatches = self.hatches.lock().unwrap_or_else(|e| e.into_inner());
        let found = hello.and_then(|hello| Some((hatches.get(&hello.session)?, hello.key)));
        if found.is_some_and(|(hatch, key)| hatch.give(&key, &connection).is_ok()) {
            return;
        }
        drop(hatches);
        say(&format!("turned away {peer}: a link to no session of this node"));
        let _ = connection.refuse("the node has no session of that name");
    }

    /// Adds a lane to its session; gives all of them once they are complete.
    fn gather(&self, hello: &Hello<'_>, mut connection: Connection) -> Option<Complete> {
        let mut gathering = self.gathering.lock().unwrap_or_else(|e| e.into_inner());
        if gathering.len() >= GATHERING_MAX {
            let _ = connection.refuse("the node is starting too many sessions at once; try again in a few seconds");
            return None;
        }
        let entry = gathering.entry(hello.session).or_insert_with(|| Gathering {
            lanes: (0..hello.lanes).map(|_| None).collect(),
            arena_base: hello.arena_base,
            lease: hello.lease.to_owned(),
            tenant: hello.tenant.to_owned(),
            since: Instant::now(),
        });
        match entry.lanes.get_mut(usize::from(hello.lane)) {
            Some(place @ None) if entry.lease == hello.lease && entry.tenant == hello.tenant => *place = Some(connection),
            _ => {
                let _ = connection.refuse("the lane belongs to another session; connect anew");
                return None;
            }
        }
        if entry.lanes.iter().any(Option::is_none) {
            return None;
        }
        let complete = gathering.remove(&hello.session)?;
        let Gathering { lanes, arena_base, lease, tenant, .. } = complete;
        Some(Complete { name: hello.session, lanes: lanes.into_iter().flatten().collect(), arena_base, lease, tenant })
    }

    fn start(self: &Arc<Node>, peer: &str, complete: Complete) {
        let Complete { name, mut lanes, arena_base, lease, tenant } = complete;
        let admitted = self.config.leases.as_ref().map(|leases| {
            let starting = Starting::new(lanes.remove(0));
            let admitted = leases.admit(&lease);
            lanes.insert(0, starting.over());
            admitted
        });
        let pass = match admitted.transpose() {
            Ok(pass) => pass,
            Err(reason) => {
                say(&format!("turned away {peer}: {reason}"));
                let _ = lanes[0].refuse(&reason);
                return;
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
        if self.sessions.fetch_add(1, Ordering::SeqCst) >= self.config.sessions_max {
            self.sessions.fetch_sub(1, Ordering::SeqCst);
            let _ = lanes[0].refuse(&self.too_many());
            return;
        }
        let started = self.accounts.open(&payer).and_then(|account| {
            let residency = self.accounts.open_residency()?;
            Ok((self.spawn(&lanes, arena_base, pass.as_ref(), &account, residency.as_ref())?, (account, residency)))
        });
        match started {
            Ok(((mut child, hatch, control, wicket), accounts)) => {
                if let Some(pass) = &pass {
                    pass.runs_as(child.id());
                }
                let (node, who, pid, payer) = (self.clone(), peer.to_owned(), child.id(), Arc::new(payer));
                let (serving, pays) = (self.clone(), payer.clone());
                let attended = thread(move || node.arbitrate(&who, pid, &control, &payer))
                    .and_then(|()| thread(move || serving.segments.attend(&wicket, &pays, pid)));
                if let Err(error) = attended {
                    say(&format!("worker {pid} of {peer} is ended: {error}"));
                    let _ = child.kill();
                    let _ = lanes[0].refuse(&no_threads(&error));
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
                // Before it is said: whoever reads that a place is free may take it.
                self.sessions.fetch_sub(1, Ordering::SeqCst);
                match status {
                    Ok(status) if status.success() => say(&format!("worker {} of {peer} ended", child.id())),
                    Ok(status) => say(&format!("worker {} of {peer} died: {status}", child.id())),
                    Err(error) => say(&format!("lost sight of worker {}: {error}", child.id())),
                }
            }
            Err(error) => {
                say(&format!("cannot start a worker for {peer}: {error}"));
                let _ = lanes[0].refuse(&format!("the node cannot start a worker process: {error}; try again, or tell whoever runs it"));
                self.sessions.fetch_sub(1, Ordering::SeqCst);
            }
        }
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
        command.stdin(Stdio::null()).stdout(Stdio::null());
        if self.config.identity.is_some() {
            // Its links to workers of other nodes are sealed too.
            command.envs(ca_file().map(|file| (CA_VARIABLE, file)));
        }
        let parts = pass.map(|pass| &pass.grant.parts).filter(|parts| !parts.is_empty());
        if let Some(parts) = parts {
            // The driver shows the worker these GPUs and no others, in this order.
            command.env("CUDA_VISIBLE_DEVICES", parts.iter().map(|part| part.gpu.as_str()).collect::<Vec<_>>().join(","));
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
            residency_rows: residency.map(|accounts| accounts.each_ref().map(|account| account.row)),
        };
        command.arg("worker").args(options.words()?);
        let (hatch, workers_end) = Hatch::pair()?;
        let (control, workers_control) = Control::pair()?;
        let (wicket, workers_wicket) = Wicket::pair()?;
        let behind = [workers_end.descriptor(), workers_control.descriptor(), account.descriptor(), workers_wicket.descriptor()];
        let residency = residency.into_iter().flatten().map(Account::descriptor);
        let descriptors: Vec<RawFd> = lanes.iter().flat_map(Connection::descriptors).chain(behind).chain(residency).collect();
        let parent = std::process::id();
        // SAFETY: the closure calls only functions that are safe between fork and exec.
        unsafe { command.pre_exec(move || hand_over(&descriptors, parent)) };
        Ok((command.spawn()?, hatch, control, wicket))
    }
}

/// A thread, or that the system has none to give.
fn thread(body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().spawn(body).map(drop)
}

pub fn no_threads(error: &io::Error) -> String {
    format!("the node can start no more threads ({error}): end sessions there, or raise its limit (`TasksMax`, `ulimit -u`)")
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
    // SAFETY: prctl and getppid take no pointers here.
    unsafe {
        check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
        check(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
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
