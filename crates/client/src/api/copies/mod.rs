//! Driver API functions that copy.

pub mod array;
pub mod array_rows;
pub mod batch;
pub mod captured;
pub mod flat;
pub mod host_rows;
pub mod on_device;
pub mod peer;
pub mod route;
pub mod rows;
pub mod segment_copies;
pub mod sides;
pub mod to_device;
pub mod to_host;
