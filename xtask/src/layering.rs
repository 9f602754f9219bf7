//! Who may import whom. The table is the architecture; a new edge in a Cargo.toml fails here until
//! the table says it too.

use std::path::Path;

/// A crate and the workspace crates that it may depend on.
const LAYERS: [(&str, &[&str]); 14] = [
    ("lock", &[]),
    ("cache", &[]),
    ("abi", &["cache", "lock"]),
    ("wire", &["abi"]),
    ("share", &["wire"]),
    ("transport", &["wire", "lock"]),
    ("client", &["abi", "wire", "transport", "lock"]),
    ("node", &["abi", "cache", "wire", "transport", "share", "lock"]),
    ("softgpu", &["abi", "lock"]),
    ("placement", &[]),
    ("pool", &["lock", "placement"]),
    ("dag", &[]),
    ("python", &["dag"]),
    ("cli", &["node", "pool", "placement", "dag", "wire", "transport", "share", "abi", "lock"]),
];
/// Crates without a line of unsafe code.
const SAFE: [&str; 8] = ["lock", "cache", "wire", "share", "placement", "pool", "dag", "python"];
const LINES_MAX: usize = 800;
/// Of a line of code.
pub const COLUMNS_MAX: usize = 100;
/// Where code lies, beside the crates.
const CODE: [&str; 5] = ["crates", "python", "spec", "tests", "xtask"];
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
    for folder in CODE {
        walk(&root.join(folder), &mut faults).map_err(|e| e.to_string())?;
    }
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
            look_at(&path, &std::fs::read_to_string(&path)?, faults);
        }
    }
    Ok(())
}

fn look_at(path: &Path, code: &str, faults: &mut Vec<String>) {
    let (path, lines) = (path.display(), code.lines().count());
    if lines > LINES_MAX {
        faults.push(format!("{path} has {lines} lines; past {LINES_MAX} it is two nouns"));
    }
    for (number, line) in (1..).zip(code.lines()) {
        let columns = line.chars().count();
        if columns > COLUMNS_MAX {
            faults.push(format!("{path}:{number} has {columns} columns; {COLUMNS_MAX} are enough"));
        }
    }
}

/// As much of a manifest as the check needs: the names after `outhaul-` in dependency tables that
/// are not for tests.
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
