//! The names of all walls, and the walls that this machine supports.

use crate::fixtures::installation::{Installation, text};

pub const WALLS: [&str; 8] =
    ["descriptors", "limits", "namespaces", "files", "network", "privileges", "secrecy", "calls"];

pub fn supported_walls() -> Vec<&'static str> {
    let plan = r#"{"without":[],"missing":[],"tells_refusals":false}"#;
    let trial = text(&Installation::bare().output(&["probe", "cell", plan]).stdout);
    assert!(trial.contains("\"missing\":"), "{trial}");
    WALLS.into_iter().filter(|wall| !trial.contains(&format!("\"{wall}\""))).collect()
}
