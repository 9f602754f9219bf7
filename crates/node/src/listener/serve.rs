//! The listener's main part. It reads each connection's hello, gathers a session's lanes, gives the
//! session a place, and starts a worker process that owns the lanes.

use crate::RELEASE;
use crate::accounting::accounts::{Account, Accounts};
use crate::accounting::tenants::Payer;
use crate::cell::Wall;
use crate::cell::code_cache;
use crate::cell::code_cache::Compiled;
use crate::cell::environment;
use crate::cell::scratch;
use crate::cell::scratch::Folder;
use crate::inherited_fds::spawn_with;
use crate::lease::Pass;
use crate::listener::acceptor::{Acceptor, Entrance, HelloPermit};
use crate::listener::descriptor_limit::Descriptors;
use crate::listener::drain;
use crate::listener::handovers::Name;
use crate::listener::node::{Config, Node};
use crate::listener::session::{Session, WorkerSockets};
use crate::listener::session_assembly::{Assemblies, Complete, SessionOptions};
use crate::listener::session_queue::{Entered, SessionQueue, Start};
use crate::listener::session_watch::{SessionWatch, Watched, WatchedSession};
use crate::listener::takeover;
use crate::listener::takeover::NodeSockets;
use crate::listener::thread_spawning::thread;
use crate::listener::worker_services::WorkerServices;
use crate::log::log_event;
use crate::pidfd::{OWN_PROGRAM, Process};
use crate::sharing::admin_socket;
use crate::sharing::arbitration::Arbitration;
use crate::sharing::scheduler_channel::SchedulerChannel;
use crate::sharing::shared_segments::Segments;
use crate::worker::Options;
use crate::worker::io::handshake_progress::HandshakeProgress;
use crate::worker::io::threads::no_threads;
use crate::worker::io::worker_fds::WorkerFds;
use outhaul_files::cache::Folder as CodeFolder;
use outhaul_lock::Mutex;
use outhaul_share::check_name;
use outhaul_transport::{Caller, Connection, HandoverSocket, RequestSocket, is_local};
use outhaul_wire::codec::Reader;
use outhaul_wire::handshake::{
    HandshakeKind, Hello, LANE_COMMANDS, LinkHello, Objection, Rejoin, objection,
};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// Upper bound on the code cache's size in bytes; the cache deletes the least recently used code
/// first.
const CODE_BYTES_MAX: u64 = 4 << 30;

/// The resources of a session that the listener holds.
struct Belongings<'a> {
    account: &'a Account,
    residency: Option<&'a [Account; 3]>,
    scratch: Option<&'a Folder>,
    compiled: Option<PathBuf>,
}

/// Why a node cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The node cannot listen on the address.
    #[error("cannot listen on {address}: {error}; choose another with --listen HOST:PORT")]
    Listen {
        /// Address that the user chose.
        address: SocketAddr,
        /// The reason.
        error: io::Error,
    },
    /// This process may open too few files.
    #[error("{0}")]
    Descriptors(String),
    /// This process may start too few threads.
    #[error("{0}")]
    Threads(String),
}

/// Runs the listener. Calls `ready` with the address once it accepts connections. Returns only on
/// an error.
pub fn serve(
    config: Config,
    ready: impl FnOnce(SocketAddr) -> io::Result<()>,
) -> Result<Infallible, ServeError> {
    let address = config.listen;
    let error = |error: io::Error| match error.raw_os_error() {
        Some(libc::EAGAIN) => ServeError::Threads(no_threads(&error)),
        _ => ServeError::Listen { address, error },
    };
    let descriptors = Descriptors::raise();
    descriptors.shortage().map_or(Ok(()), |words| Err(ServeError::Descriptors(words)))?;
    let NodeSockets { network, local, scratch, left } =
        NodeSockets::take(address, &config.keeping).map_err(error)?;
    let address = network.local_addr().map_err(error)?;
    let arbitration = Arbitration::start(config.shares.clone()).map_err(error)?;
    let accounts = Arc::new(Accounts::new(config.limits.clone()));
    config
        .oversubscribe
        .map_or(Ok(()), |host_bytes| accounts.oversubscribe(host_bytes, config.gpu_bytes))
        .map_err(error)?;
    if let Err(error) = admin_socket::listen(address, arbitration.clone(), accounts.clone()) {
        log_event(&format!(
            "`outhaul node` and `outhaul top` will not find this node: the local name of {address} \
            cannot be taken: {error}"
        ));
    }
    if let Some(meter) = &config.meter {
        meter.watch(arbitration.clone(), config.leases.clone(), config.keeping.clone());
    }
    let code = CodeFolder::open(config.cache.clone(), CODE_BYTES_MAX).inspect_err(|error| {
        log_event(&format!(
            "code is not kept between sessions: {}: {error}",
            config.cache.display()
        ))
    });
    let code = code.ok();
    let compiled = config.cell.is_wanted(Wall::Files).then(|| Compiled::of_node(address)).flatten();
    let worker_services = WorkerServices {
        segments: Segments::new(accounts.clone(), config.keeping.clone()),
        code,
        leases: config.leases.clone(),
        watch: Arc::default(),
    };
    let node = Arc::new(Node {
        places: SessionQueue::new(config.sessions_max),
        config,
        arbitration,
        worker_services,
        scratch,
        compiled,
        accounts,
        gatherings: Assemblies::new(descriptors.clone()),
        handovers: Arc::default(),
    });
    takeover::adopt(&node, left);
    let entrances =
        [Entrance::Network(network)].into_iter().chain(local.map(Entrance::Local)).collect();
    let acceptor =
        Acceptor::new(entrances, descriptors, node.config.identity.is_some()).map_err(error)?;
    let (tidying, reporting) = (node.clone(), node.clone());
    let watch: Arc<SessionWatch> = node.worker_services.watch.clone();
    thread(move || watch.check_regularly()).map_err(error)?;
    thread(move || tidying.gatherings.give_up_on_incomplete()).map_err(error)?;
    thread(move || {
        reporting.places.report_positions(
            |session, ahead| match ahead {
                Some(ahead) => session.lanes[0].send_waiting(ahead),
                None => session.lanes[0].is_open() && session.lanes[0].send_starting().is_ok(),
            },
            |next| reporting.serve_in_thread(next),
        )
    })
    .map_err(error)?;
    ready(address).map_err(error)?;
    acceptor.keep(move |connection, permit| node.read_hello(connection, permit))
}

impl Node {
    /// Reads a connection's hello. If the connection completes a session, serves that session, and
    /// then the sessions that wait for its place.
    fn read_hello(self: &Arc<Node>, connection: Connection, permit: HelloPermit) {
        let complete = self.welcome(connection);
        drop(permit);
        if let Some(complete) = complete {
            self.enter(complete);
        }
    }

    /// Reads a connection's hello and handles the connection accordingly. Returns a complete
    /// session if the connection was its last lane.
    fn welcome(&self, mut connection: Connection) -> Option<Complete> {
        let peer = connection.peer();
        let body = match connection.accept_hello(self.config.identity.as_ref()) {
            Ok((HandshakeKind::Link, body)) => {
                self.pass_on(&peer, link_of(&body), connection);
                return None;
            }
            Ok((HandshakeKind::Rejoin, body)) => {
                self.pass_on(&peer, lane_of(&body), connection);
                return None;
            }
            Ok((_, body)) => body,
            Err(error) => {
                log_event(&format!("turned away {peer}: {error}"));
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
                if self.config.drain.is_draining() {
                    let _ = connection.refuse(drain::REFUSAL);
                    return None;
                }
                if hello.is_question() {
                    self.answer(connection, hello.lease);
                    return None;
                }
                if hello.lane == LANE_COMMANDS {
                    // The worker notices later if the client is gone.
                    let _ = connection.send_starting();
                }
                self.gatherings.add(&hello, peer, connection)
            }
            Err(error) => {
                log_event(&format!("turned away {peer}: its hello is malformed: {error}"));
                None
            }
        }
    }

    /// Tells a client whether the node would serve a session or queue it. No session begins.
    fn answer(&self, connection: Connection, lease: &str) {
        let starting = HandshakeProgress::new(connection);
        let admitted =
            self.config.leases.as_ref().map_or(Ok(()), |leases| leases.admit(lease).map(drop));
        let mut connection = starting.over();
        // An error means that the client is gone.
        let _ = match admitted {
            Ok(()) if self.places.are_full() => connection.send_busy(&self.places.refusal()),
            Ok(()) => connection.send_acceptance(),
            Err(reason) => connection.refuse(&reason),
        };
    }

    /// Hands a connection to its session's worker. The connection is a link, whose key the worker
    /// checks, or a new connection for a lane.
    fn pass_on(&self, peer: &str, caller: Option<([u8; 16], Caller)>, mut connection: Connection) {
        match caller
            .and_then(|(session, caller)| self.handovers.give(&session, caller, &connection))
        {
            Some(Ok(())) => return,
            // The worker is busy with other connections, or has just ended.
            Some(Err(error)) => {
                let _ = connection
                    .send_busy(&format!("the session's worker takes no connection now: {error}"));
                return;
            }
            None => log_event(&format!("turned away {peer}: its session is not on this node")),
        }
        let _ = connection.refuse("the node has no session of that name");
    }

    /// Gives a session a place, or queues it. The thread that has served a session then serves the
    /// next waiting session, so waiting sessions need no threads.
    fn enter(self: &Arc<Node>, complete: Complete) {
        let greet = |session: &mut Complete, ahead| {
            // If the client is gone, the node notices that later.
            session.lanes[0].send_waiting(ahead);
        };
        let next = match self.places.enter(complete, greet) {
            Entered::Placed(session, start) => Some((session, start)),
            Entered::Waits => None,
            Entered::Full(mut session) => {
                return drop(session.lanes[0].send_busy(&self.places.refusal()));
            }
        };
        self.serve_each(next);
    }

    /// Serves a session, and then the sessions that wait for its place.
    fn serve_each(self: &Arc<Node>, mut next: Option<(Complete, Start)>) {
        while let Some((session, start)) = next {
            let ended = self.serve(session, start);
            next = self.leave(&ended, Some(start));
        }
    }

    /// Does what `serve_each` does, in a thread.
    fn serve_in_thread(self: &Arc<Node>, next: (Complete, Start)) {
        let (node, start, handed) = (self.clone(), next.1, Arc::new(Mutex::new(Some(next))));
        let taken = handed.clone();
        if let Err(error) = thread(move || node.serve_each(taken.lock().take())) {
            let unserved = handed.lock().take();
            unserved.map(|(mut session, _)| session.lanes[0].send_busy(&no_threads(&error)));
            // Any session that waits for the place is served once another one ends.
            self.places.leave(Some(start)).into_iter().for_each(|next| self.serve_in_thread(next));
        }
    }

    /// Frees the place of a session that has ended, and returns the next session. `ended` is the
    /// line for the log.
    fn leave(&self, ended: &str, start: Option<Start>) -> Option<(Complete, Start)> {
        // The place must be free before the log reports the end, because a reader of the log may
        // then start a session.
        let next = self.places.leave(start);
        log_event(ended);
        next
    }

    /// Takes a place for a session that already runs.
    pub fn take_place(&self) {
        self.places.take();
    }

    /// Serves a session that an earlier listener started, until the session has ended.
    pub fn serve_adopted(self: &Arc<Node>, session: Session<'_>) {
        let _running = self.config.drain.admit();
        let ended = session.await_end(&self.config.keeping);
        self.serve_each(self.leave(&ended, None));
    }

    /// Serves a session in a new worker until the worker has ended. Returns the line for the log.
    fn serve(self: &Arc<Node>, session: Complete, start: Start) -> String {
        let Complete { peer, name, mut lanes, lease, tenant, options } = session;
        // The session may have waited for a place until now.
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
            let starting = HandshakeProgress::new(lanes.remove(0));
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
            // The meter, if any, makes the arbiters forget ended leases after it has booked their
            // use.
            if self.config.meter.is_none() {
                self.arbitration.forget_leases(|lease| leases.holds(lease));
            }
            self.worker_services.segments.forget_leases(|lease| leases.holds(lease));
            self.compiled
                .iter()
                .for_each(|compiled| compiled.forget_leases(|lease| leases.holds(lease)));
        }
        let started = self.start(&lanes, options, (&peer, name), pass, &payer);
        let (session, sockets) = match started {
            Ok(started) => started,
            Err(error) => {
                let reason = match error.raw_os_error() {
                    Some(libc::EAGAIN) => no_threads(&error),
                    _ => format!(
                        "the node cannot start a worker process: {error}; try again, or tell its \
                        administrator"
                    ),
                };
                let _ = if is_passing(&error) {
                    lanes[0].send_busy(&reason)
                } else {
                    lanes[0].refuse(&reason)
                };
                return format!("cannot start a worker for {peer}: {error}");
            }
        };
        if let Err(error) = self.attend(&session, sockets, payer, Some(start)) {
            log_event(&format!("worker {} of {peer} is ended: {error}", session.worker.number()));
            session.worker.kill();
            let _ = lanes[0].send_busy(&no_threads(&error));
        }
        drop(lanes);
        log_event(&format!("session of {peer} is worker {}", session.worker.number()));
        session.await_end(&self.config.keeping)
    }

    /// Starts a session's worker. With a keeper, the session outlives this process from then on.
    fn start<'n>(
        &'n self,
        lanes: &[Connection],
        options: SessionOptions,
        (peer, name): (&str, Name),
        pass: Option<Pass<'n>>,
        payer: &Payer,
    ) -> io::Result<(Session<'n>, WorkerSockets)> {
        let account = self.accounts.open(payer)?;
        let residency = self.accounts.open_residency()?;
        // A session without a folder runs, but cannot share some events.
        let scratch = self.scratch.as_ref().and_then(|scratch| scratch.folder().ok());
        let compiled = self.compiled.as_ref().and_then(|compiled| compiled.folder(payer));
        let belongings = Belongings {
            account: &account,
            residency: residency.as_ref(),
            scratch: scratch.as_ref(),
            compiled,
        };
        let leases_grace = pass.as_ref().and_then(|pass| pass.grant.grace_s);
        let leases_grace = leases_grace.map_or(Duration::MAX, Duration::from_secs);
        let grace = options.grace.min(self.config.grace).min(leases_grace);
        let options = SessionOptions { grace, ..options };
        let client = lanes[0].descriptors().0;
        let (worker, sockets) = self.spawn(lanes, options, &name, pass.as_ref(), belongings)?;
        let (peer, worker) = (peer.to_owned(), Arc::new(worker));
        let watched = client
            .try_clone_to_owned()
            .and_then(|client| self.watch(&peer, &worker, (client, grace), &account))
            .inspect_err(|_| worker.kill())?;
        let session = Session { name, peer, worker, pass, account, residency, scratch, watched };
        session.keep(&self.config.keeping, payer, &sockets, (client, grace));
        if let Some(pass) = &session.pass {
            pass.runs_as(&session.worker);
        }
        Ok((session, sockets))
    }

    /// Watches a session, whose first lane has the socket `client` and waits `grace` after a break.
    pub fn watch(
        &self,
        peer: &str,
        worker: &Arc<Process>,
        (client, grace): (OwnedFd, Duration),
        account: &Account,
    ) -> io::Result<WatchedSession> {
        self.accounts.note_worker(worker.number(), account);
        Ok(self.worker_services.watch.add(Watched {
            peer: peer.to_owned(),
            worker: worker.clone(),
            is_local: is_local(&client)?,
            client,
            grace,
            pulse: Box::new(account.pulse()),
        }))
    }

    /// Starts threads that serve a worker's turns and requests, and that end with the worker.
    /// `start` is the start of a new session.
    pub fn attend(
        self: &Arc<Node>,
        session: &Session<'_>,
        sockets: WorkerSockets,
        payer: Payer,
        start: Option<Start>,
    ) -> io::Result<()> {
        let is_new = start.is_some();
        let WorkerSockets { handover, scheduler, requests } = sockets;
        let (node, peer, pid, payer) =
            (self.clone(), session.peer.clone(), session.worker.number(), Arc::new(payer));
        let (serving, pays) = (self.clone(), payer.clone());
        session.name.leads_to(handover);
        thread(move || node.arbitrate(&peer, pid, &scheduler, &payer, is_new))?;
        thread(move || {
            if is_new || requests.ask_for_questions().is_ok() {
                let started = || {
                    let next = start.and_then(|start| serving.places.started(start));
                    next.into_iter().for_each(|next| serving.serve_in_thread(next));
                };
                serving.worker_services.attend(&requests, &pays, pid, started);
            }
        })
    }

    /// Serves a worker's turns until the worker is gone.
    fn arbitrate(
        &self,
        peer: &str,
        pid: u32,
        control: &SchedulerChannel,
        payer: &Payer,
        is_new: bool,
    ) {
        let attended = match is_new {
            true => self.arbitration.attend(peer, pid, control, payer),
            false => self.arbitration.attend_anew(peer, pid, control, payer),
        };
        if let Err(refusal) = attended {
            log_event(&format!("worker {pid} of {peer} is given no turns: {refusal}"));
            control.close();
        }
    }

    fn spawn(
        &self,
        lanes: &[Connection],
        SessionOptions { arena_base, grace, key_share }: SessionOptions,
        name: &Name,
        pass: Option<&Pass<'_>>,
        Belongings { account, residency, scratch, compiled }: Belongings<'_>,
    ) -> io::Result<(Process, WorkerSockets)> {
        let mut command = Command::new(OWN_PROGRAM);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .env_clear()
            .envs(environment::of_worker());
        if let Some(folder) = scratch.map(Folder::path) {
            command.env(scratch::VARIABLE, folder).env("TMPDIR", folder);
        }
        command.envs(compiled.map(|folder| (code_cache::VARIABLE, folder)));
        let parts = pass.map(|pass| &pass.grant.parts).filter(|parts| !parts.is_empty());
        if let Some(parts) = parts {
            // The driver shows the worker only the GPUs in `parts`, in their order.
            command.env(
                "CUDA_VISIBLE_DEVICES",
                parts.iter().map(|part| part.gpu.as_str()).collect::<Vec<_>>().join(","),
            );
        }
        let (handover, workers_handover) = HandoverSocket::pair()?;
        let (scheduler, workers_scheduler) = SchedulerChannel::pair()?;
        let (requests, workers_requests) = RequestSocket::pair()?;
        let (given, fds) = WorkerFds {
            lanes: lanes.iter().map(Connection::descriptors).collect(),
            handover: workers_handover.as_fd(),
            scheduler: workers_scheduler.as_fd(),
            requests: workers_requests.as_fd(),
            ledger: account.ledger_row(),
            residency: residency.map(|rows| rows.each_ref().map(Account::ledger_row)),
        }
        .give();
        let options = Options {
            library: self.config.library.clone(),
            cache: self.config.cache.clone(),
            fds,
            cell: self.config.cell.clone(),
            arena_base,
            sealed: self.config.identity.is_some(),
            devices: parts.map(Vec::len),
            kernel_limit: self.config.kernel_limit,
            frames_per_s: pass.and_then(|pass| pass.grant.frames_per_s),
            grace,
            key_share,
        };
        command.arg("worker").args(options.words()?);
        // Without a keeper, a worker must not outlive this process.
        let parent = (!self.config.keeping.is_there()).then(std::process::id);
        // As soon as the worker welcomes its client, the client may replace a connection or open a
        // link.
        name.leads_to(handover.as_fd().try_clone_to_owned()?.into());
        // SAFETY: the closure calls only functions that are safe between fork and exec.
        unsafe { command.pre_exec(move || begin_worker(parent)) };
        let worker = spawn_with(command, &given)?.into();
        Ok((worker, WorkerSockets { handover, scheduler, requests }))
    }
}

fn turn_away(peer: &str, mut connection: Connection, objection: Objection) {
    // An error means that the client is gone.
    let _ = match objection {
        Objection::Dialect => connection.send_dialect(RELEASE),
        Objection::Words(reason) => {
            log_event(&format!("turned away {peer}: {reason}"));
            connection.refuse(&reason)
        }
    };
}

/// Returns the session and the key of a link.
fn link_of(hello: &[u8]) -> Option<([u8; 16], Caller)> {
    let hello = Reader::new(hello).beginning::<LinkHello>().ok()?;
    Some((hello.session, Caller::Link(hello.key)))
}

/// Returns the session and the call of a new connection for a lane. The lane's first hello has
/// already established the dialect.
fn lane_of(hello: &[u8]) -> Option<([u8; 16], Caller)> {
    let call: Rejoin = Reader::new(hello).beginning().ok()?;
    Some((call.session, Caller::Lane(call)))
}

/// Returns whether `error` means that the operating system lacks a resource only temporarily.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EMFILE | libc::ENFILE | libc::ENOMEM))
}

/// Returns the payer of a session. A session with a lease uses the lease's share, regardless of the
/// tenant in its hello. The node's own session has a lease without parts.
fn payer(pass: Option<&Pass<'_>>, tenant: String) -> Payer {
    match pass {
        Some(pass) if !pass.grant.parts.is_empty() => Payer::Lease(pass.grant.clone()),
        None if !tenant.is_empty() => Payer::Named(tenant),
        _ => Payer::Own,
    }
}

/// Restricts the worker's process, and makes it die with `parent`, if that is given. This function
/// runs in the child.
fn begin_worker(parent: Option<u32>) -> io::Result<()> {
    let check = |result: i32| if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) };
    // SAFETY: prctl and getppid take no pointers here, and setrlimit takes a pointer to a local.
    unsafe {
        if parent.is_some() {
            check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
        }
        check(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
        // A core dump would write a session's memory to a disk.
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        check(libc::setrlimit(libc::RLIMIT_CORE, &none))?;
        if parent.is_some_and(|parent| libc::getppid() as u32 != parent) {
            libc::_exit(1);
        }
    }
    use_legacy_mmap_layout();
    Ok(())
}

/// Makes the worker's mappings avoid the addresses that programs use. The worker maps the memory
/// that programs register for the device at the programs' own addresses, so these must be free.
/// Some sandboxes forbid this setting. In one of a hundred sessions, such memory then cannot be
/// mapped for the device.
fn use_legacy_mmap_layout() {
    if cfg!(thread_sanitizer) {
        return;
    }
    // SAFETY: takes only numbers; the coming exec replaces all present mappings.
    unsafe {
        if let current @ 0.. = libc::personality(0xFFFF_FFFF) {
            libc::personality((current | libc::ADDR_COMPAT_LAYOUT) as libc::c_ulong);
        }
    }
}
