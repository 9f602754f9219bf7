//! `outhaul sim`: passes options to the simulators, prints tables, and writes the requested files.

use crate::fixtures::installation::{Installation, text};

#[test]
fn a_graph_is_simulated_and_the_report_written() {
    let installation = Installation::bare();
    let report = installation.folder.join("reports/blur.csv").display().to_string();
    let output = installation.output(&[
        "sim",
        "dag",
        "--app",
        "blur",
        "--partitions",
        "2",
        "--policy",
        "fifo,victream",
        "--csv",
        &report,
    ]);
    let table = text(&output.stdout);
    assert!(
        output.status.success() && table.contains("fifo") && table.contains("victream"),
        "{output:?}"
    );
    assert!(std::fs::read_to_string(report).unwrap().contains("victream"));
}

#[test]
fn it_ends_in_silence_when_its_reader_does() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let installation = Installation::bare();
    let mut command = installation.command(&[
        "sim",
        "dag",
        "--app",
        "blur",
        "--partitions",
        "2",
        "--policy",
        "fifo",
    ]);
    let output = command
        .stdout(writer)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap();
    assert_eq!(
        (output.status.code(), text(&output.stderr).as_str()),
        (Some(141), ""),
        "{output:?}"
    );
}

#[test]
fn a_flag_that_does_not_exist_is_named() {
    let output = Installation::bare().output(&["sim", "dag", "--partition", "2"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("--partition"), "{output:?}");
    let help = text(&Installation::bare().output(&["sim", "dag", "--help"]).stdout);
    assert!(help.contains("--memory-mb"), "{help}");
}

#[test]
fn frames_are_simulated_with_claims_and_figures() {
    let installation = Installation::bare();
    let folder = installation.folder.join("figures").display().to_string();
    let output =
        installation.output(&["sim", "frames", "--work", "1e5", "--n10", "0,5", "--out", &folder]);
    let table = text(&output.stdout);
    assert!(
        output.status.success() && table.contains("ours, window:256") && table.contains("C11"),
        "{output:?}"
    );
    for figure in ["fig3", "fig4", "fig5", "fig6", "fig7", "fig8", "fig9"] {
        assert!(
            std::fs::read_to_string(format!("{folder}/{figure}.svg"))
                .unwrap()
                .contains("<polyline"),
            "{figure}"
        );
        assert!(
            std::fs::read_to_string(format!("{folder}/{figure}.csv")).unwrap().lines().count() > 2,
            "{figure}"
        );
    }
}

/// With so little work, claims about the end of a run fail; that all hold, `claims.rs` asserts.
#[test]
fn the_search_lists_lines_as_models_with_the_claims_that_they_fail() {
    let installation = Installation::bare();
    let output = installation.output(&["sim", "frames", "--search", "--work", "1e4"]);
    let table = text(&output.stdout);
    let known = "--model lines:3.4,1,2.5,1.2,11.85 ";
    assert!(output.status.success() && table.contains(known), "{output:?}");
    assert!(table.lines().any(|line| line.ends_with("others                          C2")));
    let model = ["--model", "lines:3.4,1,2.5,1.2,11.85"];
    let run = ["sim", "frames", "--work", "1e4", "--n10", "5", "--method", "1,2,3,rule"];
    let output = installation.output(&[&run[..], &model[..]].concat());
    let table = text(&output.stdout);
    assert!(table.contains("C2   holds") && table.contains("rule, fifo"), "{table}");
}

#[test]
fn a_model_or_method_that_does_not_exist_is_named_with_those_that_do() {
    let installation = Installation::bare();
    for (flag, known) in
        [("--model", "or csv:FILE"), ("--method", "low+bf"), ("--queue", "window:N")]
    {
        let output = installation.output(&["sim", "frames", flag, "other"]);
        assert!(!output.status.success() && text(&output.stderr).contains(known), "{output:?}");
    }
}

#[test]
fn shares_are_simulated_under_every_policy() {
    let output = Installation::bare().output(&["sim", "share", "--seeds", "1", "--json"]);
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for policy in ["FIFO", "Credit", "BAND", "weighted"] {
        assert!(rows[0]["figures"][policy].is_number(), "{rows:#}");
    }
    let named = |name: &str| {
        let row = rows.as_array().unwrap().iter().find(|row| row["scenario"] == name);
        row.unwrap_or_else(|| panic!("{name} is missing: {rows:#}"))["figures"].clone()
    };
    let apart = named("the same: computing and copying together, percent of the time");
    let joint = named("the same, with one queue for copies and kernels (SDQ)");
    for policy in ["FIFO", "Credit", "BAND", "weighted"] {
        let figure = |of: &serde_json::Value| of[policy].as_f64().unwrap();
        assert!(figure(&apart) > 120.0 && figure(&joint) < 100.0, "{policy}: {rows:#}");
    }
}
