//! Formats results as tables, charts and comma-separated values.

pub mod chart;
pub(crate) mod csv;
pub(crate) mod curves;
pub(crate) mod file;
pub mod plots;
pub(crate) mod table;
