//! Shell completions and man pages of the command line.

use crate::fixtures::installation::{Installation, text};

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    let installation = Installation::bare();
    for shell in ["bash", "zsh", "fish", "elvish"] {
        let output = installation.output(&["completion", shell]);
        let script = text(&output.stdout);
        assert!(
            output.status.success()
                && script.contains("doctor")
                && script.contains("release-after"),
            "{shell}: {script}"
        );
    }
}

#[test]
fn every_command_for_people_has_a_page() {
    let installation = Installation::bare();
    let folder = installation.folder.join("man1");
    assert!(installation.output(&["manual", folder.to_str().unwrap()]).status.success());
    let page = |name: &str| {
        std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    assert!(page("outhaul.1").contains("demo"));
    assert!(page("outhaul-run.1").contains("unchecked"));
    let run = page("outhaul-run.1");
    let synopsis = run.split(".SH SYNOPSIS\n").nth(1).unwrap().lines().next().unwrap();
    assert!(
        synopsis.starts_with("\\fBouthaul run\\fR [\\fB\\-\\-node\\fR \\fIHOST:PORT"),
        "{synopsis}"
    );
    assert!(synopsis.ends_with("\\fICMD\\fR..."), "{synopsis}");
    assert!(page("outhaul-pool-serve.1").contains("placement"));
    assert!(!folder.join("outhaul-worker.1").exists());
}
