//! `outhaul serve` with the software GPU, and sessions with it whose protocol the test speaks
//! itself.

#[path = "../../../node/tests/dialogue/mod.rs"]
mod dialogue;

use super::installation::Installation;
pub use dialogue::*;
use std::path::Path;
use std::process::Command;

impl Node {
    pub fn start(arguments: &[&str]) -> Node {
        Node::start_as(|command| {
            command.args(arguments);
        })
    }

    /// Starts a node with an adapted command line or environment.
    pub fn start_as(adapt: impl FnOnce(&mut Command)) -> Node {
        Node::start_until(&[], adapt)
    }

    /// Starts a node that is a member of its pool.
    pub fn start_in_pool(adapt: impl FnOnce(&mut Command)) -> Node {
        Node::start_until(&["in the pool"], adapt)
    }

    /// Starts a node. Returns once its log has these lines, and the session by which it found out
    /// what it serves has ended.
    pub fn start_until(said: &[&str], adapt: impl FnOnce(&mut Command)) -> Node {
        let installation = Installation::bare();
        std::fs::create_dir(installation.folder.join("outhaul-soft")).unwrap();
        std::fs::hard_link(
            built("libouthaul_softgpu.so"),
            installation.folder.join("outhaul-soft/libcuda.so.1"),
        )
        .unwrap();
        let mut command =
            installation.command(&["serve", "--listen", "127.0.0.1:0", "--gpu", "soft"]);
        command.env("XDG_CACHE_HOME", installation.folder.join("cache"));
        adapt(&mut command);
        let node = Node::of(&mut command, installation);
        node.wait_for_each(&[said, &["ended"]].concat());
        node
    }
}

/// Replaces the software GPU by a test driver, compiled from its source in `cell/`; that driver
/// loads the software GPU.
pub fn put_driver(folder: &Path, source: &str) {
    let (library, real) = (folder.join("libcuda.so.1"), folder.join("real"));
    std::fs::create_dir(&real).unwrap();
    std::fs::rename(&library, real.join("libcuda.so.1")).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cell").join(source);
    let mut compiler = Command::new("cc");
    compiler
        .args(["-shared", "-fPIC", "-O1", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN/real", "-o"])
        .arg(&library)
        .arg(source);
    assert!(compiler.arg(real.join("libcuda.so.1")).status().unwrap().success());
}
