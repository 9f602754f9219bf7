//! The subcommands about one machine: serving its GPUs, running programs on them, and looking at
//! them. The subcommands about a pool are in `pool`, and `outhaul bench` in `bench`.

pub mod completion;
pub mod demo;
pub mod doctor;
pub mod energy;
pub mod ls;
pub mod run;
pub mod serve;
pub mod sim;
pub mod top;
