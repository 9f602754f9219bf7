//! Calls of every function before `cuInit`. Each fails with `NOT_INITIALIZED`, whatever its
//! arguments are.

use super::Test;
use super::wrong_calls::{Arguments, address, call};
use crate::gpu::{Done, Gpu, same};
use outhaul_abi::loading::symbols::SYMBOLS;
use outhaul_abi::types::*;
use std::process::Command;

pub const TESTS: &[Test] = &[("before_init/every_function_says_so", every_function)];

/// Null, and an address that no program has.
const WORDS: [u64; 2] = [0, 8];

/// NVIDIA's driver reads some arguments first.
fn every_function(gpu: &Gpu) -> Done {
    gpu.require_checks()?;
    let program = std::env::current_exe().expect("a running program has a path");
    let mut child = Command::new(program);
    let child = child.arg("--before-init").arg(&gpu.library).output();
    let child = child.expect("the program starts itself");
    same("other codes", String::from_utf8_lossy(&child.stdout).trim(), "")?;
    same("the end of the process", child.status.code(), Some(0))
}

/// Calls every function of a library in this process, which has not called `cuInit`. Returns a line
/// for each call that gives another code.
pub fn other_codes(library: &str) -> Vec<String> {
    let early = SYMBOLS.iter().filter(|symbol| !symbol.works_before_init());
    let found = early.filter_map(|symbol| Some((symbol.name, address(library, symbol.name)?)));
    let calls = found.flat_map(|found| WORDS.map(|word| (found, word)));
    let code = |((name, address), word): ((&'static str, _), u64)| {
        let arguments: Arguments = [word; 18];
        let code = call(address, &arguments);
        (code != CUresult::NOT_INITIALIZED).then(|| format!("{name} of {word}: {code}"))
    };
    calls.filter_map(code).collect()
}
