//! Driver API functions about the driver, devices and contexts.

pub mod contexts;
pub mod device;
pub mod driver;
pub mod green;
pub mod logs;
