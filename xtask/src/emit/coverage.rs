//! Emits docs/coverage.md: how each driver function works, remotely and on the software GPU.

use crate::spec::{Class, Spec};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Returns the text of docs/coverage.md.
pub fn page(spec: &Spec) -> String {
    let functions: Vec<_> = spec.functions.iter().filter(|f| !f.data).collect();
    let count = |wanted: fn(&Class) -> bool| functions.iter().filter(|f| wanted(&f.class)).count();
    let mut out = String::from(
        r"# Coverage of the driver API

`cargo xtask codegen` writes this page from `spec/cuda`. The column *software GPU* tells whether the
software GPU's `libcuda.so.1` implements a function.

| class | meaning | functions |
|---|---|---|
",
    );
    for (name, meaning, n) in [
        ("local", "the client answers it", count(|c| *c == Class::Local)),
        (
            "post",
            "the client sends it and does not wait",
            count(|c| matches!(c, Class::Post { .. } | Class::PostLike { .. })),
        ),
        (
            "call",
            "the client sends it and waits for the reply",
            count(|c| matches!(c, Class::Call { .. })),
        ),
        (
            "delegated",
            "only calls another function, with the arguments that the spec states",
            count(|c| matches!(c, Class::Delegated(_))),
        ),
        (
            "custom",
            "hand-written code, because the spec cannot describe it",
            count(|c| matches!(c, Class::Custom { .. })),
        ),
        (
            "older",
            "an older form of another function: the client widens its arguments",
            count(|c| matches!(c, Class::FormOf { .. })),
        ),
        ("unsupported", "returns CUDA_ERROR_NOT_SUPPORTED", count(|c| *c == Class::Unsupported)),
    ] {
        let _ = writeln!(out, "| {name} | {meaning} | {n} |");
    }
    let _ = writeln!(
        out,
        r"
Software GPU: {} functions.

| function | since | per-thread flavour | remote | software GPU |
|---|---|---|---|---|",
        functions.iter().filter(|f| f.soft).count()
    );
    for f in functions.iter().filter(|f| f.class != Class::Unsupported) {
        let class = match f.class {
            Class::Local => "local",
            Class::Post { .. } | Class::PostLike { .. } => "post",
            Class::Call { .. } => "call",
            Class::Delegated(_) => "delegated",
            Class::Custom { .. } => "custom",
            Class::FormOf { .. } => "older",
            Class::Unsupported => unreachable!("filtered"),
        };
        let since = f.since.map_or("-".into(), |v| format!("{}.{}", v / 1000, v % 1000 / 10));
        let per_thread = f.per_thread.map_or("-", |(flavour, _)| &flavour.suffix()[1..]);
        let _ = writeln!(
            out,
            "| `{}` | {since} | {per_thread} | {class} | {} |",
            f.name,
            if f.soft { "yes" } else { "-" }
        );
    }
    custom(spec, &mut out);
    effects(spec, &mut out);
    unsupported(spec, &mut out);
    out
}

/// Lists the custom functions, with the reason why the spec cannot describe each of them.
fn custom(spec: &Spec, out: &mut String) {
    out.push_str(
        r"
## Custom functions

The client's half of each of these functions is hand-written. The table says why the spec cannot
describe it.

| function | why |
|---|---|
",
    );
    for function in &spec.functions {
        if let Class::Custom { why } = &function.class {
            let _ = writeln!(out, "| `{}` | {why} |", function.name);
        }
    }
}

/// Lists the commands by effect.
fn effects(spec: &Spec, out: &mut String) {
    out.push_str(
        r"
## What commands do

The table lists the messages that the library sends for these functions, by the effects that
`#[does(...)]` in `spec/cuda` declares. Messages with the effect `compute`, `to the device` or `to
the host` wait for the session's turn on that engine. The node charges the session for them.

| effect | messages |
|---|---|
",
    );
    let mut by_effect: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for message in spec.messages.iter().filter(|m| m.is_command()) {
        let words =
            message.effect.as_ref().map(|effect| effect.words().join(", ")).unwrap_or_default();
        by_effect.entry(words).or_default().push(&message.name);
    }
    let nothing = by_effect.remove("").unwrap_or_default();
    let lines =
        by_effect.into_iter().chain([("no effect on a stream or an engine".to_owned(), nothing)]);
    for (words, messages) in lines {
        let _ = writeln!(out, "| {words} | {} |", messages.join(", "));
    }
}

/// Lists the unsupported functions by reason.
fn unsupported(spec: &Spec, out: &mut String) {
    out.push_str(
        r"
## Unsupported

Each of these functions returns `CUDA_ERROR_NOT_SUPPORTED` when a program calls it by name. The
library does not export those of the debugger. `cuGetProcAddress` answers that they do not exist, as
an older driver would, so that a program does what it does with such drivers. It does return
functions with a star, because programs look them up before they ask whether the device has the
feature.
",
    );
    for reason in &spec.reasons {
        let _ = writeln!(
            out,
            r"
### {}

{}
",
            reason.title, reason.text
        );
        let of_it = spec.functions.iter().filter(|f| f.reason.as_deref() == Some(&reason.word));
        let names: Vec<String> =
            of_it.map(|f| format!("`{}`{}", f.name, if f.refused { "\\*" } else { "" })).collect();
        let _ = writeln!(out, "{}", names.join(", "));
    }
}
