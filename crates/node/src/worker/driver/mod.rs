//! The session's state in the driver: its objects, images, textures and staging memory. Also the
//! driver's properties.

pub mod device_resources;
pub mod devices;
pub mod handle_history;
pub mod images;
pub mod objects;
pub mod process_memory;
pub mod sensors;
pub mod shared_objects;
pub mod staging;
pub mod textures;
pub mod waiters;
