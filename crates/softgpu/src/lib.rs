//! Placeholder.
pub mod engine;
