//! Checks that a driver starts inside a cell. `needs.txt` lists the requests that NVIDIA's driver
//! makes to the system. Inside a cell, each request has the same result as outside. If a wall
//! prevents a driver's start, the node serves without that wall and logs so.

use super::walls::{WALLS, supported_walls};
use crate::fixtures::installation::{Installation, text};
use crate::fixtures::node_process::{self, Node, put_driver};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const NEEDS: &str = include_str!("needs.txt");
const MARK: &str = "driver: line ";

/// The result of each request in `needs.txt`, by line number.
type Outcomes = BTreeMap<usize, String>;

/// Makes the requests of `needs.txt` in a worker with exactly these walls.
fn outcomes(walls: &[&str]) -> Outcomes {
    let without: Vec<_> = WALLS.into_iter().filter(|wall| !walls.contains(wall)).collect();
    let node = Node::start_as(|command| {
        let folder = Path::new(command.get_program()).with_file_name("outhaul-soft");
        put_driver(&folder, "driver.c");
        fs::write(folder.join("needs"), NEEDS).unwrap();
        let cache = folder.join("cache");
        fs::create_dir(&cache).unwrap();
        command.env("CUDA_CACHE_PATH", cache);
        if !without.is_empty() {
            command.args(["--no-wall", &without.join(",")]);
        }
    });
    let mut session = node.session();
    session.create_context();
    assert!(session.answers(), "the session has ended");
    let mut outcomes = Outcomes::new();
    // The node's own session has started the driver too, so the first lines may be from that
    // session.
    while let line = node.wait_for("driver: ")
        && !line.contains("done with work")
    {
        let Some((_, outcome)) = line.split_once(MARK) else { continue };
        let (number, how) = outcome.split_once(' ').unwrap();
        outcomes.insert(number.parse().unwrap(), how.to_owned());
    }
    assert!(session.answers(), "the session goes on");
    outcomes
}

/// Describes the requests whose results inside these walls differ from those outside.
fn differences(outside: &Outcomes, walls: &[&str]) -> Vec<String> {
    let inside = outcomes(walls);
    let line = |number: usize| {
        NEEDS.lines().nth(number - 1).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let differs = |(number, how): (&usize, &String)| {
        let there = inside.get(number).map_or("not tried", String::as_str);
        (there != how).then(|| format!("{}: {there}, and {how} without walls", line(*number)))
    };
    outside.iter().filter_map(differs).collect()
}

#[test]
fn a_drivers_system_calls_have_the_same_results_inside_a_cell_as_outside() {
    let outside = outcomes(&[]);
    let lines = NEEDS.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).count();
    assert!(
        outside.len() == lines && outside.values().filter(|how| *how == "ok").count() > lines / 2,
        "{outside:?}"
    );
    if differences(&outside, &WALLS).is_empty() {
        return;
    }
    let refused = WALLS.map(|wall| (wall, differences(&outside, &[wall])));
    panic!("walls refuse what a driver needs: {refused:#?}");
}

/// Needs that these tests give the software GPU, each with the wall that denies it.
const OBSTACLES: [(&str, &str); 2] = [("/proc/1/status", "files"), ("process", "calls")];

fn walls_but(walls: &[&str]) -> String {
    supported_walls()
        .into_iter()
        .filter(|wall| !walls.contains(wall))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Starts a node whose driver has these needs. Returns once the node serves and has logged `lines`.
fn node_that_needs(needs: &str, lines: &[String]) -> Node {
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    Node::start_until(&lines, |command| {
        command.env("OUTHAUL_SOFT_NEEDS", needs);
    })
}

#[test]
fn a_node_drops_only_the_wall_that_its_driver_fails_with_and_logs_it() {
    for (need, wall) in OBSTACLES.into_iter().filter(|(_, wall)| supported_walls().contains(wall)) {
        let warning = format!("does not work with the wall '{wall}' around it");
        let rest = format!("sessions have these walls around them: {}", walls_but(&[wall]));
        let node = node_that_needs(need, &[warning, rest]);
        let mut session = node.session();
        session.create_context();
        assert!(session.answers(), "{need}");
    }
}

#[test]
fn a_driver_may_not_work_with_several_walls() {
    let obstacles: Vec<_> =
        OBSTACLES.into_iter().filter(|(_, wall)| supported_walls().contains(wall)).collect();
    let (needs, walls): (Vec<_>, Vec<_>) = obstacles.into_iter().unzip();
    let rest = format!("sessions have these walls around them: {}", walls_but(&walls));
    let node = node_that_needs(&needs.join(","), &[rest]);
    let mut session = node.session();
    session.create_context();
    assert!(session.answers());
}

#[test]
fn where_walls_are_required_no_node_serves_without_one() {
    let (needs, wall) = OBSTACLES[0];
    if !supported_walls().contains(&wall) {
        return;
    }
    let (refused, words) = refusal(&["--require-walls"], needs);
    assert!(
        refused && words.contains("--require-walls") && words.contains(&format!("'{wall}'")),
        "{words}"
    );
}

#[test]
fn a_driver_that_works_nowhere_costs_no_wall() {
    let (refused, words) = refusal(&[], "/nonexistent/file");
    assert!(
        refused && words.contains("does not fully work, with walls or without: it does not start"),
        "{words}"
    );
    assert!(
        words.contains(&format!("sessions have these walls around them: {}", walls_but(&[]))),
        "{words}"
    );
}

/// Starts a node whose driver has these needs. Returns whether the node refused to serve, and its
/// output.
fn refusal(more: &[&str], needs: &str) -> (bool, String) {
    let installation = Installation::bare();
    let mut command = installation.command(&["serve", "--listen", "127.0.0.1:0", "--gpu"]);
    command.arg(node_process::built("libouthaul_softgpu.so")).args(more);
    let output = command.env("OUTHAUL_SOFT_NEEDS", needs).output().unwrap();
    (!output.status.success(), text(&output.stderr))
}
