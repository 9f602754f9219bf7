//! `outhaul bench` on the software GPU. The cases verify their own measurements, so these tests
//! check the printed and written results.

use crate::fixtures::installation::{Installation, text};
use crate::fixtures::signals::interruptible;
use outhaul_placement::time_time_curves::Attachment;
use outhaul_placement::time_time_curves::measured::Measured;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

/// Returns an installation with both libraries.
fn installation() -> Installation {
    let installation = Installation::bare();
    let places = [
        ("libouthaul_client.so", "outhaul-client/libcuda.so.1"),
        ("libouthaul_softgpu.so", "outhaul-soft/libcuda.so.1"),
    ];
    for (library, place) in places {
        let built = Path::new(env!("CARGO_BIN_EXE_outhaul")).with_file_name(library);
        assert!(built.exists(), "{} is missing: run `make build` first", built.display());
        let place = installation.folder.join(place);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::hard_link(built, place).unwrap();
    }
    installation
}

fn bench(installation: &Installation, arguments: &[&str]) -> Output {
    installation.output(&[&["bench", "--gpu", "soft"], arguments].concat())
}

/// Returns whether to check figures that depend on how busy the machine is. OUTHAUL_TIMED asks for
/// that, on an idle machine.
fn is_timed() -> bool {
    std::env::var_os("OUTHAUL_TIMED").is_some()
}

fn json(file: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn a_measurement_uses_a_private_folder_that_is_gone_afterwards() {
    let installation = installation();
    let temporary = installation.folder.join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    // A program of the measurement lists the folder for temporary files, with permissions.
    let list = "stat -c '%a %n' \"$TMPDIR\"/outhaul-bench-*";
    let mut command = installation.command(&["bench", "over", "--gpu", "soft", "--link", "memory"]);
    let ran = command.args(["--", "sh", "-c", list]).env("TMPDIR", &temporary).output().unwrap();
    let said = text(&ran.stdout);
    let folders: Vec<&str> = said.lines().filter(|line| line.contains("/outhaul-bench-")).collect();
    let [folder] = folders[..] else { panic!("{said}{}", text(&ran.stderr)) };
    let digits = folder.strip_prefix("700 ").and_then(|path| path.rsplit('-').next()).unwrap();
    assert!(digits.len() == 16 && digits.bytes().all(|b| b.is_ascii_hexdigit()), "{folder}");
    let left = std::fs::read_dir(&temporary).unwrap().flatten().map(|entry| entry.file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().contains("bench")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_measurement_and_a_demonstration_that_signals_end_leave_no_folder() {
    let installation = installation();
    let temporary = installation.folder.join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let own_folders = || {
        let names = std::fs::read_dir(&temporary).unwrap().flatten().map(|entry| entry.file_name());
        let names = names.map(|name| name.into_string().unwrap());
        names.filter(|name| name.contains("-bench-") || name.contains("-demo-")).count()
    };
    // The measurement waits for this program, and a demonstration for its first one.
    let wait = ["bench", "over", "--gpu", "soft", "--link", "memory", "--", "sleep", "600"];
    let cases: [(&[&str], libc::c_int); 4] = [
        (&wait, libc::SIGTERM),
        (&wait, libc::SIGINT),
        (&wait, libc::SIGHUP),
        (&["demo"], libc::SIGTERM),
    ];
    for (arguments, signal) in cases {
        let mut command = installation.command(arguments);
        command.env("TMPDIR", &temporary).env_remove("HOME").env_remove("XDG_CACHE_HOME");
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = interruptible(&mut command).spawn().unwrap();
        while own_folders() == 0 {
            assert_eq!(process.try_wait().unwrap(), None, "{arguments:?} ended");
            std::thread::sleep(Duration::from_millis(5));
        }
        // SAFETY: takes no pointers.
        assert_eq!(unsafe { libc::kill(process.id() as libc::pid_t, signal) }, 0);
        let status = process.wait().unwrap();
        assert_eq!((status.signal(), own_folders()), (Some(signal), 0), "{arguments:?}");
    }
}

#[test]
fn every_case_is_right_natively_and_over_links_and_is_written_down() {
    let installation = installation();
    let [file, csv, curves] =
        ["results.json", "results.csv", "curves.csv"].map(|name| installation.folder.join(name));
    let (to, csv_to) = (file.display().to_string(), csv.display().to_string());
    let curves_to = curves.display().to_string();
    let cases = ["copies", "latencies", "search", "particles", "frames"];
    let options = ["--link", "loopback,memory", "--runs", "1", "--json", &to, "--csv", &csv_to];
    let output = bench(&installation, &[&cases[..], &options[..]].concat());
    let table = text(&output.stdout);
    assert!(output.status.success(), "{table}{}", text(&output.stderr));
    assert!(table.contains("The software GPU: these figures say nothing about a GPU."), "{table}");
    let results = json(&file);
    assert_eq!(results["software"], true);
    let rows = results["rows"].as_array().unwrap();
    for case in cases {
        let of = |link: &str| {
            rows.iter().filter(|row| row["case"] == case && row["link"] == link).count()
        };
        assert!(
            of("native") > 0 && of("native") == of("loopback") && of("native") == of("memory"),
            "{case}:\n{table}"
        );
    }
    // A launch and a wait need one wait; the search sends the whole database.
    let row = |what: &str, link: &str| {
        rows.iter().find(|row| row["what"] == what && row["link"] == link).unwrap()
    };
    assert_eq!(row("launch and wait", "loopback")["traffic"]["waits"], 1.0);
    assert!(
        row("128 KiB of sequences, query of 32", "loopback")["traffic"]["bytes_sent"]
            .as_f64()
            .unwrap()
            > 131_072.0
    );
    assert!(row("128 KiB of sequences, query of 32", "native")["traffic"].is_null());
    let lines = std::fs::read_to_string(&csv).unwrap();
    assert_eq!(lines.lines().count(), rows.len() + 1, "{lines}");
    // The pool reads the curves of the frames: four loads, natively and over loopback.
    let output = bench(&installation, &["--from", &to, "--curves", &curves_to]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let written = std::fs::read_to_string(&curves).unwrap();
    let measured = Measured::parse(&written).unwrap();
    assert_eq!(measured.csv(), written);
    assert_eq!(written.lines().count(), 1 + 2 * 4, "{written}");
    let native = measured.curve(Attachment::Pcie, Some("Outhaul Software GPU")).unwrap();
    assert_eq!(native.points.len(), 4, "{written}");
    // `--from` shows the written results again, and draws them.
    let plots = installation.folder.join("plots");
    let output = bench(&installation, &["--from", &to, "--plots", &plots.display().to_string()]);
    assert_eq!(text(&output.stdout), table);
    let svg = |name: &str| std::fs::read_to_string(plots.join(name)).unwrap();
    assert!(
        svg("search-size.svg").contains(">loopback<")
            && svg("search-size.svg").contains("says nothing about a GPU")
    );
    assert!(
        svg("frames-time-time-gpu.svg").contains(">memory<")
            && svg("frames-time-time-whole.svg").contains(">native<")
    );
    let png = std::fs::read(plots.join("frames-size.png"));
    assert!(
        png.is_ok_and(|png| png.starts_with(b"\x89PNG"))
            || text(&output.stderr).contains("no font"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
#[ignore = "compares times"]
fn tenants_frames_are_in_time_while_the_gpu_has_time_for_all_and_dropped_once_it_has_not() {
    let installation = installation();
    let [file, csv, plots] =
        ["frames.json", "frames.csv", "plots"].map(|name| installation.folder.join(name));
    let [file_to, csv_to, plots_to] = [&file, &csv, &plots].map(|path| path.display().to_string());
    let options = ["--seconds", "3", "--json", &file_to, "--csv", &csv_to, "--plots", &plots_to];
    let output = bench(&installation, &[&["frames", "--tenants", "1,8"], &options[..]].concat());
    let table = text(&output.stdout);
    assert!(output.status.success(), "{table}{}", text(&output.stderr));
    assert!(table.contains("says nothing about a GPU"), "{table}");
    let results = json(&file);
    let [one, eight] = [0, 1].map(|row| &results["rows"][row]);
    let sum = |row: &Value, of: &str| {
        row["each"].as_array().unwrap().iter().map(|each| each[of].as_u64().unwrap()).sum::<u64>()
    };
    for (row, tenants, holds) in [(one, 1, true), (eight, 8, false)] {
        assert_eq!(row["each"].as_array().unwrap().len(), tenants, "{table}");
        assert_eq!(row["equation_2_holds"], holds, "{table}");
        assert_eq!(
            ["in_time", "late", "dropped"].map(|of| sum(row, of)).iter().sum::<u64>(),
            15 * tenants as u64,
            "{table}"
        );
    }
    // Even a busy machine has time for many frames of one tenant, but not for those of eight.
    assert!(sum(one, "in_time") > 5 && sum(eight, "dropped") > sum(one, "dropped"), "{table}");
    assert_eq!(std::fs::read_to_string(&csv).unwrap().lines().count(), 1 + 1 + 8);
    let chart = std::fs::read_to_string(plots.join("frames-tenants.svg")).unwrap();
    assert!(chart.contains(">dropped<") && chart.contains("says nothing about a GPU"));
}

#[test]
#[ignore = "its amounts depend on measured times"]
fn the_usage_that_a_node_reports_is_compared_with_the_programs_own_measurement() {
    let installation = installation();
    let file = installation.folder.join("accounts.json");
    let to = file.display().to_string();
    let output = installation.output(&[
        "bench",
        "share",
        "accounts",
        "--gpu",
        "soft",
        "--seconds",
        "2",
        "--setting",
        "driver,weighted",
        "--json",
        &to,
    ]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let results = json(&file);
    let [driver, cell] = results["cells"].as_array().unwrap().as_slice() else {
        panic!("{results:#}")
    };
    assert!(
        driver["figure"].is_null()
            && driver["error"].as_str().unwrap().contains("choose a setting of a node"),
        "{results:#}"
    );
    // On a GPU, the figure should be 1. The software GPU needs long to start a kernel, compared
    // with 0.3 ms, and even longer on a busy machine.
    let figure = cell["figure"].as_f64().unwrap();
    assert!(figure > 0.0 && (figure < 60.0 || !is_timed()), "{}", text(&output.stdout));
}

#[test]
fn a_program_that_copies_records_its_copies_in_the_order_of_its_stream() {
    let installation = installation();
    let outhaul = installation.folder.join("outhaul").display().to_string();
    let program = ["run", "--gpu", "soft", "--", &outhaul, "bench", "player", "--rounds", "10"];
    let options = ["--kernels", "3", "--copy-bytes", "65536", "--bursts", "2"];
    let output = installation.output(&[&program[..], &options[..]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    let marks = |of: &str| -> Vec<(u64, u64)> {
        serde_json::from_value(record[of].clone()).unwrap_or_else(|error| panic!("{error}"))
    };
    let (kernels, copies) = (marks("marks"), marks("copied"));
    let counts = |of: &[(u64, u64)]| {
        let mut counts: Vec<u64> = of.iter().map(|(_, done)| *done).collect();
        counts.dedup();
        counts
    };
    assert_eq!(counts(&copies), [0, 1, 2, 3, 4], "one to the device and one back, twice");
    assert_eq!(counts(&kernels), [0, 1, 2, 3, 4, 5, 6], "{record:#}");
    let first = |of: &[(u64, u64)], count| of.iter().find(|mark| mark.1 == count).unwrap().0;
    let last = |of: &[(u64, u64)], count| of.iter().rfind(|mark| mark.1 == count).unwrap().0;
    for burst in 0..2 {
        let arrived_ns = first(&copies, 2 * burst + 1);
        assert!(last(&kernels, 3 * burst) >= arrived_ns, "kernels wait for the copy: {record:#}");
        let computed_ns = first(&kernels, 3 * burst + 3);
        assert!(last(&copies, 2 * burst + 1) >= computed_ns, "so does the copy back: {record:#}");
    }
}

#[test]
#[ignore = "the programs run for seconds"]
fn tenants_copy_beside_kernels_or_in_one_queue_and_a_program_goes_around_the_node() {
    let installation = installation();
    let [file, plots] = ["copies.json", "plots"].map(|name| installation.folder.join(name));
    let [to, plots_to] = [&file, &plots].map(|path| path.display().to_string());
    let run = |cases: &[&str], options: &[&str]| {
        let common = ["--gpu", "soft", "--seconds", "2", "--json", &to];
        let output =
            installation.output(&[&["bench", "share"], cases, &common[..], options].concat());
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
        (json(&file), text(&output.stdout))
    };
    let (results, table) = run(
        &["copies"],
        &["--setting", "band", "--copies", "separate,joint", "--plots", &plots_to],
    );
    assert!(table.contains("band-joint"), "{table}");
    for cell in results["cells"].as_array().unwrap() {
        for of in ["utilisation", "copying"] {
            let windows: Vec<[f64; 2]> = serde_json::from_value(cell[of].clone()).unwrap();
            let did = |tenant: usize| windows.iter().map(|window| window[tenant]).sum::<f64>();
            assert!(did(0) > 0.0 && did(1) > 0.0, "{of}: {cell:#}");
        }
    }
    for chart in ["share-copies-band.svg", "share-copies-band-joint-copies.svg"] {
        assert!(plots.join(chart).exists(), "{chart}");
    }
    let (around, table) = run(&["around"], &["--setting", "weighted"]);
    assert!(around["cells"][0]["figure"].is_number(), "{table}");
    assert!(table.contains("the tenants and the program that goes around had"), "{table}");
    let (refused, table) =
        run(&["around"], &["--setting", "weighted", "--around-under", "/bin/false"]);
    assert!(refused["cells"][0]["figure"].is_number(), "{table}");
    assert!(table.contains("the program that goes around did not run"), "{table}");
}

#[test]
fn graphs_of_programs_hand_results_on_through_the_host_and_in_shared_memory() {
    let installation = installation();
    let file = installation.folder.join("flow.json");
    let to = file.display().to_string();
    let small = ["--side", "100", "--levels", "3", "--width", "3", "--runs", "2"];
    let output = installation
        .output(&[&["bench", "flow", "--gpu", "soft", "--json", &to], &small[..]].concat());
    let table = text(&output.stdout);
    assert!(
        output.status.success() && table.contains("driver host/weighted segments"),
        "{table}{}",
        text(&output.stderr)
    );
    let results = json(&file);
    let cells = |crew: usize| results["crews"][crew]["cells"].as_array().unwrap();
    // There are two methods on the driver and four on a node, for both graphs. A driver without
    // segments supports only the first two.
    assert_eq!((cells(0).len(), cells(1).len()), (4, 8), "{table}");
    assert!(cells(1).iter().all(|cell| cell["makespans_ms"].as_array().unwrap().len() == 2));
}

/// Runs `outhaul bench swap` on a software GPU with `memory`. Returns the results and the output.
fn swap(
    installation: &Installation,
    file: &Path,
    memory: &str,
    options: &[&str],
) -> (Value, String) {
    let mut command =
        installation.command(&[&["bench", "swap", "--gpu", "soft"], options].concat());
    command
        .arg("--json")
        .arg(file)
        .env("OUTHAUL_SOFT_MEMORY", memory)
        .env("OUTHAUL_SOFT_CARD", installation.folder.join("card"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    (json(file), text(&output.stdout))
}

#[test]
#[ignore = "its amounts depend on measured times"]
fn small_programs_and_a_large_one_all_finish_on_a_gpu_that_does_not_hold_them() {
    let installation = installation();
    let file = installation.folder.join("beside.json");
    let (results, _) = swap(
        &installation,
        &file,
        "3GiB",
        &["--beside", "1,8", "--work-ms", "1", "--card", "1GiB"],
    );
    let cell = |number: usize, what: &str| results["cells"][number][what].as_u64().unwrap();
    assert_eq!((cell(0, "programs"), cell(1, "programs")), (1, 8));
    // 640 MiB and eight times 64 MiB fit into 3 GiB, but not into the 1 GiB that the node uses.
    assert_eq!((cell(0, "must_bytes"), cell(1, "must_bytes")), (0, 128 << 20));
    // The moved bytes depend on which programs alternate, and so on the programs' times.
    let moved_gib = results["cells"][1]["to_host"]["gib"].as_f64().unwrap();
    assert!(moved_gib > 0.0 && (moved_gib >= 0.125 || !is_timed()), "{moved_gib}");
}

#[test]
#[ignore = "its amounts depend on measured times"]
fn first_moves_of_memory_are_counted_apart_from_later_ones() {
    let installation = installation();
    let file = installation.folder.join("swap.json");
    let (results, table) = swap(
        &installation,
        &file,
        "512MiB",
        &["--size", "320MiB", "--allocation", "128MiB", "--rounds", "2"],
    );
    assert!(table.contains("THEN TO HOST"), "{table}");
    assert!(results["to_host_bytes_per_s"].as_f64().unwrap() > 0.0);
    let gib = |what: &str| results["cells"][0][what]["gib"].as_f64().unwrap();
    // 128 MiB of each program's memory do not fit next to the other's. The node moves them once for
    // each program. After that, it moves them once per program and round, if both always have work.
    let [first, later] = if is_timed() { [0.25, 0.5] } else { [f64::MIN_POSITIVE; 2] };
    assert!(gib("first_to_host") >= first && gib("to_host") >= later, "{table}");
}

#[test]
fn sizes_of_pieces_and_ways_of_copies_are_swept() {
    let installation = installation();
    let [file, plots] = ["pieces.json", "plots"].map(|name| installation.folder.join(name));
    let (to, plots_to) = (file.display().to_string(), plots.display().to_string());
    let options = [
        "--gpu", "soft", "--size", "8MiB", "--link", "memory", "--json", &to, "--plots", &plots_to,
    ];
    let output = installation.output(&[&["bench", "pieces"], &options[..]].concat());
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    // The rows are the client's own choice, seven sizes, and three paths. Each row has both
    // directions, from both kinds of memory.
    let results = json(&file);
    let counts: Vec<usize> = results["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["moved"].as_array().unwrap().len())
        .collect();
    assert_eq!(counts, [28, 4, 4, 4, 4, 4, 4, 4, 24, 24, 24]);
    assert!(
        std::fs::read_to_string(plots.join("pieces-memory.svg"))
            .unwrap()
            .contains("pinned to host")
    );
}

#[test]
fn slower_results_are_found_and_fail() {
    let installation = installation();
    let file = installation.folder.join("now.json");
    let to = file.display().to_string();
    let output =
        bench(&installation, &["frames", "--link", "loopback", "--runs", "2", "--json", &to]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut faster = json(&file);
    for row in faster["rows"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .filter(|row| row["link"] == "loopback" && row["size"] == 8.0)
    {
        for us in row["us"].as_array_mut().unwrap() {
            *us = (us.as_f64().unwrap() / 100.0).into();
        }
    }
    let before = installation.folder.join("before.json");
    std::fs::write(&before, faster.to_string()).unwrap();
    let before = before.display().to_string();
    let output = bench(&installation, &["--from", &to, "--compare", &before]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let slower: Vec<&str> = said.lines().filter(|line| line.contains("SLOWER")).collect();
    assert!(
        slower.len() == 1
            && slower[0].contains("frames: 8 objects")
            && slower[0].ends_with("over loopback"),
        "{said}"
    );
    assert!(bench(&installation, &["--from", &to, "--compare", &to]).status.success());
}

#[test]
fn a_result_that_differs_fails() {
    let installation = installation();
    let file = installation.folder.join("results.json");
    let to = file.display().to_string();
    let output =
        bench(&installation, &["search", "--link", "loopback", "--runs", "1", "--json", &to]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let mut results = json(&file);
    for row in
        results["rows"].as_array_mut().unwrap().iter_mut().filter(|row| row["link"] == "loopback")
    {
        row["result"] = "scores 0".into();
    }
    std::fs::write(&file, results.to_string()).unwrap();
    let output = bench(&installation, &["--from", &to]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("RESULT DIFFERS"), "{}", text(&output.stdout));
}

#[test]
fn a_relay_passes_bytes_on_and_adds_its_delay() {
    let echo = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = echo.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in echo.incoming().flatten() {
            std::thread::spawn(move || {
                std::io::copy(&mut stream.try_clone().unwrap(), &mut &stream)
            });
        }
    });
    let installation = Installation::bare();
    let mut command = installation.command(&["bench", "relay", "--to", &to, "--link", "rtt:40ms"]);
    let mut relay = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(relay.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let mut stream = TcpStream::connect(line.trim().rsplit(' ').next().unwrap()).unwrap();
    let sent: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    for _ in 0..3 {
        let start = Instant::now();
        stream.write_all(&sent).unwrap();
        let mut back = vec![0; sent.len()];
        stream.read_exact(&mut back).unwrap();
        assert!(back == sent);
        // On a busy machine the run may take longer, but it never takes less time.
        assert!(start.elapsed() >= Duration::from_millis(40), "{:?}", start.elapsed());
    }
    relay.kill().unwrap();
    relay.wait().unwrap();
}

#[test]
fn cases_that_cannot_be_measured_are_named() {
    let installation = installation();
    let error = text(&bench(&installation, &["search", "--link", "fast"]).stderr);
    assert!(error.contains("'fast' is not a link"), "{error}");
    let error = text(&bench(&installation, &["dance"]).stderr);
    assert!(error.contains("dance") && error.contains("particles"), "{error}");
    let error = text(&bench(&installation, &["search", "--tenants", "2"]).stderr);
    assert!(error.contains("bench frames --tenants"), "{error}");
    let output =
        bench(&installation, &["search", "--link", "loopback", "--runs", "1", "--limit-s", "0"]);
    let said = text(&output.stdout);
    assert!(
        output.status.code() == Some(1)
            && said.contains("FAILED search over native: not done after 0 s"),
        "{said}"
    );
}

#[test]
#[ignore = "a machine that is fast enough has measured all in time"]
fn a_measurement_that_runs_out_of_time_keeps_its_results() {
    let installation = installation();
    let file = installation.folder.join("short.json");
    let path = file.to_str().unwrap();
    let output = bench(
        &installation,
        &["latencies", "--link", "memory", "--runs", "50", "--within-s", "2", "--json", path],
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let again = bench(&installation, &["--from", path]);
    assert_eq!(text(&output.stdout), text(&again.stdout));
    let results = json(&file);
    let samples = |row: &Value| row["us"].as_array().unwrap().len();
    assert!(
        results["rows"].as_array().unwrap().iter().all(|row| (1..50).contains(&samples(row))),
        "{results}"
    );
}
