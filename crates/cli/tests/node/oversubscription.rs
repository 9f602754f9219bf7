//! Programs that together have more memory than the GPU, on a node that permits this. All programs
//! finish and find their data intact.

use crate::fixtures::installation::{Installation, text};
use crate::fixtures::node_process::{Node, built};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// A node with one GPU that all workers share, and programs that hold memory on the GPU.
struct Site {
    installation: Installation,
    node: Node,
}

impl Site {
    fn new(arguments: &[&str]) -> Site {
        Site::with_memory("256MiB", arguments)
    }

    fn with_memory(memory: &str, arguments: &[&str]) -> Site {
        let installation = Installation::bare();
        std::fs::create_dir(installation.folder.join("outhaul-client")).unwrap();
        std::fs::hard_link(
            built("libouthaul_client.so"),
            installation.folder.join("outhaul-client/libcuda.so.1"),
        )
        .unwrap();
        let usage_file = installation.folder.join("card");
        let node = Node::start_as(|command| {
            command
                .args(arguments)
                .env("OUTHAUL_SOFT_MEMORY", memory)
                .env("OUTHAUL_SOFT_CARD", usage_file);
        });
        Site { installation, node }
    }

    /// Starts a program that holds memory. The program writes the memory, reads it back, and writes
    /// it again.
    fn program(&self, arguments: &[&str]) -> Child {
        let outhaul = self.installation.folder.join("outhaul").display().to_string();
        let mut command = self.installation.command(&[
            "run",
            "--node",
            &self.node.address,
            "--",
            &outhaul,
            "bench",
            "holder",
        ]);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Starts a holder of 192 MiB for `rounds` rounds.
    fn holder(&self, rounds: u32) -> Child {
        self.program(&["--bytes", "192MiB", "--rounds", &rounds.to_string()])
    }

    fn ask(&self, arguments: &[&str]) -> Output {
        self.installation.output(&[arguments, &["--node", &self.node.address]].concat())
    }

    fn sessions(&self) -> Vec<Value> {
        let status: Value = serde_json::from_slice(&self.ask(&["top", "--json"]).stdout).unwrap();
        status["sessions"].as_array().unwrap().clone()
    }

    /// Returns the number of bytes that the node has moved so far, in all sessions.
    fn moved_bytes(&self) -> u64 {
        let sessions = self.sessions();
        sessions
            .iter()
            .flat_map(|session| session["moved"].as_array().unwrap())
            .map(|moved| moved["to_host_bytes"].as_u64().unwrap())
            .sum()
    }
}

#[test]
fn programs_that_together_need_more_than_the_gpu_all_finish() {
    let site = Site::new(&["--oversubscribe=1GiB"]);
    let mut holders: Vec<Child> = (0..3).map(|_| site.holder(3)).collect();
    let mut moved_bytes = 0;
    while holders.iter_mut().any(|holder| holder.try_wait().unwrap().is_none()) {
        moved_bytes = moved_bytes.max(site.moved_bytes());
        std::thread::sleep(Duration::from_millis(20));
    }
    holders.into_iter().for_each(assert_right);
    assert!(
        moved_bytes > 64 << 20,
        "the GPU would not have held them: {moved_bytes} bytes were moved"
    );
}

/// Waits for the holder's end. Checks that the holder found all of its memory correct.
fn assert_right(holder: Child) {
    let output = holder.wait_with_output().unwrap();
    assert!(output.status.success() && text(&output.stdout).ends_with("right\n"), "{output:?}");
}

#[test]
fn workers_that_are_killed_take_no_memory_along_and_no_turn() {
    let site = Site::new(&["--oversubscribe=400MiB"]);
    let mut killed = Vec::new();
    let all: Vec<Child> = (0..3).map(|_| site.holder(20)).collect();
    while killed.len() < 2 {
        let moved_bytes = site.moved_bytes();
        // Sooner or later the busiest session has the turn, or the node moves its memory.
        let busiest = |session: &Value| {
            session["moved"]
                .as_array()
                .unwrap()
                .iter()
                .map(|moved| moved["back_ns"].as_u64().unwrap())
                .sum::<u64>()
        };
        let victim = site
            .sessions()
            .into_iter()
            .filter(|session| !killed.contains(&session["worker"]))
            .max_by_key(busiest);
        if let Some(victim) = victim.filter(|_| moved_bytes > 0) {
            let status =
                Command::new("kill").args(["-9", &victim["worker"].to_string()]).status().unwrap();
            assert!(status.success(), "no worker has ended yet");
            killed.push(victim["worker"].clone());
        }
    }
    let outputs: Vec<Output> =
        all.into_iter().map(|holder| holder.wait_with_output().unwrap()).collect();
    let finished =
        outputs.iter().filter(|output| text(&output.stdout).ends_with("right\n")).count();
    assert_eq!(finished, 1, "{outputs:?}");
    // Neither GPU nor host can hold these in addition to the memory of the earlier programs.
    let again: Vec<Child> = (0..3).map(|_| site.holder(2)).collect();
    again.into_iter().for_each(assert_right);
}

#[test]
fn a_program_without_room_waits_and_delays_no_other() {
    let site = Site::new(&["--oversubscribe"]);
    let mut first = site.program(&["--bytes", "64MiB", "--staying", "100MiB"]);
    let (mut input, mut output) =
        (first.stdin.take().unwrap(), BufReader::new(first.stdout.take().unwrap()).lines());
    let mut next = || output.next().unwrap().unwrap();
    assert!(next().starts_with("ready"));
    // The GPU can hold 192 MiB, but not in addition to 100 MiB that the node cannot evict.
    let mut second = site.holder(1);
    for _ in 0..50 {
        input.write_all(b"go\n").unwrap();
        assert_eq!(next(), "done");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(second.try_wait().unwrap().is_none(), "it waits");
    drop(input);
    assert_eq!(next(), "right");
    assert!(first.wait().unwrap().success());
    assert_right(second);
}

#[test]
fn a_program_whose_kernel_has_failed_does_not_block_others() {
    let site = Site::new(&["--oversubscribe"]);
    let mut failed = site.program(&["--bytes", "192MiB", "--fail"]);
    let mut lines = BufReader::new(failed.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.by_ref().any(|line| line == "failed"));
    assert_right(site.holder(1));
    assert!(failed.try_wait().unwrap().is_none(), "it is there, without its session");
    drop(failed.stdin.take());
    let output = failed.wait_with_output().unwrap();
    assert!(text(&output.stderr).contains("others need its memory"), "{output:?}");
}

#[test]
fn unmovable_memory_is_allocated_if_the_largest_program_still_fits() {
    let site = Site::new(&["--oversubscribe"]);
    let mut first = site.program(&["--bytes", "128MiB"]);
    let (mut input, mut output) =
        (first.stdin.take().unwrap(), BufReader::new(first.stdout.take().unwrap()).lines());
    let mut next = || output.next().unwrap().unwrap();
    assert!(next().starts_with("ready"));
    // The GPU can hold the memory that does not move and the rest of either program's memory, but
    // not of both. When one program computes, the node evicts the other's.
    let second = site.program(&["--bytes", "128MiB", "--staying", "64MiB", "--rounds", "20"]);
    for _ in 0..20 {
        input.write_all(b"go\n").unwrap();
        assert_eq!(next(), "done");
    }
    assert_right(second);
    let refused = site
        .program(&["--bytes", "64MiB", "--staying", "128MiB", "--rounds", "1"])
        .wait_with_output()
        .unwrap();
    assert!(
        !refused.status.success()
            && text(&refused.stderr)
                .contains("cuMemCreate: the driver says CUDA_ERROR_OUT_OF_MEMORY"),
        "{refused:?}"
    );
    drop(input);
    assert_eq!(next(), "right");
    assert!(first.wait().unwrap().success());
}

#[test]
fn a_program_may_have_most_of_the_gpu_by_cu_mem_create() {
    let site = Site::with_memory("2GiB", &["--oversubscribe"]);
    assert_right(site.program(&["--bytes", "64MiB", "--staying", "1600MiB", "--rounds", "1"]));
}

#[test]
fn without_being_asked_a_node_promises_no_more_than_it_has() {
    let site = Site::new(&[]);
    let outputs = [site.holder(1), site.holder(1)].map(|holder| holder.wait_with_output().unwrap());
    let failed: Vec<String> = outputs
        .iter()
        .filter(|output| !output.status.success())
        .map(|output| text(&output.stderr))
        .collect();
    assert!(
        !failed.is_empty() && failed.iter().all(|error| error.contains("OUT_OF_MEMORY")),
        "{outputs:?}"
    );
}

#[test]
fn an_oversubscribed_node_refuses_options_that_run_programs_together() {
    let site = Site::new(&["--oversubscribe"]);
    for wrong in [["--policy", "none"], ["--copies", "separate"], ["--long-kernels", "slices"]] {
        let refused = site.ask(&["node", "set", wrong[0], wrong[1]]);
        assert!(
            !refused.status.success() && text(&refused.stderr).contains("take turns one at a time"),
            "{refused:?}"
        );
    }
    let refused = Installation::bare().output(&[
        "serve",
        "--gpu",
        "soft",
        "--oversubscribe",
        "--copies",
        "separate",
    ]);
    assert!(
        !refused.status.success() && text(&refused.stderr).contains("take turns one at a time"),
        "{refused:?}"
    );
    let refused = Installation::bare().output(&[
        "serve",
        "--gpu",
        "soft",
        "--oversubscribe",
        "--pool",
        "http://127.0.0.1:1",
    ]);
    assert!(
        !refused.status.success() && text(&refused.stderr).contains("--pool"),
        "a pool promises what GPUs have: {refused:?}"
    );
}
