//! Checks of a program, a machine or a connection, which several subcommands make.

pub mod cells;
pub mod elf;
pub mod link;
pub mod probe;
pub mod program;
pub mod session;
