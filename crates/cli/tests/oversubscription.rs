//! Programs that together have more memory than the GPU, on a node that promises it: all finish, and find what they left.

mod installation;
#[allow(dead_code, reason = "each test file compiles this module for itself")]
mod node_process;

use installation::{Installation, text};
use node_process::{Node, built};
use serde_json::Value;
use std::process::{Child, Output, Stdio};

/// A node with one card of 256 MiB for all of its workers, and programs that hold memory of it.
struct Site {
    installation: Installation,
    node: Node,
}

impl Site {
    fn new(arguments: &[&str]) -> Site {
        let installation = Installation::bare();
        std::fs::create_dir(installation.folder.join("outhaul-client")).unwrap();
        std::fs::hard_link(built("libouthaul_client.so"), installation.folder.join("outhaul-client/libcuda.so.1")).unwrap();
        let card = installation.folder.join("card");
        let node = Node::start_as(|command| {
            command.args(arguments).env("OUTHAUL_SOFT_MEMORY", "256MiB").env("OUTHAUL_SOFT_CARD", card);
        });
        Site { installation, node }
    }

    /// Writes 192 MiB, finds them again, and writes them anew, so many times.
    fn holder(&self, rounds: u32) -> Child {
        let outhaul = self.installation.folder.join("outhaul").display().to_string();
        let mut command = self.installation.command(&["run", "--node", &self.node.address, "--", &outhaul, "bench", "holder"]);
        command.args(["--bytes", "192MiB", "--rounds", &rounds.to_string()]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn ask(&self, arguments: &[&str]) -> Output {
        self.installation.output(&[arguments, &["--node", &self.node.address]].concat())
    }

    /// By all sessions, so far.
    fn moved_bytes(&self) -> u64 {
        let status: Value = serde_json::from_slice(&self.ask(&["top", "--json"]).stdout).unwrap();
        let sessions = status["sessions"].as_array().unwrap();
        sessions.iter().flat_map(|session| session["moved"].as_array().unwrap()).map(|moved| moved["to_host_bytes"].as_u64().unwrap()).sum()
    }
}

#[test]
fn programs_that_need_more_than_the_card_together_all_finish() {
    let site = Site::new(&["--oversubscribe=1GiB"]);
    let mut holders: Vec<Child> = (0..3).map(|_| site.holder(3)).collect();
    let mut moved_bytes = 0;
    while holders.iter_mut().any(|holder| holder.try_wait().unwrap().is_none()) {
        moved_bytes = moved_bytes.max(site.moved_bytes());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    for holder in holders {
        let output = holder.wait_with_output().unwrap();
        assert!(output.status.success() && text(&output.stdout).ends_with("right\n"), "{output:?}");
    }
    assert!(moved_bytes > 64 << 20, "the card would not have held them: {moved_bytes} bytes were moved");
}

#[test]
fn without_being_asked_a_node_promises_no_more_than_it_has() {
    let site = Site::new(&[]);
    let outputs = [site.holder(1), site.holder(1)].map(|holder| holder.wait_with_output().unwrap());
    let failed: Vec<String> = outputs.iter().filter(|output| !output.status.success()).map(|output| text(&output.stderr)).collect();
    assert!(!failed.is_empty() && failed.iter().all(|said| said.contains("OUT_OF_MEMORY")), "{outputs:?}");
}

#[test]
fn nobody_is_on_a_gpu_beside_somebody_whose_memory_is_elsewhere() {
    let site = Site::new(&["--oversubscribe"]);
    for wrong in [["--policy", "none"], ["--copies", "separate"], ["--long-kernels", "slices"]] {
        let refused = site.ask(&["node", "set", wrong[0], wrong[1]]);
        assert!(!refused.status.success() && text(&refused.stderr).contains("take turns one at a time"), "{refused:?}");
    }
    let refused = Installation::bare().output(&["serve", "--gpu", "soft", "--oversubscribe", "--copies", "separate"]);
    assert!(!refused.status.success() && text(&refused.stderr).contains("take turns one at a time"), "{refused:?}");
    let refused = Installation::bare().output(&["serve", "--gpu", "soft", "--oversubscribe", "--pool", "http://127.0.0.1:1"]);
    assert!(!refused.status.success() && text(&refused.stderr).contains("--pool"), "a pool promises what GPUs have: {refused:?}");
}
