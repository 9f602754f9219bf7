//! Code: images that the program passes, and the nodes that know them.

pub mod images;
pub mod loading;
