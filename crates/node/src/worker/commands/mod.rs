//! The commands of a client: for each message a method of `Worker` that has the message's name, in
//! the file of its noun. The generated dispatch calls them. The nouns themselves are in the other
//! folders of the worker, and know nothing of commands.

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
