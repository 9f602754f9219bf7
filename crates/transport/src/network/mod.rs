//! Connections over the network. A lane's data continues over another connection if one breaks.
//! Checksums detect flipped bits, and slow networks carry compressed data.

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
