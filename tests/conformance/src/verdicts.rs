//! Writes the outcome of each test for the suite that runs this program. It writes one line per
//! test to the file in OUTHAUL_VERDICTS, if it is set. tests/suites/verdicts.py describes the
//! format.

use std::io::Write;

/// Appends the outcome of a test.
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
