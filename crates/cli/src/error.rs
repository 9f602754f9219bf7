//! The errors of subcommands, worded for the person who typed the command.

use outhaul_bench::CommandError;
use outhaul_node::listener::serve::ServeError;
use outhaul_transport::HelloError;
use outhaul_wire::handshake::HandshakeError;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// An error of a subcommand.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "will not listen on {0}: without a pool that has an identity, the node does not \
        authenticate its clients, and anyone who reaches that address could run code on this \
        machine's GPU; listen on 127.0.0.1 and forward the port (ssh -L 7654:127.0.0.1:7654 \
        HOST), or add --insecure on a network that you trust"
    )]
    NotLoopback(SocketAddr),
    #[error(
        "will not listen on {0}: the pool has no identity, so anyone who reaches that address \
        could use all of its GPUs; make an identity with `outhaul pool init`, or listen on \
        127.0.0.1 and forward the port (ssh -L 7653:127.0.0.1:7653 HOST), or add --insecure on a \
        network that you trust"
    )]
    PoolNotLoopback(SocketAddr),
    #[error(
        "{} has no pool's identity; name the folder with its ca.pem, ca-key.pem and \
        token-key.der, or make an identity there with `outhaul pool init --identity {}`",
        .0.display(), .0.display()
    )]
    NoPoolIdentity(PathBuf),
    #[error(
        "{} has no checksum, because a pool of an earlier build wrote it; nothing shows whether it \
        was damaged since then; restore it all the same with --without-checksum",
        .0.display()
    )]
    BackupWithoutChecksum(PathBuf),
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error("pool: {0}")]
    Pool(outhaul_pool::Error),
    #[error(transparent)]
    PoolServe(#[from] outhaul_pool::http::listen::ServeError),
    #[error(transparent)]
    PoolClient(#[from] outhaul_pool::http::client::ClientError),
    #[error("{0}")]
    Context(String),
    #[error(
        "no pool is named: use --pool URL, set OUTHAUL_POOL, or choose one with `outhaul use URL`"
    )]
    NoPool,
    #[error("OUTHAUL_POOL: {0}")]
    PoolVariable(String),
    #[error(
        "{0} does not know you; ask its operator for a join token (`outhaul pool token user \
        NAME` there) and join with `outhaul token join TOKEN --pool {0}`"
    )]
    NotJoined(String),
    #[error(
        "{0} does not know this node; make a join token with `outhaul pool token node NAME` on \
        the pool's machine, and start the node once with --join TOKEN"
    )]
    NodeNotJoined(String),
    #[error("{0}")]
    Identity(String),
    #[error("cannot join: {0}")]
    Join(#[from] outhaul_pool::http::joining::JoinError),
    #[error("neither {0} nor HOME is set, so there is no folder to keep it in")]
    NoFolder(&'static str),
    #[error("no lease is named, and OUTHAUL_LEASE is not set")]
    NoLease,
    #[error(
        "OUTHAUL_LEASE is set, but not to a lease's name and key as `outhaul request` makes them; \
        unset it, or use `eval \"$(outhaul request)\"`"
    )]
    LeaseVariable,
    #[error("--require-walls is set, but not all walls are available: {0}")]
    Walls(String),
    #[error("the node cannot serve its GPU: {0}")]
    Unservable(HelloError),
    #[error("{0}")]
    Probe(String),
    #[error("{0}")]
    Session(#[from] SessionError),
    #[error(
        "no node is named: use --node HOST:PORT, set OUTHAUL_NODE, or choose one with `outhaul \
        config set` and `outhaul use`; to run on the software GPU of this machine instead, use \
        `outhaul run --gpu soft`"
    )]
    NoNode,
    /// An error of `outhaul run` before the program starts.
    #[error("{0}")]
    NotStarted(Box<Error>),
    #[error("{program} {obstacle}; if it only starts other programs, start it with --unchecked")]
    Unsuitable { program: String, obstacle: Obstacle },
    #[error("the node at {node} would not serve the program: {reason}")]
    NodeRefuses { node: String, reason: String },
    #[error(
        "the lease {lease}, which OUTHAUL_LEASE of this shell names, has ended: {why}; get another \
        with `eval \"$(outhaul request)\"`, or remove it from this shell with `eval \"$(outhaul \
        release)\"`"
    )]
    OwnLeaseEnded { lease: String, why: String },
    #[error(
        "{0}; OUTHAUL_LEASE of this shell names that lease: if it has ended, get another with \
        `eval \"$(outhaul request)\"`, or remove it with `eval \"$(outhaul release)\"`"
    )]
    OwnLeaseRefused(Box<Error>),
    #[error(
        "this machine cannot use the GPU that the pool leased: {0}; if the name or the address \
        is wrong, the node's operator can set another with `outhaul serve --advertise HOST:PORT`"
    )]
    LeasedNode(Box<Error>),
    #[error(
        "{0} is for leases from a pool, but a node is named or no pool is; use --pool URL, or \
        leave it out"
    )]
    LeaseOptionWithoutPool(&'static str),
    #[error(
        "--tenant names a share of a node's GPUs, but a lease from a pool has its own share; \
        leave it out"
    )]
    TenantInPool,
    #[error("OUTHAUL_NODE: {0}")]
    NodeVariable(String),
    #[error("cannot find the {what} in {looked}; build it with `make build` or reinstall Outhaul")]
    NotInstalled { what: &'static str, looked: String },
    #[error(
        "{0} is neither a libcuda.so.1 nor a folder with one; programs load the driver by that name"
    )]
    NotADriver(PathBuf),
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error(
        "there is no folder for code images, because neither XDG_CACHE_HOME nor HOME is set; name \
        one with --cache DIR"
    )]
    NoCache,
    #[error(
        "no node of this user listens on {0} of this machine; run the command on the node's \
        machine, as the user that runs `outhaul serve`, and name its port with --node"
    )]
    NoNodeHere(String),
    #[error("the node refuses: {0}")]
    Refused(String),
    #[error(transparent)]
    Bench(#[from] outhaul_bench::Error),
    #[error("demo: {0}")]
    Demo(String),
    #[error("sim: {0}")]
    Simulation(#[from] outhaul_dag::Error),
    #[error(transparent)]
    Placement(#[from] outhaul_placement::Error),
    #[error("your user's name cannot be used in a pool: {0}; set USER to another one")]
    UserName(String),
    #[error("{0}")]
    PoolOwn(#[from] outhaul_pool::Error),
    #[error("{doing}: {error}")]
    Io { doing: String, error: io::Error },
}

/// The reason why a session did not begin, with advice.
#[derive(Debug, thiserror::Error)]
#[error("{error}{}", advice(error))]
pub struct SessionError {
    #[from]
    pub error: HelloError,
}

impl Error {
    /// Returns the exit code. As for env(1), codes below 125 are the command's own.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Command(error) => error.exit_code(),
            Error::Bench(error) => error.exit_code(),
            Error::NotStarted(_) => 125,
            _ => 1,
        }
    }
}

fn advice(error: &HelloError) -> &'static str {
    match error {
        HelloError::Unresolvable { .. } => "; check the spelling, or use the machine's IP address",
        HelloError::Unreachable { error, .. } => match error.kind() {
            io::ErrorKind::ConnectionRefused => "; is `outhaul serve` running there, on this port?",
            io::ErrorKind::TimedOut => "; is the machine on, and does a firewall drop the port?",
            _ => "; check the network between the two machines",
        },
        HelloError::Unproven { .. }
        | HelloError::NoTrust(_)
        | HelloError::Refused(_)
        | HelloError::Busy(_)
        | HelloError::Speaks { .. }
        | HelloError::Thread(_)
        | HelloError::Transport(_)
        | HelloError::Arena(_) => "",
        HelloError::NotLocal { .. } | HelloError::Unshared { .. } => {
            "; leave the variable out to reach it over TCP"
        }
        HelloError::Silent { .. } => {
            "; check its process and its machine's load, and restart it if it was stopped"
        }
        HelloError::Handshake(HandshakeError::Changed) => "",
        HelloError::Handshake(_) => "; another program owns that port: check the port number",
        HelloError::Io(_) => {
            "; another program may own that port; if it is a node, its log has the reason"
        }
    }
}

/// The reason why a program would not load Outhaul's library.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    #[error("is linked statically, so it loads no libcuda.so.1; link it dynamically")]
    Static,
    #[error("is a 32-bit program, but libcuda.so.1 has 64 bits; build it for 64 bits")]
    Narrow,
    #[error(
        "is for another CPU architecture than this machine's; build it for {}",
        std::env::consts::ARCH
    )]
    Foreign,
    #[error("is linked with musl, but Outhaul's libcuda.so.1 needs glibc; build it for glibc")]
    Musl,
    #[error(
        "runs as another user or with more rights (setuid, setgid or file capabilities), so the \
        system ignores the library path; start Outhaul inside it"
    )]
    Privileged,
    #[error(
        "looks for libraries in {} first (RPATH), and another libcuda.so.1 is there; remove \
        that file, or the RPATH (`patchelf --remove-rpath`)",
        .0.display()
    )]
    OwnDriver(PathBuf),
    #[error("names {0} as the driver that it loads; link it with -lcuda")]
    NamedDriver(String),
}
