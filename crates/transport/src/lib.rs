//! Lanes: connections that carry frames. A lane has a reading and a writing half, used by one thread each. Which kind of connection lies
//! under it shows nowhere above this crate; what frames mean shows nowhere inside it.

mod checked;
mod connection;
mod deadline;
mod door;
mod lane;
pub mod life;
mod link;
mod local;
pub mod look;
mod pace;
mod pack;
mod passage;
mod patience;
mod ring;
mod send;
mod shared_memory;
mod tcp;
mod tls;
pub mod twin;
mod twin_set;
mod wicket;

pub use connection::{
    ARENA_VARIABLE, Approach, Connection, HelloError, LEASE_VARIABLE, TENANT_VARIABLE, Transport,
    arena_base, connect,
};
pub use door::{Door, Key, fetch};
pub use lane::{Lane, LaneError, LaneReader, LaneWriter, Sink, Source};
pub use link::{Hatch, answer_link, call_link, link_lane};
pub use local::{dial_behind, is_trusted, listen as listen_locally, listen_behind};
pub use pace::{FAR_MIN, Pace, PaceMeter};
pub use pack::{Packer, is_packing_wanted, unpack};
pub use passage::Passage;
pub use patience::patiently;
pub use shared_memory::SharedMemory;
pub use tcp::{take_bursts, tune};
pub use tls::{CA_VARIABLE, Identity, ca_file, trust};
pub use twin_set::TwinSet;
pub use wicket::Wicket;
