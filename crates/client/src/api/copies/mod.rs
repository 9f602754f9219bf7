//! Functions of the driver API that copy.

pub mod array;
pub mod array_copy;
pub mod batch;
pub mod between_devices;
pub mod copy;
pub mod memfd;
pub mod peer;
pub mod rows;
pub mod sides;
