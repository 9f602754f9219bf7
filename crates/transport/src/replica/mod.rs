//! Memory that two processes keep equal over a link, word by word.

pub mod twin;
pub(crate) mod twin_set;
