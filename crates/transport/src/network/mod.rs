//! A connection over the network: its data continues over another one if it breaks, checked against
//! flipped bits, and compressed where the network is slow.

pub mod heartbeat;

pub(crate) mod backlog;
pub(crate) mod checksum;
pub(crate) mod duplex_stream;
pub(crate) mod incoming;
pub(crate) mod line;
pub(crate) mod line_halves;
pub(crate) mod source_and_sink;
pub(crate) mod throughput;
pub(crate) mod tls;
