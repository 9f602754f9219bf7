//! The files that Outhaul makes: keys, state, cache entries, reports and temporary folders. Other
//! users can neither read nor change them, nor redirect them with links that they made before. A
//! reader finds a whole file or none, and never waits for a pipe. The format of a file is
//! deliberately absent: callers pass bytes.
//!
//! Errors do not name the path; the caller does.

pub mod cache;
mod kind;
mod private;
mod regular;
mod replacement;
mod temporary;

pub use private::{
    FILE_MODE, FOLDER_MODE, check_state_folder, claim, is_trusted, make_folder, narrow,
    narrow_folder, private_folder, state_folder,
};
pub use regular::{open, read};
pub use replacement::{
    Replacement, create, is_partial, report_folder, write_private, write_report,
};
pub use temporary::{TemporaryFolder, delete_temporary_folders, random_name, temporary_file};
