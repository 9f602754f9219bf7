//! The commands that query a node, against a real node on the software GPU.

use crate::fixtures::installation::{Installation, text};
use crate::fixtures::node_process::{Node, built};

#[test]
fn the_doctor_finds_nothing_wrong_with_a_node_that_works() {
    let node = Node::start(&[]);
    let client = Installation::bare();
    std::fs::create_dir(client.folder.join("outhaul-client")).unwrap();
    std::fs::hard_link(
        built("libouthaul_client.so"),
        client.folder.join("outhaul-client/libcuda.so.1"),
    )
    .unwrap();
    let output = client.output(&["doctor", "--node", &node.address]);
    let report = text(&output.stdout);
    assert!(output.status.success(), "{report}");
    for finding in
        ["Outhaul Software GPU", "ms round trip", "the client library starts and finds 1 GPU"]
    {
        assert!(report.contains(finding), "{finding} is missing:\n{report}");
    }
}

#[test]
fn ls_shows_the_devices_for_people_and_for_programs() {
    let node = Node::start(&[]);
    let installation = Installation::bare();
    let table = text(&installation.output(&["ls", "--node", &node.address]).stdout);
    assert!(table.contains("Outhaul Software GPU") && table.contains("CAPABILITY"), "{table}");
    let json = text(&installation.output(&["ls", "--json", "--node", &node.address]).stdout);
    let parsed: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(parsed["devices"][0]["name"], "Outhaul Software GPU");
    assert!(parsed["devices"][0]["memory_bytes"].as_u64().unwrap() > 0);
}

#[test]
fn every_command_of_the_table_of_features_exists_with_its_flags() {
    let installation = Installation::bare();
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/features.md"))
            .unwrap();
    // Every second piece is inside backquotes.
    let pieces = page.split('`').skip(1).step_by(2);
    let commands: Vec<&str> = pieces.filter_map(|piece| piece.strip_prefix("outhaul ")).collect();
    assert!(commands.len() > 20, "{commands:?}");
    for command in commands {
        let ours = command.split(" -- ").next().unwrap();
        let words = || ours.split(' ');
        let names: Vec<&str> =
            words().take_while(|word| !word.starts_with('-')).chain(["--help"]).collect();
        let output = installation.output(&names);
        let help = text(&output.stdout);
        assert!(output.status.success(), "outhaul {command}: {}", text(&output.stderr));
        assert!(
            help.contains(&format!("Usage: outhaul {}", names[0])),
            "outhaul {command}: {help}"
        );
        for flag in words().filter(|word| word.starts_with('-')) {
            assert!(
                help.split([' ', ',', '\n']).any(|word| word == flag),
                "outhaul {command}: there is no {flag}"
            );
        }
    }
}
