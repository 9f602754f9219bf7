//! The subcommands about one machine: they serve its GPUs, run programs on them, and report on
//! them. The subcommands about a pool are in `pool`.

pub mod bench;
pub mod completion;
pub mod demo;
pub mod doctor;
pub mod energy;
pub mod ls;
pub mod run;
pub mod serve;
pub mod sim;
pub mod top;
