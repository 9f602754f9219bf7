//! A connection over the network: its data continues over another one if it breaks, checked against
//! flipped bits, and compressed where the network is slow.

pub mod heartbeat;

pub(crate) mod backlog;
pub(crate) mod checksum;
pub(crate) mod ends;
pub(crate) mod halves;
pub(crate) mod incoming;
pub(crate) mod line;
pub(crate) mod pace;
pub(crate) mod pipe;
pub(crate) mod tls;
