//! docs/coverage.md: what a program gets from each driver function, remotely and on the software GPU.

use crate::spec::{Class, Spec};
use std::fmt::Write;

pub fn page(spec: &Spec) -> String {
    let functions: Vec<_> = spec.functions.iter().filter(|f| !f.data).collect();
    let count = |wanted: fn(&Class) -> bool| functions.iter().filter(|f| wanted(&f.class)).count();
    let mut out = String::from(
        "# Coverage of the driver API\n\nWritten by `cargo xtask codegen` from `spec/cuda.rs`. An unsupported function returns `CUDA_ERROR_NOT_SUPPORTED`\nand `cuGetProcAddress` does not hand it out. *Software GPU* says whether `libcuda.so.1` of the software GPU implements it.\n\n| class | meaning | functions |\n|---|---|---|\n",
    );
    for (name, meaning, n) in [
        ("local", "answered by the client", count(|c| *c == Class::Local)),
        ("post", "sent, never waited for", count(|c| matches!(c, Class::Post { .. } | Class::PostLike { .. }))),
        ("call", "sent and answered", count(|c| matches!(c, Class::Call { .. }))),
        ("custom", "hand-written, with messages of its own", count(|c| *c == Class::Custom)),
        ("unsupported", "returns CUDA_ERROR_NOT_SUPPORTED", count(|c| *c == Class::Unsupported)),
    ] {
        let _ = writeln!(out, "| {name} | {meaning} | {n} |");
    }
    let _ = writeln!(
        out,
        "\nSoftware GPU: {} functions.\n\n| function | since | per-thread flavour | remote | software GPU |\n|---|---|---|---|---|",
        functions.iter().filter(|f| f.soft).count()
    );
    for f in &functions {
        let class = match f.class {
            Class::Local => "local",
            Class::Post { .. } | Class::PostLike { .. } => "post",
            Class::Call { .. } => "call",
            Class::Custom => "custom",
            Class::Unsupported => "-",
        };
        let since = f.since.map_or("-".into(), |v| format!("{}.{}", v / 1000, v % 1000 / 10));
        let per_thread = f.per_thread.map_or("-", |(flavour, _)| &flavour.suffix()[1..]);
        let _ = writeln!(out, "| `{}` | {since} | {per_thread} | {class} | {} |", f.name, if f.soft { "yes" } else { "-" });
    }
    out
}
