//! Pools, their nodes, and programs with leases.

#[allow(dead_code, reason = "each test binary uses a part of it")]
#[path = "../fixtures/mod.rs"]
mod fixtures;

mod absence;
mod frames;
mod identity;
mod interface;
mod leases;
mod operators;
mod page;
mod private_files;
mod processes;
mod quotas;
