//! `outhaul run` as its user sees it: the command's own exit code, signals and environment, and
//! errors that name a remedy.

use crate::fixtures::installation::{Installation, text};
use crate::fixtures::node_process::{Node, built};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const NODE: &str = "127.0.0.1:7654";

#[test]
fn the_exit_code_is_the_commands_own() {
    let output = Installation::with_client().output(&[
        "run",
        "--unchecked",
        "--node",
        NODE,
        "--",
        "sh",
        "-c",
        "echo \"$1\"; exit 37",
        "sh",
        "--stats",
    ]);
    assert_eq!(output.status.code(), Some(37), "{output:?}");
    assert_eq!(text(&output.stdout), "--stats\n", "what follows the command belongs to it");
    assert_eq!(text(&output.stderr).lines().count(), 1, "{output:?}");
}

#[test]
fn the_command_takes_the_place_of_outhaul_so_signals_reach_it() {
    let installation = Installation::with_client();
    let child = installation.command(&[
        "run",
        "--unchecked",
        "--node",
        NODE,
        "--",
        "sh",
        "-c",
        "echo $$; kill -TERM $$",
    ]);
    let child = { child }.stdout(Stdio::piped()).spawn().unwrap();
    let id = child.id();
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stdout), format!("{id}\n"));
    assert_eq!(output.status.signal(), Some(15));
}

#[test]
fn the_client_library_comes_first_and_learns_the_node() {
    let installation = Installation::with_client();
    let script =
        "echo $LD_LIBRARY_PATH; echo $TRITON_LIBCUDA_PATH; echo $OUTHAUL_NODE; echo $OUTHAUL_TUNE";
    let mut command =
        installation.command(&["run", "--unchecked", "--stats", "--", "sh", "-c", script]);
    let output =
        command.env("LD_LIBRARY_PATH", "/opt/lib").env("OUTHAUL_NODE", "gpu7").output().unwrap();
    let client = installation.folder.join("outhaul-client").display().to_string();
    assert_eq!(text(&output.stdout), format!("{client}:/opt/lib\n{client}\ngpu7:7654\nstats=1\n"));
}

#[test]
fn a_driver_by_path_needs_no_node() {
    let installation = Installation::with_client();
    let folder = installation.folder.join("outhaul-client").display().to_string();
    for path in [folder.clone(), format!("{folder}/libcuda.so.1")] {
        let mut command = installation.command(&[
            "run",
            "--gpu",
            &path,
            "--",
            "sh",
            "-c",
            "echo $LD_LIBRARY_PATH:$OUTHAUL_NODE",
        ]);
        let output = command.env("OUTHAUL_NODE", NODE).output().unwrap();
        assert_eq!(text(&output.stdout), format!("{folder}:\n"));
    }
    let output = installation.output(&["run", "--gpu", "/etc", "--", "true"]);
    assert_eq!(output.status.code(), Some(125));
    assert!(text(&output.stderr).contains("/etc is neither a libcuda.so.1"), "{output:?}");
}

#[test]
fn a_command_that_is_not_there_is_named() {
    let output = Installation::with_client().output(&[
        "run",
        "--unchecked",
        "--node",
        NODE,
        "--",
        "no-such-command",
    ]);
    assert_eq!(output.status.code(), Some(127));
    let error = text(&output.stderr);
    assert!(
        error.contains("cannot run no-such-command") && error.contains("check the spelling"),
        "{error}"
    );
}

#[test]
fn a_file_that_cannot_be_executed_is_named() {
    let output = Installation::with_client().output(&[
        "run",
        "--unchecked",
        "--node",
        NODE,
        "--",
        "/etc/passwd",
    ]);
    assert_eq!(output.status.code(), Some(126));
    assert!(text(&output.stderr).contains("cannot run /etc/passwd"), "{output:?}");
}

#[test]
fn without_a_node_nothing_runs() {
    let installation = Installation::with_client();
    let output = installation.output(&["run", "--", "echo", "ran"]);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(125), ""));
    assert!(text(&output.stderr).contains("--node HOST:PORT"), "{output:?}");
    let output = installation
        .command(&["run", "--", "echo", "ran"])
        .env("OUTHAUL_NODE", "http://gpu7")
        .output()
        .unwrap();
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(125), ""));
    assert!(
        text(&output.stderr).contains("OUTHAUL_NODE: 'http://gpu7' is not a node"),
        "{output:?}"
    );
}

#[test]
fn without_the_client_library_nothing_runs() {
    let output =
        Installation::bare().output(&["run", "--unchecked", "--node", NODE, "--", "echo", "ran"]);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(125), ""));
    let error = text(&output.stderr);
    assert!(
        error.contains("outhaul-client/libcuda.so.1") && error.contains("make build"),
        "{error}"
    );
}

/// Returns an installation with the software GPU, which runs in the program's own process. So `run`
/// does all its work except the parts that need a node.
fn with_soft() -> Installation {
    let installation = Installation::bare();
    std::fs::create_dir(installation.folder.join("outhaul-soft")).unwrap();
    std::fs::hard_link(
        built("libouthaul_softgpu.so"),
        installation.folder.join("outhaul-soft/libcuda.so.1"),
    )
    .unwrap();
    installation
}

fn refused(output: &Output, reason: &str) {
    let error = text(&output.stderr);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(125), ""), "{error}");
    assert!(error.contains(reason), "{error}");
}

#[test]
fn a_node_that_cannot_be_used_is_named_before_the_program_starts() {
    let installation = Installation::with_client();
    let run = |node: &str| installation.output(&["run", "--node", node, "--", "echo", "ran"]);
    refused(&run("127.0.0.1:1"), "is `outhaul serve` running there, on this port?");
    refused(&run("no.such.host.invalid"), "cannot resolve no.such.host.invalid:7654");
    let node = Node::start(&["--sessions", "1"]);
    let fine = run(&node.address);
    assert_eq!((fine.status.code(), text(&fine.stdout).as_str()), (Some(0), "ran\n"), "{fine:?}");
    refused(&run(&format!("{},127.0.0.1:1", node.address)), "cannot reach a node at 127.0.0.1:1");
    let named = installation.output(&[
        "run",
        "--node",
        &node.address,
        "--tenant",
        "a/b",
        "--",
        "echo",
        "ran",
    ]);
    assert_eq!((named.status.success(), text(&named.stdout).as_str()), (false, ""));
}

#[test]
fn to_ask_a_node_begins_no_session() {
    let node = Node::start(&[]);
    for transport in ["tcp", "auto"] {
        let installation = Installation::with_client();
        let mut command = installation.command(&["run", "--node", &node.address, "--", "true"]);
        assert!(command.env("OUTHAUL_TRANSPORT", transport).status().unwrap().success());
    }
    let _session = node.session();
    let lines: Vec<String> = node.log.try_iter().chain([node.wait_for("is worker")]).collect();
    assert_eq!(lines.iter().filter(|line| line.contains("is worker")).count(), 1, "{lines:?}");
}

fn compile(folder: &Path, name: &str, options: &[&str]) -> PathBuf {
    let (source, program) = (folder.join("program.c"), folder.join(name));
    std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    assert!(
        Command::new("cc")
            .arg("-o")
            .arg(&program)
            .arg(&source)
            .args(options)
            .status()
            .unwrap()
            .success()
    );
    program
}

/// Copies the machine's `true`, and modifies the copy.
fn changed_true(
    folder: &Path,
    name: &str,
    change: impl FnOnce(&mut Vec<u8>),
    mode: u32,
) -> PathBuf {
    let mut bytes = std::fs::read("/bin/true").unwrap();
    change(&mut bytes);
    let file = folder.join(name);
    std::fs::write(&file, bytes).unwrap();
    if mode & 0o4000 != 0 {
        // The file has another owner than the user who runs it. Only root can give a file away.
        let _ = std::os::unix::fs::chown(&file, Some(65_534), None);
    }
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    file
}

#[test]
fn a_program_that_would_not_load_the_library_is_refused_with_the_reason() {
    let installation = with_soft();
    let folder = &installation.folder;
    let run = |program: &Path| {
        installation.output(&["run", "--gpu", "soft", "--", program.to_str().unwrap()])
    };
    let fixed = compile(folder, "static", &["-static"]);
    refused(&run(&fixed), "is linked statically");
    refused(
        &run(&changed_true(folder, "narrow", |bytes| bytes[4] = 1, 0o755)),
        "is a 32-bit program",
    );
    refused(
        &run(&changed_true(folder, "foreign", |bytes| bytes[18] = 243, 0o755)),
        "is for another CPU architecture",
    );
    let own = folder.join("own");
    std::fs::create_dir(&own).unwrap();
    let with_rpath =
        |name: &str, tags: &str| compile(folder, name, &[tags, "-Wl,-rpath,$ORIGIN/own"]);
    let [rpath, runpath] = [
        with_rpath("rpath", "-Wl,--disable-new-dtags"),
        with_rpath("runpath", "-Wl,--enable-new-dtags"),
    ];
    assert!(run(&rpath).status.success(), "there is no driver there yet");
    std::fs::write(own.join("libcuda.so.1"), "").unwrap();
    refused(&run(&rpath), &format!("{}/own first (RPATH)", folder.display()));
    assert!(run(&runpath).status.success(), "the library path comes before a RUNPATH");
    // SAFETY: takes no pointers.
    if unsafe { libc::geteuid() } == 0 {
        refused(&run(&changed_true(folder, "privileged", |_| {}, 0o4755)), "runs as another user");
    }
    let unchecked = installation.output(&[
        "run",
        "--unchecked",
        "--gpu",
        "soft",
        "--",
        fixed.to_str().unwrap(),
    ]);
    assert!(unchecked.status.success(), "{unchecked:?}");
    assert!(
        text(&unchecked.stderr).contains("never loaded Outhaul's libcuda.so.1"),
        "{unchecked:?}"
    );
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    let installation = Installation::with_client();
    for options in [
        ["-n", "2"],
        ["--memory", "1GiB"],
        ["--share", "50%"],
        ["--priority", "1"],
        ["--time", "1h"],
        ["--model", "H100"],
    ] {
        let run = installation
            .output(&[&["run", "--node", NODE], &options[..], &["--", "echo", "ran"]].concat());
        refused(&run, &format!("{} is for leases from a pool", options[0]));
        let mut by_environment =
            installation.command(&[&["run"], &options[..], &["--", "echo", "ran"]].concat());
        refused(
            &by_environment.env("OUTHAUL_NODE", NODE).output().unwrap(),
            "is for leases from a pool",
        );
    }
    let tenant = installation.output(&[
        "run",
        "--pool",
        "http://127.0.0.1:1",
        "--tenant",
        "a",
        "--",
        "echo",
        "ran",
    ]);
    refused(&tenant, "a lease from a pool has its own share");
    assert_eq!(
        installation
            .output(&["run", "--gpu", "soft", "--stats", "--", "echo", "ran"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn a_program_that_never_loads_the_library_is_reported_at_its_end() {
    const SAID: &str = "outhaul: the program never loaded Outhaul's libcuda.so.1";
    let installation = with_soft();
    let own = installation.folder.join("outhaul").display().to_string();
    let run = |command: &[&str]| {
        installation.output(&[&["run", "--gpu", "soft", "--"], command].concat())
    };
    let loaded = run(&[&own, "probe", "count", "libcuda.so.1"]);
    assert_eq!((text(&loaded.stdout).as_str(), text(&loaded.stderr).as_str()), ("1\n", ""));
    let later = run(&["sh", "-c", "true; \"$1\" probe count libcuda.so.1; true", "sh", &own]);
    assert_eq!(
        (text(&later.stdout).as_str(), text(&later.stderr).as_str()),
        ("1\n", ""),
        "a program that starts another"
    );
    let reset = run(&[
        "sh",
        "-c",
        "LD_LIBRARY_PATH= \"$1\" probe count libcuda.so.1 2>/dev/null; exit 3",
        "sh",
        &own,
    ]);
    assert_eq!(reset.status.code(), Some(3));
    assert!(text(&reset.stderr).starts_with(SAID), "{reset:?}");
    let plain = run(&["true"]);
    assert!(text(&plain.stderr).starts_with(SAID), "{plain:?}");
    let quiet = installation.output(&["run", "--quiet", "--gpu", "soft", "--", "true"]);
    assert_eq!(text(&quiet.stderr), "");
    let killed = run(&["sh", "-c", "kill -9 $$"]);
    assert!(text(&killed.stderr).starts_with(SAID), "{killed:?}");
    let missing = run(&["no-such-command"]);
    assert_eq!(
        (missing.status.code(), text(&missing.stderr).contains(SAID)),
        (Some(127), false),
        "{missing:?}"
    );
}

#[test]
fn a_reader_of_the_programs_output_sees_its_end_when_the_program_closes_it() {
    let installation = with_soft();
    let command = ["run", "--gpu", "soft", "--", "sh", "-c", "echo closed; exec >&-; sleep 60"];
    let mut child = installation
        .command(&command)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut said).unwrap();
    assert_eq!(said, "closed\n");
    assert!(child.try_wait().unwrap().is_none(), "the program goes on");
    child.kill().unwrap();
    child.wait().unwrap();
}
