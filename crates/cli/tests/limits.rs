//! What a node's limits keep from sessions and tenants: memory, whatever a client says, and kernels that run for too long.

mod installation;
#[allow(dead_code, reason = "each test file compiles this module for itself")]
mod node_process;

use installation::{Installation, text};
use node_process::{Node, built};
use outhaul_abi::types::CUresult;
use outhaul_wire::codec::{Message, Reader};
use outhaul_wire::limits::ARENA_BASE;
use outhaul_wire::messages::{Fault, MemoryMap, NvmlMemory, NvmlMemoryReply};
use std::process::{Child, Stdio};

const GIB: u64 = 1 << 30;

fn node(arguments: &[&str]) -> Node {
    Node::start_as(|command| {
        command.args(arguments).env("OUTHAUL_SOFT_MEMORY", "4GiB");
    })
}

#[test]
fn a_session_gets_no_more_memory_than_it_may_have_whatever_it_says() {
    let node = node(&["--memory-per-session", "1GiB"]);
    let mut session = node.session();
    session.create_context();
    assert_eq!(session.memory(), (GIB, GIB), "of 4 GiB");
    let (_, body) = session.ask(&NvmlMemory { device: 0 });
    let nvml: NvmlMemoryReply = Reader::new(&body).whole().unwrap();
    assert_eq!((nvml.total_bytes, nvml.free_bytes), (GIB, GIB));
    assert_eq!((session.grow(GIB / 2), session.grow(2 << 20)), (GIB, GIB), "there is no more");
    // A client keeps to its grant by itself; one that does not must get nothing by it, so the worker counts too.
    session.send(&MemoryMap { device: 0, address: ARENA_BASE, bytes: 2 * GIB });
    assert_eq!(session.next_op(), Fault::OP);
    session.send(&MemoryMap { device: 0, address: ARENA_BASE, bytes: GIB });
    assert_eq!(session.memory().0, 0);
    let mut other = node.session();
    other.create_context();
    assert_eq!(other.memory(), (GIB, GIB), "another session has its own");
}

#[test]
fn a_tenants_sessions_share_its_memory_and_its_limit_changes_while_they_run() {
    let mut node = node(&["--memory", "a=1GiB"]);
    node.tenant = "a".into();
    let mut first = node.session();
    first.create_context();
    assert_eq!((first.memory(), first.grow(GIB / 2)), ((GIB, GIB), GIB));
    let mut second = node.session();
    second.create_context();
    assert_eq!((second.memory(), second.grow(2 << 20)), ((0, GIB), 0), "the first has it all");
    let set = |limit: &str| Installation::bare().output(&["node", "set", "--node", &node.address, "--memory", limit]);
    assert!(text(&set("a=1536MiB").stdout).contains("a 1.50 GiB"));
    assert_eq!((second.memory().0, second.grow(GIB / 2)), (GIB / 2, GIB / 2));
    assert!(set("a=512MiB").status.success());
    first.send(&MemoryMap { device: 0, address: ARENA_BASE, bytes: GIB });
    assert_eq!(first.next_op(), Fault::OP, "what was granted under a higher limit is not given any more");
    node.tenant = "b".into();
    let mut other = node.session();
    other.create_context();
    assert_eq!(other.memory().1, 4 * GIB, "another tenant has no limit");
    assert_eq!(other.ask(&NvmlMemory { device: 0 }).0, CUresult::SUCCESS);
    let wrong = set("a=lots");
    assert!(!wrong.status.success() && text(&wrong.stderr).contains("10GiB"), "{wrong:?}");
}

fn in_two_seconds_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time goes to a local.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    (time.tv_sec as u64 + 2) * 1_000_000_000
}

/// A program that launches so many kernels of so many rounds, waits for them, and begins again for two seconds.
fn burner(node: &Node, installation: &Installation, rounds: &str, kernels: &str) -> Child {
    let outhaul = installation.folder.join("outhaul").display().to_string();
    let mut command = installation.command(&["run", "--node", &node.address, "--", &outhaul, "bench", "player", "--rounds", rounds]);
    command.args(["--kernels", kernels, "--mark", kernels, "--until-ns", &in_two_seconds_ns().to_string()]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_kernel_that_runs_for_too_long_ends_its_session_and_no_other() {
    let node = node(&["--kernel-limit", "1s"]);
    let installation = Installation::bare();
    std::fs::create_dir(installation.folder.join("outhaul-client")).unwrap();
    std::fs::hard_link(built("libouthaul_client.so"), installation.folder.join("outhaul-client/libcuda.so.1")).unwrap();
    let mut other = node.session();
    let endless = burner(&node, &installation, "100000000000", "1").wait_with_output().unwrap();
    let words = "a kernel ran for longer than the 1 s that the node allows";
    assert!(!endless.status.success() && text(&endless.stderr).contains(words), "{endless:?}");
    node.wait_for(words);
    assert!(other.answers());
    // The limit is against kernels that never end. A program may compute for as long as it likes: its turns end between two kernels.
    let many = burner(&node, &installation, "500", "4000").wait_with_output().unwrap();
    assert!(many.status.success(), "{many:?}");
}
