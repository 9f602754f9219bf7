//! Programs whose machine or node lacks descriptors, shared memory, or a writable folder.

use crate::fixtures::installation::{Installation, text};
use crate::fixtures::node_process::{Node, built};
use std::process::{Command, Output};

/// Returns the output of a program that counts GPUs under a limit. A shell sets the limit.
fn count_under(limit: &str, node: &Node, variables: &[(&str, &str)]) -> Output {
    let installation = Installation::bare();
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{limit}; exec \"$@\""), "sh"])
        .arg(installation.folder.join("outhaul"));
    command.args(["probe", "count"]).arg(built("libouthaul_client.so"));
    command
        .env_remove("OUTHAUL_TRANSPORT")
        .env("OUTHAUL_NODE", &node.address)
        .envs(variables.iter().copied());
    command.output().unwrap()
}

#[test]
fn a_program_that_may_open_few_files_learns_so() {
    let node = Node::start(&[]);
    for transport in ["auto", "tcp"] {
        let output = count_under("ulimit -n 7", &node, &[("OUTHAUL_TRANSPORT", transport)]);
        let said = text(&output.stderr);
        assert!(
            !output.status.success()
                && said.contains("may open no more files; raise its limit (`ulimit -n`)"),
            "{said}"
        );
    }
    assert!(node.session().answers());
}

#[test]
fn a_program_that_cannot_share_memory_goes_over_tcp() {
    let node = Node::start(&[]);
    // With this limit no file can grow, and the shell ignores the signal about it.
    let limit = "trap '' XFSZ; ulimit -f 0";
    let output = count_under(limit, &node, &[]);
    assert_eq!((text(&output.stdout).trim(), text(&output.stderr).as_str()), ("1", ""));
    let said = text(&count_under(limit, &node, &[("OUTHAUL_LOG", "1")]).stderr);
    assert_eq!(
        said.matches(
            "is reached over TCP: no memory can be shared: this process may make files of"
        )
        .count(),
        1,
        "{said}"
    );
    let output = count_under(limit, &node, &[("OUTHAUL_TRANSPORT", "shared-memory")]);
    let said = text(&output.stderr);
    assert!(
        !output.status.success()
            && said.contains("leave OUTHAUL_TRANSPORT out to reach it over TCP"),
        "{said}"
    );
}

#[test]
fn a_node_that_cannot_cache_code_logs_that_and_serves() {
    let file = built("outhaul");
    let node = Node::start_until(&["code is not kept between sessions"], |command| {
        command.arg("--cache").arg(file.join("cache"));
    });
    let mut command = Command::new(built("conformance"));
    command
        .arg("--one")
        .arg(built("libouthaul_client.so"))
        .arg("code/a_module_runs")
        .env("OUTHAUL_NODE", &node.address);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stdout));
}
