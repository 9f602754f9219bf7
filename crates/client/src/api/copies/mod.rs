//! Functions of the driver API that copy.

pub mod array;
pub mod batch;
pub mod copy;
pub mod memfd;
pub mod peer;
pub mod rows;
