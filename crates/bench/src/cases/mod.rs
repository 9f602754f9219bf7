//! Measurements of one program at a time.

pub mod copies;
pub mod latencies;
pub mod models;
pub mod particles;
pub mod pieces;
pub mod run;
pub mod smith_waterman;
