//! Checks of the whole repository: layers of crates and folders, circles of modules, sizes of
//! files, words and comments.

mod folder_order;
mod import_cycles;
mod imports;
pub mod layering;
mod undocumented;
pub mod words;
