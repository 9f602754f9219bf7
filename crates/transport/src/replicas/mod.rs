//! Memory that two processes keep equal over a link, word by word.

pub mod replica;
pub(crate) mod replica_set;
