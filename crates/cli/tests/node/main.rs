//! Nodes on the software GPU, and the programs that share these nodes.

#[allow(dead_code, reason = "each test binary uses a part of it")]
#[path = "../fixtures/mod.rs"]
mod fixtures;

mod drain;
mod keeper;
mod limits;
mod oversubscription;
mod scarcity;
mod sharing;
mod ways_around;
