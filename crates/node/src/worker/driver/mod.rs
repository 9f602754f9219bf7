//! The session's part of the driver: its objects, images, textures and staging memory, and the
//! driver's properties.

pub mod device_resources;
pub mod devices;
pub mod images;
pub mod objects;
pub mod sensors;
pub mod shared_objects;
pub mod staging;
pub mod textures;
pub mod waiters;
