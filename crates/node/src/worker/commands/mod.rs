//! Executes the client's commands. For each message, the generated dispatch calls the method of
//! `Worker` that has the message's name. Each file contains the methods for one noun. The nouns
//! themselves are in the worker's other folders, and do not depend on commands.

pub mod code;
pub mod contexts;
pub mod copies;
pub mod device_resources;
pub mod graphs;
pub mod managed;
pub mod memory;
pub mod overhead;
pub mod scheduling;
pub mod sensors;
pub mod streams;
