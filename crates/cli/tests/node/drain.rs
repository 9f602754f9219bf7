//! A node that is asked to end: its sessions continue until they end, no new ones begin, and the
//! wait has a limit.

use crate::fixtures::node_process::{Node, PATIENCE};
use std::process::Command;
use std::time::{Duration, Instant};

fn signal(node: &Node, name: &str) {
    assert!(
        Command::new("kill")
            .args(["-s", name, &node.process.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
}

/// Blocks until the node's process is gone.
fn await_end(node: &mut Node) {
    let start = Instant::now();
    while node.process.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < PATIENCE, "the node goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_draining_node_continues_its_sessions_and_accepts_no_new_ones() {
    let mut node = Node::start(&[]);
    let mut session = node.session();
    assert!(session.answers());
    signal(&node, "TERM");
    node.wait_for("the node ends when its sessions have ended, or in 20 s; sessions: 1");
    let refused = node.open().err().unwrap().to_string();
    assert!(refused.contains("is about to end and takes no new sessions"), "{refused}");
    assert!(session.answers());
    drop(session);
    await_end(&mut node);
}

#[test]
fn a_session_ends_with_the_node_after_the_drain_timeout() {
    let mut node = Node::start(&["--drain-timeout", "1s"]);
    let mut session = node.session();
    assert!(session.answers());
    signal(&node, "TERM");
    node.wait_for("--drain-timeout is over: running sessions end with the node: 1");
    await_end(&mut node);
    assert!(!session.answers());
}

#[test]
fn a_second_signal_ends_a_draining_node_and_without_a_timeout_the_first_does() {
    for (arguments, signals) in [
        (&["--drain-timeout", "600s"][..], &["TERM", "TERM"][..]),
        (&["--drain-timeout", "600s"], &["INT"]),
        (&["--drain-timeout", "0s"], &["TERM"]),
    ] {
        let mut node = Node::start(arguments);
        let mut session = node.session();
        assert!(session.answers());
        for (number, name) in signals.iter().enumerate() {
            if number > 0 {
                node.wait_for("the node ends when");
            }
            signal(&node, name);
        }
        await_end(&mut node);
    }
}
