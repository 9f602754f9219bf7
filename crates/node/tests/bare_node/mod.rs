//! A bare node with the software GPU. The tests themselves write the frames of its sessions.

#[path = "../dialogue/mod.rs"]
mod dialogue;

pub use dialogue::*;
use outhaul_transport::Transport;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Folder for the node's code images.
struct Cache(PathBuf);

impl Cache {
    fn new() -> Cache {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name =
            format!("bare-node-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Cache(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name))
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Node {
    /// Starts a node with additional arguments.
    pub fn start(arguments: &[&str]) -> Node {
        Node::start_under(&[], arguments)
    }

    /// Starts a node through the command `starter`.
    pub fn start_under(starter: &[&str], arguments: &[&str]) -> Node {
        let cache = Cache::new();
        let node = built("examples/bare_node");
        let mut parts = starter.iter().map(OsStr::new).chain([node.as_os_str()]);
        let mut command = Command::new(parts.next().unwrap());
        command
            .args(parts)
            .args(["serve", "--listen", "127.0.0.1:0", "--gpu"])
            .arg(built("libouthaul_softgpu.so"));
        command.arg("--cache").arg(&cache.0).args(arguments);
        Node::of(&mut command, cache)
    }

    /// Starts a node whose sessions use `transport`.
    pub fn over(transport: Transport) -> Node {
        let mut node = Node::start(&[]);
        node.transport = transport;
        node
    }
}
