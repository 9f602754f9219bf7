//! Checks of the whole repository: layers of crates and folders, import cycles, file sizes, words
//! and comments.

mod file_creation;
mod folder_order;
mod import_cycles;
mod imports;
pub mod layering;
mod undocumented;
pub mod words;
