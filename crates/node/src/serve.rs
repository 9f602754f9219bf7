//! The listener: reads a stranger's hello, gathers the lanes of a session, gives it a place, and
//! starts a worker process that owns them.

use crate::RELEASE;
use crate::accounts::{Account, Accounts, Limits};
use crate::administration;
use crate::adoption::{self, Place};
use crate::arbitration::Arbitration;
use crate::cell::{Plan, Wall};
use crate::compiled::{self, Compiled};
use crate::control::Control;
use crate::descriptors::Descriptors;
use crate::drain::{self, Drain};
use crate::environment;
use crate::errands::Errands;
use crate::gathering::{Complete, Gatherings, Wishes};
use crate::handovers::{Handovers, Name};
use crate::keeping::Keeping;
use crate::lease::{Leases, Pass};
use crate::log::say;
use crate::meter::Meter;
use crate::places::{Entered, Places};
use crate::porch::{Entrance, Hearing, Porch};
use crate::process::Process;
use crate::record::Ways;
use crate::scratch::{self, Folder, Scratch};
use crate::segments::Segments;
use crate::session::Session;
use crate::starting::Starting;
use crate::tenants::Payer;
use crate::worker::Options;
use outhaul_cache::Folder as CodeFolder;
use outhaul_share::{Shares, check_name};
use outhaul_transport::{Caller, Connection, HandoverSocket, Identity, RequestSocket};
use outhaul_wire::codec::Reader;
use outhaul_wire::handshake::{
    Hello, Kind, LANE_COMMANDS, LinkHello, Objection, Rejoin, objection,
};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// The program that runs, even if its file has been replaced.
pub const OWN_PROGRAM: &str = "/proc/self/exe";
/// The first descriptor of a worker's lanes, which lie one behind the other.
pub const FIRST_LANE_DESCRIPTOR: RawFd = 3;

/// All code that is kept; what was used longest ago goes first.
const CODE_BYTES_MAX: u64 = 4 << 30;

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
    /// For how long sessions wait at most for another connection where one broke.
    pub grace: Duration,
    /// Sessions together may have more memory than the GPUs hold; what does not fit lies in so much
    /// of the host's.
    pub oversubscribe: Option<u64>,
    /// Then, what sessions have on each GPU at once, where that is less than it holds.
    pub card_bytes: Option<u64>,
    /// The walls around each worker.
    pub cell: Plan,
    /// By which the node is told to end.
    pub drain: Arc<Drain>,
    /// By which sessions outlast this process.
    pub keeping: Arc<Keeping>,
}

/// What a session has of the machine that its worker alone does not keep.
struct Belongings<'a> {
    account: &'a Account,
    residency: Option<&'a [Account; 3]>,
    scratch: Option<&'a Folder>,
    compiled: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("cannot listen on {address}: {error}; choose another with --listen HOST:PORT")]
    Listen { address: SocketAddr, error: io::Error },
}

pub struct Node {
    pub config: Config,
    gatherings: Gatherings,
    places: Places<Complete>,
    pub handovers: Arc<Handovers>,
    arbitration: Arc<Arbitration>,
    pub accounts: Arc<Accounts>,
    pub errands: Errands,
    /// Where sessions have folders, and where drivers keep what they compile: without a wall around
    /// files, where the node's does.
    scratch: Option<Scratch>,
    compiled: Option<Compiled>,
}

/// Listens; `ready` gets the address once connections are taken. Returns only on an error.
pub fn serve(config: Config, ready: impl FnOnce(SocketAddr)) -> Result<Infallible, ServeError> {
    let address = config.listen;
    let error = |error| ServeError::Listen { address, error };
    let descriptors = Descriptors::raise();
    let Place { network, local, scratch, left } =
        Place::take(address, &config.keeping).map_err(error)?;
    let address = network.local_addr().map_err(error)?;
    let arbitration = Arbitration::start(config.shares.clone());
    let accounts = Arc::new(Accounts::new(config.limits.clone()));
    config
        .oversubscribe
        .map_or(Ok(()), |host_bytes| accounts.oversubscribe(host_bytes, config.card_bytes))
        .map_err(error)?;
    if let Err(error) = administration::listen(address, arbitration.clone(), accounts.clone()) {
        say(&format!(
            "`outhaul node` and `outhaul top` will not find this node: the local name of {address} \
            cannot be taken: {error}"
        ));
    }
    if let Some(meter) = &config.meter {
        meter.watch(arbitration.clone(), config.leases.clone(), config.keeping.clone());
    }
    let code = CodeFolder::open(config.cache.clone(), CODE_BYTES_MAX).inspect_err(|error| {
        say(&format!("code is not kept between sessions: {}: {error}", config.cache.display()))
    });
    let code = code.ok();
    let compiled = config.cell.stands(Wall::Files).then(|| Compiled::of_node(address)).flatten();
    let errands = Errands {
        segments: Segments::new(accounts.clone(), config.keeping.clone()),
        code,
        leases: config.leases.clone(),
    };
    let node = Arc::new(Node {
        places: Places::new(config.sessions_max),
        config,
        arbitration,
        errands,
        scratch,
        compiled,
        accounts,
        gatherings: Gatherings::new(descriptors.clone()),
        handovers: Arc::default(),
    });
    adoption::adopt(&node, left);
    let entrances =
        [Entrance::Network(network)].into_iter().chain(local.map(Entrance::Local)).collect();
    let porch =
        Porch::new(entrances, descriptors, node.config.identity.is_some()).map_err(error)?;
    let (tidying, telling) = (node.clone(), node.clone());
    thread(move || tidying.gatherings.give_up_on_incomplete()).map_err(error)?;
    thread(move || telling.places.tell(|session, ahead| session.lanes[0].say_waiting(ahead)))
        .map_err(error)?;
    ready(address);
    porch.keep(move |connection, hearing| node.hear(connection, hearing))
}

impl Node {
    /// Hears a connection out. If it was the last of a session, serves that and those that wait for
    /// its place.
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
                self.pass_on(&peer, link_of(&body), connection);
                return None;
            }
            Ok((Kind::Rejoin, body)) => {
                self.pass_on(&peer, lane_of(&body), connection);
                return None;
            }
            Ok((_, body)) => body,
            Err(error) => {
                say(&format!("turned away {peer}: {error}"));
                return None;
            }
        };
        match Reader::new(&body).beginning::<Hello<'_>>() {
            Ok(hello) => {
                let unnamed = || {
                    Some(hello.tenant)
                        .filter(|tenant| !tenant.is_empty())
                        .and_then(|name| check_name(name).err())
                };
                let unnamed = || unnamed().map(|refusal| Objection::Words(refusal.to_string()));
                if let Some(objection) = objection(&hello, RELEASE).or_else(unnamed) {
                    turn_away(&peer, connection, objection);
                    return None;
                }
                if self.config.drain.has_begun() {
                    let _ = connection.refuse(drain::REFUSAL);
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

    /// Hands a connection to the worker of the session that it is for: a link, whose key the worker
    /// looks at, or one for a lane that goes on.
    fn pass_on(&self, peer: &str, caller: Option<([u8; 16], Caller)>, mut connection: Connection) {
        match caller
            .and_then(|(session, caller)| self.handovers.give(&session, caller, &connection))
        {
            Some(Ok(())) => return,
            // It takes others first, or has just ended.
            Some(Err(error)) => {
                let _ = connection
                    .say_busy(&format!("the session's worker takes no connection now: {error}"));
                return;
            }
            None => say(&format!("turned away {peer}: a connection to no session of this node")),
        }
        let _ = connection.refuse("the node has no session of that name");
    }

    /// A session takes a place, or waits for one. Whoever has served one serves the next that
    /// waits, so those need no threads.
    fn enter(self: &Arc<Node>, complete: Complete) {
        let greet = |session: &mut Complete, ahead| {
            // That it is gone is noticed later.
            session.lanes[0].say_waiting(ahead);
        };
        let next = match self.places.enter(complete, greet) {
            Entered::Placed(session) => Some(session),
            Entered::Waits => None,
            Entered::Full(mut session) => {
                return drop(session.lanes[0].say_busy(&self.places.words()));
            }
        };
        self.serve_each(next);
    }

    /// Serves it, and those that then wait for its place.
    fn serve_each(self: &Arc<Node>, mut next: Option<Complete>) {
        while let Some(session) = next {
            let ended = self.serve(session);
            next = self.leave(&ended);
        }
    }

    /// A session has ended, and its place is another's.
    fn leave(&self, ended: &str) -> Option<Complete> {
        // Before it is said: whoever reads that a place is free may take it.
        let next = self.places.leave();
        say(ended);
        next
    }

    /// For a session that runs already.
    pub fn take_place(&self) {
        self.places.take();
    }

    /// Goes on with a session that ran already, until it has ended.
    pub fn serve_adopted(self: &Arc<Node>, session: Session<'_>) {
        let _running = self.config.drain.admit();
        let ended = session.see_through(self);
        self.serve_each(self.leave(&ended));
    }

    /// Serves a session in a worker of its own, until that is gone. Gives what is to be said then.
    fn serve(self: &Arc<Node>, session: Complete) -> String {
        let Complete { peer, name, mut lanes, lease, tenant, wishes } = session;
        // It may have waited for a place until now.
        let Some(_running) = self.config.drain.admit() else {
            let _ = lanes[0].refuse(drain::REFUSAL);
            return format!("turned away {peer}: the node is about to end");
        };
        let Some(name) = self.handovers.name(name) else {
            let _ = lanes[0]
                .refuse("another session of the node has this name; start the program again");
            return format!("turned away {peer}: its session has another one's name");
        };
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
            self.errands.segments.forget_leases(|lease| leases.holds(lease));
            self.compiled
                .iter()
                .for_each(|compiled| compiled.forget_leases(|lease| leases.holds(lease)));
        }
        let started = self.start(&lanes, wishes, (&peer, name), pass, &payer);
        let (session, ways) = match started {
            Ok(started) => started,
            Err(error) => {
                let reason = format!(
                    "the node cannot start a worker process: {error}; try again, or tell whoever \
                    runs it"
                );
                let _ = if is_passing(&error) {
                    lanes[0].say_busy(&reason)
                } else {
                    lanes[0].refuse(&reason)
                };
                return format!("cannot start a worker for {peer}: {error}");
            }
        };
        if let Err(error) = self.attend(&session, ways, payer, true) {
            say(&format!("worker {} of {peer} is ended: {error}", session.worker.number()));
            session.worker.kill();
            let _ = lanes[0].say_busy(&no_threads(&error));
        }
        drop(lanes);
        say(&format!("session of {peer} is worker {}", session.worker.number()));
        session.see_through(self)
    }

    /// Starts the worker of a session, which from then on outlasts this process.
    fn start<'n>(
        &'n self,
        lanes: &[Connection],
        wishes: Wishes,
        (peer, name): (&str, Name),
        pass: Option<Pass<'n>>,
        payer: &Payer,
    ) -> io::Result<(Session<'n>, Ways)> {
        let account = self.accounts.open(payer)?;
        let residency = self.accounts.open_residency()?;
        // Without one a session does all but share some events.
        let scratch = self.scratch.as_ref().and_then(|scratch| scratch.folder().ok());
        let compiled = self.compiled.as_ref().and_then(|compiled| compiled.folder(payer));
        let belongings = Belongings {
            account: &account,
            residency: residency.as_ref(),
            scratch: scratch.as_ref(),
            compiled,
        };
        let (worker, ways) = self.spawn(lanes, wishes, pass.as_ref(), belongings)?;
        let (peer, worker) = (peer.to_owned(), Arc::new(worker));
        let session = Session { name, peer, worker, pass, account, residency, scratch };
        session.keep(&self.config.keeping, payer, &ways);
        if let Some(pass) = &session.pass {
            pass.runs_as(&session.worker);
        }
        Ok((session, ways))
    }

    /// Gives a worker its turns, runs its errands and hands it connections, in threads that end
    /// with it.
    pub fn attend(
        self: &Arc<Node>,
        session: &Session<'_>,
        ways: Ways,
        payer: Payer,
        is_new: bool,
    ) -> io::Result<()> {
        let Ways { handover, control, requests } = ways;
        let (node, who, pid, payer) =
            (self.clone(), session.peer.clone(), session.worker.number(), Arc::new(payer));
        let (serving, pays) = (self.clone(), payer.clone());
        session.name.leads_to(handover);
        thread(move || node.arbitrate(&who, pid, &control, &payer, is_new))?;
        thread(move || {
            if is_new || requests.ask_for_questions().is_ok() {
                serving.errands.attend(&requests, &pays, pid);
            }
        })
    }

    /// Gives a worker its turns until it is gone.
    fn arbitrate(&self, peer: &str, pid: u32, control: &Control, payer: &Payer, is_new: bool) {
        let attended = match is_new {
            true => self.arbitration.attend(peer, pid, control, payer),
            false => self.arbitration.attend_anew(peer, pid, control, payer),
        };
        if let Err(refusal) = attended {
            say(&format!("worker {pid} of {peer} is given no turns: {refusal}"));
            control.close();
        }
    }

    fn spawn(
        &self,
        lanes: &[Connection],
        Wishes { arena_base, grace, key_share }: Wishes,
        pass: Option<&Pass<'_>>,
        Belongings { account, residency, scratch, compiled }: Belongings<'_>,
    ) -> io::Result<(Process, Ways)> {
        let mut command = Command::new(OWN_PROGRAM);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .env_clear()
            .envs(environment::of_worker());
        if let Some(folder) = scratch.map(Folder::path) {
            command.env(scratch::VARIABLE, folder).env("TMPDIR", folder);
        }
        command.envs(compiled.map(|folder| (compiled::VARIABLE, folder)));
        let parts = pass.map(|pass| &pass.grant.parts).filter(|parts| !parts.is_empty());
        if let Some(parts) = parts {
            // The driver shows the worker these GPUs and no others, in this order.
            command.env(
                "CUDA_VISIBLE_DEVICES",
                parts.iter().map(|part| part.gpu.as_str()).collect::<Vec<_>>().join(","),
            );
        }
        let leases_grace =
            pass.and_then(|pass| pass.grant.grace_s).map_or(Duration::MAX, Duration::from_secs);
        let (handover, workers_end) = HandoverSocket::pair()?;
        let (control, workers_control) = Control::pair()?;
        let (requests, workers_requests) = RequestSocket::pair()?;
        let ledger = |account: &Account| account.descriptor().as_raw_fd();
        let behind = [
            workers_end.descriptor(),
            workers_control.descriptor(),
            ledger(account),
            workers_requests.descriptor(),
        ];
        let ledgers = residency.into_iter().flatten().map(ledger);
        let descriptors: Vec<RawFd> =
            lanes.iter().flat_map(Connection::descriptors).chain(behind).chain(ledgers).collect();
        let options = Options {
            library: self.config.library.clone(),
            cache: self.config.cache.clone(),
            lanes: lanes.len() as u16,
            descriptors: descriptors.len(),
            cell: self.config.cell.clone(),
            arena_base,
            sealed: self.config.identity.is_some(),
            devices: parts.map(Vec::len),
            row: account.row,
            kernel_limit: self.config.kernel_limit,
            grace: grace.min(self.config.grace).min(leases_grace),
            key_share,
            residency_rows: residency
                .map(|accounts| accounts.each_ref().map(|account| account.row)),
        };
        command.arg("worker").args(options.words()?);
        // What nobody keeps is not to be left behind.
        let parent = (!self.config.keeping.is_there()).then(std::process::id);
        let mut copies = vec![0; descriptors.len()];
        // SAFETY: the closure calls only functions that are safe between fork and exec.
        unsafe { command.pre_exec(move || hand_over(&descriptors, &mut copies, parent)) };
        Ok((command.spawn()?.into(), Ways { handover, control, requests }))
    }
}

fn turn_away(peer: &str, mut connection: Connection, objection: Objection) {
    // Who called may be gone.
    let _ = match objection {
        Objection::Dialect => connection.say_dialect(RELEASE),
        Objection::Words(reason) => {
            say(&format!("turned away {peer}: {reason}"));
            connection.refuse(&reason)
        }
    };
}

/// The session that a link is to, and its key.
fn link_of(hello: &[u8]) -> Option<([u8; 16], Caller)> {
    let hello = Reader::new(hello).beginning::<LinkHello>().ok()?;
    Some((hello.session, Caller::Link(hello.key)))
}

/// The session whose lane goes on with a connection. What is spoken on it is known since its hello.
fn lane_of(hello: &[u8]) -> Option<([u8; 16], Caller)> {
    let call: Rejoin = Reader::new(hello).beginning().ok()?;
    Some((call.session, Caller::Lane(call)))
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
        "the node can start no more threads ({error}): end sessions there, or raise its limit \
        (`TasksMax`, `ulimit -u`)"
    )
}

/// A lease's sessions use the lease's share, whatever they say; the node's own session has no
/// lease's.
fn payer(pass: Option<&Pass<'_>>, tenant: String) -> Payer {
    match pass {
        Some(pass) if !pass.grant.parts.is_empty() => Payer::Lease(pass.grant.clone()),
        None if !tenant.is_empty() => Payer::Named(tenant),
        _ => Payer::Own,
    }
}

/// In the child: puts the descriptors of the lanes, of the handover socket, of the control socket,
/// of the ledgers and of the request socket where the worker looks for them, and ties its life to
/// its parent's, where one is given. `copies` is room for as many, since no memory can be had
/// there.
fn hand_over(descriptors: &[RawFd], copies: &mut [RawFd], parent: Option<u32>) -> io::Result<()> {
    let check = |result: i32| if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) };
    let behind = FIRST_LANE_DESCRIPTOR + descriptors.len() as RawFd;
    // Out of the way first: a descriptor may lie where another one belongs.
    for (copy, descriptor) in copies.iter_mut().zip(descriptors) {
        // SAFETY: a plain descriptor call.
        *copy = check(unsafe { libc::fcntl(*descriptor, libc::F_DUPFD_CLOEXEC, behind) })?;
    }
    for (place, copy) in (FIRST_LANE_DESCRIPTOR..behind).zip(copies) {
        // SAFETY: as above. dup2 clears close-on-exec on its result.
        check(unsafe { libc::dup2(*copy, place) })?;
    }
    // SAFETY: prctl and getppid take no pointers here, and setrlimit a local.
    unsafe {
        if parent.is_some() {
            check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
        }
        check(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
        // What lies in a session's memory is nobody's to find on a disk.
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        check(libc::setrlimit(libc::RLIMIT_CORE, &none))?;
        if parent.is_some_and(|parent| libc::getppid() as u32 != parent) {
            libc::_exit(1);
        }
    }
    lie_elsewhere();
    Ok(())
}

/// What the worker maps lies elsewhere than what programs map, whose addresses it needs free: the
/// memory that they register lies there too, for the device. Some sandboxes forbid it, and then the
/// device cannot be shown such memory once in a hundred sessions.
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
