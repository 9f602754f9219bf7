//! What came of each test, for the suite that runs this program: a line each in the file that
//! OUTHAUL_VERDICTS names, if it is set, as tests/suites/verdicts.py says.

use std::io::Write;

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
