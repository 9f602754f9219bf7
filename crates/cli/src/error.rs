//! What can go wrong in a subcommand, in words for the person who typed it.

use crate::program::Obstacle;
use outhaul_node::serve::ServeError;
use outhaul_transport::HelloError;
use outhaul_wire::handshake::HandshakeError;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "will not listen on {0}: a node outside of a pool with an identity does not authenticate \
        its clients, so whoever reaches that address may run code on this \
         machine's GPU; listen on 127.0.0.1 and forward the port (ssh -L 7654:127.0.0.1:7654 \
         HOST), or add --insecure on a network that you trust"
    )]
    NotLoopback(SocketAddr),
    #[error(
        "will not listen on {0}: the pool has no identity, so whoever reaches that address has all \
        of its GPUs; make it one with `outhaul pool init`, \
         or listen on 127.0.0.1 and forward the port (ssh -L 7653:127.0.0.1:7653 HOST), or add \
         --insecure on a network that you trust"
    )]
    PoolNotLoopback(SocketAddr),
    #[error(
        "{} holds no pool's identity: name the folder that has its ca.pem, ca-key.pem and \
        token-key.der, or make one there with `outhaul pool init --identity {}`",
        .0.display(), .0.display()
    )]
    NoPoolIdentity(PathBuf),
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error("pool: {0}")]
    Pool(outhaul_pool::Error),
    #[error(transparent)]
    PoolServe(#[from] outhaul_pool::listen::ServeError),
    #[error(transparent)]
    PoolClient(#[from] outhaul_pool::client::ClientError),
    #[error("{0}")]
    Context(String),
    #[error(
        "no pool is named: use --pool URL, set OUTHAUL_POOL, or choose one with `outhaul use URL`"
    )]
    NoPool,
    #[error("OUTHAUL_POOL: {0}")]
    PoolVariable(String),
    #[error(
        "{0} does not know you: ask whoever runs it for a join token (`outhaul pool token user \
        NAME` there) and join with `outhaul token join TOKEN --pool {0}`"
    )]
    NotJoined(String),
    #[error(
        "{0} does not know this node: make it a join token with `outhaul pool token node NAME` on \
        the pool's machine, and start it with --join TOKEN once"
    )]
    NodeNotJoined(String),
    #[error("{0}")]
    Identity(String),
    #[error("cannot join: {0}")]
    Join(#[from] outhaul_pool::identity::joining::JoinError),
    #[error("neither {0} nor HOME is set, so there is no folder to keep it in")]
    NoFolder(&'static str),
    #[error("no lease is named, and OUTHAUL_LEASE is not set")]
    NoLease,
    #[error("walls are required (--require-walls), and not all can stand: {0}")]
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
    /// Of `outhaul run`, before there is a program.
    #[error("{0}")]
    NotStarted(Box<Error>),
    #[error(
        "{program} {obstacle}; --unchecked starts it all the same, for a program that only starts \
        others"
    )]
    Unsuitable { program: String, obstacle: Obstacle },
    #[error("the node at {node} would not serve the program: {reason}")]
    NodeRefuses { node: String, reason: String },
    #[error(
        "the pool has leased what this machine cannot use: {0}; if the name or the address is \
        wrong, whoever runs the node can name a better one with `outhaul serve --advertise \
        HOST:PORT`"
    )]
    LeasedNode(Box<Error>),
    #[error(
        "{0} says what to lease of a pool, and a node is named or no pool is; use --pool URL, or \
        leave it out"
    )]
    WishWithoutPool(&'static str),
    #[error(
        "--tenant names a share of a node's GPUs, and a lease of a pool has a share of its own; \
        leave it out"
    )]
    TenantInPool,
    #[error("OUTHAUL_NODE: {0}")]
    NodeVariable(String),
    #[error("the {what} lies in none of {looked}; build it with `make build` or reinstall Outhaul")]
    NotInstalled { what: &'static str, looked: String },
    #[error(
        "{0} is no libcuda.so.1 and no folder that holds one; programs load the driver by that name"
    )]
    NotADriver(PathBuf),
    #[error("cannot run {command}: {error}{}", hint(error))]
    Command { command: String, error: io::Error },
    #[error(
        "cannot keep code images anywhere: neither XDG_CACHE_HOME nor HOME is set; name a folder \
        with --cache DIR"
    )]
    NoCache,
    #[error(
        "no node of this user listens on {0} of this machine; run the command there, as who runs \
        `outhaul serve`, and name its port with --node"
    )]
    NoNodeHere(String),
    #[error("the node refuses: {0}")]
    Refused(String),
    #[error("bench: {0}")]
    Bench(String),
    #[error("demo: {0}")]
    Demo(String),
    #[error("sim: {0}")]
    Simulation(#[from] outhaul_dag::Error),
    #[error(transparent)]
    Placement(#[from] outhaul_placement::Error),
    #[error("{0}")]
    PoolOwn(#[from] outhaul_pool::Error),
    #[error("{doing}: {error}")]
    Io { doing: String, error: io::Error },
}

/// Why there is no session with a node, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{error}{}", advice(error))]
pub struct SessionError {
    #[from]
    pub error: HelloError,
}

impl Error {
    /// As env(1) has it: the command's own codes stay below 125.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Command { error, .. } if error.kind() == io::ErrorKind::NotFound => 127,
            Error::Command { .. } => 126,
            Error::NotStarted(_) => 125,
            _ => 1,
        }
    }
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "; check the spelling, or give its path (a script's interpreter may be missing too)"
        }
        io::ErrorKind::PermissionDenied => "; is it executable?",
        _ => "",
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
        | HelloError::Transport(_)
        | HelloError::Arena(_) => "",
        HelloError::NotLocal { .. } | HelloError::Unshared { .. } => {
            "; leave the variable out to reach it over TCP"
        }
        HelloError::Silent { .. } => {
            "; look at its process and its machine's load, and restart it if it was stopped"
        }
        HelloError::Handshake(HandshakeError::Changed) => "",
        HelloError::Handshake(_) => "; another program owns that port: check the port number",
        HelloError::Io(_) => {
            "; another program may own that port; if it is a node, its log says what happened"
        }
    }
}
