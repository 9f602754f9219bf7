//! The project's own code generation and checks. `codegen` generates code and documents from
//! `spec/`. `layering` checks dependencies between crates and modules. Cargo and make run builds
//! and tests.

mod checks;
mod emit;
mod hash;
mod spec;

use checks::{layering, words};
use spec::{nvml, ops_lock, parse, ptx};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["codegen"] => codegen(false),
        ["codegen", "--check"] => codegen(true),
        ["layering"] => layering::check(&root()),
        ["layering", "--circles"] => layering::show_circles(&root()),
        ["layering", "--upward"] => layering::show_upward(&root()),
        ["words"] => words::check(&root()),
        ["words", "--record"] => words::record(&root()),
        ["words", "--all"] => words::show(&root(), None),
        ["words", rule @ ..] => words::show(&root(), Some(&rule.join(" "))),
        _ => Err("usage: cargo xtask codegen [--check] | layering [--circles | --upward] | \
                  words [--all | --record | RULE]"
            .into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn root() -> PathBuf {
    // Cargo sets this variable when it runs xtask. The compiled-in path is wrong if the `target`
    // folder was copied from another checkout.
    let manifest = std::env::var("CARGO_MANIFEST_DIR")
        .unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
    Path::new(&manifest).parent().expect("xtask is a folder of the workspace").to_path_buf()
}

/// Names of the driver spec's files, in the order in which codegen numbers symbols.
const CUDA: [&str; 10] = [
    "vocabulary",
    "messages",
    "devices",
    "code",
    "streams",
    "copies",
    "memory",
    "graphs",
    "arrays",
    "others",
];

/// Fails if the folder contains a file that codegen would not read.
fn forgotten(folder: &Path) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let known = |path: &Path| {
        path.file_stem().and_then(|stem| stem.to_str()).is_some_and(|stem| CUDA.contains(&stem))
    };
    match entries.flatten().map(|entry| entry.path()).find(|path| !known(path)) {
        Some(path) => Err(format!(
            "{}: not listed in CUDA in xtask/src/main.rs; add it there, at its position",
            path.display()
        )),
        None => Ok(()),
    }
}

/// Writes every generated file. If `check`, writes nothing, and fails with a list of stale files.
fn codegen(check: bool) -> Result<(), String> {
    let root = root();
    let read =
        |path: &str| std::fs::read_to_string(root.join(path)).map_err(|e| format!("{path}: {e}"));
    let cuda = CUDA.map(|name| format!("spec/cuda/{name}.rs"));
    forgotten(&root.join("spec/cuda"))?;
    let cuda = cuda
        .into_iter()
        .map(|path| read(&path).map(|text| (path, text)))
        .collect::<Result<Vec<_>, _>>()?;
    let (cuda_text, nvml_text) =
        (cuda.iter().map(|(_, text)| text.as_str()).collect::<String>(), read("spec/nvml.rs")?);
    let mut lock = ops_lock::Lock::parse(&read(ops_lock::PATH)?)?;
    let (spec, nvml) = (parse::parse(&cuda, &mut lock)?, nvml::parse(&nvml_text)?);
    let ptx = ptx::parse(&read("spec/ptx.txt")?)?;
    let files =
        emit::files(&spec, &nvml, &ptx, &lock.sums(hash::fnv1a(&(cuda_text + &nvml_text))))?;
    let mut stale = Vec::new();
    for (path, content) in files.into_iter().chain([(ops_lock::PATH.to_owned(), lock.text())]) {
        let content = if path.ends_with(".rs") { format_rust(&content)? } else { content };
        let target = root.join(&path);
        if std::fs::read_to_string(&target).is_ok_and(|old| old == content) {
            continue;
        }
        if check {
            stale.push(path);
            continue;
        }
        std::fs::create_dir_all(target.parent().expect("a generated file has a folder"))
            .map_err(|e| e.to_string())?;
        std::fs::write(&target, content).map_err(|e| format!("{path}: {e}"))?;
    }
    if stale.is_empty() {
        Ok(())
    } else {
        Err(format!("stale: {}; run `cargo xtask codegen` and commit the result", stale.join(", ")))
    }
}

fn format_rust(source: &str) -> Result<String, String> {
    use std::io::Write;
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path", &root().display().to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("rustfmt: {e}; install it with `rustup component add rustfmt`"))?;
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let source = source.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(source.as_bytes()));
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    writer.join().expect("the writer does not panic").map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err("rustfmt refused generated code".into());
    }
    String::from_utf8(output.stdout).map_err(|e| e.to_string())
}
