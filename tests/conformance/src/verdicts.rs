//! Writes each test's outcome for the suite that runs this program. Appends one line per test to
//! the file that OUTHAUL_VERDICTS names, if the variable is set. tests/suites/verdicts.py describes
//! the format.

use std::io::Write;

/// Appends a test's outcome to the file.
pub fn write(outcome: &str, name: &str, why: &str) {
    let Some(path) = std::env::var_os("OUTHAUL_VERDICTS").filter(|path| !path.is_empty()) else {
        return;
    };
    let why = why.replace(['\t', '\n'], " ");
    let file = std::fs::OpenOptions::new().append(true).create(true).open(&path);
    if let Err(error) =
        file.and_then(|mut file| file.write_all(format!("{outcome}\t{name}\t{why}\n").as_bytes()))
    {
        eprintln!("conformance: {} cannot be written: {error}", path.display());
        std::process::exit(2);
    }
}
