//! Emitters. Each is a function from the spec's model to the text of one generated file.

mod abi;
mod bodies;
mod calls;
mod coverage;
mod effects;
mod exports;
mod node;
mod nvml;
mod ptx;
mod requirements;
mod signature;
mod wire;

use crate::spec::Spec;
use crate::spec::nvml::Function as NvmlFunction;
use crate::spec::ptx::Section;

/// Returns the path and content of every generated file. Paths are relative to the root. `levels`
/// holds each level's checksum.
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
        ("tests/conformance/src/generated/parameters.rs".into(), calls::parameters(spec)),
        ("crates/softgpu/src/generated/instructions.rs".into(), ptx::table(ptx)),
        ("docs/instructions.md".into(), ptx::page(ptx)),
        ("docs/coverage.md".into(), coverage::page(spec)),
        ("crates/abi/src/generated/nvml.rs".into(), nvml::table(nvml)),
        ("crates/client/src/generated/nvml_exports.rs".into(), nvml::client(nvml)),
        ("crates/node/src/generated/nvml_ask.rs".into(), nvml::node(nvml)),
        ("docs/coverage-nvml.md".into(), nvml::coverage(nvml)),
    ])
}
