//! Code: the images that the program passes, and which nodes have loaded them.

pub mod images;
pub mod loading;
