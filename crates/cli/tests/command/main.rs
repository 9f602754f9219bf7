//! Tests of the command line, run as its users run it.

#[allow(dead_code, reason = "each test binary uses a part of it")]
#[path = "../fixtures/mod.rs"]
mod fixtures;

mod bench;
mod context;
mod manual;
mod node;
mod run;
mod sim;
mod tools;
