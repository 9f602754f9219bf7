//! Checks of a program, a machine or a connection, which several subcommands make.

pub mod cell_walls;
pub mod device_files;
pub mod driver_probe;
pub mod elf;
pub mod link;
pub mod program;
pub mod session;
