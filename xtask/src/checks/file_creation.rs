//! Checks that only `crates/files` creates, renames and links files and folders. It knows how to
//! keep other users out, and each new place that does it alone would have to know too. Tests are
//! not checked. A call under a name that this check does not know goes unnoticed.

use std::path::Path;

/// Crates with code that users run, but for the one that creates files.
const CODE: [&str; 2] = ["crates", "python/src"];
const CREATES: &str = "crates/files";
/// Calls that create, rename or link files, or name a place where any user can.
const CALLS: [&str; 11] = [
    "fs::write(",
    "fs::rename(",
    "fs::copy(",
    "fs::hard_link(",
    "fs::symlink(",
    "fs::create_dir",
    "DirBuilder::",
    "File::create",
    "File::options(",
    "OpenOptions::",
    "temp_dir()",
];
/// Files that call them all the same, how often, and why that is safe.
const EXCEPTIONS: [(&str, usize, &str); 11] = [
    ("crates/abi/src/error_log.rs", 1, "the program names the file, as CUDA's own function"),
    ("crates/bench/src/links/cable.rs", 1, "a device"),
    ("crates/bench/src/links/network_namespaces.rs", 4, "files of /proc"),
    ("crates/bench/src/shared/flow/adder_program.rs", 1, "in a private folder"),
    ("crates/client/src/api/graphs/dot.rs", 1, "the program names the file"),
    ("crates/node/src/cell/files.rs", 1, "the user names the file"),
    ("crates/node/src/cell/namespaces.rs", 3, "files of /proc"),
    ("crates/node/src/cell/scratch.rs", 3, "checks the owner of each folder itself"),
    ("crates/softgpu/src/driver/api/graphs/graph.rs", 1, "the program names the file"),
    ("crates/softgpu/src/driver/objects/memory/shared_gpu.rs", 1, "the user names the file"),
    ("crates/softgpu/src/driver/objects/streams/shared_event.rs", 2, "in a private folder"),
];

/// Appends a fault for each file that creates files in more or fewer places than recorded.
pub fn check(root: &Path, faults: &mut Vec<String>) -> std::io::Result<()> {
    let mut found = Vec::new();
    for folder in CODE {
        walk(root, &root.join(folder), &mut found)?;
    }
    for (path, lines) in &found {
        let allowed = EXCEPTIONS.iter().find(|one| one.0 == path).map_or(0, |one| one.1);
        if lines.len() != allowed {
            faults.push(format!(
                "{path} creates files in lines {lines:?}, and {allowed} may; use crates/files, or \
                 say in EXCEPTIONS in xtask/src/checks/file_creation.rs why it is safe there"
            ));
        }
    }
    for (path, ..) in EXCEPTIONS {
        if !found.iter().any(|one| one.0 == path) {
            faults.push(format!("{path} creates no files; remove it from EXCEPTIONS"));
        }
    }
    Ok(())
}

fn walk(root: &Path, folder: &Path, found: &mut Vec<(String, Vec<usize>)>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let is_test = path.file_stem().is_some_and(|stem| stem == "tests" || stem == "examples");
        if is_test || name == CREATES {
            continue;
        }
        if path.is_dir() {
            walk(root, &path, found)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            let lines = creating_lines(&std::fs::read_to_string(&path)?);
            if !lines.is_empty() {
                found.push((name, lines));
            }
        }
    }
    Ok(())
}

/// Returns the numbers of the lines that create files, without those of the test module.
fn creating_lines(code: &str) -> Vec<usize> {
    let code = code.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    (1..)
        .zip(code.lines())
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .filter(|(_, line)| CALLS.iter().any(|call| line.contains(call)))
        .map(|(number, _)| number)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_outside_of_tests_is_found() {
        let code = "use std::fs;\n// fs::write(a)\nfs::write(a, b);\nstd::env::temp_dir().join(c)\n\
            #[cfg(test)]\nmod tests { fs::write(d) }\n";
        assert_eq!(creating_lines(code), [3, 4]);
    }
}
