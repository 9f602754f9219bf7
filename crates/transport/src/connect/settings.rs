//! The settings of opening connections: names of variables, and how long each side waits.

use std::time::Duration;

/// Time in which a caller must have sent its whole hello.
pub(super) const HELLO_WAIT: Duration = Duration::from_millis(if cfg!(test) { 500 } else { 5_000 });
/// Time for the node to answer a hello: before that, it starts a worker, which starts the GPU.
pub(super) const WELCOME_WAIT: Duration = Duration::from_secs(60);
/// Longest silence of a node that has not answered yet. It says regularly that it is alive.
pub(super) const SIGN_WAIT: Duration = Duration::from_millis(if cfg!(test) { 500 } else { 7_000 });
/// Name of the variable that chooses the kind of connection.
pub const TRANSPORT_VARIABLE: &str = "OUTHAUL_TRANSPORT";
/// Name of the setting in `OUTHAUL_TUNE` with the first address of device memory.
pub const ARENA_SETTING: &str = "arena-base";
/// Name of the variable with the nodes whose GPUs a program uses.
pub const NODE_VARIABLE: &str = "OUTHAUL_NODE";
/// Name of the variable with the lease that a program's sessions belong to, and its key.
pub const LEASE_VARIABLE: &str = "OUTHAUL_LEASE";
/// Name of the variable with the tenant whose share of the node's GPUs the program uses.
pub const TENANT_VARIABLE: &str = "OUTHAUL_TENANT";
