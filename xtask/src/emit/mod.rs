//! Emitters: each is a function from the model of the spec to the text of one generated file.

mod abi;
mod bodies;
mod coverage;
mod effects;
mod exports;
mod node;
mod nvml;
mod ptx;
mod wire;

use crate::nvml::Function as NvmlFunction;
use crate::ptx::Section;
use crate::spec::{Param, ParamType, Spec};

const HEADER: &str = "// Written by `cargo xtask codegen` from spec/cuda; change that.\n";

/// Returns the path from the root and the content of every generated file. `levels` has the sum of
/// each level.
pub fn files(
    spec: &Spec,
    nvml: &[NvmlFunction],
    ptx: &[Section],
    levels: &[(u16, u64)],
) -> Result<Vec<(String, String)>, String> {
    Ok(vec![
        ("crates/abi/src/generated/symbols.rs".into(), abi::symbols(spec)),
        ("crates/abi/src/generated/driver.rs".into(), abi::driver(spec)),
        ("crates/wire/src/generated/messages.rs".into(), wire::messages(spec, levels)),
        ("crates/wire/src/generated/effects.rs".into(), effects::effects(spec)?),
        ("crates/client/src/generated/exports.rs".into(), exports::client(spec)),
        ("crates/node/src/generated/dispatch.rs".into(), node::dispatch(spec)),
        ("crates/softgpu/src/generated/exports.rs".into(), exports::softgpu(spec)),
        ("crates/softgpu/src/generated/instructions.rs".into(), ptx::table(ptx)),
        ("docs/instructions.md".into(), ptx::page(ptx)),
        ("docs/coverage.md".into(), coverage::page(spec)),
        ("crates/abi/src/generated/nvml.rs".into(), nvml::table(nvml)),
        ("crates/client/src/generated/nvml_exports.rs".into(), nvml::client(nvml)),
        ("crates/node/src/generated/nvml_ask.rs".into(), nvml::node(nvml)),
        ("docs/coverage-nvml.md".into(), nvml::coverage(nvml)),
    ])
}

/// Computes FNV-1a over lines that are not comments, so that client and node still fit together
/// after a change of comments only.
pub fn fnv1a(text: &str) -> u64 {
    let lines = text.lines().map(str::trim).filter(|l| !l.starts_with("//"));
    lines.flat_map(|l| l.bytes().chain([b'\n'])).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Returns a parameter's type in the C ABI.
fn c_type(param: &Param) -> String {
    match &param.ty {
        ParamType::Plain(ty) => ty.clone(),
        ParamType::In(ty) | ParamType::InArray { element: ty, .. } => format!("*const {ty}"),
        ParamType::Out(ty) | ParamType::OptionalOut(ty) => format!("*mut {ty}"),
    }
}

/// Returns the list `name: type, ...` with the types of the C ABI.
fn c_params(params: &[Param]) -> String {
    params.iter().map(|p| format!("{}: {}", p.name, c_type(p))).collect::<Vec<_>>().join(", ")
}

fn names(params: &[Param]) -> String {
    params.iter().map(|p| p.name.clone()).collect::<Vec<_>>().join(", ")
}
