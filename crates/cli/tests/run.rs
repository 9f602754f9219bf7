//! `outhaul run` as its user sees it: the command's own exit code, signals and environment, and errors that say what to do.

mod installation;

use installation::{Installation, text};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

const NODE: &str = "127.0.0.1:7654";

#[test]
fn the_exit_code_is_the_commands_own() {
    let output = Installation::with_client().output(&["run", "--node", NODE, "--", "sh", "-c", "echo \"$1\"; exit 37", "sh", "--stats"]);
    assert_eq!(output.status.code(), Some(37), "{output:?}");
    assert_eq!(text(&output.stdout), "--stats\n", "what follows the command belongs to it");
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn the_command_takes_the_place_of_outhaul_so_signals_reach_it() {
    let installation = Installation::with_client();
    let child = installation.command(&["run", "--node", NODE, "--", "sh", "-c", "echo $$; kill -TERM $$"]);
    let child = { child }.stdout(Stdio::piped()).spawn().unwrap();
    let id = child.id();
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stdout), format!("{id}\n"));
    assert_eq!(output.status.signal(), Some(15));
}

#[test]
fn the_client_library_comes_first_and_learns_the_node() {
    let installation = Installation::with_client();
    let script = "echo $LD_LIBRARY_PATH; echo $TRITON_LIBCUDA_PATH; echo $OUTHAUL_NODE; echo $OUTHAUL_STATS";
    let mut command = installation.command(&["run", "--stats", "--", "sh", "-c", script]);
    let output = command.env("LD_LIBRARY_PATH", "/opt/lib").env("OUTHAUL_NODE", "gpu7").output().unwrap();
    let client = installation.folder.join("outhaul-client").display().to_string();
    assert_eq!(text(&output.stdout), format!("{client}:/opt/lib\n{client}\ngpu7:7654\n1\n"));
}

#[test]
fn a_driver_by_path_needs_no_node() {
    let installation = Installation::with_client();
    let folder = installation.folder.join("outhaul-client").display().to_string();
    for path in [folder.clone(), format!("{folder}/libcuda.so.1")] {
        let mut command = installation.command(&["run", "--gpu", &path, "--", "sh", "-c", "echo $LD_LIBRARY_PATH:$OUTHAUL_NODE"]);
        let output = command.env("OUTHAUL_NODE", NODE).output().unwrap();
        assert_eq!(text(&output.stdout), format!("{folder}:\n"));
    }
    let output = installation.output(&["run", "--gpu", "/etc", "--", "true"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("/etc is no libcuda.so.1"), "{output:?}");
}

#[test]
fn a_command_that_is_not_there_is_named() {
    let output = Installation::with_client().output(&["run", "--node", NODE, "--", "no-such-command"]);
    assert_eq!(output.status.code(), Some(127));
    let error = text(&output.stderr);
    assert!(error.contains("cannot run no-such-command") && error.contains("check the spelling"), "{error}");
}

#[test]
fn a_file_that_cannot_be_executed_is_named() {
    let output = Installation::with_client().output(&["run", "--node", NODE, "--", "/etc/passwd"]);
    assert_eq!(output.status.code(), Some(126));
    assert!(text(&output.stderr).contains("cannot run /etc/passwd"), "{output:?}");
}

#[test]
fn without_a_node_nothing_runs() {
    let installation = Installation::with_client();
    let output = installation.output(&["run", "--", "echo", "ran"]);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(1), ""));
    assert!(text(&output.stderr).contains("--node HOST:PORT"), "{output:?}");
    let output = installation.command(&["run", "--", "echo", "ran"]).env("OUTHAUL_NODE", "http://gpu7").output().unwrap();
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(1), ""));
    assert!(text(&output.stderr).contains("OUTHAUL_NODE: 'http://gpu7' is no node"), "{output:?}");
}

#[test]
fn without_the_client_library_nothing_runs() {
    let output = Installation::bare().output(&["run", "--node", NODE, "--", "echo", "ran"]);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(1), ""));
    let error = text(&output.stderr);
    assert!(error.contains("outhaul-client/libcuda.so.1") && error.contains("make build"), "{error}");
}
