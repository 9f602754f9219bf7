//! `outhaul serve` with the software GPU, and sessions with it that are spoken by hand.

#[path = "../../../node/tests/dialogue/mod.rs"]
mod dialogue;

use super::installation::Installation;
pub use dialogue::*;
use std::process::Command;

impl Node {
    pub fn start(arguments: &[&str]) -> Node {
        Node::start_as(|command| {
            command.args(arguments);
        })
    }

    /// A node whose command line or environment is not the usual one.
    pub fn start_as(adapt: impl FnOnce(&mut Command)) -> Node {
        let installation = Installation::bare();
        std::fs::hard_link(built("libouthaul_softgpu.so"), installation.folder.join("libouthaul_softgpu.so")).unwrap();
        let mut command = installation.command(&["serve", "--listen", "127.0.0.1:0", "--gpu", "soft"]);
        command.env("XDG_CACHE_HOME", installation.folder.join("cache"));
        adapt(&mut command);
        let node = Node::of(&mut command, installation);
        // The session by which the node found out what it serves.
        node.wait_for("ended");
        node
    }
}
