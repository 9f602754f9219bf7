//! Formats results as tables, charts and comma-separated values.

pub mod chart;
pub mod csv;
pub mod file;
pub mod plots;
pub mod table;
