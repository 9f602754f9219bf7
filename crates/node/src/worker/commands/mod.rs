//! Carries out each command of a worker's client. The generated dispatch calls, for each message,
//! the method of `Worker` that has the message's name. A file has the methods of one noun. The
//! nouns are in the worker's other folders, and do not depend on commands.

pub mod code;
pub mod contexts;
pub mod copies;
pub mod device_resources;
pub mod graphs;
pub mod managed;
pub mod memory;
pub mod scheduling;
pub mod sensors;
pub mod streams;
