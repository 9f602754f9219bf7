//! Who may import whom. The table is the architecture; a new edge in a Cargo.toml fails here until the table says it too.

use std::path::Path;

/// A crate and the workspace crates that it may depend on.
const LAYERS: [(&str, &[&str]); 11] = [
    ("cache", &[]),
    ("abi", &["cache"]),
    ("wire", &["abi"]),
    ("transport", &["wire"]),
    ("client", &["abi", "wire", "transport"]),
    ("node", &["abi", "cache", "wire", "transport"]),
    ("softgpu", &["abi"]),
    ("pool", &[]),
    ("dag", &[]),
    ("python", &["dag"]),
    ("cli", &["node", "pool", "dag", "wire", "transport", "abi"]),
];
/// Crates without a line of unsafe code.
const SAFE: [&str; 5] = ["cache", "wire", "pool", "dag", "python"];
const LINES_MAX: usize = 800;
const BAD_NAMES: [&str; 5] = ["common", "utils", "helper", "misc", "manager"];

pub fn check(root: &Path) -> Result<(), String> {
    let mut faults = Vec::new();
    for (name, allowed) in LAYERS {
        let folder = if name == "python" { name.to_owned() } else { format!("crates/{name}") };
        let manifest = std::fs::read_to_string(root.join(&folder).join("Cargo.toml"))
            .map_err(|e| format!("{folder}: {e}"))?;
        let table: toml_lines::Dependencies = toml_lines::dependencies(&manifest);
        for dependency in table {
            if !allowed.contains(&dependency.as_str()) {
                faults.push(format!("{name} imports {dependency}; allowed: {allowed:?}"));
            }
        }
        if SAFE.contains(&name) {
            let lib = std::fs::read_to_string(root.join(&folder).join("src/lib.rs"))
                .map_err(|e| e.to_string())?;
            if !lib.contains("#![forbid(unsafe_code)]") {
                faults.push(format!("{folder}/src/lib.rs lacks #![forbid(unsafe_code)]"));
            }
        }
    }
    walk(&root.join("crates"), &mut faults).map_err(|e| e.to_string())?;
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n       ")) }
}

fn walk(folder: &Path, faults: &mut Vec<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        if BAD_NAMES.contains(&stem) {
            faults.push(format!("{} names nothing", path.display()));
        }
        if path.is_dir() {
            if stem != "generated" {
                walk(&path, faults)?;
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            let lines = std::fs::read_to_string(&path)?.lines().count();
            if lines > LINES_MAX {
                faults.push(format!(
                    "{} has {lines} lines; past {LINES_MAX} it is two nouns",
                    path.display()
                ));
            }
        }
    }
    Ok(())
}

/// As much of a manifest as the check needs: the names after `outhaul-` in dependency tables that are not for tests.
mod toml_lines {
    pub type Dependencies = Vec<String>;

    pub fn dependencies(manifest: &str) -> Dependencies {
        let mut inside = false;
        let mut found = Vec::new();
        for line in manifest.lines().map(str::trim) {
            if line.starts_with('[') {
                inside = line.ends_with("dependencies]") && !line.contains("dev-");
            } else if inside && let Some(rest) = line.strip_prefix("outhaul-") {
                found.push(rest.split(['.', ' ', '=']).next().unwrap_or_default().to_owned());
            }
        }
        found
    }
}
