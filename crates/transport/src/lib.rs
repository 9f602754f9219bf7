//! Lanes: connections that carry frames. A lane has a reading half and a writing half; one thread
//! at a time uses each. This crate hides the kind of connection from the code above it, and knows
//! nothing of what frames mean.

mod backlog;
mod checked;
mod connection;
mod contention;
mod deadline;
mod descriptor_socket;
mod incoming;
mod lane;
pub mod life;
mod line;
mod link;
mod local;
pub mod look;
mod memory_socket;
mod pace;
mod pack;
mod parcel;
mod patience;
mod pipe;
mod redial;
mod rejoin;
mod request_socket;
mod ring;
mod send;
mod session_key;
mod shared_memory;
mod tcp;
mod tls;
pub mod twin;
mod twin_set;

pub use connection::{
    ARENA_VARIABLE, Approach, Connection, HelloError, LEASE_VARIABLE, TENANT_VARIABLE, Transport,
    arena_base, connect, in_common,
};
pub use descriptor_socket::{DescriptorSocket, Key, fetch, visit};
pub use lane::{Lane, LaneError, LaneReader, LaneWriter, Sink, Source};
pub use line::{Bell, GRACE_VARIABLE, Grace, Line};
pub use link::{Caller, HandoverSocket, answer_link, call_link, link_lane};
pub use local::{
    dial_behind, dial_keeper, is_trusted, listen as listen_locally, listen_as_keeper,
    listen_behind, receive as receive_beside, send as send_beside,
};
pub use memory_socket::MemorySocket;
pub use pace::{FAR_MIN, Pace, PaceMeter};
pub use pack::{Packer, is_packing_wanted, unpack};
pub use parcel::{PARCEL_BYTES_MAX, Parcel, Post, is_same_file};
pub use patience::patiently;
pub use rejoin::{answer_rejoin, rejoin};
pub use request_socket::RequestSocket;
pub use session_key::{KeyExchange, SessionKey};
pub use shared_memory::SharedMemory;
pub use tcp::{take_bursts, tune};
pub use tls::{CA_VARIABLE, Identity, ca_file, trust};
pub use twin_set::TwinSet;
