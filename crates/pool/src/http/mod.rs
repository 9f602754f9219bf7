//! The pool's HTTP interface, for both sides: server, client, and web page.

pub mod api;
pub mod client;
mod connection;
pub mod joining;
pub mod listen;
pub mod metrics;
pub mod occupants;
pub mod prometheus;
pub mod server;
pub mod service;
