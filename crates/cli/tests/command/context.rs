//! Contexts: commands use the context's pool or nodes, unless an option or the environment names
//! others.

use crate::fixtures::installation::{Installation, text};
use crate::fixtures::node_process::Node;
use std::process::Output;

struct Home(Installation);

impl Home {
    fn outhaul(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = self.0.command(arguments);
        command.env("XDG_CONFIG_HOME", self.0.folder.join("config")).env_remove("OUTHAUL_POOL");
        command.envs(variables.iter().copied()).output().unwrap()
    }

    fn prints(&self, arguments: &[&str]) -> String {
        let output = self.outhaul(arguments, &[]);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    fn fails(&self, arguments: &[&str]) -> String {
        let output = self.outhaul(arguments, &[]);
        assert!(!output.status.success(), "{arguments:?}: {output:?}");
        text(&output.stderr)
    }
}

#[test]
fn commands_use_the_nodes_or_pool_of_the_context() {
    let (home, node) = (Home(Installation::with_client()), Node::start(&[]));
    assert!(home.fails(&["ls"]).contains("outhaul use"));
    home.prints(&["config", "set", "desk", "--node", &node.address]);
    assert!(home.fails(&["ls"]).contains("no node is named"), "a context counts when it is in use");
    home.prints(&["use", "desk"]);
    assert!(home.prints(&["ls"]).contains("Outhaul Software GPU"));
    let ran = home.prints(&["run", "--", "sh", "-c", "echo $OUTHAUL_NODE"]);
    assert_eq!(ran, format!("{}\n", node.address));
    let elsewhere = home.outhaul(&["ls"], &[("OUTHAUL_NODE", "127.0.0.1:1")]);
    assert!(
        text(&elsewhere.stderr).contains("127.0.0.1:1"),
        "the environment counts more: {elsewhere:?}"
    );
    assert!(
        home.fails(&["ls", "--node", "127.0.0.1:2"]).contains("127.0.0.1:2"),
        "a flag counts more"
    );
    home.prints(&["use", "--none"]);
    assert!(home.fails(&["ls"]).contains("no node is named"));
}

#[test]
fn a_pool_is_a_context_too_and_its_url_makes_one() {
    let home = Home(Installation::with_client());
    home.prints(&["use", "http://127.0.0.1:1"]);
    let table = home.prints(&["config"]);
    assert!(
        table.lines().any(|line| line.split_whitespace().eq([
            "*",
            "127.0.0.1",
            "http://127.0.0.1:1"
        ])),
        "{table}"
    );
    assert!(home.fails(&["lease", "ls"]).contains("127.0.0.1:1"));
    home.prints(&["config", "set", "lab", "--pool", "https://pool"]);
    let json: serde_json::Value =
        serde_json::from_str(&home.prints(&["config", "--json"])).unwrap();
    assert_eq!(
        (&json["current"], &json["contexts"]["lab"]["pool"]),
        (&"127.0.0.1".into(), &"https://pool:7653".into())
    );
    assert!(home.fails(&["use", "lap"]).contains("there are 127.0.0.1, lab"));
    home.prints(&["config", "rm", "127.0.0.1"]);
    assert!(home.fails(&["lease", "ls"]).contains("no pool is named"));
}

#[test]
fn a_broken_file_is_named() {
    let home = Home(Installation::with_client());
    let folder = home.0.folder.join("config/outhaul");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.json"), "{").unwrap();
    let said = home.fails(&["ls"]);
    assert!(said.contains("config.json: ") && said.contains("correct the file"), "{said}");
}
