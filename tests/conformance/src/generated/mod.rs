//! Code that `cargo xtask codegen` writes from the spec.

pub mod parameters;
