//! Settings for opening connections: names of environment variables, and time limits.

use std::time::Duration;

/// Time limit for a caller's whole hello.
pub(super) const HELLO_WAIT: Duration = Duration::from_millis(if cfg!(test) { 500 } else { 5_000 });
/// Time limit for the node's answer to a hello. Before the answer, the node starts a worker, which
/// initializes the GPU.
pub(super) const WELCOME_WAIT: Duration = Duration::from_secs(60);
/// Longest silence of a node that has not answered yet. Until its answer, the node regularly shows
/// that it is alive.
pub(super) const SIGN_WAIT: Duration = Duration::from_millis(if cfg!(test) { 500 } else { 7_000 });
/// Name of the variable that chooses the kind of connection.
pub const TRANSPORT_VARIABLE: &str = "OUTHAUL_TRANSPORT";
/// Name of the setting in `OUTHAUL_TUNE` with the first address of device memory.
pub const ARENA_SETTING: &str = "arena-base";
/// Name of the variable with the nodes whose GPUs a program uses.
pub const NODE_VARIABLE: &str = "OUTHAUL_NODE";
/// Name of the variable with the lease that a program's sessions belong to, and the lease's key.
pub const LEASE_VARIABLE: &str = "OUTHAUL_LEASE";
/// Name of the variable with the tenant whose share of the node's GPUs the program uses.
pub const TENANT_VARIABLE: &str = "OUTHAUL_TENANT";
