//! What travels between client and worker: messages and their codec, frames, the handshake, handles
//! and limits. Pure: no I/O, no clock. Everything is little-endian and of fixed width, so that
//! neither side's machine shows on the wire.

#![forbid(unsafe_code)]

pub mod codec;
pub mod effect;
pub mod frame;
mod generated {
    pub mod effects;
    pub mod messages;
}
pub mod handle;
pub mod handshake;
pub mod level;
pub mod limits;
pub mod sample;

pub use generated::{effects, messages};
