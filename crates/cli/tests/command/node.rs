//! Error messages for an address where no server, another server or another release answers. Also
//! for a node that refuses to start.

use crate::fixtures::installation::{Installation, own_address, text};
use outhaul_wire::handshake::{HandshakeKind, Refusal, encode};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Output;

/// Starts a server that reads the first bytes of each connection, and answers with `answer`.
fn server(answer: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(&answer);
            held.push(stream);
        }
    });
    address
}

fn failure(output: Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    text(&output.stderr)
}

#[test]
fn help_names_the_subcommands_for_people() {
    let output = Installation::bare().output(&["--help"]);
    let help = text(&output.stdout);
    assert!(output.status.success());
    let listed = |name: &str| help.lines().any(|line| line.split_whitespace().next() == Some(name));
    for name in ["serve", "run", "ls", "doctor", "sim", "bench"] {
        assert!(listed(name), "{name} is missing:\n{help}");
    }
    assert!(!listed("worker") && !listed("probe"), "{help}");
}

#[test]
fn no_server_at_the_port() {
    let free = own_address().to_string();
    let error = failure(Installation::bare().output(&["ls", "--node", &free]));
    assert!(error.contains(&free) && error.contains("is `outhaul serve` running there"), "{error}");
}

#[test]
fn a_name_without_an_address() {
    // This label is too long for any resolver.
    let name = format!("{}.invalid", "n".repeat(64));
    let error = failure(Installation::bare().output(&["ls", "--node", &name]));
    assert!(
        error.contains(&format!("{name}:7654")) && error.contains("check the spelling"),
        "{error}"
    );
}

#[test]
fn another_protocols_server() {
    let address = server(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec());
    let error = failure(Installation::bare().output(&["ls", "--node", &address]));
    assert!(
        error.contains("does not speak Outhaul's protocol")
            && error.contains("check the port number"),
        "{error}"
    );
}

#[test]
fn a_node_of_another_release_is_quoted() {
    let address = server(encode(
        HandshakeKind::Refusal,
        &Refusal { reason: "the client is 0.1.0 and the node 9.9.9: install the same" },
    ));
    let error = failure(Installation::bare().output(&["ls", "--node", &address]));
    assert_eq!(error, "outhaul: the client is 0.1.0 and the node 9.9.9: install the same\n");
}

#[test]
fn the_doctor_names_the_faults_and_fails() {
    let free = own_address().to_string();
    let output = Installation::with_client().output(&["doctor", "--node", &free]);
    let report = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{report}");
    let wrong: Vec<_> = report.lines().filter(|line| line.starts_with("WRONG")).collect();
    assert!(
        wrong.len() == 1 && wrong[0].contains("session") && wrong[0].contains("outhaul serve"),
        "{report}"
    );
}

#[test]
fn the_doctor_sees_two_libraries_where_one_with_two_names_is_needed() {
    let installation = Installation::with_client();
    let library = |name: &str| installation.folder.join("outhaul-client").join(name);
    std::os::unix::fs::symlink("libcuda.so.1", library("libnvidia-ml.so.1")).unwrap();
    let said = || text(&installation.output(&["doctor"]).stdout);
    assert!(!said().contains("NVML"), "{}", said());
    std::fs::remove_file(library("libnvidia-ml.so.1")).unwrap();
    std::fs::copy(library("libcuda.so.1"), library("libnvidia-ml.so.1")).unwrap();
    let output = installation.output(&["doctor"]);
    assert!(text(&output.stdout).contains("WRONG  NVML"), "{}", text(&output.stdout));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_doctor_of_one_machine_needs_no_node() {
    let output = Installation::with_client().output(&["doctor"]);
    let report = text(&output.stdout);
    assert!(output.status.success() && report.contains("name one with --node"), "{report}");
    assert!(
        report.contains("note   NVML"),
        "an installation without NVML does not learn what to do:\n{report}"
    );
    let report = failure_report(&Installation::bare());
    assert!(report.lines().any(|line| line.starts_with("WRONG  client library")), "{report}");
}

fn failure_report(installation: &Installation) -> String {
    let output = installation.output(&["doctor"]);
    assert_eq!(output.status.code(), Some(1));
    text(&output.stdout)
}

#[test]
fn a_node_listens_only_on_the_loopback_without_the_insecure_option() {
    let error = failure(Installation::bare().output(&["serve", "--listen", "0.0.0.0:0"]));
    assert!(error.contains("does not authenticate") && error.contains("--insecure"), "{error}");
}

#[test]
fn a_node_without_its_driver_does_not_say_that_it_serves() {
    let installation = Installation::bare();
    let cache = installation.folder.join("cache").display().to_string();
    let output = installation.output(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--gpu",
        "/nowhere/libcuda.so.1",
        "--cache",
        &cache,
    ]);
    assert_eq!(text(&output.stdout), "");
    let error = failure(output);
    assert!(
        error.contains(
            "the node cannot serve its GPU: cannot open the CUDA driver library \
    /nowhere/libcuda.so.1"
        ),
        "{error}"
    );
}

#[test]
fn a_port_that_is_taken() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let error =
        failure(Installation::bare().output(&["serve", "--listen", &address, "--gpu", "/nowhere"]));
    assert!(error.contains(&address) && error.contains("--listen"), "{error}");
}
