//! A process becomes the program that now lies where its own lay: a release takes the place of
//! another one without a new process, so whoever watches this one sees none end.

use outhaul_node::log::say;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

pub struct Renewal(io::Result<PathBuf>);

impl Renewal {
    /// Where the program lies. Said before another takes its place there.
    pub fn of_this_program() -> Renewal {
        Renewal(std::env::current_exe())
    }

    /// Does not return where it succeeds: the same words are another program's now. Nothing is to
    /// end with that.
    pub fn begin(&self, is_kept: bool) {
        let error = match &self.0 {
            _ if !is_kept => io::Error::other("nothing would keep its sessions meanwhile"),
            Ok(path) => {
                say(&format!("this process becomes {}", path.display()));
                Command::new(path).args(std::env::args_os().skip(1)).exec()
            }
            Err(error) => io::Error::from(error.kind()),
        };
        say(&format!("the node goes on as it is: its program cannot be started anew: {error}"));
    }
}
