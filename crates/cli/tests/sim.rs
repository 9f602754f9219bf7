//! `outhaul sim dag` hands its flags on, prints the table, and writes the files that were asked for.

mod installation;

use installation::{Installation, text};

#[test]
fn a_graph_is_simulated_and_the_report_written() {
    let installation = Installation::bare();
    let report = installation.folder.join("reports/blur.csv").display().to_string();
    let output = installation.output(&["sim", "dag", "--app", "blur", "--partitions", "2", "--policy", "fifo,victream", "--csv", &report]);
    let table = text(&output.stdout);
    assert!(output.status.success() && table.contains("fifo") && table.contains("victream"), "{output:?}");
    assert!(std::fs::read_to_string(report).unwrap().contains("victream"));
}

#[test]
fn a_flag_that_does_not_exist_is_named() {
    let output = Installation::bare().output(&["sim", "dag", "--partition", "2"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("--partition"), "{output:?}");
    let help = text(&Installation::bare().output(&["sim", "dag", "--help"]).stdout);
    assert!(help.contains("--memory-mb"), "{help}");
}
