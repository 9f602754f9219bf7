//! Lanes: connections that carry frames. A lane has a reading half and a writing half; one thread
//! at a time uses each. This crate hides the kind of connection from the code above it, and does
//! not know what frames mean.

pub mod replicas;

pub mod network;

mod connect;
mod descriptors;
pub mod lanes;
pub mod os;

pub use crate::connect::connection::{
    Approach, Connection, Transport, arena_base, connect, in_common, is_local,
};
pub use crate::connect::handover_socket::{Caller, HandoverSocket};
pub use crate::connect::hello_error::HelloError;
pub use crate::connect::node_link::{answer_link, call_link, link_lane};
pub use crate::connect::rejoin::{answer_rejoin, rejoin};
pub use crate::connect::retry::retry_while_busy;
pub use crate::connect::session_key::{KeyExchange, SessionKey};
pub use crate::connect::settings::{ARENA_SETTING, LEASE_VARIABLE, NODE_VARIABLE, TENANT_VARIABLE};
pub use crate::descriptors::fd_channel::{FD_MESSAGE_BYTES_MAX, FdChannel, receive_fd, send_fds};
pub use crate::descriptors::fd_server::{FdServer, Key, dial_fd_server, fetch};
pub use crate::descriptors::memory_socket::MemorySocket;
pub use crate::descriptors::request_socket::RequestSocket;
pub use crate::descriptors::unix_socket::{
    accept_forever, dial_behind, dial_keeper, is_trusted, listen as listen_locally,
    listen_as_keeper, listen_behind,
};
pub use crate::lanes::compression::{Packer, is_packing_wanted, unpack};
pub use crate::lanes::lane::{Lane, LaneError, LaneReader, LaneWriter};
pub use crate::network::line::{Bell, GRACE_VARIABLE, Grace, Line};
pub use crate::network::source_and_sink::{Sink, Source};
pub use crate::network::throughput::{Pace, PaceMeter};
pub use crate::network::tls::{CA_VARIABLE, Identity, ca_file, trust};
pub use crate::os::shared_memory::SharedMemory;
pub use crate::os::tcp_info::FAR_MIN;
pub use crate::os::tcp_options::{take_bursts, tune};
pub use crate::replicas::replica_set::ReplicaSet;
