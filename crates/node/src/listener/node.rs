//! A listener's settings and state.

use crate::accounting::accounts::{Accounts, Limits};
use crate::cell::Plan;
use crate::cell::code_cache::Compiled;
use crate::cell::scratch::Scratch;
use crate::keeper::client::KeeperClient;
use crate::lease::Leases;
use crate::listener::drain::Drain;
use crate::listener::handovers::Handovers;
use crate::listener::session_assembly::{Assemblies, Complete};
use crate::listener::session_queue::SessionQueue;
use crate::listener::worker_services::WorkerServices;
use crate::meter::Meter;
use crate::sharing::arbitration::Arbitration;
use outhaul_share::Shares;
use outhaul_transport::Identity;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A node's settings.
#[derive(Clone)]
pub struct Config {
    /// Address to listen on.
    pub listen: SocketAddr,
    /// Path of the libcuda.so.1 that workers open.
    pub library: PathBuf,
    /// Folder that keeps code images between sessions.
    pub cache: PathBuf,
    /// Largest number of sessions that run at once.
    pub sessions_max: usize,
    /// The node's certificate and key. With an identity, sessions over the network use TLS.
    pub identity: Option<Identity>,
    /// The meter of the GPUs' use, on a node that belongs to a pool.
    pub meter: Option<Arc<Meter>>,
    /// The leases that may have sessions, on a node that belongs to a pool.
    pub leases: Option<Arc<Leases>>,
    /// The initial shares of the GPUs.
    pub shares: Shares,
    /// Memory limits of sessions without a lease.
    pub limits: Limits,
    /// Longest time that a kernel may run; a session with a longer kernel ends.
    pub kernel_limit: Option<Duration>,
    /// Longest time for which sessions wait for another connection after one broke.
    pub grace: Duration,
    /// Bytes of host memory for oversubscription. With this setting, sessions together may have
    /// more memory than the GPUs hold; the rest is in host memory.
    pub oversubscribe: Option<u64>,
    /// With oversubscription, bytes of each GPU that sessions together use at once, if fewer than
    /// the GPU holds.
    pub gpu_bytes: Option<u64>,
    /// The walls around each worker.
    pub cell: Plan,
    /// The state with which the node ends without ending its sessions.
    pub drain: Arc<Drain>,
    /// The connection to the keeper, which lets sessions outlive this process.
    pub keeping: Arc<KeeperClient>,
}

/// A listener's state.
pub struct Node {
    /// The settings.
    pub config: Config,
    /// Connections of sessions whose lanes have not all arrived.
    pub(super) gatherings: Assemblies,
    /// The places for sessions, and the sessions that wait for a place.
    pub(super) places: SessionQueue<Complete>,
    /// The names of sessions, and their workers' handover sockets.
    pub handovers: Arc<Handovers>,
    /// The GPUs' arbiters.
    pub(super) arbitration: Arc<Arbitration>,
    /// The memory accounts.
    pub accounts: Arc<Accounts>,
    /// The services for workers.
    pub worker_services: WorkerServices,
    /// The sessions' folders.
    pub(super) scratch: Option<Scratch>,
    /// Folders of drivers' compiled code. Without a wall around files, the drivers use the node's
    /// own folder instead.
    pub(super) compiled: Option<Compiled>,
}
