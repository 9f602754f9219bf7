//! Lanes: connections that carry frames, over the network or through rings in shared memory.

pub(crate) mod compression;

pub(crate) mod tcp;

pub(crate) mod lane;
pub(crate) mod ring;
