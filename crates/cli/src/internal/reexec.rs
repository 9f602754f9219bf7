//! Re-executes the process from the file at its program's path. A new release replaces the old one
//! in the same process, so a process that watches this one sees it continue.

use outhaul_node::log::log_event;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// The path of the program to execute, or the error from reading that path.
pub struct Renewal(io::Result<PathBuf>);

impl Renewal {
    /// Reads this program's path. Must run before another file takes the program's place.
    pub fn of_this_program() -> Renewal {
        Renewal(std::env::current_exe())
    }

    /// Re-executes the program with the same arguments in this process. Returns only on failure.
    /// Fails unless `is_kept`: a keeper must hold the sessions meanwhile.
    pub fn begin(&self, is_kept: bool) {
        let error = match &self.0 {
            _ if !is_kept => io::Error::other("no keeper would hold its sessions meanwhile"),
            Ok(path) => {
                log_event(&format!("this process becomes {}", path.display()));
                Command::new(path).args(std::env::args_os().skip(1)).exec()
            }
            Err(error) => io::Error::from(error.kind()),
        };
        log_event(&format!(
            "the node continues unchanged: its program cannot be restarted: {error}"
        ));
    }
}
