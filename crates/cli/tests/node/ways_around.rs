//! Processes that use a node's GPU without asking the node: who sees them, and what they escape. A
//! stand-in for NVML, which knows the software GPU, lists them.

use crate::fixtures::installation::{Installation, text};
use crate::fixtures::node_process::Node;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Compiles the stand-in for NVML into `folder`.
fn put_stand_in(folder: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/e2e/nvml/stand_in.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-DDRIVER_VERSION=\"1\"", "-o"]);
    compiler.arg(folder.join("libnvidia-ml.so.1")).arg(source);
    assert!(compiler.status().unwrap().success());
}

#[test]
fn processes_that_go_around_a_node_are_shown_and_its_workers_are_not_among_them() {
    let (node, installation) = (Node::start(&[]), Installation::with_client());
    put_stand_in(&installation.folder);
    let mut session = node.session();
    session.create_context();
    let (own, worker) = (std::process::id(), node.worker());
    let said = |arguments: &[&str], pids: &str| {
        let mut command = installation.command(&[arguments, &["--node", &node.address]].concat());
        command.env("LD_LIBRARY_PATH", &installation.folder).env("STAND_IN_PIDS", pids);
        text(&command.output().unwrap().stdout)
    };
    let json: Value =
        serde_json::from_str(&said(&["top", "--json"], &format!("{own},{worker}"))).unwrap();
    let others = json["other_processes"].as_array().unwrap();
    assert_eq!(others.len(), 1, "{json:#}");
    assert_eq!((&others[0]["pid"], &others[0]["gpu"]), (&own.into(), &0.into()));
    assert_eq!(others[0]["memory_bytes"], 3u64 << 30);
    let line = format!("1 process is not this node's, and no share holds for it: {own} (");
    for arguments in [&["top", "--once", "--every", "0.05"][..], &["node", "show"], &["doctor"]] {
        let with = said(arguments, &format!("{worker},{own}"));
        assert!(with.contains(&line) && with.contains(", 3.00 GiB)"), "{arguments:?}: {with}");
        let without = said(arguments, &worker.to_string());
        assert!(!without.contains("not this node's"), "{arguments:?}: {without}");
    }
    let metrics = said(&["top", "--metrics"], &own.to_string());
    assert!(metrics.contains("outhaul_gpu_other_processes{gpu=\"0\"} 1\n"), "{metrics}");
    assert!(metrics.contains("outhaul_gpu_other_memory_bytes{gpu=\"0\"} 3221225472\n"));
}
