//! Checks the dependencies between crates, and counts the modules in each import cycle. The tables
//! define the architecture: a new dependency in a Cargo.toml fails until a table contains it.

use crate::checks::{file_creation, folder_order, import_cycles, imports};
use std::path::{Path, PathBuf};

/// Each crate, with the workspace crates that it may depend on.
const LAYERS: [(&str, &[&str]); 16] = [
    ("lock", &[]),
    ("files", &[]),
    ("abi", &["files", "lock"]),
    ("wire", &["abi"]),
    ("share", &["wire"]),
    ("transport", &["abi", "wire", "lock"]),
    ("client", &["abi", "wire", "transport", "lock"]),
    ("node", &["abi", "wire", "transport", "share", "files", "lock"]),
    ("softgpu", &["abi", "lock"]),
    ("placement", &[]),
    ("pool", &["files", "lock", "placement", "wire"]),
    ("dag", &[]),
    ("python", &["dag"]),
    ("membership", &["node", "pool", "lock"]),
    ("bench", &["abi", "transport", "share", "placement", "files", "lock"]),
    (
        "cli",
        &[
            "membership",
            "node",
            "pool",
            "bench",
            "placement",
            "dag",
            "wire",
            "transport",
            "share",
            "abi",
            "files",
            "lock",
        ],
    ),
];
/// For each crate, the number of modules in each import cycle, largest first. The modules of a
/// cycle import each other, directly or through others. These numbers may only shrink.
const CIRCLES: [(&str, &[usize]); 17] = [
    ("lock", &[]),
    ("files", &[]),
    ("abi", &[]),
    ("wire", &[]),
    ("share", &[]),
    ("transport", &[]),
    ("client", &[2, 2]),
    ("node", &[]),
    ("softgpu", &[4, 2]),
    ("placement", &[]),
    ("pool", &[]),
    ("dag", &[]),
    ("python", &[]),
    ("membership", &[]),
    ("bench", &[]),
    ("cli", &[]),
    (XTASK, &[]),
];
/// The crate that contains these checks.
const XTASK: &str = "xtask";
/// Maximum number of files and folders in a code folder.
const ENTRIES_MAX: usize = 15;
/// Folders with more entries than that, and their numbers. These numbers may only shrink.
const WIDE: [(&str, usize); 0] = [];
/// Crates that contain no unsafe code.
const SAFE: [&str; 8] =
    ["lock", "wire", "share", "placement", "pool", "membership", "dag", "python"];
/// Maximum number of lines in a code file.
const LINES_MAX: usize = 800;
/// Maximum number of columns in a line.
pub const COLUMNS_MAX: usize = 100;
/// Folders that contain code.
const CODE: [&str; 5] = ["crates", "python", "spec", "tests", "xtask"];
/// File names that do not describe the content.
const BAD_NAMES: [&str; 5] = ["common", "utils", "helper", "misc", "manager"];

/// Prints each crate's cycles of modules that import each other.
pub fn show_circles(root: &Path) -> Result<(), String> {
    for (name, _) in CIRCLES {
        let imports = imports::read(&folder(root, name).join("src"))?;
        for circle in import_cycles::find(&imports) {
            println!("{name}: {} modules: {}", circle.len(), circle.join(", "));
        }
    }
    Ok(())
}

/// Prints the upward imports of each crate that has any.
pub fn show_upward(root: &Path) -> Result<(), String> {
    for (name, order, _) in folder_order::ORDERS {
        let imports = imports::read(&folder(root, name).join("src"))?;
        let found = folder_order::upward(order, &imports);
        println!("{name}: {} imports go upward", found.len());
        found.iter().for_each(|(from, to)| println!("  {from} imports {to}"));
    }
    Ok(())
}

fn check_upward(root: &Path, faults: &mut Vec<String>) -> Result<(), String> {
    for (name, order, recorded) in folder_order::ORDERS {
        let imports = imports::read(&folder(root, name).join("src"))?;
        let found = folder_order::upward(order, &imports).len();
        if found != recorded {
            faults.push(format!(
                "{name} has {found} imports that go upward instead of {recorded}; `cargo xtask \
                 layering --upward` names them. If they have become fewer, record that in ORDERS \
                 in xtask/src/checks/folder_order.rs"
            ));
        }
    }
    Ok(())
}

fn check_circles(root: &Path, faults: &mut Vec<String>) -> Result<(), String> {
    for (name, recorded) in CIRCLES {
        let imports = imports::read(&folder(root, name).join("src"))?;
        let found: Vec<usize> = import_cycles::find(&imports).iter().map(Vec::len).collect();
        if found != recorded {
            faults.push(format!(
                "{name} has circles of {found:?} modules instead of {recorded:?}; `cargo xtask \
                 layering --circles` lists them. If they have shrunk, record that in CIRCLES in \
                 xtask/src/checks/layering.rs"
            ));
        }
    }
    Ok(())
}

fn folder(root: &Path, name: &str) -> PathBuf {
    if name == "python" || name == XTASK { root.join(name) } else { root.join("crates").join(name) }
}

/// Checks the whole repository. Fails with a list of all violations.
pub fn check(root: &Path) -> Result<(), String> {
    let mut faults = Vec::new();
    for (name, allowed) in LAYERS {
        let folder = folder(root, name);
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml"))
            .map_err(|e| format!("{}: {e}", folder.display()))?;
        let table: toml_lines::Dependencies = toml_lines::dependencies(&manifest);
        for dependency in table {
            if !allowed.contains(&dependency.as_str()) {
                faults.push(format!("{name} imports {dependency}; allowed: {allowed:?}"));
            }
        }
        if SAFE.contains(&name) {
            let lib = folder.join("src/lib.rs");
            let code = std::fs::read_to_string(&lib).map_err(|e| e.to_string())?;
            if !code.contains("#![forbid(unsafe_code)]") {
                faults.push(format!("{} lacks #![forbid(unsafe_code)]", lib.display()));
            }
        }
    }
    check_circles(root, &mut faults)?;
    check_upward(root, &mut faults)?;
    check_widths(root, &mut faults).map_err(|e| e.to_string())?;
    file_creation::check(root, &mut faults).map_err(|e| e.to_string())?;
    for folder in CODE {
        walk(&root.join(folder), &mut faults).map_err(|e| e.to_string())?;
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n       ")) }
}

fn check_widths(root: &Path, faults: &mut Vec<String>) -> std::io::Result<()> {
    let mut found = Vec::new();
    for folder in ["crates", "xtask"] {
        measure_widths(&root.join(folder), &mut found)?;
    }
    for (folder, entries) in &found {
        let name = folder.strip_prefix(root).unwrap_or(folder).display().to_string();
        let allowed = WIDE.iter().find(|wide| wide.0 == name).map_or(ENTRIES_MAX, |wide| wide.1);
        if *entries > allowed {
            faults.push(format!("{name} has {entries} files and folders; the limit is {allowed}"));
        } else if *entries < allowed && allowed > ENTRIES_MAX {
            faults.push(format!("{name} has only {entries} files and folders: record it in WIDE"));
        }
    }
    Ok(())
}

fn measure_widths(folder: &Path, found: &mut Vec<(PathBuf, usize)>) -> std::io::Result<()> {
    let mut entries = 0;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name == "target") {
            continue;
        }
        entries += 1;
        if path.is_dir() {
            measure_widths(&path, found)?;
        }
    }
    found.push((folder.to_owned(), entries));
    Ok(())
}

fn walk(folder: &Path, faults: &mut Vec<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        if BAD_NAMES.contains(&stem) {
            faults.push(format!("{}: the name does not tell what it has", path.display()));
        }
        if path.is_dir() {
            if stem != "generated" {
                walk(&path, faults)?;
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            check_file(&path, &std::fs::read_to_string(&path)?, faults);
        }
    }
    Ok(())
}

fn check_file(path: &Path, code: &str, faults: &mut Vec<String>) {
    let (path, lines) = (path.display(), code.lines().count());
    if lines > LINES_MAX {
        faults.push(format!("{path} has {lines} lines; the limit is {LINES_MAX}: split the file"));
    }
    for (number, line) in (1..).zip(code.lines()) {
        let columns = line.chars().count();
        if columns > COLUMNS_MAX {
            faults
                .push(format!("{path}:{number} has {columns} columns; the limit is {COLUMNS_MAX}"));
        }
    }
}

/// Reads dependencies from a Cargo.toml: the names after `outhaul-` in the dependency tables,
/// without development dependencies.
mod toml_lines {
    /// Names of this workspace's crates, without `outhaul-`.
    pub type Dependencies = Vec<String>;

    /// Returns the names in a manifest's dependency tables, in order.
    pub fn dependencies(manifest: &str) -> Dependencies {
        let mut inside = false;
        let mut found = Vec::new();
        for line in manifest.lines().map(str::trim) {
            if let Some(name) = line.strip_prefix("[dependencies.outhaul-") {
                found.push(name.trim_end_matches(']').to_owned());
                inside = false;
            } else if line.starts_with('[') {
                inside = line.ends_with("dependencies]") && !line.contains("dev-");
            } else if inside && let Some(rest) = line.strip_prefix("outhaul-") {
                found.push(rest.split(['.', ' ', '=']).next().unwrap_or_default().to_owned());
            }
        }
        found
    }
}
