//! Lanes: connections that carry frames. A lane has a reading and a writing half, used by one thread each. Which kind of connection lies
//! under it shows nowhere above this crate; what frames mean shows nowhere inside it.

mod lane;
mod tcp;

pub use lane::{Lane, LaneError, LaneReader, LaneWriter, Source};
pub use tcp::{HelloError, accept_hello, adopt, connect, from_descriptor, refuse, tune};
