//! Sessions survive their listener: if it is killed or replaced, another listener continues them.
//! Runs programs on the software GPU that compute and check their results.

use crate::fixtures::installation::{Installation, own_address, text};
use crate::fixtures::node_process::{PATIENCE, Session, built, open_at};
use outhaul_transport::Transport;
use std::collections::BTreeMap;
use std::fs::{OpenOptions, hard_link};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const GIB: u64 = 1 << 30;
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/node/keeper_program.py");

/// A node that the test kills and restarts at its address.
struct Node {
    installation: Installation,
    address: String,
    options: Vec<String>,
    process: Child,
}

impl Node {
    fn start(options: &[&str]) -> Node {
        let installation = Installation::bare();
        for (kind, library) in
            [("soft", "libouthaul_softgpu.so"), ("client", "libouthaul_client.so")]
        {
            let folder = installation.folder.join(format!("outhaul-{kind}"));
            std::fs::create_dir(&folder).unwrap();
            hard_link(built(library), folder.join("libcuda.so.1")).unwrap();
        }
        std::fs::create_dir(installation.folder.join("tmp")).unwrap();
        let (address, options) = (
            own_address().to_string(),
            options.iter().map(|option| (*option).to_owned()).collect(),
        );
        let process = Command::new("true").spawn().unwrap();
        let mut node = Node { installation, address, options, process };
        node.start_again();
        node
    }

    /// Starts the node again. Returns when the node serves.
    fn start_again(&mut self) {
        let _ = self.process.wait();
        let folder = &self.installation.folder;
        let log = OpenOptions::new().append(true).create(true).open(folder.join("log")).unwrap();
        let mut command =
            self.installation.command(&["serve", "--listen", &self.address, "--gpu", "soft"]);
        command
            .args(&self.options)
            .env("XDG_CACHE_HOME", folder.join("cache"))
            .env("TMPDIR", folder.join("tmp"));
        command.env("OUTHAUL_SOFT_MEMORY", "4GiB").stdout(Stdio::piped()).stderr(log);
        self.process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(self.process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains(&self.address), "{line}{}", self.log());
    }

    fn signal(&self, name: &str) {
        assert!(
            Command::new("kill")
                .args(["-s", name, &self.process.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.installation.folder.join("log")).unwrap()
    }

    fn program(&self, transport: &str, tenant: &str) -> Program {
        self.program_that_waits("120", transport, tenant)
    }

    /// Starts a program that waits at most `grace_s` seconds after its connection breaks. Returns
    /// once the program has memory and a kernel on the GPU.
    fn program_that_waits(&self, grace_s: &str, transport: &str, tenant: &str) -> Program {
        let mut command = self.installation.command(&["run", "--node", &self.address]);
        command.args(["--", "python3", PROGRAM]);
        command.env("OUTHAUL_TRANSPORT", transport).env("OUTHAUL_TENANT", tenant);
        command.env("OUTHAUL_GRACE", grace_s).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let (asks, said) = (process.stdin.take(), process.stdout.take().unwrap());
        let mut program = Program { process, asks, said: BufReader::new(said) };
        assert_eq!(program.line(), "started");
        program
    }

    fn session(&self, tenant: &str) -> Session {
        let mut session = open_at(&self.address, Transport::Tcp, ("", tenant), 2).unwrap().0;
        session.create_context();
        session
    }

    /// Returns the processes that run this node's binary: listener, keeper, workers.
    fn processes(&self) -> Vec<String> {
        let is_of_node = |entry: &std::fs::DirEntry| {
            std::fs::read_link(entry.path().join("exe"))
                .is_ok_and(|program| program.starts_with(&self.installation.folder))
        };
        let words =
            |entry: std::fs::DirEntry| std::fs::read_to_string(entry.path().join("cmdline")).ok();
        let all =
            std::fs::read_dir("/proc").unwrap().flatten().filter(is_of_node).filter_map(words);
        all.map(|words| words.split('\0').nth(1).unwrap_or_default().to_owned())
            .filter(|word| word != "run")
            .collect()
    }

    fn count(&self, kind: &str) -> usize {
        self.processes().iter().filter(|one| *one == kind).count()
    }

    /// Returns the number of session folders.
    fn scratch(&self) -> usize {
        let within = |path: &Path| {
            std::fs::read_dir(path)
                .into_iter()
                .flatten()
                .flatten()
                .filter(|entry| entry.path().is_dir())
                .collect()
        };
        let users: Vec<std::fs::DirEntry> = within(&self.installation.folder.join("tmp"));
        let nodes = users.iter().flat_map(|user| within(&user.path()));
        nodes.map(|node| within(&node.path()).len()).sum()
    }

    fn await_that(&self, what: &str, is_so: impl Fn(&Node) -> bool) {
        let start = Instant::now();
        while !is_so(self) {
            assert!(
                start.elapsed() < PATIENCE,
                "not {what}: {:?}\n{}",
                self.processes(),
                self.log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Checks that no part of a session remains, not even in the keeper.
    fn assert_empty(&mut self) {
        self.await_that("without workers", |node| node.count("worker") == 0 && node.scratch() == 0);
        self.signal("KILL");
        let before = self.log();
        self.start_again();
        let after = self.log()[before.len()..].to_owned();
        assert!(!after.contains("go on") && !after.contains("cannot"), "{after}");
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.signal("TERM");
        let _ = self.process.wait();
    }
}

/// A program that runs until it is told to end.
struct Program {
    process: Child,
    asks: Option<ChildStdin>,
    said: BufReader<ChildStdout>,
}

impl Program {
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Returns the number of rounds that the program has completed, all with correct results.
    fn rounds(&mut self) -> u32 {
        self.asks.as_mut().unwrap().write_all(b"\n").unwrap();
        let line = self.line();
        line.parse().unwrap_or_else(|_| panic!("{line}"))
    }

    /// Waits until the program has completed a round that began after this call.
    fn advances(&mut self) {
        let before = self.rounds();
        while self.rounds() < before + 2 {}
    }

    fn ends_well(mut self) {
        drop(self.asks.take());
        assert!(self.line().parse::<u32>().is_ok_and(|rounds| rounds > 0));
        assert!(self.process.wait().unwrap().success());
    }

    fn fails(mut self) -> bool {
        !self.process.wait().unwrap().success()
    }
}

#[test]
fn sessions_continue_when_the_listener_is_killed() {
    let mut node = Node::start(&[]);
    let mut programs = ["tcp", "shared-memory"].map(|transport| node.program(transport, ""));
    node.signal("KILL");
    let _ = node.process.wait();
    // Clients that connect while there is no listener wait.
    let address = node.address.clone();
    let waiting = std::thread::spawn(move || {
        open_at(&address, Transport::Tcp, ("", ""), 2).unwrap().0.answers()
    });
    // By then, the client has usually connected.
    std::thread::sleep(Duration::from_millis(300));
    node.start_again();
    assert!(node.log().contains("sessions of the listener before that go on: 2"), "{}", node.log());
    assert!(waiting.join().unwrap());
    let top = text(&node.installation.output(&["top", "--node", &node.address, "--once"]).stdout);
    assert_eq!(
        top.lines().filter(|line| line.trim_start().starts_with("worker ")).count(),
        2,
        "{top}"
    );
    node.program("tcp", "").ends_well();
    programs.iter_mut().for_each(Program::advances);
    programs.into_iter().for_each(Program::ends_well);
    node.assert_empty();
}

/// The listener grants turns. Without a listener, the program that has the GPU keeps its turn, and
/// others wait.
#[test]
fn a_program_that_has_the_gpu_computes_while_no_listener_is_there() {
    for transport in ["tcp", "shared-memory"] {
        let mut node = Node::start(&[]);
        let mut program = node.program(transport, "");
        program.advances();
        node.signal("KILL");
        let _ = node.process.wait();
        program.advances();
        node.start_again();
        program.ends_well();
    }
}

#[test]
fn a_listener_may_be_killed_as_often_as_one_likes() {
    let mut node = Node::start(&[]);
    let mut idle: Vec<Session> = (0..20).map(|_| node.session("")).collect();
    let programs = ["tcp", "shared-memory"].map(|transport| node.program(transport, "a"));
    for _ in 0..10 {
        node.signal("KILL");
        node.start_again();
    }
    node.await_that("without those by which listeners found out what they serve", |node| {
        node.count("worker") == 22
    });
    assert_eq!(node.count("keeper"), 1);
    assert!(idle.iter_mut().all(Session::answers));
    drop(idle);
    programs.into_iter().for_each(Program::ends_well);
    node.assert_empty();
}

#[test]
fn limits_count_what_sessions_held_under_the_earlier_listener() {
    let mut node = Node::start(&["--memory", "a=1GiB"]);
    let (mut first, mut ended) = (node.session("a"), node.session("a"));
    assert_eq!((first.grow(GIB / 2), ended.grow(GIB / 4)), (GIB / 2, GIB / 4));
    node.signal("KILL");
    let _ = node.process.wait();
    // The program ends while there is no listener.
    drop(ended);
    node.await_that("one worker", |node| node.count("worker") == 1);
    node.start_again();
    assert!(first.answers());
    let mut second = node.session("a");
    node.await_that("free what the session had that has ended", |node| node.scratch() == 2);
    assert_eq!(
        (second.grow(GIB / 2 + (2 << 20)), second.grow(GIB / 2)),
        (0, GIB / 2),
        "the first has the other half"
    );
    assert_eq!(first.grow(2 << 20), 0);
    drop(first);
    node.await_that("one worker", |node| node.count("worker") == 1 && node.scratch() == 1);
    assert_eq!(second.grow(GIB / 2), GIB / 2);
    drop(second);
    node.assert_empty();
}

#[test]
fn programs_that_share_the_gpu_go_on_and_their_time_is_not_lost() {
    let mut node = Node::start(&["--share", "a=70", "--share", "b=30"]);
    let programs = ["a", "b"].map(|tenant| node.program("auto", tenant));
    // Returns the computing time of each worker in seconds.
    let computed = |node: &Node| -> Vec<f64> {
        let top =
            text(&node.installation.output(&["top", "--node", &node.address, "--once"]).stdout);
        let lines = top.lines().filter(|line| line.trim_start().starts_with("worker "));
        let words = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
        let all: BTreeMap<u32, f64> = words
            .map(|words| (words[1].parse().unwrap(), words[words.len() - 2].parse().unwrap()))
            .collect();
        all.into_values().collect()
    };
    let are_more = |before: &[f64], after: &[f64]| {
        after.len() == 2 && before.iter().zip(after).all(|(before, after)| after > before)
    };
    node.await_that("computing for both", |node| are_more(&[0.0; 2], &computed(node)));
    let before = computed(&node);
    node.signal("KILL");
    node.start_again();
    let after = computed(&node);
    assert!(
        before.iter().zip(&after).all(|(before, after)| after >= before),
        "{before:?} {after:?}"
    );
    node.await_that("giving turns to both", |node| are_more(&after, &computed(node)));
    programs.into_iter().for_each(Program::ends_well);
    node.assert_empty();
}

#[test]
fn programs_whose_memory_moves_go_on() {
    let mut node = Node::start(&["--oversubscribe", "1GiB"]);
    let mut programs = ["a", "b"].map(|tenant| node.program("auto", tenant));
    for _ in 0..2 {
        programs.iter_mut().for_each(Program::advances);
        node.signal("KILL");
        node.start_again();
    }
    programs.iter_mut().for_each(Program::advances);
    programs.into_iter().for_each(Program::ends_well);
    node.assert_empty();
    // A node without --oversubscribe cannot continue sessions that began with it.
    let mut session = node.session("");
    assert!(session.answers());
    node.signal("KILL");
    node.options.clear();
    node.start_again();
    node.await_that("said why", |node| {
        node.log().contains("whether its memory moves is not as --oversubscribe says now")
    });
    session.assert_ended();
    node.assert_empty();
}

#[test]
fn another_release_takes_the_place_of_one_that_runs() {
    let mut node = Node::start(&[]);
    let mut program = node.program("tcp", "");
    let (own, new) =
        (node.installation.folder.join("outhaul"), node.installation.folder.join("new"));
    let inode =
        |path: &Path| std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(path).unwrap());
    let runs = |node: &Node| inode(Path::new(&format!("/proc/{}/exe", node.process.id())));
    for by in ["USR2", "KILL"] {
        std::fs::copy(&own, &new).unwrap();
        std::fs::rename(&new, &own).unwrap();
        assert_ne!(runs(&node), inode(&own));
        // The previous listener's own session may still exist.
        let before = node.log().matches("go on: ").count();
        node.signal(by);
        if by == "KILL" {
            node.start_again();
        }
        node.await_that("taken over", |node| node.log().matches("go on: ").count() > before);
        assert_eq!(runs(&node), inode(&own));
        program.advances();
    }
    program.ends_well();
    node.assert_empty();
}

#[test]
fn where_no_listener_comes_all_ends_in_time() {
    let mut node = Node::start(&["--grace", "3s"]);
    let programs =
        ["tcp", "shared-memory"].map(|transport| node.program_that_waits("1", transport, ""));
    node.signal("KILL");
    let _ = node.process.wait();
    assert_eq!((node.count("worker"), node.count("keeper")), (2, 1));
    node.await_that("gone", |node| node.processes().is_empty());
    assert!(
        node.log().contains("none has taken its place within 3 s; sessions that end with it: 2"),
        "{}",
        node.log()
    );
    assert!(programs.into_iter().all(Program::fails));
    // The address is free, so another node can listen there.
    node.start_again();
}

#[test]
fn a_node_that_ends_on_a_signal_leaves_no_process_behind() {
    for (name, takes_over) in [("TERM", false), ("INT", true)] {
        let mut node = Node::start(&[]);
        let program = node.program_that_waits("1", "tcp", "");
        if takes_over {
            node.signal("KILL");
            node.start_again();
        }
        node.signal(name);
        assert!(!node.process.wait().unwrap().success());
        assert_eq!(node.processes(), Vec::<String>::new(), "{name}");
        assert!(program.fails());
        node.start_again();
    }
}

#[test]
fn without_a_grace_sessions_end_with_their_listener() {
    let mut node = Node::start(&["--grace", "0s"]);
    let mut session = node.session("");
    assert!(session.answers() && node.count("keeper") == 0);
    node.signal("USR2");
    node.await_that("said why", |node| {
        node.log().contains("no keeper would hold its sessions meanwhile")
    });
    node.signal("KILL");
    let _ = node.process.wait();
    node.await_that("gone", |node| node.processes().is_empty());
    node.start_again();
}

#[test]
fn two_listeners_have_no_address_together() {
    let node = Node::start(&[]);
    let second = node.installation.output(&["serve", "--listen", &node.address, "--gpu", "soft"]);
    let said = text(&second.stderr);
    assert!(!second.status.success() && said.contains("cannot listen on"), "{said}");
    assert!(node.session("").answers());
}

#[test]
fn a_keeper_that_is_killed_costs_nothing_as_long_as_the_listener_lives() {
    let mut node = Node::start(&[]);
    let mut session = node.session("");
    let keeper = Command::new("pgrep")
        .args(["-P", &node.process.id().to_string(), "-f", "^/proc/self/exe keeper"])
        .output()
        .unwrap();
    assert!(
        Command::new("kill").args(["-9", text(&keeper.stdout).trim()]).status().unwrap().success()
    );
    assert!(session.answers() && node.session("").answers());
    node.await_that("said", |node| node.log().contains("the keeper is gone"));
    node.signal("KILL");
    let _ = node.process.wait();
    node.await_that("gone", |node| node.processes().is_empty());
    node.start_again();
}
