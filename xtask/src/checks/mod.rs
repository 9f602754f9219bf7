//! Checks of the whole repository: layers of crates and folders, circles of modules, sizes of
//! files, words and comments.

mod circles;
mod folders;
mod imports;
pub mod layering;
mod undocumented;
pub mod words;
