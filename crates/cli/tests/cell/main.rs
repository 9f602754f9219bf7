//! The cells of workers: what an attacker inside reaches, and what a driver may do.

#[allow(dead_code, reason = "each test binary uses a part of it")]
#[path = "../fixtures/mod.rs"]
mod fixtures;

mod driver;
mod hostile;
mod walls;
