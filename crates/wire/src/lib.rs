//! The protocol between client and worker: messages and their codec, frames, the handshake, handles
//! and limits. The crate does no I/O and reads no clock. All numbers are little-endian and have a
//! fixed width, so the protocol does not depend on either machine.

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
pub mod name;
pub mod sample;

pub use generated::{effects, messages};
