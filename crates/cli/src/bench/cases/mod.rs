//! Measurements of one program at a time.

pub mod copies;
pub mod energy;
pub mod latencies;
pub mod models;
pub mod particles;
pub mod pieces;
pub mod search;
